//! The comments of the source (NatSpec), where an artifact holds them.

use std::collections::BTreeMap;

use toolmesh_json::{Value, View};

use super::contracts::{metadata, object_or_text};
use crate::model::Documentation;

/// The `userdoc` and `devdoc` of an artifact, keyed by signature inside.
#[derive(Debug, Default)]
pub(super) struct Comments {
    user: Option<Value>,
    developer: Option<Value>,
}

impl Comments {
    /// Truffle and solc have the two beside `abi`, Foundry and Hardhat have them in `metadata`; each may be
    /// text.
    pub(super) fn find(details: View<'_>) -> Self {
        let metadata = metadata(details);
        let at = |name: &str| {
            let beside = details.get(name).and_then(object_or_text);
            beside.or_else(|| {
                let output = metadata.as_ref()?.get("output")?;
                Some(output.get(name)?.to_value())
            })
        };
        Self {
            user: at("userdoc"),
            developer: at("devdoc"),
        }
    }

    pub(super) fn of_function(&self, signature: &str) -> Documentation {
        self.at("methods", signature)
    }

    pub(super) fn of_event(&self, signature: &str) -> Documentation {
        self.at("events", signature)
    }

    pub(super) fn of_error(&self, signature: &str) -> Documentation {
        self.at("errors", signature)
    }

    fn at(&self, group: &str, signature: &str) -> Documentation {
        let (user, developer) = (
            entry(self.user.as_ref(), group, signature),
            entry(self.developer.as_ref(), group, signature),
        );
        Documentation {
            notice: member_text(user, "notice"),
            details: member_text(developer, "details"),
            parameters: texts(developer, "params"),
            returns: texts(developer, "returns"),
        }
    }
}

fn entry<'a>(comments: Option<&'a Value>, group: &str, signature: &str) -> Option<View<'a>> {
    first(comments?.get(group)?.get(signature)?)
}

/// Errors of one signature may stand in several files, so theirs is a list.
fn first(entry: View<'_>) -> Option<View<'_>> {
    match entry.as_array() {
        Some(list) => list.get(0),
        None => Some(entry),
    }
}

fn member_text(entry: Option<View<'_>>, name: &str) -> Option<String> {
    entry?.get(name)?.as_str().map(str::to_owned)
}

fn texts(entry: Option<View<'_>>, name: &str) -> BTreeMap<String, String> {
    entry
        .and_then(|entry| entry.get(name)?.as_object())
        .into_iter()
        .flat_map(|members| members.iter())
        .filter_map(|(name, text)| Some((name.to_owned(), text.as_str()?.to_owned())))
        .collect()
}
