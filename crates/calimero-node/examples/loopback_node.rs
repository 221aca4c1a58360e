//! A node with one application, a store of keys and values in the context `room`, for tests of other languages: it prints its URL and ends
//! when its standard input does.
#![expect(clippy::print_stdout, reason = "whoever starts it reads the URL there")]

use std::{error::Error, io::Read as _};

use toolmesh_calimero_node::{App, Behaviour, LoopbackNode, Options};

const MANIFEST: &[u8] = include_bytes!("../../../testdata/calimero/kv_store.json");

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let node = LoopbackNode::start(Options::default()).await;
    let id = node.install(App::new("com.calimero.kv-store", MANIFEST, Behaviour::KeyValue));
    let context = node.create_context(&id, None);
    node.create_alias("room", &context);
    println!("{}", node.url());
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
