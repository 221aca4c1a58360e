//! The host of the matrix of languages, in plain Rust. What every host does is in `README.md`.
#![expect(clippy::print_stdout, reason = "what the program has to say")]

use std::{
    error::Error,
    future,
    io::{Read, stdin},
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::stream;
use toolmesh::{
    json::Value,
    mesh::{Mesh, MeshBuilder, ToolDescriptor, ToolEvent, ToolServeHandle},
};

#[path = "key.rs"]
mod key;

/// The calls of `waits`: how many began, and when those that were cancelled saw it, in microseconds since 1970.
#[derive(Debug, Default)]
struct Seen {
    began: u64,
    cancelled: Vec<u64>,
}

type Shared = Arc<Mutex<Seen>>;

/// Dropped when the call ends, in whatever way.
struct Waiting(Shared);

impl Waiting {
    fn begin(seen: &Shared) -> Self {
        with(seen, |seen| seen.began += 1);
        Self(Arc::clone(seen))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        with(&self.0, |seen| seen.cancelled.push(now));
    }
}

fn with<T>(seen: &Shared, work: impl FnOnce(&mut Seen) -> T) -> T {
    work(&mut seen.lock().unwrap_or_else(PoisonError::into_inner))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = key::argument(1)?;
    let mesh = MeshBuilder::new("127.0.0.1:0", &key)?
        .name("host")
        .build()
        .await?;
    let _unary = serve_unary(&mesh)?;
    let _streaming = serve_streaming(&mesh)?;
    let _waits = serve_waits(&mesh)?;
    let places = mesh.listens_at();
    let place = places.first().ok_or("the node listens nowhere")?;
    println!("{}", place.rsplit('/').next().unwrap_or(place));
    // It is over when nobody holds the other end any more.
    tokio::task::spawn_blocking(|| stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

fn serve_unary(mesh: &Mesh) -> Result<[ToolServeHandle; 3], Box<dyn Error>> {
    let same = mesh.serve_tool(ToolDescriptor::new("same"), |arguments: Value| {
        future::ready(Ok::<_, String>(arguments))
    })?;
    let refuses = mesh.serve_tool(ToolDescriptor::new("refuses"), |_: Value| {
        future::ready(Err::<Value, _>("no such city".to_owned()))
    })?;
    let mut large = ToolDescriptor::new("large");
    let schema = Value::object()
        .put("type", "object")
        .put("$comment", "x".repeat(100_000));
    large.input_schema = Some(schema.build().to_text());
    let large = mesh.serve_tool(large, |_: Value| future::ready(Ok::<_, String>(Value::null())))?;
    Ok([same, refuses, large])
}

fn serve_streaming(mesh: &Mesh) -> Result<[ToolServeHandle; 2], Box<dyn Error>> {
    let result = |data| ToolEvent::Result { data };
    let steps = mesh.serve_tool_streaming(ToolDescriptor::new("steps"), move |_: Value| {
        let progress = ToolEvent::Progress {
            pct: Some(50.0),
            message: Some("half".to_owned()),
        };
        let delta = |n: u64| ToolEvent::Delta {
            data: Value::object().put("n", n).build(),
        };
        let done = result(Value::object().put("done", true).build());
        future::ready(stream::iter([progress, delta(1), delta(2), done]))
    })?;
    let sends = mesh.serve_tool_streaming(ToolDescriptor::new("sends"), move |arguments: Value| {
        let event = arguments
            .get("event")
            .and_then(|event| ToolEvent::from_value(event).ok());
        future::ready(stream::iter(event.into_iter().chain([result(Value::null())])))
    })?;
    Ok([steps, sends])
}

fn serve_waits(mesh: &Mesh) -> Result<[ToolServeHandle; 2], Box<dyn Error>> {
    let shared = Shared::default();
    let seen = Arc::clone(&shared);
    let waits = mesh.serve_tool(ToolDescriptor::new("waits"), move |_: Value| {
        let waiting = Waiting::begin(&shared);
        async move {
            let _waiting = waiting;
            future::pending::<Result<Value, String>>().await
        }
    })?;
    let seen = mesh.serve_tool(ToolDescriptor::new("seen"), move |_: Value| {
        let told = with(&seen, |seen| {
            let cancelled: Value = seen.cancelled.iter().map(|when| Value::from(*when)).collect();
            Value::object()
                .put("began", seen.began)
                .put("cancelled", cancelled)
                .build()
        });
        future::ready(Ok::<_, String>(told))
    })?;
    Ok([waits, seen])
}
