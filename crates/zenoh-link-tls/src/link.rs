//! A link: one TLS connection.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Weak},
    time::Duration,
};

use async_trait::async_trait;
use rustls::pki_types::CertificateDer;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf},
    net::TcpStream,
    sync::Mutex,
};
use tokio_rustls::TlsStream;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolmesh_certificate::{End, come};
use x509_parser::prelude::{FromDer as _, X509Certificate};
use zenoh_link_commons::{LinkAuthId, LinkUnicastTrait, get_ip_interface_names};
use zenoh_protocol::{
    core::{Locator, Priority},
    transport::BatchSize,
};
use zenoh_result::{ZResult, bail, zerror};
use zenoh_runtime::ZRuntime;

use crate::{TLS_LOCATOR_PREFIX, socket::Socket};

/// How long closing waits for what is being written, and then for the other end to take the last of it.
const CLOSING: Duration = Duration::from_secs(1);

/// One connection. zenoh reads and writes it from different threads: the halves share a lock around each use of it.
pub(crate) struct Link {
    reading: Mutex<ReadHalf<TlsStream<Socket>>>,
    writing: Mutex<WriteHalf<TlsStream<Socket>>>,
    /// Whatever waits for the connection ends with it.
    closed: CancellationToken,
    from: Locator,
    to: Locator,
    address: SocketAddr,
    other: LinkAuthId,
    mtu: BatchSize,
    _ends: DropGuard,
}

impl Link {
    /// A link of a connection whose handshake is done, until a certificate of either side ends.
    pub(crate) fn new(stream: TlsStream<Socket>, own: End) -> ZResult<Arc<Self>> {
        let (tcp, tls) = stream.get_ref();
        let (address, to) = (tcp.local_addr()?, tcp.peer_addr()?);
        let chain = tls.peer_certificates().unwrap_or_default();
        let end = End::first_of(chain).ok_or_else(|| zerror!("a certificate is not understood"))?;
        let (other, end) = (common_name(chain)?, end.min(own));
        if end.has_come() {
            bail!("a certificate has ended");
        }
        tcp.set_nodelay(true)?;
        let mtu = mtu(tcp, address.ip());
        let closed = CancellationToken::new();
        let (reading, writing) = tokio::io::split(stream);
        let link = Arc::new(Self {
            reading: Mutex::new(reading),
            writing: Mutex::new(writing),
            from: Locator::new(TLS_LOCATOR_PREFIX, address.to_string(), "")?,
            to: Locator::new(TLS_LOCATOR_PREFIX, to.to_string(), "")?,
            address,
            other: LinkAuthId::Tls(other),
            mtu,
            _ends: closed.clone().drop_guard(),
            closed: closed.clone(),
        });
        ZRuntime::Acceptor.spawn(expire(Arc::downgrade(&link), closed, end));
        Ok(link)
    }

    /// What comes of it, unless the link is closed before.
    async fn unless_closed<T>(&self, what: impl Future<Output = io::Result<T>>) -> ZResult<T> {
        if self.closed.is_cancelled() {
            bail!("{self}: the link is closed");
        }
        tokio::select! {
            biased;
            done = what => Ok(done.map_err(|error| zerror!("{self}: {error}"))?),
            () = self.closed.cancelled() => bail!("{self}: the link is closed"),
        }
    }

    async fn end(&self) -> ZResult<()> {
        if self.closed.is_cancelled() {
            return Ok(());
        }
        // The last words may still be on their way.
        let turn = tokio::time::timeout(CLOSING, self.writing.lock()).await;
        self.closed.cancel();
        let mut writing = match turn {
            Ok(turn) => turn,
            Err(_) => self.writing.lock().await,
        };
        match tokio::time::timeout(CLOSING, writing.shutdown()).await {
            Ok(done) => Ok(done.map_err(|error| zerror!("{self}: {error}"))?),
            Err(_) => bail!("{self}: the other end takes nothing any more"),
        }
    }
}

/// Closes a link when its end has come, also one that came about just before.
async fn expire(link: Weak<Link>, closed: CancellationToken, end: End) {
    let has_come = closed.run_until_cancelled(come(end.at())).await;
    if let Some(link) = link.upgrade().filter(|_| has_come.is_some()) {
        tracing::warn!("{link} is closed: a certificate has ended");
        if let Err(error) = link.end().await {
            tracing::debug!("{error}");
        }
    }
}

/// What the first certificate calls whose it is.
fn common_name(chain: &[CertificateDer<'_>]) -> ZResult<Option<String>> {
    let Some(own) = chain.first() else {
        return Ok(None);
    };
    let (_, own) = X509Certificate::from_der(own)?;
    let name = own.subject().iter_common_name().next();
    let name = name.and_then(|name| name.as_str().ok()).map(str::to_owned);
    Ok(name)
}

/// How much zenoh writes at once: it tells lengths in 16 bits, and what fills segments of TCP goes best.
fn mtu(tcp: &TcpStream, address: IpAddr) -> BatchSize {
    // The headers of IP and TCP.
    let headers = if address.is_ipv4() { 40 } else { 60 };
    let most = BatchSize::MAX - headers;
    let half = BatchSize::try_from(segment(tcp) / 2).unwrap_or(most);
    let halves = (most - 1).checked_div(half).unwrap_or_default();
    if halves == 0 { most } else { halves * half }
}

#[cfg(unix)]
fn segment(tcp: &TcpStream) -> u32 {
    socket2::SockRef::from(tcp).mss().unwrap_or_default()
}

#[cfg(not(unix))]
fn segment(_: &TcpStream) -> u32 {
    0
}

#[async_trait]
impl LinkUnicastTrait for Link {
    fn get_mtu(&self) -> BatchSize {
        self.mtu
    }

    fn get_src(&self) -> &Locator {
        &self.from
    }

    fn get_dst(&self) -> &Locator {
        &self.to
    }

    fn is_reliable(&self) -> bool {
        true
    }

    fn is_streamed(&self) -> bool {
        true
    }

    fn get_interface_names(&self) -> Vec<String> {
        get_ip_interface_names(&self.address)
    }

    fn get_auth_id(&self) -> &LinkAuthId {
        &self.other
    }

    async fn write(&self, buffer: &[u8], _: Option<Priority>) -> ZResult<usize> {
        let writing = async {
            let mut writing = self.writing.lock().await;
            let written = writing.write(buffer).await?;
            writing.flush().await.map(|()| written)
        };
        self.unless_closed(writing).await
    }

    async fn write_all(&self, buffer: &[u8], _: Option<Priority>) -> ZResult<()> {
        let writing = async {
            let mut writing = self.writing.lock().await;
            writing.write_all(buffer).await?;
            // Or the end of it may stay here until something else is written.
            writing.flush().await
        };
        self.unless_closed(writing).await
    }

    async fn read(&self, buffer: &mut [u8], _: Option<Priority>) -> ZResult<usize> {
        let reading = async { self.reading.lock().await.read(buffer).await };
        self.unless_closed(reading).await
    }

    async fn read_exact(&self, buffer: &mut [u8], _: Option<Priority>) -> ZResult<()> {
        let reading = async { self.reading.lock().await.read_exact(buffer).await.map(drop) };
        self.unless_closed(reading).await
    }

    async fn close(&self) -> ZResult<()> {
        self.end().await
    }

    #[cfg(all(feature = "uring", target_os = "linux"))]
    fn get_fd(&self) -> ZResult<std::os::fd::RawFd> {
        bail!("a TLS link has no descriptor to offer")
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TLS link {} => {}", self.from, self.to)
    }
}
