//! Whether two schemas take no value in common, as far as that can be seen without search.
//!
//! `oneOf` may become `anyOf` without loss only then.

use toolmesh_json::View;

use super::kinds::{Kind, kinds, meet};
use super::{Document, literals};

/// More alternatives than this are not compared pair by pair.
const MAX_ALTERNATIVES: usize = 64;

/// How deep shared properties are compared.
const MAX_DEPTH: u32 = 6;

/// Whether no two of the schemas take a value in common.
pub(crate) fn all_disjoint(document: &Document, schemas: &[View<'_>]) -> bool {
    schemas.len() <= MAX_ALTERNATIVES
        && schemas.iter().enumerate().all(|(index, one)| {
            schemas
                .iter()
                .skip(index + 1)
                .all(|other| disjoint(document, *one, *other, MAX_DEPTH))
        })
}

fn disjoint(document: &Document, one: View<'_>, other: View<'_>, depth: u32) -> bool {
    let (one, other) = (document.resolve(one), document.resolve(other));
    let common = meet(&kinds(document, one), &kinds(document, other));
    if common.is_empty() {
        return true;
    }
    if let (Some(a), Some(b)) = (literals(one), literals(other)) {
        return !a.iter().any(|value| b.contains(value));
    }
    if depth == 0 {
        return false;
    }
    if branches_disjoint(document, one, other, depth) || branches_disjoint(document, other, one, depth) {
        return true;
    }
    common == [Kind::Object]
        && (objects_disjoint(document, one, other, depth) || objects_disjoint(document, other, one, depth))
}

/// Whether every alternative of `one` is disjoint from `other`.
fn branches_disjoint(document: &Document, one: View<'_>, other: View<'_>, depth: u32) -> bool {
    ["anyOf", "oneOf"].into_iter().any(|keyword| {
        let branches = one.get(keyword).and_then(View::as_array);
        branches.is_some_and(|branches| {
            branches
                .iter()
                .all(|branch| disjoint(document, branch, other, depth - 1))
        })
    })
}

/// Whether some property that `one` requires cannot be in `other`, or not with a value that suits both.
fn objects_disjoint(document: &Document, one: View<'_>, other: View<'_>, depth: u32) -> bool {
    let required = one.get("required").and_then(View::as_array).into_iter().flatten();
    required.filter_map(View::as_str).any(|name| {
        let property = |schema: View<'_>| {
            schema
                .get("properties")
                .and_then(|all| all.get(name))
                .map(View::to_value)
        };
        match (property(one), property(other)) {
            (Some(a), Some(b)) => disjoint(document, a.view(), b.view(), depth - 1),
            (_, None) => {
                other.get("additionalProperties").and_then(View::as_bool) == Some(false)
                    && other.get("patternProperties").is_none()
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warning::Report;

    fn all(text: &str) -> bool {
        let document = Document::read(text, &mut Report::default()).unwrap();
        let branches = document.root().get("oneOf").unwrap().as_array().unwrap();
        all_disjoint(&document, &branches.iter().collect::<Vec<_>>())
    }

    #[test]
    fn kinds_constants_and_tags_tell_alternatives_apart() {
        assert!(all(
            r#"{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}"#
        ));
        assert!(!all(r#"{"oneOf":[{"type":"number"},{"type":"integer"}]}"#));
        assert!(all(r#"{"oneOf":[{"const":1},{"enum":[2,3]}]}"#));
        assert!(!all(r#"{"oneOf":[{"const":1},{"enum":[1.0,3]}]}"#));
        assert!(all(r#"{"oneOf":[
                {"type":"object","properties":{"t":{"const":"a"}},"required":["t"]},
                {"type":"object","properties":{"t":{"const":"b"}}}]}"#));
        assert!(all(r#"{"oneOf":[
                {"type":"object","properties":{"A":{}},"required":["A"],"additionalProperties":false},
                {"type":"object","properties":{"B":{}},"required":["B"],"additionalProperties":false}]}"#));
        assert!(!all(r#"{"oneOf":[
                {"type":"object","properties":{"A":{}},"required":["A"]},
                {"type":"object","properties":{"B":{}},"required":["B"]}]}"#));
    }
}
