//! Names that a provider allows, and the way back.

use std::collections::{HashMap, HashSet};

/// What a provider allows as a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameRule {
    /// Whether a name may begin with this.
    pub(crate) first: fn(char) -> bool,
    /// Whether this may follow.
    pub(crate) rest: fn(char) -> bool,
    /// The most characters.
    pub(crate) max: usize,
}

impl NameRule {
    pub(crate) fn allows(&self, name: &str) -> bool {
        let mut characters = name.chars();
        characters.next().is_some_and(self.first)
            && characters.all(self.rest)
            && name.chars().count() <= self.max
    }

    /// An allowed name that resembles `name`; `attempt` tells those with one resemblance apart.
    fn substitute(&self, name: &str, attempt: u32) -> String {
        let mut mark = format!("_{:08x}", fnv1a(name) >> 32);
        if attempt > 0 {
            mark.push_str(&format!("_{attempt}"));
        }
        let room = self.max.saturating_sub(mark.len());
        let mut kept = String::new();
        for character in name.chars() {
            let allowed = if kept.is_empty() { self.first } else { self.rest };
            let next = if allowed(character) {
                character
            } else if kept.is_empty() && (self.rest)(character) {
                // A digit, say, that may not come first: keep it behind a letter.
                kept.push('t');
                character
            } else if kept.is_empty() && !(self.first)('_') {
                't'
            } else {
                '_'
            };
            kept.push(next);
        }
        let mut kept: String = kept.chars().take(room).collect();
        if kept.is_empty() {
            kept.push('t');
        }
        kept + &mark
    }
}

/// FNV-1a, 64 bits: the same on every machine and in every release, which the standard library's hash is not.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The names of a toolset: as the tools are called, and as the provider calls them.
///
/// A name that the provider allows is sent as it is; another is sent as something similar that ends in a mark made from the
/// whole name, so it does not depend on the other tools unless two marks are equal.
#[derive(Debug, Clone, Default)]
pub struct NameMap {
    sent: HashMap<String, String>,
    own: HashMap<String, String>,
}

impl NameMap {
    /// Maps names; a name given twice counts once.
    pub(crate) fn new<'a>(rule: NameRule, names: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut taken: HashSet<String> = names
            .clone()
            .filter(|name| rule.allows(name))
            .map(str::to_owned)
            .collect();
        let mut map = Self::default();
        for name in names {
            if map.sent.contains_key(name) {
                continue;
            }
            if rule.allows(name) {
                map.put(name, name.to_owned());
                continue;
            }
            let free = (0..=u32::MAX)
                .map(|attempt| rule.substitute(name, attempt))
                .find(|candidate| !taken.contains(candidate));
            if let Some(free) = free {
                taken.insert(free.clone());
                map.put(name, free);
            }
        }
        map
    }

    fn put(&mut self, own: &str, sent: String) {
        self.own.insert(sent.clone(), own.to_owned());
        self.sent.insert(own.to_owned(), sent);
    }

    /// The name under which the provider knows a tool.
    #[must_use]
    pub fn sent(&self, own: &str) -> Option<&str> {
        self.sent.get(own).map(String::as_str)
    }

    /// The tool that the provider knows under this name.
    #[must_use]
    pub fn own(&self, sent: &str) -> Option<&str> {
        self.own.get(sent).map(String::as_str)
    }

    /// Every pair (own, sent), in no order.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.sent.iter().map(|(own, sent)| (own.as_str(), sent.as_str()))
    }

    /// How many tools it names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sent.len()
    }

    /// Whether it names none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;

    fn map(provider: Provider, names: &[&str]) -> NameMap {
        NameMap::new(provider.name_rule(), names.iter().copied())
    }

    #[test]
    fn a_name_that_is_allowed_is_sent_as_it_is() {
        for provider in Provider::ALL {
            assert_eq!(
                map(provider, &["get_weather-2"]).sent("get_weather-2"),
                Some("get_weather-2")
            );
        }
    }

    #[test]
    fn a_name_does_not_depend_on_the_others() {
        let alone = map(Provider::OpenAi, &["a.b"]).sent("a.b").map(str::to_owned);
        let among = map(Provider::OpenAi, &["a/b", "a_b", "a.b"])
            .sent("a.b")
            .map(str::to_owned);
        assert_eq!(alone, among);
        assert_eq!(alone.as_deref(), Some("a_b_e61d9919"));
    }

    #[test]
    fn a_substitute_never_takes_the_name_of_another_tool() {
        let first = map(Provider::OpenAi, &["a.b"]).sent("a.b").unwrap().to_owned();
        let both = map(Provider::OpenAi, &["a.b", &first]);
        assert_eq!(both.sent(&first), Some(first.as_str()));
        assert_ne!(both.sent("a.b"), Some(first.as_str()));
        assert_eq!(both.own(both.sent("a.b").unwrap()), Some("a.b"));
    }

    #[test]
    fn what_may_not_come_first_is_kept_behind_a_letter() {
        let sent = map(Provider::Gemini, &["1inch"])
            .sent("1inch")
            .unwrap()
            .to_owned();
        assert!(sent.starts_with("t1inch_"), "{sent}");
        assert!(map(Provider::Gemini, &[""]).sent("").unwrap().starts_with("t_"));
    }
}
