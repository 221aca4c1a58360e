//! Tests of the loopback node itself.
#![cfg(test)]

#[cfg(feature = "sandbox")]
mod application;
mod client;
mod guest;
