//! `initialize`, `ping`, and `server/discover`.

use crate::{
    jsonrpc::Request,
    revision::{Era, NEWEST_HANDSHAKE, Revision, supported_versions},
    server::{capabilities::write_capabilities, client_facts::ClientFacts, exchange::Exchange, fault::Fault},
    wire::Cache,
};

/// The revision that an `initialize` gets: the one it asks for when that is served and has a handshake, else the
/// newest that has.
pub(in crate::server) fn negotiate(request: &Request) -> &'static Revision {
    request
        .param("protocolVersion")
        .and_then(|version| version.as_str())
        .and_then(Revision::find)
        .filter(|revision| revision.era == Era::Handshake)
        .unwrap_or(NEWEST_HANDSHAKE)
}

/// `initialize`; the exchange already stands under the negotiated revision.
pub(in crate::server) fn initialize(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    ClientFacts::of_handshake(exchange.request.params.as_ref().map(Into::into))?;
    exchange.complete(Cache::None, |object| {
        object.text("protocolVersion", exchange.revision.version);
        write_capabilities(object, exchange);
        object.raw(
            "serverInfo",
            exchange.server.described(exchange.revision.projection.server),
        );
        object.text_opt("instructions", exchange.server.info().instructions.as_deref());
        Ok(())
    })
}

/// `ping`.
pub(in crate::server) fn ping(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    exchange.complete(Cache::None, |_| Ok(()))
}

/// `server/discover`.
pub(in crate::server) fn discover(exchange: &Exchange) -> Result<Vec<u8>, Fault> {
    exchange.complete(Cache::Hinted, |object| {
        object.array("supportedVersions", |array| {
            for version in supported_versions() {
                array.text(version);
            }
        });
        write_capabilities(object, exchange);
        object.text_opt("instructions", exchange.server.info().instructions.as_deref());
        Ok(())
    })
}
