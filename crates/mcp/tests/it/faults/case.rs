//! A call that is sound, or nearly, and a server with policies for it.

use std::{sync::Arc, time::Duration};

use tokio::sync::mpsc;
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo, UnknownParameters};
use toolmesh_tool::{Dispatcher, Prefix, Toolbox, dispatcher::CallLimits};

use super::world::{Never, Refuses, Stops, hold, occupy, tool};
use crate::session_client::Stream;

/// A call, and the policies of the server that gets it.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) http_method: http::Method,
    pub(super) host: &'static str,
    pub(super) origin: Option<&'static str>,
    pub(super) content_type: &'static str,
    pub(super) accept: &'static str,
    pub(super) version_header: &'static str,
    pub(super) method_header: &'static str,
    pub(super) name_header: &'static str,
    pub(super) tenant_header: &'static str,
    /// There is a header that mirrors nothing.
    pub(super) other_header: bool,
    pub(super) jsonrpc: &'static str,
    pub(super) end: &'static str,
    pub(super) meta_version: &'static str,
    pub(super) capabilities: Option<&'static str>,
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
    pub(super) state: &'static str,
    pub(super) admission: Admits,
    pub(super) limits_requests: bool,
    pub(super) limits_tools: bool,
    /// Another call runs, and none may wait.
    pub(super) fills_queue: bool,
    pub(super) deadline: Duration,
    pub(super) intercepts: bool,
    pub(super) work: Work,
}

/// Whom admission lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admits {
    All,
    NoStrangers,
    None,
}

/// What the handler does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Done,
    Fails,
    Panics,
    LastsTooLong,
    GivesTooMuch,
    GivesAnArray,
    SaysNo,
    IsCancelled,
    LacksItsState,
    AsksNobody,
}

pub(super) const SOUND: Case = Case {
    http_method: http::Method::POST,
    host: "localhost",
    origin: None,
    content_type: "application/json",
    accept: "application/json, text/event-stream",
    version_header: "2026-07-28",
    method_header: "tools/call",
    name_header: "work",
    tenant_header: "a",
    other_header: false,
    jsonrpc: "2.0",
    end: "}",
    meta_version: "2026-07-28",
    capabilities: Some(r#"{"sampling":{}}"#),
    name: "work",
    arguments: r#"{"tenant":"a","count":1}"#,
    state: "",
    admission: Admits::All,
    limits_requests: false,
    limits_tools: false,
    fills_queue: false,
    deadline: Duration::from_secs(60),
    intercepts: false,
    work: Work::Done,
};

impl Case {
    fn server(&self, runs: mpsc::UnboundedSender<()>) -> McpServer {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
        mount
            .replace(vec![tool(self.work, self.is_modern()), hold(runs)])
            .expect("no collision");
        let usual = CallLimits::default();
        let (running, queued) = if self.fills_queue {
            (1, 0)
        } else {
            (usual.running, usual.queued)
        };
        let mut builder = Dispatcher::builder(toolbox).limits(CallLimits {
            running,
            queued,
            deadline: self.deadline,
        });
        if self.admission != Admits::All {
            let strangers = self.admission == Admits::NoStrangers;
            builder = builder.admission(Arc::new(Refuses { strangers }));
        }
        if self.limits_requests {
            builder = builder.request_limiter(Arc::new(Never(7)));
        }
        if self.limits_tools {
            builder = builder.tool_limiter(Arc::new(Never(9)));
        }
        if self.intercepts {
            builder = builder.interceptor(Arc::new(Stops));
        }
        McpServer::new(builder.build(), ServerInfo::new("one", "1"))
    }

    /// The call of an older revision, in which it says nothing of itself but the version.
    pub(super) fn of(mut self, version: &'static str) -> Self {
        if version != SOUND.version_header && self.version_header == SOUND.version_header {
            self.version_header = version;
        }
        self.meta_version = if version == SOUND.version_header {
            self.meta_version
        } else {
            ""
        };
        self
    }

    fn is_modern(&self) -> bool {
        !self.meta_version.is_empty()
    }

    fn meta(&self) -> String {
        if !self.is_modern() {
            return "{}".to_owned();
        }
        let version = format!(
            r#""io.modelcontextprotocol/protocolVersion":"{}""#,
            self.meta_version
        );
        let capabilities = self.capabilities.map_or_else(String::new, |able| {
            format!(r#","io.modelcontextprotocol/clientCapabilities":{able}"#)
        });
        format!("{{{version}{capabilities}}}")
    }

    fn body(&self) -> String {
        let meta = self.meta();
        let state = match self.state {
            "" => String::new(),
            state => format!(r#","requestState":"{state}""#),
        };
        let Self {
            jsonrpc,
            name,
            arguments,
            end,
            ..
        } = self;
        format!(
            r#"{{"jsonrpc":"{jsonrpc}","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{state},"_meta":{meta}}}{end}"#
        )
    }

    /// Status, the wait that is told, and body of the answer.
    pub(super) async fn answered(&self) -> String {
        let (runs, mut running) = mpsc::unbounded_channel();
        let server = self.server(runs);
        let _occupied = if self.fills_queue {
            Some(occupy(&server, &mut running).await)
        } else {
            None
        };
        let options = HttpOptions::default().unknown_parameters(UnknownParameters::Refused);
        let service = server.http_service(options);
        let mut head = vec![
            ("host", self.host),
            ("content-type", self.content_type),
            ("accept", self.accept),
            ("mcp-protocol-version", self.version_header),
        ];
        if self.is_modern() {
            head.push(("mcp-method", self.method_header));
            head.push(("mcp-name", self.name_header));
            head.push(("mcp-param-tenant", self.tenant_header));
        }
        if self.other_header {
            head.push(("mcp-param-other", "a"));
        }
        head.extend(self.origin.map(|origin| ("origin", origin)));
        let answer = Stream::exactly(&service, self.http_method.clone(), &head, &self.body()).await;
        assert_eq!(answer.headers["cache-control"], "no-store");
        let wait = answer
            .headers
            .get("retry-after")
            .and_then(|wait| wait.to_str().ok());
        let wait = wait.map_or_else(String::new, |wait| format!("(retry after {wait} s) "));
        let status = answer.status;
        format!("{status} {wait}{}", answer.rest().await.trim_end())
    }
}
