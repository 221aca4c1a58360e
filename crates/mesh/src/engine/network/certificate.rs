//! Certificates: who a node is, and how it proves it.

use std::{fmt, path::Path, sync::Arc};

use rustls::{
    RootCertStore, SignatureScheme,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::{WebPkiClientVerifier, danger::ClientCertVerifier},
    sign::SigningKey,
};
use webpki::EndEntityCert;
use x509_parser::{extensions::GeneralName, prelude::FromDer, prelude::X509Certificate};

use super::greeting::MAX_NODE_NAME_BYTES;
use crate::engine::{Identity, NodeId};

/// Most certificates between a node's own and its authority's.
const MAX_INTERMEDIATES: usize = 4;

/// Largest certificate in bytes; one of a node has under 1 KiB.
const MAX_CERTIFICATE_BYTES: usize = 16 * 1024;

/// Most subnets, and most groups, of one certificate.
const MAX_MEMBERSHIPS: usize = 64;

/// The certificate of a node, its key, and the authority whose certificates it believes.
///
/// The node's name is the common name of its certificate. Its subnets and groups are names of the certificate too: URIs of
/// the form `toolmesh:subnet:7` and `toolmesh:group:` with 64 hexadecimal digits.
pub struct Credentials {
    chain: Vec<CertificateDer<'static>>,
    key: Arc<dyn SigningKey>,
    verifier: Arc<dyn ClientCertVerifier>,
    provider: Arc<CryptoProvider>,
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
    /// The authority is none.
    #[error("the authority's certificate cannot be used: {0}")]
    Authority(#[from] rustls::server::VerifierBuilderError),
}

/// Why a certificate does not say who a node is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It cannot be read.
    #[error("the certificate is not in X.509 form")]
    Form,
    /// It has no common name, several, or one that is too long.
    #[error("the certificate needs one common name of at most {MAX_NODE_NAME_BYTES} bytes: the node's name")]
    CommonName,
    /// A subnet or group is written in another way than it has to be, or there are too many.
    #[error("the certificate has a name `{0}` that is no subnet and no group")]
    Membership(String),
}

/// How a node proves that its key is that of its certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proof {
    /// The node's certificate, and those between it and the authority's.
    pub(super) chain: Vec<Vec<u8>>,
    /// Of the signature.
    pub(super) scheme: u16,
    /// Over the node's public key for this mesh.
    pub(super) signature: Vec<u8>,
}

/// Why a proof is none.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("it has no certificate")]
    None,
    #[error("its certificate is refused: {0}")]
    Certificate(rustls::Error),
    #[error(transparent)]
    Name(NameError),
    #[error("its key is not that of its certificate")]
    Signature,
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
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build()?;
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
        let checked = credentials.check(Some(&proof), b"");
        checked.map_err(|_| rustls::Error::InconsistentKeys(rustls::InconsistentKeys::KeyMismatch))?;
        Ok(credentials)
    }

    /// Who the certificate says that its node is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn prove(&self, text: &[u8]) -> Result<Proof, rustls::Error> {
        let schemes = self
            .provider
            .signature_verification_algorithms
            .supported_schemes();
        let signer = self.key.choose_scheme(&schemes).ok_or(rustls::Error::General(
            "the key's kind is not supported".to_owned(),
        ))?;
        Ok(Proof {
            chain: self
                .chain
                .iter()
                .map(|certificate| certificate.to_vec())
                .collect(),
            scheme: signer.scheme().into(),
            signature: signer.sign(text)?,
        })
    }

    /// Who has proved by this that a text is its own.
    pub(super) fn check(&self, proof: Option<&Proof>, text: &[u8]) -> Result<Identity, Refused> {
        let proof = proof.ok_or(Refused::None)?;
        let chain: Vec<_> = proof
            .chain
            .iter()
            .map(|der| CertificateDer::from(der.as_slice()))
            .collect();
        let (own, between) = chain.split_first().ok_or(Refused::None)?;
        self.verifier
            .verify_client_cert(own, between, UnixTime::now())
            .map_err(Refused::Certificate)?;
        let certificate = EndEntityCert::try_from(own).map_err(|_| Refused::Signature)?;
        let algorithms = self.provider.signature_verification_algorithms.mapping;
        let scheme = SignatureScheme::from(proof.scheme);
        let of_scheme = algorithms.iter().find(|(of, _)| *of == scheme);
        let mut of_scheme = of_scheme
            .into_iter()
            .flat_map(|(_, algorithms)| algorithms.iter());
        if !of_scheme.any(|algorithm| {
            certificate
                .verify_signature(*algorithm, text, &proof.signature)
                .is_ok()
        }) {
            return Err(Refused::Signature);
        }
        identity(own).map_err(Refused::Name)
    }
}

impl Proof {
    /// Whether it has a size that one of a node may have.
    pub(super) fn is_bounded(&self) -> bool {
        self.chain.len() <= 1 + MAX_INTERMEDIATES
            && self.chain.iter().all(|der| der.len() <= MAX_CERTIFICATE_BYTES)
    }
}

fn certificates(pem: &[u8], part: &'static str) -> Result<Vec<CertificateDer<'static>>, CredentialsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(CredentialsError::Pem { part }),
    }
}

/// Who a certificate says that its node is.
fn identity(certificate: &CertificateDer<'_>) -> Result<Identity, NameError> {
    let (_, certificate) = X509Certificate::from_der(certificate).map_err(|_| NameError::Form)?;
    let mut names = certificate.subject().iter_common_name();
    let name = match (names.next().map(|name| name.as_str()), names.next()) {
        (Some(Ok(name)), None) if (1..=MAX_NODE_NAME_BYTES).contains(&name.len()) => name,
        _ => return Err(NameError::CommonName),
    };
    let mut identity = Identity::new(NodeId::of_name(name), name);
    let others = certificate
        .subject_alternative_name()
        .map_err(|_| NameError::Form)?;
    for other in others.iter().flat_map(|names| &names.value.general_names) {
        if let GeneralName::URI(uri) = other
            && let Some(membership) = uri.strip_prefix("toolmesh:")
        {
            join(&mut identity, membership).ok_or_else(|| NameError::Membership((*uri).to_owned()))?;
        }
    }
    Ok(identity)
}

fn join(identity: &mut Identity, membership: &str) -> Option<()> {
    match membership.split_once(':')? {
        ("subnet", number) => identity.subnets.push(number.parse().ok()?),
        ("group", digits) => identity.groups.push(group(digits)?),
        _ => return None,
    }
    let most = identity.subnets.len().max(identity.groups.len());
    (most <= MAX_MEMBERSHIPS).then_some(())
}

fn group(digits: &str) -> Option<[u8; 32]> {
    let is_hex = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let (high, low) = digits.split_at_checked(32).filter(|_| is_hex)?;
    let half = |half| u128::from_str_radix(half, 16).ok().map(u128::to_be_bytes);
    let (high, low) = (half(high)?, half(low)?);
    let mut group = [0; 32];
    for (to, from) in group.iter_mut().zip(high.into_iter().chain(low)) {
        *to = from;
    }
    Some(group)
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        f.debug_struct("Credentials")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{
        BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair,
        date_time_ymd,
    };

    use super::*;

    type Issuer = CertifiedIssuer<'static, KeyPair>;

    fn authority() -> Issuer {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    fn certificate(authority: &Issuer, key: &KeyPair, last_year: i32) -> Certificate {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "node");
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(last_year, 1, 1);
        params.signed_by(key, authority).unwrap()
    }

    fn credentials(authority: &Issuer, key: &KeyPair) -> Credentials {
        let pem = certificate(authority, key, 4000).pem();
        let parts = [authority.pem(), pem, key.serialize_pem()].map(String::into_bytes);
        let [authority, certificate, key] = parts;
        Credentials::from_pem(authority, certificate, key).unwrap()
    }

    #[test]
    fn a_proof_holds_for_its_text_its_key_and_its_authority_while_the_certificate_does() {
        let (ours, key, other_key) = (
            authority(),
            KeyPair::generate().unwrap(),
            KeyPair::generate().unwrap(),
        );
        let checks = credentials(&ours, &KeyPair::generate().unwrap());
        let proof = credentials(&ours, &key).prove(b"text").unwrap();
        assert_eq!(checks.check(Some(&proof), b"text").unwrap().name, "node");
        assert!(matches!(
            checks.check(Some(&proof), b"other"),
            Err(Refused::Signature)
        ));
        assert!(matches!(checks.check(None, b"text"), Err(Refused::None)));
        let with = |certificate: Certificate| Proof {
            chain: vec![certificate.der().to_vec()],
            ..proof.clone()
        };
        let expired = with(certificate(&ours, &key, 2021));
        let refused = checks.check(Some(&expired), b"text").unwrap_err();
        assert!(refused.to_string().contains("expired"), "{refused}");
        let stolen = with(certificate(&ours, &other_key, 4000));
        assert!(matches!(
            checks.check(Some(&stolen), b"text"),
            Err(Refused::Signature)
        ));
        let foreign = with(certificate(&authority(), &key, 4000));
        assert!(matches!(
            checks.check(Some(&foreign), b"text"),
            Err(Refused::Certificate(_))
        ));
    }

    #[test]
    fn memberships_are_bounded() {
        let mut identity = Identity::new(NodeId::new(1), "node");
        for number in 0..MAX_MEMBERSHIPS {
            assert!(join(&mut identity, &format!("subnet:{number}")).is_some());
        }
        assert!(join(&mut identity, "subnet:1000").is_none());
        let proof = |certificates, bytes| Proof {
            chain: vec![vec![0; bytes]; certificates],
            scheme: 0,
            signature: Vec::new(),
        };
        assert!(proof(1 + MAX_INTERMEDIATES, MAX_CERTIFICATE_BYTES).is_bounded());
        assert!(!proof(2 + MAX_INTERMEDIATES, 1).is_bounded());
        assert!(!proof(1, MAX_CERTIFICATE_BYTES + 1).is_bounded());
    }
}
