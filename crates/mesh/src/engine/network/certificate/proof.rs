//! How a node proves that a certificate is its own.

use std::time::SystemTime;

use rustls::{
    SignatureScheme,
    pki_types::{CertificateDer, UnixTime},
};
use webpki::EndEntityCert;

use super::{
    Credentials,
    name::{NameError, identity},
    validity::first_end,
};
use crate::engine::Identity;

/// Most certificates between a node's own and its authority's.
pub(super) const MAX_INTERMEDIATES: usize = 4;

/// Largest certificate in bytes; one of a node has under 1 KiB.
pub(super) const MAX_CERTIFICATE_BYTES: usize = 16 * 1024;

/// How a node proves that its key is that of its certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine::network) struct Proof {
    /// The node's certificate, and those between it and the authority's.
    pub(in crate::engine::network) chain: Vec<Vec<u8>>,
    /// Of the signature.
    pub(in crate::engine::network) scheme: u16,
    /// Over the node's public key for this mesh.
    pub(in crate::engine::network) signature: Vec<u8>,
}

/// Why a proof is none.
#[derive(Debug, thiserror::Error)]
pub(in crate::engine::network) enum Refused {
    #[error("its certificate has ended, that of this node, or their authority")]
    Ended,
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
    pub(in crate::engine::network) fn prove(&self, text: &[u8]) -> Result<Proof, rustls::Error> {
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

    /// Who has proved by this that a text is its own, and how long that holds: until the first of their certificates ends.
    pub(in crate::engine::network) fn check(
        &self,
        proof: Option<&Proof>,
        text: &[u8],
    ) -> Result<(Identity, SystemTime), Refused> {
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
        let identity = identity(own).map_err(Refused::Name)?;
        let until = first_end(&chain)
            .map_err(Refused::Certificate)?
            .min(self.ends.first());
        if until <= SystemTime::now() {
            return Err(Refused::Ended);
        }
        Ok((identity, until))
    }
}

impl Proof {
    /// Whether it has a size that one of a node may have.
    pub(in crate::engine::network) fn is_bounded(&self) -> bool {
        self.chain.len() <= 1 + MAX_INTERMEDIATES
            && self.chain.iter().all(|der| der.len() <= MAX_CERTIFICATE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{Certificate, KeyPair};

    use super::*;
    use crate::engine::network::certificate::samples::{authority, certificate, credentials};

    #[test]
    fn a_proof_holds_for_its_text_its_key_and_its_authority_while_the_certificate_does() {
        let (ours, key, other_key) = (
            authority(),
            KeyPair::generate().unwrap(),
            KeyPair::generate().unwrap(),
        );
        let checks = credentials(&ours, "node", &KeyPair::generate().unwrap());
        let proof = credentials(&ours, "node", &key).prove(b"text").unwrap();
        assert_eq!(checks.check(Some(&proof), b"text").unwrap().0.name, "node");
        assert!(matches!(
            checks.check(Some(&proof), b"other"),
            Err(Refused::Signature)
        ));
        assert!(matches!(checks.check(None, b"text"), Err(Refused::None)));
        let with = |certificate: Certificate| Proof {
            chain: vec![certificate.der().to_vec()],
            ..proof.clone()
        };
        let expired = with(certificate(&ours, "node", &key, 2021));
        let refused = checks.check(Some(&expired), b"text").unwrap_err();
        assert!(refused.to_string().contains("expired"), "{refused}");
        let stolen = with(certificate(&ours, "node", &other_key, 4000));
        assert!(matches!(
            checks.check(Some(&stolen), b"text"),
            Err(Refused::Signature)
        ));
        let foreign = with(certificate(&authority(), "node", &key, 4000));
        assert!(matches!(
            checks.check(Some(&foreign), b"text"),
            Err(Refused::Certificate(_))
        ));
    }

    #[test]
    fn proofs_are_bounded() {
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
