//! Watching the lists of one caller, and following a resource.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::FutureExt as _;
use indexmap::IndexMap;
use semver::Version;
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, Caller, CatalogueTool, CompletionReference, CompletionRequest,
    CompletionValues, Dispatcher, Entries, Following, ListsChange, Mount, Prefix, Prompt, PromptHandler,
    PromptOutput, Resource, ResourceBody, ResourceContents, ResourceInfo, ResourceReader, ResourceTemplate,
    Revisions, Tool, ToolName, ToolResult, Toolbox, Transport, UriTemplate,
    dispatcher::{PromptRequest, ReadRequest, Visibility, VisibleWatch},
};

use crate::support::caller;

/// Shows what begins with `own` to everybody, and the rest to `admin` alone.
struct Doors;

impl Doors {
    fn open(caller: &Caller, name: &str) -> bool {
        name.starts_with("own") || caller.identity.as_deref() == Some("admin")
    }
}

impl Visibility for Doors {
    fn tool(&self, caller: &Caller, tool: &CatalogueTool) -> bool {
        Self::open(caller, tool.name().as_str())
    }
    fn resource(&self, caller: &Caller, resource: &Resource) -> bool {
        Self::open(caller, &resource.uri)
    }
    fn template(&self, caller: &Caller, template: &ResourceTemplate) -> bool {
        Self::open(caller, template.template.as_str())
    }
    fn prompt(&self, caller: &Caller, prompt: &Prompt) -> bool {
        Self::open(caller, prompt.name.as_str())
    }
}

/// Reads, completes with what its context says, and counts its followers.
#[derive(Default)]
struct Handler(Arc<AtomicUsize>);

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn told(context: &CallContext) -> String {
    context
        .trace_parent()
        .map(|trace| trace.to_string())
        .unwrap_or_default()
}

impl ResourceReader for Handler {
    fn read<'a>(
        &'a self,
        context: CallContext,
        _: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let contents = ResourceContents {
            uri: "own://a".to_owned(),
            mime_type: None,
            body: ResourceBody::Text(told(&context)),
            meta: None,
        };
        Box::pin(async { Ok(vec![contents]) })
    }

    fn suggest<'a>(
        &'a self,
        context: CallContext,
        variable: &'a str,
        typed: &'a str,
        settled: &'a IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<CompletionValues, CallError>> {
        Box::pin(async move {
            match typed {
                "wait" => std::future::pending().await,
                "panic" => panic!("at once"),
                _ => Ok(CompletionValues::new([format!(
                    "{variable} {typed} {settled:?} {}",
                    told(&context)
                )])),
            }
        })
    }

    fn follow<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Result<Following, CallError>> {
        Box::pin(async move {
            match uri {
                "own://refused" => Err(CallError::QueueFull),
                "own://panics" => panic!("at once"),
                _ => {
                    self.0.fetch_add(1, Ordering::Relaxed);
                    Ok(Following::new(Counted(Arc::clone(&self.0))))
                }
            }
        })
    }
}

impl PromptHandler for Handler {
    fn get<'a>(
        &'a self,
        context: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let description = Some(told(&context));
        Box::pin(async {
            Ok(PromptOutput {
                description,
                messages: Vec::new(),
            })
        })
    }
}

fn tool(name: &str, description: &str, version: u64) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_: CallContext, _| async { ToolResult::text("done") })
        .description(description)
        .version(Version::new(version, 0, 0))
        .build()
        .unwrap()
}

fn tools(tools: Vec<Tool>) -> Entries {
    Entries::from(tools)
}

fn resource(uri: &str, reader: Handler) -> Resource {
    Resource {
        uri: uri.to_owned(),
        info: ResourceInfo::default(),
        size: None,
        reader: Arc::new(reader),
    }
}

fn fixture() -> (Dispatcher, Mount) {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("test", Prefix::None).unwrap();
    (
        Dispatcher::builder(toolbox).visibility(Arc::new(Doors)).build(),
        mount,
    )
}

fn now(watch: &mut VisibleWatch) -> Option<ListsChange> {
    watch.changed().now_or_never().flatten()
}

const TOOLS: ListsChange = ListsChange {
    tools: true,
    resources: false,
    prompts: false,
};

#[tokio::test]
async fn a_caller_is_told_of_changes_of_what_he_sees_alone() {
    let (dispatcher, mount) = fixture();
    let mut guest = dispatcher.watch(&caller(), None);
    let admin = Caller::authenticated("admin", Transport::InProcess);
    let mut admin = dispatcher.watch(&admin, None);
    mount.add(tools(vec![tool("secret", "", 1)])).unwrap();
    assert_eq!((now(&mut guest), now(&mut admin)), (None, Some(TOOLS)));
    mount.add(tools(vec![tool("own", "", 1)])).unwrap();
    assert_eq!((now(&mut guest), now(&mut admin)), (Some(TOOLS), Some(TOOLS)));
    let others = |name: &str| Entries {
        resources: vec![resource(&format!("{name}://r"), Handler::default())],
        prompts: vec![Prompt::new(
            ToolName::new(name).unwrap(),
            Arc::new(Handler::default()),
        )],
        ..Entries::default()
    };
    let both = ListsChange {
        tools: false,
        resources: true,
        prompts: true,
    };
    mount.add(others("secret2")).unwrap();
    assert_eq!((now(&mut guest), now(&mut admin)), (None, Some(both)));
    mount.add(others("own2")).unwrap();
    assert_eq!((now(&mut guest), now(&mut admin)), (Some(both), Some(both)));
    let template = |text: &str| Entries {
        templates: vec![ResourceTemplate {
            template: UriTemplate::parse(text).unwrap(),
            info: ResourceInfo::default(),
            reader: Arc::new(Handler::default()),
        }],
        ..Entries::default()
    };
    let resources = ListsChange {
        resources: true,
        ..ListsChange::default()
    };
    mount.add(template("secret://{id}")).unwrap();
    assert_eq!((now(&mut guest), now(&mut admin)), (None, Some(resources)));
    mount.add(template("own://{id}")).unwrap();
    assert_eq!(
        (now(&mut guest), now(&mut admin)),
        (Some(resources), Some(resources))
    );
    drop((mount, dispatcher));
    assert_eq!(guest.changed().await, None, "the toolbox is gone");
}

#[tokio::test]
async fn a_list_is_different_when_its_highest_version_tells_something_else() {
    let (dispatcher, mount) = fixture();
    mount.replace(tools(vec![tool("own", "a", 2)])).unwrap();
    let mut watch = dispatcher.watch(&caller(), None);
    mount.replace(tools(vec![tool("own", "a", 2)])).unwrap();
    assert_eq!(now(&mut watch), None, "put in anew, and the same");
    mount.add(tools(vec![tool("own", "older", 1)])).unwrap();
    assert_eq!(now(&mut watch), None, "a lower version is not listed");
    mount.add(tools(vec![tool("own", "a", 3)])).unwrap();
    assert_eq!(now(&mut watch), Some(TOOLS));
    mount.replace(tools(vec![tool("own", "b", 3)])).unwrap();
    assert_eq!(now(&mut watch), Some(TOOLS));
    mount.replace(tools(Vec::new())).unwrap();
    assert_eq!(now(&mut watch), Some(TOOLS));
}

#[tokio::test]
async fn what_a_front_does_not_offer_or_a_revision_does_not_have_changes_no_list() {
    let (dispatcher, mount) = fixture();
    let mut offered = dispatcher
        .watch(&caller(), None)
        .offering(|tool: &Tool| tool.description() != Some("not offered"));
    let mut new = dispatcher.watch(&caller(), Some("new"));
    let mut old = dispatcher.watch(&caller(), Some("old"));
    mount.add(tools(vec![tool("own_a", "not offered", 1)])).unwrap();
    assert_eq!(now(&mut offered), None);
    assert_eq!((now(&mut new), now(&mut old)), (Some(TOOLS), Some(TOOLS)));
    let mut prompt = Prompt::new(ToolName::new("own").unwrap(), Arc::new(Handler::default()));
    prompt.revisions = Revisions::exactly(["new"]);
    let prompts = Entries {
        prompts: vec![prompt],
        ..Entries::default()
    };
    mount.add(prompts).unwrap();
    assert_eq!(now(&mut old), None);
    assert!(now(&mut new).unwrap().prompts);
}

#[tokio::test]
async fn a_resource_is_followed_by_whoever_sees_it_until_he_lets_go() {
    let (dispatcher, mount) = fixture();
    let followers = Arc::new(AtomicUsize::new(0));
    let handler = || Handler(Arc::clone(&followers));
    let entries = Entries {
        resources: ["own://a", "own://refused", "own://panics", "secret://a"]
            .map(|uri| resource(uri, handler()))
            .into(),
        templates: vec![ResourceTemplate {
            template: UriTemplate::parse("own://item/{id}").unwrap(),
            info: ResourceInfo::default(),
            reader: Arc::new(handler()),
        }],
        ..Entries::default()
    };
    mount.replace(entries).unwrap();
    let guest = dispatcher.visible_catalogue(&caller());
    let (one, two) = (
        guest.follow("own://a").await.unwrap(),
        guest.follow("own://item/7").await.unwrap(),
    );
    assert_eq!(followers.load(Ordering::Relaxed), 2);
    drop((one, two));
    assert_eq!(followers.load(Ordering::Relaxed), 0);
    for hidden in ["secret://a", "own://none"] {
        assert!(
            matches!(guest.follow(hidden).await, Err(CallError::NotFound(_))),
            "{hidden}"
        );
    }
    assert!(matches!(
        guest.follow("own://refused").await,
        Err(CallError::QueueFull)
    ));
    assert!(matches!(
        guest.follow("own://panics").await,
        Err(CallError::Internal(_))
    ));
}

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test(start_paused = true)]
async fn a_completion_knows_who_asks_has_a_deadline_and_harms_nobody() {
    let (dispatcher, mount) = fixture();
    let entries = Entries {
        templates: vec![ResourceTemplate {
            template: UriTemplate::parse("own://item/{id}").unwrap(),
            info: ResourceInfo::default(),
            reader: Arc::new(Handler::default()),
        }],
        ..Entries::default()
    };
    mount.replace(entries).unwrap();
    let ask = |typed: &str| {
        let reference = CompletionReference::Template("own://item/{id}".into());
        let mut request = CompletionRequest::new(reference, "id", typed, caller());
        request.headers.push(("traceparent".into(), TRACE.into()));
        request.settled.insert("a".into(), "1".into());
        request
    };
    let values = dispatcher.complete(ask("x")).await.unwrap();
    assert_eq!(values.values(), [format!(r#"id x {{"a": "1"}} {TRACE}"#)]);
    assert!(matches!(
        dispatcher.complete(ask("panic")).await,
        Err(CallError::Internal(_))
    ));
    assert!(matches!(
        dispatcher.complete(ask("wait")).await,
        Err(CallError::DeadlineExceeded { running: true })
    ));
    let cancelled = ask("wait");
    cancelled.cancellation.cancel();
    assert!(matches!(
        dispatcher.complete(cancelled).await,
        Err(CallError::Cancelled)
    ));
    assert_eq!(dispatcher.load().running, 0);
}

#[tokio::test]
async fn the_trace_in_headers_reaches_readers_and_prompts() {
    let (dispatcher, mount) = fixture();
    let entries = Entries {
        resources: vec![resource("own://a", Handler::default())],
        prompts: vec![Prompt::new(
            ToolName::new("own").unwrap(),
            Arc::new(Handler::default()),
        )],
        ..Entries::default()
    };
    mount.replace(entries).unwrap();
    let headers = vec![("traceparent".to_owned(), TRACE.to_owned())];
    let mut read = ReadRequest::new("own://a", caller());
    read.headers = headers.clone();
    let contents = dispatcher.read_resource(read).await.unwrap();
    assert_eq!(contents[0].body, ResourceBody::Text(TRACE.to_owned()));
    let mut get = PromptRequest::new("own", IndexMap::new(), caller());
    get.headers = headers;
    let got = dispatcher.get_prompt(get).await.unwrap();
    assert_eq!(got.description.as_deref(), Some(TRACE));
}
