//! The client of the `rmcp` crate.

use std::{
    pin::pin,
    sync::{Arc, Mutex},
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
        ElicitResult, ElicitationAction, ElicitationCapability, FormElicitationCapability, Implementation,
        ProgressNotificationParam, ProtocolVersion,
    },
    service::{NotificationContext, RequestContext, RunningService},
    transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolmesh_testkit::{CallResult, Session, Step};

use super::{Chain, HANDSHAKE, KEY_VARIABLE, PUBLIC_KEY_OF_NOBODY, STATELESS, yes};
use crate::support::TOOLMESH;

/// The person behind the client, who says yes and hears of progress.
struct Person {
    asked: Arc<Mutex<Vec<String>>>,
    progress: mpsc::UnboundedSender<String>,
}

impl ClientHandler for Person {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.asked.lock().unwrap().push(message);
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(yes()))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        // Nobody listens any more when the session is over.
        let _ = self.progress.send(params.message.unwrap_or_default());
    }

    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let forms = ElicitationCapability::new().with_form(FormElicitationCapability::new());
        capabilities.elicitation = Some(forms);
        ClientConfig::new(capabilities, Implementation::new("toolmesh-testkit", "0.0.0"))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }
}

fn lifecycle(revision: &str) -> ClientLifecycleMode {
    if revision == HANDSHAKE {
        return ClientLifecycleMode::Initialize;
    }
    ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    }
}

/// Has a session over the transport that `connect` makes.
fn session<T, E, A>(connect: impl FnOnce() -> T, revision: &str, steps: &[Step]) -> Session
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (sender, mut progress) = mpsc::unbounded_channel();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let person = Person {
            asked: Arc::clone(&asked),
            progress: sender,
        };
        let client = person.serve_with_lifecycle(connect(), lifecycle(revision));
        let client = client.await.unwrap();
        let peer = json!(client.peer_info().unwrap());
        let tools = client.list_all_tools().await.unwrap();
        let (mut results, mut told) = (Vec::new(), Vec::new());
        for step in steps {
            let (result, progress) = perform(&client, step, &mut progress).await;
            results.push(result);
            told.push(progress);
        }
        client.cancel().await.unwrap();
        Session {
            protocol: peer["protocolVersion"].as_str().unwrap().to_owned(),
            server: peer["serverInfo"].clone(),
            tools: tools.iter().map(|tool| json!(tool)).collect(),
            results,
            progress: told,
            asked: asked.lock().unwrap().clone(),
        }
    })
}

/// Calls, and gives the call up when the step says so; a call that is dropped is cancelled.
async fn perform(
    client: &RunningService<RoleClient, Person>,
    step: &Step,
    progress: &mut mpsc::UnboundedReceiver<String>,
) -> (CallResult, Vec<String>) {
    let arguments = step.arguments.as_object().cloned().unwrap_or_default();
    let params = CallToolRequestParams::new(step.tool.clone()).with_arguments(arguments);
    let mut told = Vec::new();
    let mut call = pin!(client.call_tool(params));
    let result = loop {
        tokio::select! {
            Some(message) = progress.recv() => {
                let enough = step.cancel.as_ref().is_some_and(|text| message.contains(text));
                told.push(message);
                if enough {
                    break CallResult::Cancelled;
                }
            }
            result = &mut call => break ended(result),
        }
    };
    while let Ok(message) = progress.try_recv() {
        told.push(message);
    }
    (result, told)
}

fn ended(result: Result<CallToolResult, ServiceError>) -> CallResult {
    match result {
        Ok(result) => {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            CallResult::Answered {
                is_error: result.is_error == Some(true),
                text: texts.map(|text| text.text.clone()).collect(),
                structured: result.structured_content.unwrap_or(Value::Null),
            }
        }
        Err(ServiceError::McpError(error)) => CallResult::Refused {
            code: error.code.0.into(),
            message: error.message.into_owned(),
        },
        Err(error) => panic!("the client failed: {error}"),
    }
}

#[track_caller]
fn on_stdio(revision: &str) {
    let chain = Chain::start();
    let start = || {
        let mut command = tokio::process::Command::new(TOOLMESH);
        command
            .args(chain.arguments())
            .env(KEY_VARIABLE, PUBLIC_KEY_OF_NOBODY);
        TokioChildProcess::new(command).unwrap()
    };
    chain.converse(revision, |steps| session(start, revision, steps));
}

#[track_caller]
fn over_http(revision: &str) {
    let chain = Chain::start();
    let server = chain.serve();
    let connect = || StreamableHttpClientTransport::from_uri(server.url());
    chain.converse(revision, |steps| session(connect, revision, steps));
}

#[test]
fn the_rmcp_client_has_it_on_stdio_after_a_handshake() {
    on_stdio(HANDSHAKE);
}

#[test]
fn the_rmcp_client_has_it_on_stdio_without_a_handshake() {
    on_stdio(STATELESS);
}

#[test]
fn the_rmcp_client_has_it_over_http_after_a_handshake() {
    over_http(HANDSHAKE);
}

#[test]
fn the_rmcp_client_has_it_over_http_without_a_handshake() {
    over_http(STATELESS);
}
