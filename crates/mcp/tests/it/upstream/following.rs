//! Resources that somebody here follows at an upstream server, and completion there.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::{broadcast, watch};
use toolmesh_json::View;
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo, UpstreamOptions};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CompletionReference, CompletionRequest, Dispatcher, Entries,
    Following, IndexMap, Mount, Prefix, Resource, ResourceContents, ResourceInfo, ResourceReader, Toolbox,
};

use super::{
    script::{ONE_TOOL, Script, events, result, usual},
    support::{Gateway, REVISIONS, Running, caller},
};
use crate::{
    session_client::{SessionClient, Stream},
    stdio_client::PATIENCE,
    toolbox,
};

const URI: &str = "test://watched";

/// A reader that counts who follows.
struct Counting(Arc<watch::Sender<usize>>);

/// Takes a follower off the count when it is dropped.
struct Counted(Arc<watch::Sender<usize>>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl ResourceReader for Counting {
    fn read<'a>(
        &'a self,
        _: CallContext,
        _: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn follow<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Following, CallError>> {
        self.0.send_modify(|count| *count += 1);
        Box::pin(async { Ok(Following::new(Counted(Arc::clone(&self.0)))) })
    }
}

/// A server with one resource that can be followed.
struct Origin {
    server: McpServer,
    mount: Mount,
    followers: watch::Receiver<usize>,
}

impl Origin {
    fn new() -> Self {
        let (sender, followers) = watch::channel(0);
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("origin", Prefix::None).expect("the first mount");
        let resource = Resource {
            uri: URI.to_owned(),
            info: ResourceInfo::default(),
            size: None,
            reader: Arc::new(Counting(Arc::new(sender))),
        };
        let entries = Entries {
            resources: vec![resource],
            ..Entries::default()
        };
        mount.replace(entries).expect("no collisions");
        Self {
            server: McpServer::new(
                Dispatcher::builder(toolbox).build(),
                ServerInfo::new("origin", "1"),
            ),
            mount,
            followers,
        }
    }

    /// Waits until so many follow.
    async fn has_followers(&mut self, wanted: usize) {
        let there = self.followers.wait_for(|count| *count == wanted);
        let there = tokio::time::timeout(PATIENCE, there).await;
        there.expect("in time").expect("the reader is there");
    }
}

async fn gateway(url: &str, revision: &str) -> Gateway {
    let options = UpstreamOptions::default().revision(revision);
    let prefix = Prefix::Name("up".to_owned());
    Gateway::to(url, options, prefix)
        .await
        .expect("the server is sound")
}

async fn next(updates: &mut broadcast::Receiver<String>) -> String {
    let next = tokio::time::timeout(PATIENCE, updates.recv()).await;
    next.expect("in time").expect("the toolbox is there")
}

#[tokio::test]
async fn the_first_client_subscribes_at_the_server_and_the_last_one_unsubscribes() {
    for revision in REVISIONS {
        let mut origin = Origin::new();
        let running = Running::start(&origin.server).await;
        let gateway = gateway(&running.url(), revision).await;
        let front = McpServer::new(gateway.dispatcher.clone(), ServerInfo::new("gateway", "1"));
        let service = front.http_service(HttpOptions::default());
        let published = r#"{"uri":"test://up_watched"}"#;

        let one = SessionClient::over(service.clone(), "2025-11-25", "{}").await;
        let subscribed = one.ask(1, "resources/subscribe", published).await.rest().await;
        assert!(subscribed.contains(r#""result":{}"#), "{subscribed}");
        origin.has_followers(1).await;
        let listen = r#"{"notifications":{"resourceSubscriptions":["test://up_watched"]}}"#;
        let mut two = Stream::modern(&service, "{}", "subscriptions/listen", listen).await;
        let acknowledged = two.message().await.to_text();
        assert!(acknowledged.contains("test://up_watched"), "{acknowledged}");
        assert_eq!(*origin.followers.borrow(), 1, "the server is asked once");

        let mut stream = one.listen(None).await;
        origin.mount.resource_updated(URI);
        let uri = |message: toolmesh_json::Value| {
            message
                .pointer("/params/uri")
                .and_then(View::as_str)
                .map(str::to_owned)
        };
        let heard = loop {
            let event = stream.event().await.expect("an update");
            if !event.data.is_empty() {
                break event.message();
            }
        };
        assert_eq!(uri(heard).as_deref(), Some("test://up_watched"), "{revision}");
        assert_eq!(
            uri(two.message().await).as_deref(),
            Some("test://up_watched"),
            "{revision}"
        );

        one.ask(2, "resources/unsubscribe", published).await.rest().await;
        drop(stream);
        assert_eq!(*origin.followers.borrow(), 1, "somebody still follows");
        drop(two);
        origin.has_followers(0).await;
        running.stop().await;
    }
}

#[tokio::test]
async fn what_is_followed_is_subscribed_to_again_when_the_server_is_back_and_counts_as_changed() {
    for revision in REVISIONS {
        let mut origin = Origin::new();
        let running = Running::start(&origin.server).await;
        let address = running.address;
        let gateway = gateway(&running.url(), revision).await;
        let catalogue = gateway.dispatcher.visible_catalogue(&caller());
        let _following = catalogue.follow("test://up_watched").await.expect("it is there");
        origin.has_followers(1).await;
        let mut updates = gateway.dispatcher.toolbox().resource_updates();
        running.stop().await;
        origin.has_followers(0).await;
        let running = Running::start_at(&origin.server, address).await;
        origin.has_followers(1).await;
        assert_eq!(next(&mut updates).await, "test://up_watched", "{revision}");
        origin.mount.resource_updated(URI);
        assert_eq!(next(&mut updates).await, "test://up_watched", "{revision}");
        running.stop().await;
    }
}

#[tokio::test]
async fn a_server_that_refuses_a_subscription_has_it_refused_here() {
    let script = |subscribe: bool| {
        Script::start(move |seen| match seen.method.as_str() {
            "initialize" => {
                let (status, headers, body) = usual(seen, ONE_TOOL);
                let able = format!(r#""tools":{{}},"resources":{{"subscribe":{subscribe}}}"#);
                (status, headers, body.replace(r#""tools":{}"#, &able))
            }
            "resources/list" => result(seen, r#"{"resources":[{"uri":"test://watched","name":"w"}]}"#),
            "resources/subscribe" => {
                let (status, headers, body) = result(seen, "0");
                let error = r#""error":{"code":-32002,"message":"no"}"#;
                (status, headers, body.replace(r#""result":0"#, error))
            }
            _ => usual(seen, ONE_TOOL),
        })
    };
    let refusing = script(true).await;
    let gateway = refusing.gateway("2025-11-25").await.expect("sound");
    let front = McpServer::new(gateway.dispatcher.clone(), ServerInfo::new("gateway", "1"));
    let client = SessionClient::open(&front, "2025-11-25", "{}").await;
    let subscribe = |id| client.ask(id, "resources/subscribe", r#"{"uri":"test://watched"}"#);
    let refused = subscribe(1).await.rest().await;
    assert!(refused.contains("-32603"), "{refused}");
    // One that tells of no single resource refuses nobody, and is not asked.
    let silent = script(false).await;
    let gateway = silent.gateway("2025-11-25").await.expect("sound");
    let followed = gateway.dispatcher.visible_catalogue(&caller()).follow(URI).await;
    assert!(followed.is_ok());
    assert!(silent.seen("resources/subscribe").is_empty());
}

#[tokio::test]
async fn a_server_that_cannot_be_asked_for_a_while_has_refused_nothing_and_is_asked_again() {
    for (revision, method) in [
        ("2025-11-25", "resources/subscribe"),
        ("2026-07-28", "subscriptions/listen"),
    ] {
        let asked = AtomicUsize::new(0);
        let script = Script::start(move |seen| match seen.method.as_str() {
            "initialize" | "server/discover" => {
                let (status, headers, body) = usual(seen, ONE_TOOL);
                let able = r#""tools":{},"resources":{"subscribe":true}"#;
                (status, headers, body.replace(r#""tools":{}"#, able))
            }
            "resources/list" => result(seen, r#"{"resources":[{"uri":"test://watched","name":"w"}]}"#),
            asks if asks == method && asked.fetch_add(1, Ordering::Relaxed) < 2 => (503, vec![], String::new()),
            "resources/subscribe" => result(seen, "{}"),
            "subscriptions/listen" => events(
                r#"data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["test://watched"]}}}"#
                    .to_owned()
                    + "\n\n",
            ),
            _ => usual(seen, ONE_TOOL),
        })
        .await;
        let gateway = script.gateway(revision).await.expect("sound");
        let follow = || async {
            let catalogue = gateway.dispatcher.visible_catalogue(&caller());
            catalogue.follow(URI).await
        };
        let following = follow().await.expect("nobody has refused");
        script.has_seen(method, 3).await;
        assert!(follow().await.is_ok(), "{revision}");
        drop(following);
    }
}

#[tokio::test]
async fn a_server_that_lets_nobody_subscribe_is_not_asked_again_and_its_refusal_is_told() {
    for (revision, method) in [
        ("2025-11-25", "resources/subscribe"),
        ("2026-07-28", "subscriptions/listen"),
    ] {
        for refusal in [(403, vec![], String::new()), (404, vec![], String::new())] {
            let script = Script::start(move |seen| match seen.method.as_str() {
                "initialize" | "server/discover" => {
                    let (status, headers, body) = usual(seen, ONE_TOOL);
                    let able = r#""tools":{},"resources":{"subscribe":true}"#;
                    let headers = headers.into_iter().filter(|(name, _)| *name != "mcp-session-id");
                    (status, headers.collect(), body.replace(r#""tools":{}"#, able))
                }
                "resources/list" => result(seen, r#"{"resources":[{"uri":"test://watched","name":"w"}]}"#),
                asks if asks == method => refusal.clone(),
                _ => usual(seen, ONE_TOOL),
            })
            .await;
            let gateway = script.gateway(revision).await.expect("sound");
            let catalogue = gateway.dispatcher.visible_catalogue(&caller());
            assert!(catalogue.follow(URI).await.is_err(), "{revision}");
            assert_eq!(script.seen(method).len(), 1, "{revision}");
        }
    }
}

#[tokio::test]
async fn an_update_of_what_nobody_follows_is_not_passed_on() {
    let script = Script::start(|seen| match (seen.http_method.as_str(), seen.method.as_str()) {
        ("GET", _) => events(
            ["test://other", "test://watched"]
                .map(|uri| {
                    format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{{\"uri\":\"{uri}\"}}}}\n\n")
                })
                .concat(),
        ),
        (_, "initialize") => {
            let (status, headers, body) = usual(seen, ONE_TOOL);
            let able = r#""tools":{},"resources":{"subscribe":true}"#;
            (status, headers, body.replace(r#""tools":{}"#, able))
        }
        (_, "resources/list") => result(
            seen,
            r#"{"resources":[{"uri":"test://watched","name":"w"},{"uri":"test://other","name":"o"}]}"#,
        ),
        (_, "resources/subscribe") => result(seen, "{}"),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    let mut updates = gateway.dispatcher.toolbox().resource_updates();
    let catalogue = gateway.dispatcher.visible_catalogue(&caller());
    let _following = catalogue.follow(URI).await.expect("it is there");
    // The stream is opened again and again, and tells the same each time.
    for _ in 0..2 {
        assert_eq!(next(&mut updates).await, URI);
    }
}

#[tokio::test]
async fn arguments_are_completed_by_the_server_in_every_revision() {
    let running = Running::start(&toolbox::server()).await;
    for revision in REVISIONS {
        let gateway = gateway(&running.url(), revision).await;
        let ask = |reference, typed: &str| {
            let argument = if matches!(reference, CompletionReference::Prompt(_)) {
                "name"
            } else {
                "id"
            };
            gateway
                .dispatcher
                .complete(CompletionRequest::new(reference, argument, typed, caller()))
        };
        let prompt = ask(CompletionReference::Prompt("up_greet".to_owned()), "A").await;
        assert_eq!(
            prompt.expect("it is there").values(),
            ["Ada", "Alan"],
            "{revision}"
        );
        let template = || CompletionReference::Template("test://up_item/{id}".to_owned());
        let some = ask(template(), "1").await.expect("it is there");
        assert_eq!(
            (some.values().len(), some.total(), some.has_more()),
            (100, Some(111), true)
        );
        let few = ask(template(), "15").await.expect("it is there");
        assert_eq!((few.values().len(), few.has_more()), (11, false));
    }
    running.stop().await;
}

#[tokio::test]
async fn what_is_settled_goes_along_with_a_completion_and_a_server_without_completion_is_not_asked() {
    let script = |able: &'static str| {
        Script::start(move |seen| match seen.method.as_str() {
            "server/discover" => {
                let (status, headers, body) = usual(seen, ONE_TOOL);
                (status, headers, body.replace(r#""tools":{}"#, able))
            }
            "prompts/list" => result(
                seen,
                r#"{"prompts":[{"name":"p","arguments":[{"name":"a"},{"name":"b"}]}]}"#,
            ),
            "completion/complete" => result(seen, r#"{"completion":{"values":["x",7,"y"],"hasMore":true}}"#),
            _ => usual(seen, ONE_TOOL),
        })
    };
    let ask = |settled: bool| {
        let reference = CompletionReference::Prompt("p".to_owned());
        let mut request = CompletionRequest::new(reference, "b", "t", caller());
        if settled {
            request.settled.insert("a".to_owned(), "1".to_owned());
        }
        request
    };
    let completing = script(r#""tools":{},"prompts":{},"completions":{}"#).await;
    let gateway = completing.gateway("2026-07-28").await.expect("sound");
    let values = gateway.dispatcher.complete(ask(true)).await.expect("an answer");
    assert_eq!(
        (values.values(), values.total(), values.has_more()),
        (&["x".to_owned(), "y".to_owned()][..], None, true)
    );
    let asked = &completing.seen("completion/complete")[0].body;
    let told = |name: &str| asked.pointer(&format!("/params/{name}")).map(View::to_text);
    assert_eq!(
        told("ref").as_deref(),
        Some(r#"{"type":"ref/prompt","name":"p"}"#)
    );
    assert_eq!(told("argument").as_deref(), Some(r#"{"name":"b","value":"t"}"#));
    assert_eq!(told("context").as_deref(), Some(r#"{"arguments":{"a":"1"}}"#));
    let silent = script(r#""tools":{},"prompts":{}"#).await;
    let gateway = silent.gateway("2026-07-28").await.expect("sound");
    let values = gateway.dispatcher.complete(ask(false)).await.expect("an answer");
    assert!(values.values().is_empty());
    assert!(silent.seen("completion/complete").is_empty());
}
