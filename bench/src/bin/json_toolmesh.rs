//! Our codec with every limit on, and `serde_json` with what we ask of it: exact numbers, members in order.

use std::mem;

use toolmesh_bench::json::{Codec, run};

const CODECS: [Codec; 2] = [
    Codec {
        name: "toolmesh",
        parse: |document| drop(read(document)),
        writer: |document| {
            let value = read(document);
            let limits = toolmesh_json::OutputLimits::new(toolmesh_json::Limits::ceiling());
            Box::new(move || {
                let mut out = Vec::new();
                toolmesh_json::write_value_within(&mut out, value.view(), &limits).expect("it fits");
                out.len()
            })
        },
        keep: |document| mem::forget(read(document)),
    },
    Codec {
        name: "serde_json exact",
        parse: |document| drop(read_exact(document)),
        writer: |document| {
            let value = read_exact(document);
            Box::new(move || serde_json::to_vec(&value).expect("it can be written").len())
        },
        keep: |document| mem::forget(read_exact(document)),
    },
];

fn read(document: &[u8]) -> toolmesh_json::Value {
    toolmesh_json::parse_with(document, &toolmesh_json::Limits::ceiling()).expect("it is JSON")
}

fn read_exact(document: &[u8]) -> serde_json::Value {
    serde_json::from_slice(document).expect("it is JSON")
}

fn main() -> anyhow::Result<()> {
    run(&CODECS)
}
