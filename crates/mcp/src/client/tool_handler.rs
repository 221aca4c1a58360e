//! Calling a tool of an upstream server.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, Outcome, ToolHandler, ToolResult,
    schema::{MirroredHeader, MirroredType},
};

use super::{
    error::{ClientError, INVALID_PARAMS},
    limits::shortened,
    link::{Asks, Outgoing},
    read::tool_result,
    shared::Shared,
    turn::Turn,
};

/// Calls one tool.
pub(super) struct ToolCaller {
    pub(super) shared: Arc<Shared>,
    /// The name that the server knows.
    pub(super) name: String,
    /// Arguments that are repeated in headers.
    pub(super) mirrored: Vec<MirroredHeader>,
}

impl ToolHandler for ToolCaller {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match self.run(&context, arguments).await {
                Ok(outcome) => outcome,
                Err(error) => error.into(),
            }
        })
    }
}

impl ToolCaller {
    async fn run(&self, context: &CallContext, arguments: Value) -> Result<Outcome, CallError> {
        match self.shared.turn(context, self.request(arguments)).await? {
            Turn::Asked(input) => Ok(input.into()),
            Turn::Ended(ended) => self.ended(ended),
        }
    }

    fn request(&self, arguments: Value) -> Outgoing {
        let mut request = Outgoing::new("tools/call", Value::object().put("name", self.name.as_str()));
        request.mirrored = self
            .mirrored
            .iter()
            .filter_map(|header| mirror(header, arguments.view()))
            .collect();
        request.params = request.params.put("arguments", arguments);
        request.name = Some(self.name.clone());
        request.asks = Asks::Often;
        request
    }

    fn ended(&self, ended: Result<Value, ClientError>) -> Result<Outcome, CallError> {
        let read = ended.and_then(|result| tool_result(&result, &self.shared.prefixed));
        match read {
            Ok(result) => Ok(result.into()),
            // A server tells its caller so what to repair, and a tool error is how an agent learns of it.
            Err(ClientError::Answered(error)) if error.code == INVALID_PARAMS => {
                Ok(ToolResult::error_text(shortened(&error.message)).into())
            }
            Err(error) => Err(error.into_call_error()),
        }
    }
}

/// The argument's value as its header repeats it; `None` when the header must be absent.
fn mirror(header: &MirroredHeader, arguments: View<'_>) -> Option<(String, String)> {
    let mut value = arguments;
    for name in header.path() {
        value = value.get(name)?;
    }
    let text = match header.value_type() {
        MirroredType::String => value.as_str()?.to_owned(),
        MirroredType::Boolean => value.as_bool()?.to_string(),
        MirroredType::Integer => value.as_number()?.to_integer_text(MAX_INTEGER_CHARS)?,
    };
    Some((header.suffix().to_owned(), text))
}

/// Most characters of a repeated integer: 17, those of -9007199254740991; servers refuse others.
const MAX_INTEGER_CHARS: usize = 17;
