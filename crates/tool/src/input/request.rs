//! What the client is asked for.

use indexmap::IndexMap;
use toolmesh_json::{Value, View};

use super::InputKind;
use crate::ClientCapability;

/// Most requests in one [`InputRequired`]: more is no question to a person.
pub const MAX_INPUT_REQUESTS: usize = 64;

/// Most bytes of the key of a request.
pub const MAX_INPUT_KEY_BYTES: usize = 256;

/// Most bytes of an application-protected state.
pub const MAX_STATE_BYTES: usize = 65_536;

/// One thing that the client is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// Its user fills in a form.
    Elicitation {
        /// What the user is told.
        message: String,
        /// The form: a flat object schema (MCP `requestedSchema`); see [`super::check_form`]. The answer is not
        /// checked against it: the handler must.
        schema: Value,
    },
    /// Its user is sent to a page, for what must not pass through the client.
    ElicitationUrl {
        /// What the user is told.
        message: String,
        /// The page.
        url: String,
        /// Tells this request from others, for a client that is told later that it was completed.
        elicitation_id: String,
    },
    /// Its model completes a prompt; the object is MCP's `sampling/createMessage` params.
    Sampling(Value),
    /// It lists its roots.
    Roots,
}

impl InputRequest {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> InputKind {
        match self {
            Self::Elicitation { .. } => InputKind::ElicitationForm,
            Self::ElicitationUrl { .. } => InputKind::ElicitationUrl,
            Self::Sampling(_) => InputKind::Sampling,
            Self::Roots => InputKind::Roots,
        }
    }

    /// The client ability that this request needs.
    #[must_use]
    pub fn capability(&self) -> ClientCapability {
        self.kind().capability()
    }

    /// The MCP request: an object of `method` and, where it has some, `params`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let elicitation = |mode| Value::object().put("mode", mode);
        let (method, params) = match self {
            Self::Elicitation { message, schema } => {
                let params = elicitation("form").put("message", message);
                let params = params.put("requestedSchema", schema.clone());
                ("elicitation/create", Some(params.build()))
            }
            Self::ElicitationUrl {
                message,
                url,
                elicitation_id,
            } => {
                let params = elicitation("url").put("message", message).put("url", url);
                let params = params.put("elicitationId", elicitation_id);
                ("elicitation/create", Some(params.build()))
            }
            Self::Sampling(params) => ("sampling/createMessage", Some(params.clone())),
            Self::Roots => ("roots/list", None),
        };
        Value::object()
            .put("method", method)
            .put_opt("params", params)
            .build()
    }

    /// Reads the MCP request; `None` when it is none of these.
    #[must_use]
    pub fn from_value(value: View<'_>) -> Option<Self> {
        let params = value.get("params");
        let text = |name| params?.get(name)?.as_str().map(str::to_owned);
        Some(match value.get("method")?.as_str()? {
            "roots/list" => Self::Roots,
            "sampling/createMessage" => Self::Sampling(params?.to_value()),
            "elicitation/create" if text("mode").as_deref() == Some("url") => Self::ElicitationUrl {
                message: text("message")?,
                url: text("url")?,
                elicitation_id: text("elicitationId").unwrap_or_default(),
            },
            "elicitation/create" => Self::Elicitation {
                message: text("message")?,
                schema: params?.get("requestedSchema")?.to_value(),
            },
            _ => return None,
        })
    }
}

/// A call that goes on when the client answers: it is made again with the answers and the state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputRequired {
    /// What is asked, by key; the answers come back under the same keys.
    pub requests: IndexMap<String, InputRequest>,
    /// What the handler wants to know again; how it travels says the tool's [`crate::RequestStateMode`].
    pub state: Option<String>,
}

impl InputRequired {
    /// Asks for one thing under `key`.
    pub fn one(key: impl Into<String>, request: InputRequest) -> Self {
        Self {
            requests: IndexMap::from([(key.into(), request)]),
            state: None,
        }
    }

    /// Asks for one thing more.
    #[must_use]
    pub fn and(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.requests.insert(key.into(), request);
        self
    }

    /// Adds the state that comes back with the answers.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_form_of_the_protocol() {
        for text in [
            r#"{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object"}}}"#,
            r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://e","elicitationId":"i"}}"#,
            r#"{"method":"sampling/createMessage","params":{"maxTokens":1}}"#,
            r#"{"method":"roots/list"}"#,
        ] {
            let value = toolmesh_json::parse(text.as_bytes()).unwrap();
            let request = InputRequest::from_value(value.view()).unwrap();
            assert_eq!(request.to_value().to_text(), text);
        }
    }
}
