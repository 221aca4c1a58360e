//! TLS links for zenoh, in place of the crate of this name that zenoh brings (`[patch.crates-io]` of the workspace). That one
//! reads and writes a connection from two threads at once without a lock around it; here each use of a connection has one.
//!
//! It knows one way to be set up, that of `toolmesh-mesh`: both ends show a certificate of one authority, given as base64 of
//! PEM; whatever name is in it; and a link ends with the certificates. Anything else is refused, never ignored.
//!
//! `settings` reads what an endpoint says; `manager` is what zenoh asks for links; `listener` lets others in; `link` is a link, over a
//! `socket`.

mod link;
mod listener;
mod manager;
mod settings;
mod socket;

use std::str::FromStr as _;

use async_trait::async_trait;
use zenoh_link_commons::LocatorInspector;
use zenoh_protocol::core::{Locator, Metadata, Reliability};
use zenoh_result::ZResult;

pub use manager::LinkManagerUnicastTls;
pub use settings::TlsConfigurator;

/// What the locators of these links begin with.
pub const TLS_LOCATOR_PREFIX: &str = "tls";

/// What a locator says of its links.
#[derive(Debug, Default, Clone, Copy)]
pub struct TlsLocatorInspector;

#[async_trait]
impl LocatorInspector for TlsLocatorInspector {
    fn protocol(&self) -> &str {
        TLS_LOCATOR_PREFIX
    }

    async fn is_multicast(&self, _: &Locator) -> ZResult<bool> {
        Ok(false)
    }

    fn is_reliable(&self, locator: &Locator) -> ZResult<bool> {
        match locator.metadata().get(Metadata::RELIABILITY) {
            Some(said) => Ok(Reliability::from_str(said)? == Reliability::Reliable),
            None => Ok(true),
        }
    }
}
