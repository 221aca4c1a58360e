//! Reading `toolmesh.toml`.

use std::path::{Path, PathBuf};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Config, ConfigError, NetworkConfig, Place, SourceConfig, key::Section, setting::Setting};
use crate::{assemble::Location, read};

/// The largest configuration that is read, in bytes: far more than hundreds of sources need.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The sections that a file may have.
const SECTIONS: [&str; 10] = [
    "[[source]]",
    "[server]",
    "[policy]",
    "[sandbox]",
    "[[network]]",
    "[explorer]",
    "[limits]",
    "[tasks]",
    "[observe]",
    "[mesh]",
];

pub(super) fn read(path: &Path) -> Result<Config, ConfigError> {
    let unreadable = |reason: String| ConfigError::Unreadable {
        file: path.to_owned(),
        reason,
    };
    let bytes = read::file(path, MAX_CONFIG_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    parse(&text, path)
}

pub(super) fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let file = File { text, path };
    let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        place: file.place(error.span().map_or(0, |span| span.start)),
        reason: error.message().to_owned(),
    })?;
    let mut config = Config::default();
    for (key, value) in table.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("source", DeValue::Array(list)) => {
                for item in list {
                    config.sources.push(file.source(item)?);
                }
            }
            ("source", _) => return Err(file.wrong(key, "written as [[source]], once for each source")),
            ("server", _) => {
                file.section(&mut config.server, key, value)?;
                config.server.relative_to(&file.folder());
            }
            ("policy", _) => file.section(&mut config.policy, key, value)?,
            ("sandbox", _) => {
                file.section(&mut config.sandbox, key, value)?;
                config.sandbox.state = config.sandbox.state.take().map(|path| file.beside(&path));
            }
            ("explorer", _) => file.section(&mut config.explorer, key, value)?,
            ("network", DeValue::Array(list)) => {
                for item in list {
                    config.networks.push(file.network(item)?);
                }
            }
            ("network", _) => return Err(file.wrong(key, "written as [[network]], once for each chain")),
            ("limits", _) => file.section(&mut config.limits, key, value)?,
            ("tasks", _) => file.section(&mut config.tasks, key, value)?,
            ("observe", _) => file.section(&mut config.observe, key, value)?,
            ("mesh", _) => file.section(&mut config.mesh, key, value)?,
            _ => return Err(file.unknown(key, "at the top", SECTIONS.to_vec())),
        }
    }
    config.tasks.relative_to(&file.folder());
    config.observe.relative_to(&file.folder());
    config.mesh.relative_to(&file.folder());
    Ok(config)
}

/// The text that is read, to tell lines.
struct File<'a> {
    text: &'a str,
    path: &'a Path,
}

impl File<'_> {
    fn place(&self, offset: usize) -> Place {
        let before = self.text.as_bytes().iter().take(offset);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        Place::File {
            file: self.path.to_owned(),
            line,
        }
    }

    fn unknown(
        &self,
        key: &Spanned<impl AsRef<str>>,
        section: &'static str,
        known: Vec<&'static str>,
    ) -> ConfigError {
        let place = self.place(key.span().start);
        ConfigError::UnknownKey {
            place,
            key: key.get_ref().as_ref().to_owned(),
            section,
            known,
        }
    }

    fn wrong(&self, key: &Spanned<impl AsRef<str>>, expected: impl Into<String>) -> ConfigError {
        let place = self.place(key.span().start);
        ConfigError::BadValue {
            place,
            key: key.get_ref().as_ref().to_owned(),
            expected: expected.into(),
        }
    }

    fn section<S: Section>(
        &self,
        section: &mut S,
        name: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let table = value
            .get_ref()
            .as_table()
            .ok_or_else(|| self.wrong(name, "a section"))?;
        self.keys(section, table)
    }

    fn keys<S: Section>(&self, section: &mut S, table: &DeTable<'_>) -> Result<(), ConfigError> {
        for (name, value) in table {
            let known = S::KEYS.iter().find(|key| key.name == name.get_ref().as_ref());
            let Some(key) = known else {
                return Err(self.unknown(name, S::PLACE, S::KEYS.iter().map(|key| key.name).collect()));
            };
            let setting = Setting::Toml(value.get_ref());
            (key.set)(section, &setting).map_err(|expected| self.wrong(name, expected))?;
        }
        Ok(())
    }

    fn network(&self, item: &Spanned<DeValue<'_>>) -> Result<NetworkConfig, ConfigError> {
        let bad = |key: &str, expected: &str| ConfigError::BadValue {
            place: self.place(item.span().start),
            key: key.to_owned(),
            expected: expected.to_owned(),
        };
        let DeValue::Table(table) = item.get_ref() else {
            return Err(bad("network", "written as [[network]], once for each chain"));
        };
        let mut network = NetworkConfig::default();
        self.keys(&mut network, table)?;
        if network.name.is_empty() {
            return Err(bad("name", "there, as in `0x...@NAME`"));
        }
        Ok(network)
    }

    fn source(&self, item: &Spanned<DeValue<'_>>) -> Result<SourceConfig, ConfigError> {
        let place = self.place(item.span().start);
        let DeValue::Table(table) = item.get_ref() else {
            return Err(ConfigError::BadValue {
                place,
                key: "source".to_owned(),
                expected: "written as [[source]], once for each source".to_owned(),
            });
        };
        // The location is always set below: the key table puts it over this one, or the source is refused.
        let mut source = SourceConfig::new(String::new(), Location::Stdin);
        self.keys(&mut source, table)?;
        if !table.iter().any(|(name, _)| name.get_ref() == "location") {
            return Err(ConfigError::NoLocation { place });
        }
        source.location = source.location.relative_to(&self.folder());
        source.calimero.relative_to(&self.folder());
        source.state = source.state.take().map(|path| self.beside(&path));
        if source.name.is_empty() {
            source.name = source.location.source_name();
        }
        Ok(source)
    }

    /// A path that is relative to the file's folder.
    fn beside(&self, path: &Path) -> PathBuf {
        self.folder().join(path)
    }

    fn folder(&self) -> PathBuf {
        self.path.parent().map_or_else(PathBuf::new, Path::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(text, Path::new("toolmesh.toml")).unwrap_err().to_string()
    }

    #[test]
    fn a_whole_file_is_read() {
        let config = parse(
            r#"
            [[source]]
            name = "token"
            location = "token.json"
            constructor_arguments = { supply = "1000" }

            [[source]]
            location = "abi/dai.json"
            address = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
            rpc = "https://rpc.example/secret"
            prefix = ""
            include = ["balance*"]
            read_only = true
            chain_id = 1
            max_fee_wei = "10000000000000000000"

            [server]
            http = true
            max_tools = 40

            [policy]
            confirmation = "destructive"
            exclude = ["burn"]
            "#,
            Path::new("conf/toolmesh.toml"),
        )
        .unwrap();
        assert!(
            !format!("{config:?}").contains("secret"),
            "an RPC URL may hold a key"
        );
        insta::assert_debug_snapshot!(config);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        insta::assert_snapshot!(refusal("[server]\n# comment\nhtpp = true\n"));
        insta::assert_snapshot!(refusal(
            "[[source]]\nlocation = \"a.json\"\n\n[[source]]\nlocation = \"b\"\nrpcc = \"\"\n"
        ));
        insta::assert_snapshot!(refusal("\n[sever]\n"));
    }

    #[test]
    fn a_value_of_another_type_is_refused_without_being_repeated() {
        insta::assert_snapshot!(refusal("[server]\nhttp = \"example.com:80\"\n"));
        insta::assert_snapshot!(refusal("[policy]\nconfirmation = \"sometimes\"\n"));
        insta::assert_snapshot!(refusal("[[source]]\nlocation = \"a\"\nchain_id = \"one\"\n"));
        insta::assert_snapshot!(refusal("[[source]]\nlocation = \"a\"\nname = \"a b\"\n"));
        insta::assert_snapshot!(refusal("server = 1\n"));
        insta::assert_snapshot!(refusal("[source]\nlocation = \"a\"\n"));
    }

    #[test]
    fn a_source_needs_a_location() {
        insta::assert_snapshot!(refusal("\n[[source]]\nname = \"a\"\n"));
    }

    #[test]
    fn what_is_not_toml_is_told_with_its_line() {
        insta::assert_snapshot!(refusal("[server]\nhttp = \n"));
    }
}
