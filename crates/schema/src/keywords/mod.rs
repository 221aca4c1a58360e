//! One file a keyword or family: what it may say, what it means, what it costs.
//!
//! The order of [`RULES`] decides which error of a schema object wins; the order of
//! [`Keyword`](crate::program::Keyword) decides what is evaluated first. In that order, the charges are:
//!
//! | step | operations |
//! |---|---|
//! | a schema is entered (also `true` and `false`) | 1 |
//! | a step into a member or element, while failures are told | 1 |
//! | a failure is told, until the list is full | length of the instance path |
//! | `type` | 1 |
//! | `const` | 1 + equality |
//! | `enum` | 1 + for each candidate up to the first match 1 + equality |
//! | `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` | 1 each, numbers only |
//! | `multipleOf` | 1, numbers only; for a divisor beyond 64 bits one more for each 16 limb steps |
//! | `minLength`, `maxLength` | 1 + one for each 64 bytes of text, strings only |
//! | `minItems`, `maxItems`, `minProperties`, `maxProperties` | 1 each, their kind only |
//! | `pattern` | 1 + the pattern's weight for each 64 bytes of text, strings only |
//! | `format`, where it asserts | 1 + the format's weight for each 64 bytes of text, strings only |
//! | `uniqueItems` | 1 + one for each value looked at + equality of likely twins, arrays only |
//! | `required` | 1 for each name, objects only |
//! | `dependentRequired` | 1 for each trigger + 1 for each name that it asks for, objects only |
//! | `dependencies` | as `dependentRequired` and `dependentSchemas` |
//! | `$ref` | one reference traversal (another counter) |
//! | `$dynamicRef` | as `$ref` + 1 for each open evaluation, where the anchor is dynamic |
//! | `allOf`, `anyOf`, `oneOf`, `not`, `if` | nothing of their own |
//! | `dependentSchemas` | 1 for each trigger, objects only |
//! | `properties` | 1 for each declared name, objects only |
//! | `patternProperties` | 1 for each member + the patterns, objects only |
//! | `additionalProperties` | members n + n * ceil(log2 n) + the patterns, objects only |
//! | `propertyNames` | 1 for each member, objects only |
//! | `items`, `prefixItems` | nothing of their own |
//! | `contains` | 1, arrays only |
//! | `unevaluatedProperties`, `unevaluatedItems` | 1 for each member or item + 1 for each that a schema spoke of |
//!
//! The rows that Profile 1 has are charged exactly as its facts say; the others belong to draft 2020-12 and draft-07.

mod additional_properties;
mod all_of;
mod anchor;
mod annotation;
mod any_of;
mod bound;
mod conditional;
mod constant;
mod contains;
mod count;
mod definitions;
mod dependencies;
mod dependent_required;
mod dependent_schemas;
mod dialect;
mod dispatch;
mod enumeration;
mod format;
mod identifier;
mod items;
mod kind;
mod mirrored_header;
mod multiple_of;
mod not;
mod one_of;
mod pattern;
mod pattern_properties;
mod properties;
mod property_names;
mod reference;
mod required;
mod rule;
mod unevaluated;
mod unique_items;

pub(crate) use additional_properties::AdditionalProperties;
pub(crate) use anchor::is_anchor_name;
pub(crate) use bound::Bound;
pub(crate) use conditional::Conditional;
pub(crate) use contains::Contains;
pub(crate) use count::Count;
pub(crate) use dependent_required::DependentRequired;
pub(crate) use dispatch::{check, evaluate, expected};
pub(crate) use format::has_format;
pub(crate) use identifier::identify;
pub(crate) use kind::TypeSet;
pub(crate) use mirrored_header::MIRRORED_HEADER;
pub(crate) use multiple_of::MultipleOf;
pub(crate) use pattern::matches_text;
pub(crate) use rule::{RuleSet, Standing, standing};
