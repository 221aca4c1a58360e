//! A loopback node behind a dispatcher.

use std::sync::Arc;

use toolmesh_calimero::{NodeOptions, NodeSettings, NodeSource};
use toolmesh_calimero_node::{App, Behaviour, LoopbackNode, Options};
use toolmesh_json::{Value, parse};
use toolmesh_tool::{
    CallError, CallRequest, Caller, Dispatcher, Outcome, Prefix, Source, ToolResult, Toolbox, Transport,
};

use crate::manifests::bytes;

/// A node that is served.
pub(crate) struct Served {
    pub(crate) node: LoopbackNode,
    pub(crate) toolbox: Toolbox,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) source: Arc<NodeSource>,
}

/// Settings for nothing but this node.
pub(crate) fn settings(node: &LoopbackNode) -> NodeSettings {
    NodeSettings {
        url: Some(node.url().to_owned()),
        probed: Vec::new(),
        ..NodeSettings::default()
    }
}

pub(crate) fn kv() -> App {
    App::new("com.calimero.kv-store", &bytes("kv_store"), Behaviour::KeyValue)
}

/// An application of two services.
pub(crate) fn battleships() -> App {
    App::new(
        "com.calimero.battleships",
        &bytes("battleships_game"),
        Behaviour::Echo,
    )
    .services(&[
        ("game", &bytes("battleships_game")),
        ("lobby", &bytes("battleships_lobby")),
    ])
}

pub(crate) fn conformance() -> App {
    App::new(
        "com.calimero.abi_conformance",
        &bytes("abi_conformance"),
        Behaviour::Echo,
    )
}

impl Served {
    /// Serves a node that has these applications.
    pub(crate) async fn with(apps: Vec<App>) -> Self {
        let node = LoopbackNode::start(Options::default()).await;
        for app in apps {
            node.install(app);
        }
        let settings = settings(&node);
        Self::start(node, settings).await
    }

    /// A served key-value store with one context, called `room`, and the id of that.
    pub(crate) async fn store() -> (Self, String) {
        Self::store_with(|_| {}).await
    }

    /// The same, with other options.
    pub(crate) async fn store_with(change: impl FnOnce(&mut NodeOptions)) -> (Self, String) {
        let node = LoopbackNode::start(Options::default()).await;
        let id = node.install(kv());
        let context = node.create_context(&id, None);
        node.create_alias("room", &context);
        let mut options = NodeOptions::new(settings(&node));
        change(&mut options);
        (Self::start_with(node, options).await, context)
    }

    pub(crate) async fn start(node: LoopbackNode, settings: NodeSettings) -> Self {
        Self::start_with(node, NodeOptions::new(settings)).await
    }

    pub(crate) async fn start_with(node: LoopbackNode, options: NodeOptions) -> Self {
        let toolbox = Toolbox::new();
        let source = Arc::new(NodeSource::new("calimero", options));
        source
            .start(toolbox.mount("calimero", Prefix::None).unwrap())
            .await
            .unwrap();
        Self {
            node,
            dispatcher: Dispatcher::builder(toolbox.clone()).build(),
            toolbox,
            source,
        }
    }

    pub(crate) async fn outcome(&self, transport: Transport, tool: &str, arguments: &str) -> Outcome {
        let arguments = parse(arguments.as_bytes()).unwrap();
        let request = CallRequest::new(tool, arguments, Caller::anonymous(transport));
        self.dispatcher.call(request).await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> ToolResult {
        match self.outcome(Transport::Stdio, tool, arguments).await {
            Outcome::Completed(result) => result,
            Outcome::Failed(CallError::InvalidArguments(result)) => *result,
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// The structured result of a call that succeeds.
    pub(crate) async fn done(&self, tool: &str, arguments: &str) -> Value {
        let result = self.call(tool, arguments).await;
        assert!(!result.is_error, "{tool}: {}", result.joined_text());
        let text = result.joined_text();
        result.structured.unwrap_or_else(|| Value::from(text))
    }

    /// What the agent is told by a call that fails.
    pub(crate) async fn refused(&self, tool: &str, arguments: &str) -> String {
        let result = self.call(tool, arguments).await;
        assert!(result.is_error, "{tool}: {}", result.joined_text());
        match &result.content[0] {
            toolmesh_tool::ContentBlock::Text(text) => text.text.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// The same, where other content stands before it.
    pub(crate) async fn refused_last(&self, tool: &str, arguments: &str) -> String {
        let result = self.call(tool, arguments).await;
        assert!(result.is_error, "{tool}: {}", result.joined_text());
        let told = result
            .structured
            .as_ref()
            .and_then(|value| value.pointer("/error/message"));
        told.and_then(toolmesh_json::View::as_str).unwrap().to_owned()
    }

    pub(crate) fn tool_names(&self) -> Vec<String> {
        let snapshot = self.toolbox.snapshot();
        snapshot
            .listed_tools()
            .map(|tool| tool.name().to_string())
            .collect()
    }
}
