//! Anthropic's Messages.

pub(crate) mod call;
mod property;
pub(crate) mod result;
pub(crate) mod rules;
pub(crate) mod stream;
pub(crate) mod tool;
