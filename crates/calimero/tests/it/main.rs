//! Tests of the crate through its public API.
#![cfg(test)]

mod corpus;
mod dispatch;
mod events;
mod fixed;
mod generate;
mod handles;
mod login;
mod manifests;
mod names;
mod node;
mod schemas;
mod seed;
mod served;
mod values;
