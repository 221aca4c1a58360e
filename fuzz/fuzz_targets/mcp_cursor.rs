//! A cursor, for lists of several sizes: those that the server gave lead from page to page over everything, once; every
//! other text is refused in one and the same way, and one list's cursor is none of another list.
#![no_main]

use std::{collections::HashMap, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use toolmesh_fuzz::{on_stdio, server};
use toolmesh_mcp::{McpServer, ServerLimits};
use toolmesh_tool::{CallContext, Tool, ToolResult};

/// Tools and entries of a page, for each list.
const LISTS: [(usize, usize); 6] = [(0, 1), (1, 1), (5, 1), (6, 3), (7, 3), (40, 4)];

struct Listed {
    server: McpServer,
    /// The page behind each cursor that was given, as its names.
    pages: HashMap<String, Vec<String>>,
}

static ALL: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let lists = LISTS
        .into_iter()
        .map(|(tools, entries)| Listed::new(tools, entries));
    lists.collect()
});

impl Listed {
    fn new(tools: usize, entries: usize) -> Self {
        let tool = |number: usize| {
            let tool = Tool::with_name(format!("tool{number}"))
                .json_object_arguments()
                .handler(|_: CallContext, _| std::future::ready(ToolResult::text("")));
            tool.build().expect("a sound tool")
        };
        let names: Vec<String> = (0..tools).map(|number| format!("tool{number}")).collect();
        let limits = ServerLimits::default().with_page_entries(entries);
        let server = server((0..tools).map(tool).collect(), limits);
        let mut pages = HashMap::new();
        let (mut seen, mut next) = page(&server, "tools", None).expect("a first page");
        while let Some(cursor) = next {
            let (names, after) = page(&server, "tools", Some(&cursor)).expect("a cursor that was given");
            assert!((1..=entries).contains(&names.len()));
            seen.extend(names.clone());
            assert!(
                pages.insert(cursor, names).is_none(),
                "no cursor leads in a circle"
            );
            next = after;
        }
        seen.sort();
        let mut names = names;
        names.sort();
        assert_eq!(seen, names);
        Self { server, pages }
    }
}

/// Names and next cursor of a page; `None` when the cursor is refused.
fn page(server: &McpServer, list: &str, cursor: Option<&str>) -> Option<(Vec<String>, Option<String>)> {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    let method = format!("{list}/list");
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let answers = on_stdio(server, request.as_bytes());
    let [answer] = answers.as_slice() else {
        panic!("{answers:?}")
    };
    let Some(result) = answer.get("result") else {
        let refusal = json!({"code": -32602, "message": "Invalid cursor"});
        assert_eq!(answer, &json!({"jsonrpc": "2.0", "id": 1, "error": refusal}));
        return None;
    };
    let entries = result[list].as_array().expect("a list").iter();
    let names = entries.map(|entry| entry["name"].as_str().expect("a name").to_owned());
    let next = result
        .get("nextCursor")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Some((names.collect(), next))
}

fuzz_target!(|input: &[u8]| {
    let Ok(cursor) = std::str::from_utf8(input) else {
        return;
    };
    for listed in ALL.iter() {
        let found = page(&listed.server, "tools", Some(cursor)).map(|(names, _)| names);
        assert_eq!(found.as_ref(), listed.pages.get(cursor), "{cursor:?}");
        for other in ["resources", "prompts"] {
            assert_eq!(page(&listed.server, other, Some(cursor)), None, "{cursor:?}");
        }
    }
});
