//! What several tests need.

use toolmesh_tool::{
    CallError, CallRequest, Caller, Dispatcher, Outcome, Prefix, Tool, ToolResult, Toolbox, Transport,
    dispatcher::DispatcherBuilder,
    json::{Value, parse},
    schema::Profile,
};

pub(crate) fn json(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}

pub(crate) fn caller() -> Caller {
    Caller::anonymous(Transport::InProcess)
}

/// `echo {"message": string}` gives its message back as text.
pub(crate) fn echo() -> Tool {
    Tool::with_name("echo")
        .input_schema(
            json(
                r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}"#,
            ),
            Profile::Profile1,
        )
        .handler(|_, arguments| async move {
            ToolResult::text(arguments.view().get("message").and_then(|text| text.as_str()).unwrap_or_default())
        })
        .build()
        .unwrap()
}

pub(crate) fn toolbox(tools: Vec<Tool>) -> Toolbox {
    let toolbox = Toolbox::new();
    toolbox
        .mount("test", Prefix::None)
        .unwrap()
        .replace(tools)
        .unwrap();
    toolbox
}

pub(crate) fn builder(tools: Vec<Tool>) -> DispatcherBuilder {
    Dispatcher::builder(toolbox(tools))
}

pub(crate) fn request(tool: &str, arguments: &str) -> CallRequest {
    CallRequest::new(tool, json(arguments), caller())
}

pub(crate) fn hello() -> CallRequest {
    request("echo", r#"{"message":"hello"}"#)
}

/// The text of a completed call.
pub(crate) fn text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Completed(result) => result.joined_text(),
        other => panic!("not completed: {other:?}"),
    }
}

/// The code of a failed call.
pub(crate) fn code(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Failed(error) => error.code(),
        other => panic!("not failed: {other:?}"),
    }
}

/// The text that an agent reads about its arguments.
pub(crate) fn argument_error(outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed(CallError::InvalidArguments(result)) => {
            assert!(result.is_error);
            result.joined_text()
        }
        other => panic!("arguments were not refused: {other:?}"),
    }
}
