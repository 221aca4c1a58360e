//! Texts of JSON that come from the other language.

use serde::de::DeserializeOwned;
use toolmesh::json::{self, Value};

use crate::{Fault, FaultKind};

/// The value of a text; `refusal` is what its fault begins with.
pub(crate) fn parse(text: &str, refusal: &str) -> Result<Value, Fault> {
    json::parse(text.as_bytes()).map_err(|reason| Fault::json(refusal, &reason))
}

/// What a text describes; `what` is what it is called, in the plural. A fault names a member, never its value.
pub(crate) fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Fault> {
    made_of(&parse(text, &format!("{what} are no JSON"))?, what)
}

/// The same, of an object.
pub(crate) fn read_object<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Fault> {
    let value = parse(text, &format!("{what} are no JSON"))?;
    if value.view().as_object().is_none() {
        return Err(Fault::new(
            FaultKind::Invalid,
            format!("{what}: an object is needed"),
        ));
    }
    made_of(&value, what)
}

fn made_of<T: DeserializeOwned>(value: &Value, what: &str) -> Result<T, Fault> {
    value
        .deserialize()
        .map_err(|reason| Fault::new(FaultKind::Invalid, format!("{what}: {reason}")))
}
