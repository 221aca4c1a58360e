//! From a message to its response.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use tokio::sync::mpsc;
use tokio_util::sync::DropGuard;
use toolmesh_tool::{Caller, CancellationToken, Transport};

use super::{
    body::ResponseBody,
    select::{Signals, select, table},
    stream::Events,
};
use crate::{
    jsonrpc::{EnvelopeError, Message, Notification, Request, read},
    revision::{Disconnect, Era, Failure, Revision},
    server::{
        McpServer,
        exchange::Exchange,
        fault::{Fault, Reply},
        method::lifecycle::negotiate,
        progress::{PROGRESS_QUEUE, PROGRESS_TOKEN, ProgressSink},
    },
};

/// Answers the message in `bytes`.
pub(super) async fn respond(server: &McpServer, head: &HeaderMap, bytes: &[u8]) -> Response<ResponseBody> {
    match read(bytes, &server.limits().json) {
        Ok(Message::Request(request)) => answer(server, head, request).await,
        Ok(Message::Notification(notification)) => notified(head, &notification),
        Ok(Message::Response) => answered(head),
        Err(EnvelopeError::Json(error)) => {
            tracing::debug!(%error, "a body is not JSON");
            whole(Fault::from(Failure::Parse).reply(table(head), None))
        }
        Err(EnvelopeError::Shape(id)) => {
            whole(Fault::from(Failure::InvalidRequest).reply(table(head), id.as_ref()))
        }
    }
}

async fn answer(server: &McpServer, head: &HeaderMap, request: Request) -> Response<ResponseBody> {
    let signals = Signals {
        method: &request.method,
        params: request.params.as_ref(),
    };
    let selected = match select(head, &signals) {
        Ok(selected) => selected,
        Err((revision, fault)) => return whole(fault.reply(revision, Some(&request.id))),
    };
    let revision = match request.method.as_str() {
        "initialize" if selected.revision.era == Era::Handshake => negotiate(&request),
        _ => selected.revision,
    };
    let cancellation = CancellationToken::new();
    let guard = cancellation.clone().drop_guard();
    let mut exchange = Exchange {
        server: server.clone(),
        revision,
        request,
        facts: Arc::new(selected.facts),
        caller: Caller::anonymous(Transport::Http),
        cancellation,
        progress: None,
    };
    if exchange.request.meta(PROGRESS_TOKEN).is_none() {
        return whole(exchange.answer().await);
    }
    let (sender, notes) = mpsc::channel(PROGRESS_QUEUE);
    exchange.progress = ProgressSink::of(&exchange.request, &sender);
    drop(sender);
    streamed(revision, exchange.answer().boxed(), notes, guard).await
}

/// Answers with JSON when the call has nothing to tell before its end, else with a stream that begins with the first
/// thing told.
async fn streamed(
    revision: &Revision,
    mut answer: BoxFuture<'static, Reply>,
    mut notes: mpsc::Receiver<Vec<u8>>,
    guard: DropGuard,
) -> Response<ResponseBody> {
    tokio::select! {
        biased;
        Some(first) = notes.recv() => events(match revision.disconnect {
            Disconnect::Cancels => Events::attached(first, notes, answer, guard),
            Disconnect::Detaches => {
                let _ = guard.disarm();
                Events::detached(first, notes, answer)
            }
        }),
        reply = &mut answer => match notes.try_recv() {
            Ok(first) => events(Events::over(first, notes, reply)),
            Err(_) => whole(reply),
        },
    }
}

/// A notification gets no answer but its acceptance; without a session there is nothing that it could change.
fn notified(head: &HeaderMap, notification: &Notification) -> Response<ResponseBody> {
    let signals = Signals {
        method: &notification.method,
        params: notification.params.as_ref(),
    };
    match select(head, &signals) {
        Ok(_) => empty(StatusCode::ACCEPTED),
        Err(_) => empty(StatusCode::BAD_REQUEST),
    }
}

/// An answer to a request of ours: none is open here, and a stateless client must not send any.
fn answered(head: &HeaderMap) -> Response<ResponseBody> {
    let revision = table(head);
    match revision.era {
        Era::Handshake => empty(StatusCode::ACCEPTED),
        Era::Stateless => whole(Fault::from(Failure::InvalidRequest).reply(revision, None)),
    }
}

fn whole(reply: Reply) -> Response<ResponseBody> {
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

fn events(events: Events) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::events(events));
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

fn empty(status: StatusCode) -> Response<ResponseBody> {
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
