//! Audit records, metrics and health of an assembled server, and where its tasks are kept.

use std::{net::SocketAddr, path::Path};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use toolmesh::{
    assemble::{AssembleError, Assembler, Assembly, FaultKind},
    config::Config,
    json::{Value, parse},
    observe::{AuditTarget, MAX_METRIC_TOOLS, Metrics},
    store::StoreLocation,
    tool::{
        CallEnd, CallInfo, CallRequest, Caller, ClientCapabilities, EndKind, FrontInfo, Observer, Outcome,
        TASKS_EXTENSION, TaskMode, TaskState, Tool, ToolResult, Transport, dispatcher::TaskRequest,
    },
};

fn tool(name: &str) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("a secret") })
        .build()
        .unwrap()
}

async fn started(config: Config, tools: Vec<Tool>) -> Assembly {
    Assembler::new(config)
        .tools("own", tools, None)
        .start()
        .await
        .unwrap()
}

fn caller() -> Caller {
    Caller {
        on_behalf_of: vec!["gateway".into()],
        ..Caller::authenticated("ada", Transport::Http)
    }
}

fn call(name: &str) -> CallRequest {
    let arguments = parse(br#"{"password":"hidden"}"#).unwrap();
    let trace = format!("00-{}-{}-01", "1".repeat(32), "2".repeat(16));
    CallRequest::new(name, arguments, caller()).headers(vec![("traceparent".into(), trace)])
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| parse(line.as_bytes()).unwrap()).collect()
}

#[tokio::test]
async fn an_audit_file_has_one_line_for_each_call_and_no_values() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let mut config = Config::default();
    config.observe.audit = Some(AuditTarget::File(file.clone()));
    let assembly = started(config, vec![tool("look")]).await;
    assembly.dispatcher().call(call("look")).await;
    assembly.dispatcher().call(call("stranger\nname")).await;
    drop(assembly);
    let text = std::fs::read_to_string(&file).unwrap();
    for value in ["hidden", "secret", "stranger"] {
        assert!(!text.contains(value), "{text}");
    }
    let records = lines(&file);
    let shown = |record: &Value, name: &str| {
        record
            .get(name)
            .map(|member| member.to_text())
            .unwrap_or_default()
    };
    assert_eq!(records.len(), 2);
    let expected = [
        ("operation", r#""tools/call""#),
        ("target", r#""look""#),
        ("identity", r#""ada""#),
        ("transport", r#""http""#),
        ("on_behalf_of", r#"["gateway"]"#),
        ("outcome", r#""completed""#),
        ("blocks", "1"),
        (
            "trace",
            r#""00-11111111111111111111111111111111-2222222222222222-01""#,
        ),
    ];
    for (name, value) in expected {
        assert_eq!(shown(&records[0], name), value, "{name}");
    }
    assert_eq!(
        (shown(&records[1], "target"), shown(&records[1], "outcome")),
        (r#""""#.into(), r#""unknown_tool""#.into())
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[tokio::test]
async fn a_full_audit_file_is_put_aside_and_no_record_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let mut config = Config::default();
    config.observe.audit = Some(AuditTarget::File(file.clone()));
    (config.observe.audit_bytes, config.observe.audit_files) = (Some(65_536), Some(9));
    let assembly = started(config, vec![tool("look")]).await;
    for _ in 0..1_000 {
        assembly.dispatcher().call(call("look")).await;
    }
    drop(assembly);
    let mut records = lines(&file);
    for number in 1..=9 {
        let aside = folder.path().join(format!("audit.jsonl.{number}"));
        if aside.exists() {
            assert!(std::fs::metadata(&aside).unwrap().len() <= 65_536);
            records.extend(lines(&aside));
        }
    }
    assert!(folder.path().join("audit.jsonl.1").exists());
    assert_eq!(records.len(), 1_000);
}

#[tokio::test]
async fn an_audit_file_that_cannot_be_written_is_told_at_the_start() {
    let mut config = Config::default();
    config.observe.audit = Some(AuditTarget::File("/nowhere/at/all".into()));
    let error = Assembler::new(config)
        .tools("own", vec![tool("look")], None)
        .start()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), FaultKind::LocalResource);
    assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
}

async fn page(address: SocketAddr, path: &str) -> (String, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_ascii_lowercase(), body.to_owned())
}

#[tokio::test]
async fn metrics_and_health_are_offered_at_an_address_of_their_own() {
    let mut config = Config::default();
    config.observe.http = Some("127.0.0.1:0".parse().unwrap());
    let assembly = started(config, vec![tool("look")]).await;
    let beside = assembly.beside().await.unwrap();
    let address = beside.pages().unwrap();
    for name in ["look", "look", "none"] {
        assembly.dispatcher().call(call(name)).await;
    }
    let (head, text) = page(address, "/metrics").await;
    assert!(head.contains("application/openmetrics-text"), "{head}");
    for line in [
        r#"toolmesh_calls_total{operation="tools/call",target="look",outcome="completed"} 2"#,
        r#"toolmesh_calls_total{operation="tools/call",target="",outcome="unknown_tool"} 1"#,
        r#"toolmesh_call_duration_seconds_count{operation="tools/call",target="look"} 2"#,
        r#"toolmesh_call_duration_seconds_bucket{le="60.0",operation="tools/call",target="look"} 2"#,
        "toolmesh_calls_running 0",
        "toolmesh_calls_queued 0",
        "toolmesh_tools 1",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line} is not in\n{text}"
        );
    }
    let (head, health) = page(address, "/healthz").await;
    assert!(
        head.starts_with("http/1.1 200") && head.contains("application/json"),
        "{head}"
    );
    assert_eq!(
        health,
        r#"{"status":"ok","tools":1,"generation":2,"running":0,"queued":0}"#
    );
    assert!(page(address, "/").await.0.starts_with("http/1.1 404"));
    beside.stop().await;
    assert!(TcpStream::connect(address).await.is_err(), "the pages ended");
}

#[test]
fn so_many_tools_are_counted_by_name_and_the_others_together() {
    let metrics = Metrics::new();
    for n in 0..=MAX_METRIC_TOOLS {
        let info = CallInfo {
            call: 0,
            operation: "tools/call",
            target: format!("t{n}"),
            caller: caller(),
            trace: None,
            began: std::time::SystemTime::now(),
        };
        let end = CallEnd {
            kind: EndKind::Completed,
            duration: std::time::Duration::ZERO,
            blocks: 0,
        };
        metrics.ended(&info, &end);
    }
    let text = metrics.to_text(None);
    let last = MAX_METRIC_TOOLS - 1;
    assert!(text.contains(&format!(r#"target="t{last}",outcome="completed"}} 1"#)));
    assert!(!text.contains(&format!(r#"target="t{MAX_METRIC_TOOLS}""#)));
    assert!(text.contains(r#"target="other",outcome="completed"} 1"#));
}

fn lasting() -> Tool {
    Tool::with_name("render")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("done") })
        .tasks(TaskMode::Required)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_task_in_a_file_is_there_when_the_server_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let config = || {
        let mut config = Config::default();
        config.tasks.store = StoreLocation::Sqlite(folder.path().join("tasks.db"));
        config
    };
    let assembly = started(config(), vec![lasting()]).await;
    let beside = assembly.beside().await.unwrap();
    let capabilities = ClientCapabilities {
        extensions: vec![TASKS_EXTENSION.to_owned()],
        ..ClientCapabilities::default()
    };
    let front = FrontInfo {
        capabilities,
        ..FrontInfo::default()
    };
    let Outcome::TaskCreated(id) = assembly.dispatcher().call(call("render").front(front)).await else {
        panic!("no task");
    };
    beside.stop().await;
    drop(assembly);

    let again = started(config(), vec![lasting()]).await;
    let _beside = again.beside().await.unwrap();
    let ask = || TaskRequest::new(id.as_str(), caller());
    loop {
        let task = again.dispatcher().task(ask()).await.unwrap();
        match task.state {
            TaskState::Ended(_) => break,
            // The first server let go of it; the second one takes it up in a moment.
            _ => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_is_told_at_the_start() {
    let mut config = Config::default();
    config.tasks.store = StoreLocation::Sqlite("/nowhere/at/all.db".into());
    let started = Assembler::new(config)
        .tools("own", vec![lasting()], None)
        .start()
        .await;
    let error = started.unwrap_err();
    assert!(
        matches!(error, AssembleError::TaskStore { is_remote: false, .. }),
        "{error}"
    );
    assert_eq!(error.kind(), FaultKind::LocalResource);
}

#[cfg(not(feature = "otlp"))]
#[tokio::test]
async fn a_build_that_cannot_send_spans_says_so() {
    let mut config = Config::default();
    config.observe.otlp = Some("http://localhost:4318/v1/traces".into());
    let error = Assembler::new(config)
        .tools("own", vec![tool("look")], None)
        .start()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), FaultKind::Refused);
}

#[cfg(feature = "otlp")]
mod otlp {
    use tokio::net::TcpListener;

    use super::*;

    /// Takes one request, answers it, and gives its body.
    async fn collected(listener: TcpListener) -> Vec<u8> {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        let body = loop {
            let mut part = [0; 4_096];
            let count = connection.read(&mut part).await.unwrap();
            bytes.extend_from_slice(&part[..count]);
            let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
            let length: Option<usize> = text
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
            let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
            if let (Some(head), Some(length)) = (head, length)
                && bytes.len() >= head + 4 + length
            {
                break bytes.split_off(head + 4);
            }
            assert!(count > 0, "the request is cut");
        };
        let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        connection.write_all(answer).await.unwrap();
        body
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_collector_gets_a_span_of_the_callers_trace() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut config = Config::default();
        config.observe.otlp = Some(format!("http://{}/v1/traces", listener.local_addr().unwrap()));
        let assembly = started(config, vec![tool("look")]).await;
        assembly.dispatcher().call(call("look")).await;
        let collector = tokio::spawn(collected(listener));
        tokio::task::spawn_blocking(move || drop(assembly)).await.unwrap();
        let body = collector.await.unwrap();
        let has = |part: &[u8]| body.windows(part.len()).any(|window| window == part);
        assert!(has(b"tools/call look"));
        assert!(
            has(&[0x11; 16]) && has(&[0x22; 8]),
            "trace and parent of the caller"
        );
        assert!(!has(b"hidden") && !has(b"a secret"));
    }
}
