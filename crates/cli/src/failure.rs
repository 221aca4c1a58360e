//! Why the command ends early: one sentence with its remedy, and the exit code.

use toolmesh::{
    assemble::{AssembleError, EndpointError, MeshError},
    config::{ConfigError, ListenError},
    mcp::{BindError, ServeError},
    mesh_keys::KeysError,
    tool::{CallError, ContentBlock, Outcome, ToolResult},
};

use crate::exit_code::ExitCode;

/// Why the command ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line does not say what is needed.
    #[error("{0}")]
    Usage(String),
    /// Something other than a source cannot be read.
    #[error("{what} cannot be read: {reason}")]
    Unreadable { what: String, reason: String },
    /// The arguments of a call are none.
    #[error("{}", indented(.0))]
    BadArguments(String),
    /// There is no such tool.
    #[error("there is no tool `{name}`{hint}; `toolmesh tools` lists what there is")]
    NoSuchTool { name: String, hint: String },
    /// The tool itself said no; the text is its own.
    #[error("{}", indented(.0))]
    ToolSaidNo(String),
    /// The call did not come to a result.
    #[error("{}", indented(&.0.to_string()))]
    Call(CallError),
    /// The call wants to ask something, and nobody can answer here.
    #[error(
        "the tool was not run: it needs a confirmation or an input, which this command cannot give; call it through an MCP client, or change `confirmation` in [policy]"
    )]
    InputRequired,
    /// Sources could not be put together.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    /// Keys of a mesh could not be made.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// Sources were not open when the time of the call was over.
    #[error(
        "the source was not open after {timeout:?}, the time of the whole call; give it more with --timeout, or check that its node answers"
    )]
    OpeningTookTooLong { timeout: std::time::Duration },
    /// The endpoint cannot be set up as the configuration says.
    #[error("{}", with_cause(.0))]
    Endpoint(#[from] EndpointError),
    /// The endpoint could not be bound.
    #[error("{}", bind_sentence(.0))]
    Bind(#[from] BindError),
    /// Serving ended early.
    #[error("{}", with_cause(.0))]
    Serve(#[from] ServeError),
    /// The system refused something that this process needs.
    #[error("{what}: {reason}")]
    System {
        what: &'static str,
        reason: std::io::Error,
    },
}

impl Failure {
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self::Usage(sentence.into())
    }

    /// How the command ends with it.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::Usage,
            Self::Unreadable { .. } | Self::NoSuchTool { .. } => ExitCode::NotFound,
            Self::BadArguments(_) | Self::ToolSaidNo(_) => ExitCode::Failed,
            Self::Call(error) => call_code(error),
            Self::InputRequired => ExitCode::Refused,
            Self::Assemble(error) => error.kind().into(),
            Self::Keys(KeysError::Name(_) | KeysError::Taken(_) | KeysError::NoFolder(_)) => ExitCode::Usage,
            Self::Keys(_) => ExitCode::LocalResource,
            Self::OpeningTookTooLong { .. } => ExitCode::Unreachable,
            Self::Bind(BindError::HostsMissing { .. } | BindError::AuthMissing { .. })
            | Self::Endpoint(_) => ExitCode::Usage,
            Self::Bind(_) | Self::Serve(_) | Self::System { .. } => ExitCode::LocalResource,
        }
    }

    /// What an outcome without a result means here; `None` for one with a result.
    pub(crate) fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Completed(result) if result.is_error => Some(Self::ToolSaidNo(said(result))),
            Outcome::InputRequired(_) => Some(Self::InputRequired),
            Outcome::Failed(CallError::InputUnavailable) => Some(Self::InputRequired),
            _ => None,
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::InvalidArguments(result) => Self::BadArguments(result.joined_text()),
            CallError::InputUnavailable => Self::InputRequired,
            error => Self::Call(error),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Assemble(error.into())
    }
}

impl From<MeshError> for Failure {
    fn from(error: MeshError) -> Self {
        Self::Assemble(error.into())
    }
}

impl From<ListenError> for Failure {
    fn from(error: ListenError) -> Self {
        Self::Usage(error.to_string())
    }
}

fn call_code(error: &CallError) -> ExitCode {
    match error {
        CallError::UnknownTool | CallError::NotFound(_) => ExitCode::NotFound,
        CallError::PolicyRefused(_)
        | CallError::AdmissionRefused(_)
        | CallError::MissingCapability(_)
        | CallError::InputUnavailable
        | CallError::RateLimited { .. } => ExitCode::Refused,
        CallError::Unreachable(_) | CallError::HostLost(_) => ExitCode::Unreachable,
        _ => ExitCode::Failed,
    }
}

/// The text of a result without the repetition of its structured content.
/// A text of a stranger: its further lines cannot be taken for lines of this command.
fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

fn said(result: &ToolResult) -> String {
    let repeated = result.structured.as_ref().map(|value| value.to_text());
    let texts = result.content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) if Some(&text.text) != repeated.as_ref() => Some(text.text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    // A tool that says nothing in words has said it in its structured content.
    if texts.is_empty() {
        repeated.unwrap_or_else(|| "the tool failed without a word".to_owned())
    } else {
        texts.join("\n")
    }
}

fn bind_sentence(error: &BindError) -> String {
    match error {
        BindError::HostsMissing { address } => format!(
            "{address} can be reached from other machines; say under which names in `hosts` of [server] (TOOLMESH_SERVER_HOSTS), or listen at 127.0.0.1"
        ),
        BindError::AuthMissing { address } => format!(
            "{address} can be reached from other machines, and nobody would have to say who he is; set TOOLMESH_HTTP_TOKEN, `tokens_file` or `oauth_issuer` in [server], or say --anonymous"
        ),
        error => with_cause(error),
    }
}

fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error} ({cause})"),
        None => error.to_string(),
    }
}
