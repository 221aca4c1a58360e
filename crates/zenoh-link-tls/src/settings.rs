//! How links are set up: what zenoh's configuration says, carried by the endpoints.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    client::Resumption,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{NoServerSessionStorage, WebPkiClientVerifier},
    version::TLS13,
};
use secrecy::ExposeSecret as _;
use toolmesh_certificate::{AnyName, End};
use zenoh_link_commons::ConfigurationInspector;
use zenoh_protocol::core::{endpoint::Config, parameters};
use zenoh_result::{ZResult, bail, zerror};

const AUTHORITY: &str = "root_ca_certificate_base64";

/// The certificate and its key at the end that connects, and at the one that listens.
const CONNECT: [&str; 2] = ["connect_certificate_base64", "connect_private_key_base64"];
const LISTEN: [&str; 2] = ["listen_certificate_base64", "listen_private_key_base64"];

/// What has to be set, and to what.
const FIXED: [(&str, bool); 3] = [
    ("enable_mtls", true),
    ("verify_name_on_connect", false),
    ("close_link_on_expiration", true),
];

/// In endpoints alone: zenoh's `accept_timeout` (in milliseconds) and `accept_pending`, which it applies to links that are there.
const TIMEOUT: &str = "accept_timeout";
const PENDING: &str = "accept_pending";

/// Reads zenoh's configuration.
#[derive(Debug, Default, Clone, Copy)]
pub struct TlsConfigurator;

impl ConfigurationInspector<zenoh_config::Config> for TlsConfigurator {
    fn inspect_config(&self, config: &zenoh_config::Config) -> ZResult<String> {
        let (tls, unicast) = (config.transport().link().tls(), config.transport().unicast());
        let not_known = [
            ("root_ca_certificate", tls.root_ca_certificate().is_some()),
            ("connect_certificate", tls.connect_certificate().is_some()),
            ("connect_private_key", tls.connect_private_key().is_some()),
            ("listen_certificate", tls.listen_certificate().is_some()),
            ("listen_private_key", tls.listen_private_key().is_some()),
            ("so_sndbuf", tls.so_sndbuf().is_some()),
            ("so_rcvbuf", tls.so_rcvbuf().is_some()),
        ];
        if let Some((key, _)) = not_known.iter().find(|(_, is_set)| *is_set) {
            return Err(not_supported(key));
        }
        let texts = [
            (AUTHORITY, tls.root_ca_certificate_base64()),
            (CONNECT[0], tls.connect_certificate_base64()),
            (CONNECT[1], tls.connect_private_key_base64()),
            (LISTEN[0], tls.listen_certificate_base64()),
            (LISTEN[1], tls.listen_private_key_base64()),
        ];
        let texts = texts.iter().filter_map(|(key, text)| {
            let text = text.as_ref()?;
            Some((*key, text.expose_secret().to_string()))
        });
        let mut said: Vec<_> = texts.collect();
        let switches = [
            *tls.enable_mtls(),
            *tls.verify_name_on_connect(),
            *tls.close_link_on_expiration(),
        ];
        for ((key, needed), is) in FIXED.into_iter().zip(switches) {
            match is {
                Some(is) if is == needed => said.push((key, is.to_string())),
                Some(_) => return Err(has_to_be(key, needed)),
                // Whoever has no links of this kind sets nothing.
                None => {}
            }
        }
        said.push((TIMEOUT, unicast.accept_timeout().to_string()));
        said.push((PENDING, unicast.accept_pending().to_string()));
        Ok(parameters::from_iter(
            said.iter().map(|(key, text)| (*key, text.as_str())),
        ))
    }
}

fn not_supported(key: &str) -> zenoh_result::Error {
    zerror!("`{key}` is not supported by the TLS links of this build").into()
}

fn has_to_be(key: &str, needed: bool) -> zenoh_result::Error {
    zerror!("`{key}` has to be {needed} with the TLS links of this build").into()
}

/// How the end that connects is set up, and until when its certificate holds.
pub(crate) fn client(config: &Config<'_>) -> ZResult<(ClientConfig, End)> {
    let own = Own::read(config, CONNECT)?;
    let verifier = AnyName::new(own.roots, Arc::clone(&own.provider));
    let mut client = ClientConfig::builder_with_provider(own.provider)
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_client_auth_cert(own.chain, own.key)?;
    // Every link proves its certificate anew.
    client.resumption = Resumption::disabled();
    Ok((client, own.end))
}

/// How the end that listens is set up, and until when its certificate holds.
pub(crate) fn server(config: &Config<'_>) -> ZResult<(ServerConfig, End)> {
    let own = Own::read(config, LISTEN)?;
    let verifier = WebPkiClientVerifier::builder_with_provider(own.roots, Arc::clone(&own.provider));
    let mut server = ServerConfig::builder_with_provider(own.provider)
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier.build()?)
        .with_single_cert(own.chain, own.key)?;
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    Ok((server, own.end))
}

/// How long a handshake may take, and how many may be under way at once.
pub(crate) fn bounds(config: &Config<'_>) -> ZResult<(Duration, usize)> {
    let (timeout, pending) = (config.get(TIMEOUT), config.get(PENDING));
    let milliseconds = timeout.map_or(Ok(3_000), str::parse)?;
    Ok((
        Duration::from_millis(milliseconds),
        pending.map_or(Ok(512), str::parse)?,
    ))
}

/// What an end shows, and whom it believes.
struct Own {
    provider: Arc<CryptoProvider>,
    roots: Arc<RootCertStore>,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    end: End,
}

impl Own {
    fn read(config: &Config<'_>, [certificate, key]: [&str; 2]) -> ZResult<Self> {
        check(config)?;
        let mut roots = RootCertStore::empty();
        for root in certificates(config, AUTHORITY)? {
            roots.add(root)?;
        }
        let chain = certificates(config, certificate)?;
        let secret = PrivateKeyDer::from_pem_slice(&pem(config, key)?);
        Ok(Self {
            provider: Arc::new(aws_lc_rs::default_provider()),
            roots: Arc::new(roots),
            end: End::first_of(&chain).ok_or_else(|| zerror!("`{certificate}` is not understood"))?,
            chain,
            key: secret.map_err(|error| zerror!("`{key}`: {error}"))?,
        })
    }
}

/// Nothing that an endpoint asks for is left out in silence.
fn check(config: &Config<'_>) -> ZResult<()> {
    for (key, needed) in FIXED {
        if config.get(key) != Some(needed.to_string().as_str()) {
            return Err(has_to_be(key, needed));
        }
    }
    let is_known = |key: &str| {
        let texts = CONNECT.iter().chain(&LISTEN);
        let mut others = texts.chain(&[AUTHORITY, TIMEOUT, PENDING]);
        FIXED.iter().any(|(fixed, _)| *fixed == key) || others.any(|known| *known == key)
    };
    match config.iter().find(|(key, _)| !is_known(key)) {
        Some((key, _)) => Err(not_supported(key)),
        None => Ok(()),
    }
}

fn pem(config: &Config<'_>, key: &str) -> ZResult<Vec<u8>> {
    let Some(text) = config.get(key) else {
        bail!("`{key}` is missing");
    };
    let decoded = STANDARD.decode(text);
    Ok(decoded.map_err(|error| zerror!("`{key}`: {error}"))?)
}

/// The certificates of a setting, of which there is at least one.
fn certificates(config: &Config<'_>, key: &str) -> ZResult<Vec<CertificateDer<'static>>> {
    let pem = pem(config, key)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => bail!("`{key}` has no certificate in it"),
    }
}
