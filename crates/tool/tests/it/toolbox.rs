use toolmesh_tool::{Entries, MountError, Prefix, Tool, ToolResult, Toolbox};

fn tool(name: &str) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
        .build()
        .unwrap()
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
    let only_names = |list: &[(toolmesh_tool::ToolName, String)]| {
        list.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
    };
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
