//! The JSON of a manifest.

use std::collections::HashSet;
use std::sync::Arc;

use toolmesh_json::{ArrayView, Value, View, parse};
use toolmesh_tool::IndexMap;

use super::{ReadError, types};
use crate::model::{Event, Intent, Manifest, Method, MethodEntry, Parameter};

/// The most methods of one manifest; the largest known application has about a hundred.
pub const MAX_METHODS: usize = 4_096;

/// The most named types, and the most events, of one manifest.
pub const MAX_TYPES: usize = 16_384;

/// Parses a document that messages call `what`.
pub(crate) fn parse_json(bytes: &[u8], what: &str) -> Result<Value, ReadError> {
    parse(bytes).map_err(|error| {
        let (line, column) = error.locate(bytes);
        ReadError::NotJson {
            what: what.to_owned(),
            line,
            column,
            reason: error.kind().to_string(),
        }
    })
}

/// The major version that a `schema_version` names: `wasm-abi/<major>[.<minor>]`.
pub(crate) fn major_version(text: &str) -> Option<u64> {
    let version = text.strip_prefix("wasm-abi/")?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let number = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        plain.then(|| digits.parse::<u64>().ok()).flatten()
    };
    number(minor).and(number(major))
}

/// Whether a document says that it is a manifest, of whatever version.
pub(super) fn is_manifest(value: View<'_>) -> bool {
    let version = value.get("schema_version").and_then(View::as_str);
    version.is_some_and(|version| version.starts_with("wasm-abi/"))
}

/// Reads a manifest.
///
/// # Errors
/// [`ReadError`] when the bytes are not JSON, no manifest, of an unknown version, or have too many entries.
pub fn manifest(bytes: &[u8]) -> Result<Manifest, ReadError> {
    manifest_value(parse_json(bytes, "the manifest")?.view())
}

/// Reads a manifest that is parsed already, such as the answer of a node.
///
/// # Errors
/// As [`manifest`].
pub fn manifest_value(value: View<'_>) -> Result<Manifest, ReadError> {
    let not_a_manifest = |reason: &str| ReadError::NotAManifest(reason.to_owned());
    if value.as_object().is_none() {
        return Err(not_a_manifest("it is no JSON object"));
    }
    let version = value
        .get("schema_version")
        .and_then(View::as_str)
        .ok_or_else(|| not_a_manifest("it has no `schema_version`"))?;
    if major_version(version) != Some(1) {
        return Err(ReadError::UnsupportedVersion(version.to_owned()));
    }
    let methods = value
        .get("methods")
        .and_then(View::as_array)
        .ok_or_else(|| not_a_manifest("its `methods` are no array"))?;
    Ok(Manifest {
        schema_version: version.to_owned(),
        types: named_types(value.get("types"))?,
        methods: self::methods(methods)?,
        events: events(value.get("events"))?,
        state_root: value.get("state_root").and_then(View::as_str).map(str::to_owned),
        state_version: value.get("state_version").and_then(View::as_u64).unwrap_or(1),
    })
}

fn named_types(value: Option<View<'_>>) -> Result<IndexMap<String, crate::model::TypeDef>, ReadError> {
    let Some(types) = value.and_then(View::as_object) else {
        return Ok(IndexMap::new());
    };
    within("types", types.len(), MAX_TYPES)?;
    Ok(types
        .iter()
        .map(|(name, value)| (name.to_owned(), types::type_def(value)))
        .collect())
}

fn methods(list: ArrayView<'_>) -> Result<Vec<MethodEntry>, ReadError> {
    within("methods", list.len(), MAX_METHODS)?;
    let mut seen = HashSet::new();
    Ok(list
        .iter()
        .enumerate()
        .map(|(place, value)| match method(value) {
            Ok(method) if seen.insert(method.name.clone()) => MethodEntry::Method(Arc::new(method)),
            Ok(method) => MethodEntry::Unusable {
                name: method.name,
                reason: "a method of this name is declared before it".to_owned(),
            },
            Err(reason) => MethodEntry::Unusable {
                name: name(value).unwrap_or_else(|| format!("methods/{place}")),
                reason,
            },
        })
        .collect())
}

fn name(value: View<'_>) -> Option<String> {
    let name = value.get("name").and_then(View::as_str)?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn method(value: View<'_>) -> Result<Method, String> {
    let flag = |key| value.get(key).and_then(View::as_bool) == Some(true);
    Ok(Method {
        name: name(value).ok_or("it has no name")?,
        params: params(value.get("params"))?,
        returns: value
            .get("returns")
            .filter(|ty| !ty.is_null())
            .map(types::type_ref),
        returns_nullable: flag("returns_nullable"),
        intent: match value.get("intent").and_then(View::as_str) {
            Some("read_only") => Intent::ReadOnly,
            Some("mutating") => Intent::Mutating,
            _ => Intent::Unspecified,
        },
        doc: types::doc(value, "doc"),
        returns_doc: types::doc(value, "returns_doc"),
        destructive: flag("destructive"),
        idempotent: flag("idempotent"),
    })
}

fn params(value: Option<View<'_>>) -> Result<Vec<Parameter>, String> {
    let Some(list) = value.and_then(View::as_array) else {
        return Err("its `params` are no array".to_owned());
    };
    let mut seen = HashSet::new();
    let mut params = Vec::with_capacity(list.len());
    for (place, value) in list.iter().enumerate() {
        let name = name(value).ok_or_else(|| format!("its parameter {place} has no name"))?;
        if !seen.insert(name.clone()) {
            return Err(format!("it has two parameters `{name}`"));
        }
        params.push(Parameter {
            ty: types::member_type(value),
            nullable: value.get("nullable").and_then(View::as_bool) == Some(true),
            doc: types::doc(value, "doc"),
            name,
        });
    }
    Ok(params)
}

fn events(value: Option<View<'_>>) -> Result<Vec<Event>, ReadError> {
    let Some(list) = value.and_then(View::as_array) else {
        return Ok(Vec::new());
    };
    within("events", list.len(), MAX_TYPES)?;
    let event = |value: View<'_>| {
        Some(Event {
            name: name(value)?,
            payload: value
                .get("payload")
                .filter(|ty| !ty.is_null())
                .map(types::type_ref),
        })
    };
    Ok(list.iter().filter_map(event).collect())
}

fn within(what: &'static str, count: usize, max: usize) -> Result<(), ReadError> {
    if count > max {
        return Err(ReadError::TooMany { what, max });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(methods: &str) -> Manifest {
        let text = format!(
            r#"{{"schema_version":"wasm-abi/1.3","future":1,"types":{{}},"methods":{methods},"events":[]}}"#
        );
        manifest(text.as_bytes()).unwrap()
    }

    #[test]
    fn any_minor_version_of_major_one_is_read() {
        for (text, major) in [
            ("wasm-abi/1", Some(1)),
            ("wasm-abi/1.12", Some(1)),
            ("wasm-abi/2", Some(2)),
            ("wasm-abi/1.x", None),
            ("wasm-abi/", None),
            ("wasm-abi/+1", None),
            ("1", None),
        ] {
            assert_eq!(major_version(text), major, "{text}");
        }
        let newer = br#"{"schema_version":"wasm-abi/2","types":{},"methods":[],"events":[]}"#;
        assert_eq!(
            manifest(newer),
            Err(ReadError::UnsupportedVersion("wasm-abi/2".to_owned()))
        );
    }

    #[test]
    fn what_is_no_method_is_kept_with_its_reason() {
        let manifest = of(
            r#"[{"name":"a","params":[]},{"params":[]},{"name":"b"},{"name":"a","params":[]},7,
               {"name":"c","params":[{"name":"x"},{"name":"x"}]},{"name":"d","params":[{}]}]"#,
        );
        let reasons: Vec<String> = manifest
            .methods
            .iter()
            .map(|entry| match entry {
                MethodEntry::Method(method) => format!("{}: ok", method.name),
                MethodEntry::Unusable { name, reason } => format!("{name}: {reason}"),
            })
            .collect();
        assert_eq!(
            reasons,
            [
                "a: ok",
                "methods/1: it has no name",
                "b: its `params` are no array",
                "a: a method of this name is declared before it",
                "methods/4: it has no name",
                "c: it has two parameters `x`",
                "d: its parameter 0 has no name",
            ]
        );
    }

    #[test]
    fn the_number_of_methods_is_bounded() {
        let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        let text = |count| format!(r#"{{"schema_version":"wasm-abi/1","methods":{}}}"#, list(count));
        assert_eq!(
            manifest(text(MAX_METHODS).as_bytes()).unwrap().methods.len(),
            MAX_METHODS
        );
        assert_eq!(
            manifest(text(MAX_METHODS + 1).as_bytes()),
            Err(ReadError::TooMany {
                what: "methods",
                max: MAX_METHODS
            })
        );
    }
}
