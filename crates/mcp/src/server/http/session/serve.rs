//! Requests of a session: calls that may come back as streams, the general stream, and the session's end.

use std::sync::Arc;

use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, Response};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;
use toolmesh_tool::Caller;

use super::{
    Call, LAST_EVENT, SESSION, Session, Sessions, log::GENERAL, reader::Reader, reader::read_event_id,
};
use crate::{
    revision::Method,
    server::{
        McpServer,
        exchange::Exchange,
        fault::{Fault, Reply},
        http::{
            auth::Known,
            body::ResponseBody,
            headers,
            refusal::Refusal,
            respond::{empty, events, whole},
            service::Endpoint,
        },
        progress::PROGRESS_QUEUE,
    },
};

/// A call of a session on its way to its answer.
struct Running {
    session: Arc<Session>,
    answer: BoxFuture<'static, Reply>,
    notes: mpsc::Receiver<Vec<u8>>,
    released: CancellationToken,
    call: Call,
    /// Kept as long as the call goes on.
    place: Option<OwnedSemaphorePermit>,
}

/// Answers a request of a session: with JSON when there is nothing to tell before the end, else with a stream that can
/// be resumed, as a client may prefer it for every result (`streams`). Once a stream has begun, the call goes on whether
/// somebody reads it or not.
pub(in crate::server::http) async fn answer(
    endpoint: &Endpoint,
    session: Arc<Session>,
    mut exchange: Box<Exchange>,
    streams: bool,
) -> Response<ResponseBody> {
    let call = match session.begin(&exchange.request.id, &exchange.cancellation) {
        Ok(call) => call,
        Err(failure) => {
            return whole(Fault::from(failure).reply(exchange.revision, Some(&exchange.request.id)));
        }
    };
    if exchange.revision.method(&exchange.request.method) == Some(Method::Subscribe) {
        session.follow(&exchange.server);
    }
    let (sender, notes) = mpsc::channel(PROGRESS_QUEUE);
    let (released, cancellation) = (CancellationToken::new(), exchange.cancellation.clone());
    exchange.tells(&sender);
    exchange.released = Some(released.clone());
    exchange.peer = Some(Arc::clone(&session.peer));
    drop(sender);
    let mut running = Running {
        session,
        answer: exchange.answer().boxed(),
        notes,
        released,
        call,
        place: None,
    };
    // Until a stream has begun, the call ends with its connection: when a server that ends gives up on it.
    let guard = cancellation.drop_guard();
    let first = tokio::select! {
        biased;
        Some(first) = running.notes.recv() => Some(first),
        () = running.released.cancelled() => None,
        reply = &mut running.answer => {
            let first = running.notes.try_recv().ok();
            if first.is_none() && !(streams && reply.is_result) {
                drop(guard.disarm());
                return whole(reply);
            }
            running.answer = std::future::ready(reply).boxed();
            first
        }
    };
    guard.disarm();
    running.place = endpoint.detached_place();
    running.stream(first)
}

impl Running {
    /// Begins the stream, and runs the call to its end.
    fn stream(self, first: Option<Vec<u8>>) -> Response<ResponseBody> {
        let session = Arc::clone(&self.session);
        let stream = session.log.open();
        let Some(cursor) = session.log.read(stream, None) else {
            return Refusal::UnknownSession.response();
        };
        tokio::spawn(self.write(stream, first));
        events(ResponseBody::session(Reader::new(session, cursor)))
    }

    async fn write(mut self, stream: u64, first: Option<Vec<u8>>) {
        let log = &self.session.log;
        if let Some(first) = first {
            log.push(stream, first).await;
        }
        let mut released = false;
        let reply = loop {
            tokio::select! {
                biased;
                Some(note) = self.notes.recv() => log.push(stream, note).await,
                () = self.released.cancelled(), if !released => {
                    released = true;
                    log.let_go(stream);
                }
                reply = &mut self.answer => break reply,
            }
        };
        while let Ok(note) = self.notes.try_recv() {
            log.push(stream, note).await;
        }
        log.push(stream, reply.body).await;
        log.finish(stream);
        drop((self.call, self.place));
    }
}

/// Opens a stream: the general one, or what is still to come of the one that the client was cut off from.
pub(in crate::server::http) fn stream(
    sessions: &Sessions,
    head: &HeaderMap,
    known: &Known,
    server: &McpServer,
) -> Response<ResponseBody> {
    let session = match named(sessions, head, &known.caller) {
        Ok(session) => session,
        Err(refusal) => return refusal.response(),
    };
    let place = match headers::single(head, &LAST_EVENT) {
        Ok(None) => Some((GENERAL, None)),
        Ok(Some(id)) => read_event_id(id).map(|(stream, number)| (stream, Some(number))),
        Err(headers::Malformed) => None,
    };
    session.follow(server);
    match place.and_then(|(stream, taken)| session.log.read(stream, taken)) {
        Some(cursor) => {
            let reader = Reader::new(session, cursor).until(known.until);
            events(ResponseBody::session(reader))
        }
        None => Refusal::UnknownEvent.response(),
    }
}

/// Ends a session.
pub(in crate::server::http) fn end(
    sessions: &Sessions,
    head: &HeaderMap,
    caller: &Caller,
) -> Response<ResponseBody> {
    match named(sessions, head, caller) {
        Ok(session) => {
            sessions.remove(&session);
            empty(http::StatusCode::NO_CONTENT)
        }
        Err(refusal) => refusal.response(),
    }
}

fn named(sessions: &Sessions, head: &HeaderMap, caller: &Caller) -> Result<Arc<Session>, Refusal> {
    let id = headers::single(head, &SESSION).ok().flatten();
    let id = id.ok_or(Refusal::NoSession)?;
    sessions.find(id, caller).ok_or(Refusal::UnknownSession)
}
