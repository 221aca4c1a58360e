//! `resources/subscribe` and `resources/unsubscribe`.

use crate::{
    revision::{Failure, Method},
    server::{exchange::Exchange, fault::Fault},
    wire::Cache,
};

/// `resources/subscribe`: only for a client whose session is there to tell it.
pub(in crate::server) async fn subscribe(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let peer = exchange.peer.as_ref().ok_or(Failure::UnknownMethod)?;
    let uri = exchange.text_param("uri")?;
    let following = exchange.catalogue().follow(uri).await;
    let following = following.map_err(|error| Fault::of_call(&error, Method::Subscribe))?;
    peer.watch(uri, following)?;
    exchange.complete(Cache::None, |_| Ok(()))
}

/// `resources/unsubscribe`; no failure when nothing was watched.
pub(in crate::server) fn unsubscribe(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let peer = exchange.peer.as_ref().ok_or(Failure::UnknownMethod)?;
    peer.unwatch(exchange.text_param("uri")?);
    exchange.complete(Cache::None, |_| Ok(()))
}
