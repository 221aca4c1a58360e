//! Whether a certificate may be that of a node now.

use std::{sync::Arc, time::SystemTime};

use rustls::{
    CertificateError, Error, RootCertStore,
    client::verify_server_cert_signed_by_trust_anchor,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, UnixTime},
    server::{ParsedCertificate, WebPkiClientVerifier, danger::ClientCertVerifier},
};
use toolmesh_certificate::End;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::error::{CredentialPart, CredentialsError, CredentialsFault};

/// What says whose certificates are believed.
pub(super) fn verifier(
    roots: &Arc<RootCertStore>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, CredentialsError> {
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(provider));
    builder.build().map_err(|error| {
        let fault = CredentialsFault::Form(Error::General(error.to_string()));
        CredentialsError::new(CredentialPart::Authority, fault)
    })
}

/// Whether others will believe a node's certificate, at both ends of a connection.
pub(super) fn check(
    own: &CertificateDer<'_>,
    between: &[CertificateDer<'_>],
    roots: &RootCertStore,
    provider: &CryptoProvider,
    verifier: &dyn ClientCertVerifier,
) -> Result<(), CredentialsError> {
    let now = UnixTime::now();
    let algorithms = provider.signature_verification_algorithms.all;
    let as_client = verifier.verify_client_cert(own, between, now).map(drop);
    let as_server = || {
        let parsed = ParsedCertificate::try_from(own)?;
        verify_server_cert_signed_by_trust_anchor(&parsed, roots, between, now, algorithms)
    };
    let checked = as_client.and_then(|()| as_server());
    checked.map_err(|error| CredentialsError::new(CredentialPart::Certificate, fault(error, own)))
}

/// When the first of these certificates ends. One that does not tell it is refused: it would never end.
pub(super) fn first_end(certificates: &[CertificateDer<'_>]) -> Result<SystemTime, Error> {
    let end = End::first_of(certificates).map(|end| end.at());
    end.ok_or(Error::InvalidCertificate(CertificateError::BadEncoding))
}

/// When the last of the authority's certificates ends; `None` when one of them does not tell it. Whoever checks a node's
/// certificate believes the authority's without a look at their dates, so that its end is told here or nowhere.
pub(super) fn end_of_authority(
    certificates: &[CertificateDer<'_>],
) -> Result<Option<SystemTime>, CredentialsError> {
    match End::last_of(certificates) {
        Some(end) if end.has_come() => {
            let fault = CredentialsFault::Expired(end.to_string());
            Err(CredentialsError::new(CredentialPart::Authority, fault))
        }
        last => Ok(last.map(|end| end.at())),
    }
}

fn fault(error: Error, own: &CertificateDer<'_>) -> CredentialsFault {
    use CertificateError as Wrong;
    let Error::InvalidCertificate(wrong) = &error else {
        return CredentialsFault::Form(error);
    };
    let parsed = X509Certificate::from_der(own).ok().map(|(_, parsed)| parsed);
    let Some(parsed) = parsed else {
        return CredentialsFault::Form(error);
    };
    let (from, until) = (parsed.validity().not_before, parsed.validity().not_after);
    // It may also be one of those between it and the authority's that has expired.
    match wrong {
        _ if parsed.is_ca() => CredentialsFault::OfAuthority,
        Wrong::Expired
        | Wrong::ExpiredContext { .. }
        | Wrong::NotValidYet
        | Wrong::NotValidYetContext { .. }
            if parsed.validity().is_valid() =>
        {
            CredentialsFault::Form(error)
        }
        Wrong::Expired | Wrong::ExpiredContext { .. } => CredentialsFault::Expired(until.to_string()),
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => CredentialsFault::NotYet(from.to_string()),
        Wrong::UnknownIssuer | Wrong::BadSignature => CredentialsFault::OtherAuthority(None),
        Wrong::InvalidPurpose | Wrong::InvalidPurposeContext { .. } => CredentialsFault::Purpose,
        _ => CredentialsFault::Form(error),
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;
    use crate::engine::network::certificate::{
        Credentials,
        samples::{authority, authority_with, certificate, read},
    };

    fn ended(params: &mut CertificateParams) {
        params.not_after = date_time_ymd(2021, 1, 1);
    }

    #[test]
    fn an_authority_that_has_ended_is_refused_and_one_that_was_renewed_is_not() {
        let (old, new, key) = (authority_with(ended), authority(), KeyPair::generate().unwrap());
        let of_old = certificate(&old, "node", &key, 4000);
        let error = read(old.pem(), &of_old, &key).unwrap_err();
        assert_eq!(error.part(), CredentialPart::Authority);
        assert!(matches!(error.fault(), CredentialsFault::Expired(_)), "{error}");
        let said =
            "the authority's certificate has expired at Jan  1 00:00:00 2021 +00:00: have a new one made";
        assert!(error.to_string().starts_with(said), "{error}");
        assert!(Credentials::end_of_authority(old.pem().as_bytes()).is_err());

        let both = [old.pem(), new.pem()].concat();
        let of_new = certificate(&new, "node", &key, 4000);
        assert!(read(both.clone(), &of_new, &key).is_ok());
        let end = Credentials::end_of_authority(both.as_bytes()).unwrap();
        assert_eq!(end, Credentials::end_of_authority(new.pem().as_bytes()).unwrap());
        assert!(end.is_some_and(|end| end > SystemTime::now()));
    }
}
