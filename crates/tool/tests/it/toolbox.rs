use std::sync::Arc;

use toolmesh_tool::{
    BoxFuture, CallContext, CallError, Entries, IndexMap, MAX_ENTRIES, MAX_TEMPLATES, MountError, Prefix,
    Resource, ResourceContents, ResourceInfo, ResourceReader, ResourceTemplate, Tool, ToolBuilder, ToolName,
    ToolResult, Toolbox, UriTemplate, semver::Version,
};

fn named(name: &str) -> ToolBuilder {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
}

fn tool(name: &str) -> Tool {
    named(name).build().unwrap()
}

fn key(name: &str) -> (ToolName, Version) {
    (ToolName::new(name).unwrap(), Version::new(1, 0, 0))
}

fn names(toolbox: &Toolbox) -> Vec<String> {
    toolbox
        .snapshot()
        .listed_tools()
        .map(|tool| tool.name().to_string())
        .collect()
}

#[test]
fn a_prefix_stands_before_names_and_aliases() {
    let toolbox = Toolbox::new();
    let aliased = Tool::with_name("balance_of")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
        .alias("balanceOf")
        .build()
        .unwrap();
    toolbox
        .mount("usdc", Prefix::Name("usdc".into()))
        .unwrap()
        .replace(vec![aliased])
        .unwrap();
    assert_eq!(names(&toolbox), ["usdc_balance_of"]);
    let snapshot = toolbox.snapshot();
    assert!(snapshot.tool("usdc_balanceOf", None).is_some());
    assert!(snapshot.tool("balance_of", None).is_none());
    assert_eq!(
        snapshot
            .tool("usdc_balance_of", None)
            .unwrap()
            .descriptor()
            .tool_id,
        "usdc_balance_of"
    );
}

#[test]
fn a_collision_names_both_sources_and_changes_nothing() {
    let toolbox = Toolbox::new();
    toolbox
        .mount("one", Prefix::None)
        .unwrap()
        .replace(vec![tool("a")])
        .unwrap();
    let two = toolbox.mount("two", Prefix::None).unwrap();
    let error = two.replace(vec![tool("b"), tool("a")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool `a` 1.0.0 comes from source `one` and from source `two`; give one of them a prefix or leave it out"
    );
    assert_eq!(names(&toolbox), ["a"]);
    two.replace(vec![tool("b")]).unwrap();
    assert_eq!(names(&toolbox), ["a", "b"]);
}

#[test]
fn a_source_name_is_taken_once_until_it_is_withdrawn() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::None).unwrap();
    assert_eq!(
        toolbox.mount("one", Prefix::None).unwrap_err(),
        MountError::SourceName("one".into())
    );
    mount.replace(vec![tool("a")]).unwrap();
    mount.withdraw();
    assert!(toolbox.snapshot().is_empty());
    assert!(toolbox.mount("one", Prefix::None).is_ok());
}

#[test]
fn a_name_that_its_prefix_makes_too_long_is_refused() {
    let mount_with = |prefix: usize| {
        let toolbox = Toolbox::new();
        toolbox
            .mount("s", Prefix::Name("p".repeat(prefix)))
            .unwrap()
            .replace(vec![tool(&"a".repeat(100))])
    };
    assert!(mount_with(27).is_ok());
    assert!(matches!(mount_with(28), Err(MountError::Name { .. })));
}

#[test]
fn a_snapshot_never_changes() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount.replace(vec![tool("a")]).unwrap();
    let before = toolbox.snapshot();
    mount.replace(vec![tool("b")]).unwrap();
    assert!(before.tool("a", None).is_some() && before.tool("b", None).is_none());
    assert!(toolbox.snapshot().generation() > before.generation());
}

#[tokio::test]
async fn a_watcher_sees_what_came_and_went_and_loses_nothing_when_it_is_slow() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount.replace(vec![tool("a"), tool("b")]).unwrap();
    let mut watch = toolbox.watch();
    mount.add(vec![tool("c")]).unwrap();
    mount.replace(vec![tool("b"), tool("d")]).unwrap();
    let change = watch.changed().await.unwrap();
    let only_names =
        |list: &[(ToolName, String)]| list.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    assert_eq!(only_names(&change.added_tools), ["d"]);
    assert_eq!(only_names(&change.removed_tools), ["a"]);
    assert!(change.tools() && !change.resources && !change.prompts);
    drop((mount, toolbox));
    assert!(watch.changed().await.is_none());
}

#[tokio::test]
async fn an_updated_resource_is_told_under_its_published_uri() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("usdc", Prefix::Name("usdc".into())).unwrap();
    mount.replace(Entries::default()).unwrap();
    let mut updates = toolbox.resource_updates();
    mount.resource_updated("events://transfer");
    assert_eq!(updates.recv().await.unwrap(), "events://usdc_transfer");
}

#[test]
fn tools_are_exchanged_in_one_step_and_the_order_of_the_others_stays() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::Name("s".into())).unwrap();
    let other = toolbox.mount("t", Prefix::Name("t".into())).unwrap();
    mount.replace(vec![tool("a"), tool("b"), tool("c")]).unwrap();
    other.replace(vec![tool("a")]).unwrap();
    let generation = toolbox.snapshot().generation();
    mount.exchange(&[key("a"), key("none")], vec![tool("d")]).unwrap();
    assert_eq!(names(&toolbox), ["s_b", "s_c", "s_d", "t_a"]);
    assert_eq!(toolbox.snapshot().generation(), generation + 1);
    let error = mount.exchange(&[key("b")], vec![tool("c")]).unwrap_err();
    assert!(matches!(error, MountError::Collision { .. }));
    assert_eq!(names(&toolbox), ["s_b", "s_c", "s_d", "t_a"], "nothing changed");
    mount.replace(vec![tool("b"), tool("d")]).unwrap();
    assert_eq!(names(&toolbox), ["s_b", "s_d", "t_a"]);
    assert_eq!(toolbox.snapshot().len(), 3);
}

#[test]
fn versions_and_aliases_come_and_go_with_their_tools() {
    let of = |version: u64| {
        let built = named("a").version(Version::new(version, 0, 0)).alias("other");
        built.build().unwrap()
    };
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount.replace(vec![of(1), tool("b"), of(3), of(2)]).unwrap();
    let highest = |toolbox: &Toolbox| {
        let snapshot = toolbox.snapshot();
        snapshot
            .tool("other", None)
            .map(|found| found.tool().version().major)
    };
    assert_eq!(
        (names(&toolbox), highest(&toolbox)),
        (vec!["a".into(), "b".into()], Some(3))
    );
    let version = |major| (ToolName::new("a").unwrap(), Version::new(major, 0, 0));
    mount.exchange(&[version(3)], Vec::new()).unwrap();
    assert_eq!(highest(&toolbox), Some(2));
    mount.exchange(&[version(1)], Vec::new()).unwrap();
    assert_eq!(names(&toolbox), ["b", "a"], "listed where its first version is");
    mount.exchange(&[version(2)], Vec::new()).unwrap();
    assert_eq!((names(&toolbox), highest(&toolbox)), (vec!["b".into()], None));
}

#[tokio::test]
async fn a_watcher_is_told_of_a_tool_that_tells_something_else_of_itself() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount.replace(vec![tool("a"), tool("b")]).unwrap();
    let mut watch = toolbox.watch();
    mount.replace(vec![tool("a"), tool("b")]).unwrap();
    assert!(!watch.changed().await.unwrap().tools(), "the same as before");
    let changed = named("a").description("new").build().unwrap();
    mount.replace(vec![changed, tool("b")]).unwrap();
    let change = watch.changed().await.unwrap();
    assert_eq!(
        change.changed_tools,
        [(ToolName::new("a").unwrap(), "1.0.0".to_owned())]
    );
    assert!(change.added_tools.is_empty() && change.removed_tools.is_empty());
}

struct Nothing;

impl ResourceReader for Nothing {
    fn read<'a>(
        &'a self,
        _: CallContext,
        _: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async { Err(CallError::NotFound("resource")) })
    }
}

fn resources(count: usize) -> Entries {
    let reader: Arc<dyn ResourceReader> = Arc::new(Nothing);
    let resource = |n| Resource {
        uri: format!("test://r/{n}"),
        info: ResourceInfo::default(),
        size: None,
        reader: Arc::clone(&reader),
    };
    Entries {
        resources: (0..count).map(resource).collect(),
        ..Entries::default()
    }
}

fn templates(count: usize) -> Entries {
    let template = |n| ResourceTemplate {
        template: UriTemplate::parse(&format!("test://t{n}/{{id}}")).unwrap(),
        info: ResourceInfo::default(),
        reader: Arc::new(Nothing),
    };
    Entries {
        templates: (0..count).map(template).collect(),
        ..Entries::default()
    }
}

#[test]
fn a_toolbox_has_a_bound_on_its_entries_and_templates() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount.replace(resources(MAX_ENTRIES)).unwrap();
    assert_eq!(toolbox.snapshot().resources().len(), MAX_ENTRIES);
    let error = mount.add(vec![tool("a")]).unwrap_err();
    assert!(
        matches!(
            error,
            MountError::TooMany {
                what: "entries",
                max: MAX_ENTRIES
            }
        ),
        "{error}"
    );
    mount.replace(templates(MAX_TEMPLATES)).unwrap();
    let error = mount.replace(templates(MAX_TEMPLATES + 1)).unwrap_err();
    assert!(
        matches!(
            error,
            MountError::TooMany {
                max: MAX_TEMPLATES,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(toolbox.snapshot().templates().len(), MAX_TEMPLATES);
}

#[test]
fn a_catalogue_knows_whether_any_of_its_tools_gives_partial_output() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::None).unwrap();
    let other = toolbox.mount("other", Prefix::Name("other".into())).unwrap();
    let streams = || toolbox.snapshot().has_streaming_tools();
    let streaming = |name| named(name).streaming(true).build().unwrap();
    mount.replace(vec![tool("a")]).unwrap();
    assert!(!streams());
    mount.add(vec![streaming("b")]).unwrap();
    other.replace(vec![streaming("b"), tool("c")]).unwrap();
    assert!(streams());
    mount.exchange(&[key("b")], vec![tool("b")]).unwrap();
    assert!(streams());
    other.withdraw();
    assert!(!streams());
    mount.replace(vec![streaming("a")]).unwrap();
    assert!(streams());
    mount.replace(vec![tool("a")]).unwrap();
    assert!(!streams());
}
