//! `tools/list` of a crowded catalogue, page after page.

use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use toolmesh_testkit::{ServerProcess, http::Request};

/// Most pages that are read: many more than a crowded catalogue has.
const MOST_PAGES: usize = 10_000;

/// What the pages of a list were.
#[derive(Debug)]
pub(super) struct Pages {
    tools: usize,
    times: Vec<Duration>,
}

impl Pages {
    /// Reads every page; no tool may come twice.
    pub(super) fn read(server: &ServerProcess) -> Result<Self> {
        let mut names = BTreeSet::new();
        let mut times = Vec::new();
        let mut cursor = None;
        loop {
            ensure!(times.len() < MOST_PAGES, "the list does not end");
            let (result, time) = page(server, cursor.as_deref())?;
            times.push(time);
            let tools = result.get("tools").and_then(Value::as_array);
            for tool in tools.context("a page has no tools")? {
                let name = tool
                    .get("name")
                    .and_then(Value::as_str)
                    .context("a tool has no name")?;
                ensure!(names.insert(name.to_owned()), "{name} is listed twice");
            }
            cursor = match result.get("nextCursor").and_then(Value::as_str) {
                Some(next) => Some(next.to_owned()),
                None => break,
            };
        }
        Ok(Self {
            tools: names.len(),
            times,
        })
    }
}

/// One page, and how long the server took for it.
fn page(server: &ServerProcess, cursor: Option<&str>) -> Result<(Value, Duration)> {
    let mut params = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0.1.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    if let (Some(cursor), Some(params)) = (cursor, params.as_object_mut()) {
        params.insert("cursor".to_owned(), cursor.into());
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
    let request = Request::post_json(server.url(), message.to_string())
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/list");
    let begin = Instant::now();
    let response = request.send();
    let time = begin.elapsed();
    let answer = response.json();
    let result = answer.get("result").cloned();
    let result = result.with_context(|| format!("the server gave no page: {answer}"))?;
    Ok((result, time))
}

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Option<&Duration>| time.map_or(0.0, Duration::as_secs_f64) * 1e3;
        write!(
            f,
            "tools/list gives {} tools on {} pages: the first after {:.1} ms, the last after {:.1} ms, the slowest after \
             {:.1} ms",
            self.tools,
            self.times.len(),
            milliseconds(self.times.first()),
            milliseconds(self.times.last()),
            milliseconds(self.times.iter().max()),
        )
    }
}
