//! From a message to its response.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderValue, Response, StatusCode, header};
use tokio::sync::mpsc;
use tokio_util::sync::DropGuard;
use toolmesh_tool::Caller;

use super::{
    auth::{Challenge, Known},
    body::ResponseBody,
    gate::prefers_stream,
    half_closed::Sending,
    headers::{self, Fields},
    parameters::ParameterHeaders,
    select::{Refused, Selected, Signals, select, table},
    service::Endpoint,
    session::{self, SESSION, Session},
    stream::Events,
};
use crate::{
    jsonrpc::{self, EnvelopeError, Message, Notification, Request},
    revision::{Disconnect, Era, Failure, Method, Revision},
    server::{
        client_facts::ClientFacts,
        exchange::Exchange,
        fault::{Fault, Reply},
        method::lifecycle::negotiate,
        peer::Peer,
        progress::{PROGRESS_QUEUE, PROGRESS_TOKEN},
    },
};

/// Answers the message in `bytes`, sent by somebody who is known.
pub(super) async fn respond(
    endpoint: &Endpoint,
    known: Known,
    (head, sending): (&Fields<'_>, &Sending),
    bytes: &[u8],
) -> Response<ResponseBody> {
    let caller = known.caller.clone();
    match jsonrpc::read(bytes, &endpoint.server.limits().json) {
        Ok(Message::Request(request)) => match allowed(endpoint, &known, &request) {
            Ok(()) => answer(endpoint, known, (head, sending), request).await,
            Err(challenge) => challenge.response(),
        },
        Ok(Message::Notification(notification)) => notified(endpoint, &caller, head, &notification),
        Ok(Message::Response(response)) => answered(endpoint, &caller, head, response),
        Err(EnvelopeError::Json(error)) => {
            tracing::debug!(%error, "a body is not JSON");
            whole(Fault::from(Failure::Parse).reply(table(head), None))
        }
        Err(EnvelopeError::Shape(id)) => {
            whole(Fault::from(Failure::InvalidRequest).reply(table(head), id.as_ref()))
        }
    }
}

/// Whether the caller's token reaches as far as the call; a tool is the same by whatever name it is called.
fn allowed(endpoint: &Endpoint, known: &Known, request: &Request) -> Result<(), Challenge> {
    let Some(auth) = endpoint
        .options
        .auth
        .as_ref()
        .filter(|_| request.method == "tools/call")
    else {
        return Ok(());
    };
    let name = endpoint
        .server
        .called(request.params.as_ref())
        .unwrap_or_default();
    let catalogue = endpoint.server.dispatcher().visible_catalogue(&known.caller);
    match catalogue.tool(name) {
        Some(tool) => auth.allows_tool(known, tool.name().as_str()),
        None => Ok(()),
    }
}

async fn answer(
    endpoint: &Endpoint,
    known: Known,
    (head, sending): (&Fields<'_>, &Sending),
    request: Request,
) -> Response<ResponseBody> {
    let signals = Signals::of_request(&request);
    let refused = |(revision, fault): Refused| whole(fault.reply(revision, Some(&request.id)));
    let selected = match select(head, &signals) {
        Ok(selected) => selected,
        Err(refusal) => return refused(refusal),
    };
    if selected.revision.era == Era::Stateless {
        return stateless(endpoint, known, (head, sending), request, selected).await;
    }
    let caller = known.caller;
    if request.method == "initialize" {
        return Box::pin(initialize(endpoint, caller, request)).await;
    }
    match session_of(endpoint, &caller, head, &selected) {
        Err(refusal) => refused(refusal),
        Ok(Some(session)) => {
            let (revision, facts) = (session.peer.revision, Arc::clone(&session.peer.facts));
            let server = endpoint.server.clone();
            let mut exchange = Exchange::new(server, revision, request, facts, caller);
            exchange.trace = headers::trace(head);
            Box::pin(session::answer(endpoint, session, exchange, prefers_stream(head))).await
        }
        Ok(None) => {
            let (server, facts) = (endpoint.server.clone(), Arc::new(selected.facts));
            let mut exchange = Exchange::new(server, selected.revision, request, facts, caller);
            exchange.trace = headers::trace(head);
            alone(endpoint, exchange, prefers_stream(head), sending).await
        }
    }
}

/// The session that the request names, if it names one.
fn session_of(
    endpoint: &Endpoint,
    caller: &Caller,
    head: &Fields<'_>,
    selected: &Selected,
) -> Result<Option<Arc<Session>>, Refused> {
    let refused = |failure: Failure| (selected.revision, Fault::from(failure));
    let named = head
        .session
        .single()
        .map_err(|_| refused(Failure::HeaderMismatch))?;
    let Some(id) = named.filter(|_| endpoint.sessions.are_kept()) else {
        return Ok(None);
    };
    let session = endpoint.sessions.find(id, caller);
    let session = session.ok_or(refused(Failure::UnknownSession))?;
    // A request without a version speaks what was agreed; one with another version does not belong here.
    let agrees = selected
        .declared
        .is_none_or(|declared| declared.version == session.peer.revision.version);
    if agrees {
        Ok(Some(session))
    } else {
        Err(refused(Failure::HeaderMismatch))
    }
}

/// `initialize`: opens a session, where there is room for one.
async fn initialize(endpoint: &Endpoint, caller: Caller, request: Request) -> Response<ResponseBody> {
    let revision = negotiate(&request);
    let params = request.params.as_ref().map(Into::into);
    let facts = Arc::new(ClientFacts::of_handshake(params).unwrap_or_default());
    let session = endpoint.sessions.are_kept().then(|| {
        let peer = Arc::new(Peer::new(revision, Arc::clone(&facts)));
        endpoint.sessions.open(peer, &caller)
    });
    let session = session.flatten();
    let mut exchange = Exchange::new(endpoint.server.clone(), revision, request, facts, caller);
    exchange.peer = session.as_ref().map(|session| Arc::clone(&session.peer));
    let reply = exchange.answer().await;
    let shook_hands = reply.is_result;
    let mut response = whole(reply);
    if let Some(session) = session {
        match HeaderValue::from_str(&session.id) {
            Ok(id) if shook_hands => drop(response.headers_mut().insert(SESSION, id)),
            _ => endpoint.sessions.remove(&session),
        }
    }
    response
}

/// A request that describes itself.
async fn stateless(
    endpoint: &Endpoint,
    known: Known,
    (head, sending): (&Fields<'_>, &Sending),
    request: Request,
    selected: Selected,
) -> Response<ResponseBody> {
    let (server, facts) = (endpoint.server.clone(), Arc::new(selected.facts));
    let mut exchange = Exchange::new(server, selected.revision, request, facts, known.caller);
    exchange.closing = Some(endpoint.closing.clone());
    exchange.until = known.until;
    exchange.trace = headers::trace(head);
    if exchange.revision.method(&exchange.request.method) == Some(Method::CallTool) {
        let unknown = endpoint.options.unknown_parameters;
        exchange.parameters = Some(ParameterHeaders::read(head, unknown));
    }
    alone(endpoint, exchange, prefers_stream(head), sending).await
}

/// Answers a request that belongs to no session, a result in the form that the client prefers.
async fn alone(
    endpoint: &Endpoint,
    mut exchange: Box<Exchange>,
    streams: bool,
    sending: &Sending,
) -> Response<ResponseBody> {
    let guard = exchange.cancellation.clone().drop_guard();
    let revision = exchange.revision;
    if has_something_to_tell(&exchange) {
        let (sender, notes) = mpsc::channel(PROGRESS_QUEUE);
        exchange.tells(&sender);
        drop(sender);
        let answer = exchange.answer().boxed();
        return Box::pin(streamed(endpoint, (revision, sending), answer, notes, guard)).await;
    }
    let mut answer = exchange.answer().boxed();
    tokio::select! {
        biased;
        reply = &mut answer => {
            // What was answered was not given up.
            drop(guard.disarm());
            match reply {
                reply if reply.is_result && streams => events(ResponseBody::events(Events::whole(reply))),
                reply => whole(reply),
            }
        }
        () = may_be_gone(revision, sending) => {
            let (_, notes) = mpsc::channel(1);
            events(ResponseBody::events(Events::attached(None, notes, answer, guard)))
        }
    }
}

/// Ends when the client sends no more, where that can mean that its call is cancelled: a stream is begun then, which
/// finds out whether anybody listens.
async fn may_be_gone(revision: &Revision, sending: &Sending) {
    match revision.disconnect {
        Disconnect::Cancels => sending.over().await,
        Disconnect::Detaches => std::future::pending().await,
    }
}

/// Whether anything may come before the answer; what cannot, is answered in the shortest way.
fn has_something_to_tell(exchange: &Exchange) -> bool {
    exchange.request.meta(PROGRESS_TOKEN).is_some()
        || exchange.facts.log_level.is_some()
        || exchange.revision.method(&exchange.request.method) == Some(Method::Listen)
}

/// Answers with JSON when the call has nothing to tell before its end, else with a stream that begins with the first
/// thing told.
async fn streamed(
    endpoint: &Endpoint,
    (revision, sending): (&Revision, &Sending),
    mut answer: BoxFuture<'static, Reply>,
    mut notes: mpsc::Receiver<Vec<u8>>,
    guard: DropGuard,
) -> Response<ResponseBody> {
    let stream = tokio::select! {
        biased;
        Some(first) = notes.recv() => match revision.disconnect {
            Disconnect::Cancels => Events::attached(Some(first), notes, answer, guard),
            Disconnect::Detaches => {
                let _ = guard.disarm();
                Events::detached(first, notes, answer, endpoint.detached_place())
            }
        },
        reply = &mut answer => match notes.try_recv() {
            Ok(first) => Events::over(first, notes, reply),
            Err(_) => {
                drop(guard.disarm());
                return whole(reply);
            }
        },
        () = may_be_gone(revision, sending) => Events::attached(None, notes, answer, guard),
    };
    events(ResponseBody::events(stream))
}

/// A notification gets no answer but its acceptance.
fn notified(
    endpoint: &Endpoint,
    caller: &Caller,
    head: &Fields<'_>,
    notification: &Notification,
) -> Response<ResponseBody> {
    let Ok(selected) = select(head, &Signals::of_notification(notification)) else {
        return empty(StatusCode::BAD_REQUEST);
    };
    if selected.revision.era == Era::Stateless {
        return empty(StatusCode::ACCEPTED);
    }
    match session_of(endpoint, caller, head, &selected) {
        Ok(session) => {
            if let Some(session) = session {
                session.notified(notification);
            }
            empty(StatusCode::ACCEPTED)
        }
        Err((revision, fault)) => empty(fault.status(revision)),
    }
}

/// An answer to a question of ours; a stateless client is asked none, and must not send any.
fn answered(
    endpoint: &Endpoint,
    caller: &Caller,
    head: &Fields<'_>,
    response: jsonrpc::Response,
) -> Response<ResponseBody> {
    let revision = table(head);
    if revision.era == Era::Stateless {
        return whole(Fault::from(Failure::InvalidRequest).reply(revision, None));
    }
    let declared = head.protocol_version.single().ok().flatten();
    let selected = Selected {
        revision,
        declared: declared.and_then(Revision::find),
        facts: ClientFacts::default(),
    };
    match session_of(endpoint, caller, head, &selected) {
        Ok(session) => {
            if let Some(session) = session {
                session.peer.answer(response);
            }
            empty(StatusCode::ACCEPTED)
        }
        Err((revision, fault)) => empty(fault.status(revision)),
    }
}

pub(super) fn whole(reply: Reply) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(retry_after) = reply.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(retry_after)));
    }
    response
}

pub(super) fn events(body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Some proxies hold a stream back until it ends unless they are told not to.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

pub(super) fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The time in whole seconds, rounded up, at least one.
fn whole_seconds(time: Duration) -> u64 {
    (time.as_secs() + u64::from(time.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_whole_seconds_and_never_as_none() {
        let seconds = |millis| whole_seconds(Duration::from_millis(millis));
        assert_eq!(
            (seconds(0), seconds(1), seconds(1000), seconds(1001)),
            (1, 1, 1, 2)
        );
    }
}
