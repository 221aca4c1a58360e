//! The official test suite, read with our own codec and run through the public API.
//!
//! A case that is not answered as the suite wants it must be listed by name with its reason, and one that is listed
//! must indeed be answered otherwise: a stale exception fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toolmesh_json::{Value, View};
use toolmesh_schema::{CompileError, CompileOptions, EvaluationOutcome, Profile, Registry, Schema};

/// A case by file, group and description; `*` for every case of a group.
pub(crate) type Exception = (&'static str, &'static str, &'static str);

/// What was run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) groups: usize,
    pub(crate) cases: usize,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/json-schema-test-suite")
}

/// The groups of a file of `tests/`, without the ending.
pub(crate) fn groups(file: &str) -> Vec<Value> {
    let path = folder().join("tests").join(format!("{file}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = match text.contains(LONE_SURROGATE) {
        false => toolmesh_json::parse(text.as_bytes()).unwrap(),
        true => {
            toolmesh_json::parse(text.as_bytes()).expect_err("the codec refuses lone surrogates");
            toolmesh_json::parse(text.replace(LONE_SURROGATE, "\\u0000").as_bytes()).unwrap()
        }
    };
    document.as_array().unwrap().iter().map(View::to_value).collect()
}

/// A value that holds it never reaches a schema, because the codec refuses it.
const LONE_SURROGATE: &str = "\\ud800";

/// The files of a folder of `tests/`, without the ending, in order.
pub(crate) fn files(folder_name: &str) -> Vec<String> {
    let entries = fs::read_dir(folder().join("tests").join(folder_name)).unwrap();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| {
            name.strip_suffix(".json")
                .map(|name| format!("{folder_name}/{name}"))
        })
        .collect();
    names.sort();
    names
}

/// The documents that the suite serves at `http://localhost:1234/`.
pub(crate) fn remotes() -> Registry {
    fn add(mut registry: Registry, folder: &Path, uri: &str) -> Registry {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let uri = format!("{uri}/{}", path.file_name().unwrap().to_str().unwrap());
            registry = if path.is_dir() {
                add(registry, &path, &uri)
            } else {
                registry.with(uri, toolmesh_json::parse(&fs::read(&path).unwrap()).unwrap())
            };
        }
        registry
    }
    add(
        Registry::new(),
        &folder().join("remotes"),
        "http://localhost:1234",
    )
}

pub(crate) fn member<'v>(group: &'v Value, name: &str) -> View<'v> {
    group.get(name).unwrap_or_else(|| panic!("{group} has no {name}"))
}

pub(crate) fn text(group: &Value, name: &str) -> String {
    member(group, name).as_str().unwrap().to_owned()
}

pub(crate) fn cases(group: &Value) -> Vec<Value> {
    let tests = member(group, "tests").as_array().unwrap();
    tests.iter().map(View::to_value).collect()
}

pub(crate) fn compile(
    group: &Value,
    profile: Profile,
    options: &CompileOptions,
) -> Result<Schema, CompileError> {
    Schema::compile_with(member(group, "schema").to_value(), profile, options)
}

/// Whether the answer to a case is the suite's.
pub(crate) fn agrees(schema: &Schema, case: &Value) -> bool {
    let wanted = member(case, "valid").as_bool().unwrap();
    let evaluation = schema.evaluate(member(case, "data"));
    match evaluation.outcome() {
        EvaluationOutcome::LimitExceeded(_) => false,
        EvaluationOutcome::Valid | EvaluationOutcome::Invalid(_) => evaluation.is_valid() == wanted,
    }
}

/// Runs files and compares what fails with what is said to fail.
pub(crate) fn run(files: &[String], options: &CompileOptions, exceptions: &[Exception]) -> Tally {
    let mut tally = Tally::default();
    let mut failed = BTreeSet::new();
    for file in files {
        for group in groups(file) {
            tally.groups += 1;
            let compiled = compile(&group, Profile::Draft2020_12, options);
            for case in cases(&group) {
                tally.cases += 1;
                if !compiled.as_ref().is_ok_and(|schema| agrees(schema, &case)) {
                    let reason = compiled.as_ref().err().map(ToString::to_string);
                    failed.insert((
                        file.clone(),
                        text(&group, "description"),
                        text(&case, "description"),
                        reason,
                    ));
                }
            }
        }
    }
    compare(failed, exceptions);
    tally
}

fn compare(failed: BTreeSet<(String, String, String, Option<String>)>, exceptions: &[Exception]) {
    let covers = |exception: &Exception, file: &str, group: &str, case: &str| {
        exception.0 == file && exception.1 == group && (exception.2 == "*" || exception.2 == case)
    };
    let mut used = BTreeSet::new();
    let mut surprises = String::new();
    for (file, group, case, reason) in failed {
        match exceptions.iter().find(|each| covers(each, &file, &group, &case)) {
            Some(exception) => {
                used.insert(exception);
            }
            None => surprises.push_str(&format!("{file} | {group} | {case} | {reason:?}\n")),
        }
    }
    assert!(
        surprises.is_empty(),
        "answered otherwise than the suite:\n{surprises}"
    );
    let stale: Vec<&Exception> = exceptions.iter().filter(|each| !used.contains(each)).collect();
    assert!(
        stale.is_empty(),
        "these are answered as the suite wants: {stale:?}"
    );
}
