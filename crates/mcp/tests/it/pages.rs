//! Lists in pages: by count and by bytes, on every revision, with cursors that belong to one state of the catalogue.

use toolmesh_json::View;
use toolmesh_mcp::{McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{CallContext, Dispatcher, Prefix, Tool, ToolResult, Toolbox};

use crate::{
    http_client::{MODERN, ask},
    toolbox::{another_tool, server_with},
};

const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", MODERN];

/// The entries of every page, and the cursors between them.
async fn pages(server: &McpServer, version: &str) -> (Vec<Vec<String>>, Vec<String>) {
    let (mut pages, mut cursors) = (Vec::new(), Vec::<String>::new());
    loop {
        let params = cursors.last().map(|cursor| format!(r#"{{"cursor":"{cursor}"}}"#));
        let params = params.unwrap_or_else(|| "{}".to_owned());
        let page = ask(server, version, "tools/list", &params).await.json();
        let tools = page
            .pointer("/result/tools")
            .and_then(View::as_array)
            .expect("a list");
        let names = tools
            .iter()
            .filter_map(|tool| tool.get("name")?.as_str().map(str::to_owned));
        pages.push(names.collect());
        if version == MODERN {
            let scope = page.pointer("/result/cacheScope").and_then(View::as_str);
            assert_eq!(scope, Some("private"));
        }
        match page.pointer("/result/nextCursor").and_then(View::as_str) {
            Some(next) => cursors.push(next.to_owned()),
            None => return (pages, cursors),
        }
    }
}

#[tokio::test]
async fn pages_end_by_count_and_together_are_the_list() {
    let (whole, _) = server_with(ServerLimits::default());
    let (paged, _) = server_with(ServerLimits::default().with_page_entries(4));
    for version in VERSIONS {
        let (all, _) = pages(&whole, version).await;
        let (parts, cursors) = pages(&paged, version).await;
        assert_eq!((all.len(), parts.len()), (1, cursors.len() + 1), "{version}");
        assert!(
            parts.len() > 2 && parts.iter().all(|part| part.len() <= 4),
            "{version}"
        );
        assert_eq!(parts.concat(), all.concat(), "{version}");
        // The same state gives the same cursors.
        assert_eq!(pages(&paged, version).await.1, cursors, "{version}");
    }
}

#[tokio::test]
async fn pages_end_by_bytes_and_have_at_least_one_entry() {
    let (whole, _) = server_with(ServerLimits::default());
    for (bytes, least) in [(1, 14), (600, 3)] {
        let (paged, _) = server_with(ServerLimits::default().with_page_bytes(bytes));
        for version in VERSIONS {
            let (all, _) = pages(&whole, version).await;
            let (parts, _) = pages(&paged, version).await;
            assert!(
                parts.len() >= least && parts.iter().all(|part| !part.is_empty()),
                "{version}"
            );
            assert_eq!(parts.concat(), all.concat(), "{version}");
        }
    }
}

#[tokio::test]
async fn a_cursor_of_another_state_or_list_or_place_is_refused() {
    for version in VERSIONS {
        let (server, mount) = server_with(ServerLimits::default().with_page_entries(4));
        let (_, cursors) = pages(&server, version).await;
        let (offset, fingerprint) = cursors[0].split_once('-').expect("two parts");
        let moved = format!(
            "{}-{fingerprint}",
            u32::from_str_radix(offset, 16).expect("a number") + 1
        );
        let refused = async |list: &str, cursor: &str| {
            let params = format!(r#"{{"cursor":"{cursor}"}}"#);
            let answer = ask(&server, version, &format!("{list}/list"), &params).await;
            assert_eq!(answer.code(), -32602, "{version} {list} {cursor}");
        };
        refused("prompts", &cursors[0]).await;
        refused("resources/templates", &cursors[0]).await;
        refused("tools", &moved).await;
        refused("tools", "").await;
        mount.add(vec![another_tool("late")]).expect("no collision");
        refused("tools", &cursors[0]).await;
    }
}

/// Tools in a catalogue that is large, but not beyond what is promised.
const MANY: usize = 100_000;

#[tokio::test]
async fn a_hundred_thousand_tools_are_listed_and_called() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("many", Prefix::None).expect("the first mount");
    let tool = |number: usize| {
        Tool::with_name(format!("tool_{number}"))
            .json_object_arguments()
            .handler(move |_: CallContext, _| std::future::ready(ToolResult::text(number.to_string())))
            .build()
            .expect("a sound tool")
    };
    mount
        .replace((0..MANY).map(tool).collect::<Vec<_>>())
        .expect("no collision");
    let limits = ServerLimits::default().with_page_entries(10_000);
    let dispatcher = Dispatcher::builder(toolbox).build();
    let server = McpServer::with_limits(dispatcher, ServerInfo::new("many", "1"), limits);
    let (parts, _) = pages(&server, "2025-11-25").await;
    let names = parts.concat();
    assert_eq!(names.len(), MANY);
    assert_eq!(
        (names[0].as_str(), names[MANY - 1].as_str()),
        ("tool_0", "tool_99999")
    );
    let call = ask(&server, MODERN, "tools/call", r#"{"name":"tool_99999"}"#).await;
    assert!(call.body.contains(r#""text":"99999""#), "{}", call.body);
}
