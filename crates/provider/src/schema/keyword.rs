//! Which keywords there are, and what they apply to.

use super::kinds::Kind;

/// Keywords whose value is a schema.
pub(super) fn holds_schema(name: &str) -> bool {
    matches!(
        name,
        "additionalProperties"
            | "items"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "propertyNames"
            | "contentSchema"
    )
}

/// Keywords whose value is a list of schemas.
pub(super) fn holds_schemas(name: &str) -> bool {
    matches!(name, "allOf" | "anyOf" | "oneOf" | "prefixItems")
}

/// Keywords whose value is an object of schemas.
pub(super) fn holds_named_schemas(name: &str) -> bool {
    matches!(name, "properties" | "patternProperties" | "dependentSchemas")
}

/// Whether a keyword can make a value invalid (draft 2020-12; `format` and unknown keywords do not).
pub(crate) fn is_assertion(name: &str) -> bool {
    matches!(
        name,
        "type" | "enum" | "const" | "$ref" | "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else"
    ) || kind_of_keyword(name).is_some()
}

/// Whether a keyword only tells something.
pub(crate) fn is_annotation(name: &str) -> bool {
    !is_assertion(name)
}

/// The kind of value that an assertion is about; none for assertions about every kind. Numbers stand for integers too.
pub(crate) fn kind_of_keyword(name: &str) -> Option<Kind> {
    match name {
        "minLength" | "maxLength" | "pattern" => Some(Kind::String),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Some(Kind::Number),
        "items" | "prefixItems" | "contains" | "minContains" | "maxContains" | "minItems" | "maxItems"
        | "uniqueItems" => Some(Kind::Array),
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "propertyNames"
        | "required"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas" => Some(Kind::Object),
        _ => None,
    }
}
