//! Keys and certificates in folders of these tests.

use std::time::SystemTime;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
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
    let error = keys.node(&request("a")).unwrap_err();
    assert!(matches!(error, KeysError::There(_)), "{error}");
    assert!(error.to_string().contains("run this again"), "{error}");
    // Nor is a new key put beside an old certificate.
    fs::remove_file(keys.private_key("a")).unwrap();
    assert!(matches!(keys.node(&request("a")), Err(KeysError::There(_))));
    assert!(!keys.private_key("a").exists());
    keys.node(&request("b")).unwrap();
    #[cfg(unix)]
    for secret in [keys.mesh_key(), keys.private_key("b"), keys.authority_key()] {
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
    for name in ["", "a/b", "..", ".a", &"n".repeat(65)] {
        assert!(
            matches!(keys.node(&request(name)), Err(KeysError::Name(_))),
            "{name}"
        );
    }
    for name in ["authority", "mesh"] {
        let error = keys.node(&request(name)).unwrap_err();
        assert!(error.to_string().contains("another name"), "{error}");
    }
    assert!(keys.node(&request(&"n".repeat(64))).is_ok());
}

#[test]
fn where_an_authority_is_there_no_second_key_of_the_mesh_and_no_second_authority_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyFolder::new(folder.path());
    keys.begin().unwrap();
    fs::remove_file(keys.mesh_key()).unwrap();
    assert_eq!(keys.begin().unwrap(), Vec::<PathBuf>::new());
    keys.node(&request("a")).unwrap();
    assert!(!keys.has_mesh_key());
    fs::remove_file(keys.authority()).unwrap();
    let error = keys.begin().unwrap_err();
    assert!(matches!(error, KeysError::NoAuthority(_)), "{error}");
    assert!(!keys.authority().exists() && !keys.has_mesh_key());
}

#[test]
fn a_file_of_the_authority_that_is_broken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyFolder::new(folder.path());
    keys.begin().unwrap();
    for file in [keys.authority(), keys.authority_key()] {
        let whole = fs::read(&file).unwrap();
        for broken in ["", "-----BEGIN CERTIFICATE-----\n"] {
            fs::write(&file, broken).unwrap();
            let error = keys.node(&request("a")).unwrap_err();
            assert!(matches!(error, KeysError::Unusable { .. }), "{error}");
            assert!(error.to_string().starts_with(file.to_str().unwrap()), "{error}");
        }
        fs::write(&file, whole).unwrap();
    }
    keys.node(&request("a")).unwrap();
}

#[test]
fn certificates_are_made_where_the_authoritys_own_key_is() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, others) = (
        KeyFolder::new(folder.path().join("ours")),
        KeyFolder::new(folder.path().join("others")),
    );
    keys.begin().unwrap();
    others.begin().unwrap();
    fs::copy(others.authority_key(), keys.authority_key()).unwrap();
    let error = keys.node(&request("a")).unwrap_err();
    assert!(matches!(error, KeysError::Authority(_)), "{error}");
    fs::remove_file(keys.authority_key()).unwrap();
    let error = keys.node(&request("a")).unwrap_err();
    assert!(
        error.to_string().contains("authority.key is not there"),
        "{error}"
    );
    assert!(!keys.certificate("a").exists() && !keys.private_key("a").exists());
}

/// Keys with an authority that ends then.
fn ending(folder: &tempfile::TempDir, end: SystemTime) -> KeyFolder {
    let keys = KeyFolder::new(folder.path());
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_after = end.into();
    fs::write(keys.authority(), params.self_signed(&key).unwrap().pem()).unwrap();
    fs::write(keys.authority_key(), key.serialize_pem()).unwrap();
    keys
}

#[test]
fn an_authority_that_has_ended_makes_no_certificates_and_one_that_ends_none_that_outlive_it() {
    const DAY: Duration = Duration::from_secs(24 * 3_600);
    let (now, folder) = (SystemTime::now(), tempfile::tempdir().unwrap());
    let keys = ending(&folder, now - DAY);
    for refused in [keys.begin(), keys.node(&request("a"))] {
        let error = refused.unwrap_err();
        assert!(matches!(error, KeysError::Ended { .. }), "{error}");
        assert!(
            error.to_string().starts_with(keys.authority().to_str().unwrap()),
            "{error}"
        );
    }
    assert!(!keys.certificate("a").exists() && !keys.private_key("a").exists());

    let keys = ending(&folder, now + 30 * DAY);
    assert_eq!(keys.begin().unwrap(), Vec::<PathBuf>::new());
    let short = NodeRequest {
        validity: Some(DAY),
        ..request("short")
    };
    keys.node(&request("long")).unwrap();
    keys.node(&short).unwrap();
    // It says when certificates end, whoever they are of.
    let end = |file: PathBuf| Credentials::end_of_authority(&fs::read(file).unwrap()).unwrap();
    assert_eq!(end(keys.certificate("long")), end(keys.authority()));
    assert!(end(keys.certificate("short")) < end(keys.authority()));
}

#[test]
fn runs_at_the_same_time_make_one_authority_and_all_their_nodes() {
    const RUNS: usize = 8;
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyFolder::new(folder.path().join("keys"));
    let run = |number: usize| {
        let began = keys.begin()?;
        let made = keys.node(&request(&format!("node-{number}")))?;
        Ok::<_, KeysError>(began.len() + made.len())
    };
    let made: usize = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..RUNS).map(|number| scope.spawn(move || run(number))).collect();
        runs.into_iter().map(|run| run.join().unwrap().unwrap()).sum()
    });
    assert_eq!(made, 3 + 2 * RUNS);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for place in [file.clone(), file.join("keys")] {
        let error = KeyFolder::new(place).begin().unwrap_err();
        assert!(matches!(error, KeysError::NoFolder(_)), "{error}");
        let said = format!("{} is no folder", file.display());
        assert!(error.to_string().starts_with(&said), "{error}");
    }
}
