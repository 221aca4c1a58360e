//! Certificates for tests.

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};

use super::{Credentials, CredentialsError};

pub(in crate::engine) type Issuer = CertifiedIssuer<'static, KeyPair>;

pub(in crate::engine) fn authority() -> Issuer {
    authority_with(|_| {})
}

pub(in crate::engine) fn authority_with(change: impl FnOnce(&mut CertificateParams)) -> Issuer {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    change(&mut params);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Of a node, until the first day of a year.
pub(in crate::engine) fn certificate(
    authority: &Issuer,
    name: &str,
    key: &KeyPair,
    last_year: i32,
) -> Certificate {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(last_year, 1, 1);
    params.signed_by(key, authority).unwrap()
}

pub(in crate::engine) fn credentials(authority: &Issuer, name: &str, key: &KeyPair) -> Credentials {
    let certificate = certificate(authority, name, key, 4000);
    read(authority.pem(), &certificate, key).unwrap()
}

pub(in crate::engine) fn read(
    authorities: String,
    certificate: &Certificate,
    key: &KeyPair,
) -> Result<Credentials, CredentialsError> {
    let parts = [authorities, certificate.pem(), key.serialize_pem()].map(String::into_bytes);
    let [authorities, certificate, key] = parts;
    Credentials::from_pem(authorities, certificate, key)
}
