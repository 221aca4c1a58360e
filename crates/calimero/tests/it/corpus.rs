//! Every committed manifest: nothing is lost, every schema compiles, and each is what its own toolchain reads.

use toolmesh_calimero::{Form, Mapping, check, inspect, read, tools};
use toolmesh_json::View;
use toolmesh_schema::{Profile, Schema};

use crate::manifests::{all, application, bytes};

#[test]
fn every_method_is_a_tool_or_is_listed_with_its_reason() {
    let mut report = String::new();
    for name in all() {
        let inspection = inspect(&application(&name), &Mapping::default(), name.as_str());
        let tools = inspection
            .functions
            .iter()
            .filter(|entry| entry.tool.is_some())
            .count();
        report.push_str(&format!(
            "{name}: {} methods, {tools} tools, {} events\n",
            inspection.functions.len(),
            inspection.events.len()
        ));
        for entry in &inspection.functions {
            assert_ne!(
                entry.tool.is_some(),
                entry.reason.is_some(),
                "{name}: {}",
                entry.signature
            );
            if let Some(reason) = &entry.reason {
                report.push_str(&format!("  {} {}: {reason}\n", entry.kind, entry.signature));
            }
        }
    }
    insta::assert_snapshot!(report);
}

/// Both forms of schemas, and the mapping by handles.
fn mappings() -> [Mapping; 3] {
    let of = |form| Mapping {
        form,
        ..Mapping::default()
    };
    [of(Form::Inlined), of(Form::Definitions), Mapping::handles()]
}

#[test]
fn every_published_schema_compiles_in_the_2020_12_profile_in_every_form() {
    for name in all() {
        let application = application(&name);
        for mapping in mappings() {
            for mapped in tools(std::slice::from_ref(&application), &[], &mapping, None) {
                let Ok(tool) = mapped.tool else { continue };
                let document = tool.input_schema().document().clone();
                let members = document.get("properties").and_then(View::as_object);
                assert!(members.is_some() && document.get("type").and_then(View::as_str) == Some("object"));
                Schema::compile_tool_input(document, Profile::Draft2020_12).unwrap();
                assert!(tool.name().as_str().len() <= toolmesh_calimero::MAX_NAME_CHARS);
            }
        }
    }
}

#[test]
fn what_the_format_itself_says_of_every_manifest_is_known() {
    let mut report = String::new();
    for name in all() {
        let problems = check(&bytes(&name)).unwrap();
        report.push_str(&format!("{name}: {} problems\n", problems.len()));
        for problem in problems {
            report.push_str(&format!("  {problem}\n"));
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn the_parser_of_the_toolchain_reads_the_same_methods_and_types() {
    for name in all().into_iter().filter(|name| name != "handmade") {
        let oracle: calimero_wasm_abi::schema::Manifest = serde_json::from_slice(&bytes(&name)).unwrap();
        let application = application(&name);
        let ours = &application.services[0].manifest;
        let names = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            names(oracle.methods.iter().map(|method| method.name.as_str()).collect()),
            names(ours.methods().map(|method| method.name.as_str()).collect())
        );
        assert_eq!(
            names(oracle.events.iter().map(|event| event.name.as_str()).collect()),
            names(ours.events.iter().map(|event| event.name.as_str()).collect())
        );
        assert_eq!(oracle.types.len(), ours.types.len());
        for (theirs, ours) in oracle.methods.iter().zip(ours.methods()) {
            let params = theirs
                .params
                .iter()
                .map(|param| (param.name.as_str(), param.nullable.unwrap_or(false)));
            let mine = ours
                .params
                .iter()
                .map(|param| (param.name.as_str(), param.nullable));
            assert!(params.eq(mine), "{}", ours.name);
        }
        assert_eq!(
            calimero_wasm_abi::validate::validate_manifest(&oracle).is_ok(),
            check(&bytes(&name)).unwrap().is_empty(),
            "{name}"
        );
    }
}

#[test]
fn a_manifest_cut_anywhere_is_refused_and_never_a_panic() {
    let whole = bytes("kv_store");
    let trimmed = whole.trim_ascii_end();
    for end in 0..trimmed.len() {
        assert!(read(&trimmed[..end], "kv").is_err(), "cut at {end}");
    }
    assert!(read(trimmed, "kv").is_ok());
}
