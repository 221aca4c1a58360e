//! Nodes: what they serve, see, and leave.

use std::{
    net::TcpStream,
    time::{Duration, Instant},
};

use toolmesh_embed::{CallOptions, Fault, FaultKind, Node, ServerInfo, json};

use crate::support::{call, node, serve, start, wait};

const KEY: &str = r#"{"key":"1111111111111111111111111111111111111111111111111111111111111111","engine":"memory","tags":["region.eu"]}"#;

fn names(node: &Node, matcher: Option<&str>) -> Vec<String> {
    let listed = json::parse(node.list(matcher).unwrap().as_bytes()).unwrap();
    let tools = listed.view().as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool.get("tool_id").unwrap().as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn nodes_with_one_key_see_each_other_and_others_do_not() {
    let (host, agent, stranger) = (start(KEY).unwrap(), start(KEY).unwrap(), node());
    let served = serve(&host, r#"{"name":"hello"}"#, |call| {
        wait(call.finish("{}")).unwrap()
    })
    .unwrap();
    assert_eq!((served.tool_id(), served.version().as_str()), ("hello", "1.0.0"));
    assert_eq!(names(&agent, None), ["hello"]);
    assert_eq!(
        names(&agent, Some(r#"{"kind":"prefix","value":"region.eu"}"#)),
        ["hello"]
    );
    assert_eq!(
        names(&agent, Some(r#"{"kind":"exact","value":"region.us"}"#)),
        [""; 0]
    );
    assert_eq!(names(&stranger, None), [""; 0]);
    assert_eq!(call(&agent, "hello", "{}").unwrap(), "{}");
    assert_eq!(
        agent.hosts("hello", &CallOptions::default()).unwrap(),
        [host.id().unwrap()]
    );
    drop(served);
    assert_eq!(names(&agent, None), [""; 0]);
}

#[test]
fn changes_are_told_until_the_watch_is_ended() {
    let node = node();
    let changes = node.watch(None, None).unwrap();
    let served = serve(&node, r#"{"name":"a","description":"first"}"#, |_| {}).unwrap();
    let added = wait(changes.next()).unwrap();
    assert!(
        added.starts_with(r#"{"type":"added","descriptor":{"tool_id":"a""#),
        "{added}"
    );
    drop(served);
    assert!(wait(changes.next()).unwrap().starts_with(r#"{"type":"removed""#));
    changes.cancel();
    assert_eq!(wait(changes.next()), None);
}

#[test]
fn a_large_schema_is_fetched_when_it_is_asked_for() {
    let node = node();
    let comment = "x".repeat(100 * 1024);
    let descriptor = format!(r#"{{"name":"big","input_schema":{{"type":"object","$comment":"{comment}"}}}}"#);
    let _served = serve(&node, &descriptor, |_| {}).unwrap();
    let described = wait(node.describe("big", &CallOptions::default())).unwrap();
    assert!(described.contains(&comment));
    let fetched = wait(node.fetch_metadata(node.id().unwrap(), "big")).unwrap();
    assert!(fetched.contains(&comment) && fetched.contains("found"));
}

#[test]
fn the_same_tool_twice_is_refused_and_the_first_stays() {
    let node = node();
    let _first = serve(&node, r#"{"name":"one"}"#, |call| wait(call.finish("1")).unwrap()).unwrap();
    let again = serve(&node, r#"{"name":"one"}"#, |_| {}).unwrap_err();
    assert_eq!(again.kind, FaultKind::AlreadyServing);
    assert_eq!(call(&node, "one", "{}").unwrap(), "1");
    for wrong in [
        r#"{"name":"Bad Name!"}"#,
        r#"{"name":"v","version":"new"}"#,
        "[]",
        r#"{"name":"s","input_schema":"{"}"#,
    ] {
        let refused = serve(&node, wrong, |_| {}).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Invalid, "{wrong}");
    }
    for (name, told) in [
        ("Bad Name!", "character 4"),
        ("tool.watch", "a service of the mesh itself"),
    ] {
        let refused = serve(&node, &format!(r#"{{"name":"{name}"}}"#), |_| {}).unwrap_err();
        assert!(
            refused.message.contains(name) && refused.message.contains(told),
            "{refused}"
        );
    }
}

#[test]
fn sources_are_tools_of_the_node_beside_its_own() {
    let artifact = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/token.json");
    let options = format!(r#"{{"sources":[{artifact:?}]}}"#);
    let node = start(&options).unwrap();
    let _served = serve(&node, r#"{"name":"own"}"#, |call| {
        wait(call.finish("{}")).unwrap()
    })
    .unwrap();
    let names = names(&node, None);
    assert!(
        names.contains(&"transfer".to_owned()) && names.contains(&"own".to_owned()),
        "{names:?}"
    );
    let decimals = call(&node, "decimals", "{}").unwrap();
    assert!(decimals.contains("18"), "{decimals}");
}

#[test]
fn a_source_that_is_not_there_is_named() {
    let refused: Fault = start(r#"{"sources":["/nowhere/at/all.json"]}"#).unwrap_err();
    assert_eq!(refused.kind, FaultKind::Configuration);
    assert!(refused.message.contains("/nowhere/at/all.json"), "{refused}");
}

#[test]
fn a_closed_node_says_so_and_may_be_closed_again() {
    let node = node();
    let _served = serve(&node, r#"{"name":"own"}"#, |_| {}).unwrap();
    node.close();
    node.close();
    assert_eq!(node.list(None).unwrap_err().kind, FaultKind::Closed);
    assert_eq!(call(&node, "own", "{}").unwrap_err().kind, FaultKind::Closed);
    assert_eq!(
        serve(&node, r#"{"name":"new"}"#, |_| {}).unwrap_err().kind,
        FaultKind::Closed
    );
}

#[test]
fn nodes_on_a_network_find_and_call_each_other() {
    const KEY: &str = r#""key":"2222222222222222222222222222222222222222222222222222222222222222""#;
    let host = start(&format!("{{{KEY}}}")).unwrap();
    let place = host.listens_at().unwrap();
    let place = place[0].rsplit_once('/').unwrap().1;
    let agent = start(&format!(r#"{{{KEY},"connect":[{place:?}]}}"#)).unwrap();
    let changes = agent.watch(None, None).unwrap();
    let _served = serve(&host, r#"{"name":"hello"}"#, |call| {
        wait(call.finish("{}")).unwrap();
    })
    .unwrap();
    assert!(wait(changes.next()).unwrap().contains("hello"));
    assert_eq!(call(&agent, "hello", "{}").unwrap(), "{}");
    let keyless = start(r#"{"engine":"zenoh"}"#).unwrap_err();
    assert_eq!(keyless.kind, FaultKind::Invalid);
}

#[test]
fn who_is_not_allowed_never_sees_a_tool_of_the_sources() {
    const KEY: &str = r#""key":"3333333333333333333333333333333333333333333333333333333333333333""#;
    let artifact = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/token.json");
    let agent = start(&format!("{{{KEY}}}")).unwrap();
    let place = agent.listens_at().unwrap();
    let place = place[0].rsplit_once('/').unwrap().1;
    let changes = agent.watch(None, None).unwrap();
    let closed =
        format!(r#"{{{KEY},"connect":[{place:?}],"sources":[{artifact:?}],"allowed":{{"nodes":[1]}}}}"#);
    let _closed = start(&closed).unwrap();
    let open = start(&format!(r#"{{{KEY},"connect":[{place:?}]}}"#)).unwrap();
    let _served = serve(&open, r#"{"name":"hello"}"#, |_| {}).unwrap();
    let first = wait(changes.next()).unwrap();
    assert!(first.contains("added") && first.contains("hello"), "{first}");
    assert_eq!(names(&agent, None), ["hello"]);
}

#[test]
fn a_list_of_who_may_that_is_wrong_is_refused_before_a_source_is_started() {
    let refused =
        start(r#"{"sources":["/nowhere/at/all.json"],"allowed":{"groups":["friends"]}}"#).unwrap_err();
    assert_eq!(refused.kind, FaultKind::Invalid);
    assert!(refused.message.contains("a group"), "{refused}");
}

#[test]
fn what_an_mcp_server_does_not_take_as_an_address_is_no_fault_of_the_system() {
    let node = node();
    for (address, kind) in [
        ("nowhere", FaultKind::Invalid),
        ("0.0.0.0:0", FaultKind::Configuration),
    ] {
        let refused = wait(node.serve_mcp_http(address, ServerInfo::new("test", "0"))).unwrap_err();
        assert_eq!(refused.kind, kind, "{refused}");
    }
}

#[test]
fn closing_a_node_stops_its_mcp_servers() {
    let node = node();
    let server = wait(node.serve_mcp_http("127.0.0.1:0", ServerInfo::new("test", "0"))).unwrap();
    assert!(TcpStream::connect(server.address()).is_ok());
    node.close();
    let until = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(server.address()).is_ok() {
        assert!(Instant::now() < until, "the server goes on");
        std::thread::yield_now();
    }
}
