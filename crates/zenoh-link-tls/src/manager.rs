//! What zenoh asks for links.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use rustls::pki_types::ServerName;
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};
use zenoh_link_commons::{
    LinkManagerUnicastTrait, LinkUnicast, LinkUnicastTrait, ListenersUnicastIP, NewLinkChannelSender,
    tcp::{TcpSocketConfig, get_tcp_addrs},
};
use zenoh_protocol::core::{EndPoint, Locator};
use zenoh_result::{ZResult, bail, zerror};

use crate::{link::Link, listener::Door, settings, socket::Socket};

/// Makes links and listens for them.
pub struct LinkManagerUnicastTls {
    links: NewLinkChannelSender,
    listeners: ListenersUnicastIP,
}

impl LinkManagerUnicastTls {
    /// One that gives the links of those who connect to a channel.
    #[must_use]
    pub fn new(links: NewLinkChannelSender) -> Self {
        Self {
            links,
            listeners: ListenersUnicastIP::new(),
        }
    }
}

impl fmt::Debug for LinkManagerUnicastTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("LinkManagerUnicastTls");
        debug.field("listeners", &self.listeners).finish_non_exhaustive()
    }
}

fn sockets() -> TcpSocketConfig<'static> {
    TcpSocketConfig::new(None, None, None, None, None)
}

#[async_trait]
impl LinkManagerUnicastTrait for LinkManagerUnicastTls {
    async fn new_link(&self, endpoint: EndPoint) -> ZResult<LinkUnicast> {
        let (client, own) = settings::client(&endpoint.config())?;
        let addresses = get_tcp_addrs(endpoint.address()).await?;
        let connected = sockets().new_link_first_reachable(addresses).await;
        let (stream, _, to) = connected.map_err(|error| zerror!("{}: {error}", endpoint.address()))?;
        stream.set_nodelay(true)?;
        // No name is asked for, and none is told to whoever listens on the way.
        let name = ServerName::IpAddress(to.ip().into());
        let connector = TlsConnector::from(Arc::new(client));
        let stream = connector.connect(name, Socket(stream)).await;
        let stream = stream.map_err(|error| zerror!("{}: {error}", endpoint.address()))?;
        let link: Arc<dyn LinkUnicastTrait> = Link::new(TlsStream::from(stream), own)?;
        Ok(LinkUnicast::from(link))
    }

    async fn new_listener(&self, endpoint: EndPoint) -> ZResult<Locator> {
        let (server, own) = settings::server(&endpoint.config())?;
        let door = Door {
            acceptor: TlsAcceptor::from(Arc::new(server)),
            own,
            bounds: settings::bounds(&endpoint.config())?,
            links: self.links.clone(),
        };
        let mut failed = zerror!("{}: there is no address", endpoint.address()).into();
        for address in get_tcp_addrs(endpoint.address()).await? {
            match sockets().new_listener(&address) {
                Err(error) => failed = error,
                Ok((socket, at)) => {
                    let place = at.to_string();
                    let (metadata, config) = (endpoint.metadata(), endpoint.config());
                    let endpoint = EndPoint::new(endpoint.protocol(), place, metadata, config)?;
                    let (locator, enough) = (endpoint.to_locator(), self.listeners.token.child_token());
                    let listening = door.open(socket, enough.clone());
                    self.listeners
                        .add_listener(endpoint, at, listening, enough)
                        .await?;
                    return Ok(locator);
                }
            }
        }
        Err(failed)
    }

    async fn del_listener(&self, endpoint: &EndPoint) -> ZResult<()> {
        for address in get_tcp_addrs(endpoint.address()).await? {
            if self.listeners.del_listener(address).await.is_ok() {
                return Ok(());
            }
        }
        bail!("{}: nothing listens there", endpoint.address())
    }

    async fn get_listeners(&self) -> Vec<EndPoint> {
        self.listeners.get_endpoints()
    }

    async fn get_locators(&self) -> Vec<Locator> {
        self.listeners.get_locators()
    }

    async fn get_locators_noloopback(&self) -> Vec<Locator> {
        self.listeners.get_locators_noloopback()
    }
}
