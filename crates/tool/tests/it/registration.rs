//! What may be registered, in which shapes, and in which revisions it is there.

use std::sync::Arc;

use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CompletionReference, CompletionRequest, ContentAnnotations,
    Dispatcher, Entries, EntryError, FrontInfo, Icon, IndexMap, MAX_ENTRY_NAME_BYTES, MAX_LABEL_BYTES,
    MAX_LABELS, MAX_PROMPT_ARGUMENTS, MAX_TEXT_BYTES, MountError, Outcome, Prefix, Prompt, PromptArgument,
    PromptHandler, PromptOutput, Resource, ResourceContents, ResourceInfo, ResourceReader, ResourceTemplate,
    Revisions, TaskMode, Tool, ToolBuildError, ToolBuilder, ToolName, ToolResult, ToolType, Toolbox,
    UriTemplate,
    dispatcher::{Operation, PromptRequest, ReadRequest},
    schema::Profile,
};

use crate::support::{argument_error, builder, caller, code, json, request, text};

fn named(name: &str) -> ToolBuilder {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
}

#[derive(ToolType)]
struct Search {
    query: String,
}

#[derive(ToolType)]
struct Found {
    count: u32,
}

/// Every shape of the builder, as a tool that counts the letters of `query`.
fn shapes() -> Vec<Tool> {
    let schema = |more: &str| {
        json(&format!(
            r#"{{{more}"type":"object","properties":{{"query":{{"type":"string"}}}},"required":["query"]}}"#
        ))
    };
    let count = |query: &str| u32::try_from(query.len()).unwrap();
    let structured =
        move |query: &str| ToolResult::structured(json(&format!(r#"{{"count":{}}}"#, count(query))));
    let raw = move |_, arguments: toolmesh_tool::json::Value| async move {
        let query = arguments
            .get("query")
            .and_then(|query| query.as_str().map(str::to_owned));
        structured(&query.unwrap_or_default())
    };
    let built = [
        Tool::with_name("typed_in_typed_out")
            .arguments_and_output::<Search, Found>()
            .handler(move |_, search| async move {
                Ok::<_, CallError>(Found {
                    count: count(&search.query),
                })
            }),
        Tool::with_name("typed_in_typed_out_explicit")
            .arguments_and_output::<Search, Found>()
            .outcome_handler(move |_, search| async move { structured(&search.converted.query) }),
        Tool::with_name("typed_in_explicit")
            .arguments::<Search>()
            .handler(move |_, search| async move { structured(&search.query) }),
        Tool::with_name("raw_object").json_object_arguments().handler(raw),
        Tool::with_name("profile_1")
            .input_schema(schema(""), Profile::Profile1)
            .handler(raw),
        Tool::with_name("draft_2020_12")
            .input_schema(schema(r#""minProperties":1,"#), Profile::Draft2020_12)
            .handler(raw),
        Tool::with_name("draft_07")
            .input_schema(
                schema(r#""$schema":"http://json-schema.org/draft-07/schema#","#),
                Profile::Draft2020_12,
            )
            .handler(raw),
    ];
    built.map(|tool| tool.build().unwrap()).into()
}

#[tokio::test]
async fn every_shape_of_a_tool_takes_and_checks_its_arguments() {
    let dispatcher = builder(shapes()).build();
    let tools = dispatcher.visible_catalogue(&caller());
    let names: Vec<_> = tools.tools().map(|tool| tool.name().to_string()).collect();
    assert_eq!(names.len(), 7);
    for name in names {
        let outcome = dispatcher.call(request(&name, r#"{"query":"four"}"#)).await;
        assert_eq!(text(outcome), r#"{"count":4}"#, "{name}");
        if name != "raw_object" {
            let refused = dispatcher.call(request(&name, "{}")).await;
            assert!(
                argument_error(refused).starts_with("Arguments do not match"),
                "{name}"
            );
        }
    }
}

#[test]
fn only_typed_outputs_promise_a_schema_by_themselves() {
    let promises: Vec<bool> = shapes()
        .iter()
        .map(|tool| tool.output_schema().is_some())
        .collect();
    assert_eq!(promises, [true, true, false, false, false, false, false]);
    assert_eq!(
        shapes()[3].input_schema().document().to_text(),
        r#"{"type":"object"}"#
    );
}

#[tokio::test]
async fn a_task_required_tool_keeps_the_output_schema_of_its_type() {
    let tool = Tool::with_name("t")
        .arguments_and_output::<Search, Found>()
        .outcome_handler(|_, _| async { ToolResult::structured(json("{}")) })
        .tasks(TaskMode::Required)
        .build()
        .unwrap();
    assert!(tool.output_schema().is_some());
}

#[test]
fn texts_labels_icons_and_metadata_of_a_tool_are_checked_at_n_and_one_more() {
    let long = |bytes: usize| "x".repeat(bytes);
    let labels = |count: usize| (0..count).fold(named("t"), |tool, n| tool.tag(n.to_string()));
    let icon = |source: &str| Icon {
        source: source.to_owned(),
        ..Icon::new("test:i").unwrap()
    };
    for fits in [
        named("t").title(long(MAX_TEXT_BYTES)),
        labels(MAX_LABELS),
        named("t")
            .alias(long(MAX_LABEL_BYTES))
            .requires("gpu")
            .limiter("slow"),
        named("t").icon(icon("https://example.com/i.png")),
        named("t").meta(json(r#"{"com.example/kind":1}"#)),
        named("t").revisions(Revisions::exactly(["2026-07-28"])),
    ] {
        fits.build().unwrap();
    }
    let error = |tool: ToolBuilder| tool.build().unwrap_err();
    assert!(matches!(
        error(named("t").title(long(MAX_TEXT_BYTES + 1))),
        ToolBuildError::TextTooLong { .. }
    ));
    assert!(matches!(
        error(labels(MAX_LABELS + 1)),
        ToolBuildError::TooManyLabels { what: "tag", .. }
    ));
    for (what, tool) in [
        ("alias", named("t").alias(long(MAX_LABEL_BYTES + 1))),
        ("tag", named("t").tag("")),
        ("requirement", named("t").requires("")),
        ("limiter", named("t").limiter("")),
    ] {
        assert!(matches!(error(tool), ToolBuildError::Label { what: found, .. } if found == what));
    }
    assert!(matches!(
        error(named("t").icon(icon("i.png"))),
        ToolBuildError::Icon { .. }
    ));
    let reserved = named("t").meta(json(r#"{"io.modelcontextprotocol/x":1}"#));
    assert!(matches!(error(reserved), ToolBuildError::Meta { .. }));
    for none in [Revisions::exactly::<&str>([]), Revisions::exactly(["a", "a"])] {
        assert!(matches!(
            error(named("t").revisions(none)),
            ToolBuildError::Revisions { .. }
        ));
    }
}

struct Fixed;

impl ResourceReader for Fixed {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let contents = ResourceContents {
            uri: uri.to_owned(),
            mime_type: None,
            body: toolmesh_tool::ResourceBody::Text("t".into()),
            meta: None,
        };
        Box::pin(async move { Ok(vec![contents]) })
    }
}

impl PromptHandler for Fixed {
    fn get<'a>(
        &'a self,
        _: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        Box::pin(async { Ok(PromptOutput::default()) })
    }
}

fn resource(uri: &str, info: ResourceInfo) -> Entries {
    let resource = Resource {
        uri: uri.to_owned(),
        info,
        size: None,
        reader: Arc::new(Fixed),
    };
    Entries {
        resources: vec![resource],
        ..Entries::default()
    }
}

fn prompt(arguments: &[&str]) -> Prompt {
    let arguments = arguments.iter().map(|name| PromptArgument {
        name: (*name).to_owned(),
        ..PromptArgument::default()
    });
    Prompt {
        arguments: arguments.collect(),
        ..Prompt::new(ToolName::new("p").unwrap(), Arc::new(Fixed))
    }
}

fn mounted(entries: Entries) -> Result<Toolbox, MountError> {
    let toolbox = Toolbox::new();
    toolbox.mount("s", Prefix::None)?.replace(entries)?;
    Ok(toolbox)
}

fn refused(entries: Entries) -> EntryError {
    match mounted(entries).unwrap_err() {
        MountError::Entry { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn a_resource_has_an_absolute_uri_and_sound_icons_annotations_and_texts() {
    let info = ResourceInfo::default;
    let name = |bytes: usize| ResourceInfo {
        name: "n".repeat(bytes),
        ..info()
    };
    mounted(resource("test://a", name(MAX_ENTRY_NAME_BYTES))).unwrap();
    assert_eq!(
        refused(resource("test://a", name(MAX_ENTRY_NAME_BYTES + 1))),
        EntryError::Name
    );
    let error = mounted(resource("a b", info())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "resource `a b` of source `s`: a URI begins with a scheme, such as `https:`, and goes on"
    );
    let icon = Icon {
        source: "i.png".into(),
        ..Icon::new("test:i").unwrap()
    };
    let wrong_icon = ResourceInfo {
        icons: vec![icon],
        ..info()
    };
    assert!(matches!(
        refused(resource("test://a", wrong_icon)),
        EntryError::Icon(_)
    ));
    let annotations = ContentAnnotations {
        priority: Some(2.0),
        ..ContentAnnotations::default()
    };
    let too_important = ResourceInfo {
        annotations: Some(annotations),
        ..info()
    };
    assert!(matches!(
        refused(resource("test://a", too_important)),
        EntryError::Annotations(_)
    ));
    let long = ResourceInfo {
        description: Some("x".repeat(MAX_TEXT_BYTES + 1)),
        ..info()
    };
    assert_eq!(refused(resource("test://a", long)), EntryError::TextTooLong);
}

#[test]
fn a_prompts_arguments_have_different_names_within_a_bound() {
    let with = |prompt: Prompt| Entries {
        prompts: vec![prompt],
        ..Entries::default()
    };
    let names: Vec<String> = (0..=MAX_PROMPT_ARGUMENTS).map(|n| n.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    mounted(with(prompt(&names[1..]))).unwrap();
    assert_eq!(refused(with(prompt(&names))), EntryError::TooManyArguments);
    assert_eq!(
        refused(with(prompt(&["a", "a"]))),
        EntryError::ArgumentTwice("a".into())
    );
    assert_eq!(refused(with(prompt(&[""]))), EntryError::Name);
    let long = "x".repeat(MAX_ENTRY_NAME_BYTES + 1);
    mounted(with(prompt(&[&long[1..]]))).unwrap();
    assert_eq!(refused(with(prompt(&[&long]))), EntryError::Name);
}

/// One entry of each kind that is there in one revision alone.
fn of_one_revision() -> Dispatcher {
    let revisions = || Revisions::exactly(["2026-07-28"]);
    let info = || ResourceInfo {
        revisions: revisions(),
        ..ResourceInfo::default()
    };
    let template = ResourceTemplate {
        template: UriTemplate::parse("test://t/{id}").unwrap(),
        info: info(),
        reader: Arc::new(Fixed),
    };
    let entries = Entries {
        tools: vec![named("t").revisions(revisions()).build().unwrap()],
        templates: vec![template],
        prompts: vec![Prompt {
            revisions: revisions(),
            ..prompt(&[])
        }],
        ..resource("test://r", info())
    };
    Dispatcher::builder(mounted(entries).unwrap()).build()
}

#[tokio::test]
async fn an_entry_of_one_revision_is_neither_listed_nor_reached_in_another() {
    let dispatcher = of_one_revision();
    for (revision, there) in [
        (Some("2026-07-28"), true),
        (Some("2025-11-25"), false),
        (None, true),
    ] {
        let front = || FrontInfo {
            revision: revision.map(Into::into),
            ..FrontInfo::default()
        };
        let call = dispatcher.call(request("t", "{}").front(front())).await;
        assert_eq!(matches!(call, Outcome::Completed(_)), there);
        if !there {
            assert_eq!(code(&call), "unknown_tool");
        }
        for uri in ["test://r", "test://t/1"] {
            let mut read = ReadRequest::new(uri, caller());
            read.front = front();
            assert_eq!(dispatcher.read_resource(read).await.is_ok(), there, "{uri}");
        }
        let mut get = PromptRequest::new("p", IndexMap::new(), caller());
        get.front = front();
        assert_eq!(dispatcher.get_prompt(get).await.is_ok(), there);
        for reference in [
            CompletionReference::Prompt("p".into()),
            CompletionReference::Template("test://t/{id}".into()),
        ] {
            let mut complete = CompletionRequest::new(reference, "id", "", caller());
            complete.front = front();
            assert_eq!(dispatcher.complete(complete).await.is_ok(), there);
        }
        let listed = dispatcher
            .list(&caller(), Operation::ListTools, revision)
            .await
            .unwrap();
        let count = usize::from(there);
        assert_eq!(
            [
                listed.tools().count(),
                listed.resources().count(),
                listed.templates().count(),
                listed.prompts().count(),
                listed.search("t", 10).len(),
            ],
            [count; 5]
        );
        assert_eq!(listed.tool("t").is_some(), there);
    }
}
