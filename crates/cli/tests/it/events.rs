//! A client over stdio that watches an event and reads what followed.

use serde_json::{Value, json};
use toolmesh_testkit::StdioServer;

use crate::support::{RECEIVER, TOOLMESH, token_path};

struct Client {
    server: StdioServer,
    next: u64,
    /// URIs that the server said were updated.
    updated: Vec<String>,
}

impl Client {
    fn start() -> Self {
        let token = token_path().display().to_string();
        let mut client = Self {
            server: StdioServer::start(TOOLMESH, &["serve", &token]),
            next: 0,
            updated: Vec::new(),
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                           "clientInfo": {"name": "raw", "version": "1"}});
        let greeting = client.request("initialize", hello);
        assert_eq!(
            greeting["capabilities"]["resources"]["subscribe"], true,
            "{greeting}"
        );
        client
            .server
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// The result of a request; what the server tells meanwhile is noted.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.server
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.server.receive();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn note(&mut self, message: &Value) {
        if message["method"] == "notifications/resources/updated" {
            self.updated
                .push(message["params"]["uri"].as_str().unwrap().to_owned());
        }
    }

    fn read(&mut self, uri: &str) -> Value {
        let read = self.request("resources/read", json!({ "uri": uri }));
        serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap()
    }

    fn transfer(&mut self, value: &str) {
        let arguments = json!({"to": RECEIVER, "value": value, "simulate": false});
        let sent = self.request("tools/call", json!({"name": "transfer", "arguments": arguments}));
        assert_eq!(sent["structuredContent"]["success"], true, "{sent}");
    }
}

#[test]
fn a_subscribed_event_is_updated_and_tells_what_followed() {
    let mut client = Client::start();
    let listed = client.request("resources/templates/list", json!({}));
    let templates: Vec<&str> = listed["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|template| template["uriTemplate"].as_str().unwrap())
        .collect();
    assert!(
        templates.contains(&"events://transfer{?from_block,to_block,limit,cursor,after,from,to}"),
        "{templates:?}"
    );
    client.request("resources/subscribe", json!({"uri": "events://transfer"}));
    let before = client.read("events://transfer");
    client.transfer("7");
    while client.updated.is_empty() {
        let message = client.server.receive();
        client.note(&message);
    }
    assert_eq!(client.updated, ["events://transfer"]);
    let after = before["after"].as_str().unwrap();
    let news = client.read(&format!("events://transfer?after={after}"));
    let values: Vec<&Value> = news["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["args"]["value"])
        .collect();
    assert_eq!(values, ["7"]);
    assert_eq!((&news["dropped"], &news["more"]), (&json!(0), &json!(false)));
    client.request("resources/unsubscribe", json!({"uri": "events://transfer"}));
    assert_eq!(client.server.close().code(), Some(0));
}
