//! The native half of the Node package: what crosses is text (JSON), numbers, and the classes here. The JavaScript half (`lib/`)
//! gives it the shape that programs expect; every rule is in Rust, below `toolmesh_embed`.

mod call;
mod formats;
mod node;
mod program;
mod streams;
mod telling;
