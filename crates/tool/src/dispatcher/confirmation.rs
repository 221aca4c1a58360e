//! Step 8: does a person have to say yes first?

use toolmesh_json::{Value, View};

use crate::{
    CallContext, CallError, CatalogueTool, ClientCapability, InputRequest, InputRequired, Outcome, Tool,
};

/// Which calls a person confirms before they run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// None.
    #[default]
    Never,
    /// Those of tools that may destroy something ([`crate::ToolAnnotations::may_destroy`]).
    Destructive,
    /// All.
    All,
}

/// The key under which the confirmation is asked and answered.
pub const CONFIRMATION_KEY: &str = "toolmesh.confirm";

impl Confirmation {
    /// Whether calls of the tool are confirmed.
    pub(super) fn asks(self, tool: &Tool) -> bool {
        match self {
            Self::Never => false,
            Self::Destructive => tool.annotations().may_destroy(),
            Self::All => true,
        }
    }

    /// `None` when the call may go on, else how it ends or what is asked. An answer counts only when it was `asked` for:
    /// when the call brought back the sealed state of an earlier round, which is bound to this tool and these arguments.
    pub(super) fn check(self, context: &CallContext, tool: &CatalogueTool, asked: bool) -> Option<Outcome> {
        if !self.asks(tool.tool()) {
            return None;
        }
        match answer(context).filter(|_| asked) {
            Some(Answer::Yes) => None,
            Some(Answer::No) => {
                Some(CallError::PolicyRefused("the call was not confirmed".to_owned()).into())
            }
            None if !context
                .front()
                .capabilities
                .has(&ClientCapability::ElicitationForm) =>
            {
                Some(CallError::InputUnavailable.into())
            }
            None => Some(InputRequired::one(CONFIRMATION_KEY, question(context, tool)).into()),
        }
    }
}

enum Answer {
    Yes,
    No,
}

fn answer(context: &CallContext) -> Option<Answer> {
    let response = context.input_responses()?.view().get(CONFIRMATION_KEY)?;
    let accepted = response.get("action").and_then(View::as_str) == Some("accept");
    let confirmed = response
        .get("content")
        .and_then(|content| content.get("confirm"))
        .and_then(View::as_bool);
    Some(if accepted && confirmed == Some(true) {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// Longest part of the arguments that a person is shown, in characters.
const MAX_SHOWN_CHARS: usize = 2_000;

fn question(context: &CallContext, tool: &CatalogueTool) -> InputRequest {
    let confirm = Value::object()
        .put("type", "boolean")
        .put("title", "Run it")
        .put("default", false);
    let schema: Value = Value::object()
        .put("type", "object")
        .put("properties", Value::object().put("confirm", confirm))
        .put("required", Value::array().push("confirm"))
        .build();
    InputRequest::Elicitation {
        message: format!(
            "Run the tool `{}` with {}?",
            tool.name(),
            shown(&context.raw_arguments().to_text())
        ),
        schema,
    }
}

/// The text of the arguments, or its beginning when it is long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!(
            "{} ... ({} bytes in all)",
            text.get(..end).unwrap_or_default(),
            text.len()
        ),
    }
}
