//! The mesh from outside: its forms on the wire, and nodes that serve, find and call tools.
#![cfg(test)]

mod access;
mod authority;
mod call;
mod certificate;
mod credentials;
mod discover;
mod fetched;
mod greedy;
#[cfg(target_os = "linux")]
mod growth;
mod hostile;
mod large;
mod log;
mod partition;
mod process;
mod quickstart;
mod router;
mod routing;
mod rules;
mod serve;
mod source;
mod strangers;
mod stream;
mod support;
mod vectors;
mod wiretap;
