//! What each fault is told, on every revision, and which of two faults.
//!
//! Each fault is one change of a sound call, or of the server's policies. The answer to a call with two faults must be
//! that to the earlier one alone; golden files show what each is told.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo};
use toolmesh_tool::{
    AdmissionRefusal, CallContext, CallError, Caller, CatalogueTool, ClientCapability, Dispatcher,
    HandlerError, Outcome, Prefix, Tool, ToolBuilder, ToolResult, Toolbox,
    dispatcher::{Admission, CallLimits, Interceptor, Limiter, Next, Operation},
    schema::Profile,
};

use crate::session_client::Stream;

/// A call, and the policies of the server that gets it.
#[derive(Debug, Clone)]
struct Case {
    http_method: http::Method,
    host: &'static str,
    origin: Option<&'static str>,
    content_type: &'static str,
    accept: &'static str,
    version_header: &'static str,
    method_header: &'static str,
    name_header: &'static str,
    tenant_header: &'static str,
    jsonrpc: &'static str,
    end: &'static str,
    meta_version: &'static str,
    capabilities: Option<&'static str>,
    name: &'static str,
    arguments: &'static str,
    state: &'static str,
    admits: bool,
    limits_requests: bool,
    limits_tools: bool,
    deadline: Duration,
    intercepts: bool,
    work: Work,
}

/// What the handler does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Done,
    Fails,
    Panics,
    LastsTooLong,
    GivesTooMuch,
    GivesAnArray,
    SaysNo,
}

const SOUND: Case = Case {
    http_method: http::Method::POST,
    host: "localhost",
    origin: None,
    content_type: "application/json",
    accept: "application/json, text/event-stream",
    version_header: "2026-07-28",
    method_header: "tools/call",
    name_header: "work",
    tenant_header: "a",
    jsonrpc: "2.0",
    end: "}",
    meta_version: "2026-07-28",
    capabilities: Some(r#"{"sampling":{}}"#),
    name: "work",
    arguments: r#"{"tenant":"a","count":1}"#,
    state: "",
    admits: true,
    limits_requests: false,
    limits_tools: false,
    deadline: Duration::from_secs(60),
    intercepts: false,
    work: Work::Done,
};

/// A fault: its name, and the change that makes it.
type Fault = (&'static str, fn(&mut Case));

/// Every fault, in the order of the steps.
const FAULTS: &[Fault] = &[
    ("the host is not allowed", |case| case.host = "evil.example"),
    ("the origin is not allowed", |case| {
        case.origin = Some("https://evil.example")
    }),
    ("the method is not POST", |case| {
        case.http_method = http::Method::PUT
    }),
    ("the media type is not JSON", |case| {
        case.content_type = "text/plain"
    }),
    ("streams are not accepted", |case| {
        case.accept = "application/json"
    }),
    ("the body is not JSON", |case| case.end = ""),
    ("the envelope is not JSON-RPC 2.0", |case| case.jsonrpc = "1.0"),
    ("a mirrored header says otherwise", |case| {
        case.method_header = "tools/list"
    }),
    ("the version is not served", |case| {
        (case.version_header, case.meta_version) = ("2030-01-01", "2030-01-01");
    }),
    ("the metadata lacks the capabilities", |case| {
        case.capabilities = None
    }),
    ("the metadata names another version", |case| {
        case.meta_version = "2025-11-25"
    }),
    ("the params are of the wrong kind", |case| case.arguments = "[]"),
    ("admission refuses", |case| case.admits = false),
    ("there is no such tool", |case| {
        (case.name, case.name_header) = ("nothing", "nothing")
    }),
    ("a mirrored argument says otherwise", |case| {
        case.tenant_header = "b"
    }),
    ("the client lacks a capability", |case| {
        case.capabilities = case.capabilities.map(|_| "{}");
    }),
    ("the request limiter refuses", |case| case.limits_requests = true),
    ("the tool limiter refuses", |case| case.limits_tools = true),
    ("the deadline passed in the queue", |case| {
        case.deadline = Duration::ZERO
    }),
    ("the interceptor refuses", |case| case.intercepts = true),
    ("the state is not ours", |case| case.state = "forged"),
    ("the arguments do not fit", |case| {
        if case.arguments != "[]" {
            case.arguments = r#"{"tenant":"a","count":"x"}"#;
        }
    }),
    ("the handler fails", |case| case.work = Work::Fails),
];

/// How a call can fail besides, when everything before was sound.
const ENDS: &[Fault] = &[
    ("the handler panics", |case| case.work = Work::Panics),
    ("the deadline passes while the handler runs", |case| {
        (case.work, case.deadline) = (Work::LastsTooLong, Duration::from_millis(20));
    }),
    ("the handler gives too much", |case| {
        case.work = Work::GivesTooMuch
    }),
    ("the handler gives an array", |case| {
        case.work = Work::GivesAnArray
    }),
    ("the tool says no", |case| case.work = Work::SaysNo),
];

/// Two faults that are one: both change what the metadata says of the version.
fn is_one(earlier: &str, later: &str) -> bool {
    matches!(
        (earlier, later),
        ("the version is not served", "the metadata names another version")
    )
}

struct Refuses;

impl Admission for Refuses {
    fn admit<'a>(&'a self, _: &'a Caller, _: Operation<'a>) -> BoxFuture<'a, Result<(), AdmissionRefusal>> {
        Box::pin(async {
            Err(AdmissionRefusal {
                unauthenticated: true,
                reason: "secret".to_owned(),
            })
        })
    }
}

/// Refuses for so many seconds.
struct Never(u64);

impl Limiter for Never {
    fn acquire(&self, _: &Caller, _: &str) -> Result<(), Duration> {
        Err(Duration::from_secs(self.0))
    }
}

struct Stops;

impl Interceptor for Stops {
    fn intercept<'a>(
        &'a self,
        _: &'a CallContext,
        _: &'a CatalogueTool,
        _: Next<'a>,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(async { CallError::PolicyRefused("secret".to_owned()).into() })
    }
}

/// A tool with everything that a call of the revision can be checked for.
fn tool(work: Work, modern: bool) -> Tool {
    let mirrored = if modern { r#","x-mcp-header":"Tenant""# } else { "" };
    let schema = format!(
        r#"{{"type":"object","properties":{{"tenant":{{"type":"string"{mirrored}}},"count":{{"type":"integer"}}}}}}"#
    );
    let schema = toolmesh_json::parse(schema.as_bytes()).expect("JSON");
    let tool = Tool::with_name("work")
        .input_schema(schema, Profile::Profile1)
        .handler(move |_: CallContext, _| async move { outcome(work).await });
    let needed = modern.then_some(ClientCapability::Sampling);
    let tool = needed.into_iter().fold(tool, ToolBuilder::require_capability);
    tool.build().expect("a sound tool")
}

async fn outcome(work: Work) -> Outcome {
    match work {
        Work::Done => ToolResult::text("done").into(),
        Work::Fails => Outcome::Failed(CallError::Handler(HandlerError::new("secret"))),
        Work::Panics => panic!("secret"),
        Work::LastsTooLong => std::future::pending().await,
        Work::GivesTooMuch => ToolResult::text("x".repeat(5 * 1024 * 1024)).into(),
        Work::GivesAnArray => {
            let array = toolmesh_json::parse(b"[1]").expect("JSON");
            ToolResult::structured(array).into()
        }
        Work::SaysNo => ToolResult::error_text("Not today.").into(),
    }
}

impl Case {
    fn server(&self) -> McpServer {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
        mount
            .replace(vec![tool(self.work, self.is_modern())])
            .expect("no collision");
        let mut builder = Dispatcher::builder(toolbox).limits(CallLimits {
            deadline: self.deadline,
            ..CallLimits::default()
        });
        if !self.admits {
            builder = builder.admission(Arc::new(Refuses));
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
    fn of(mut self, version: &'static str) -> Self {
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
    async fn answered(&self) -> String {
        let service = self.server().http_service(HttpOptions::default());
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
        head.extend(self.origin.map(|origin| ("origin", origin)));
        let answer = Stream::exactly(&service, self.http_method.clone(), &head, &self.body()).await;
        let wait = answer
            .headers
            .get("retry-after")
            .and_then(|wait| wait.to_str().ok());
        let wait = wait.map_or_else(String::new, |wait| format!("(retry after {wait} s) "));
        let status = answer.status;
        format!("{status} {wait}{}", answer.rest().await.trim_end())
    }
}

fn with(faults: &[fn(&mut Case)]) -> Case {
    let mut case = SOUND;
    faults.iter().for_each(|fault| fault(&mut case));
    case
}

/// Faults of what only the stateless revision has.
const MODERN_ONLY: [&str; 6] = [
    "a mirrored header says otherwise",
    "the metadata lacks the capabilities",
    "the metadata names another version",
    "a mirrored argument says otherwise",
    "the client lacks a capability",
    "the state is not ours",
];

/// What each fault is told alone.
async fn told(version: &'static str) -> String {
    let mut lines = vec![format!(
        "nothing is wrong\n< {}",
        SOUND.of(version).answered().await
    )];
    for (name, fault) in FAULTS.iter().chain(ENDS) {
        if version == SOUND.version_header || !MODERN_ONLY.contains(name) {
            lines.push(format!(
                "{name}\n< {}",
                with(&[*fault]).of(version).answered().await
            ));
        }
    }
    let told = lines.join("\n\n");
    assert!(!told.contains("secret"), "{told}");
    told
}

#[tokio::test]
async fn faults_as_2025_06_18_tells_them() {
    insta::assert_snapshot!(told("2025-06-18").await);
}

#[tokio::test]
async fn faults_as_2025_11_25_tells_them() {
    insta::assert_snapshot!(told("2025-11-25").await);
}

#[tokio::test]
async fn faults_as_2026_07_28_tells_them() {
    insta::assert_snapshot!(told("2026-07-28").await);
}

#[tokio::test]
async fn of_every_two_faults_the_earlier_step_answers() {
    let mut pairs = 0;
    for (at, (earlier, first)) in FAULTS.iter().enumerate() {
        let alone = with(&[*first]).answered().await;
        for (later, second) in FAULTS.iter().skip(at + 1) {
            if is_one(earlier, later) {
                continue;
            }
            // The later fault is put in first, so that where both change one thing, the earlier step's change stands.
            let both = with(&[*second, *first]).answered().await;
            assert_eq!(both, alone, "{earlier} and {later}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, FAULTS.len() * (FAULTS.len() - 1) / 2 - 1);
}
