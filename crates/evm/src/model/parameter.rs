//! Named values: arguments, results, members of structs, fields of events and errors.

use std::collections::HashSet;

use super::SolidityType;
use crate::name;

/// One named value of a function, event, error or struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in the ABI, as it stands there; often empty.
    pub name: String,
    /// The name in JSON: `name` itself where that can be a key of a tool's schema, unique among its
    /// siblings.
    pub key: String,
    /// What the value is.
    pub ty: SolidityType,
    /// The type as it counts for selectors and topics. It differs from `ty` in libraries, where an
    /// enum or a struct counts with its name.
    pub canonical: String,
    /// The type in the source (`internalType`): the name of a struct, an enum, a contract, a user type.
    pub internal_type: Option<String>,
    /// Whether an event keeps the value in a topic.
    pub indexed: bool,
}

impl Parameter {
    /// A value of this name and type. Its key follows when the function, event, error or struct is made that
    /// it belongs to.
    #[must_use]
    pub fn new(name: impl Into<String>, ty: SolidityType) -> Self {
        Self {
            name: name.into(),
            key: String::new(),
            canonical: ty.to_string(),
            ty,
            internal_type: None,
            indexed: false,
        }
    }

    /// The same, kept in a topic.
    #[must_use]
    pub fn indexed(self) -> Self {
        Self {
            indexed: true,
            ..self
        }
    }

    /// Whether a log keeps only the hash of the value: it is indexed and longer than a word.
    #[must_use]
    pub fn is_hashed(&self) -> bool {
        let is_long =
            self.ty.is_dynamic() || matches!(self.ty, SolidityType::FixedArray(..) | SolidityType::Tuple(_));
        self.indexed && is_long
    }
}

/// What values without a name are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// `arg0`, `arg1`, ...
    Argument,
    /// `output0`, `output1`, ...
    Output,
    /// `field_0`, `field_1`, ...
    Field,
}

impl Unnamed {
    fn at(self, place: usize) -> String {
        match self {
            Self::Argument => format!("arg{place}"),
            Self::Output => format!("output{place}"),
            Self::Field => format!("field_{place}"),
        }
    }
}

/// Gives every sibling its JSON key.
///
/// A name that can be a key is kept, and wins over made-up ones; of several equal names the first
/// keeps it. The rest are numbered from 2 in the order of the parameters, which the ABI fixes.
pub(crate) fn assign_keys(siblings: &mut [Parameter], unnamed: Unnamed) {
    let mut taken = HashSet::new();
    let mut kept = Vec::with_capacity(siblings.len());
    for sibling in siblings.iter() {
        kept.push(name::is_valid_key(&sibling.name) && taken.insert(sibling.name.clone()));
    }
    for (place, (sibling, kept)) in siblings.iter_mut().zip(kept).enumerate() {
        sibling.key = if kept {
            sibling.name.clone()
        } else {
            let wish = name::valid_key(&sibling.name).unwrap_or_else(|| unnamed.at(place));
            first_free(&wish, &mut taken)
        };
    }
}

/// Gives the siblings their keys unless they have them.
pub(crate) fn ensure_keys(mut siblings: Vec<Parameter>, unnamed: Unnamed) -> Vec<Parameter> {
    if siblings.iter().any(|sibling| sibling.key.is_empty()) {
        assign_keys(&mut siblings, unnamed);
    }
    siblings
}

fn first_free(wish: &str, taken: &mut HashSet<String>) -> String {
    if taken.insert(wish.to_owned()) {
        return wish.to_owned();
    }
    let mut number: usize = 2;
    loop {
        let suffix = format!("_{number}");
        let stem = name::cut(wish, name::MAX_KEY_CHARS.saturating_sub(suffix.len()));
        let candidate = format!("{stem}{suffix}");
        if taken.insert(candidate.clone()) {
            return candidate;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<String> {
        let mut parameters: Vec<Parameter> = names
            .iter()
            .map(|name| Parameter {
                name: (*name).to_owned(),
                key: String::new(),
                ty: SolidityType::Bool,
                canonical: "bool".to_owned(),
                internal_type: None,
                indexed: false,
            })
            .collect();
        assign_keys(&mut parameters, Unnamed::Argument);
        parameters.into_iter().map(|parameter| parameter.key).collect()
    }

    #[test]
    fn names_stay_as_they_are() {
        assert_eq!(
            keys(&["from", "_to", "fooBar", "foo_bar", "A"]),
            ["from", "_to", "fooBar", "foo_bar", "A"]
        );
    }

    #[test]
    fn equal_names_are_numbered_and_none_is_lost() {
        assert_eq!(keys(&["a", "a", "A", "a_2"]), ["a", "a_3", "A", "a_2"]);
    }

    #[test]
    fn a_real_name_wins_over_a_made_up_one() {
        assert_eq!(keys(&["", "", "arg0"]), ["arg0_2", "arg1", "arg0"]);
    }

    #[test]
    fn characters_that_clients_refuse_are_replaced() {
        assert_eq!(keys(&["$v", "größe", "\u{202e}"]), ["_v", "gr__e", "_"]);
    }

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let long = "x".repeat(80);
        let keys = keys(&[&long, &long]);
        assert_eq!(keys[0], "x".repeat(64));
        assert_eq!(keys[1], format!("{}_2", "x".repeat(62)));
    }
}
