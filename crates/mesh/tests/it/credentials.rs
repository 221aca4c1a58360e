//! Certificates and keys that cannot be used: which file it is, what is wrong, what to do.

use std::{fs, path::PathBuf};

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, IsCa, date_time_ymd};
use tempfile::TempDir;
use toolmesh_mesh::{CredentialPart, Credentials, CredentialsError, CredentialsFault};

use crate::authority::{Authority, belongs, expired};

/// A folder with the three files of a node.
struct Files(TempDir);

impl Files {
    fn new(authority: &Authority, node: &(Vec<u8>, Vec<u8>)) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.put("authority.pem", &authority.pem());
        files.put("node.pem", &node.0);
        files.put("node.key", &node.1);
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self) -> Result<Credentials, CredentialsError> {
        Credentials::read(
            &self.path("authority.pem"),
            &self.path("node.pem"),
            &self.path("node.key"),
        )
    }

    /// Why they cannot be used, with the folder left out.
    fn why(&self) -> String {
        let error = self.read().unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn plain(_: &mut CertificateParams) {}

#[test]
fn what_cannot_be_used_is_said_with_its_file_and_what_to_do() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let node = ours.issue("node", plain);
    let with = |name: &str, bytes: &[u8]| {
        let files = Files::new(&ours, &node);
        files.put(name, bytes);
        files.why()
    };
    let of = |change: &dyn Fn(&mut CertificateParams)| {
        Files::new(&ours, &ours.issue("node", |params| change(params))).why()
    };
    let missing = Files::new(&ours, &node);
    fs::remove_file(missing.path("node.pem")).unwrap();
    let said = [
        ("missing", missing.why()),
        ("no PEM", with("node.key", b"\xff\xfe no PEM")),
        ("empty", with("authority.pem", b"")),
        ("cut off", with("node.pem", &node.0[..node.0.len() / 2])),
        ("mixed up", with("node.pem", &node.1)),
        ("mixed up the other way", with("node.key", &node.0)),
        (
            "of another kind",
            with(
                "node.key",
                b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            ),
        ),
        (
            "no key",
            with(
                "node.key",
                b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            ),
        ),
        ("another's key", with("node.key", &ours.issue("node", plain).1)),
        ("another authority", with("authority.pem", &theirs.pem())),
        ("expired", of(&expired)),
        (
            "to come",
            of(&|params| params.not_before = date_time_ymd(3000, 1, 1)),
        ),
        (
            "an authority's",
            of(&|params| params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained)),
        ),
        (
            "for clients alone",
            of(&|params| {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            }),
        ),
        (
            "for servers alone",
            of(&|params| {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
            }),
        ),
        ("no name", Files::new(&ours, &ours.issue("", plain)).why()),
        (
            "no subnet",
            Files::new(&ours, &ours.issue("node", belongs(&["toolmesh:subnet:x"]))).why(),
        ),
    ];
    let said: Vec<_> = said.iter().map(|(what, why)| format!("{what}: {why}")).collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_file_may_fill_its_bound_and_not_pass_it() {
    const MOST: usize = 1024 * 1024;
    let authority = Authority::new();
    let node = authority.issue("node", plain);
    let files = Files::new(&authority, &node);
    let filled = |more: usize| {
        let mut bytes = node.0.clone();
        bytes.resize(MOST + more, b'\n');
        files.put("node.pem", &bytes);
        files.read()
    };
    assert!(filled(0).is_ok());
    let error = filled(1).unwrap_err();
    assert_eq!(error.part(), CredentialPart::Certificate);
    assert_eq!(error.file(), Some(&*files.path("node.pem")));
    assert!(matches!(error.fault(), CredentialsFault::TooLarge), "{error}");
}

#[test]
fn a_folder_is_no_file() {
    let authority = Authority::new();
    let files = Files::new(&authority, &authority.issue("node", plain));
    fs::remove_file(files.path("node.key")).unwrap();
    fs::create_dir(files.path("node.key")).unwrap();
    let error = files.read().unwrap_err();
    assert_eq!(error.part(), CredentialPart::PrivateKey);
    assert!(matches!(error.fault(), CredentialsFault::Read(_)), "{error}");
}

#[test]
fn a_certificate_names_its_node_in_64_bytes_and_other_names_are_nobodys_business() {
    let authority = Authority::new();
    let load = |(certificate, key)| Credentials::from_pem(authority.pem(), certificate, key);
    for name in ["", &"n".repeat(65)] {
        let error = load(authority.issue(name, plain)).unwrap_err();
        assert!(
            matches!(error.fault(), CredentialsFault::Name(_)),
            "{name}: {error}"
        );
    }
    assert!(load(authority.issue(&"n".repeat(64), plain)).is_ok());
    for uri in ["toolmesh:subnet:x", "toolmesh:group:ab", "toolmesh:role:admin"] {
        let error = load(authority.issue("node", belongs(&[uri]))).unwrap_err();
        assert!(error.to_string().contains(uri), "{error}");
    }
    assert!(load(authority.issue("node", belongs(&["spiffe://other"]))).is_ok());
}
