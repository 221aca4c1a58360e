//! `logging/setLevel`.

use toolmesh_tool::LogLevel;

use crate::{
    revision::Failure,
    server::{exchange::Exchange, fault::Fault},
    wire::Cache,
};

/// `logging/setLevel`: only for a client whose session is there to remember it.
pub(in crate::server) fn set_level(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    let peer = exchange.peer.as_ref().ok_or(Failure::UnknownMethod)?;
    let level = LogLevel::from_name(exchange.text_param("level")?).ok_or(Failure::InvalidParams)?;
    peer.set_level(level);
    exchange.complete(Cache::None, |_| Ok(()))
}
