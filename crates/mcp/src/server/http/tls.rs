//! The endpoint over TLS.

use std::{fmt, sync::Arc};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio_rustls::TlsAcceptor;

/// A certificate chain and its key. The debug form shows neither.
#[derive(Clone)]
pub struct TlsIdentity {
    config: Arc<ServerConfig>,
}

/// Why there is no TLS with what was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// There is no certificate in PEM form.
    #[error("there is no certificate in PEM form; give the chain, the server's own first")]
    Certificate,
    /// There is no private key in PEM form.
    #[error("there is no private key in PEM form; give it unencrypted, as PKCS #8, PKCS #1 or SEC1")]
    Key,
    /// They do not belong together, or are of a kind that is not known.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[source] rustls::Error),
}

impl TlsIdentity {
    /// Reads a certificate chain, the server's own first, and its private key, both in PEM form.
    ///
    /// # Errors
    /// [`TlsError`] says which of them is wrong, and never shows the key.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsError::Certificate)?;
        if chain.is_empty() {
            return Err(TlsError::Certificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::Key)?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(TlsError::Unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            config: Arc::new(config),
        })
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsIdentity")
    }
}
