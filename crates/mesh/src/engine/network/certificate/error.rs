//! Why a certificate, its key or its authority cannot be used: which file it is, what is wrong with it, what to do.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use super::{
    NameError,
    proof::{MAX_CERTIFICATE_BYTES, MAX_INTERMEDIATES},
    read::MAX_FILE_BYTES,
};

/// Why a node's certificate, its key or its authority cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{part}{} {fault}", Named(.file.as_deref()))]
pub struct CredentialsError {
    part: CredentialPart,
    file: Option<PathBuf>,
    fault: CredentialsFault,
}

/// What a node needs to show who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialPart {
    /// The certificate of the authority, or several of them.
    Authority,
    /// The node's certificate, with those between it and the authority's.
    Certificate,
    /// The key of the node's certificate.
    PrivateKey,
}

/// What is wrong with a part. The texts follow the part's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsFault {
    /// There is no such file.
    #[error("is not there")]
    Missing,
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The file is larger than any of its kind.
    #[error("is larger than {MAX_FILE_BYTES} bytes, so it is not what it should be")]
    TooLarge,
    /// It is no PEM, or is cut off.
    #[error("holds nothing that begins with `-----BEGIN` and is whole: it has to be in PEM form")]
    Pem,
    /// It is PEM, of another kind.
    #[error("holds {found} and not {needed}: perhaps two files were mixed up")]
    Kind {
        /// What was found.
        found: &'static str,
        /// What is needed there.
        needed: &'static str,
    },
    /// It is a certificate, in a form or of a kind that is not understood.
    #[error("cannot be used: {0}")]
    Form(rustls::Error),
    /// The key is of a kind that cannot be used, or cannot be read.
    #[error(
        "is no key that can be used; one of ECDSA (P-256 or P-384), Ed25519 or RSA can, in PKCS#8 form and without a password"
    )]
    KeyKind,
    /// It is a key with a password.
    #[error(
        "has a password, and nobody is there to type it: write the key without one (`openssl pkey -in KEY -out NEW`), readable by \
         its owner alone"
    )]
    Password,
    /// It held until a time that is over.
    #[error("has expired at {0}: have a new one made, or set this machine's clock")]
    Expired(String),
    /// It holds from a time that is to come.
    #[error("holds only from {0} on: is this machine's clock right?")]
    NotYet(String),
    /// Another authority made it.
    #[error("was not made by this authority{}: use the certificate of the authority that made it", Named(.0.as_deref()))]
    OtherAuthority(Option<PathBuf>),
    /// It is the certificate of an authority.
    #[error("is that of an authority; a node needs one of its own, which the authority makes")]
    OfAuthority,
    /// It says that it is not meant for both ends of a connection.
    #[error(
        "is not meant for both clients and servers (extended key usage), and a node is both: have one made that is"
    )]
    Purpose,
    /// The key is that of another certificate.
    #[error("is not that of the certificate{}: use the key that was made with it", Named(.0.as_deref()))]
    OtherCertificate(Option<PathBuf>),
    /// It does not name its node as one needs it.
    #[error("does not say which node it is: {0}")]
    Name(NameError),
    /// There are more certificates, or larger ones, than other nodes take.
    #[error(
        "is more than other nodes take: at most {MAX_INTERMEDIATES} certificates between it and the authority's, each of at most \
         {MAX_CERTIFICATE_BYTES} bytes"
    )]
    Size,
}

impl CredentialsError {
    pub(super) fn new(part: CredentialPart, fault: CredentialsFault) -> Self {
        Self {
            part,
            file: None,
            fault,
        }
    }

    /// The same, where each part is read from a file.
    pub(super) fn of_files(mut self, authority: &Path, certificate: &Path, key: &Path) -> Self {
        let file = match self.part {
            CredentialPart::Authority => authority,
            CredentialPart::Certificate => certificate,
            CredentialPart::PrivateKey => key,
        };
        self.file = Some(file.to_owned());
        match &mut self.fault {
            CredentialsFault::OtherAuthority(other) => *other = Some(authority.to_owned()),
            CredentialsFault::OtherCertificate(other) => *other = Some(certificate.to_owned()),
            _ => {}
        }
        self
    }

    /// Which part cannot be used.
    #[must_use]
    pub fn part(&self) -> CredentialPart {
        self.part
    }

    /// The file that it was to be read from, where it was one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// What is wrong with it.
    #[must_use]
    pub fn fault(&self) -> &CredentialsFault {
        &self.fault
    }
}

impl fmt::Display for CredentialPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Authority => "the authority's certificate",
            Self::Certificate => "the node's certificate",
            Self::PrivateKey => "the key of the node's certificate",
        })
    }
}

/// A file in parentheses, where there is one.
struct Named<'a>(Option<&'a Path>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(file) => write!(f, " ({})", file.display()),
            None => Ok(()),
        }
    }
}
