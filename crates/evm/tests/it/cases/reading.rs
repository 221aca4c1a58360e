use std::collections::HashSet;

use toolmesh_evm::{Bytecode, EntryBody, EvmError, EvmSource, Target, inspect, read, tools};

use super::{declared, tool, tools_of};
use crate::corpus;
use crate::mapping::interface;

fn signatures(interface: &toolmesh_evm::Interface) -> Vec<String> {
    interface
        .functions()
        .map(|function| format!("{} {}", function.signature(), function.mutability))
        .collect()
}

/// Case 14.
#[tokio::test]
async fn a_contract_with_a_fallback_and_no_function_can_be_offered() {
    let proxy = interface("testdata/solidity/oz_transparent_proxy.json");
    assert_eq!(proxy.functions().count(), 0);
    assert!(proxy.ensure_callable().is_ok());
    let source = EvmSource::new("proxy", proxy.into(), Target::Unbound);
    let tools = source.tools().await.unwrap();
    let mut names = tools.iter().map(|tool| tool.name().as_str());
    assert!(names.all(|name| name == "send-raw" || name.ends_with("_events")));
    assert!(tools.iter().any(|tool| tool.name().as_str() == "send-raw"));
}

/// Case 16.
#[test]
fn a_type_of_a_library_counts_with_its_name_and_is_encoded_as_what_it_is() {
    let handmade = interface("testdata/solidity/handmade_torture.json");
    let lib_enum = tool(&handmade, "lib_enum");
    assert!(lib_enum.aliases().contains(&"libEnum(Lib.Side)".to_owned()));
    let schema = lib_enum.input_schema().document();
    assert_eq!(
        schema
            .pointer("/properties/x/maximum")
            .and_then(|max| max.as_u64()),
        Some(255)
    );
    let skipped = handmade.entries.iter().find_map(|entry| match &entry.body {
        EntryBody::Unusable {
            signature, reason, ..
        } if signature.starts_with("libStorage") => Some(reason.clone()),
        _ => None,
    });
    assert!(skipped.unwrap().contains("storage pointer"));
}

/// Case 17.
#[tokio::test]
async fn code_that_waits_for_a_library_is_readable_and_not_deployed() {
    let unlinked = interface("testdata/solidity/solc_unlinked_library_artifact.json");
    let Some(Bytecode::Unlinked { libraries }) = unlinked.bytecode.clone() else {
        panic!("linked")
    };
    assert!(!libraries.is_empty());
    assert_eq!(tools_of(&unlinked).len(), 1);
    let chain = std::sync::Arc::new(toolmesh_evm::chain::SandboxChain::new());
    let target = Target::Sandbox {
        chain,
        constructor_arguments: None,
    };
    let refused = EvmSource::new("unlinked", unlinked.into(), target)
        .tools()
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains(&libraries[0]),
        "{refused} does not name {libraries:?}"
    );
}

/// Case 18.
#[test]
fn entries_that_lack_members_are_read_and_noted() {
    let interface = read(
        br#"[{"name":"balanceOf","inputs":[{"name":"a","type":"address","indexed":true}],"stateMutability":"view"},
            {"type":"event","name":"Transfer","inputs":[{"name":"from","type":"address","indexed":true}]},
            {"type":"function","name":"pause"},{"type":"modifier","name":"onlyOwner"}]"#,
    )
    .unwrap();
    assert_eq!(
        signatures(&interface),
        ["balanceOf(address) view", "pause() nonpayable"]
    );
    assert_eq!(interface.events().count(), 1);
    assert_eq!(interface.notes.len(), 5, "{:?}", interface.notes);
    let report = inspect(&interface, "file");
    assert_eq!(report.functions[2].kind, "modifier");
    assert!(report.functions[2].reason.is_some());
}

/// Case 19.
#[test]
fn what_old_compilers_and_vyper_write_is_understood() {
    let token = interface("testdata/solidity/ds_token_anonymous_event.json");
    assert!(signatures(&token).contains(&"balanceOf(address) view".to_owned()));
    let pool = interface("testdata/solidity/curve_3pool_old_vyper.json");
    assert!(
        pool.entries
            .iter()
            .all(|entry| !matches!(entry.body, EntryBody::Unusable { .. }))
    );
    let legacy = read(
        br#"[{"type":"function","name":"a","constant":true,"payable":false,"inputs":[],"outputs":[],"gas":700},
            {"type":"function","name":"b","constant":false,"payable":true,"inputs":[],"outputs":[]},
            {"type":"function","name":"c","constant":true,"payable":true,"inputs":[],"outputs":[]},
            {"type":"function","name":"__default__","payable":true,"inputs":[],"outputs":[]}]"#,
    )
    .unwrap();
    assert_eq!(
        signatures(&legacy),
        ["a() view", "b() payable", "c() payable", "__default__() payable"]
    );
}

/// Case 31.
#[test]
fn declarations_in_a_file_and_in_a_json_array_are_the_same_interface() {
    let folder = "testdata/solidity";
    let text = interface(&format!("{folder}/human_readable.txt"));
    let strings = interface(&format!("{folder}/human_readable_strings.json"));
    let report = |interface| inspect(interface, "declarations").to_value().to_text();
    assert_eq!(report(&text), report(&strings));
    assert_eq!(
        signatures(&text),
        [
            "transfer(address,uint256) nonpayable",
            "balanceOf(address) view",
            "swap((address,address,uint24,(uint256,bytes32)[]),uint256) payable",
            "addPerson((string,uint16)) nonpayable",
            "grid(uint8[2][],uint256[3][2]) pure",
            "f(uint256) nonpayable",
            "f(int256) nonpayable",
            "unnamed(uint256,address) nonpayable",
        ]
    );
    assert_eq!(text.entries.len(), 14);
    let structs =
        declared("struct Foo { address who; uint[] list; }\nfunction take(Foo memory x, Foo[2] calldata y)");
    assert_eq!(
        signatures(&structs),
        ["take((address,uint256[]),(address,uint256[])[2]) nonpayable"]
    );
}

/// Case 33.
#[test]
fn hostile_text_is_inert_and_hostile_sizes_are_refused() {
    for (name, bytes) in corpus::files() {
        let Ok(interface) = read(&bytes) else { continue };
        for mapped in tools(&interface, None) {
            let tool = mapped.tool.unwrap();
            let shown = format!("{} {}", tool.name(), tool.description().unwrap());
            assert!(
                !shown
                    .chars()
                    .any(|character| character.is_control() && character != '\n'),
                "{name}: {shown}"
            );
        }
    }
    let deep = format!(
        r#"[{{"type":"function","name":"f","inputs":[{{"type":"uint8{}"}}]}}]"#,
        "[]".repeat(200)
    );
    assert_eq!(read(deep.as_bytes()).unwrap().functions().count(), 0);
    let huge = r#"[{"type":"function","name":"f","inputs":[{"type":"uint8[18446744073709551615]"}]}]"#;
    assert_eq!(read(huge.as_bytes()).unwrap().functions().count(), 0);
    let many: String = (0..1_500)
        .map(|place| format!("function f{place}(uint256 a)\n"))
        .collect();
    let names: HashSet<String> = tools_of(&declared(&many))
        .iter()
        .map(|tool| tool.name().to_string())
        .collect();
    assert_eq!(names.len(), 1_500);
    let over: String = (0..10_001).map(|place| format!("f{place}()\n")).collect();
    assert!(matches!(
        read(over.as_bytes()),
        Err(EvmError::TooManyEntries { entries: 10_001 })
    ));
}
