//! What Gemini refuses, as published: the `Schema` and `FunctionDeclaration` objects of the API reference
//! (ai.google.dev/api/caching#Schema), "Function calling", and public issues.

use crate::names::NameRule;

/// `FunctionDeclaration.name`: begins with a letter or an underscore, then letters, digits, underscores, dots and dashes
/// (colons too on newer models), at most 64.
pub(crate) const NAME: NameRule = NameRule {
    first: is_first,
    rest: is_name_character,
    max: 64,
};

fn is_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Function declarations in one request ("Function calling with Vertex AI").
pub(crate) const MAX_TOOLS: usize = 512;

/// Values of `format` for texts that every version of the API takes: "only 'enum' and 'date-time' are supported for STRING
/// type" is what it answers to others.
pub(crate) const TEXT_FORMATS: [&str; 1] = ["date-time"];
/// For `NUMBER`.
pub(crate) const NUMBER_FORMATS: [&str; 2] = ["float", "double"];
/// For `INTEGER`.
pub(crate) const INTEGER_FORMATS: [&str; 2] = ["int32", "int64"];

/// Keywords that `parametersJsonSchema` takes (API reference, `GenerationConfig.responseJsonSchema`, which says the same set).
pub(crate) const JSON_SCHEMA_KEYWORDS: [&str; 16] = [
    "$ref",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "properties",
    "additionalProperties",
    "required",
];

/// Schemas in one tool, definitions repeated wherever they are used. Beyond it, and deeper than [`MAX_DEPTH`], a value is
/// asked for as JSON text: a bound of ours against definitions that multiply.
pub(crate) const MAX_SCHEMAS: usize = 2_000;
/// Levels of schemas in schemas.
pub(crate) const MAX_DEPTH: usize = 32;
/// Alternatives of one value.
pub(crate) const MAX_ALTERNATIVES: usize = 32;
