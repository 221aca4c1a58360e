//! The methods, one file a family. Each reads its params, asks the dispatcher, and writes its result.

pub(super) mod compact;
pub(super) mod completion;
pub(super) mod deltas;
pub(super) mod lifecycle;
pub(super) mod logging;
pub(super) mod prompts;
pub(super) mod resources;
pub(super) mod rounds;
pub(super) mod subscriptions;
pub(super) mod tasks;
pub(super) mod tools;
pub(super) mod watching;
