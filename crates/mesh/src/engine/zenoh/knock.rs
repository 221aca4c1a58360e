//! Why a place cannot be connected to. Zenoh goes on trying and does not say; this asks at the door.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, Error, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::ServerName,
    sign::{CertifiedKey, SingleCertAndKey},
    version::TLS13,
};
use toolmesh_certificate::AnyName;

use crate::engine::Credentials;

/// How long each step at a place may take: to connect to its addresses, all together, to do the handshake, and to refuse after it. A node without TLS does not
/// answer a greeting in TLS, and closes after three seconds: that is waited for, or it would seem to hang.
const STEP: Duration = Duration::from_millis(3_500);

/// How long one of several addresses has at least.
const ADDRESS: Duration = Duration::from_secs(1);

/// Most addresses of one name that are tried.
const MAX_ADDRESSES: usize = 4;

/// Why nothing is connected there.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreachable {
    #[error("its address is not found: {0}")]
    Name(io::Error),
    #[error("nothing answers there: {0}")]
    Nobody(io::Error),
    #[error(
        "what answers there does not speak TLS; a node with a certificate connects to nodes and routers with one"
    )]
    NoTls,
    #[error("what listens there does not answer: it hangs, is very busy, or is no node of a mesh")]
    Silent,
    #[error(
        "what answers there lets nobody in as a node or router of a mesh does: is it the port of another program, full, or \
         connected by another of its addresses already?"
    )]
    NoNode,
    #[error("it takes only who has a certificate, and this node has none")]
    NeedsCertificate,
    #[error("its certificate is refused: {error}{meaning}", error = .0, meaning = theirs(.0))]
    Theirs(Error),
    #[error("it refuses the certificate of this node: {alert:?}{meaning}", alert = .0, meaning = ours(.0))]
    Ours(AlertDescription),
    #[error("this node's certificate cannot be shown: {0}")]
    Own(Error),
}

/// What it means that a certificate is refused here.
fn theirs(error: &Error) -> &'static str {
    use CertificateError as Wrong;
    match error {
        Error::InvalidCertificate(Wrong::UnknownIssuer | Wrong::BadSignature) => {
            "; another authority made it than that of this node"
        }
        Error::InvalidCertificate(Wrong::Expired | Wrong::ExpiredContext { .. }) => {
            "; a new one has to be made for it, or this machine's clock is wrong"
        }
        Error::InvalidCertificate(Wrong::NotValidYet | Wrong::NotValidYetContext { .. }) => {
            "; one of the two machines' clocks is wrong"
        }
        _ => "",
    }
}

/// What it means that a certificate is refused there.
fn ours(alert: &AlertDescription) -> &'static str {
    match alert {
        AlertDescription::UnknownCA => "; its authority is another than the one that made it",
        AlertDescription::CertificateExpired => "; have a new one made, or set the clocks",
        _ => "",
    }
}

/// The addresses of a place.
pub(super) fn addresses(place: &str) -> Result<Vec<SocketAddr>, Unreachable> {
    let found = place.to_socket_addrs().map_err(Unreachable::Name)?;
    Ok(found.collect())
}

/// Connects as a link of zenoh does, and leaves. It takes at most a few times [`STEP`], and waits on the thread.
pub(super) fn knock(addresses: &[SocketAddr], credentials: Option<&Credentials>) -> Result<(), Unreachable> {
    let mut stream = Step::begin(connect(addresses)?);
    let config = match credentials {
        Some(credentials) => with_certificate(credentials),
        None => without_certificate(),
    };
    // No name is asked for: whose certificate it is matters when nodes meet, not here.
    let nobody = ServerName::IpAddress(SocketAddr::from(([0, 0, 0, 0], 0)).ip().into());
    let client = config.and_then(|config| ClientConnection::new(Arc::new(config), nobody));
    let mut client = client.map_err(Unreachable::Own)?;
    match (greet(&mut client, &mut stream), credentials) {
        (Ok(()), _) => Ok(()),
        (Err(Heard::Tls(Error::InvalidCertificate(_))), None) => Err(Unreachable::NeedsCertificate),
        // What has no certificate and does not speak TLS is as this node is.
        (Err(_), None) => Ok(()),
        (Err(Heard::Tls(Error::AlertReceived(alert))), _) => Err(Unreachable::Ours(alert)),
        (Err(Heard::Tls(error @ Error::InvalidCertificate(_))), _) => Err(Unreachable::Theirs(error)),
        (Err(Heard::Silence), Some(_)) => Err(Unreachable::Silent),
        (Err(Heard::Tls(_) | Heard::Nothing), Some(_)) => Err(Unreachable::NoTls),
    }
}

/// Connects to the first that answers.
pub(super) fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, Unreachable> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let tried = || addresses.iter().take(MAX_ADDRESSES);
    let count = u32::try_from(tried().count()).unwrap_or(u32::MAX);
    let each = STEP.checked_div(count).unwrap_or(STEP).max(ADDRESS);
    for address in tried() {
        match TcpStream::connect_timeout(address, each) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(Unreachable::Nobody(last))
}

/// A connection whose reads and writes all together take one [`STEP`], however little comes at a time.
struct Step {
    stream: TcpStream,
    end: Instant,
}

impl Step {
    fn begin(stream: TcpStream) -> Self {
        let end = Instant::now() + STEP;
        Self { stream, end }
    }

    /// The next step begins.
    fn go_on(&mut self) {
        self.end = Instant::now() + STEP;
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }
}

impl Read for Step {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Step {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// What came instead of a finished handshake.
enum Heard {
    Tls(Error),
    /// Nothing in time.
    Silence,
    /// Something else, or that it hung up.
    Nothing,
}

/// The handshake, and what follows it: the other refuses a certificate only after this side is through.
fn greet(client: &mut ClientConnection, stream: &mut Step) -> Result<(), Heard> {
    client.complete_io(stream).map_err(heard)?;
    // What came too late is no error to it when something had come before.
    if client.is_handshaking() {
        return Err(Heard::Silence);
    }
    stream.go_on();
    match client.read_tls(stream) {
        Ok(_) => client.process_new_packets().map(drop).map_err(Heard::Tls),
        // It took the certificate and has nothing to say.
        Err(_) => Ok(()),
    }
}

fn heard(error: io::Error) -> Heard {
    // What a read is called that took too long depends on the system.
    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
        return Heard::Silence;
    }
    let inner = error.into_inner();
    match inner.and_then(|inner| inner.downcast::<Error>().ok()) {
        Some(error) => Heard::Tls(*error),
        None => Heard::Nothing,
    }
}

fn with_certificate(credentials: &Credentials) -> Result<ClientConfig, Error> {
    let shown = CertifiedKey::new(credentials.chain.clone(), Arc::clone(&credentials.key));
    let verifier = AnyName::new(Arc::clone(&credentials.roots), Arc::clone(&credentials.provider));
    let config = ClientConfig::builder_with_provider(Arc::clone(&credentials.provider))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(shown))))
}

/// Believes nobody: it only has to be seen that there are certificates.
fn without_certificate() -> Result<ClientConfig, Error> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(RootCertStore::empty());
    Ok(config.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rcgen::KeyPair;

    use super::*;
    use crate::engine::network::certificate::samples::{authority, credentials};

    /// How often a byte comes, and how many: more than a step takes.
    const DRIP: Duration = Duration::from_millis(200);
    const DROPS: usize = 40;

    #[test]
    fn whoever_answers_a_byte_at_a_time_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let drips = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // A record of a handshake, as long as any may be.
            let mut text = vec![0x16, 3, 3, 0x40, 0];
            text.resize(DROPS, 0);
            for byte in text {
                std::thread::sleep(DRIP);
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
            }
        });
        let own = credentials(&authority(), "node", &KeyPair::generate().unwrap());
        let refused = knock(&[at], Some(&own)).unwrap_err();
        assert!(matches!(refused, Unreachable::Silent), "{refused}");
        drips.join().unwrap();
    }
}
