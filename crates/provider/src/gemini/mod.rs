//! Google's Gemini.

pub(crate) mod call;
mod json_schema;
mod literal;
mod object;
pub(crate) mod result;
pub(crate) mod rules;
mod sanitise;
pub(crate) mod stream;
pub(crate) mod tool;
mod union;
