//! The endpoint as a service.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{Request, Response};
use hyper::body::Body;

use super::{HttpOptions, body, body::ResponseBody, gate, hosts::Hosts, respond::respond};
use crate::server::McpServer;

/// The Streamable HTTP endpoint as a [`tower::Service`]; the path is that of the router it is mounted in. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct HttpService {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    server: McpServer,
    options: HttpOptions,
    hosts: Hosts,
}

impl HttpService {
    pub(in crate::server) fn new(server: McpServer, options: HttpOptions, bound: Option<SocketAddr>) -> Self {
        let hosts = Hosts::new(bound, &options.hosts, &options.origins);
        Self {
            inner: Arc::new(Inner {
                server,
                options,
                hosts,
            }),
        }
    }

    pub(super) fn options(&self) -> &HttpOptions {
        &self.inner.options
    }

    /// Answers one request, whatever its path.
    pub async fn respond<B>(&self, request: Request<B>) -> Response<ResponseBody>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let Inner {
            server,
            options,
            hosts,
        } = &*self.inner;
        let (head, body) = request.into_parts();
        if let Err(refusal) = gate::check(&head, hosts) {
            return refusal.response();
        }
        match body::read(body, server.limits().json.bytes(), options.read_timeout).await {
            Ok(bytes) => respond(server, &head.headers, &bytes).await,
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
