//! Our own server as the upstream one, in every revision.

use std::time::Duration;

use futures_util::StreamExt as _;
use toolmesh_mcp::{ServerLimits, UpstreamOptions};
use toolmesh_tool::{
    CallContext, CallError, CallItem, CancellationToken, ContentBlock, Entries, IndexMap, InputRequest,
    Outcome, Prefix, ResourceBody, ResourceLink, SourceError, Tool, ToolEvent, ToolResult,
    dispatcher::{PromptRequest, ReadRequest},
};

use super::support::{Gateway, REVISIONS, Running, caller, form_front, json};
use crate::{stdio_client::PATIENCE, toolbox};

fn speaking(revision: &str) -> UpstreamOptions {
    UpstreamOptions::default().revision(revision)
}

async fn gateway(running: &Running, revision: &str) -> Gateway {
    Gateway::to(&running.url(), speaking(revision), Prefix::None)
        .await
        .expect("the server is sound")
}

#[tokio::test]
async fn tools_join_with_their_schemas_exactly_as_given_in_every_revision() {
    let server = toolbox::server();
    let running = Running::start(&server).await;
    let own = server.dispatcher().toolbox().snapshot();
    for revision in REVISIONS {
        let gateway = gateway(&running, revision).await;
        let survey = gateway.source.survey();
        assert_eq!(survey.revision, revision);
        assert!(
            survey.entries.iter().all(|entry| entry.reason.is_none()),
            "{survey:?}"
        );
        let joined = gateway.dispatcher.toolbox().snapshot();
        // Tools whose calls are always tasks are offered in the stateless revision alone.
        let offered = own.listed_tools().filter(|tool| {
            revision == "2026-07-28" || tool.tool().task_mode() != toolmesh_tool::TaskMode::Required
        });
        let offered: Vec<_> = offered.collect();
        assert_eq!(joined.listed_tools().len(), offered.len());
        for tool in offered {
            let found = joined.tool(tool.name().as_str(), None).expect("it joined").tool();
            let text = |tool: &Tool| {
                let output = tool.output_schema().map(|schema| schema.document().to_text());
                (tool.input_schema().document().to_text(), output)
            };
            assert_eq!(text(found), text(tool.tool()));
            assert_eq!(found.description(), tool.tool().description());
            assert_eq!(found.title(), tool.tool().title());
            assert_eq!(found.annotations(), tool.tool().annotations());
            assert_eq!(found.meta(), tool.tool().meta());
            let has_icons = revision != "2025-06-18";
            assert_eq!(
                found.icons().len(),
                if has_icons { tool.tool().icons().len() } else { 0 }
            );
        }
        assert_eq!(joined.prompts().len(), 1);
        assert_eq!(joined.resources().len(), 1);
        assert_eq!(joined.templates().len(), 1);
    }
    running.stop().await;
}

#[tokio::test]
async fn the_newest_revision_that_both_know_is_spoken() {
    let running = Running::start(&toolbox::server()).await;
    let gateway = Gateway::to(&running.url(), UpstreamOptions::default(), Prefix::None).await;
    let survey = gateway.expect("the server is sound").source.survey();
    assert_eq!(survey.revision, "2026-07-28");
    assert_eq!(survey.server.as_deref(), Some("fixture 1.2.3"));
    running.stop().await;
}

#[tokio::test]
async fn results_and_tool_errors_pass_in_every_revision() {
    let running = Running::start(&toolbox::server()).await;
    for revision in REVISIONS {
        let gateway = gateway(&running, revision).await;
        let echo = gateway
            .call("echo", r#"{"message":"hé"}"#)
            .await
            .completed()
            .expect("a result");
        assert_eq!(echo.structured, Some(json(r#"{"message":"hé"}"#)));
        assert_eq!(echo.joined_text(), r#"{"message":"hé"}"#);
        let refused = gateway.call("refuse", "{}").await.completed().expect("a result");
        assert!(refused.is_error);
        assert_eq!(refused.joined_text(), "Not today.");
        let media = gateway.call("media", "{}").await.completed().expect("a result");
        assert_eq!(media.content.len(), 4);
        assert!(matches!(&media.content[1], ContentBlock::Image(image) if image.data == [0, 255, 16]));
        let broken = gateway.call("break", "{}").await;
        assert!(
            matches!(broken, Outcome::Failed(CallError::Handler(_))),
            "{broken:?}"
        );
        // Arguments are judged here already, by the server's own schema.
        let mismatch = gateway.call("echo", r#"{"message":7}"#).await;
        assert!(matches!(
            mismatch,
            Outcome::Failed(CallError::InvalidArguments(_))
        ));
    }
    running.stop().await;
}

#[tokio::test]
async fn resources_templates_and_prompts_are_read_under_the_prefix_of_the_source() {
    let running = Running::start(&toolbox::server()).await;
    for revision in REVISIONS {
        let prefix = Prefix::Name("up".to_owned());
        let gateway = Gateway::to(&running.url(), speaking(revision), prefix)
            .await
            .expect("sound");
        for (uri, text) in [
            ("test://up_static", "static text"),
            ("test://up_item/7", "item 7"),
        ] {
            let read = gateway
                .dispatcher
                .read_resource(ReadRequest::new(uri, caller()))
                .await;
            let contents = read.expect("it is there");
            assert_eq!(contents[0].uri, uri);
            assert_eq!(contents[0].body, ResourceBody::Text(text.to_owned()));
            assert_eq!(contents[1].body, ResourceBody::Blob(vec![1, 2, 3]));
        }
        let missing = gateway
            .dispatcher
            .read_resource(ReadRequest::new("test://up_none", caller()))
            .await;
        assert!(matches!(missing, Err(CallError::NotFound(_))), "{missing:?}");
        let arguments = IndexMap::from([("name".to_owned(), "Ada".to_owned())]);
        let prompt = PromptRequest::new("up_greet", arguments, caller());
        let got = gateway.dispatcher.get_prompt(prompt).await.expect("it is there");
        assert_eq!(got.description.as_deref(), Some("A greeting"));
        assert_eq!(got.messages.len(), 1);
        let media = gateway
            .call("up_media", "{}")
            .await
            .completed()
            .expect("a result");
        assert!(matches!(
            &media.content[3],
            ContentBlock::Resource(embedded) if embedded.resource.uri == "test://up_embedded"
        ));
    }
    running.stop().await;
}

/// A tool whose result links to these URIs.
fn linking(uris: &'static [&'static str]) -> Tool {
    let tool =
        Tool::with_name("links")
            .json_object_arguments()
            .handler(move |_: CallContext, _| async move {
                uris.iter().fold(ToolResult::default(), |result, uri| {
                    let link = ResourceLink::new(*uri, "link").expect("a sound link");
                    result.with_content(ContentBlock::ResourceLink(link))
                })
            });
    tool.build().expect("a sound tool")
}

#[tokio::test]
async fn a_link_to_the_web_leads_to_what_the_server_lists_and_otherwise_stays_as_it_is() {
    let (server, mount) = toolbox::server_with(ServerLimits::default());
    let entries = Entries {
        tools: vec![linking(&[
            "https://docs.example/a",
            "http://docs.example/item/7",
            "https://docs.example/b",
            "http://docs.example/item/7/more",
        ])],
        resources: vec![toolbox::resource_at("https://docs.example/a")],
        templates: vec![toolbox::template_at("http://docs.example/item/{id}")],
        ..Entries::default()
    };
    mount.add(entries).expect("no collision");
    let running = Running::start(&server).await;
    for revision in REVISIONS {
        let prefix = Prefix::Name("up".to_owned());
        let gateway = Gateway::to(&running.url(), speaking(revision), prefix)
            .await
            .expect("sound");
        let result = gateway.call("up_links", "{}").await.completed();
        let content = result.expect("a result").content;
        let links = content.iter().map(|block| match block {
            ContentBlock::ResourceLink(link) => link.uri.as_str(),
            other => panic!("{other:?}"),
        });
        let links: Vec<_> = links.collect();
        let [listed, fitting, nobodys @ ..] = links.as_slice() else {
            panic!("{links:?}");
        };
        for (uri, text) in [(listed, "static text"), (fitting, "item 7")] {
            let read = ReadRequest::new(*uri, caller());
            let read = gateway.dispatcher.read_resource(read).await;
            let contents = read.unwrap_or_else(|error| panic!("{uri}: {error:?}"));
            assert_eq!(contents[0].uri, *uri);
            assert_eq!(contents[0].body, ResourceBody::Text(text.to_owned()));
        }
        assert_eq!(
            nobodys,
            ["https://docs.example/b", "http://docs.example/item/7/more"]
        );
    }
    running.stop().await;
}

#[tokio::test]
async fn progress_of_the_server_is_progress_of_the_call() {
    let running = Running::start(&toolbox::server()).await;
    for revision in REVISIONS {
        let gateway = gateway(&running, revision).await;
        let mut stream = gateway.dispatcher.stream(gateway.request("progress", "{}"));
        let mut told = Vec::new();
        while let Some(item) = stream.next().await {
            if let CallItem::Event(ToolEvent::Progress { pct, message }) = item {
                told.push((pct, message));
            }
        }
        let at = |percent: f64| (Some(percent), Some(format!("at {percent}")));
        assert_eq!(told, [at(0.0), at(50.0), at(100.0)], "{revision}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_call_that_is_given_up_here_is_given_up_there() {
    let running = Running::start(&toolbox::server()).await;
    for revision in REVISIONS {
        let gateway = gateway(&running, revision).await;
        let stop = CancellationToken::new();
        let request = gateway.request("wait", "{}").cancellation(stop.clone());
        let call = gateway.dispatcher.call(request);
        let (outcome, ()) = tokio::join!(call, async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            stop.cancel();
        });
        assert!(
            matches!(outcome, Outcome::Failed(CallError::Cancelled)),
            "{outcome:?}"
        );
    }
    // The stateless server's call is over; the others have no session to be told by, and end with the grace time.
    running.stop().await;
}

#[tokio::test]
async fn what_the_server_asks_is_asked_of_the_caller_and_its_state_is_sealed() {
    let running = Running::start(&toolbox::server()).await;
    let gateway = gateway(&running, "2026-07-28").await;
    let ask = || gateway.request("ask", "{}").front(form_front());
    let Outcome::InputRequired(input) = gateway.dispatcher.call(ask()).await else {
        panic!("the server asks");
    };
    assert!(
        matches!(&input.requests["name"], InputRequest::Elicitation { message, .. } if message == "Your name?")
    );
    let state = input.state.expect("the server gave a state");
    assert!(!state.contains("server:"), "{state}");
    let answers = json(r#"{"name":{"action":"accept","content":{"name":"Ada"}}}"#);
    let again = ask().input_responses(answers.clone()).state(&state);
    let Outcome::Completed(result) = gateway.dispatcher.call(again).await else {
        panic!("state and answers are taken");
    };
    let text = result.joined_text();
    assert!(text.contains("Ada") && text.ends_with("s1"), "{text}");
    let forged = ask().input_responses(answers).state("server:s1");
    assert!(matches!(
        gateway.dispatcher.call(forged).await,
        Outcome::Failed(CallError::RefusedState)
    ));
    // A caller who cannot be asked is not.
    let unable = gateway.call("ask", "{}").await;
    assert!(
        matches!(unable, Outcome::Failed(CallError::MissingCapability(_))),
        "{unable:?}"
    );
    running.stop().await;
}

#[tokio::test]
async fn calls_fail_while_the_server_is_away_and_pass_when_it_is_back() {
    let server = toolbox::server();
    let running = Running::start(&server).await;
    let address = running.address;
    let gateway = gateway(&running, "2026-07-28").await;
    running.stop().await;
    let away = gateway.call("echo", r#"{"message":"a"}"#).await;
    assert!(matches!(away, Outcome::Failed(CallError::Handler(_))), "{away:?}");
    let running = Running::start_at(&server, address).await;
    let back = tokio::time::timeout(PATIENCE, async {
        while gateway
            .call("echo", r#"{"message":"a"}"#)
            .await
            .completed()
            .is_none()
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    back.await.expect("the server is back");
    running.stop().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_stops_the_start_with_its_host_and_nothing_secret() {
    let running = Running::start(&toolbox::empty_server()).await;
    let url = format!("http://user:secret@{}/secret?key=secret", running.address);
    running.stop().await;
    let started = Gateway::to(&url, UpstreamOptions::default(), Prefix::None).await;
    let Err(SourceError::Unreachable(text)) = started.map(|_| ()) else {
        panic!("it cannot be reached");
    };
    assert!(text.starts_with("mcp:http://127.0.0.1:"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}
