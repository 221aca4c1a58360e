//! Certificates: who a node is, and how it proves it.

mod ending;
mod error;
mod name;
mod proof;
mod read;
#[cfg(test)]
pub(in crate::engine) mod samples;
mod validity;

use std::{
    fmt,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use rustls::{
    RootCertStore,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::CertificateDer,
    server::danger::ClientCertVerifier,
    sign::SigningKey,
};

use crate::engine::Identity;
pub use error::{CredentialPart, CredentialsError, CredentialsFault};
pub use name::NameError;
use name::identity;
pub(in crate::engine) use name::is_certificate_name;
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
    ends: Ends,
    /// Authority, certificate and key as PEM, for the links.
    pub(in crate::engine) pem: Pem,
}

/// When certificates end.
#[derive(Clone, Copy)]
struct Ends {
    /// The first of the node's own certificate and those between it and the authority's.
    chain: SystemTime,
    /// The last of the authority's; `None` where one does not tell it.
    authority: Option<SystemTime>,
}

impl Ends {
    /// The first of them.
    fn first(self) -> SystemTime {
        self.authority
            .map_or(self.chain, |authority| self.chain.min(authority))
    }
}

/// Authority, certificate and key.
pub(in crate::engine) struct Pem {
    pub(in crate::engine) authority: Vec<u8>,
    pub(in crate::engine) certificate: Vec<u8>,
    pub(in crate::engine) key: Vec<u8>,
}

impl Credentials {
    /// From PEM files: the authority's certificate, the node's with those between them after it, and the node's key.
    ///
    /// # Errors
    /// [`CredentialsError`].
    pub fn read(authority: &Path, certificate: &Path, key: &Path) -> Result<Self, CredentialsError> {
        let read = || {
            Self::from_pem(
                read::file(CredentialPart::Authority, authority)?,
                read::file(CredentialPart::Certificate, certificate)?,
                read::file(CredentialPart::PrivateKey, key)?,
            )
        };
        read().map_err(|error| error.of_files(authority, certificate, key))
    }

    /// As [`Credentials::read`], from the contents of the files.
    ///
    /// # Errors
    /// [`CredentialsError`], also when the certificate is not of the authority, or when it or the authority has expired.
    pub fn from_pem(
        authority: Vec<u8>,
        certificate: Vec<u8>,
        key: Vec<u8>,
    ) -> Result<Self, CredentialsError> {
        let wrong = |fault| CredentialsError::new(CredentialPart::Certificate, fault);
        let provider = Arc::new(aws_lc_rs::default_provider());
        let authorities = read::certificates(CredentialPart::Authority, &authority)?;
        let of_authority = validity::end_of_authority(&authorities)?;
        let roots = read::roots(authorities)?;
        let chain = read::certificates(CredentialPart::Certificate, &certificate)?;
        let signing = read::key(&provider, &key)?;
        let verifier = validity::verifier(&roots, &provider)?;
        let (own, between) = chain.split_first().ok_or_else(|| wrong(CredentialsFault::Pem))?;
        validity::check(own, between, &roots, &provider, verifier.as_ref())?;
        let identity = identity(own).map_err(|error| wrong(CredentialsFault::Name(error)))?;
        let credentials = Self {
            identity,
            ends: Ends {
                chain: validity::first_end(&chain).map_err(|error| wrong(CredentialsFault::Form(error)))?,
                authority: of_authority,
            },
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
        credentials.check_own()?;
        Ok(credentials)
    }

    /// A key of another certificate is found here, and not by the first node that is met.
    fn check_own(&self) -> Result<(), CredentialsError> {
        let key = |fault| CredentialsError::new(CredentialPart::PrivateKey, fault);
        let proof = self.prove(b"").map_err(|_| key(CredentialsFault::KeyKind))?;
        if !proof.is_bounded() {
            return Err(CredentialsError::new(
                CredentialPart::Certificate,
                CredentialsFault::Size,
            ));
        }
        let checked = self.check(Some(&proof), b"");
        checked.map_err(|_| key(CredentialsFault::OtherCertificate(None)))?;
        Ok(())
    }

    /// Until when an authority makes certificates that are of use: the end of the one of its certificates (PEM) that holds
    /// longest; `None` when one of them does not tell it.
    ///
    /// # Errors
    /// [`CredentialsError`] of [`CredentialPart::Authority`], with [`CredentialsFault::Expired`] when all of them have ended.
    pub fn end_of_authority(authority: &[u8]) -> Result<Option<SystemTime>, CredentialsError> {
        validity::end_of_authority(&read::certificates(CredentialPart::Authority, authority)?)
    }

    /// How long the certificate still holds, those between it and the authority's, and the authority itself: the shortest of
    /// these; zero when one of them has ended. Of several certificates of the authority the one counts that holds longest.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        let left = self.ends.first().duration_since(SystemTime::now());
        left.unwrap_or_default()
    }

    /// Whether the authority ends before the certificate, or with it, so that a new certificate of it would not help.
    fn ends_with_its_authority(&self) -> bool {
        let Ends { chain, authority } = self.ends;
        authority.is_some_and(|authority| authority <= chain)
    }

    /// Who the certificate says that its node is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
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
