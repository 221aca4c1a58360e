//! Metrics and health over HTTP.

use std::{io, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

use super::{Health, Metrics};

/// Offers `/metrics` and `/healthz` at an address of their own, so that whoever may use the tools need not see them.
#[derive(Debug)]
pub struct Pages {
    listener: TcpListener,
    address: SocketAddr,
    shown: Shown,
}

/// What is shown.
#[derive(Debug, Clone)]
struct Shown {
    metrics: Arc<Metrics>,
    health: Health,
}

/// Why the pages cannot be offered.
#[derive(Debug, thiserror::Error)]
#[error("metrics and health cannot be served at {address}: {reason}; is the port in use?")]
pub struct PagesError {
    /// The address.
    pub address: SocketAddr,
    /// Why.
    pub reason: io::Error,
}

impl Pages {
    /// Takes the address.
    ///
    /// # Errors
    /// [`PagesError`] when it is not to be had.
    pub async fn bind(
        address: SocketAddr,
        metrics: Arc<Metrics>,
        health: Health,
    ) -> Result<Self, PagesError> {
        let error = |reason| PagesError { address, reason };
        let listener = TcpListener::bind(address).await.map_err(error)?;
        Ok(Self {
            address: listener.local_addr().map_err(error)?,
            listener,
            shown: Shown { metrics, health },
        })
    }

    /// Where they are.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is done.
    ///
    /// # Errors
    /// [`PagesError`] when the listener fails.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), PagesError> {
        let router = Router::new()
            .route("/metrics", get(metrics))
            .route("/healthz", get(health))
            .with_state(self.shown);
        let address = self.address;
        let served = axum::serve(self.listener, router)
            .with_graceful_shutdown(stop)
            .await;
        served.map_err(|reason| PagesError { address, reason })
    }
}

async fn metrics(State(shown): State<Shown>) -> Response {
    let text = shown.metrics.to_text(Some(&shown.health));
    (StatusCode::OK, [(CONTENT_TYPE, Metrics::MEDIA_TYPE)], text).into_response()
}

async fn health(State(shown): State<Shown>) -> Response {
    let text = shown.health.state().to_value().to_text();
    (StatusCode::OK, [(CONTENT_TYPE, "application/json")], text).into_response()
}
