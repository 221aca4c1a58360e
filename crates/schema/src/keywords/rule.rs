//! The table of keywords: which language knows which, and in what order they are compiled.

use std::sync::LazyLock;

use super::{
    additional_properties, all_of, anchor, annotation, any_of, bound, conditional, constant, contains, count,
    definitions, dependencies, dependent_required, dependent_schemas, dialect, enumeration, format,
    identifier, items, kind, mirrored_header, multiple_of, not, one_of, pattern, pattern_properties,
    properties, property_names, reference, required, unevaluated, unique_items,
};
use crate::compile::{Compiler, Site};
use crate::dialect::{Dialect, Language, Vocabulary};
use crate::error::CompileError;
use crate::program::Keyword;

/// Which languages know a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every one.
    Everywhere,
    /// Profile 1 and draft 2020-12.
    Modern,
    /// Draft 2020-12 and draft-07; Profile 1 refuses it.
    Drafts,
    /// Draft 2020-12 only.
    Draft2020_12,
    /// Draft-07 only.
    Draft07,
}

impl Scope {
    fn contains(self, language: Language) -> bool {
        match language {
            Language::Profile1 => matches!(self, Self::Everywhere | Self::Modern),
            Language::Draft2020_12 => !matches!(self, Self::Draft07),
            Language::Draft07 => matches!(self, Self::Everywhere | Self::Drafts | Self::Draft07),
        }
    }
}

/// How a keyword, or a family that only makes sense together, is compiled.
pub(crate) struct Rule {
    pub(crate) names: &'static [&'static str],
    pub(crate) scope: Scope,
    /// The part of draft 2020-12 that it belongs to.
    pub(crate) vocabulary: Vocabulary,
    /// Checks the keyword's shape, compiles what stands in it, and yields what is to be evaluated, if anything.
    pub(crate) compile: fn(&mut Compiler<'_>, &Site<'_>) -> Result<Option<Keyword>, CompileError>,
}

impl Rule {
    fn is_known_to(&self, dialect: Dialect) -> bool {
        self.scope.contains(dialect.language) && dialect.has(self.vocabulary)
    }
}

/// Every rule in the order of compiling, which decides the error that wins.
pub(crate) static RULES: &[Rule] = &[
    dialect::SCHEMA,
    dialect::VOCABULARY,
    identifier::RULE,
    annotation::RULE,
    annotation::CONTENT,
    anchor::RULE,
    anchor::DYNAMIC,
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
    format::RULE,
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
    items::ADDITIONAL_ITEMS,
    contains::RULE,
    contains::COUNTS,
    all_of::RULE,
    any_of::RULE,
    one_of::RULE,
    not::RULE,
    conditional::RULE,
    dependent_schemas::RULE,
    dependencies::RULE,
    unevaluated::PROPERTIES,
    unevaluated::ITEMS,
    reference::RULE,
    reference::DYNAMIC,
];

/// The place of a rule in [`RULES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleIndex(u8);

/// Some rules, visited in their order.
#[derive(Clone, Copy, Default)]
pub(crate) struct RuleSet(u64);

// One bit a rule.
const _: () = assert!(RULES.len() <= 64);

impl RuleSet {
    pub(crate) fn insert(&mut self, rule: RuleIndex) {
        self.0 |= 1 << rule.0;
    }

    pub(crate) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    fn of(names: &[&str]) -> Self {
        let mut set = Self::default();
        for rule in names.iter().filter_map(|name| find(name)) {
            set.insert(rule);
        }
        set
    }

    /// What is left of them where a `$ref` stands: in draft-07 it hides its siblings. Definitions are still found, so
    /// that references may lead to them.
    pub(crate) fn as_read_by(self, dialect: Dialect) -> Self {
        static REFERENCE: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::of(&["$ref"]));
        static BESIDE: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::of(&["$ref", "$schema", "definitions"]));
        if dialect.language == Language::Draft07 && self.0 & REFERENCE.0 != 0 {
            Self(self.0 & BESIDE.0)
        } else {
            self
        }
    }
}

impl Iterator for RuleSet {
    type Item = &'static Rule;

    fn next(&mut self) -> Option<Self::Item> {
        let index = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        RULES.get(index)
    }
}

/// The rule of a name. Names are told apart by their length first, which leaves few to compare.
fn find(name: &str) -> Option<RuleIndex> {
    static BY_LENGTH: LazyLock<Vec<Vec<(&'static str, RuleIndex)>>> = LazyLock::new(|| {
        let mut table: Vec<Vec<(&'static str, RuleIndex)>> = Vec::new();
        for (rule, index) in RULES.iter().zip(0..) {
            for name in rule.names {
                table.resize_with(table.len().max(name.len() + 1), Vec::new);
                if let Some(bucket) = table.get_mut(name.len()) {
                    bucket.push((name, RuleIndex(index)));
                }
            }
        }
        table
    });
    let bucket = BY_LENGTH.get(name.len())?;
    bucket
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, rule)| *rule)
}

/// Keywords of draft 2019-09 that the meta-schema of 2020-12 still names. To ignore one would accept values that its
/// author refuses.
const NOT_EVALUATED: &[&str] = &["$recursiveAnchor", "$recursiveRef"];

/// What a dialect does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A rule compiles it.
    Known(RuleIndex),
    /// The document is refused, for this reason.
    Refused(&'static str),
    /// It is kept and asserts nothing.
    Annotation,
}

/// What `dialect` does with the keyword `name`.
pub(crate) fn standing(name: &str, dialect: Dialect) -> Standing {
    let found = find(name);
    let known = found.filter(|rule| {
        RULES
            .get(usize::from(rule.0))
            .is_some_and(|rule| rule.is_known_to(dialect))
    });
    match (known, dialect.language) {
        (Some(rule), _) => Standing::Known(rule),
        (None, Language::Profile1) => Standing::Refused(
            "Tool Schema Profile 1 has no such keyword; remove it, or use the 2020-12 profile",
        ),
        (None, Language::Draft2020_12) if NOT_EVALUATED.contains(&name) => {
            Standing::Refused("draft 2020-12 has `$dynamicRef` and `$dynamicAnchor` in its place")
        }
        (None, Language::Draft2020_12 | Language::Draft07) => Standing::Annotation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Draft;

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
            .filter(|rule| rule.is_known_to(Dialect::PROFILE_1))
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

    #[test]
    fn every_name_is_found_and_no_other() {
        for (rule, index) in RULES.iter().zip(0..) {
            for name in rule.names {
                assert_eq!(find(name), Some(RuleIndex(index)), "{name}");
            }
        }
        for name in [
            "",
            "Type",
            "typ",
            "x-mcp-headers",
            "a-name-that-is-longer-than-any-keyword",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn each_draft_has_its_own_words() {
        let known = |name, draft| matches!(standing(name, Dialect::of(draft, false)), Standing::Known(_));
        for name in [
            "$defs",
            "prefixItems",
            "dependentRequired",
            "unevaluatedItems",
            "$dynamicRef",
        ] {
            assert!(
                known(name, Draft::Draft2020_12) && !known(name, Draft::Draft07),
                "{name}"
            );
        }
        assert!(known("additionalItems", Draft::Draft07) && !known("additionalItems", Draft::Draft2020_12));
        assert!(known("dependencies", Draft::Draft07) && known("dependencies", Draft::Draft2020_12));
    }
}
