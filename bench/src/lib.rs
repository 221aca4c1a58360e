//! What the servers of the benchmark share: the echo tool, and the way they listen. What the loads share is in [`call`] and
//! [`window`], what the codecs share in [`json`], the nodes of a mesh in [`mesh`], the validators in [`schema`].
//!
//! A server speaks on standard input and output, or with `--http` on a free port of this machine: then it sets
//! `TCP_NODELAY`, and says on standard error where it is, as `toolmesh serve --http` does; the chore finds it by that line.

pub mod call;
pub mod json;
pub mod mesh;
pub mod schema;
pub mod window;

use std::io;

use axum::{
    Router,
    serve::{Listener, ListenerExt},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The name of the one tool.
pub const ECHO: &str = "echo";

/// The one tool's input: a message, and nothing else.
#[must_use]
pub fn echo_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
        "additionalProperties": false,
    })
}

/// Serves the routes until the process is killed.
pub async fn serve(routes: Router) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(without_delay(listener), routes).await
}

/// Sends what is written at once, as every server of the comparison does.
fn without_delay(listener: TcpListener) -> impl Listener<Addr = std::net::SocketAddr> {
    listener.tap_io(|connection| {
        if let Err(error) = connection.set_nodelay(true) {
            eprintln!("cannot set TCP_NODELAY: {error}");
        }
    })
}
