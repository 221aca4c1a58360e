//! An upstream server at a URL: Streamable HTTP.

mod endpoint;
mod exchange;

use std::sync::{Arc, PoisonError, RwLock};

use ::http::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFuture};

use super::{Outgoing, Spoken};
use crate::{
    client::{
        calling::{Calling, GiveUp},
        changes::Changes,
        error::ClientError,
        limits::{MAX_POSTING, NOTICE_TIMEOUT},
        message,
        router::{Outbox, Router},
    },
    header_text::encode,
};

pub(in crate::client) use endpoint::Endpoint;

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// What the name of the header of a mirrored argument begins with.
const MIRROR: &str = "mcp-param-";

/// A server at a URL. Dropping this ends its session, when there is one.
pub(in crate::client) struct HttpLink {
    inner: Arc<Inner>,
    _stop: DropGuard,
}

struct Inner {
    endpoint: Endpoint,
    client: reqwest::Client,
    router: Arc<Router>,
    spoken: RwLock<Option<Spoken>>,
    session: RwLock<Option<HeaderValue>>,
    /// Places of messages that are on their way.
    posting: Arc<Semaphore>,
    /// The session is lost, or the connection is given up.
    closed: CancellationToken,
}

impl HttpLink {
    pub(in crate::client) fn open(endpoint: &Endpoint, changes: Arc<Changes>) -> Result<Self, ClientError> {
        let closed = CancellationToken::new();
        let inner = Arc::new(Inner {
            endpoint: endpoint.clone(),
            client: endpoint.client()?,
            router: Arc::new(Router::new(changes)),
            spoken: RwLock::default(),
            session: RwLock::default(),
            posting: Arc::new(Semaphore::new(MAX_POSTING)),
            closed: closed.clone(),
        });
        Ok(Self {
            inner,
            _stop: closed.drop_guard(),
        })
    }

    pub(super) fn begin(&self, request: Outgoing) -> Calling {
        let inner = &self.inner;
        let id = inner.router.next_id();
        let (method, asks) = (request.method, request.asks);
        let head = inner.head(method, request.name.as_deref(), &request.mirrored);
        let body = message::request(id, method, request.with_id(id));
        let give_up = GiveUp::new(|| {});
        let mut calling = inner.router.enter(id, asks, give_up);
        let task = tokio::spawn(exchange::run(Arc::clone(inner), id, body, head));
        let (inner, task) = (Arc::clone(inner), task.abort_handle());
        calling.give_up = GiveUp::new(move || {
            // On the stateless revision the end of the request's connection is its cancellation.
            task.abort();
            inner.router.forget(id);
            if inner.is_in_session() && method != "initialize" {
                Posting(Arc::clone(&inner)).send(message::cancelled(id));
            }
        });
        calling
    }

    pub(super) async fn notify(&self, method: &'static str) -> Result<(), ClientError> {
        let head = self.inner.head(method, None, &[]);
        let body = message::notification(method, None);
        let sent = tokio::time::timeout(NOTICE_TIMEOUT, self.inner.notice(body, head)).await;
        sent.map_err(|_| ClientError::TimedOut)?
    }

    pub(super) fn begin_session(&self) {
        *write(&self.inner.spoken) = None;
    }

    pub(super) fn speak(&self, spoken: Spoken) {
        *write(&self.inner.spoken) = Some(spoken);
    }

    pub(super) fn listen(&self) {
        if self.inner.is_in_session() {
            tokio::spawn(exchange::listen(Arc::clone(&self.inner)));
        }
    }

    pub(super) fn closed(&self) -> WaitForCancellationFuture<'_> {
        self.inner.closed.cancelled()
    }
}

impl Drop for HttpLink {
    fn drop(&mut self) {
        let Some(session) = read(&self.inner.session).clone() else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let inner = Arc::clone(&self.inner);
        runtime.spawn(async move {
            let request = inner
                .client
                .delete(inner.endpoint.url())
                .headers(inner.version_head());
            // A server may keep its sessions to itself; it forgets them by and by.
            let _ = request
                .header(SESSION, session)
                .timeout(NOTICE_TIMEOUT)
                .send()
                .await;
        });
    }
}

impl Inner {
    fn is_in_session(&self) -> bool {
        read(&self.spoken).is_some_and(|spoken| !spoken.is_stateless())
    }

    /// The headers that every message has.
    fn version_head(&self) -> HeaderMap {
        let mut head = self.endpoint.headers().clone();
        if let Some(spoken) = *read(&self.spoken) {
            head.insert(PROTOCOL_VERSION, HeaderValue::from_static(spoken.version));
        }
        if let Some(session) = &*read(&self.session) {
            head.insert(SESSION, session.clone());
        }
        head
    }

    /// The headers of a message: on the stateless revision they repeat what the body says.
    fn head(&self, method: &str, name: Option<&str>, mirrored: &[(String, String)]) -> HeaderMap {
        let mut head = self.version_head();
        if !read(&self.spoken).is_some_and(Spoken::is_stateless) {
            return head;
        }
        let mut put = |header: HeaderName, text: &str| {
            // What `encode` gives is always a header's value.
            if let Ok(value) = HeaderValue::try_from(encode(text)) {
                head.insert(header, value);
            }
        };
        put(METHOD, method);
        if let Some(name) = name {
            put(NAME, name);
        }
        for (suffix, value) in mirrored {
            if let Ok(header) = HeaderName::try_from(format!("{MIRROR}{suffix}")) {
                put(header, value);
            }
        }
        head
    }

    fn keep_session(&self, head: &HeaderMap) {
        if let Some(session) = head.get(SESSION) {
            let mut session = session.clone();
            session.set_sensitive(true);
            *write(&self.session) = Some(session);
        }
    }
}

/// Posts a message that needs no result, without waiting; one too many is dropped.
#[derive(Clone)]
struct Posting(Arc<Inner>);

impl Outbox for Posting {
    fn send(&self, message: String) {
        let inner = Arc::clone(&self.0);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let Ok(place) = Arc::clone(&inner.posting).try_acquire_owned() else {
            return;
        };
        runtime.spawn(async move {
            let _place = place;
            let head = inner.version_head();
            let sent = tokio::time::timeout(NOTICE_TIMEOUT, inner.notice(message, head)).await;
            if !matches!(sent, Ok(Ok(()))) {
                tracing::debug!("an upstream server did not take a message");
            }
        });
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
