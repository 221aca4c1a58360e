//! OpenAI's Responses. Names and schemas keep to the rules of Chat Completions (`openai::rules`).

pub(crate) mod call;
pub(crate) mod result;
pub(crate) mod stream;
pub(crate) mod tool;
