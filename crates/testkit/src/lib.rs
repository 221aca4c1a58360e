//! Drivers for tests: a real EVM node, MCP clients that nobody here wrote, and our own binary from outside.
//!
//! Only tests and chores use this crate, so its functions do not return errors: what goes wrong panics at the
//! caller's line with one sentence that says what happened and what to do. Whatever was started is stopped when
//! its handle is dropped, also when the test fails.
//!
//! * [`Anvil`]: a real node on a free port.
//! * [`Postgres`]: a real database server on a free port.
//! * [`Plan`]: a session of the Python client or of one of the TypeScript clients, told what to call as [`Step`]s;
//!   [`stdio_session`], [`http_session`]: the usual ones.
//! * [`inspector()`]: one question of the MCP Inspector.
//! * [`ServerProcess`]: `toolmesh serve --http`; [`StdioServer`]: `toolmesh serve`; [`run`]: any verb to its end.
//! * [`WebStub`]: a web server that answers from a script, for explorers and other services of others.
//! * [`http`]: requests to the byte, for what a well-behaved client never sends.
//! * [`wire_schema`]: the judge of every message that a server of ours sends; [`ServerProcess::post`] and [`StdioServer`] ask
//!   it by themselves.
//! * [`paths`]: where the repository and the things installed for the tests are.
//!
//! `cargo xtask test` installs what is needed; see [`paths::tests_dir`].

mod anvil;
mod client;
pub mod http;
mod inspector;
pub mod paths;
mod postgres;
mod process;
mod server;
mod stdio;
mod terminal;
mod web;
pub mod wire_schema;

pub use anvil::Anvil;
pub use client::{
    CallResult, Client, Plan, Session, Step, http_session, run_node, run_python, stdio_session,
};
pub use inspector::inspector;
pub use postgres::Postgres;
pub use process::{Finished, Running, run, run_command};
pub use server::ServerProcess;
pub use stdio::StdioServer;
pub use terminal::run_in_terminal;
pub use web::{WebAnswer, WebStub};
