//! Certificates for tests.

use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType, date_time_ymd,
};
use toolmesh_mesh::Credentials;

/// An authority of this test.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(1);
        let mut params = CertificateParams::default();
        let name = format!("authority {}", MADE.fetch_add(1, Ordering::Relaxed));
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    pub(crate) fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// The certificate and the key of a node, as PEM.
    pub(crate) fn issue(
        &self,
        name: &str,
        change: impl FnOnce(&mut CertificateParams),
    ) -> (Vec<u8>, Vec<u8>) {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate.pem().into_bytes(), key.serialize_pem().into_bytes())
    }

    pub(crate) fn node(&self, name: &str) -> Credentials {
        self.node_with(name, |_| {})
    }

    pub(crate) fn node_with(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Credentials {
        let (certificate, key) = self.issue(name, change);
        Credentials::from_pem(self.pem(), certificate, key).unwrap()
    }
}

/// With these names beside that of its node.
pub(crate) fn belongs(uris: &[&str]) -> impl FnOnce(&mut CertificateParams) {
    let names = uris.iter().map(|uri| SanType::URI((*uri).try_into().unwrap()));
    let names: Vec<_> = names.collect();
    move |params| params.subject_alt_names = names
}

/// Long over.
pub(crate) fn expired(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2020, 1, 2);
}
