//! The endpoint as a service.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderValue, Method, Request, Response, header, request::Parts};
use hyper::body::Body;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::{
    HttpOptions, PeerAddress,
    address::Peer,
    auth::{self, Known},
    body,
    body::ResponseBody,
    cors,
    gate::{self, Verb},
    half_closed::Sending,
    head,
    headers::Fields,
    hosts::{HTTP_PORT, HTTPS_PORT, Hosts},
    refusal::Refusal,
    respond::respond,
    session::{self, Sessions},
};
use crate::server::McpServer;

/// The Streamable HTTP endpoint as a [`tower::Service`]; the path is that of the router it is mounted in. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct HttpService {
    inner: Arc<Endpoint>,
}

/// What all requests to one endpoint share.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) server: McpServer,
    pub(super) options: HttpOptions,
    pub(super) sessions: Sessions,
    /// Fires when the endpoint ends: what would go on for ever is answered then.
    pub(super) closing: CancellationToken,
    /// Places of calls that go on without a connection.
    detached: Arc<Semaphore>,
    hosts: Hosts,
}

/// Most calls that go on without a connection and are waited for when the endpoint ends: what all sessions can have at
/// once, unless there are more sessions than usual.
const MAX_DETACHED: u16 = 8_192;

impl Endpoint {
    /// A place for a call that goes on without a connection, kept as long as it does; one without is not waited for.
    pub(super) fn detached_place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.detached).try_acquire_owned().ok()
    }
}

impl HttpService {
    pub(in crate::server) fn new(server: McpServer, options: HttpOptions, bound: Option<SocketAddr>) -> Self {
        let port = if options.tls.is_some() {
            HTTPS_PORT
        } else {
            HTTP_PORT
        };
        let hosts = Hosts::new(bound, &options.hosts, &options.origins).default_port(port);
        Self {
            inner: Arc::new(Endpoint {
                sessions: Sessions::new(options.sessions),
                server,
                options,
                closing: CancellationToken::new(),
                detached: Arc::new(Semaphore::new(usize::from(MAX_DETACHED))),
                hosts,
            }),
        }
    }

    pub(super) fn options(&self) -> &HttpOptions {
        &self.inner.options
    }

    /// Answers one request, whatever its path. An anonymous caller's rate limits are his own when the request's extensions
    /// say from where it came ([`PeerAddress`]).
    pub async fn respond<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let peer = request.extensions().get::<PeerAddress>();
        let peer = peer.map(|PeerAddress(address)| Peer::at(*address));
        self.respond_to(request, peer.as_ref(), &Sending::default()).await
    }

    /// Answers one request that came from this address, over a connection whose client's half is known.
    pub(super) async fn respond_to<B>(
        &self,
        request: Request<B>,
        peer: Option<&Peer>,
        sending: &Sending,
    ) -> Response<ResponseBody>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let fields = Fields::of(&head.headers);
        if let Err(refusal) = self.inner.admits_site(&head, &fields) {
            return refusal.response();
        }
        let mut response = if cors::is_preflight(&head) {
            cors::preflight(&head, |suffix| self.inner.mirrors(suffix))
        } else {
            match self.inner.admit(&head.method, &fields, peer).await {
                Ok((verb, known)) => self.inner.answer(verb, known, &fields, (body, sending)).await,
                Err(refused) => refused,
            }
        };
        // The origin, where there is one, is an allowed one here.
        cors::allow(fields.origin.once(), response.headers_mut());
        response
    }

    /// The metadata document, when `path` is where it is; everybody may read it.
    pub(super) fn metadata(&self, head: &Parts) -> Option<Response<ResponseBody>> {
        let rest = head.uri.path().strip_prefix(auth::METADATA_PATH)?;
        let auth = self.inner.options.auth.as_ref()?;
        if (!rest.is_empty() && rest != self.inner.options.path) || head.method != Method::GET {
            return None;
        }
        if let Err(refusal) = self.inner.admits_site(head, &Fields::of(&head.headers)) {
            return Some(refusal.response());
        }
        let mut response = Response::new(ResponseBody::full(auth.metadata()?.to_text().into_bytes()));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        cors::allow(head.headers.get(header::ORIGIN), headers);
        Some(response)
    }

    /// Answers what would go on for ever; calls are finished.
    pub(super) fn close(&self) {
        self.inner.closing.cancel();
        self.inner.sessions.close();
    }

    /// Waits until no call goes on without a connection.
    pub(super) async fn detached_are_over(&self) {
        // A semaphore that nobody closes gives its permits.
        let _ = self.inner.detached.acquire_many(u32::from(MAX_DETACHED)).await;
    }

    /// Cancels the calls of sessions.
    pub(super) fn give_up(&self) {
        self.inner.sessions.end_all();
    }
}

impl Endpoint {
    fn admits_site(&self, head: &Parts, fields: &Fields<'_>) -> Result<(), Refusal> {
        head::check(head)?;
        gate::check_site(&head.uri, fields, &self.hosts)
    }

    /// Whether a tool repeats an argument in the header of this suffix, in lower case.
    fn mirrors(&self, suffix: &str) -> bool {
        let catalogue = self.server.dispatcher().toolbox().snapshot();
        catalogue.all_tools().any(|tool| {
            let mirrored = tool.tool().input_schema().mirrored_headers();
            mirrored
                .iter()
                .any(|header| header.suffix().eq_ignore_ascii_case(suffix))
        })
    }

    /// What the request wants, and who asks.
    async fn admit(
        &self,
        method: &Method,
        fields: &Fields<'_>,
        peer: Option<&Peer>,
    ) -> Result<(Verb, Known), Response<ResponseBody>> {
        let verb = gate::check_verb(method, fields, self.sessions.are_kept()).map_err(Refusal::response)?;
        let known = match &self.options.auth {
            None => {
                let from = peer.map(|peer| peer.asks_from(fields.all, &self.options.trusted));
                Known::anonymous(from)
            }
            // It may fetch keys; apart, so that a request without it stays small.
            Some(auth) => Box::pin(auth.authenticate(fields.all))
                .await
                .map_err(|challenge| challenge.response())?,
        };
        Ok((verb, known))
    }

    async fn answer<B>(
        &self,
        verb: Verb,
        known: Known,
        fields: &Fields<'_>,
        (body, sending): (B, &Sending),
    ) -> Response<ResponseBody>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let endpoint = self;
        match verb {
            Verb::Message => {}
            Verb::Stream => {
                let asked = session::stream(&endpoint.sessions, fields.all, &known, &endpoint.server);
                return asked.map(|body| body.watching(sending));
            }
            Verb::End => return session::end(&endpoint.sessions, fields.all, &known.caller),
        }
        let (limit, timeout) = (
            endpoint.server.limits().json.bytes(),
            endpoint.options.read_timeout,
        );
        match body::read(body, limit, timeout).await {
            Ok(bytes) => {
                let answer = respond(endpoint, known, (fields, sending), &bytes).await;
                answer.map(|body| body.watching(sending))
            }
            Err(refusal) => refusal.response(),
        }
    }
}

impl<B> tower::Service<Request<B>> for HttpService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        async move { Ok(service.respond(request).await) }.boxed()
    }
}
