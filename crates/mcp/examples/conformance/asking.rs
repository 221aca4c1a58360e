//! Tools that ask the client while they run, as the revisions with a handshake know it.

use toolmesh_tool::{
    CallContext, InputDeclaration, InputKind, InputRequest, InputRequired, Outcome, Tool, ToolBuilder,
    ToolResult,
    json::{self, Value, View},
    schema::Profile,
};

use super::{Tools, running::plain};

/// A form with a default in every kind of field.
const DEFAULTS: &str = r#"{"type":"object","properties":{
    "name":{"type":"string","description":"Name","default":"John Doe"},
    "age":{"type":"integer","description":"Age","default":30},
    "score":{"type":"number","description":"Score","default":95.5},
    "status":{"type":"string","description":"Status","enum":["active","inactive","pending"],"default":"active"},
    "verified":{"type":"boolean","description":"Verified","default":true}},"required":[]}"#;

/// A form with every way to choose.
const CHOICES: &str = r#"{"type":"object","properties":{
    "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
    "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
        {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
    "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],
        "enumNames":["Option One","Option Two","Option Three"]},
    "untitledMulti":{"type":"array","minItems":1,"maxItems":3,
        "items":{"type":"string","enum":["option1","option2","option3"]}},
    "titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[
        {"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},
        {"const":"value3","title":"Third Choice"}]}}},"required":[]}"#;

const RESPONSE: &str = r#"{"type":"object","properties":{"response":{"type":"string",
    "description":"The answer"}},"required":["response"]}"#;

/// Under which key these tools ask.
const KEY: &str = "asked";

pub(crate) fn tools() -> Tools {
    let form = InputDeclaration::conditional(InputKind::ElicitationForm);
    let sampling = InputDeclaration::conditional(InputKind::Sampling);
    let asks = |name, description, message: &'static str, schema: &'static str| {
        plain(name, description, move |context| {
            std::future::ready(elicited(&context, "Elicitation completed", message, schema))
        })
        .input_request(form)
    };
    [
        text_tool(
            "test_sampling",
            "Lets the client's model answer",
            "prompt",
            sampled,
        )
        .input_request(sampling),
        text_tool(
            "test_elicitation",
            "Asks the client's user",
            "message",
            |context, message| elicited(context, "User response", message, RESPONSE),
        )
        .input_request(form),
        asks(
            "test_elicitation_sep1034_defaults",
            "Asks with defaults",
            "Please review and update the form fields with defaults",
            DEFAULTS,
        ),
        asks(
            "test_elicitation_sep1330_enums",
            "Asks to choose",
            "Please select options from the enum fields",
            CHOICES,
        ),
        asks(
            "test_streaming_elicitation",
            "Asks once",
            "Please answer",
            RESPONSE,
        ),
    ]
    .into_iter()
    .map(ToolBuilder::build)
    .collect()
}

/// A tool with one text as its argument.
fn text_tool(
    name: &str,
    description: &str,
    argument: &'static str,
    run: impl Fn(&CallContext, &str) -> Outcome + Send + Sync + 'static,
) -> ToolBuilder {
    let schema = Value::object()
        .put("type", "object")
        .put(
            "properties",
            Value::object().put(argument, Value::object().put("type", "string")),
        )
        .put("required", Value::array().push(argument))
        .build();
    Tool::with_name(name)
        .input_schema(schema, Profile::Profile1)
        .handler(move |context: CallContext, arguments: Value| {
            let text = arguments.get(argument).and_then(View::as_str).unwrap_or_default();
            std::future::ready(run(&context, text))
        })
        .description(description)
}

fn sampled(context: &CallContext, prompt: &str) -> Outcome {
    match answer(context, KEY) {
        None => InputRequired::one(KEY, sampling(prompt, 100)).into(),
        Some(answer) => {
            let text = answer.pointer("/content/text").and_then(View::as_str);
            ToolResult::text(format!("LLM response: {}", text.unwrap_or("none"))).into()
        }
    }
}

fn elicited(context: &CallContext, said: &str, message: &str, schema: &str) -> Outcome {
    match answer(context, KEY) {
        None => InputRequired::one(KEY, form(message, schema)).into(),
        Some(answer) => {
            let action = answer.get("action").and_then(View::as_str).unwrap_or_default();
            let content = answer
                .get("content")
                .map_or_else(|| "{}".to_owned(), View::to_text);
            ToolResult::text(format!("{said}: action={action}, content={content}")).into()
        }
    }
}

/// The client's answer under a key.
pub(crate) fn answer<'a>(context: &'a CallContext, key: &str) -> Option<View<'a>> {
    context.input_responses()?.get(key)
}

/// A form.
pub(crate) fn form(message: &str, schema: &str) -> InputRequest {
    InputRequest::Elicitation {
        message: message.to_owned(),
        schema: json::parse(schema.as_bytes()).unwrap_or_default(),
    }
}

/// A question to the client's model.
pub(crate) fn sampling(prompt: &str, tokens: u32) -> InputRequest {
    let content = Value::object().put("type", "text").put("text", prompt);
    let message = Value::object().put("role", "user").put("content", content);
    InputRequest::Sampling(
        Value::object()
            .put("messages", Value::array().push(message))
            .put("maxTokens", tokens)
            .build(),
    )
}
