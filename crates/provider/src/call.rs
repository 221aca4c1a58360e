//! Calls as providers say them, before they are lowered.

use toolmesh_json::{Value, View};

use crate::provider::Provider;
use crate::spec::{ToolCallParseError, ToolCallSpec};

/// A call as the provider said it.
#[derive(Debug, Clone)]
pub(crate) struct RawCall {
    pub(crate) name: String,
    pub(crate) arguments: RawArguments,
    pub(crate) id: Option<String>,
}

/// The arguments of a call as the provider said them.
#[derive(Debug, Clone)]
pub(crate) enum RawArguments {
    /// JSON text in a string.
    Text(String),
    /// A JSON value.
    Value(Value),
    /// None were said.
    Absent(&'static str),
}

impl RawCall {
    /// The call as it was said: nothing is renamed, nothing changed.
    pub(crate) fn into_spec(self) -> Result<ToolCallSpec, ToolCallParseError> {
        let arguments_json = match self.arguments {
            RawArguments::Text(text) => {
                parse_arguments(&text)?;
                text
            }
            RawArguments::Value(value) => value.to_text(),
            RawArguments::Absent(field) => return Err(ToolCallParseError::MissingField(field)),
        };
        Ok(ToolCallSpec {
            name: self.name,
            arguments_json,
            provider_call_id: self.id,
        })
    }
}

pub(crate) fn parse_arguments(text: &str) -> Result<Value, ToolCallParseError> {
    toolmesh_json::parse(text.as_bytes())
        .map_err(|error| ToolCallParseError::InvalidArgumentsJson(error.to_string()))
}

/// Why a model's call cannot be made. The texts are meant for the model, which may repair the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallFault {
    /// The reply is not in the provider's form.
    #[error("{0}")]
    Parse(#[from] ToolCallParseError),
    /// There is no such tool in the toolset.
    #[error("there is no tool `{0}`; call one of the tools that were offered")]
    UnknownTool(String),
    /// The provider ended the reply before the call was whole.
    #[error(
        "the call was cut off before its arguments were complete ({0}); make it again, with shorter arguments if it was too long"
    )]
    Truncated(String),
    /// The arguments, or the calls of one reply, are beyond a bound.
    #[error("the call is too large: {0}")]
    TooLarge(String),
}

/// A call that cannot be made, with what is known of it: enough to answer the model under the call's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct FailedCall {
    /// The tool's name as the model said it; empty when it said none.
    pub name: String,
    /// The provider's id of the call.
    pub provider_call_id: Option<String>,
    /// Why.
    #[source]
    pub fault: CallFault,
}

/// A reply that is not in the provider's form: another provider's, an error of the service, or none at all. It is not a reply
/// without calls: a program that takes it for one ends its turn where it should try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no reply in the form of `{provider}`: {}", provider.reply_form())]
pub struct ForeignReply {
    pub(crate) provider: Provider,
}

/// A member that is there; null stands for one that is not, as the providers' own libraries write it.
pub(crate) fn member<'a>(holder: View<'a>, name: &str) -> Option<View<'a>> {
    holder.get(name).filter(|found| !found.is_null())
}

/// Whether a reply says that the service failed.
pub(crate) fn is_error(reply: View<'_>) -> bool {
    member(reply, "error").is_some() || type_of(reply) == Some("error")
}

/// The word in the member `type`.
pub(crate) fn type_of(holder: View<'_>) -> Option<&str> {
    holder.get("type").and_then(View::as_str)
}

/// The items of a list, where there is one and each is in the form.
pub(crate) fn all<'a>(list: View<'a>, is_in_form: impl Fn(View<'a>) -> bool) -> Option<Vec<View<'a>>> {
    let items: Vec<View<'a>> = list.as_array()?.iter().collect();
    items.iter().all(|item| is_in_form(*item)).then_some(items)
}

pub(crate) fn object<'a>(holder: View<'a>, name: &'static str) -> Result<View<'a>, ToolCallParseError> {
    let found = holder.get(name).ok_or(ToolCallParseError::MissingField(name))?;
    found
        .as_object()
        .map(|_| found)
        .ok_or(ToolCallParseError::WrongType {
            field: name,
            expected: "an object",
        })
}

pub(crate) fn text<'a>(
    holder: View<'a>,
    name: &str,
    field: &'static str,
) -> Result<&'a str, ToolCallParseError> {
    let found = holder.get(name).ok_or(ToolCallParseError::MissingField(field))?;
    found.as_str().ok_or(ToolCallParseError::WrongType {
        field,
        expected: "a string",
    })
}

pub(crate) fn optional_text(holder: View<'_>, name: &str) -> Option<String> {
    holder.get(name).and_then(View::as_str).map(str::to_owned)
}

pub(crate) fn value(holder: View<'_>, name: &'static str) -> RawArguments {
    match holder.get(name) {
        Some(found) => RawArguments::Value(found.to_value()),
        None => RawArguments::Absent(name),
    }
}
