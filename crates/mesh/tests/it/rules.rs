//! Lists for single tools, clients behind gateways, and the record of every refusal.

use std::sync::{Arc, Mutex};

use toolmesh_mesh::{
    AccessRules, AllowList, CallOptions, CallOptionsTyped, CapabilitySet, Identity, MAX_GATEWAYS,
    MemoryNetwork, Mesh, MeshBuilder, NodeId, Predicate, RpcError, TOOL_METADATA_FETCH_SERVICE,
    ToolMetadataRequest, ToolMetadataResponse, metadata_for,
};
use toolmesh_tool::{
    CallEnd, CallInfo, Caller, Dispatcher, Observer, Prefix, Tool, ToolResult, Toolbox, Transport,
    json::Value, semver::VersionReq,
};

use crate::{
    log,
    support::{Text, echo, listed, node, node_as, text},
};

/// What observers were told: operation, target, outcome, identity, gateways.
type Record = (&'static str, String, &'static str, Option<String>, Vec<String>);

#[derive(Default)]
struct Records(Mutex<Vec<Record>>);

impl Observer for Records {
    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        let caller = call.caller.clone();
        self.0.lock().unwrap().push((
            call.operation,
            call.target.clone(),
            end.kind.code(),
            caller.identity,
            caller.on_behalf_of,
        ));
    }
}

impl Records {
    fn take(&self) -> Vec<Record> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A host whose refusals are recorded, with these rules from the first moment on.
async fn recorded(network: &MemoryNetwork, rules: AccessRules) -> (Mesh, Arc<Records>, Toolbox) {
    let records = Arc::new(Records::default());
    let toolbox = Toolbox::new();
    let dispatcher = Dispatcher::builder(toolbox.clone())
        .observer(Arc::clone(&records) as Arc<dyn Observer>)
        .build();
    let engine = network.node(Identity::new(NodeId::new(1), "host"));
    let host = MeshBuilder::on(Arc::new(engine))
        .dispatcher(dispatcher)
        .access(rules)
        .build()
        .await
        .unwrap();
    (host, records, toolbox)
}

fn directly(options: CallOptions) -> CallOptionsTyped {
    CallOptionsTyped {
        raw: options,
        ..Default::default()
    }
}

async fn call(from: &Mesh, tool: &str, options: CallOptions) -> Result<Text, RpcError> {
    from.call_typed(NodeId::new(1), tool, &text("x"), directly(options))
        .await
}

fn denied(tool: &str) -> Result<Text, RpcError> {
    Err(RpcError::CapabilityDenied {
        target: 1,
        capability: tool.into(),
    })
}

fn ids(mesh: &Mesh) -> Vec<String> {
    listed(mesh).into_iter().map(|(id, ..)| id).collect()
}

#[tokio::test]
async fn a_list_for_one_tool_holds_for_lists_descriptions_and_calls() {
    log::keep();
    let network = MemoryNetwork::new();
    let rules = AccessRules::new().tool("secret", AllowList::nobody().name("friend").subnet(7));
    let (host, records, _) = recorded(&network, rules).await;
    let _served = (echo(&host, "open", "1.0.0"), echo(&host, "secret", "1.0.0"));
    let friend = node_as(&network, Identity::new(NodeId::new(2), "friend")).await;
    let neighbour = Identity {
        subnets: vec![7],
        ..Identity::new(NodeId::new(3), "neighbour")
    };
    let neighbour = node_as(&network, neighbour).await;
    let stranger = node(&network, 4).await;
    for allowed in [&host, &friend, &neighbour] {
        assert_eq!(ids(allowed), ["open", "secret"], "{allowed:?}");
        let answer = call(allowed, "secret", CallOptions::new()).await;
        assert_eq!(answer, Ok(text("host: x")));
    }
    assert_eq!(ids(&stranger), ["open"]);
    assert!(call(&stranger, "open", CallOptions::new()).await.is_ok());
    records.take();
    assert_eq!(
        call(&stranger, "secret", CallOptions::new()).await,
        denied("secret")
    );
    let told = |outcome| {
        (
            "tools/call",
            "secret".to_owned(),
            outcome,
            Some("node-4".to_owned()),
            vec![],
        )
    };
    assert_eq!(records.take(), [told("admission_refused")]);
    log::has_line(&["WARN", "denied a call", "caller=\"node-4\"", "tool=\"secret\""]).await;

    let asked = ToolMetadataRequest {
        name: "secret".into(),
    };
    let described: Result<ToolMetadataResponse, _> = stranger
        .call_typed(
            NodeId::new(1),
            TOOL_METADATA_FETCH_SERVICE,
            &asked,
            CallOptionsTyped::default(),
        )
        .await;
    let name = "secret".to_owned();
    assert_eq!(described, Ok(ToolMetadataResponse::NotFound { name }));
}

#[tokio::test]
async fn without_a_list_nobody_may_where_that_is_the_rule() {
    let network = MemoryNetwork::new();
    let rules = AccessRules::deny_by_default().tool("open_*", AllowList::everybody());
    let (host, ..) = recorded(&network, rules).await;
    let _served = (echo(&host, "open_one", "1.0.0"), echo(&host, "other", "1.0.0"));
    let agent = node(&network, 2).await;
    assert_eq!(ids(&agent), ["open_one"]);
    assert!(call(&agent, "open_one", CallOptions::new()).await.is_ok());
    // What is there and what is not are refused alike.
    for tool in ["other", "nothing"] {
        assert_eq!(call(&agent, tool, CallOptions::new()).await, denied(tool));
    }
    assert!(call(&host, "other", CallOptions::new()).await.is_ok());
}

#[tokio::test]
async fn rules_that_change_take_tools_away_and_give_them_back() {
    let network = MemoryNetwork::new();
    let (host, ..) = recorded(&network, AccessRules::new()).await;
    let _served = echo(&host, "t", "1.0.0");
    let agent = node(&network, 2).await;
    assert_eq!(ids(&agent), ["t"]);
    host.set_access(AccessRules::new().host(AllowList::nobody()))
        .await
        .unwrap();
    assert_eq!(ids(&agent), [] as [&str; 0]);
    assert_eq!(call(&agent, "t", CallOptions::new()).await, denied("t"));
    host.set_access(AccessRules::new().host(AllowList::nobody().node(NodeId::new(2))))
        .await
        .unwrap();
    assert_eq!(ids(&agent), ["t"]);
    // Both lists have to have the node.
    host.announce_capabilities(CapabilitySet::new().allow_node(NodeId::new(9)))
        .await
        .unwrap();
    assert_eq!(ids(&agent), [] as [&str; 0]);
}

fn secret() -> Tool {
    Tool::with_name("secret")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("told") })
        .alias("nickname")
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_alias_is_no_way_around_the_list_of_its_tool() {
    let network = MemoryNetwork::new();
    let rules = AccessRules::new().tool("up_secret", AllowList::nobody());
    let (host, _, toolbox) = recorded(&network, rules).await;
    let mount = toolbox.mount("up", Prefix::Name("up".into())).unwrap();
    mount.add(vec![secret()]).unwrap();
    let agent = node(&network, 2).await;
    for name in ["up_secret", "up_nickname"] {
        assert_eq!(
            call(&agent, name, CallOptions::new()).await,
            denied(name),
            "{name}"
        );
    }
    let own = call(&host, "up_nickname", CallOptions::new()).await;
    assert!(!matches!(own, Err(RpcError::CapabilityDenied { .. })), "{own:?}");
}

#[tokio::test]
async fn a_rule_by_any_name_of_a_tool_hides_and_denies_it() {
    for rule in [
        "secret",
        "nickname",
        "up_nickname",
        "*secret",
        "s*t",
        "secre?",
        "up_*",
    ] {
        let network = MemoryNetwork::new();
        let rules = AccessRules::new().tool(rule, AllowList::nobody());
        let (_host, _, toolbox) = recorded(&network, rules).await;
        let mount = toolbox.mount("up", Prefix::Name("up".into())).unwrap();
        mount.add(vec![secret()]).unwrap();
        let agent = node(&network, 2).await;
        assert_eq!(ids(&agent), [""; 0], "{rule}");
        for name in ["up_secret", "up_nickname"] {
            let answer = call(&agent, name, CallOptions::new()).await;
            assert_eq!(answer, denied(name), "{rule}");
        }
    }
}

#[tokio::test]
async fn every_refusal_before_the_dispatcher_is_recorded() {
    let network = MemoryNetwork::new();
    let (host, records, _) = recorded(&network, AccessRules::new()).await;
    let _served = echo(&host, "t", "1.0.0");
    let agent = node(&network, 2).await;
    let unmet = CallOptions::new().with_where(&Predicate::metadata_exists("nothing"));
    assert!(call(&agent, "t", unmet).await.is_err());
    let fetch = |sha256: &str| Value::object().put("sha256", sha256).build();
    for digest in ["no digest", &"0".repeat(64)] {
        let fetched: Result<Value, _> = agent
            .call_typed(
                NodeId::new(1),
                toolmesh_mesh::TOOL_SCHEMA_FETCH_SERVICE,
                &fetch(digest),
                CallOptionsTyped::default(),
            )
            .await;
        assert!(fetched.is_err(), "{digest}");
    }
    host.set_access(AccessRules::new().host(AllowList::nobody()))
        .await
        .unwrap();
    assert!(call(&agent, "t", CallOptions::new()).await.is_err());
    let told = |target: &str, outcome| {
        let identity = Some("node-2".to_owned());
        ("tools/call", target.to_owned(), outcome, identity, vec![])
    };
    let expected = [
        told("t", "not_found"),
        told("", "front_refused"),
        told("", "not_found"),
        // A node that is not allowed is refused before what it wants is read.
        told("", "admission_refused"),
    ];
    assert_eq!(records.take(), expected);
}

/// The client of this identity, as the front of a gateway knows it.
fn client(identity: Option<&str>) -> Caller {
    match identity {
        Some(identity) => Caller::authenticated(identity, Transport::Http),
        None => Caller::anonymous(Transport::Http),
    }
}

fn for_client(identity: Option<&str>) -> CallOptions {
    CallOptions::new().on_behalf_of(&client(identity))
}

/// Serves a tool that says who called it: identity, partition, gateways.
fn serve_who(host: &Mesh) -> toolmesh_mesh::ToolServeHandle {
    let descriptor = metadata_for::<Text, Text>("who").build();
    host.serve_tool_with::<Text, Text, _, _>(descriptor, |context, _| async move {
        let caller = context.caller();
        let told = format!(
            "{:?} {} {:?}",
            caller.identity, caller.partition, caller.on_behalf_of
        );
        Ok(text(&told))
    })
    .unwrap()
}

#[tokio::test]
async fn the_host_is_told_for_whom_a_gateway_calls() {
    let network = MemoryNetwork::new();
    let rules = AccessRules::new().gateways(AllowList::nobody().name("edge"));
    let (host, ..) = recorded(&network, rules).await;
    let _served = serve_who(&host);
    let edge = node_as(&network, Identity::new(NodeId::new(2), "edge")).await;
    let told = |options| {
        let edge = edge.clone();
        async move { call(&edge, "who", options).await.unwrap().text }
    };
    assert_eq!(told(CallOptions::new()).await, r#"Some("edge") edge []"#);
    assert_eq!(
        told(for_client(Some("alice"))).await,
        r#"Some("alice") ["edge","alice"] ["edge"]"#
    );
    assert_eq!(told(for_client(None)).await, r#"None ["edge",""] ["edge"]"#);
    let through_two = Caller {
        on_behalf_of: vec!["outer".into()],
        ..client(Some("alice"))
    };
    assert_eq!(
        told(CallOptions::new().on_behalf_of(&through_two)).await,
        r#"Some("alice") ["edge","alice"] ["outer", "edge"]"#
    );
    // The command line of the gateway is the gateway.
    let own = CallOptions::new().on_behalf_of(&Caller::anonymous(Transport::CommandLine));
    assert_eq!(told(own).await, r#"Some("edge") edge []"#);
}

#[tokio::test]
async fn a_node_without_the_right_to_speak_for_others_is_refused() {
    let network = MemoryNetwork::new();
    let rules = AccessRules::new().gateways(AllowList::nobody().name("edge"));
    let (host, records, _) = recorded(&network, rules).await;
    let _served = serve_who(&host);
    let other = node_as(&network, Identity::new(NodeId::new(3), "other")).await;
    assert_eq!(call(&other, "who", for_client(Some("host"))).await, denied("who"));
    // The record names the node that tried and the tool, and not whom it claimed to speak for.
    let told = (
        "tools/call",
        "who".to_owned(),
        "admission_refused",
        Some("other".to_owned()),
        vec![],
    );
    assert_eq!(records.take(), [told]);
    let through = Caller {
        on_behalf_of: vec!["edge".into()],
        ..client(None)
    };
    let claims_a_gateway = CallOptions::new().on_behalf_of(&through);
    assert_eq!(call(&other, "who", claims_a_gateway).await, denied("who"));
    // To call for a nameless stranger takes nobody's name.
    let nameless = call(&other, "who", for_client(None)).await.unwrap();
    assert_eq!(nameless, text(r#"None ["other",""] ["other"]"#));
}

#[tokio::test]
async fn a_gateway_lends_its_clients_no_right_of_its_own() {
    let network = MemoryNetwork::new();
    let edge_only = AllowList::nobody().name("edge");
    let rules = AccessRules::new()
        .gateways(edge_only.clone())
        .tool("for_alice", edge_only.clone().client("alice"))
        .tool("for_clients", edge_only.clone().any_client())
        .tool("for_edge", edge_only)
        .tool("alice_directly", AllowList::nobody().client("alice"));
    let (host, records, _) = recorded(&network, rules).await;
    let tools = ["for_alice", "for_clients", "for_edge", "alice_directly"];
    let _served = tools.map(|tool| echo(&host, tool, "1.0.0"));
    let edge = node_as(&network, Identity::new(NodeId::new(2), "edge")).await;
    // A node with the name of a client is none.
    let alice = node_as(&network, Identity::new(NodeId::new(3), "alice")).await;
    let reached = |from: Mesh, options: CallOptions| async move {
        let mut reached = Vec::new();
        for tool in tools {
            if call(&from, tool, options.clone()).await.is_ok() {
                reached.push(tool);
            }
        }
        reached
    };
    let through = |identity| reached(edge.clone(), for_client(identity));
    assert_eq!(through(Some("alice")).await, ["for_alice", "for_clients"]);
    assert_eq!(through(Some("bob")).await, ["for_clients"]);
    assert_eq!(through(Some("edge")).await, ["for_clients"]);
    assert_eq!(through(None).await, ["for_clients"]);
    assert_eq!(reached(edge.clone(), CallOptions::new()).await, tools[..3]);
    assert_eq!(reached(alice, CallOptions::new()).await, [] as [&str; 0]);

    records.take();
    assert_eq!(
        call(&edge, "for_alice", for_client(Some("bob"))).await,
        denied("for_alice")
    );
    let told = (
        "tools/call",
        "for_alice".to_owned(),
        "admission_refused",
        Some("bob".to_owned()),
        vec!["edge".to_owned()],
    );
    assert_eq!(records.take(), [told]);
}

#[tokio::test]
async fn a_list_of_nodes_says_nothing_for_the_clients_behind_them() {
    let network = MemoryNetwork::new();
    let (host, ..) = recorded(&network, AccessRules::new()).await;
    let _served = echo(&host, "t", "1.0.0");
    let edge = node(&network, 2).await;
    assert!(call(&edge, "t", for_client(None)).await.is_ok());
    host.announce_capabilities(CapabilitySet::new().allow_node(NodeId::new(2)))
        .await
        .unwrap();
    assert!(call(&edge, "t", CallOptions::new()).await.is_ok());
    assert_eq!(call(&edge, "t", for_client(None)).await, denied("t"));
    let clients_too = AccessRules::new().host(AllowList::nobody().node(NodeId::new(2)).any_client());
    host.set_access(clients_too).await.unwrap();
    assert!(call(&edge, "t", for_client(None)).await.is_ok());
}

#[tokio::test]
async fn a_chain_of_gateways_is_bounded_and_nobody_sets_it_by_hand() {
    let network = MemoryNetwork::new();
    let rules = AccessRules::new().gateways(AllowList::everybody());
    let (host, ..) = recorded(&network, rules).await;
    let _served = echo(&host, "t", "1.0.0");
    let edge = node(&network, 2).await;
    let through = |gateways: usize| {
        let caller = Caller {
            on_behalf_of: vec!["g".into(); gateways],
            ..client(Some("alice"))
        };
        CallOptions::new().on_behalf_of(&caller)
    };
    assert!(call(&edge, "t", through(MAX_GATEWAYS - 1)).await.is_ok());
    let too_long = call(&edge, "t", through(MAX_GATEWAYS)).await.unwrap_err();
    assert_eq!(too_long.kind(), "codec_encode");
    let by_hand = CallOptions::new().with_header("toolmesh-on-behalf-of", "{}");
    let refused = call(&edge, "t", by_hand).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "cannot encode: the header `toolmesh-on-behalf-of` is set by the mesh alone"
    );
}

#[tokio::test]
async fn the_client_of_a_front_goes_along_through_the_mesh_as_a_source() {
    let network = MemoryNetwork::new();
    let rules = AccessRules::new()
        .gateways(AllowList::nobody().name("edge"))
        .tool("who", AllowList::nobody().name("edge").client("alice"));
    let (host, ..) = recorded(&network, rules).await;
    let _served = serve_who(&host);
    let toolbox = Toolbox::new();
    let dispatcher = Dispatcher::builder(toolbox.clone()).build();
    let engine = network.node(Identity::new(NodeId::new(2), "edge"));
    let edge = MeshBuilder::on(Arc::new(engine))
        .dispatcher(dispatcher.clone())
        .build()
        .await
        .unwrap();
    let source = edge.source("mesh");
    let mount = toolbox.mount("mesh", Prefix::None).unwrap();
    toolmesh_tool::Source::start(&source, mount).await.unwrap();
    let ask = |caller: Caller| {
        let arguments = Value::object().put("text", "x").build();
        let request = toolmesh_tool::CallRequest::new("who", arguments, caller).version(VersionReq::STAR);
        dispatcher.call(request)
    };
    let told = ask(client(Some("alice"))).await.completed().unwrap();
    let told = told.structured.unwrap().get("text").unwrap().to_value();
    assert_eq!(told.as_str(), Some(r#"Some("alice") ["edge","alice"] ["edge"]"#));
    for refused in [Some("bob"), None] {
        let outcome = ask(client(refused)).await;
        let failed = match outcome {
            toolmesh_tool::Outcome::Failed(error) => error.code(),
            other => panic!("{other:?}"),
        };
        assert_eq!(failed, "policy_refused");
    }
}

#[tokio::test]
async fn a_gateway_that_may_not_speak_for_others_is_told_so_at_both_ends() {
    log::keep();
    let network = MemoryNetwork::new();
    let (host, ..) = recorded(&network, AccessRules::new()).await;
    let descriptor = metadata_for::<Text, Text>("who_is_told").build();
    let _served = host
        .serve_tool::<Text, Text, _, _>(descriptor, |text| async move { Ok(text) })
        .unwrap();
    let toolbox = Toolbox::new();
    let dispatcher = Dispatcher::builder(toolbox.clone()).build();
    let edge = node_as(&network, Identity::new(NodeId::new(2), "edge-untold")).await;
    let mount = toolbox.mount("mesh", Prefix::None).unwrap();
    toolmesh_tool::Source::start(&edge.source("mesh"), mount)
        .await
        .unwrap();
    let arguments = Value::object().put("text", "x").build();
    let request = toolmesh_tool::CallRequest::new("who_is_told", arguments, client(Some("alice")));
    let outcome = dispatcher.call(request.version(VersionReq::STAR)).await;
    assert!(
        matches!(outcome, toolmesh_tool::Outcome::Failed(_)),
        "{outcome:?}"
    );
    let denied = [
        "denied a call of the mesh",
        "edge-untold",
        "who_is_told",
        "`gateways`",
    ];
    log::has_line(&denied).await;
    log::has_line(&["a node denied a call", "who_is_told", "`gateways`"]).await;
}

#[tokio::test]
async fn denials_do_not_fill_the_log() {
    log::keep();
    let network = MemoryNetwork::new();
    let (_host, ..) = recorded(&network, AccessRules::new().host(AllowList::nobody())).await;
    let agent = node_as(&network, Identity::new(NodeId::new(2), "often-denied")).await;
    for _ in 0..1_000 {
        assert_eq!(call(&agent, "t", CallOptions::new()).await, denied("t"));
    }
    let lines = log::lines(&["denied a call of the mesh", "often-denied"]).len();
    assert!((1..100).contains(&lines), "{lines}");
}
