//! The keys of a section: declared once, read from the file and from the environment by the same table.

use super::setting::{Expected, Setting};

/// One key of a section.
pub(super) struct Key<S: 'static> {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) set: fn(&mut S, &Setting<'_>) -> Result<(), Expected>,
}

/// A section of the configuration, by the table of its keys.
pub(super) trait Section: Sized + 'static {
    /// Where its keys stand, as a phrase.
    const PLACE: &'static str;
    /// What its variables begin with; a source's have its name behind it.
    const VARIABLE: &'static str;
    /// Its keys.
    const KEYS: &'static [Key<Self>];
}

/// A key that a configuration may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownKey {
    /// Where it stands, such as `in [server]`.
    pub section: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its form in the environment; `<NAME>` stands for a source's name.
    pub variable: String,
}

pub(super) fn known<S: Section>() -> impl Iterator<Item = KnownKey> {
    S::KEYS.iter().map(|key| KnownKey {
        section: S::PLACE,
        name: key.name,
        about: key.about,
        variable: format!("{}{}", S::VARIABLE, variable_part(key.name)),
    })
}

/// A name as a part of a variable: capitals, and `_` for every character that is no letter and no digit.
pub(super) fn variable_part(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Environment, SourceConfig, known_keys};
    use super::*;
    use crate::assemble::Location;

    #[test]
    fn no_key_of_a_source_ends_another_so_that_no_variable_has_two_readings() {
        for one in SourceConfig::KEYS {
            for other in SourceConfig::KEYS {
                assert!(
                    !one.name.ends_with(&format!("_{}", other.name)),
                    "{} ends with {}",
                    one.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn the_table_of_keys_is_documented() {
        let table: Vec<String> = known_keys()
            .map(|key| format!("{} | {} {} | {}", key.variable, key.name, key.section, key.about))
            .collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    #[test]
    fn the_page_about_configuration_has_every_key() {
        let page = include_str!("../../../../docs/configuration.md");
        for key in known_keys() {
            let row = page
                .lines()
                .find(|line| line.ends_with(&format!("| `{}` |", key.variable)));
            assert!(
                row.is_some_and(|row| row.starts_with(&format!("| `{}` |", key.name))),
                "{}",
                key.variable
            );
        }
    }

    #[test]
    fn every_key_is_read_from_its_variable() {
        for key in known_keys() {
            let variable = key.variable.replace("<NAME>", "A_B");
            let mut config = Config::default();
            config
                .sources
                .push(SourceConfig::new("a-b", Location::parse("a.json")));
            let before = format!("{config:?}");
            // Keys of text take this value and show it; all others refuse it by the variable's name.
            match config.apply_environment(&Environment::from_pairs([(variable.as_str(), "?")])) {
                Err(error) => assert!(error.to_string().contains(&variable), "{error}"),
                Ok(()) => assert_ne!(format!("{config:?}"), before, "{variable} went nowhere"),
            }
        }
    }
}
