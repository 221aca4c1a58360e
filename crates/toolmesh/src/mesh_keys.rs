//! Keys and certificates for a mesh, for a start: one authority, a certificate for each node, the key of the mesh.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};

/// How long a node's certificate holds unless said otherwise.
pub const DEFAULT_VALIDITY: Duration = Duration::from_secs(365 * DAY);

/// How long the authority's certificate holds.
const AUTHORITY_VALIDITY: Duration = Duration::from_secs(10 * 365 * DAY);

/// Clocks of machines differ: certificates hold from so much before they are made.
const CLOCKS: Duration = Duration::from_secs(3_600);

const DAY: u64 = 24 * 3_600;

/// A folder with the keys of a mesh. Private keys and the mesh's key are readable by their owner alone, and nothing that is
/// there is ever written over.
#[derive(Debug, Clone)]
pub struct KeyFolder(PathBuf);

/// Whose certificate is wanted.
#[derive(Debug, Clone, Default)]
pub struct NodeRequest {
    /// The node's name: 1 to 64 bytes of letters, digits, `.`, `-` and `_`, for it names files too.
    pub name: String,
    /// The subnets that it is in.
    pub subnets: Vec<u32>,
    /// The groups that it is in.
    pub groups: Vec<[u8; 32]>,
    /// How long the certificate holds.
    pub validity: Option<Duration>,
}

/// Why keys were not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeysError {
    /// The name is none.
    #[error(
        "a node's name is 1 to 64 of a-z, A-Z, 0-9, `.`, `-` and `_`, and does not begin with a `.`: `{0}`"
    )]
    Name(String),
    /// A file is there already.
    #[error("{0} is there already and is not written over; remove it if it is not needed any more")]
    There(String),
    /// A file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// Which.
        file: String,
        /// Why.
        error: std::io::Error,
    },
    /// The certificate cannot be made.
    #[error("the certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
}

impl KeyFolder {
    /// A folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The certificate of the authority.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.0.join("authority.pem")
    }

    /// The key of the mesh.
    #[must_use]
    pub fn mesh_key(&self) -> PathBuf {
        self.0.join("mesh.key")
    }

    /// The certificate of a node.
    #[must_use]
    pub fn certificate(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.pem"))
    }

    /// The key of a node's certificate.
    #[must_use]
    pub fn private_key(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.key"))
    }

    fn authority_key(&self) -> PathBuf {
        self.0.join("authority.key")
    }

    /// Makes the authority and the mesh's key, where they are not there yet; says which files were made.
    ///
    /// # Errors
    /// [`KeysError`].
    pub fn begin(&self) -> Result<Vec<PathBuf>, KeysError> {
        fs::create_dir_all(&self.0).map_err(|error| file_error(&self.0, error))?;
        let mut made = Vec::new();
        if !self.authority().exists() {
            let key = KeyPair::generate()?;
            // Authorities of one name would be taken for each other, and whoever refuses would not say which it is.
            let name = format!("toolmesh authority {}", random_hex::<8>()?);
            let mut params = params(&name, AUTHORITY_VALIDITY);
            params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
            params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
            let certificate = params.self_signed(&key)?;
            made.push(secret(self.authority_key(), key.serialize_pem().as_bytes())?);
            made.push(plain(self.authority(), certificate.pem().as_bytes())?);
        }
        if !self.mesh_key().exists() {
            made.push(secret(
                self.mesh_key(),
                format!("{}\n", random_hex::<32>()?).as_bytes(),
            )?);
        }
        Ok(made)
    }

    /// Makes the certificate and the key of a node; says which files were made.
    ///
    /// # Errors
    /// [`KeysError`], with [`KeysError::There`] when the node has them already.
    pub fn node(&self, request: &NodeRequest) -> Result<Vec<PathBuf>, KeysError> {
        check(&request.name)?;
        let authority_key = KeyPair::from_pem(&read(&self.authority_key())?)?;
        let issuer = Issuer::from_ca_cert_pem(&read(&self.authority())?, authority_key)?;
        let mut params = params(&request.name, request.validity.unwrap_or(DEFAULT_VALIDITY));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        params.subject_alt_names = memberships(request)?;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &issuer)?;
        let key = secret(self.private_key(&request.name), key.serialize_pem().as_bytes())?;
        let certificate = plain(self.certificate(&request.name), certificate.pem().as_bytes())?;
        Ok(vec![certificate, key])
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

fn check(name: &str) -> Result<(), KeysError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let is_taken = name == "authority" || name == "mesh";
    if (1..=64).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with('.') && !is_taken {
        Ok(())
    } else {
        Err(KeysError::Name(name.chars().take(80).collect()))
    }
}

/// So many random bytes, as hexadecimal digits.
fn random_hex<const BYTES: usize>() -> Result<String, KeysError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| KeysError::File {
        file: "the system's random bytes".to_owned(),
        error: std::io::Error::other(error),
    })?;
    Ok(hex::encode(bytes))
}

fn read(path: &Path) -> Result<String, KeysError> {
    fs::read_to_string(path).map_err(|error| file_error(path, error))
}

/// Writes what everybody may read.
fn plain(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, KeysError> {
    write(path, bytes, fs::OpenOptions::new().write(true).create_new(true))
}

/// Writes what its owner alone may read.
fn secret(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, KeysError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    write(path, bytes, &options)
}

fn write(path: PathBuf, bytes: &[u8], options: &fs::OpenOptions) -> Result<PathBuf, KeysError> {
    let written = options.open(&path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(KeysError::There(path.display().to_string()))
        }
        Err(error) => Err(file_error(&path, error)),
    }
}

fn file_error(path: &Path, error: std::io::Error) -> KeysError {
    KeysError::File {
        file: path.display().to_string(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use toolmesh_mesh::Credentials;

    use super::*;

    fn request(name: &str) -> NodeRequest {
        NodeRequest {
            name: name.to_owned(),
            subnets: vec![7],
            groups: vec![[0xab; 32]],
            validity: None,
        }
    }

    #[test]
    fn what_is_made_is_a_certificate_of_a_node_with_its_subnets_and_groups() {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyFolder::new(folder.path().join("keys"));
        assert_eq!(keys.begin().unwrap().len(), 3);
        assert_eq!(keys.begin().unwrap(), Vec::<PathBuf>::new());
        keys.node(&request("host-1")).unwrap();
        let credentials = Credentials::read(
            &keys.authority(),
            &keys.certificate("host-1"),
            &keys.private_key("host-1"),
        );
        let credentials = credentials.unwrap();
        let identity = credentials.identity();
        assert_eq!(
            (identity.name.as_str(), &*identity.subnets, &*identity.groups),
            ("host-1", &[7][..], &[[0xab; 32]][..])
        );
    }

    #[test]
    fn nothing_is_written_over_and_secrets_are_their_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyFolder::new(folder.path());
        keys.begin().unwrap();
        keys.node(&request("a")).unwrap();
        assert!(matches!(keys.node(&request("a")), Err(KeysError::There(_))));
        #[cfg(unix)]
        for secret in [keys.mesh_key(), keys.private_key("a"), keys.authority_key()] {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(secret).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(fs::read_to_string(keys.mesh_key()).unwrap().trim().len(), 64);
    }

    #[test]
    fn a_name_that_is_no_file_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyFolder::new(folder.path());
        keys.begin().unwrap();
        for name in ["", "a/b", "..", ".a", "authority", "mesh", &"n".repeat(65)] {
            assert!(
                matches!(keys.node(&request(name)), Err(KeysError::Name(_))),
                "{name}"
            );
        }
        assert!(keys.node(&request(&"n".repeat(64))).is_ok());
    }
}
