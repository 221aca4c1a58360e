//! Tools as a model provider accepts them today, and what the model answers.

use std::str::FromStr;

use serde::Deserialize;
use toolmesh::{
    json::Value,
    provider::{self, Format, Options, Reply, StreamItem, ToolCallSpec},
    tool::{ToolDescriptor, ToolResult},
};

use crate::{
    Fault, FaultKind,
    descriptor::read_descriptor,
    text::{parse, read},
};

/// Tools translated as a whole for one provider: names that it allows, schemas that it takes, and the way back.
#[derive(Debug)]
pub struct Toolset(provider::Toolset);

/// What one call came to, as JSON says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    /// The tool's own identifier.
    name: String,
    /// The provider's id of the call.
    #[serde(default)]
    call_id: Option<String>,
    /// The result, or with `is_error` the text of the failure.
    result: Value,
    #[serde(default)]
    is_error: bool,
}

impl Toolset {
    /// Translates tools (a JSON array of descriptors) for `openai`, `openai-responses`, `anthropic`, `gemini` or `mcp`.
    ///
    /// # Errors
    /// [`FaultKind::Invalid`] for the word or a descriptor, [`FaultKind::Json`].
    pub fn translate(provider: &str, descriptors: &str) -> Result<Self, Fault> {
        let format =
            Format::from_str(provider).map_err(|reason| Fault::because(FaultKind::Invalid, &reason))?;
        let tools = descriptors_from(descriptors)?;
        let options = Options::default();
        Ok(Self(provider::Toolset::translate(
            format.provider(),
            tools,
            &options,
        )))
    }

    /// What to send as the request's tools: a JSON array.
    #[must_use]
    pub fn tools(&self) -> String {
        self.0.tools().to_text()
    }

    /// What was changed or could not be carried over: a JSON array of `{"tool", "place", "message"}`.
    #[must_use]
    pub fn warnings(&self) -> String {
        let warnings = self.0.warnings().iter().map(|warning| {
            Value::object()
                .put("tool", warning.tool.as_str())
                .put("place", warning.place.as_str())
                .put("message", warning.to_string())
                .build()
        });
        warnings.collect::<Value>().to_text()
    }

    /// The calls in a model's whole reply (a response, a message, or the list of calls): a JSON array of `{"name",
    /// "arguments", "call_id"}`, or `{"name", "call_id", "error"}` for a call that cannot be made.
    ///
    /// # Errors
    /// [`FaultKind::Json`] when the reply is no JSON; [`FaultKind::Invalid`] when it is no reply in the provider's form, or says
    /// that the service failed: a reply without calls ends a turn, and these do not.
    pub fn calls(&self, reply: &str) -> Result<String, Fault> {
        let reply = parse(reply, "the reply is no JSON")?;
        let calls = self.0.calls(reply.view());
        let calls = calls.map_err(|foreign| Fault::because(FaultKind::Invalid, &foreign))?;
        let told: Vec<Value> = calls.iter().map(call).collect::<Result<_, _>>()?;
        Ok(Value::from(told).to_text())
    }

    /// The results of a turn as the messages that go back to the model: a JSON array. `replies` is a JSON array of
    /// `{"name", "call_id", "result"}`, with `"is_error": true` where `result` is the text of a failure.
    ///
    /// # Errors
    /// [`FaultKind::Json`] and [`FaultKind::Invalid`] for the replies.
    pub fn messages(&self, replies: &str) -> Result<String, Fault> {
        let replies: Vec<Answered> = read(replies, "the replies")?;
        let replies: Vec<Reply> = replies.into_iter().map(Answered::into_reply).collect();
        Ok(self.0.messages(&replies).into_iter().collect::<Value>().to_text())
    }
}

impl Answered {
    fn into_reply(self) -> Reply {
        let result = if self.is_error {
            let text = self.result.view().as_str().map(str::to_owned);
            ToolResult::error_text(text.unwrap_or_else(|| self.result.to_text()))
        } else {
            ToolResult::structured(self.result)
        };
        Reply {
            name: self.name,
            call_id: self.call_id,
            result,
        }
    }
}

fn call(item: &StreamItem) -> Result<Value, Fault> {
    let told = match item {
        Ok(ToolCallSpec {
            name,
            arguments_json,
            provider_call_id,
        }) => {
            let arguments = parse(arguments_json, "the arguments are no JSON")?;
            Value::object()
                .put("name", name.as_str())
                .put("arguments", arguments)
                .put_opt("call_id", provider_call_id.as_deref())
        }
        Err(failed) => Value::object()
            .put("name", failed.name.as_str())
            .put_opt("call_id", failed.provider_call_id.as_deref())
            .put("error", failed.fault.to_string()),
    };
    Ok(told.build())
}

fn descriptors_from(text: &str) -> Result<Vec<ToolDescriptor>, Fault> {
    let value = parse(text, "the descriptors are no JSON")?;
    let Some(items) = value.view().as_array() else {
        return Err(Fault::new(
            FaultKind::Json,
            "the descriptors have to be a JSON array",
        ));
    };
    items.iter().map(read_descriptor).collect()
}
