//! Tests of the crate through its public API.
#![cfg(test)]

mod corpus;
mod dispatch;
mod generate;
mod manifests;
mod names;
mod schemas;
mod seed;
mod values;
