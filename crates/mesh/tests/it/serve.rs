//! Serving: all or nothing, once a version, until the handle is dropped.

use toolmesh_mesh::{CallOptions, RpcError, ServeError, TOOL_METADATA_FETCH_SERVICE, ToolDescriptor};
use toolmesh_tool::{Dispatcher, Prefix, Tool, ToolResult, Toolbox, json::Value, tool};

use crate::support::{Net, Text, described, echo, listed, misses, over_engines, sees, text, until};

async fn a_tool_is_seen_and_callable_when_serving_returns_and_gone_when_its_handle_is_dropped(net: Net) {
    let (host, agent) = net.pair().await;
    let handle = echo(&host, "echo", "1.0.0");
    assert_eq!(
        (handle.tool_id(), handle.version().to_string().as_str()),
        ("echo", "1.0.0")
    );
    sees(&agent, &host).await;
    assert_eq!(listed(&agent), [("echo".into(), "1.0.0".into(), 1)]);
    let answer: Text = agent.call_tool("echo", &text("hello")).await.unwrap();
    assert_eq!(answer, text("node-1: hello"));
    drop(handle);
    until(&agent, "the tool is gone", || listed(&agent).is_empty()).await;
    let error = agent
        .call_tool::<_, Text>("echo", &text("hello"))
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::NoRoute { target: 0, .. }), "{error}");
}

async fn a_version_is_served_once_and_the_first_stays(net: Net) {
    let (host, agent) = net.pair().await;
    let _first = echo(&host, "echo", "1.0.0");
    let again = host.serve_tool::<Text, Text, _, _>(described("echo"), |_| async { Err("second".into()) });
    let error = again.unwrap_err();
    assert!(
        matches!(&error, ServeError::AlreadyServing(id) if id == "echo"),
        "{error}"
    );
    assert_eq!(error.to_string(), "already serving service `echo` on this node");
    sees(&agent, &host).await;
    let answer: Text = agent.call_tool("echo", &text("still")).await.unwrap();
    assert_eq!(answer, text("node-1: still"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_is_served_again_at_once_stays() {
    // The node follows its toolbox on another thread, and is told late of what goes; this many rounds meet it.
    const ROUNDS: usize = 3_000;
    let (host, _) = Net::memory().pair().await;
    for round in 0..ROUNDS {
        let handle = echo(&host, "echo", "1.0.0");
        let answer: Text = host.call_tool("echo", &text("hello")).await.unwrap();
        assert_eq!(answer, text("node-1: hello"), "round {round}");
        drop(handle);
    }
}

async fn what_cannot_be_served_changes_nothing(net: Net) {
    let (host, agent) = net.pair().await;
    let serve = |descriptor: ToolDescriptor| {
        host.serve_tool::<Text, Text, _, _>(descriptor, |said| async { Ok(said) })
            .unwrap_err()
    };
    for name in ["", "a b", "a/b", TOOL_METADATA_FETCH_SERVICE] {
        let error = serve(described(name));
        assert!(
            matches!(error, ServeError::InvalidServiceName(_)),
            "{name}: {error}"
        );
    }
    let priced = ToolDescriptor {
        pricing_terms: Some("{}".into()),
        ..described("t")
    };
    assert!(matches!(serve(priced), ServeError::UnenforceablePricing(_)));
    let unversioned = ToolDescriptor {
        version: "one".into(),
        ..described("t")
    };
    assert!(matches!(serve(unversioned), ServeError::Version { .. }));
    let no_json = ToolDescriptor {
        input_schema: Some("{".into()),
        ..described("t")
    };
    assert!(matches!(serve(no_json), ServeError::Schema { side: "input", .. }));
    let no_schema = ToolDescriptor {
        input_schema: Some(r#"{"type":"nothing"}"#.into()),
        ..described("t")
    };
    assert!(matches!(serve(no_schema), ServeError::Build(_)));
    // Registered, and then too large to announce: the registration is taken back.
    let mut too_much = described("t");
    too_much.tags = vec!["t".repeat(16_000); 20];
    assert!(matches!(serve(too_much), ServeError::RowTooLarge(_)));
    host.shutdown();
    assert!(matches!(serve(described("t")), ServeError::Engine(_)));
    misses(&agent, &host).await;
    assert_eq!(listed(&agent), []);

    let (host, agent) = (net.node(3).await, net.node(4).await);
    let mut too_much = described("t");
    too_much.tags = vec!["t".repeat(16_000); 20];
    let refused = host.serve_tool::<Text, Text, _, _>(too_much, |said| async { Ok(said) });
    assert!(refused.is_err());
    let _served = echo(&host, "t", "1.0.0");
    sees(&agent, &host).await;
    assert_eq!(listed(&agent).len(), 1);
}

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

async fn a_tool_of_the_attribute_is_served_like_any_other(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = add_register(&host).unwrap();
    let arguments = Value::object().put("a", 20).put("b", 22).build();
    sees(&agent, &host).await;
    let sum = agent
        .call_tool_value("add", &arguments, &CallOptions::new())
        .await;
    assert!(sum.unwrap().to_text().contains("42"));
    assert_eq!(
        agent.list_tools(None)[0].description.as_deref(),
        Some("Adds two numbers.")
    );
    let again = add_register(&host).unwrap_err();
    assert!(matches!(again, ServeError::AlreadyServing(_)), "{again}");
}

fn constant(name: &str, answer: &'static str) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(move |_, _| async move { ToolResult::text(answer) })
        .build()
        .unwrap()
}

async fn a_toolbox_is_published_and_followed(net: Net) {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::Name("one".into())).unwrap();
    mount.add(vec![constant("old", "old")]).unwrap();
    let dispatcher = Dispatcher::builder(toolbox).build();
    let host = net.builder(1).dispatcher(dispatcher).build().await.unwrap();
    let agent = net.node(2).await;
    let _own = echo(&host, "echo", "1.0.0");
    sees(&agent, &host).await;
    assert_eq!(
        listed(&agent),
        [
            ("echo".into(), "1.0.0".into(), 1),
            ("one_old".into(), "1.0.0".into(), 1)
        ]
    );

    use futures_util::StreamExt;
    let mut changes = agent.watch_tools(None, None);
    mount.replace(vec![constant("new", "new")]).unwrap();
    while listed(&agent).iter().any(|(id, ..)| id == "one_old") || listed(&agent).len() < 2 {
        changes.next().await.unwrap();
    }
    let answer = agent
        .call_tool_value("one_new", &Value::object().build(), &CallOptions::new())
        .await;
    assert_eq!(answer.unwrap().as_str(), Some("new"));
}

over_engines!(
    a_tool_is_seen_and_callable_when_serving_returns_and_gone_when_its_handle_is_dropped,
    a_version_is_served_once_and_the_first_stays,
    what_cannot_be_served_changes_nothing,
    a_tool_of_the_attribute_is_served_like_any_other,
    a_toolbox_is_published_and_followed
);
