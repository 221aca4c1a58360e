//! Keys and certificates for a mesh, for a start: one authority, a certificate for each node, the key of the mesh.

mod certificate;
mod error;
mod file;
#[cfg(test)]
mod tests;

use std::{fs, path::PathBuf, time::Duration};

pub use certificate::DEFAULT_VALIDITY;
pub use error::KeysError;
use file::{alone_in, file_error, plain, random_hex, secret};

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
    /// How long the certificate holds, where the authority does as long.
    pub validity: Option<Duration>,
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

    /// Makes the authority and the mesh's key, where there is no authority yet; says which files were made. Where there is one,
    /// its mesh has a key already, here or wherever it was moved to: a second one would be that of another mesh.
    ///
    /// # Errors
    /// [`KeysError`], with [`KeysError::NoAuthority`] when only the authority's key is there, and [`KeysError::Ended`] when the
    /// authority has ended.
    pub fn begin(&self) -> Result<Vec<PathBuf>, KeysError> {
        self.make()?;
        let _alone = alone_in(&self.0);
        if self.authority().exists() {
            self.check_authority()?;
            return Ok(Vec::new());
        }
        if self.authority_key().exists() {
            return Err(KeysError::NoAuthority(self.authority().display().to_string()));
        }
        let authority = certificate::authority()?;
        let mut made = vec![
            secret(self.authority_key(), authority.key.as_bytes())?,
            plain(self.authority(), authority.certificate.as_bytes())?,
        ];
        if !self.mesh_key().exists() {
            made.push(secret(
                self.mesh_key(),
                format!("{}\n", random_hex::<32>()?).as_bytes(),
            )?);
        }
        Ok(made)
    }

    /// Makes the folder, unless it is there.
    fn make(&self) -> Result<(), KeysError> {
        fs::create_dir_all(&self.0).map_err(|error| {
            // The folder itself, or one that it should be in.
            let mut places = self.0.ancestors();
            match places.find(|place| place.exists() && !place.is_dir()) {
                Some(place) => KeysError::NoFolder(place.display().to_string()),
                None => file_error(&self.0, error),
            }
        })
    }

    /// One that has ended is told before anything else is made of it.
    fn check_authority(&self) -> Result<(), KeysError> {
        let file = self.authority();
        let authority = fs::read(&file).map_err(|error| file_error(&file, error))?;
        certificate::end(&file, &authority).map(drop)
    }

    /// Whether the key of the mesh is in the folder.
    #[must_use]
    pub fn has_mesh_key(&self) -> bool {
        self.mesh_key().exists()
    }

    /// Makes the certificate and the key of a node; says which files were made. The certificate ends with the authority at the
    /// latest, whatever was asked for.
    ///
    /// # Errors
    /// [`KeysError`], with [`KeysError::There`] when the node has them already.
    pub fn node(&self, request: &NodeRequest) -> Result<Vec<PathBuf>, KeysError> {
        request.check()?;
        let _alone = alone_in(&self.0);
        let (certificate, key) = (self.certificate(&request.name), self.private_key(&request.name));
        // Nothing is written unless all can be: a key beside the certificate of another would be worse than none.
        if let Some(there) = [&certificate, &key].into_iter().find(|path| path.exists()) {
            return Err(KeysError::There(there.display().to_string()));
        }
        if !self.authority_key().exists() {
            return Err(KeysError::NoAuthorityKey(
                self.authority_key().display().to_string(),
            ));
        }
        let made = certificate::of_node(self, request)?;
        let key = secret(key, made.key.as_bytes())?;
        let certificate = plain(certificate, made.certificate.as_bytes())?;
        Ok(vec![certificate, key])
    }
}

impl NodeRequest {
    /// Looks at what is asked for, before anything is made.
    ///
    /// # Errors
    /// [`KeysError::Name`], or [`KeysError::Taken`] for the names of the folder's own files.
    pub fn check(&self) -> Result<(), KeysError> {
        let name = &self.name;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if name == "authority" || name == "mesh" {
            Err(KeysError::Taken(name.clone()))
        } else if (1..=64).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with('.') {
            Ok(())
        } else {
            Err(KeysError::Name(name.chars().take(80).collect()))
        }
    }
}
