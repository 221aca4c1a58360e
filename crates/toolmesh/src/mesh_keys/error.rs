//! Why keys were not made.

use toolmesh_mesh::CredentialsError;

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
    /// The authority's key is kept elsewhere.
    #[error("{0} is not there: certificates are made where the key of the authority is")]
    NoAuthorityKey(String),
    /// What was made is not believed by the authority's own certificate.
    #[error("authority.key is not the key of authority.pem, or that one cannot make certificates: {0}")]
    Authority(CredentialsError),
    /// The certificate cannot be made.
    #[error("the certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
}
