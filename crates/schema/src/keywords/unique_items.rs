//! `uniqueItems`: no two elements are equal.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use toolmesh_json::{ArrayView, Kind, View};

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::equality::equal;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered, text_charge};
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["uniqueItems"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile,
};

/// What is expected, in words.
pub(super) const EXPECTED: &str = "items that all differ";

/// How deep a fingerprint looks. Below, values share fingerprints and are told apart by equality, which is charged.
const FINGERPRINT_DEPTH: u32 = 16;

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(value) = site.value("uniqueItems") else {
        return Ok(None);
    };
    match value.as_bool() {
        Some(wanted) => Ok(wanted.then_some(Keyword::UniqueItems)),
        None => Err(compiler.invalid(site, "uniqueItems", "it must be true or false")),
    }
}

pub(super) fn evaluate<'v>(run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if check(&mut run.meter, scene.instance)? {
        return Ok(true);
    }
    run.tell(scene, DiagnosticCode::UniqueItemsMismatch, "uniqueItems", || {
        EXPECTED.to_owned()
    })?;
    Ok(false)
}

/// Whether the instance fits, at the charge.
pub(crate) fn check(meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
    let Some(array) = instance.as_array() else {
        return Ok(true);
    };
    meter.charge(1)?;
    all_differ(meter, array)
}

/// Compares only elements with equal fingerprints, so that the cost is linear where elements differ near their top.
fn all_differ(meter: &mut Meter, array: ArrayView<'_>) -> Metered<bool> {
    let mut seen: HashMap<u64, Vec<View<'_>>> = HashMap::new();
    for item in array.iter() {
        let twins = seen
            .entry(fingerprint(meter, item, FINGERPRINT_DEPTH)?)
            .or_default();
        for twin in twins.iter() {
            if equal(meter, item, *twin)? {
                return Ok(false);
            }
        }
        twins.push(item);
    }
    Ok(true)
}

/// Equal values have equal fingerprints. The hash has fixed keys: the same value always costs the same.
fn fingerprint(meter: &mut Meter, value: View<'_>, depth: u32) -> Metered<u64> {
    meter.charge(1)?;
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(&value.kind()).hash(&mut hasher);
    match value.kind() {
        Kind::Null => {}
        Kind::Boolean => value.as_bool().hash(&mut hasher),
        Kind::Number => value.as_number().hash(&mut hasher),
        Kind::String => hash_text(meter, value.as_str().unwrap_or_default(), &mut hasher)?,
        Kind::Array => hash_array(meter, value, depth, &mut hasher)?,
        Kind::Object => hash_object(meter, value, depth, &mut hasher)?,
    }
    Ok(hasher.finish())
}

fn hash_text(meter: &mut Meter, text: &str, hasher: &mut DefaultHasher) -> Metered<()> {
    meter.charge(text_charge(text))?;
    text.hash(hasher);
    Ok(())
}

fn hash_array(meter: &mut Meter, value: View<'_>, depth: u32, hasher: &mut DefaultHasher) -> Metered<()> {
    let Some(array) = value.as_array() else {
        return Ok(());
    };
    array.len().hash(hasher);
    if depth > 0 {
        for item in array.iter() {
            fingerprint(meter, item, depth - 1)?.hash(hasher);
        }
    }
    Ok(())
}

/// Members are summed, because their order does not distinguish objects.
fn hash_object(meter: &mut Meter, value: View<'_>, depth: u32, hasher: &mut DefaultHasher) -> Metered<()> {
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    object.len().hash(hasher);
    let mut sum = 0_u64;
    if depth > 0 {
        for (name, member) in object.iter() {
            let mut one = DefaultHasher::new();
            hash_text(meter, name, &mut one)?;
            fingerprint(meter, member, depth - 1)?.hash(&mut one);
            sum = sum.wrapping_add(one.finish());
        }
    }
    sum.hash(hasher);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::EvaluationLimits;

    fn judge(array: &str) -> (bool, u64) {
        let array = toolmesh_json::parse(array.as_bytes()).unwrap();
        let mut meter = Meter::new(&EvaluationLimits::default());
        let differ = all_differ(&mut meter, array.as_array().unwrap()).unwrap();
        (differ, meter.operations())
    }

    #[test]
    fn equal_elements_are_found_however_they_are_written() {
        for array in [
            "[1,1.0]",
            "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]",
            "[[1,[2]],[1,[2e0]]]",
            "[\"a\",\"\\u0061\"]",
        ] {
            assert!(!judge(array).0, "{array}");
        }
    }

    #[test]
    fn elements_of_other_kinds_differ() {
        assert!(judge("[0,false,null,\"\",\"0\",[],{},[0],[false],{\"a\":0},{\"a\":false}]").0);
    }

    #[test]
    fn elements_that_differ_cost_one_each() {
        assert_eq!(judge("[1,2,3,4]"), (true, 4));
    }

    #[test]
    fn elements_that_differ_below_the_fingerprint_are_told_apart() {
        let deep = |leaf: u32| format!("{}{leaf}{}", "[".repeat(20), "]".repeat(20));
        assert!(judge(&format!("[{},{}]", deep(1), deep(2))).0);
        assert!(!judge(&format!("[{},{}]", deep(1), deep(1))).0);
    }
}
