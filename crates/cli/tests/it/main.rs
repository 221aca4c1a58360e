//! The real binary, from outside: every screen, every exit code, every client.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong here fails the test where it stands"
)]

#[cfg(feature = "calimero-sandbox")]
mod application;
mod calimero;
mod clients;
mod configuration;
mod conversation;
mod doctor;
mod events;
mod exit_codes;
mod generate;
mod lookup;
mod mesh;
mod mesh_streams;
mod mesh_trust;
mod pipes;
mod rpc;
mod screens;
mod serve;
mod support;
mod terminal;
mod torture;
mod upstream;
