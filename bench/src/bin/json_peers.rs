//! The peers, as they come: `serde_json`, `sonic-rs`, and `simd-json`, each into its full value.

use std::mem;

use toolmesh_bench::json::{Codec, run};

const CODECS: [Codec; 3] = [
    Codec {
        name: "serde_json",
        parse: |document| drop(serde_json::from_slice::<serde_json::Value>(document).expect("it is JSON")),
        writer: |document| {
            let value: serde_json::Value = serde_json::from_slice(document).expect("it is JSON");
            Box::new(move || serde_json::to_vec(&value).expect("it can be written").len())
        },
        keep: |document| {
            mem::forget(serde_json::from_slice::<serde_json::Value>(document).expect("it is JSON"));
        },
    },
    Codec {
        name: "sonic-rs",
        parse: |document| drop(sonic_rs::from_slice::<sonic_rs::Value>(document).expect("it is JSON")),
        writer: |document| {
            let value: sonic_rs::Value = sonic_rs::from_slice(document).expect("it is JSON");
            Box::new(move || sonic_rs::to_vec(&value).expect("it can be written").len())
        },
        keep: |document| mem::forget(sonic_rs::from_slice::<sonic_rs::Value>(document).expect("it is JSON")),
    },
    // It reads in place, so that the copy of the document is part of the work.
    Codec {
        name: "simd-json",
        parse: |document| {
            let mut copy = document.to_vec();
            drop(simd_json::to_borrowed_value(&mut copy).expect("it is JSON"));
        },
        writer: |document| {
            let value = simd_json::to_borrowed_value(document.to_vec().leak()).expect("it is JSON");
            Box::new(move || simd_json::to_vec(&value).expect("it can be written").len())
        },
        keep: |document| {
            mem::forget(simd_json::to_borrowed_value(document.to_vec().leak()).expect("it is JSON"));
        },
    },
];

fn main() -> anyhow::Result<()> {
    run(&CODECS)
}
