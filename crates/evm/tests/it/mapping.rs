//! What tools look like.

use toolmesh_evm::{Interface, inspect, read, tools};
use toolmesh_json::{Value, View};
use toolmesh_tool::{SchemaForm, Tool};

pub(crate) fn interface(path: &str) -> Interface {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    read(&std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))).unwrap()
}

fn pretty(value: View<'_>) -> String {
    serde_json::to_string_pretty(&value).unwrap()
}

fn descriptors(interface: &Interface, wanted: impl Fn(&Tool) -> bool) -> String {
    let list: Value = tools(interface, None)
        .into_iter()
        .filter_map(|mapped| mapped.tool.ok())
        .filter(wanted)
        .map(|tool| tool.descriptor().to_value(SchemaForm::Object))
        .collect();
    pretty(list.view())
}

#[test]
fn the_example_token_becomes_these_tools() {
    insta::assert_snapshot!(descriptors(&interface("examples/token.json"), |_| true));
}

#[test]
fn structs_arrays_and_controls_become_these_schemas() {
    let torture = interface("testdata/solidity/solc_torture_artifact.json");
    let wanted = [
        "place_order",
        "get_order",
        "many",
        "grid",
        "udvt",
        "keywords",
        "pay",
        "unnamed",
    ];
    insta::assert_snapshot!(descriptors(&torture, |tool| wanted.contains(&tool.name().as_str())));
}

#[test]
fn handmade_names_and_types_become_these_schemas() {
    let handmade = interface("testdata/solidity/handmade_torture.json");
    let wanted = [
        "fnarg",
        "lib_enum",
        "unnamed_tuple",
        "dup_params",
        "reserved",
        "_dollar",
        "tuple2d",
    ];
    insta::assert_snapshot!(descriptors(&handmade, |tool| wanted.contains(&tool.name().as_str())));
}

#[test]
fn names_descriptions_and_aliases_are_these() {
    let mut lines = String::new();
    for file in [
        "solc_torture_artifact",
        "handmade_torture",
        "permit2",
        "curve_router_ng",
    ] {
        lines.push_str(&format!("# {file}\n"));
        for mapped in tools(&interface(&format!("testdata/solidity/{file}.json")), None) {
            let tool = mapped.tool.unwrap();
            let aliases = tool.aliases().join(" ");
            lines.push_str(&format!(
                "{} <- {aliases}\n{}\n\n",
                tool.name(),
                tool.description().unwrap()
            ));
        }
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn an_interface_is_reported_entry_by_entry() {
    let token = inspect(&interface("examples/token.json"), "examples/token.json");
    insta::assert_snapshot!("inspection_of_the_token", pretty(token.to_value().view()));
    let handmade = inspect(
        &interface("testdata/solidity/handmade_torture.json"),
        "handmade_torture.json",
    );
    insta::assert_snapshot!(
        "inspection_of_the_handmade_interface",
        pretty(handmade.to_value().view())
    );
}

#[test]
fn a_list_of_tools_does_not_depend_on_the_order_of_the_interface() {
    let original = interface("testdata/solidity/handmade_torture.json");
    let mut reversed = original.clone();
    reversed.entries.reverse();
    let names = |interface: &Interface| {
        let mut names: Vec<(String, String)> = tools(interface, None)
            .into_iter()
            .map(|mapped| {
                (
                    mapped.function.signature().to_owned(),
                    mapped.tool.unwrap().name().to_string(),
                )
            })
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&original), names(&reversed));
}
