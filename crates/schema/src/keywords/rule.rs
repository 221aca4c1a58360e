//! The table of keywords: which profile knows which, and in what order they are compiled.

use super::{
    additional_properties, all_of, anchor, annotation, any_of, bound, conditional, constant, contains, count,
    definitions, dependent_required, dependent_schemas, dialect, enumeration, items, kind, mirrored_header,
    multiple_of, not, one_of, pattern, pattern_properties, properties, property_names, reference, required,
    unique_items,
};
use crate::compile::{Compiler, Site};
use crate::error::CompileError;
use crate::profile::Profile;
use crate::program::Keyword;

/// Which profiles know a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Both profiles.
    Everywhere,
    /// Draft 2020-12 only; Profile 1 refuses it.
    Draft,
}

/// How a keyword, or a family that only makes sense together, is compiled.
pub(crate) struct Rule {
    pub(crate) names: &'static [&'static str],
    pub(crate) scope: Scope,
    /// Checks the keyword's shape, compiles what stands in it, and yields what is to be evaluated, if anything.
    pub(crate) compile: fn(&mut Compiler, &Site<'_>) -> Result<Option<Keyword>, CompileError>,
}

impl Rule {
    /// Whether a schema object uses this rule under a profile.
    pub(crate) fn concerns(&self, profile: Profile, site: &Site<'_>) -> bool {
        self.is_known_to(profile) && self.names.iter().any(|name| site.object.contains(name))
    }

    fn is_known_to(&self, profile: Profile) -> bool {
        self.scope == Scope::Everywhere || profile != Profile::Profile1
    }
}

/// Every rule in the order of compiling, which decides the error that wins.
pub(crate) static RULES: &[Rule] = &[
    dialect::SCHEMA,
    dialect::ID,
    annotation::RULE,
    anchor::RULE,
    mirrored_header::RULE,
    kind::RULE,
    constant::RULE,
    enumeration::RULE,
    required::RULE,
    bound::MINIMUM,
    bound::MAXIMUM,
    bound::EXCLUSIVE_MINIMUM,
    bound::EXCLUSIVE_MAXIMUM,
    multiple_of::RULE,
    count::MIN_LENGTH,
    count::MAX_LENGTH,
    count::MIN_ITEMS,
    count::MAX_ITEMS,
    count::MIN_PROPERTIES,
    count::MAX_PROPERTIES,
    pattern::RULE,
    unique_items::RULE,
    dependent_required::RULE,
    definitions::DEFS,
    definitions::DEFINITIONS,
    definitions::CONTENT_SCHEMA,
    properties::RULE,
    pattern_properties::RULE,
    additional_properties::RULE,
    property_names::RULE,
    items::ITEMS,
    items::PREFIX_ITEMS,
    contains::RULE,
    all_of::RULE,
    any_of::RULE,
    one_of::RULE,
    not::RULE,
    conditional::RULE,
    dependent_schemas::RULE,
    reference::RULE,
];

/// Keywords of draft 2020-12, the deprecated ones of its metaschema included, that no rule evaluates. To ignore one would
/// accept values that its author refuses.
const NOT_EVALUATED: &[&str] = &[
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveAnchor",
    "$recursiveRef",
    "$vocabulary",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// What a profile does with a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A rule compiles it.
    Known,
    /// The document is refused, for this reason.
    Refused(&'static str),
    /// It is kept and asserts nothing.
    Annotation,
}

/// What `profile` does with the keyword `name`.
pub(crate) fn standing(name: &str, profile: Profile) -> Standing {
    let known = RULES
        .iter()
        .any(|rule| rule.is_known_to(profile) && rule.names.contains(&name));
    match profile {
        _ if known => Standing::Known,
        Profile::Profile1 => Standing::Refused(
            "Tool Schema Profile 1 has no such keyword; remove it, or use the 2020-12 profile",
        ),
        Profile::Draft2020_12 if NOT_EVALUATED.contains(&name) => {
            Standing::Refused("this keyword of draft 2020-12 is not evaluated here; say the same without it")
        }
        Profile::Draft2020_12 => Standing::Annotation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE_1: &[&str] = &[
        "$schema",
        "$defs",
        "$anchor",
        "$ref",
        "$comment",
        "title",
        "description",
        "format",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "properties",
        "additionalProperties",
        "items",
        "allOf",
        "anyOf",
        "if",
        "then",
        "else",
        "type",
        "enum",
        "const",
        "required",
        "minimum",
        "maximum",
        "x-mcp-header",
    ];

    #[test]
    fn profile_1_knows_exactly_its_own_list() {
        let mut known: Vec<&str> = RULES
            .iter()
            .filter(|rule| rule.is_known_to(Profile::Profile1))
            .flat_map(|rule| rule.names)
            .copied()
            .collect();
        let mut wanted = PROFILE_1.to_vec();
        known.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(known, wanted);
    }

    #[test]
    fn no_keyword_has_two_rules() {
        let mut names: Vec<&str> = RULES.iter().flat_map(|rule| rule.names).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
