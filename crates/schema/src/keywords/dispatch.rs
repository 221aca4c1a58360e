//! From a compiled keyword to the file that evaluates it, and to the words for what it expects.

use super::{
    all_of, any_of, constant, dependencies, dependent_required, dependent_schemas, enumeration, format,
    items, not, one_of, pattern, pattern_properties, properties, property_names, reference, required,
    unevaluated, unique_items,
};
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::program::Keyword;

/// Judges a scene by one keyword.
pub(crate) fn evaluate<'v>(keyword: &'v Keyword, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    match keyword {
        Keyword::Type(types) => types.evaluate(run, scene),
        Keyword::Const(value) => constant::evaluate(value, run, scene),
        Keyword::Enum(values) => enumeration::evaluate(values, run, scene),
        Keyword::Bound(bound) => bound.evaluate(run, scene),
        Keyword::MultipleOf(divisor) => divisor.evaluate(run, scene),
        Keyword::Count(count) => count.evaluate(run, scene),
        Keyword::Pattern(wanted) => pattern::evaluate(wanted, run, scene),
        Keyword::Format(wanted) => format::evaluate(*wanted, run, scene),
        Keyword::UniqueItems => unique_items::evaluate(run, scene),
        Keyword::Required(names) => required::evaluate(names, run, scene),
        Keyword::DependentRequired(list) => dependent_required::evaluate(list, run, scene),
        Keyword::Reference(target) => reference::evaluate(*target, run, scene),
        Keyword::DynamicReference { target, anchor } => {
            reference::evaluate_dynamic(*target, anchor.as_ref(), run, scene)
        }
        Keyword::AllOf(nodes) => all_of::evaluate(nodes, run, scene),
        Keyword::AnyOf(nodes) => any_of::evaluate(nodes, run, scene),
        Keyword::OneOf(nodes) => one_of::evaluate(nodes, run, scene),
        Keyword::Not(node) => not::evaluate(*node, run, scene),
        Keyword::Conditional(conditional) => conditional.evaluate(run, scene),
        Keyword::DependentSchemas(list) => dependent_schemas::evaluate(list, run, scene),
        Keyword::Dependencies { required, schemas } => dependencies::evaluate(required, schemas, run, scene),
        Keyword::Properties(list) => properties::evaluate(list, run, scene),
        Keyword::PatternProperties(list) => pattern_properties::evaluate(list, run, scene),
        Keyword::AdditionalProperties(rest) => rest.evaluate(run, scene),
        Keyword::PropertyNames(node) => property_names::evaluate(*node, run, scene),
        Keyword::PrefixItems(nodes) => items::evaluate_prefix(nodes, run, scene),
        Keyword::Items { node, after } => items::evaluate(*node, *after, run, scene),
        Keyword::Contains(contains) => contains.evaluate(run, scene),
        Keyword::UnevaluatedProperties(node) => unevaluated::evaluate_properties(*node, run, scene),
        Keyword::UnevaluatedItems(node) => unevaluated::evaluate_items(*node, run, scene),
    }
}

/// Judges an instance by a keyword that looks at nothing but the instance itself; nothing for the others.
pub(crate) fn check(keyword: &Keyword, meter: &mut Meter, instance: Instance<'_>) -> Option<Metered<bool>> {
    Some(match keyword {
        Keyword::Type(types) => types.check(meter, instance),
        Keyword::Const(value) => constant::check(value, meter, instance),
        Keyword::Enum(values) => enumeration::check(values, meter, instance),
        Keyword::Bound(bound) => bound.check(meter, instance),
        Keyword::MultipleOf(divisor) => divisor.check(meter, instance),
        Keyword::Count(count) => count.check(meter, instance),
        Keyword::Pattern(wanted) => pattern::check(wanted, meter, instance),
        Keyword::Format(wanted) => format::check(*wanted, meter, instance),
        Keyword::UniqueItems => unique_items::check(meter, instance),
        _ => return None,
    })
}

/// What a keyword expects of the value itself, in words; nothing for keywords that look at parts or at other schemas.
pub(crate) fn expected(keyword: &Keyword) -> Option<String> {
    match keyword {
        Keyword::Type(types) => Some(types.expected()),
        Keyword::Const(value) => Some(constant::expected(value)),
        Keyword::Enum(values) => Some(enumeration::expected(values)),
        Keyword::Bound(bound) => Some(bound.expected()),
        Keyword::MultipleOf(divisor) => Some(divisor.expected()),
        Keyword::Count(count) => Some(count.expected()),
        Keyword::Pattern(wanted) => Some(pattern::expected(wanted)),
        Keyword::Format(wanted) => Some(format::expected(*wanted)),
        Keyword::UniqueItems => Some(unique_items::EXPECTED.to_owned()),
        Keyword::Required(names) => Some(required::expected_all(names)),
        _ => None,
    }
}
