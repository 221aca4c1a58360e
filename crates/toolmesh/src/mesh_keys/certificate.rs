//! What is in the certificates.

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use toolmesh_mesh::{Credentials, CredentialsFault};

use super::{
    KeyFolder, KeysError, NodeRequest,
    file::{random_hex, read},
};

/// How long a node's certificate holds unless said otherwise.
pub const DEFAULT_VALIDITY: Duration = Duration::from_secs(365 * DAY);

/// How long the authority's certificate holds.
const AUTHORITY_VALIDITY: Duration = Duration::from_secs(10 * 365 * DAY);

/// Clocks of machines differ: certificates hold from so much before they are made.
const CLOCKS: Duration = Duration::from_secs(3_600);

const DAY: u64 = 24 * 3_600;

/// A certificate and its key, as PEM.
pub(super) struct Made {
    pub(super) certificate: String,
    pub(super) key: String,
}

/// A new authority.
pub(super) fn authority() -> Result<Made, KeysError> {
    let key = KeyPair::generate()?;
    // Authorities of one name would be taken for each other, and whoever refuses would not say which it is.
    let name = format!("toolmesh authority {}", random_hex::<8>()?);
    let mut params = params(&name, AUTHORITY_VALIDITY);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(Made {
        certificate: params.self_signed(&key)?.pem(),
        key: key.serialize_pem(),
    })
}

/// A certificate of a node, which the authority of the folder makes.
pub(super) fn of_node(keys: &KeyFolder, request: &NodeRequest) -> Result<Made, KeysError> {
    let (authority_file, key_file) = (keys.authority(), keys.authority_key());
    let (authority, key) = (read(&authority_file)?, read(&key_file)?);
    let key = KeyPair::from_pem(&key).map_err(unusable(&key_file, "the key of an authority"))?;
    let issuer = Issuer::from_ca_cert_pem(&authority, key);
    let issuer = issuer.map_err(unusable(&authority_file, "the certificate of an authority"))?;
    let mut params = params(&request.name, request.validity.unwrap_or(DEFAULT_VALIDITY));
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    params.subject_alt_names = memberships(request)?;
    // Nobody starts with it after that: whoever looks at its date has to see so.
    if let Some(end) = end(&authority_file, authority.as_bytes())? {
        params.not_after = params.not_after.min(end.into());
    }
    let key = KeyPair::generate()?;
    let made = Made {
        certificate: params.signed_by(&key, &issuer)?.pem(),
        key: key.serialize_pem(),
    };
    // The authority's key may be that of another: better told here than by the first node that refuses.
    let parts = [&authority, &made.certificate, &made.key].map(|pem| pem.as_bytes().to_vec());
    let [authority, certificate, key] = parts;
    Credentials::from_pem(authority, certificate, key).map_err(KeysError::Authority)?;
    Ok(made)
}

/// When the authority in a file ends. What else is wrong with it is told by whoever makes a certificate with it.
pub(super) fn end(file: &Path, authority: &[u8]) -> Result<Option<SystemTime>, KeysError> {
    let end = Credentials::end_of_authority(authority);
    end.or_else(|error| match error.fault() {
        CredentialsFault::Expired(at) => Err(KeysError::Ended {
            file: file.display().to_string(),
            at: at.clone(),
        }),
        _ => Ok(None),
    })
}

fn unusable(file: &Path, expected: &'static str) -> impl Fn(rcgen::Error) -> KeysError {
    let file = file.display().to_string();
    move |reason| KeysError::Unusable {
        file: file.clone(),
        expected,
        reason,
    }
}

fn params(name: &str, validity: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now();
    params.not_before = (now - CLOCKS).into();
    params.not_after = (now + validity).into();
    params
}

fn memberships(request: &NodeRequest) -> Result<Vec<SanType>, KeysError> {
    let subnets = request
        .subnets
        .iter()
        .map(|subnet| format!("toolmesh:subnet:{subnet}"));
    let groups = request
        .groups
        .iter()
        .map(|group| format!("toolmesh:group:{}", hex::encode(group)));
    let mut names = Vec::new();
    for uri in subnets.chain(groups) {
        names.push(SanType::URI(uri.try_into()?));
    }
    Ok(names)
}
