//! The real binary, from outside: every screen, every exit code, every client.

mod clients;
mod configuration;
mod exit_codes;
mod rpc;
mod screens;
mod serve;
mod support;
