//! The Model Context Protocol: `tools/list` and `tools/call`.

pub(crate) mod call;
pub(crate) mod result;
pub(crate) mod rules;
pub(crate) mod stream;
pub(crate) mod tool;
