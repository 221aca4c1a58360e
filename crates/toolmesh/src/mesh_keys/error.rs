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
    /// The name is that of one of the folder's own files.
    #[error("`{0}.key` is the name of another key in this folder: give the node another name")]
    Taken(String),
    /// A file is there already.
    #[error(
        "{0} is there already and is not written over: run this again if another run made it just now, and remove it only if \
         nothing needs it any more"
    )]
    There(String),
    /// What should be the folder is none.
    #[error(
        "{0} is no folder, and keys are kept in one: name another place (a folder that is not there is made)"
    )]
    NoFolder(String),
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
    /// The authority's certificate is gone, and its key is there.
    #[error(
        "{0} is not there, though its key is: put it back, every node of the mesh has a copy; whoever wants a new authority takes \
         another folder"
    )]
    NoAuthority(String),
    /// The authority has ended.
    #[error(
        "{file} has expired at {at}, and no node starts with a certificate of it: name another folder, which gets a new \
         authority, and give every node a certificate of that one (a mesh.key that is put there before is kept), or set this \
         machine's clock"
    )]
    Ended {
        /// The file of its certificate.
        file: String,
        /// When.
        at: String,
    },
    /// A file of the authority does not hold what it should.
    #[error(
        "{file} is not {expected}: {reason}; put the one back that was made here, or begin in another folder"
    )]
    Unusable {
        /// Which.
        file: String,
        /// What it should be.
        expected: &'static str,
        /// Why it is not.
        reason: rcgen::Error,
    },
    /// What was made is not believed by the authority's own certificate.
    #[error("authority.key is not the key of authority.pem, or that one cannot make certificates: {0}")]
    Authority(CredentialsError),
    /// The certificate cannot be made.
    #[error("the certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
}
