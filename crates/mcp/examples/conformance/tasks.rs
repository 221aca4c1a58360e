//! Tools whose calls become tasks.

use std::time::Duration;

use toolmesh_tool::{
    CallContext, CallError, HandlerError, InputDeclaration, InputKind, InputRequired, Outcome, Resumption,
    TaskMode, Tool, ToolBuilder, ToolResult,
    json::{self, Value, View},
    schema::Profile,
};

use super::{
    Tools,
    asking::{answer, form},
    rounds::{NAME_FORM, field},
    running::plain,
};

const GREET: &[u8] = br#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
const COMPUTE: &[u8] = br#"{"type":"object","properties":{
    "seconds":{"type":"integer","minimum":0,"maximum":600},"label":{"type":"string"}}}"#;
const DELETE: &[u8] = br#"{"type":"object","properties":{"filename":{"type":"string"}}}"#;
const CONFIRM_FORM: &str =
    r#"{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}"#;

pub(crate) fn tools() -> Tools {
    let asks = InputDeclaration::conditional(InputKind::ElicitationForm);
    [
        takes("greet", "Greets at once", GREET, |_, arguments| async move {
            ToolResult::text(format!("Hello, {}!", text(&arguments, "name")))
        }),
        takes(
            "slow_compute",
            "Takes its time",
            COMPUTE,
            |context, arguments| async move {
                if context.can_create_task() && seconds(&arguments) > 0 {
                    return match context.create_task(None).await {
                        Ok(id) => Outcome::TaskCreated(id),
                        Err(error) => error.into(),
                    };
                }
                compute(context, arguments).await.into()
            },
        )
        .tasks(TaskMode::Allowed)
        .resume(|context: CallContext, resumption: Resumption| compute(context, resumption.arguments)),
        plain("failing_job", "Says no after a second", |_| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ToolResult::error_text("The job failed, as it always does")
        })
        .tasks(TaskMode::Required),
        plain("protocol_error_job", "Breaks", |_| async {
            Err::<ToolResult, _>(CallError::from(HandlerError::new("it broke, as it always does")))
        })
        .tasks(TaskMode::Required),
        takes(
            "confirm_delete",
            "Asks before it deletes",
            DELETE,
            |context, arguments| async move {
                let said = answer(&context, "confirm").and_then(|said| said.pointer("/content/confirm"));
                match said.and_then(View::as_bool) {
                    Some(true) => {
                        ToolResult::text(format!("Deleted {}", text(&arguments, "filename"))).into()
                    }
                    Some(false) => ToolResult::text("Kept").into(),
                    None => Outcome::from(InputRequired::one(
                        "confirm",
                        form("Really delete it?", CONFIRM_FORM),
                    )),
                }
            },
        )
        .input_request(asks)
        .tasks(TaskMode::Required),
        plain("multi_input", "Asks two things at once", |context| async move {
            match (
                field(&context, "first", "name"),
                field(&context, "second", "name"),
            ) {
                (Some(first), Some(second)) => ToolResult::text(format!("{first} and {second}")).into(),
                _ => Outcome::from(
                    InputRequired::one("first", form("The first name?", NAME_FORM))
                        .and("second", form("The second name?", NAME_FORM)),
                ),
            }
        })
        .input_request(asks)
        .tasks(TaskMode::Required),
        plain(
            "test_tool_with_task",
            "Asks, then goes on in a task",
            |context| async move {
                let Some(name) = field(&context, "user_name", "name") else {
                    return InputRequired::one("user_name", form("What is your name?", NAME_FORM)).into();
                };
                match context.create_task(Some(name.to_owned())).await {
                    Ok(id) => Outcome::TaskCreated(id),
                    Err(error) => error.into(),
                }
            },
        )
        .input_request(asks)
        .tasks(TaskMode::Allowed)
        .resume(|_: CallContext, resumption: Resumption| async move {
            ToolResult::text(format!("Hello, {}!", resumption.checkpoint.unwrap_or_default()))
        }),
    ]
    .into_iter()
    .map(ToolBuilder::build)
    .collect()
}

fn takes<F, Fut>(name: &str, description: &str, schema: &[u8], run: F) -> ToolBuilder
where
    F: Fn(CallContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    Tool::with_name(name)
        .input_schema(json::parse(schema).unwrap_or_default(), Profile::Profile1)
        .handler(run)
        .description(description)
}

async fn compute(context: CallContext, arguments: Value) -> Result<ToolResult, CallError> {
    tokio::select! {
        () = context.cancellation().cancelled() => Err(CallError::Cancelled),
        () = tokio::time::sleep(Duration::from_secs(seconds(&arguments))) => {
            Ok(ToolResult::text(format!("Computed {}", text(&arguments, "label"))))
        }
    }
}

fn seconds(arguments: &Value) -> u64 {
    arguments
        .get("seconds")
        .and_then(View::as_u64)
        .unwrap_or_default()
}

fn text<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(View::as_str).unwrap_or_default()
}
