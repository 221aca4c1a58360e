//! Derives for the arguments and outputs of typed tools, and the one `#[tool]` attribute of the project.
//!
//! A procedural-macro crate can export nothing but macros, and none is written yet: typed tools are made with closures
//! over `schemars` types (`toolmesh_tool::Tool::with_name(..).arguments_and_output::<A, O>()`).
