//! A client of the HTTP endpoint that keeps a session, and one that reads streams.

use bytes::Bytes;
use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt as _, Full};
use toolmesh_json::Value;
use toolmesh_mcp::{HttpOptions, HttpService, McpServer, server::ResponseBody};
use toolmesh_testkit::wire_schema::Expected;

use crate::{
    http_client::{MODERN, USUAL, request},
    stdio_client::PATIENCE,
};

/// A response whose body is read piece by piece.
pub(crate) struct Stream {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: ResponseBody,
    /// What was read and is no whole event yet.
    text: String,
    expected: Expected,
}

/// One server-sent event.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<String>,
    pub(crate) data: String,
}

impl Event {
    /// The message that it carries.
    pub(crate) fn message(&self) -> Value {
        toolmesh_json::parse(self.data.as_bytes()).expect("a message is JSON")
    }
}

impl Stream {
    /// Sends a request to the service with the usual headers and these.
    pub(crate) async fn open(
        service: &HttpService,
        method: Method,
        head: &[(&str, &str)],
        body: &str,
    ) -> Self {
        let head: Vec<_> = USUAL.iter().chain(head).copied().collect();
        Self::exactly(service, method, &head, body).await
    }

    /// Sends a request to the service with these headers alone.
    pub(crate) async fn exactly(
        service: &HttpService,
        method: Method,
        head: &[(&str, &str)],
        body: &str,
    ) -> Self {
        let mut request = Request::builder().method(method).uri("/mcp");
        for (name, value) in head {
            request = request.header(*name, *value);
        }
        let version = head.iter().find(|(name, _)| *name == "mcp-protocol-version");
        let expected = Expected::of(version.map(|(_, version)| *version), body);
        let request = request.body(Full::new(Bytes::copy_from_slice(body.as_bytes())));
        let response = service.respond(request.expect("a request")).await;
        let (head, body) = response.into_parts();
        Self {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
            text: String::new(),
            expected,
        }
    }

    /// Sends a request of the stateless revision with these client capabilities.
    pub(crate) async fn modern(
        service: &HttpService,
        capabilities: &str,
        method: &str,
        params: &str,
    ) -> Self {
        let (head, body) = request(MODERN, method, params);
        let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let able = format!(r#"clientCapabilities":{capabilities}"#);
        let body = body.replace(r#"clientCapabilities":{}"#, &able);
        Self::open(service, Method::POST, &head, &body).await
    }

    /// The whole body.
    pub(crate) async fn rest(mut self) -> String {
        while self.read().await {}
        let kind = self
            .headers
            .get("content-type")
            .and_then(|kind| kind.to_str().ok());
        self.expected.check_body(kind.unwrap_or_default(), &self.text);
        self.text
    }

    /// The whole body as JSON.
    pub(crate) async fn json(self) -> Value {
        toolmesh_json::parse(self.rest().await.as_bytes()).expect("an answer is JSON")
    }

    /// The next event; `None` at the end of the stream.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let event = parsed(event);
                if !event.data.is_empty() {
                    self.expected.check(&event.data);
                }
                self.text = rest.to_owned();
                return Some(event);
            }
            if !self.read().await {
                return None;
            }
        }
    }

    /// The next event's message.
    pub(crate) async fn message(&mut self) -> Value {
        self.event().await.expect("an event before the end").message()
    }

    async fn read(&mut self) -> bool {
        let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await;
        match frame.expect("something in time") {
            None => false,
            Some(frame) => {
                let data = frame.expect("a frame").into_data().expect("data");
                self.text.push_str(std::str::from_utf8(&data).expect("UTF-8"));
                true
            }
        }
    }
}

fn parsed(text: &str) -> Event {
    let mut event = Event::default();
    for line in text.lines() {
        match line
            .split_once(':')
            .map(|(name, value)| (name, value.trim_start()))
        {
            Some(("id", id)) => event.id = Some(id.to_owned()),
            Some(("retry", retry)) => event.retry = Some(retry.to_owned()),
            Some(("data", data)) => event.data.push_str(data),
            _ => {}
        }
    }
    event
}

/// A client with a session.
pub(crate) struct SessionClient {
    pub(crate) service: HttpService,
    pub(crate) id: String,
    pub(crate) version: &'static str,
}

impl SessionClient {
    /// Shakes hands as a client with these capabilities.
    pub(crate) async fn open(server: &McpServer, version: &'static str, capabilities: &str) -> Self {
        Self::over(server.http_service(HttpOptions::default()), version, capabilities).await
    }

    /// As [`Self::open`], over a service that others use too.
    pub(crate) async fn over(service: HttpService, version: &'static str, capabilities: &str) -> Self {
        let body = handshake(version, capabilities);
        let answer = Stream::open(&service, Method::POST, &[], &body).await;
        assert_eq!(answer.status, 200);
        let id = answer.headers.get("mcp-session-id").expect("a session");
        Self {
            id: id.to_str().expect("ASCII").to_owned(),
            service,
            version,
        }
    }

    /// Posts a message.
    pub(crate) async fn post(&self, body: &str) -> Stream {
        self.send(Method::POST, &[], body).await
    }

    /// Posts a request under an id.
    pub(crate) async fn ask(&self, id: u32, method: &str, params: &str) -> Stream {
        self.post(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ))
        .await
    }

    /// Opens a stream, perhaps after an event.
    pub(crate) async fn listen(&self, after: Option<&str>) -> Stream {
        let head: Vec<_> = after.map(|id| ("last-event-id", id)).into_iter().collect();
        let mut stream = self.send(Method::GET, &head, "").await;
        // Only calls have streams to come back to.
        stream.expected.method = Some("tools/call".to_owned());
        stream
    }

    /// Sends a request of the session.
    pub(crate) async fn send(&self, method: Method, head: &[(&str, &str)], body: &str) -> Stream {
        let own = [
            ("mcp-session-id", self.id.as_str()),
            ("mcp-protocol-version", self.version),
        ];
        let head: Vec<_> = own.iter().chain(head).copied().collect();
        Stream::open(&self.service, method, &head, body).await
    }
}

/// An `initialize` with these capabilities.
pub(crate) fn handshake(version: &str, capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}
