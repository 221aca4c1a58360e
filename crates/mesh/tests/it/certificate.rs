//! Nodes with certificates: who they are, and who is not let in.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType, date_time_ymd,
};
use toolmesh_mesh::{
    BuildError, CapabilitySet, Credentials, CredentialsError, Mesh, MeshBuilder, NodeId, RpcError,
};

use crate::support::{Net, Text, described, echo, sees, text};

const GROUP: [u8; 32] = [0xab; 32];

/// An authority of this test.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// The certificate and the key of a node, as PEM.
    fn issue(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> (Vec<u8>, Vec<u8>) {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate.pem().into_bytes(), key.serialize_pem().into_bytes())
    }

    fn node(&self, name: &str) -> Credentials {
        self.node_with(name, |_| {})
    }

    fn node_with(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Credentials {
        let (certificate, key) = self.issue(name, change);
        Credentials::from_pem(self.pem(), certificate, key).unwrap()
    }
}

fn belongs(uris: &[&str]) -> impl FnOnce(&mut CertificateParams) {
    let names = uris.iter().map(|uri| SanType::URI((*uri).try_into().unwrap()));
    let names: Vec<_> = names.collect();
    move |params| params.subject_alt_names = names
}

async fn node(key: &[u8; 32], credentials: Credentials) -> Mesh {
    let builder = MeshBuilder::new("127.0.0.1:0", key).unwrap();
    builder.credentials(credentials).build().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_who_its_certificate_says_in_the_subnets_and_groups_of_it() {
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let group = "toolmesh:group:".to_owned() + &"ab".repeat(32);
    let host = node(&key, authority.node("host")).await;
    let by_subnet = node(
        &key,
        authority.node_with("in-subnet", belongs(&["toolmesh:subnet:7"])),
    )
    .await;
    let by_group = node(&key, authority.node_with("in-group", belongs(&[&group]))).await;
    let by_name = node(&key, authority.node("by-name")).await;
    let stranger = node(&key, authority.node("stranger")).await;
    assert_eq!(by_name.node_id(), NodeId::of_name("by-name"));
    assert_eq!(by_subnet.identity().subnets, [7]);
    assert_eq!(by_group.identity().groups, [GROUP]);

    let restricted = CapabilitySet::new()
        .allow_node(NodeId::of_name("by-name"))
        .allow_subnet(7)
        .allow_group(GROUP);
    host.announce_capabilities(restricted).await.unwrap();
    let _served = host
        .serve_tool_with::<Text, Text, _, _>(described("who"), |context, _| async move {
            Ok(text(&context.caller().identity.clone().unwrap()))
        })
        .unwrap();
    for allowed in [&by_subnet, &by_group, &by_name] {
        sees(allowed, &host).await;
        let name = allowed.identity().name.clone();
        assert_eq!(allowed.call_tool("who", &text("")).await, Ok(text(&name)));
    }
    // The stranger sees the others, and so what there is to see for it.
    let _other = echo(&by_name, "open", "1.0.0");
    sees(&stranger, &by_name).await;
    assert_eq!(stranger.list_tools(None).len(), 1);
    let asked: Result<Text, _> = stranger
        .call_typed(host.node_id(), "who", &text(""), Default::default())
        .await;
    let denied = RpcError::CapabilityDenied {
        target: host.node_id().number(),
        capability: "who".into(),
    };
    assert_eq!(asked, Err(denied));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_of_another_authority_or_without_a_certificate_is_not_let_in() {
    let key = Net::zenoh().key();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let host = node(&key, ours.node("host")).await;
    let _served = echo(&host, "t", "1.0.0");
    let stranger = node(&key, theirs.node("host")).await;
    let bare = MeshBuilder::new("127.0.0.1:0", &key)
        .unwrap()
        .build()
        .await
        .unwrap();
    let friend = node(&key, ours.node("friend")).await;
    sees(&friend, &host).await;
    sees(&host, &friend).await;
    assert_eq!(friend.call_tool("t", &text("x")).await, Ok(text("host: x")));
    for refused in [&stranger, &bare] {
        assert_eq!(refused.list_tools(None), []);
        assert!(
            host.nodes()
                .iter()
                .all(|seen| seen.node == host.node_id() || seen.name == "friend"),
            "{refused:?}"
        );
        let asked: Result<Text, _> = refused
            .call_typed(host.node_id(), "t", &text("x"), Default::default())
            .await;
        assert!(asked.is_err());
    }
}

#[test]
fn what_is_no_certificate_of_a_node_is_refused_when_it_is_loaded() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let load = |(certificate, key)| Credentials::from_pem(ours.pem(), certificate, key);
    let error = load(theirs.issue("node", |_| {})).unwrap_err();
    assert!(matches!(error, CredentialsError::Certificate(_)), "{error}");
    let expired = |params: &mut CertificateParams| {
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2020, 1, 2);
    };
    let error = load(ours.issue("node", expired)).unwrap_err();
    assert!(error.to_string().contains("expired"), "{error}");
    let error = load((ours.issue("node", |_| {}).0, ours.issue("node", |_| {}).1)).unwrap_err();
    assert!(matches!(error, CredentialsError::Certificate(_)), "{error}");
    for name in ["", &"n".repeat(65)] {
        let error = load(ours.issue(name, |_| {})).unwrap_err();
        assert!(matches!(error, CredentialsError::Name(_)), "{name}: {error}");
    }
    assert!(load(ours.issue(&"n".repeat(64), |_| {})).is_ok());
    for uri in ["toolmesh:subnet:x", "toolmesh:group:ab", "toolmesh:role:admin"] {
        let error = load(ours.issue("node", belongs(&[uri]))).unwrap_err();
        assert!(error.to_string().contains(uri), "{error}");
    }
    assert!(load(ours.issue("node", belongs(&["spiffe://other"]))).is_ok());
    let garbage = Credentials::from_pem(ours.pem(), b"no PEM".to_vec(), Vec::new()).unwrap_err();
    assert_eq!(garbage.to_string(), "the certificate is not in PEM form");
}

#[tokio::test]
async fn beyond_loopback_a_node_needs_a_certificate_or_a_word() {
    let key = Net::zenoh().key();
    let bare = MeshBuilder::new("0.0.0.0:0", &key).unwrap().build().await;
    assert!(matches!(bare.unwrap_err(), BuildError::Plaintext(_)));
}
