//! Texts of JSON that come from the other language.

use serde::de::DeserializeOwned;
use toolmesh::json::{self, Limits, Value, View};

use crate::{Fault, FaultKind};

/// The value of a text; `refusal` is what its fault begins with.
pub(crate) fn parse(text: &str, refusal: &str) -> Result<Value, Fault> {
    parse_with(text, &Limits::default(), refusal)
}

/// The value of a text that is the program's own, within the limits of what a mesh carries.
pub(crate) fn parse_with(text: &str, limits: &Limits, refusal: &str) -> Result<Value, Fault> {
    json::parse_with(text.as_bytes(), limits).map_err(|reason| Fault::json(refusal, &reason))
}

/// What a text describes; `what` is what it is called, in the plural. A fault names a member, never its value.
pub(crate) fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Fault> {
    made_of(&parse(text, &format!("{what} are no JSON"))?, what)
}

/// The same, of options, each of which may be left out: the fault names the one that does not fit.
pub(crate) fn read_options<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Fault> {
    let value = object(text, what)?;
    made_of(&value, what).map_err(|fault| {
        let members = value.view().as_object();
        let mut members = members.iter().flat_map(|members| members.iter());
        let alone = |(name, member): (&str, View<'_>)| {
            let one = Value::object().put(name, member.to_value()).build();
            let refused = one.deserialize::<T>().err()?;
            Some(Fault::new(
                FaultKind::Invalid,
                format!("{what}: `{name}`: {refused}"),
            ))
        };
        members.find_map(alone).unwrap_or(fault)
    })
}

/// The same, of an object.
pub(crate) fn read_object<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Fault> {
    made_of(&object(text, what)?, what)
}

fn object(text: &str, what: &str) -> Result<Value, Fault> {
    let value = parse(text, &format!("{what} are no JSON"))?;
    if value.view().as_object().is_none() {
        return Err(Fault::new(
            FaultKind::Invalid,
            format!("{what}: an object is needed"),
        ));
    }
    Ok(value)
}

fn made_of<T: DeserializeOwned>(value: &Value, what: &str) -> Result<T, Fault> {
    value
        .deserialize()
        .map_err(|reason| Fault::new(FaultKind::Invalid, format!("{what}: {reason}")))
}
