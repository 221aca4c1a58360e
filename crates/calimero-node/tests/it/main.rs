//! Tests of the loopback node itself.
#![cfg(test)]

mod client;
mod guest;
