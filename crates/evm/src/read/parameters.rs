//! Lists of parameters: `inputs`, `outputs`, `components`.

use toolmesh_json::View;

use crate::model::{
    MAX_PARAMETERS, MAX_TUPLE_DEPTH, Parameter, RawType, TypeError, Unnamed, assign_keys, resolve,
};
use crate::text::{NAME_CHARS, clean, with_article};

/// Reads the list `member` of an entry; a missing list is empty. The error says which parameter cannot be
/// used and why.
pub(super) fn read(
    entry: View<'_>,
    member: &str,
    noun: &str,
    unnamed: Unnamed,
) -> Result<Vec<Parameter>, String> {
    let Some(list) = entry.get(member).filter(|list| !list.is_null()) else {
        return Ok(Vec::new());
    };
    let Some(list) = list.as_array() else {
        return Err(format!("its `{member}` is {}", with_article(list.kind())));
    };
    let mut budget = MAX_PARAMETERS;
    let mut parameters = Vec::new();
    for (place, view) in list.iter().enumerate() {
        let parameter = parameter(view, 0, &mut budget)
            .map_err(|error| describe(noun, place, view, &error.to_string()))?;
        parameters.push(parameter);
    }
    assign_keys(&mut parameters, unnamed);
    Ok(parameters)
}

fn describe(noun: &str, place: usize, view: View<'_>, error: &str) -> String {
    let name = view
        .get("name")
        .and_then(View::as_str)
        .map(|name| clean(name, NAME_CHARS))
        .unwrap_or_default();
    let name = if name.is_empty() {
        name
    } else {
        format!(" (`{name}`)")
    };
    format!("{noun} {}{name}: {error}", place + 1)
}

fn parameter(view: View<'_>, tuple_depth: usize, budget: &mut usize) -> Result<Parameter, TypeError> {
    *budget = budget.checked_sub(1).ok_or(TypeError::Parameters)?;
    let text = view.get("type").and_then(View::as_str).ok_or(TypeError::NoType)?;
    let internal = view.get("internalType").and_then(View::as_str);
    let components = components(view, tuple_depth, budget)?;
    let (ty, canonical) = resolve(RawType {
        text,
        internal,
        components,
    })?;
    Ok(Parameter {
        name: view
            .get("name")
            .and_then(View::as_str)
            .unwrap_or_default()
            .to_owned(),
        key: String::new(),
        ty,
        canonical,
        internal_type: internal.map(str::to_owned),
        indexed: view.get("indexed").and_then(View::as_bool).unwrap_or(false),
    })
}

fn components(
    view: View<'_>,
    tuple_depth: usize,
    budget: &mut usize,
) -> Result<Option<Vec<Parameter>>, TypeError> {
    let Some(list) = view.get("components").and_then(View::as_array) else {
        return Ok(None);
    };
    if tuple_depth == MAX_TUPLE_DEPTH {
        return Err(TypeError::TupleDepth);
    }
    let mut members = Vec::new();
    for member in list {
        members.push(parameter(member, tuple_depth + 1, budget)?);
    }
    assign_keys(&mut members, Unnamed::Field);
    Ok((!members.is_empty()).then_some(members))
}

/// The texts of a list's types as they stand, for an entry that cannot be used.
pub(super) fn raw_types(entry: View<'_>) -> String {
    let types: Vec<String> = entry
        .get("inputs")
        .and_then(View::as_array)
        .into_iter()
        .flat_map(|list| list.iter())
        .map(|view| clean(view.get("type").and_then(View::as_str).unwrap_or("?"), NAME_CHARS))
        .collect();
    types.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmesh_json::{Value, parse};

    fn inputs(list: &str) -> Result<Vec<Parameter>, String> {
        let entry = parse(format!(r#"{{"inputs":{list}}}"#).as_bytes()).unwrap();
        read(entry.view(), "inputs", "input", Unnamed::Argument)
    }

    #[test]
    fn structs_are_read_with_their_members() {
        let list = r#"[{"name":"o","type":"tuple[2]","components":[{"name":"who","type":"address"},
            {"name":"","type":"tuple","components":[{"name":"x","type":"uint"},{"name":"x","type":"int"}]}]}]"#;
        let read = inputs(list).unwrap();
        assert_eq!(read[0].canonical, "(address,(uint256,int256))[2]");
        assert_eq!(read[0].ty.to_string(), "(address,(uint256,int256))[2]");
    }

    #[test]
    fn a_struct_without_members_is_refused() {
        assert_eq!(
            inputs(r#"[{"name":"x","type":"tuple"}]"#).unwrap_err(),
            "input 1 (`x`): `tuple` does not list its components"
        );
        assert!(inputs(r#"[{"name":"x","type":"tuple","components":[]}]"#).is_err());
    }

    #[test]
    fn structs_nest_up_to_their_limit() {
        let nested = |depth: usize| {
            let leaf = Value::object().put("name", "leaf").put("type", "bool").build();
            let nested = (0..depth).fold(leaf, |inner, _| {
                Value::object()
                    .put("type", "tuple")
                    .put("components", Value::array().push(inner))
                    .build()
            });
            inputs(&Value::array().push(nested).build().to_text())
        };
        assert!(nested(MAX_TUPLE_DEPTH).is_ok());
        assert!(
            nested(MAX_TUPLE_DEPTH + 1)
                .unwrap_err()
                .contains("structs nested deeper")
        );
    }

    #[test]
    fn parameters_are_taken_up_to_their_limit() {
        let list = |count: usize| format!("[{}]", vec![r#"{"type":"bool"}"#; count].join(","));
        assert_eq!(inputs(&list(MAX_PARAMETERS)).unwrap().len(), MAX_PARAMETERS);
        assert!(inputs(&list(MAX_PARAMETERS + 1)).is_err());
    }

    #[test]
    fn lists_that_are_missing_or_null_are_empty_and_others_are_refused() {
        assert_eq!(inputs("null").unwrap(), []);
        assert_eq!(inputs(r#"{"a":1}"#).unwrap_err(), "its `inputs` is an object");
        assert!(inputs("[5]").is_err());
    }
}
