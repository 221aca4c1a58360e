//! Certificates: who a node is, and how it proves it.

mod name;
mod proof;
#[cfg(test)]
pub(super) mod samples;

use std::{fmt, path::Path, sync::Arc};

use rustls::{
    RootCertStore,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::{WebPkiClientVerifier, danger::ClientCertVerifier},
    sign::SigningKey,
};

use crate::engine::Identity;
pub use name::NameError;
use name::identity;
use proof::{MAX_CERTIFICATE_BYTES, MAX_INTERMEDIATES};
pub(super) use proof::{Proof, Refused};

/// The certificate of a node, its key, and the authority whose certificates it believes.
///
/// The node's name is the common name of its certificate. Its subnets and groups are names of the certificate too: URIs of
/// the form `toolmesh:subnet:7` and `toolmesh:group:` with 64 hexadecimal digits.
pub struct Credentials {
    /// The node's certificate, and those between it and the authority's.
    pub(in crate::engine) chain: Vec<CertificateDer<'static>>,
    pub(in crate::engine) key: Arc<dyn SigningKey>,
    pub(in crate::engine) roots: Arc<RootCertStore>,
    pub(in crate::engine) provider: Arc<CryptoProvider>,
    verifier: Arc<dyn ClientCertVerifier>,
    identity: Identity,
    /// Authority, certificate and key as PEM, for the links.
    pub(in crate::engine) pem: Pem,
}

/// Authority, certificate and key.
pub(in crate::engine) struct Pem {
    pub(in crate::engine) authority: Vec<u8>,
    pub(in crate::engine) certificate: Vec<u8>,
    pub(in crate::engine) key: Vec<u8>,
}

/// Why a node's certificate, its key or its authority cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// A file cannot be read.
    #[error("{path} cannot be read: {error}")]
    Read {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// A part is no PEM of its kind.
    #[error("the {part} is not in PEM form")]
    Pem {
        /// `authority`, `certificate` or `private key`.
        part: &'static str,
    },
    /// The certificate does not name its node as one needs it.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The certificate is not of the authority, has expired or is not valid yet, or the key is not its key.
    #[error("the certificate cannot be used: {0}")]
    Certificate(#[from] rustls::Error),
    /// There are more certificates, or larger ones, than other nodes take.
    #[error(
        "other nodes take a certificate with at most {MAX_INTERMEDIATES} between it and the authority's, each of at most \
         {MAX_CERTIFICATE_BYTES} bytes"
    )]
    Size,
    /// The authority is none.
    #[error("the authority's certificate cannot be used: {0}")]
    Authority(#[from] rustls::server::VerifierBuilderError),
}

impl Credentials {
    /// From PEM files: the authority's certificate, the node's with those between them after it, and the node's key.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn read(authority: &Path, certificate: &Path, key: &Path) -> Result<Self, CredentialsError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|error| CredentialsError::Read {
                path: path.display().to_string(),
                error,
            })
        };
        Self::from_pem(read(authority)?, read(certificate)?, read(key)?)
    }

    /// As [`Credentials::read`], from the contents of the files.
    ///
    /// # Errors
    /// [`CredentialsError`], also when the certificate is not of the authority, or has expired.
    pub fn from_pem(
        authority: Vec<u8>,
        certificate: Vec<u8>,
        key: Vec<u8>,
    ) -> Result<Self, CredentialsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        for root in certificates(&authority, "authority")? {
            roots.add(root)?;
        }
        let roots = Arc::new(roots);
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider)).build()?;
        let chain = certificates(&certificate, "certificate")?;
        let secret =
            PrivateKeyDer::from_pem_slice(&key).map_err(|_| CredentialsError::Pem { part: "private key" })?;
        let signing = provider.key_provider.load_private_key(secret)?;
        let (own, between) = chain
            .split_first()
            .ok_or(CredentialsError::Pem { part: "certificate" })?;
        verifier.verify_client_cert(own, between, UnixTime::now())?;
        let identity = identity(own)?;
        let credentials = Self {
            identity,
            key: signing,
            verifier,
            roots,
            provider,
            pem: Pem {
                authority,
                certificate,
                key,
            },
            chain,
        };
        // A key of another certificate is found here, and not by the first node that is met.
        let proof = credentials.prove(b"")?;
        if !proof.is_bounded() {
            return Err(CredentialsError::Size);
        }
        let checked = credentials.check(Some(&proof), b"");
        checked.map_err(|_| rustls::Error::InconsistentKeys(rustls::InconsistentKeys::KeyMismatch))?;
        Ok(credentials)
    }

    /// Who the certificate says that its node is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }
}

fn certificates(pem: &[u8], part: &'static str) -> Result<Vec<CertificateDer<'static>>, CredentialsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(CredentialsError::Pem { part }),
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        f.debug_struct("Credentials")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}
