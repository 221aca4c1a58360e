//! The structs of an interface, each once, under names of their own.

use std::collections::{HashMap, HashSet};

use crate::hint::upper_camel;
use crate::mapper::first_free;
use crate::model::{Parameter, SolidityType};

/// Names that clients use for themselves.
pub(super) const USED: [&str; 35] = [
    "Any",
    "Array",
    "Awaitable",
    "Box",
    "Call",
    "Callable",
    "Caller",
    "Default",
    "Deserialize",
    "DeserializeOwned",
    "Dict",
    "Err",
    "Error",
    "Event",
    "Future",
    "List",
    "Map",
    "Ok",
    "Option",
    "Optional",
    "Options",
    "Promise",
    "Read",
    "Record",
    "Result",
    "Send",
    "Serialize",
    "Some",
    "String",
    "Sync",
    "Transaction",
    "TypedDict",
    "Value",
    "Vec",
    "Written",
];

/// A struct.
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) members: Vec<Parameter>,
}

/// All structs, those first that others are made of.
pub(super) struct Structs {
    /// A name of the source as a name of the language.
    type_name: Box<dyn Fn(&str) -> String>,
    list: Vec<Struct>,
    places: HashMap<String, usize>,
    taken: HashSet<String>,
}

impl Structs {
    /// None yet; no struct will have one of the names in `taken`.
    pub(super) fn new(type_name: impl Fn(&str) -> String + 'static, taken: HashSet<String>) -> Self {
        Self {
            type_name: Box::new(type_name),
            list: Vec::new(),
            places: HashMap::new(),
            taken,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Struct> {
        self.list.iter()
    }

    /// Adds the structs in a value; one that the source does not name is called `wish`.
    pub(super) fn add(&mut self, parameter: &Parameter, wish: &str) {
        let SolidityType::Tuple(members) = parameter.ty.base() else {
            return;
        };
        let identity = identity(parameter);
        if self.places.contains_key(&identity) {
            return;
        }
        for member in members {
            self.add(member, &format!("{wish}{}", upper_camel(&member.key)));
        }
        let name = source_name(parameter).unwrap_or_else(|| wish.to_owned());
        let name = first_free((self.type_name)(&name), &mut self.taken);
        self.places.insert(identity, self.list.len());
        self.list.push(Struct {
            name,
            members: members.clone(),
        });
    }

    /// The name of the struct in a value that was added.
    pub(super) fn name_of(&self, parameter: &Parameter) -> &str {
        self.places
            .get(&identity(parameter))
            .and_then(|place| self.list.get(*place))
            .map_or("", |found| &found.name)
    }
}

/// `struct Market.Order[2]` is `Order`.
fn source_name(parameter: &Parameter) -> Option<String> {
    let internal = parameter.internal_type.as_deref()?.strip_prefix("struct ")?;
    let base = internal.split('[').next().unwrap_or(internal);
    let name = base.rsplit('.').next().unwrap_or(base);
    let is_word = name
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || character == '_');
    (is_word && !name.is_empty()).then(|| name.to_owned())
}

/// Two values have one struct when the source names it equally and the members are the same.
fn identity(parameter: &Parameter) -> String {
    let name = source_name(parameter).unwrap_or_default();
    let SolidityType::Tuple(members) = parameter.ty.base() else {
        return name;
    };
    let members: Vec<String> = members
        .iter()
        .map(|member| {
            let inner = if matches!(member.ty.base(), SolidityType::Tuple(_)) {
                identity(member)
            } else {
                String::new()
            };
            format!("{}:{}{inner}", member.key, member.ty)
        })
        .collect();
    format!("{name}{{{}}}", members.join(","))
}
