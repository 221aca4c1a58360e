//! OpenAI's Chat Completions. Its rules for names and schemas are those of Responses as well.

pub(crate) mod call;
pub(crate) mod result;
pub(crate) mod rules;
pub(crate) mod stream;
pub(crate) mod tool;
