//! Listing, watching, describing.

use std::time::Duration;

use futures_util::StreamExt;
use toolmesh_mesh::{
    AccessRules, AllowList, AnnounceError, CallOptions, CapabilityError, CapabilitySet,
    MAX_INLINE_SCHEMA_BYTES, MAX_METADATA_VALUE_BYTES, MAX_ROW_BYTES, MAX_TOLD_CHANGES, MemoryNetwork, Mesh,
    NodeId, RpcError, RpcStreamTyped, TagMatcher, ToolDescriptor, ToolListChange, ToolWatchRequest,
};
use toolmesh_tool::{Dispatcher, Prefix, Tool, ToolResult, Toolbox, json::Value};

use crate::support::{Net, Text, described, echo, listed, node, over_engines, pair, sees, text, until};

async fn tools_are_listed_by_identifier_and_version_with_the_number_of_their_hosts(net: Net) {
    let (one, two) = (net.node(1).await, net.node(2).await);
    let _served = (
        echo(&one, "b", "1.0.0"),
        echo(&two, "b", "1.0.0"),
        echo(&two, "b", "1.10.0"),
        echo(&one, "b", "1.9.0"),
        echo(&two, "a", "1.0.0"),
    );
    let late = net.node(3).await;
    let expected = [
        ("a", "1.0.0", 1),
        ("b", "1.0.0", 2),
        ("b", "1.9.0", 1),
        ("b", "1.10.0", 1),
    ];
    let expected = expected.map(|(id, version, count)| (id.to_owned(), version.to_owned(), count));
    for mesh in [&one, &two, &late] {
        until(mesh, "every tool is listed", || listed(mesh) == expected).await;
    }
}

#[tokio::test]
async fn where_hosts_disagree_the_lowest_number_is_believed() {
    let network = MemoryNetwork::new();
    let (two, one) = (node(&network, 2).await, node(&network, 1).await);
    let serve = |mesh: &Mesh, description: &str| {
        let descriptor = ToolDescriptor {
            description: Some(description.into()),
            ..described("t")
        };
        mesh.serve_tool::<Text, Text, _, _>(descriptor, |said| async { Ok(said) })
            .unwrap()
    };
    let _served = (serve(&two, "two"), serve(&one, "one"));
    assert_eq!(two.list_tools(None)[0].description.as_deref(), Some("one"));
}

#[tokio::test]
async fn what_a_node_may_tell_of_itself_others_take_in_and_more_is_an_error() {
    let (host, agent) = pair().await;
    let of = |last: usize| {
        let whole = "v".repeat(MAX_METADATA_VALUE_BYTES);
        let values = (0..last / whole.len()).map(|number| (format!("k{number:02}"), whole.clone()));
        CapabilitySet {
            tags: vec!["region.eu".to_owned()],
            metadata: values
                .chain([("last".to_owned(), "v".repeat(last % whole.len()))])
                .collect(),
            ..CapabilitySet::new()
        }
    };
    let (mut most, mut too_many) = (0, MAX_ROW_BYTES);
    while too_many - most > 1 {
        let middle = usize::midpoint(most, too_many);
        match of(middle).check() {
            Ok(()) => most = middle,
            Err(_) => too_many = middle,
        }
    }
    host.announce_capabilities(of(most)).await.unwrap();
    sees(&agent, &host).await;
    let tags_of = |mesh: &Mesh| {
        let nodes = mesh.nodes();
        let seen = nodes.iter().find(|seen| seen.node == host.node_id()).unwrap();
        seen.tags.clone()
    };
    assert_eq!(tags_of(&agent), ["region.eu"]);
    let too_much = CapabilitySet {
        tags: vec!["region.us".to_owned()],
        ..of(too_many)
    };
    let refused = host.announce_capabilities(too_much).await.unwrap_err();
    assert_eq!(refused, AnnounceError::Capabilities(CapabilityError::TooLarge));
    for mesh in [&host, &agent] {
        assert_eq!(tags_of(mesh), ["region.eu"]);
    }
}

async fn a_matcher_chooses_hosts_by_their_tags(net: Net) {
    let (eu, us, agent) = (net.node(1).await, net.node(2).await, net.node(3).await);
    let _served = (
        echo(&eu, "t", "1.0.0"),
        echo(&us, "t", "1.0.0"),
        echo(&us, "u", "1.0.0"),
    );
    eu.announce_capabilities(CapabilitySet::new().tag("region.eu-west"))
        .await
        .unwrap();
    us.announce_capabilities(CapabilitySet::new().tag("region.us"))
        .await
        .unwrap();
    sees(&agent, &eu).await;
    sees(&agent, &us).await;
    let ids = |matcher: &TagMatcher| -> Vec<(String, u32)> {
        let tools = agent.list_tools(Some(matcher)).into_iter();
        tools.map(|tool| (tool.tool_id, tool.node_count)).collect()
    };
    let eu_only = TagMatcher::Prefix {
        value: "region.eu".into(),
    };
    assert_eq!(ids(&eu_only), [("t".to_owned(), 1)]);
    let serves_u = TagMatcher::Exact {
        value: "ai-tool:u".into(),
    };
    assert_eq!(ids(&serves_u), [("t".to_owned(), 1), ("u".to_owned(), 1)]);
    let service_u = TagMatcher::Exact {
        value: "nrpc:u".into(),
    };
    assert_eq!(ids(&service_u), ids(&serves_u));
    let broken = TagMatcher::Regex { pattern: "(".into() };
    assert_eq!(ids(&broken), []);
}

async fn a_watch_tells_what_changes_after_it_was_made(net: Net) {
    let (one, two, agent) = (net.node(1).await, net.node(2).await, net.node(3).await);
    let _before = echo(&one, "before", "1.0.0");
    sees(&agent, &one).await;
    sees(&agent, &two).await;
    let mut changes = agent.watch_tools(None, Some(Duration::from_millis(1)));
    let first = echo(&one, "t", "1.0.0");
    let added = ToolDescriptor {
        node_count: 1,
        ..described("t")
    };
    assert_eq!(changes.next().await, Some(ToolListChange::Added(added.clone())));
    let second = echo(&two, "t", "1.0.0");
    let both = ToolDescriptor {
        node_count: 2,
        ..described("t")
    };
    let more = ToolListChange::NodeCountChanged {
        descriptor: both,
        prev_node_count: 1,
    };
    assert_eq!(changes.next().await, Some(more));
    drop(second);
    let fewer = ToolListChange::NodeCountChanged {
        descriptor: added.clone(),
        prev_node_count: 2,
    };
    assert_eq!(changes.next().await, Some(fewer));
    drop(first);
    assert_eq!(changes.next().await, Some(ToolListChange::Removed(added)));
    changes.cancel();
    assert_eq!(changes.next().await, None);
}

#[tokio::test]
async fn a_watch_that_is_dropped_leaves_no_task_behind() {
    let (_host, agent) = pair().await;
    settle().await;
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let watch = agent.watch_tools(None, None);
    assert_eq!(tasks(), before + 1);
    drop(watch);
    settle().await;
    assert_eq!(tasks(), before);
}

#[tokio::test]
async fn a_watch_sees_an_edit_under_the_same_version_and_ends_with_its_node() {
    let (host, agent) = pair().await;
    let served = echo(&host, "t", "1.0.0");
    // Both changes happen between two looks of the watch, since nothing is awaited here.
    let mut changes = agent.watch_tools(None, None);
    drop(served);
    let edited = ToolDescriptor {
        description: Some("Edited.".into()),
        ..described("t")
    };
    let _served = host
        .serve_tool::<Text, Text, _, _>(edited, |said| async { Ok(said) })
        .unwrap();
    let Some(ToolListChange::Changed(seen)) = changes.next().await else {
        panic!("no change");
    };
    assert_eq!(seen.description.as_deref(), Some("Edited."));
    agent.shutdown();
    assert_eq!(changes.next().await, None);
}

async fn a_reader_far_behind_loses_nothing(net: Net) {
    let (host, agent) = net.pair().await;
    sees(&agent, &host).await;
    let mut changes = agent.watch_tools(None, None);
    let mut served = Vec::new();
    for number in 0..400 {
        served.push(echo(&host, &format!("t{number:03}"), "1.0.0"));
        tokio::task::yield_now().await;
    }
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < 400 {
        match changes.next().await {
            Some(ToolListChange::Added(tool)) => assert!(seen.insert(tool.tool_id)),
            other => panic!("{other:?}"),
        }
    }
}

/// A descriptor whose input schema has about so many bytes.
fn large(tool_id: &str, bytes: usize) -> ToolDescriptor {
    let schema = Value::object()
        .put("type", "object")
        .put("description", "d".repeat(bytes))
        .build();
    ToolDescriptor {
        input_schema: Some(schema.to_text()),
        ..described(tool_id)
    }
}

async fn a_large_schema_is_not_announced_and_fetched_when_it_is_asked_for(net: Net) {
    let (host, agent) = net.pair().await;
    sees(&agent, &host).await;
    for (tool_id, bytes) in [
        ("small", 100),
        ("large", MAX_INLINE_SCHEMA_BYTES),
        ("megabyte", 1_000_000),
    ] {
        let descriptor = large(tool_id, bytes);
        let _served = host
            .serve_tool::<Value, Text, _, _>(descriptor.clone(), |_| async { Ok(text("")) })
            .unwrap();
        until(&agent, "only this tool is listed", || {
            listed(&agent) == [(tool_id.to_owned(), "1.0.0".to_owned(), 1)]
        })
        .await;
        let is_inline = bytes < MAX_INLINE_SCHEMA_BYTES;
        assert_eq!(
            agent.list_tools(None)[0].input_schema.is_some(),
            is_inline,
            "{tool_id}"
        );
        let described = agent.describe_tool(tool_id, &CallOptions::new()).await.unwrap();
        let expected = ToolDescriptor {
            node_count: 1,
            ..descriptor
        };
        assert_eq!(described, expected);
        // Once fetched, it is listed.
        assert_eq!(agent.list_tools(None), [described]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_sees_an_edit_of_a_schema_however_large_it_is() {
    let (host, agent) = pair().await;
    let serve = |bytes| {
        host.serve_tool::<Value, Text, _, _>(large("t", bytes), |_| async { Ok(text("")) })
            .unwrap()
    };
    // In its row before and after, there no more, not there, and there again.
    let (small, large) = (MAX_INLINE_SCHEMA_BYTES / 2, MAX_INLINE_SCHEMA_BYTES);
    for (before, after) in [(100, small), (small, large), (large, large + 1), (large, small)] {
        let served = serve(before);
        let mut changes = agent.watch_tools(None, None);
        drop(served);
        let _edited = serve(after);
        let told = tokio::time::timeout(Duration::from_secs(60), changes.next()).await;
        assert!(
            matches!(told, Ok(Some(ToolListChange::Changed(_)))),
            "{before}, {after}: {told:?}"
        );
    }
}

async fn a_schema_that_was_fetched_once_is_not_asked_for_again(net: Net) {
    let (host, agent) = net.pair().await;
    let first = host
        .serve_tool::<Value, Text, _, _>(large("one", 5_000), |_| async { Ok(text("")) })
        .unwrap();
    sees(&agent, &host).await;
    agent.describe_tool("one", &CallOptions::new()).await.unwrap();
    drop(first);
    let _second = host
        .serve_tool::<Value, Text, _, _>(large("two", 5_000), |_| async { Ok(text("")) })
        .unwrap();
    until(&agent, "only the second is listed", || {
        listed(&agent) == [("two".to_owned(), "1.0.0".to_owned(), 1)]
    })
    .await;
    assert_eq!(
        agent.list_tools(None)[0].input_schema,
        large("two", 5_000).input_schema
    );
    let error = agent.describe_tool("one", &CallOptions::new()).await.unwrap_err();
    assert!(matches!(error, RpcError::NoRoute { .. }));
}

async fn ten_thousand_tools_of_one_host_are_seen_by_whoever_joins(net: Net) {
    let toolbox = Toolbox::new();
    let tool = |number: u32| {
        Tool::with_name(format!("tool_{number:05}"))
            .json_object_arguments()
            .handler(move |_, _| async move { ToolResult::structured(Value::from(number)) })
            .build()
            .unwrap()
    };
    let tools: Vec<Tool> = (0..10_000).map(tool).collect();
    toolbox.mount("many", Prefix::None).unwrap().add(tools).unwrap();
    let dispatcher = Dispatcher::builder(toolbox).build();
    let host = net.builder(1).dispatcher(dispatcher).build().await.unwrap();
    let agent = net.node(2).await;
    sees(&agent, &host).await;
    assert_eq!(agent.list_tools(None).len(), 10_000);
    let (nothing, options) = (Value::object().build(), CallOptions::new());
    let last = agent.call_tool_value("tool_09999", &nothing, &options).await;
    assert_eq!(last, Ok(Value::from(9_999)));
    drop(host);
    until(&agent, "all tools are gone", || agent.list_tools(None).is_empty()).await;
}

async fn tools_are_found_by_words(net: Net) {
    let (host, agent) = net.pair().await;
    let mut descriptor = described("web_search");
    descriptor.tags = vec!["research".into()];
    let _served = (
        host.serve_tool::<Text, Text, _, _>(descriptor, |said| async { Ok(said) })
            .unwrap(),
        echo(&host, "other", "1.0.0"),
    );
    sees(&agent, &host).await;
    let found = agent.search_tools("SEARCH research");
    assert_eq!(found.len(), 1);
    assert_eq!(agent.search_tools("back").len(), 2);
    assert_eq!(agent.search_tools("nothing").len(), 0);
}

/// Serves the echo with another description.
fn serve_edited(host: &Mesh, tool_id: &str) -> toolmesh_mesh::ToolServeHandle {
    let edited = ToolDescriptor {
        description: Some("Edited.".into()),
        ..described(tool_id)
    };
    host.serve_tool::<Text, Text, _, _>(edited, |said| async { Ok(said) })
        .unwrap()
}

#[tokio::test]
async fn a_compatible_watch_leaves_out_edits() {
    let (host, agent) = pair().await;
    let served = echo(&host, "t", "1.0.0");
    let mut changes = agent.watch_tools(None, None).compatible();
    drop(served);
    let _edited = serve_edited(&host, "t");
    let _more = echo(&host, "u", "1.0.0");
    match changes.next().await {
        Some(ToolListChange::Added(tool)) => assert_eq!(tool.tool_id, "u"),
        other => panic!("{other:?}"),
    }
}

async fn watch_node(agent: &Mesh, request: ToolWatchRequest) -> RpcStreamTyped<ToolListChange> {
    let options = CallOptions::new();
    agent
        .watch_node(NodeId::new(1), &request, &options)
        .await
        .unwrap()
}

/// Lets every task come as far as it can: a host, for instance, to look at its tools once before anything changes.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

fn change(kind: &str, descriptor: ToolDescriptor) -> ToolListChange {
    let descriptor = ToolDescriptor {
        node_count: 1,
        ..descriptor
    };
    match kind {
        "added" => ToolListChange::Added(descriptor),
        "removed" => ToolListChange::Removed(descriptor),
        _ => ToolListChange::Changed(descriptor),
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_tells_another_what_changes_among_the_tools_that_it_may_see() {
    let network = MemoryNetwork::new();
    let (host, agent, other) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    let rules = AccessRules::new().tool("secret", AllowList::nobody());
    host.set_access(rules).await.unwrap();
    let _before = echo(&host, "before", "1.0.0");
    let mut compatible = watch_node(&agent, ToolWatchRequest::default()).await;
    let mut changes = watch_node(
        &agent,
        ToolWatchRequest {
            changed: true,
            ..ToolWatchRequest::default()
        },
    )
    .await;
    settle().await;
    // Neither what others serve nor what is hidden is told.
    let _others = (echo(&other, "elsewhere", "1.0.0"), echo(&host, "secret", "1.0.0"));
    let served = echo(&host, "t", "1.0.0");
    let added = change("added", described("t"));
    assert_eq!(changes.next().await, Some(Ok(added.clone())));
    assert_eq!(compatible.next().await, Some(Ok(added)));
    drop(served);
    let edited = serve_edited(&host, "t");
    let seen = agent
        .list_tools(None)
        .into_iter()
        .find(|tool| tool.tool_id == "t")
        .unwrap();
    assert_eq!(changes.next().await, Some(Ok(change("changed", seen.clone()))));
    drop(edited);
    let removed = change("removed", seen);
    assert_eq!(changes.next().await, Some(Ok(removed.clone())));
    assert_eq!(compatible.next().await, Some(Ok(removed)));
    host.shutdown();
    let ended = changes.next().await.unwrap().unwrap_err();
    assert_eq!(ended.kind(), "transport");
    assert_eq!(changes.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_of_a_node_is_told_to_list_again_when_there_is_too_much_to_tell() {
    let (host, agent) = pair().await;
    for (tools, told) in [(MAX_TOLD_CHANGES, MAX_TOLD_CHANGES), (MAX_TOLD_CHANGES + 1, 1)] {
        let mut changes = watch_node(&agent, ToolWatchRequest::default()).await;
        settle().await;
        let mut served: Vec<_> = (0..tools)
            .map(|number| echo(&host, &format!("t{number:03}"), "1.0.0"))
            .collect();
        let mut seen = Vec::new();
        for _ in 0..told {
            seen.push(changes.next().await.unwrap().unwrap());
        }
        let is_resync = seen.contains(&ToolListChange::Resync);
        assert_eq!((is_resync, seen.len()), (told == 1, told));
        // Then it goes on from there.
        drop(served.remove(0));
        let next = changes.next().await.unwrap().unwrap();
        assert!(matches!(next, ToolListChange::Removed(_)), "{next:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_a_node_follows_its_tags_and_refuses_what_it_does_not_understand() {
    let (host, agent) = pair().await;
    let _served = echo(&host, "t", "1.0.0");
    let in_eu = ToolWatchRequest {
        matcher: Some(TagMatcher::Prefix {
            value: "region.eu".into(),
        }),
        ..ToolWatchRequest::default()
    };
    let mut changes = watch_node(&agent, in_eu).await;
    settle().await;
    host.announce_capabilities(CapabilitySet::new().tag("region.eu-west"))
        .await
        .unwrap();
    let added = changes.next().await;
    assert_eq!(added, Some(Ok(change("added", described("t")))));
    let broken = ToolWatchRequest {
        matcher: Some(TagMatcher::Regex { pattern: "(".into() }),
        ..ToolWatchRequest::default()
    };
    let refused = watch_node(&agent, broken)
        .await
        .next()
        .await
        .unwrap()
        .unwrap_err();
    assert!(
        matches!(refused, RpcError::ServerError { status: 0x8000, .. }),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_a_node_follows_the_tags_that_its_tools_give_it() {
    let (host, agent) = pair().await;
    let _served = echo(&host, "t", "1.0.0");
    for tag in ["ai-tool:u", "nrpc:u"] {
        let serves_u = ToolWatchRequest {
            matcher: Some(TagMatcher::Exact { value: tag.into() }),
            ..ToolWatchRequest::default()
        };
        let mut changes = watch_node(&agent, serves_u).await;
        settle().await;
        let _served = echo(&host, "u", "1.0.0");
        for tool_id in ["t", "u"] {
            let told = tokio::time::timeout(Duration::from_secs(60), changes.next()).await;
            let added = change("added", described(tool_id));
            assert_eq!(told, Ok(Some(Ok(added))), "{tag}");
        }
    }
}

over_engines!(
    ten_thousand_tools_of_one_host_are_seen_by_whoever_joins,
    tools_are_listed_by_identifier_and_version_with_the_number_of_their_hosts,
    a_matcher_chooses_hosts_by_their_tags,
    a_watch_tells_what_changes_after_it_was_made,
    a_reader_far_behind_loses_nothing,
    a_large_schema_is_not_announced_and_fetched_when_it_is_asked_for,
    a_schema_that_was_fetched_once_is_not_asked_for_again,
    tools_are_found_by_words
);
