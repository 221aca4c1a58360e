//! The strict side of reading: everything that a manifest breaks of the format's own rules.

use std::collections::HashSet;

use toolmesh_json::{Pointer, View};

use crate::read::major_version;

/// The most problems that are listed.
pub const MAX_PROBLEMS: usize = 100;

/// Something in a manifest that breaks a rule of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands.
    pub pointer: Pointer,
    /// What is wrong.
    pub reason: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pointer.is_root() {
            return f.write_str(&self.reason);
        }
        write!(f, "{}: {}", self.pointer, self.reason)
    }
}

/// Every rule of `wasm-abi/1` that a manifest breaks, in the order of the document; nothing when it is valid.
///
/// [`read`](crate::read()) takes most of what is told here; a node, or another toolchain, may not.
#[must_use]
pub fn problems(manifest: View<'_>) -> Vec<Problem> {
    let mut checker = Checker::new(manifest);
    checker.document(manifest);
    checker.problems
}

const SCALARS: [&str; 9] = ["bool", "i32", "i64", "u32", "u64", "f32", "f64", "string", "unit"];
const CRDT_TYPES: [&str; 13] = [
    "lww_register",
    "counter",
    "vector",
    "unordered_map",
    "sorted_map",
    "authored_map",
    "authored_sorted_map",
    "unordered_set",
    "sorted_set",
    "replicated_growable_array",
    "fugue_text",
    "authored_vector",
    "shared_storage",
];
const INTENTS: [&str; 3] = ["read_only", "mutating", "unspecified"];

struct Checker<'a> {
    types: HashSet<&'a str>,
    at: Pointer,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn new(manifest: View<'a>) -> Self {
        let types = manifest.get("types").and_then(View::as_object);
        Self {
            types: types.map(|types| types.keys().collect()).unwrap_or_default(),
            at: Pointer::root(),
            problems: Vec::new(),
        }
    }

    fn report(&mut self, reason: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                pointer: self.at.clone(),
                reason: reason.into(),
            });
        }
    }

    /// Checks a member, if it is there.
    fn member(&mut self, owner: View<'a>, key: &str, check: impl FnOnce(&mut Self, View<'a>)) {
        if let Some(value) = owner.get(key) {
            self.at.push(key);
            check(self, value);
            self.at.pop();
        }
    }

    fn required(&mut self, owner: View<'a>, key: &str, check: impl FnOnce(&mut Self, View<'a>)) {
        if owner.get(key).is_none() {
            self.report(format!("`{key}` is missing"));
        }
        self.member(owner, key, check);
    }

    fn each(&mut self, list: View<'a>, mut check: impl FnMut(&mut Self, View<'a>)) {
        let Some(items) = list.as_array() else {
            return self.report("not an array");
        };
        for (place, item) in items.iter().enumerate() {
            self.at.push_index(place);
            check(self, item);
            self.at.pop();
        }
    }

    fn document(&mut self, manifest: View<'a>) {
        if manifest.as_object().is_none() {
            return self.report("not an object");
        }
        self.required(manifest, "schema_version", Self::version);
        self.required(manifest, "types", |checker, types| match types.as_object() {
            None => checker.report("not an object"),
            Some(types) => types.iter().for_each(|(name, value)| {
                checker.at.push(name);
                checker.definition(value);
                checker.at.pop();
            }),
        });
        self.required(manifest, "methods", |checker, list| {
            checker.names(list);
            checker.each(list, Self::method);
        });
        self.required(manifest, "events", |checker, list| {
            checker.names(list);
            checker.each(list, |checker, event| {
                checker.name(event);
                checker.member(event, "payload", Self::type_ref);
            });
        });
        self.member(manifest, "state_root", |checker, root| match root.as_str() {
            Some(name) if checker.types.contains(name) => {}
            Some(name) => checker.report(format!("there is no type `{name}`")),
            None => checker.report("not a string"),
        });
        self.member(manifest, "state_version", |checker, version| {
            if version.as_u64().is_none_or(|version| version == 0) {
                checker.report("not a whole number from 1");
            }
        });
    }

    fn version(&mut self, version: View<'a>) {
        match version.as_str().map(major_version) {
            Some(Some(1)) => {}
            Some(Some(_)) => self.report("a version that is not supported; supported is wasm-abi/1"),
            _ => self.report("not a version such as wasm-abi/1"),
        }
    }

    /// Names ascend, and none is there twice.
    fn names(&mut self, list: View<'a>) {
        let items = list.as_array().into_iter().flatten();
        let names: Vec<&str> = items.filter_map(|item| item.get("name")?.as_str()).collect();
        let mut seen = HashSet::new();
        for name in &names {
            if !seen.insert(*name) {
                self.report(format!("`{name}` is declared twice"));
            }
        }
        let disorder = names
            .windows(2)
            .find(|pair| matches!(pair, [first, second] if first > second));
        if let Some([first, second]) = disorder {
            self.report(format!(
                "`{second}` stands after `{first}`: entries are sorted by name"
            ));
        }
    }

    fn name(&mut self, owner: View<'a>) {
        self.required(owner, "name", |checker, name| {
            if name.as_str().is_none_or(str::is_empty) {
                checker.report("not a name");
            }
        });
    }

    fn one_of(&mut self, value: View<'a>, known: &[&str]) {
        match value.as_str() {
            Some(text) if known.contains(&text) => {}
            Some(text) => self.report(format!("`{text}` is not known here")),
            None => self.report("not a string"),
        }
    }

    fn method(&mut self, method: View<'a>) {
        self.name(method);
        self.required(method, "params", |checker, params| {
            checker.unique(params);
            checker.each(params, Self::field);
        });
        self.member(method, "returns", Self::type_ref);
        self.member(method, "intent", |checker, intent| {
            checker.one_of(intent, &INTENTS)
        });
        self.member(method, "errors", |checker, errors| {
            checker.each(errors, |checker, error| {
                checker.member(error, "payload", Self::type_ref)
            });
        });
    }

    fn unique(&mut self, list: View<'a>) {
        let mut seen = HashSet::new();
        let items = list.as_array().into_iter().flatten();
        for name in items.filter_map(|item| item.get("name")?.as_str()) {
            if !seen.insert(name) {
                self.report(format!("`{name}` is declared twice"));
            }
        }
    }

    /// A parameter or a field.
    fn field(&mut self, field: View<'a>) {
        self.name(field);
        self.required(field, "type", Self::type_ref);
    }

    fn definition(&mut self, definition: View<'a>) {
        match definition.get("kind").and_then(View::as_str) {
            Some("record") => self.record(definition),
            Some("alias") => self.required(definition, "target", Self::type_ref),
            Some("bytes") => self.bytes(definition),
            Some("variant") => self.variant(definition),
            Some(kind) => self.report(format!("`{kind}` is not known here as the kind of a named type")),
            None => self.report("`kind` is missing"),
        }
    }

    fn variant(&mut self, definition: View<'a>) {
        self.required(definition, "variants", |checker, variants| {
            checker.unique(variants);
            checker.each(variants, |checker, variant| {
                checker.name(variant);
                checker.member(variant, "payload", Self::type_ref);
            });
        });
        let has = |key: &str| definition.get(key).is_some_and(|value| !value.is_null());
        let untagged = definition.get("untagged").and_then(View::as_bool) == Some(true);
        if has("content") && !has("tag") {
            self.report("`content` needs `tag`");
        }
        if untagged && (has("tag") || has("content")) {
            self.report("`untagged` excludes `tag` and `content`");
        }
    }

    fn record(&mut self, record: View<'a>) {
        self.required(record, "fields", |checker, fields| {
            checker.each(fields, Self::field)
        });
        self.member(record, "crdt_type", |checker, crdt| {
            checker.one_of(crdt, &CRDT_TYPES)
        });
        self.member(record, "inner_type", Self::type_ref);
    }

    fn bytes(&mut self, bytes: View<'a>) {
        self.member(bytes, "size", |checker, size| {
            if size.as_u64().is_none_or(|size| size == 0) {
                checker.report("not a whole number from 1");
            }
        });
    }

    fn type_ref(&mut self, ty: View<'a>) {
        if let Some(reference) = ty.get("$ref") {
            match reference.as_str() {
                Some(name) if self.types.contains(name) => {}
                Some(name) => self.report(format!("there is no type `{name}`")),
                None => self.report("`$ref` is not a string"),
            }
            return;
        }
        match ty.get("kind").and_then(View::as_str) {
            Some("bytes") => self.bytes(ty),
            Some("list") => self.required(ty, "items", Self::type_ref),
            Some("map") => self.map(ty),
            Some("record") => self.record(ty),
            Some("tuple") => self.required(ty, "elements", |checker, elements| {
                if elements.as_array().is_some_and(|elements| elements.is_empty()) {
                    checker.report("a tuple has at least one element");
                }
                checker.each(elements, Self::type_ref);
            }),
            Some(kind) if SCALARS.contains(&kind) => {}
            Some(kind) => self.report(format!("`{kind}` is not known here as a kind")),
            None => self.report("neither `$ref` nor `kind`"),
        }
        self.member(ty, "crdt_type", |checker, crdt| {
            // A record's was looked at above.
            if ty.get("kind").and_then(View::as_str) != Some("record") {
                checker.one_of(crdt, &CRDT_TYPES);
            }
        });
    }

    fn map(&mut self, map: View<'a>) {
        self.required(map, "key", |checker, key| {
            let kind = key.get("kind").and_then(View::as_str).or_else(|| key.as_str());
            if kind != Some("string") {
                checker.report("the key of a map is a string");
            }
        });
        self.required(map, "value", Self::type_ref);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmesh_json::parse;

    fn told(manifest: &str) -> Vec<String> {
        let value = parse(manifest.as_bytes()).unwrap();
        problems(value.view()).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn every_rule_that_is_broken_is_told_with_its_place() {
        let manifest = r##"{"schema_version":"wasm-abi/1","state_root":"S","state_version":0,
            "types":{"A":{"kind":"variant","variants":[{"name":"x"},{"name":"x"}],"content":"c"},
                     "B":{"kind":"variant","variants":[],"untagged":true,"tag":"t"},
                     "C":{"kind":"bytes","size":0},"D":{"kind":"list"},"E":{"kind":"record"},
                     "F":{"kind":"record","fields":[{"name":"a","type":{"kind":"record","fields":[],"crdt_type":"new"}}]}},
            "methods":[{"name":"b","params":[{"name":"p","type":{"$ref":"Missing"}},{"name":"p"}]},
                       {"name":"a","params":[],"intent":"odd","returns":{"kind":"map","key":{"kind":"u32"},"value":{"kind":"i128"}}},
                       {"name":"a","params":[],"returns":{"kind":"tuple","elements":[]}}, {}],
            "events":[{"name":"E","payload":{}}]}"##;
        insta::assert_snapshot!(told(manifest).join("\n"));
    }

    #[test]
    fn a_valid_manifest_has_no_problem() {
        let manifest = r##"{"schema_version":"wasm-abi/1.2","types":{"A":{"kind":"alias","target":{"$ref":"A"},"pattern":"^x$","doc":"d"}},
            "methods":[{"name":"a","params":[{"name":"p","type":{"kind":"map","key":"string","value":{"$ref":"A"},"crdt_type":"vector"}}],"future":1}],
            "events":[],"state_root":"A","state_version":2}"##;
        assert_eq!(told(manifest), Vec::<String>::new());
        assert_eq!(told("7"), ["not an object"]);
    }

    #[test]
    fn the_list_of_problems_is_bounded() {
        let broken = |count| {
            let methods = vec![r#"{"name":"a"}"#; count].join(",");
            told(&format!(
                r#"{{"schema_version":"wasm-abi/1","types":{{}},"methods":[{methods}],"events":[]}}"#
            ))
            .len()
        };
        assert_eq!(broken(50), MAX_PROBLEMS - 1);
        assert_eq!(broken(51), MAX_PROBLEMS);
    }
}
