//! The methods, one file a family. Each reads its params, asks the dispatcher, and writes its result.

pub(super) mod completion;
pub(super) mod lifecycle;
pub(super) mod prompts;
pub(super) mod resources;
pub(super) mod tools;
