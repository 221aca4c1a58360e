//! Tools of other nodes in a toolbox of one's own.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use toolmesh_mesh::{CapabilitySet, Mesh, NodeId, ToolDescriptor, ToolEvent};
use toolmesh_tool::{
    Accept, ArgumentError, CallRequest, Caller, Dispatcher, Mount, Outcome, Prefix, Source, Tool, ToolResult,
    Toolbox, Transport,
    json::{Value, View, parse},
    schema::Profile,
};

use crate::support::{Net, Text, described, echo, listed, over_engines, sees, until};

/// A node that has the tools of others in its toolbox, as `mesh_<id>`, and publishes its toolbox.
struct Gateway {
    mesh: Mesh,
    dispatcher: Dispatcher,
    local: Mount,
}

async fn gateway(net: &Net, number: u64) -> Gateway {
    let toolbox = Toolbox::new();
    let dispatcher = Dispatcher::builder(toolbox.clone()).build();
    let mesh = net
        .builder(number)
        .dispatcher(dispatcher.clone())
        .build()
        .await
        .unwrap();
    let source = mesh.source("mesh");
    let mount = toolbox.mount(source.name(), Prefix::Name("mesh".into())).unwrap();
    source.start(mount).await.unwrap();
    let local = toolbox.mount("local", Prefix::None).unwrap();
    Gateway {
        mesh,
        dispatcher,
        local,
    }
}

impl Gateway {
    fn names(&self) -> Vec<String> {
        let catalogue = self.dispatcher.toolbox().snapshot();
        let tools = catalogue.all_tools().filter(|tool| tool.source() == "mesh");
        tools
            .map(|tool| format!("{} {}", tool.name(), tool.tool().version()))
            .collect()
    }

    async fn until(&self, done: impl Fn(&[String]) -> bool) {
        let mut watch = self.dispatcher.toolbox().watch();
        while !done(&self.names()) {
            watch.changed().await.unwrap();
        }
    }

    fn request(&self, tool: &str, text: &str) -> CallRequest {
        let arguments = Value::object().put("text", text).build();
        CallRequest::new(tool, arguments, Caller::anonymous(Transport::InProcess))
    }
}

async fn tools_of_other_nodes_come_go_and_are_called_through_the_toolbox(net: Net) {
    let host = net.node(1).await;
    let old = echo(&host, "echo", "1.0.0");
    let gateway = gateway(&net, 2).await;
    gateway.until(|names| names == ["mesh_echo 1.0.0"]).await;
    let catalogue = gateway.dispatcher.toolbox().snapshot();
    let tool = catalogue.tool("mesh_echo", None).unwrap();
    assert!(tool.tool().text_suffices(), "a result on a mesh is any JSON");
    let outcome = gateway.dispatcher.call(gateway.request("mesh_echo", "hi")).await;
    let result = outcome.completed().unwrap();
    assert_eq!(
        result.structured,
        Some(parse(br#"{"text":"node-1: hi"}"#).unwrap())
    );

    let _new = echo(&host, "echo", "1.1.0");
    gateway.until(|names| names.len() == 2).await;
    drop(old);
    gateway.until(|names| names == ["mesh_echo 1.1.0"]).await;
    host.announce_capabilities(CapabilitySet::new().allow_node(NodeId::new(9)))
        .await
        .unwrap();
    gateway.until(<[String]>::is_empty).await;
    host.announce_capabilities(CapabilitySet::new()).await.unwrap();
    gateway.until(|names| names.len() == 1).await;
    host.shutdown();
    gateway.until(<[String]>::is_empty).await;
}

async fn events_and_errors_of_another_node_come_as_they_were_made(net: Net) {
    let host = net.node(1).await;
    let made = vec![
        ToolEvent::Progress {
            pct: Some(50.0),
            message: None,
        },
        ToolEvent::Delta {
            data: Value::from("piece"),
        },
        ToolEvent::Error {
            code: "upstream_timeout".into(),
            message: "too late".into(),
            details: None,
        },
    ];
    let events = made.clone();
    let descriptor = ToolDescriptor {
        output_schema: None,
        ..described("slow")
    };
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(descriptor, move |_| {
            let events = events.clone();
            async move { stream::iter(events) }
        })
        .unwrap();
    let gateway = gateway(&net, 2).await;
    gateway.until(|names| names == ["mesh_slow 1.0.0"]).await;
    let request = gateway.request("mesh_slow", "x");
    let seen: Vec<ToolEvent> = gateway.dispatcher.stream(request).into_events().collect().await;
    assert!(matches!(&seen[0], ToolEvent::Start { tool_id, .. } if tool_id == "mesh_slow"));
    assert_eq!(seen[1..3], made[..2]);
    // The event alone has no room for the code of the tool's own; the result of a unary call tells it in its metadata.
    let ToolEvent::Error { message, .. } = &seen[3] else {
        panic!("{seen:?}");
    };
    assert_eq!(message, "too late");
    let outcome = gateway.dispatcher.call(gateway.request("mesh_slow", "x")).await;
    let result = outcome.completed().unwrap();
    assert_eq!(
        (result.is_error, result.joined_text().as_str()),
        (true, "too late")
    );
    let code = result.meta.unwrap().get("toolmesh/code").unwrap().to_value();
    assert_eq!(code.as_str(), Some("upstream_timeout"));
}

async fn what_came_from_the_mesh_is_not_published_again(net: Net) {
    let host = net.node(1).await;
    let _served = echo(&host, "echo", "1.0.0");
    let gateway = gateway(&net, 2).await;
    let other = net.node(3).await;
    let _second = echo(&host, "second", "1.0.0");
    gateway.until(|names| names.len() == 2).await;
    let local = Tool::with_name("local")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("here") })
        .build()
        .unwrap();
    gateway.local.add(vec![local]).unwrap();
    sees(&other, &host).await;
    until(&other, "the gateway's own tool is seen", || {
        listed(&other).iter().any(|(id, ..)| id == "local")
    })
    .await;
    let ids: Vec<String> = listed(&other).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, ["echo", "local", "second"]);
    assert_eq!(
        gateway.mesh.hosts("echo", &toolmesh_mesh::CallOptions::new()),
        [host.node_id()]
    );
}

/// Takes a number for a text, as a source may.
struct Numbers;

impl Accept for Numbers {
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError> {
        let text = arguments.get("text").map(|text| match text.as_str() {
            Some(text) => text.to_owned(),
            None => text.to_value().to_text(),
        });
        Ok(Value::object().put_opt("text", text.as_deref()).build())
    }
}

async fn other_spellings_that_a_host_accepts_pass_a_gateway_and_no_others_do(net: Net) {
    let host = net.node(1).await;
    let schema = || {
        parse(br#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#).unwrap()
    };
    let tool = |name: &str| {
        let named = Tool::with_name(name).input_schema(schema(), Profile::Draft2020_12);
        named.handler(|_, arguments: Value| async move { ToolResult::structured(arguments) })
    };
    let _accepting = host.serve(tool("accepts").accept(Arc::new(Numbers)).build().unwrap());
    let _strict = host.serve(tool("strict").build().unwrap());
    let gateway = gateway(&net, 2).await;
    gateway.until(|names| names.len() == 2).await;
    let ask = |tool: &str, arguments: Value| {
        let caller = Caller::anonymous(Transport::InProcess);
        gateway.dispatcher.call(CallRequest::new(tool, arguments, caller))
    };
    let number = || Value::object().put("text", 7).build();
    let answer = ask("mesh_accepts", number()).await.completed().unwrap();
    assert_eq!(answer.structured.unwrap().to_text(), r#"{"text":"7"}"#);
    for (tool, arguments) in [
        ("mesh_strict", number()),
        ("mesh_accepts", Value::object().build()),
    ] {
        match ask(tool, arguments).await {
            Outcome::Failed(error) => assert_eq!(error.code(), "invalid_arguments", "{tool}"),
            other => panic!("{tool}: {other:?}"),
        }
    }
}

over_engines!(
    tools_of_other_nodes_come_go_and_are_called_through_the_toolbox,
    events_and_errors_of_another_node_come_as_they_were_made,
    what_came_from_the_mesh_is_not_published_again,
    other_spellings_that_a_host_accepts_pass_a_gateway_and_no_others_do
);
