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

    /// `None` when the call may go on, else how it ends or what is asked.
    pub(super) fn check(self, context: &CallContext, tool: &CatalogueTool) -> Option<Outcome> {
        if !self.asks(tool.tool()) {
            return None;
        }
        match answer(context) {
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
            None => Some(InputRequired::one(CONFIRMATION_KEY, question(tool)).into()),
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

fn question(tool: &CatalogueTool) -> InputRequest {
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
        message: format!("Run the tool `{}`?", tool.name()),
        schema,
    }
}
