//! An HTTP server that answers by a script.

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::BoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use toolmesh_json::{Value, View};
use toolmesh_mcp::UpstreamOptions;
use toolmesh_tool::{Prefix, SourceError};

use super::support::Gateway;
use crate::stdio_client::PATIENCE;

/// What a script sees of a request.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) http_method: String,
    pub(super) method: String,
    pub(super) headers: http::HeaderMap,
    pub(super) body: Value,
}

/// What it answers: status, headers, body.
pub(super) type Reply = (u16, Vec<(&'static str, String)>, String);

/// A server that answers by a script.
pub(super) struct Script {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Script {
    pub(super) async fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (answer, record) = (Arc::new(answer), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, record) = (Arc::clone(&answer), Arc::clone(&record));
                let service = service_fn(move |request: Request<Incoming>| {
                    let (answer, record) = (Arc::clone(&answer), Arc::clone(&record));
                    async move {
                        let seen = seen_of(request).await;
                        record.lock().expect("not poisoned").push(seen.clone());
                        Ok::<_, Infallible>(response(answer(&seen)))
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { url, seen }
    }

    pub(super) async fn gateway(&self, revision: &str) -> Result<Gateway, SourceError> {
        let options = UpstreamOptions::default()
            .revision(revision)
            .header("Authorization", "Bearer t")
            .timeout(Duration::from_secs(10));
        Gateway::to(&self.url, options, Prefix::None).await
    }

    /// The requests of this method so far.
    pub(super) fn seen(&self, method: &str) -> Vec<Seen> {
        let seen = self.seen.lock().expect("not poisoned");
        seen.iter()
            .filter(|seen| seen.method == method)
            .cloned()
            .collect()
    }

    /// Waits until so many requests of this method have come.
    pub(super) async fn has_seen(&self, method: &str, count: usize) {
        let seen = async {
            while self.seen(method).len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, seen).await.expect("in time");
    }

    /// Waits for an answer to the question `id`.
    pub(super) async fn answer_to(&self, id: &str) -> Value {
        let answered = async {
            loop {
                let answers = self.seen("none").into_iter().map(|seen| seen.body);
                let mut of_question =
                    answers.filter(|body| body.get("id").and_then(View::as_str) == Some(id));
                if let Some(answer) = of_question.next() {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, answered)
            .await
            .expect("an answer in time")
    }
}

async fn seen_of(request: Request<Incoming>) -> Seen {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    let body = toolmesh_json::parse(&bytes).unwrap_or_default();
    let method = body.get("method").and_then(View::as_str).unwrap_or("none");
    Seen {
        http_method: head.method.to_string(),
        method: method.to_owned(),
        headers: head.headers,
        body,
    }
}

/// In the headers of a reply: its connection breaks off after the body.
pub(super) const BREAKS: &str = "x-breaks-off";

fn response((status, headers, body): Reply) -> Response<BoxBody<Bytes, io::Error>> {
    let body = Bytes::from(body);
    let mut response = Response::new(match headers.iter().any(|(name, _)| *name == BREAKS) {
        true => {
            let whole = stream::iter([Ok(Frame::data(body))]);
            // Not before the rest is written.
            let broken = stream::once(async {
                tokio::task::yield_now().await;
                Err(io::ErrorKind::ConnectionReset.into())
            });
            BoxBody::new(StreamBody::new(whole.chain(broken)))
        }
        false => Full::new(body).map_err(|never| match never {}).boxed(),
    });
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, value.parse().expect("a header"));
    }
    response
}

pub(super) fn result(seen: &Seen, result: &str) -> Reply {
    let id = seen.body.get("id").map_or("null".to_owned(), View::to_text);
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    (200, vec![("content-type", "application/json".to_owned())], body)
}

pub(super) fn events(body: String) -> Reply {
    (200, vec![("content-type", "text/event-stream".to_owned())], body)
}

/// What every script answers: both ways to begin, and one list of tools.
pub(super) fn usual(seen: &Seen, tools: &str) -> Reply {
    match seen.method.as_str() {
        "server/discover" => result(
            seen,
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#,
        ),
        "initialize" => {
            let (status, mut headers, body) = result(
                seen,
                r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
            );
            headers.push(("mcp-session-id", "the-session".to_owned()));
            (status, headers, body)
        }
        "tools/list" => result(seen, &format!(r#"{{"tools":{tools}}}"#)),
        "resources/templates/list" => result(seen, r#"{"resourceTemplates":[]}"#),
        "notifications/initialized" | "none" if seen.http_method == "POST" => (202, vec![], String::new()),
        _ => (405, vec![], String::new()),
    }
}

pub(super) const ONE_TOOL: &str = r#"[{"name":"one","inputSchema":{"type":"object"}}]"#;
