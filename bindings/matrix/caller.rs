//! The caller of the matrix of languages, in plain Rust. What every caller does is in `README.md`.
#![expect(clippy::print_stdout, reason = "what the program has to say")]

use std::{
    error::Error,
    fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures_util::StreamExt;
use toolmesh::{
    json::{self, Value},
    mesh::{CallOptions, Mesh, MeshBuilder, NRPC_TYPED_HANDLER_ERROR, RpcError, ToolDescriptor, ToolEvent},
    tool::CancellationToken,
};

#[path = "key.rs"]
mod key;

type Told<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Told<()> {
    let (key, place) = (key::argument(1)?, key::text(2)?);
    let vectors = json::parse(&fs::read(key::text(3)?)?)?;
    let mesh = MeshBuilder::new("127.0.0.1:0", &key)?
        .name("caller")
        .connect(&place)?
        .build()
        .await?;
    wait_for_tools(&mesh).await;
    let options = CallOptions::new();
    let large = mesh.describe_tool("large", &options).await?;
    let refused = mesh.call_tool_value("refuses", &empty(), &options).await;
    let report = Value::object()
        .put("unary", mesh.call_tool_value("same", &exact()?, &options).await?)
        .put("stream", events(&mesh, "steps", &empty()).await?)
        .put("schema_chars", comment_chars(&large)?)
        .put("error", failure(refused)?)
        .put("cancelled", cancelled(&mesh).await?)
        .put("deadline", deadline(&mesh).await?)
        .put("events", sent_back(&mesh, &vectors).await?);
    println!("{}", report.build().to_text());
    Ok(())
}

/// All seven tools of the host.
async fn wait_for_tools(mesh: &Mesh) {
    let mut changes = mesh.watch_tools(None, None);
    while mesh.list_tools(None).len() < 7 {
        changes.next().await;
    }
}

fn empty() -> Value {
    Value::object().build()
}

fn exact() -> Told<Value> {
    Ok(json::parse(br#"{"n":18446744073709551616,"text":"\u00e9"}"#)?)
}

async fn events(mesh: &Mesh, tool: &str, arguments: &Value) -> Told<Value> {
    let mut stream = mesh.call_tool_streaming(tool, arguments).await?;
    let mut told = Vec::new();
    while let Some(event) = stream.next().await {
        told.push(ToolEvent::to_value(&event?));
    }
    Ok(told.into_iter().collect())
}

fn comment_chars(large: &ToolDescriptor) -> Told<u64> {
    let schema = json::parse(large.input_schema.as_deref().unwrap_or_default().as_bytes())?;
    let comment = schema.get("$comment");
    let chars = comment.and_then(|text| text.as_str().map(str::len));
    Ok(u64::try_from(chars.unwrap_or_default())?)
}

/// How a call failed, by the names that all languages have.
fn failure(ended: Result<Value, RpcError>) -> Told<Value> {
    let error = ended.err().ok_or("the call has a result")?;
    let (kind, message) = match &error {
        RpcError::ServerError { status, message, .. } if *status == NRPC_TYPED_HANDLER_ERROR => {
            ("tool_failed", message.clone())
        }
        error => (error.kind(), error.to_string()),
    };
    Ok(Value::object().put("kind", kind).put("message", message).build())
}

/// What the host has seen of `waits`, as soon as it has seen so many cancellations and beginnings.
async fn seen(mesh: &Mesh, began: u64, cancelled: usize) -> Told<Vec<u64>> {
    loop {
        let told = mesh
            .call_tool_value("seen", &empty(), &CallOptions::new())
            .await?;
        let times = told.get("cancelled").and_then(json::View::as_array);
        let times: Vec<u64> = times
            .into_iter()
            .flat_map(|times| times.iter().filter_map(json::View::as_u64))
            .collect();
        if told.get("began").and_then(json::View::as_u64) >= Some(began) && times.len() >= cancelled {
            return Ok(times);
        }
    }
}

/// A call that is given up once its handler runs: how it ended, and after how many microseconds its handler saw it.
async fn cancelled(mesh: &Mesh) -> Told<Value> {
    let token = CancellationToken::new();
    let options = CallOptions::new().with_cancellation(token.clone());
    let arguments = empty();
    let give_up = async {
        seen(mesh, 1, 0).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        token.cancel();
        Told::Ok(u64::try_from(now.as_micros())?)
    };
    let (ended, gave_up) = tokio::join!(mesh.call_tool_value("waits", &arguments, &options), give_up);
    let (times, gave_up) = (seen(mesh, 1, 1).await?, gave_up?);
    let after = times.first().map(|time| time.saturating_sub(gave_up));
    let kind = ended.err().map(|error| error.kind());
    Ok(Value::object()
        .put_opt("kind", kind)
        .put_opt("seen_after_us", after)
        .build())
}

/// A call with a deadline: how it ended, once its handler has seen that.
async fn deadline(mesh: &Mesh) -> Told<Value> {
    let options = CallOptions::new().with_deadline(Duration::from_millis(200));
    let ended = mesh.call_tool_value("waits", &empty(), &options).await;
    seen(mesh, 2, 2).await?;
    Ok(Value::from(ended.err().ok_or("the call has a result")?.kind()))
}

/// Every event of the vectors, as it comes back from the host in types of this language.
async fn sent_back(mesh: &Mesh, vectors: &Value) -> Told<Value> {
    let cases = vectors.get("cases").and_then(json::View::as_array);
    let mut told = Vec::new();
    for case in cases.into_iter().flat_map(|cases| cases.iter()) {
        let wire = case.get("wire").ok_or("a vector has no event")?;
        let event = ToolEvent::from_value(wire)?.to_value();
        told.push(events(mesh, "sends", &Value::object().put("event", event).build()).await?);
    }
    Ok(told.into_iter().collect())
}
