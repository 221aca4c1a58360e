//! One request and everything that comes back for it; and the stream that belongs to no request.

use std::{sync::Arc, time::Duration};

use ::http::{HeaderMap, HeaderName, StatusCode, header};
use reqwest::Response;

use super::super::events::Events;
use super::{Inner, METHOD, Posting};
use crate::{
    client::{
        error::ClientError,
        limits::{
            LONGEST_RESUME_PAUSE, MAX_RESUMES, MESSAGE_BYTES, RESUME_PAUSE, SHORTEST_RESUME_PAUSE, json,
        },
        pause::Pause,
        router::Outbox,
    },
    jsonrpc::read,
};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What is known of a stream that broke off.
#[derive(Default)]
struct Trace {
    last_id: Option<String>,
    retry: Option<Duration>,
    /// It was there, so that the server knew the session.
    was_open: bool,
}

impl Trace {
    fn pause(&self) -> Duration {
        self.retry
            .unwrap_or(RESUME_PAUSE)
            .clamp(SHORTEST_RESUME_PAUSE, LONGEST_RESUME_PAUSE)
    }
}

/// Posts the request `id` and passes on what comes, until its answer is there.
pub(super) async fn run(inner: Arc<Inner>, id: u64, body: String, head: HeaderMap) {
    let ended = inner.exchange(id, body, head).await;
    if matches!(ended, Err(ClientError::SessionEnded)) {
        inner.closed.cancel();
    }
    // Nobody waits any more when the answer was there.
    inner
        .router
        .end(id, Err(ended.err().unwrap_or_else(ClientError::closed)));
}

/// Listens to what a server tells by itself, and again when that breaks off, while the session lasts.
pub(super) async fn listen(inner: Arc<Inner>) {
    let mut trace = Trace::default();
    // A stream that ends at once, again and again, is asked for ever more seldom.
    let mut pause = Pause::new();
    loop {
        let from = trace.last_id.clone();
        let heard = tokio::select! {
            heard = inner.hear(from.as_deref(), None, &mut trace) => heard,
            () = inner.closed.cancelled() => return,
        };
        match heard {
            // A server that knew the session, and does so no more.
            Err(ClientError::SessionEnded) if trace.was_open => return inner.closed.cancel(),
            // Not every server has such a stream.
            Err(ClientError::Status(_) | ClientError::SessionEnded | ClientError::Unauthorized(_)) => return,
            Err(error) => tracing::debug!(%error, "an upstream server's own stream broke off"),
            Ok(()) => {}
        }
        if trace.last_id != from {
            pause = Pause::new();
        }
        tokio::select! {
            () = tokio::time::sleep(trace.pause().max(pause.next())) => {}
            () = inner.closed.cancelled() => return,
        }
    }
}

impl Inner {
    /// Posts a message that has no answer.
    pub(super) async fn notice(&self, body: String, head: HeaderMap) -> Result<(), ClientError> {
        let response = self.post(body, head).await?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(self.refused(status, response.headers())),
        }
    }

    async fn exchange(self: &Arc<Self>, id: u64, body: String, head: HeaderMap) -> Result<(), ClientError> {
        let begins_session = !head.contains_key(super::SESSION) && !head.contains_key(METHOD);
        let response = self.post(body, head).await?;
        if begins_session && response.status().is_success() {
            self.keep_session(response.headers());
        }
        if !is(&response, EVENTS) {
            return self.take_whole(id, response).await;
        }
        let mut trace = Trace::default();
        let mut ended = self.take_events(Some(id), response, &mut trace).await;
        // Only a session remembers what it told; without an event's id there is nothing to go on from.
        for _ in 0..MAX_RESUMES {
            if !self.router.waits_for(id) || trace.last_id.is_none() || !self.is_in_session() {
                break;
            }
            tokio::time::sleep(trace.pause()).await;
            let from = trace.last_id.clone();
            ended = self.hear(from.as_deref(), Some(id), &mut trace).await;
        }
        ended
    }

    /// Opens a stream, after an event of it when there is one, and takes what comes.
    async fn hear(
        self: &Arc<Self>,
        after: Option<&str>,
        stream_of: Option<u64>,
        trace: &mut Trace,
    ) -> Result<(), ClientError> {
        let mut request = self
            .client
            .get(self.endpoint.url())
            .headers(self.version_head())
            .header(header::ACCEPT, EVENTS);
        if let Some(id) = after {
            request = request.header(LAST_EVENT_ID, id);
        }
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        if !response.status().is_success() || !is(&response, EVENTS) {
            return Err(self.refused(response.status(), response.headers()));
        }
        trace.was_open = true;
        self.take_events(stream_of, response, trace).await
    }

    async fn take_events(
        self: &Arc<Self>,
        stream_of: Option<u64>,
        mut response: Response,
        trace: &mut Trace,
    ) -> Result<(), ClientError> {
        let outbox: Arc<dyn Outbox> = Arc::new(Posting(Arc::clone(self)));
        let mut events = Events::new(MESSAGE_BYTES);
        loop {
            let chunk = response.chunk().await.map_err(|error| self.unreachable(error));
            let Some(chunk) = chunk? else { return Ok(()) };
            let mut sound = Ok(());
            let pushed = events.push(&chunk, |event| match read(&event.data, &json()) {
                Ok(message) => self.router.take(message, stream_of, &outbox),
                Err(_) => sound = Err(ClientError::Protocol("an event holds no message")),
            });
            trace.last_id = events.last_id().map(str::to_owned).or(trace.last_id.take());
            trace.retry = events.retry().or(trace.retry);
            sound?;
            pushed.map_err(|_| ClientError::Protocol("an event has more than 16 MiB"))?;
            if stream_of.is_some_and(|id| !self.router.waits_for(id)) {
                return Ok(());
            }
        }
    }

    /// Takes an answer that is one body.
    async fn take_whole(self: &Arc<Self>, id: u64, response: Response) -> Result<(), ClientError> {
        let refused = self.refused(response.status(), response.headers());
        let is_final = matches!(
            refused,
            ClientError::Unauthorized(_) | ClientError::Limited(_) | ClientError::SessionEnded
        );
        if is_final || !is(&response, JSON) {
            return Err(refused);
        }
        let body = self.body(response).await?;
        let message = read(&body, &json()).map_err(|_| refused)?;
        let outbox: Arc<dyn Outbox> = Arc::new(Posting(Arc::clone(self)));
        self.router.take(message, Some(id), &outbox);
        Ok(())
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, ClientError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(error))? {
            if body.len() + chunk.len() > MESSAGE_BYTES {
                return Err(ClientError::Protocol("an answer has more than 16 MiB"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    async fn post(&self, body: String, head: HeaderMap) -> Result<Response, ClientError> {
        let request = self
            .client
            .post(self.endpoint.url())
            .headers(head)
            .header(header::CONTENT_TYPE, JSON)
            .header(header::ACCEPT, BOTH)
            .body(body);
        request.send().await.map_err(|error| self.unreachable(error))
    }

    fn unreachable(&self, error: reqwest::Error) -> ClientError {
        ClientError::Unreachable {
            what: self.endpoint.shown(),
            reason: cause(&error.without_url()),
        }
    }

    /// What a status says that comes without a message.
    fn refused(&self, status: StatusCode, head: &HeaderMap) -> ClientError {
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ClientError::Unauthorized(status.as_u16()),
            StatusCode::TOO_MANY_REQUESTS => ClientError::limited(
                head.get(header::RETRY_AFTER)
                    .and_then(|value| value.to_str().ok())
                    .and_then(|seconds| seconds.parse().ok()),
            ),
            StatusCode::NOT_FOUND if super::read(&self.session).is_some() => ClientError::SessionEnded,
            _ => ClientError::Status(status.as_u16()),
        }
    }
}

/// Whether the answer is declared as this media type.
fn is(response: &Response, kind: &str) -> bool {
    response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|declared| declared.split(';').next())
        .is_some_and(|declared| declared.trim().eq_ignore_ascii_case(kind))
}

/// The innermost reason: the outer ones only say that something was sent.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
