//! The log: to standard error, because standard output belongs to the protocol.

mod network;
mod plain;
#[cfg(test)]
mod written;

use std::io::IsTerminal as _;

use tracing_subscriber::{EnvFilter, fmt::format};

use network::WithNetwork;
use plain::PlainFields;

/// The variables that choose what is logged; the first that is set wins.
const FILTER_VARIABLES: [&str; 2] = ["TOOLMESH_LOG", "RUST_LOG"];

/// What is logged unless a variable says otherwise. The network library under the mesh warns of much that is meant so; what
/// matters of it the mesh tells itself, but for connections that this side does not let in, and for what a router lets not pass.
const DEFAULT_FILTER: &str =
    "warn,zenoh=error,zenoh_link_tls::listener=warn,zenoh::net::routing::interceptor::access_control=info";

/// Writes what this process logs to standard error: warnings, or what `TOOLMESH_LOG` (`RUST_LOG` where it is not set) says,
/// such as `debug`, `toolmesh=debug` or `off`. A program that has set its own `tracing` subscriber keeps it.
pub fn start_log() {
    let chosen = FILTER_VARIABLES
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|text| !text.is_empty()));
    let filter = EnvFilter::try_new(chosen.as_deref().unwrap_or(DEFAULT_FILTER));
    let unreadable = filter.is_err();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER)))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .fmt_fields(PlainFields::new())
        .event_format(WithNetwork::new(format().with_target(false).without_time()))
        .finish();
    let is_set = tracing::subscriber::set_global_default(subscriber).is_ok();
    if is_set && unreadable {
        tracing::warn!(
            "the log filter is not understood; write a level such as `debug`, or `toolmesh=debug`"
        );
    }
}
