//! Whether a certificate may be that of a node now.

use std::{sync::Arc, time::Duration};

use rustls::{
    CertificateError, Error, RootCertStore,
    client::verify_server_cert_signed_by_trust_anchor,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, UnixTime},
    server::{ParsedCertificate, WebPkiClientVerifier, danger::ClientCertVerifier},
};
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

/// How long a certificate still holds.
pub(super) fn time_left(own: &[u8]) -> Duration {
    let parsed = X509Certificate::from_der(own).ok();
    let left = parsed.and_then(|(_, parsed)| parsed.validity().time_to_expiration());
    left.and_then(|left| left.try_into().ok()).unwrap_or_default()
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
