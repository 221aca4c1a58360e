//! Tests of the crate through its public API.
#![cfg(test)]

mod agreement;
mod anvil;
mod any_answer;
mod cases;
mod clients;
mod contract;
mod control;
mod corpus;
mod dispatch;
mod ens;
mod events;
mod faulty_node;
mod generate;
mod helpers;
mod lookup;
mod mapping;
mod round_trip;
mod rust_clients;
mod sandbox;
mod seed;
mod sending;
mod solidity;
mod torture;
