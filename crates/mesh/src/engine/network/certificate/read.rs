//! Reading certificates and keys.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use rustls::{
    RootCertStore,
    crypto::CryptoProvider,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{PemObject, SectionKind},
    },
    sign::SigningKey,
};

use super::error::{CredentialPart, CredentialsError, CredentialsFault};

/// Largest file with certificates or a key, in bytes: many times what the longest chain that other nodes take needs.
pub(super) const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The bytes of a file.
pub(super) fn file(part: CredentialPart, path: &Path) -> Result<Vec<u8>, CredentialsError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // Whoever opens a pipe to which nobody writes waits for ever.
        if std::fs::metadata(path).is_ok_and(|found| !(found.is_file() || found.is_dir())) {
            return Err(io::Error::other("it is a pipe or a device, not a file"));
        }
        File::open(path)?
            .take(MAX_FILE_BYTES.saturating_add(1))
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let fault = match read() {
        Ok(bytes) if u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_FILE_BYTES) => {
            return Ok(bytes);
        }
        Ok(_) => CredentialsFault::TooLarge,
        Err(error) if error.kind() == io::ErrorKind::NotFound => CredentialsFault::Missing,
        Err(error) => CredentialsFault::Read(error),
    };
    Err(CredentialsError::new(part, fault))
}

/// The certificates of a text, of which there is at least one.
pub(super) fn certificates(
    part: CredentialPart,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, CredentialsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(CredentialsError::new(part, instead(pem, "a certificate"))),
    }
}

/// The authority's certificates, as those that others are believed by.
pub(super) fn roots(authority: Vec<CertificateDer<'static>>) -> Result<Arc<RootCertStore>, CredentialsError> {
    let mut roots = RootCertStore::empty();
    for root in authority {
        let added = roots.add(root);
        added.map_err(|error| {
            CredentialsError::new(CredentialPart::Authority, CredentialsFault::Form(error))
        })?;
    }
    Ok(Arc::new(roots))
}

/// The key of a certificate.
pub(super) fn key(provider: &CryptoProvider, pem: &[u8]) -> Result<Arc<dyn SigningKey>, CredentialsError> {
    let wrong = |fault| CredentialsError::new(CredentialPart::PrivateKey, fault);
    let secret = PrivateKeyDer::from_pem_slice(pem).map_err(|_| wrong(instead(pem, "a private key")))?;
    let key = provider.key_provider.load_private_key(secret);
    key.map_err(|_| wrong(CredentialsFault::KeyKind))
}

/// What stands in a text in which something else is needed.
fn instead(pem: &[u8], needed: &'static str) -> CredentialsFault {
    if has_password(pem) {
        return CredentialsFault::Password;
    }
    let found = match Section::pem_slice_iter(pem).find_map(Result::ok) {
        None => return CredentialsFault::Pem,
        Some(Section(SectionKind::Certificate)) => "a certificate",
        Some(Section(SectionKind::PrivateKey | SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey)) => {
            "a private key"
        }
        Some(_) => "something else",
    };
    CredentialsFault::Kind { found, needed }
}

/// Whether there is a key in it that a password opens, in either of the forms of OpenSSL.
fn has_password(pem: &[u8]) -> bool {
    let has = |words: &[u8]| pem.windows(words.len()).any(|window| window == words);
    has(b"-----BEGIN ENCRYPTED PRIVATE KEY-----") || has(b"Proc-Type: 4,ENCRYPTED")
}

/// Which kind a section of PEM is of.
struct Section(SectionKind);

impl PemObject for Section {
    fn from_pem(kind: SectionKind, _: Vec<u8>) -> Option<Self> {
        Some(Self(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_a_password_is_told_as_one() {
        for pem in [
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMIIB\n-----END EC PRIVATE KEY-----\n",
        ] {
            let fault = instead(pem.as_bytes(), "a private key");
            assert!(matches!(fault, CredentialsFault::Password), "{fault}");
        }
        assert!(matches!(instead(b"", "a private key"), CredentialsFault::Pem));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let device = file(CredentialPart::PrivateKey, Path::new("/dev/null")).unwrap_err();
        assert!(device.to_string().contains("not a file"), "{device}");
    }
}
