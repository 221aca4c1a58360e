//! Requests to a node, and its answers in bounds.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Upgraded, Url, header, redirect};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        handshake::{client::generate_key, derive_accept_key},
        protocol::{Role, WebSocketConfig},
    },
};
use toolmesh_json::{Limits, Value, View, parse_with};

use super::{NodeError, sse::MAX_EVENT_BYTES};

/// The largest answer that is read, in bytes; the most that this library's JSON takes.
pub const MAX_ANSWER_BYTES: usize = Limits::MAX_BYTES;

/// How much of a node's own words is repeated, in characters.
const MAX_SAID_CHARS: usize = 300;

/// The HTTP side of one node.
#[derive(Clone, Debug)]
pub(super) struct Http {
    client: Client,
    base: String,
    timeout: Duration,
}

/// A request to be sent.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    /// The path below the node's URL, with its query.
    pub(super) path: String,
    /// The body and its media type.
    pub(super) body: Option<(Vec<u8>, &'static str)>,
    pub(super) traceparent: Option<String>,
    pub(super) timeout: Option<Duration>,
}

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// What the node says of a token that it does not take (`X-Auth-Error`).
    pub(super) auth_error: Option<String>,
    pub(super) body: Vec<u8>,
    url: String,
}

impl Request {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            path: path.into(),
            body: None,
            traceparent: None,
            timeout: None,
        }
    }

    pub(super) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self {
            method: Method::POST,
            ..Self::get(path)
        }
        .json(body)
    }

    pub(super) fn json(self, body: &Value) -> Self {
        Self {
            body: Some((body.to_text().into_bytes(), "application/json")),
            ..self
        }
    }
}

impl Http {
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, NodeError> {
        let base = url.trim_end_matches('/').to_owned();
        let parsed = Url::parse(&base)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        if parsed.is_none() {
            return Err(NodeError::Configuration(
                "the node's URL is not one that begins with http:// or https://".to_owned(),
            ));
        }
        let client = Client::builder()
            // A redirect would carry the token to another host.
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| NodeError::Configuration(format!("no HTTP client can be made: {}", error.without_url())))?;
        Ok(Self {
            client,
            base,
            timeout,
        })
    }

    pub(super) async fn send(&self, request: &Request, token: Option<&str>) -> Result<Reply, NodeError> {
        let url = format!("{}{}", self.base, request.path);
        let mut builder = self
            .client
            .request(request.method.clone(), &url)
            .timeout(request.timeout.unwrap_or(self.timeout));
        if let Some((body, kind)) = &request.body {
            builder = builder.header(header::CONTENT_TYPE, *kind).body(body.clone());
        }
        if let Some(token) = token {
            builder = builder.bearer_auth(token);
        }
        if let Some(traceparent) = &request.traceparent {
            builder = builder.header("traceparent", traceparent);
        }
        let mut response = builder.send().await.map_err(|error| self.unreachable(error))?;
        let auth_error = response.headers().get("x-auth-error");
        let auth_error = auth_error.and_then(|text| text.to_str().ok()).map(str::to_owned);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(error))? {
            if body.len().saturating_add(chunk.len()) > MAX_ANSWER_BYTES {
                return Err(NodeError::Malformed(format!(
                    "it has more than {MAX_ANSWER_BYTES} bytes"
                )));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Reply {
            status: response.status().as_u16(),
            auth_error,
            body,
            url: url.split('?').next().unwrap_or_default().to_owned(),
        })
    }

    /// Opens a stream of events, which lasts as long as both sides want; `last` is the id of the last one that was seen.
    pub(super) async fn open(
        &self,
        path: &str,
        token: Option<&str>,
        last: Option<&str>,
    ) -> Result<Stream, NodeError> {
        let url = format!("{}{path}", self.base);
        let mut builder = self.client.get(&url).header(header::ACCEPT, "text/event-stream");
        if let Some(token) = token {
            builder = builder.bearer_auth(token);
        }
        if let Some(last) = last {
            builder = builder.header("last-event-id", last);
        }
        let response = self.begun(builder).await?;
        if response.status().is_success() {
            return Ok(Stream {
                response,
                http: self.clone(),
            });
        }
        Err(refused(&response, url))
    }

    /// Opens a connection that both sides send messages on (RFC 6455), over the same client as everything else.
    pub(super) async fn open_socket(&self, path: &str, token: Option<&str>) -> Result<Socket, NodeError> {
        let url = format!("{}{path}", self.base);
        let key = generate_key();
        let mut builder = self
            .client
            .get(&url)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, &key);
        if let Some(token) = token {
            builder = builder.bearer_auth(token);
        }
        let response = self.begun(builder).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(refused(&response, url));
        }
        let accepted = response.headers().get(header::SEC_WEBSOCKET_ACCEPT);
        if accepted.map(header::HeaderValue::as_bytes) != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
            return Err(NodeError::Malformed(
                "it switches to another protocol than WebSocket".to_owned(),
            ));
        }
        let upgraded = response
            .upgrade()
            .await
            .map_err(|error| self.unreachable(error))?;
        let bounds = WebSocketConfig::default()
            .max_message_size(Some(MAX_EVENT_BYTES))
            .max_frame_size(Some(MAX_EVENT_BYTES));
        Ok(Socket::from_raw_socket(upgraded, Role::Client, Some(bounds)).await)
    }

    /// An answer that has begun: that must be in time, what follows may take as long as it takes.
    async fn begun(&self, builder: RequestBuilder) -> Result<Response, NodeError> {
        match tokio::time::timeout(self.timeout, builder.send()).await {
            Ok(answer) => answer.map_err(|error| self.unreachable(error)),
            Err(_) => Err(self.late()),
        }
    }

    /// How long an answer may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// There was no answer in time.
    pub(super) fn late(&self) -> NodeError {
        self.lost("no answer in time")
    }

    /// The node cannot be reached.
    pub(super) fn lost(&self, reason: &str) -> NodeError {
        NodeError::Unreachable {
            url: self.base.clone(),
            reason: reason.to_owned(),
        }
    }

    fn unreachable(&self, error: reqwest::Error) -> NodeError {
        let reason = if error.is_timeout() {
            "no answer in time"
        } else if error.is_connect() {
            "no connection"
        } else {
            "the connection broke off"
        };
        tracing::debug!(error = %error.without_url(), "a request to the node failed");
        self.lost(reason)
    }
}

/// The failure of a connection that was not opened.
fn refused(response: &Response, url: String) -> NodeError {
    let reply = Reply {
        status: response.status().as_u16(),
        auth_error: None,
        body: Vec::new(),
        url,
    };
    reply.failure()
}

/// A connection on which both sides send messages.
pub(super) type Socket = WebSocketStream<Upgraded>;

/// The body of an answer that does not end by itself.
#[derive(Debug)]
pub(super) struct Stream {
    response: Response,
    http: Http,
}

impl Stream {
    /// The next bytes; `None` at the end. Dropping the future loses none.
    pub(super) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NodeError> {
        let chunk = self.response.chunk().await;
        let chunk = chunk.map_err(|error| self.http.unreachable(error))?;
        Ok(chunk.map(|bytes| bytes.to_vec()))
    }
}

impl Reply {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The JSON of the body.
    pub(super) fn json(&self) -> Result<Value, NodeError> {
        parse_with(&self.body, &Limits::ceiling())
            .map_err(|_| NodeError::Malformed("it is not JSON".to_owned()))
    }

    /// The JSON of a success, its `data` taken out of the envelope where there is one.
    pub(super) fn data(&self) -> Result<Value, NodeError> {
        if !self.is_success() {
            return Err(self.failure());
        }
        let value = self.json()?;
        let data = value.as_object().filter(|object| object.contains("data"));
        Ok(match data.and_then(|object| object.get("data")) {
            Some(data) => data.to_value(),
            None => value,
        })
    }

    /// What a failure is told as: the node's own words where it has any.
    pub(super) fn failure(&self) -> NodeError {
        let told = parse_with(&self.body, &Limits::default()).ok();
        let message = told.as_ref().and_then(|value| {
            let error = value.get("error")?;
            let text = error
                .as_str()
                .or_else(|| error.get("message").and_then(View::as_str))?;
            (!text.trim().is_empty()).then(|| text.to_owned())
        });
        if let Some(message) = message {
            return NodeError::Refused {
                status: self.status,
                message,
            };
        }
        let text = String::from_utf8_lossy(&self.body);
        let said = match text.trim() {
            "" => "the node returned no message".to_owned(),
            text => format!(
                "the node said: {}",
                text.chars().take(MAX_SAID_CHARS).collect::<String>()
            ),
        };
        NodeError::Http {
            status: self.status,
            url: self.url.clone(),
            said,
        }
    }
}
