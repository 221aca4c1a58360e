//! Nodes with certificates, and who may do what.

use tempfile::TempDir;
use toolmesh::mesh_keys::{KeyFolder, NodeRequest};
use toolmesh_embed::{CallOptions, Fault, FaultKind, Node};

use crate::support::{call, serve, start, wait};

/// Keys of one mesh, in a folder of this test.
struct Keys {
    folder: TempDir,
    keys: KeyFolder,
}

impl Keys {
    fn new(nodes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyFolder::new(folder.path());
        keys.begin().unwrap();
        for name in nodes {
            let request = NodeRequest {
                name: (*name).to_owned(),
                ..NodeRequest::default()
            };
            keys.node(&request).unwrap();
        }
        Self { folder, keys }
    }

    /// The options of a node that has its certificate of these keys, and more.
    fn options(&self, name: &str, more: &str) -> String {
        self.options_of(self, name, more)
    }

    /// The same, with the certificate of other keys.
    fn options_of(&self, certified: &Self, name: &str, more: &str) -> String {
        format!(
            r#"{{"key_file":{:?},"authority":{:?},"certificate":{:?},"private_key":{:?}{more}}}"#,
            self.keys.mesh_key(),
            self.keys.authority(),
            certified.keys.certificate(name),
            certified.keys.private_key(name),
        )
    }
}

/// Where another node connects to this one.
fn connect(node: &Node) -> String {
    let places = node.listens_at().unwrap();
    format!(r#","connect":[{:?}]"#, places[0].rsplit_once('/').unwrap().1)
}

fn hello(node: &Node) -> toolmesh_embed::Served {
    serve(node, r#"{"name":"hello"}"#, |call| {
        let caller = call.caller();
        wait(call.finish(&caller)).unwrap();
    })
    .unwrap()
}

/// Waits until a node sees a tool.
fn sees_a_tool(node: &Node) {
    let changes = node.watch(None, None).unwrap();
    while node.list(None).unwrap() == "[]" {
        wait(changes.next()).unwrap();
    }
}

fn refused(options: &str) -> Fault {
    start(options).unwrap_err()
}

#[test]
fn nodes_with_certificates_of_one_authority_call_each_other_by_their_names() {
    let keys = Keys::new(&["tokens", "agent"]);
    let host = start(&keys.options("tokens", r#","name":"not this one""#)).unwrap();
    let _served = hello(&host);
    assert!(host.listens_at().unwrap()[0].starts_with("tls/"));
    let agent = start(&keys.options("agent", &connect(&host))).unwrap();
    sees_a_tool(&agent);
    let caller = call(&agent, "hello", "{}").unwrap();
    assert!(caller.contains(r#""identity":"agent""#), "{caller}");
}

#[test]
fn a_node_of_another_authority_or_without_a_certificate_is_not_met_and_told_where() {
    let (keys, others) = (Keys::new(&["tokens"]), Keys::new(&["agent"]));
    let host = start(&keys.options("tokens", "")).unwrap();
    let _served = hello(&host);
    std::fs::copy(keys.keys.mesh_key(), others.keys.mesh_key()).unwrap();
    let plain = format!(r#"{{"key_file":{:?}{}}}"#, keys.keys.mesh_key(), connect(&host));
    for options in [others.options("agent", &connect(&host)), plain] {
        let stranger = start(&options).unwrap();
        let denied = call(&stranger, "hello", "{}").unwrap_err();
        assert_eq!(denied.kind, FaultKind::NoRoute);
        let place = connect(&host);
        let place = place.split('"').nth(3).unwrap();
        assert!(
            denied.message.contains(place) && denied.message.contains("another authority"),
            "{denied}"
        );
        let described = wait(stranger.describe("hello", &CallOptions::default())).unwrap_err();
        assert!(described.message.contains(place), "{described}");
    }
    assert_eq!(host.hosts("hello", &CallOptions::default()).unwrap().len(), 1);
}

#[test]
fn certificates_that_cannot_be_used_are_refused_at_the_start() {
    let (keys, others) = (Keys::new(&["tokens"]), Keys::new(&["tokens"]));
    let mixed = refused(&keys.options_of(&others, "tokens", ""));
    assert_eq!(mixed.kind, FaultKind::Configuration);
    let missing = refused(&keys.options("nobody", ""));
    assert_eq!(missing.kind, FaultKind::Configuration);
    assert!(missing.message.contains("nobody"), "{missing}");
    let part = format!(
        r#"{{"key_file":{:?},"authority":{:?}}}"#,
        keys.keys.mesh_key(),
        keys.keys.authority()
    );
    let part = refused(&part);
    assert_eq!(part.kind, FaultKind::Configuration);
    assert!(part.message.contains("`private_key`"), "{part}");
}

#[test]
fn the_key_is_given_once_and_its_file_is_named_when_it_is_not_there() {
    let keys = Keys::new(&[]);
    let file = keys.keys.mesh_key();
    let twice = refused(&format!(r#"{{"key":"{}","key_file":{file:?}}}"#, "0f".repeat(32)));
    assert_eq!(twice.kind, FaultKind::Invalid);
    let nowhere = refused(r#"{"key_file":"/nowhere/mesh.key"}"#);
    assert_eq!(nowhere.kind, FaultKind::Configuration);
    assert!(nowhere.message.contains("/nowhere/mesh.key"), "{nowhere}");
}

#[test]
fn a_configuration_file_says_the_place_in_the_mesh_as_options_do() {
    let keys = Keys::new(&["tokens", "agent"]);
    let file = keys.folder.path().join("toolmesh.toml");
    let mesh = "[mesh]\nkey_file = 'mesh.key'\nauthority = 'authority.pem'\ncertificate = 'tokens.pem'\n\
                private_key = 'tokens.key'\nlisten = '127.0.0.1:1'\n";
    std::fs::write(&file, mesh).unwrap();
    let host = start(&format!(r#"{{"config":{file:?},"listen":"127.0.0.1:0"}}"#)).unwrap();
    let _served = hello(&host);
    let agent = start(&keys.options("agent", &connect(&host))).unwrap();
    sees_a_tool(&agent);
    assert!(call(&agent, "hello", "{}").is_ok());
}

#[test]
fn access_rules_say_who_may_call_in_memory_and_on_a_network() {
    let keys = Keys::new(&["tokens", "agent", "other"]);
    let rules = r#","access":{"unlisted":"deny","tools":{"hello":{"names":["agent"]}}}"#;
    let host = start(&keys.options("tokens", rules)).unwrap();
    let _served = hello(&host);
    let place = connect(&host);
    let (agent, other) = (
        start(&keys.options("agent", &place)).unwrap(),
        start(&keys.options("other", &place)).unwrap(),
    );
    sees_a_tool(&agent);
    assert!(call(&agent, "hello", "{}").is_ok());
    assert_eq!(other.list(None).unwrap(), "[]");
    assert_eq!(call(&other, "hello", "{}").unwrap_err().kind, FaultKind::NoRoute);

    let memory = format!(r#"{{"engine":"memory","key":"{}""#, "1e".repeat(32));
    let host = start(&format!(r#"{memory},"name":"tokens"{rules}}}"#)).unwrap();
    let _served = hello(&host);
    let agent = start(&format!(r#"{memory},"name":"agent"}}"#)).unwrap();
    let other = start(&format!(r#"{memory},"name":"other"}}"#)).unwrap();
    assert!(call(&agent, "hello", "{}").is_ok());
    assert_eq!(other.list(None).unwrap(), "[]");
    let wrong = refused(r#"{"access":{"tool":{}}}"#);
    assert_eq!(wrong.kind, FaultKind::Configuration);
    assert!(wrong.message.contains("access rules: tool"), "{wrong}");
}

#[test]
fn an_address_that_is_taken_is_a_fault_of_the_system_that_names_it() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = taken.local_addr().unwrap().to_string();
    let busy = refused(&format!(r#"{{"key":"{}","listen":"{place}"}}"#, "0f".repeat(32)));
    assert_eq!(busy.kind, FaultKind::System);
    assert!(busy.message.contains(&place), "{busy}");
}
