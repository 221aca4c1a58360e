//! The endpoint on a listener of its own.

use std::{convert::Infallible, future::Future, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{
    HttpOptions, HttpService, address::Peer, alarm::Alarm, half_closed::HalfClosed, head::HEAD_BYTES,
    patience::Patience, refusal::Refusal,
};
use crate::server::{McpServer, ServeError};

/// Most connections at once: 16,384, so that ten thousand idle ones leave room for others; more wait in the system's
/// own queue.
const MAX_CONNECTIONS: usize = 16_384;

/// Most bytes that are read ahead: twice what a head may have, so that its own check is the one that refuses it.
const READ_AHEAD_BYTES: usize = 2 * HEAD_BYTES;

/// Most header fields of a request: 100.
const MAX_HEADERS: usize = 100;

/// How long the listener rests when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why an endpoint could not be bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The address is taken, not there, or not allowed.
    #[error("cannot listen at {address}; choose another address or port, or stop what listens there")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The address can be reached from other machines, and it is not said by which host names.
    #[error(
        "{address} can be reached from other machines; name the hosts that clients use, or listen at a loopback address"
    )]
    HostsMissing {
        /// The address.
        address: SocketAddr,
    },
    /// The address can be reached from other machines, and nobody has to say who he is.
    #[error(
        "{address} can be reached from other machines; say how callers are known (tokens or OAuth), or say that everybody may call"
    )]
    AuthMissing {
        /// The address.
        address: SocketAddr,
    },
}

/// An endpoint that is bound and ready to serve.
#[derive(Debug)]
pub struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    service: HttpService,
}

impl BoundServer {
    pub(in crate::server) async fn bind(
        server: McpServer,
        address: SocketAddr,
        options: HttpOptions,
    ) -> Result<Self, BindError> {
        if !address.ip().is_loopback() && options.hosts.is_empty() {
            return Err(BindError::HostsMissing { address });
        }
        let is_guarded = options.auth.as_ref().is_some_and(|auth| auth.knows_anybody());
        if !address.ip().is_loopback() && !is_guarded && !options.anonymous {
            return Err(BindError::AuthMissing { address });
        }
        let refused = |source| BindError::Address { address, source };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Self {
            listener,
            address,
            service: HttpService::new(server, options, Some(address)),
        })
    }

    /// The address, with the port that the system chose when none was asked for.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Where to point a client.
    #[must_use]
    pub fn url(&self) -> String {
        let options = self.service.options();
        let scheme = if options.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.address, options.path)
    }

    /// Serves until `shutdown` ends: then no connection is taken any more, calls in flight are finished, and what is not
    /// finished after the grace time is given up.
    ///
    /// # Errors
    /// None at present; the listener rests and goes on when the system has no sockets to give.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), ServeError> {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let stop = CancellationToken::new();
        let mut connections = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = accept(&self.listener, &places) => accepted,
            };
            let Some((stream, peer, place)) = accepted else {
                continue;
            };
            // A token of its own, so that connections do not wait for each other to look at one.
            let (service, stop) = (self.service.clone(), stop.child_token());
            connections.spawn(async move {
                take(stream, peer, service, stop).await;
                drop(place);
            });
        }
        drop(self.listener);
        stop.cancel();
        self.service.close();
        let finished = async {
            while connections.join_next().await.is_some() {}
            self.service.detached_are_over().await;
        };
        if tokio::time::timeout(self.service.options().grace, finished)
            .await
            .is_err()
        {
            tracing::warn!("calls that did not end in time are given up");
            self.service.give_up();
        }
        Ok(())
    }
}

/// A connection and its place; `None` when the system had none to give.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, Peer, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, Peer::at(peer.ip()), place)),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be taken");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

/// Serves a connection, after the handshake of TLS where that is spoken.
async fn take(stream: TcpStream, peer: Peer, service: HttpService, stop: CancellationToken) {
    // Small answers must not wait for more; where the system refuses this, they only come later.
    let _ = stream.set_nodelay(true);
    let stream = Patience::new(stream, service.options().write_timeout);
    let Some(tls) = &service.options().tls else {
        return connection(stream, peer, service, stop).await;
    };
    let handshake = tls.acceptor().accept(stream);
    let shaken = tokio::select! {
        shaken = tokio::time::timeout(service.options().read_timeout, handshake) => shaken,
        () = stop.cancelled() => return,
    };
    match shaken {
        Ok(Ok(stream)) => connection(stream, peer, service, stop).await,
        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    service: HttpService,
    stop: CancellationToken,
) {
    let timeout = service.options().read_timeout;
    let (stream, sending) = HalfClosed::new(stream);
    let answer = service_fn(move |request: Request<Incoming>| {
        let (service, peer, sending) = (service.clone(), peer.clone(), sending.clone());
        async move {
            if request.uri().path() == service.options().path {
                return Ok::<_, Infallible>(service.respond_to(request, Some(&peer), &sending).await);
            }
            let (head, _) = request.into_parts();
            let other = service.metadata(&head);
            Ok(other.unwrap_or_else(|| Refusal::Path.response()))
        }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(Alarm::default())
            .header_read_timeout(timeout)
            .max_buf_size(READ_AHEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .half_close(true)
            .serve_connection(TokioIo::new(stream), answer)
    );
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
