//! Listing, watching, describing.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use toolmesh_mesh::{
    CallOptions, CapabilitySet, Identity, MAX_INLINE_SCHEMA_BYTES, MemoryNetwork, MeshBuilder, NodeId,
    RpcError, TagMatcher, ToolDescriptor, ToolListChange,
};
use toolmesh_tool::{Dispatcher, Prefix, Tool, ToolResult, Toolbox, json::Value};

use crate::support::{Text, described, echo, listed, node, pair, text};

#[tokio::test]
async fn tools_are_listed_by_identifier_and_version_with_the_number_of_their_hosts() {
    let network = MemoryNetwork::new();
    let (one, two) = (node(&network, 1).await, node(&network, 2).await);
    let _served = (
        echo(&one, "b", "1.0.0"),
        echo(&two, "b", "1.0.0"),
        echo(&two, "b", "1.10.0"),
        echo(&one, "b", "1.9.0"),
        echo(&two, "a", "1.0.0"),
    );
    let late = node(&network, 3).await;
    let expected = [
        ("a", "1.0.0", 1),
        ("b", "1.0.0", 2),
        ("b", "1.9.0", 1),
        ("b", "1.10.0", 1),
    ];
    let expected = expected.map(|(id, version, count)| (id.to_owned(), version.to_owned(), count));
    for mesh in [&one, &two, &late] {
        assert_eq!(listed(mesh), expected);
    }
}

#[tokio::test]
async fn where_hosts_disagree_the_lowest_number_is_believed() {
    let network = MemoryNetwork::new();
    let (two, one) = (node(&network, 2).await, node(&network, 1).await);
    let serve = |mesh: &toolmesh_mesh::Mesh, description: &str| {
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
async fn a_matcher_chooses_hosts_by_their_tags() {
    let network = MemoryNetwork::new();
    let (eu, us, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
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
    let broken = TagMatcher::Regex { pattern: "(".into() };
    assert_eq!(ids(&broken), []);
}

#[tokio::test]
async fn a_watch_tells_what_changes_after_it_was_made() {
    let network = MemoryNetwork::new();
    let (one, two, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    let _before = echo(&one, "before", "1.0.0");
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

#[tokio::test]
async fn a_reader_far_behind_loses_nothing() {
    let (host, agent) = pair().await;
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

#[tokio::test]
async fn a_large_schema_is_not_announced_and_fetched_when_it_is_asked_for() {
    let (host, agent) = pair().await;
    for (tool_id, bytes) in [
        ("small", 100),
        ("large", MAX_INLINE_SCHEMA_BYTES),
        ("megabyte", 1_000_000),
    ] {
        let descriptor = large(tool_id, bytes);
        let _served = host
            .serve_tool::<Value, Text, _, _>(descriptor.clone(), |_| async { Ok(text("")) })
            .unwrap();
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

#[tokio::test]
async fn a_schema_that_was_fetched_once_is_not_asked_for_again() {
    let (host, agent) = pair().await;
    let first = host
        .serve_tool::<Value, Text, _, _>(large("one", 5_000), |_| async { Ok(text("")) })
        .unwrap();
    agent.describe_tool("one", &CallOptions::new()).await.unwrap();
    drop(first);
    let _second = host
        .serve_tool::<Value, Text, _, _>(large("two", 5_000), |_| async { Ok(text("")) })
        .unwrap();
    assert_eq!(
        agent.list_tools(None)[0].input_schema,
        large("two", 5_000).input_schema
    );
    let error = agent.describe_tool("one", &CallOptions::new()).await.unwrap_err();
    assert!(matches!(error, RpcError::NoRoute { .. }));
}

#[tokio::test]
async fn ten_thousand_tools_of_one_host_are_seen_by_whoever_joins() {
    let network = MemoryNetwork::new();
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
    let engine = network.node(Identity::new(NodeId::new(1), "host"));
    let dispatcher = Dispatcher::builder(toolbox).build();
    let host = MeshBuilder::on(Arc::new(engine))
        .dispatcher(dispatcher)
        .build()
        .await
        .unwrap();
    let agent = node(&network, 2).await;
    assert_eq!(agent.list_tools(None).len(), 10_000);
    let (nothing, options) = (Value::object().build(), CallOptions::new());
    let last = agent.call_tool_value("tool_09999", &nothing, &options).await;
    assert_eq!(last, Ok(Value::from(9_999)));
    drop(host);
    assert_eq!(agent.list_tools(None).len(), 0);
}

#[tokio::test]
async fn tools_are_found_by_words() {
    let (host, agent) = pair().await;
    let mut descriptor = described("web_search");
    descriptor.tags = vec!["research".into()];
    let _served = (
        host.serve_tool::<Text, Text, _, _>(descriptor, |said| async { Ok(said) })
            .unwrap(),
        echo(&host, "other", "1.0.0"),
    );
    let found = agent.search_tools("SEARCH research");
    assert_eq!(found.len(), 1);
    assert_eq!(agent.search_tools("back").len(), 2);
    assert_eq!(agent.search_tools("nothing").len(), 0);
}
