//! Every statement and example of the documentation that the mapper began with; see `docs/seeds/abi-to-mcp-mapper.md`.

use std::sync::Arc;

use toolmesh_evm::hint::Language;
use toolmesh_evm::mapper::{
    EventMapper, FunctionMapper, MappedTool, Profile, SchemaBuilder, ToolKind, TypeContext, TypeHook,
    TypeMapper,
};
use toolmesh_evm::{Event, Function, Interface, Mutability, Parameter, SolidityType, read, tools};
use toolmesh_json::{Value, parse};
use toolmesh_schema::{Profile as SchemaProfile, Schema};

fn types() -> TypeMapper {
    TypeMapper::new(Profile::Compatibility)
}

fn functions() -> FunctionMapper {
    FunctionMapper::new(types())
}

fn schema_of(text: &str) -> String {
    let mapper = types();
    mapper.to_json_schema(&mapper.parse_type(text).unwrap()).to_text()
}

fn parameter(name: &str, text: &str) -> Parameter {
    Parameter::new(name, types().parse_type(text).unwrap())
}

fn transfer_from() -> Function {
    Function::new(
        "transferFrom".to_owned(),
        vec![
            parameter("from", "address"),
            parameter("to", "address"),
            parameter("amount", "uint256"),
        ],
        vec![parameter("", "bool")],
        Mutability::NonPayable,
    )
}

fn transfer_event() -> Event {
    Event::new(
        "Transfer".to_owned(),
        vec![
            parameter("from", "address").indexed(),
            parameter("to", "address").indexed(),
            parameter("value", "uint256"),
        ],
        false,
    )
}

fn exchange() -> Interface {
    read(
        br#"[{"type":"function","name":"balanceOf","inputs":[{"name":"owner","type":"address"}],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
            {"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}],"outputs":[{"name":"","type":"bool"}],"stateMutability":"nonpayable"},
            {"type":"function","name":"deposit","inputs":[],"outputs":[],"stateMutability":"payable"},
            {"type":"event","name":"Transfer","inputs":[{"name":"from","type":"address","indexed":true},{"name":"to","type":"address","indexed":true},{"name":"value","type":"uint256","indexed":false}],"anonymous":false}]"#,
    )
    .unwrap()
}

#[test]
fn a_type_text_becomes_a_type_with_its_base_and_its_dimensions() {
    let parsed = types().parse_type("uint256[]").unwrap();
    assert_eq!(parsed.base().to_string(), "uint256");
    assert!(parsed.is_array());
    assert_eq!(parsed.array_length(), None);
    assert_eq!(
        types().parse_type("bytes32[10]").unwrap().array_length(),
        Some(10)
    );
    assert!(!types().parse_type("uint256").unwrap().is_array());
}

#[test]
fn simple_types_become_the_schemas_of_the_examples() {
    assert_eq!(
        schema_of("address"),
        r#"{"type":"string","pattern":"^0x[a-fA-F0-9]{40}$"}"#
    );
    assert_eq!(schema_of("uint256"), r#"{"type":"string","pattern":"^[0-9]+$"}"#);
    assert_eq!(schema_of("bool"), r#"{"type":"boolean"}"#);
}

#[test]
fn arrays_become_the_schemas_of_the_examples() {
    let address = schema_of("address");
    let word = schema_of("bytes32");
    assert_eq!(
        schema_of("address[]"),
        format!(r#"{{"type":"array","items":{address}}}"#)
    );
    assert_eq!(
        schema_of("bytes32[10]"),
        format!(r#"{{"type":"array","items":{word},"minItems":10,"maxItems":10}}"#)
    );
    assert_eq!(word, r#"{"type":"string","pattern":"^0x[a-fA-F0-9]{64}$"}"#);
}

#[test]
fn python_types_are_those_of_the_examples() {
    for (text, expected) in [
        ("address", "str"),
        ("uint256", "str"),
        ("bool", "bool"),
        ("bytes", "str"),
        ("address[]", "List[str]"),
        ("tuple", "Dict[str, Any]"),
        ("tuple[]", "List[Dict[str, Any]]"),
    ] {
        assert_eq!(types().python_type(text).as_deref(), Ok(expected), "{text}");
    }
    assert!(types().python_type("uint7").is_err());
}

#[test]
fn components_become_an_open_object_that_requires_all_of_them() {
    let SolidityType::Tuple(components) = SolidityType::tuple(vec![
        parameter("tokenIn", "address"),
        parameter("amount", "uint256"),
    ]) else {
        panic!("no struct")
    };
    assert_eq!(
        types().map_components(&components).to_text(),
        r#"{"type":"object","properties":{"tokenIn":{"type":"string","pattern":"^0x[a-fA-F0-9]{40}$"},"amount":{"type":"string","pattern":"^[0-9]+$"}},"required":["tokenIn","amount"]}"#
    );
}

#[test]
fn a_function_becomes_the_tool_of_the_example() {
    let tool = functions().map_function(&transfer_from());
    assert_eq!(tool.name, "transfer_from");
    assert_eq!(tool.original_name, "transferFrom");
    assert_eq!(tool.kind, ToolKind::Write);
    assert_eq!(tool.kind.as_str(), "write");
    let names: Vec<&str> = tool
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    assert_eq!(names, ["from_", "to", "amount"]);
    assert_eq!(tool.required, names);
    assert_eq!(tool.parameters[2].schema.to_text(), schema_of("uint256"));
    assert_eq!(tool.return_schema.to_text(), r#"{"type":"boolean"}"#);
    assert_eq!(tool.signature, "transferFrom(address,address,uint256)");
}

#[test]
fn the_description_is_that_of_the_example() {
    let expected = "Transfer tokens from one address to another.\n\
                    This operation modifies blockchain state and requires gas.\n\
                    \n\
                    Parameters:\n\
                    - from: Source address\n\
                    - to: Destination address\n\
                    - amount: Amount to transfer (in wei)";
    assert_eq!(functions().description(&transfer_from()), expected);
    assert_eq!(functions().map_function(&transfer_from()).description, expected);
}

#[test]
fn the_python_signature_is_that_of_the_example() {
    let tool = functions().map_function(&transfer_from());
    let expected =
        "async def transfer_from(from_: str, to: str, amount: str, simulate: bool = True) -> Dict[str, Any]";
    assert_eq!(functions().python_signature(&transfer_from(), &tool), expected);
    assert_eq!(tool.python_signature, expected);
}

#[test]
fn an_event_becomes_the_resource_of_the_example() {
    let resource = EventMapper::new(types()).map_event(&transfer_event());
    assert_eq!(resource.name, "transfer");
    assert_eq!(resource.original_name, "Transfer");
    assert_eq!(resource.uri_template, "events://transfer");
    let fields: Vec<(&str, bool)> = resource
        .fields
        .iter()
        .map(|field| (field.name.as_str(), field.indexed))
        .collect();
    assert_eq!(fields, [("from", true), ("to", true), ("value", false)]);
    assert_eq!(resource.description, "Query Transfer events from the contract.");
}

#[test]
fn a_tool_has_a_whole_input_schema() {
    let tool = functions().map_function(&transfer_from());
    let schema = SchemaBuilder::new(Profile::Compatibility).tool_schema(&tool);
    assert_eq!(schema.get("type").unwrap().as_str(), Some("object"));
    assert_eq!(
        schema.get("required").unwrap().to_text(),
        r#"["from_","to","amount"]"#
    );
    let properties: Vec<&str> = schema
        .get("properties")
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(properties, ["from_", "to", "amount", "simulate"]);
    assert!(schema.get("additionalProperties").is_none());
    let compiled = Schema::compile_tool_input(schema, SchemaProfile::Draft2020_12).unwrap();
    let arguments = parse(br#"{"from_":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","to":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","amount":"5"}"#).unwrap();
    assert!(compiled.evaluate(&arguments).is_valid());
}

#[test]
fn a_resource_has_a_schema_of_its_data() {
    let resource = EventMapper::new(types()).map_event(&transfer_event());
    let schema = SchemaBuilder::new(Profile::Compatibility).resource_schema(&resource);
    assert_eq!(
        schema.to_text(),
        r#"{"type":"object","properties":{"from":{"type":"string","pattern":"^0x[a-fA-F0-9]{40}$"},"to":{"type":"string","pattern":"^0x[a-fA-F0-9]{40}$"},"value":{"type":"string","pattern":"^[0-9]+$"}},"required":["from","to","value"]}"#
    );
}

#[test]
fn all_functions_of_a_parsed_interface_are_mapped_and_can_be_told_apart_by_kind() {
    let interface = exchange();
    let mapper = functions();
    let mapped: Vec<MappedTool> = interface
        .functions()
        .map(|function| mapper.map_function(function))
        .collect();
    let at_once = mapper.map_interface(&interface);
    assert!(
        mapped
            .iter()
            .map(|tool| &tool.name)
            .eq(at_once.iter().map(|tool| &tool.name))
    );
    let of_kind = |kind: ToolKind| -> Vec<&str> {
        let tools = mapped.iter().filter(|tool: &&MappedTool| tool.kind == kind);
        tools.map(|tool| tool.name.as_str()).collect()
    };
    assert_eq!(of_kind(ToolKind::Read), ["balance_of"]);
    assert_eq!(of_kind(ToolKind::Write), ["transfer"]);
    assert_eq!(of_kind(ToolKind::WritePayable), ["deposit"]);
    assert_eq!(ToolKind::WritePayable.as_str(), "write_payable");
    assert_eq!(mapped[2].return_schema.to_text(), r#"{"type":"null"}"#);
    assert_eq!(mapped[2].controls[0].name, "value_wei");
}

#[derive(Debug)]
struct Described;

impl TypeHook for Described {
    fn schema(&self, context: &TypeContext<'_>) -> Option<Value> {
        if *context.ty != SolidityType::Uint(256) {
            return None;
        }
        let standard = context.standard();
        let mut schema = Value::object();
        schema.extend(
            standard
                .as_object()
                .unwrap()
                .iter()
                .map(|(key, value)| (key, value.to_value())),
        );
        Some(
            schema
                .put("description", "Unsigned 256-bit integer as string")
                .build(),
        )
    }
}

#[test]
fn a_hook_overrides_the_mapping_of_a_type_wherever_it_stands() {
    let mapper = types().with_hook(Arc::new(Described));
    let expected =
        r#"{"type":"string","pattern":"^[0-9]+$","description":"Unsigned 256-bit integer as string"}"#;
    let schema = |text: &str| mapper.to_json_schema(&mapper.parse_type(text).unwrap()).to_text();
    assert_eq!(schema("uint256"), expected);
    assert_eq!(
        schema("uint256[]"),
        format!(r#"{{"type":"array","items":{expected}}}"#)
    );
    assert_eq!(schema("bool"), r#"{"type":"boolean"}"#);
    let tool = FunctionMapper::new(mapper.clone()).map_function(&transfer_from());
    assert_eq!(tool.parameters[2].schema.to_text(), expected);
    let resource = EventMapper::new(mapper).map_event(&transfer_event());
    assert_eq!(resource.fields[2].schema.to_text(), expected);
}

#[test]
fn words_that_python_reserves_get_an_underscore() {
    let function = Function::new(
        "test".to_owned(),
        vec![parameter("from", "address"), parameter("type", "uint8")],
        Vec::new(),
        Mutability::View,
    );
    let tool = functions().map_function(&function);
    assert_eq!(tool.parameters[0].name, "from_");
    assert_eq!(tool.parameters[1].name, "type_");
    assert_eq!(tool.parameters[1].original_name, "type");
    assert_eq!(
        tool.python_signature,
        "async def test(from_: str, type_: int) -> Dict[str, Any]"
    );
}

#[test]
fn parameters_whose_names_become_equal_stay_apart() {
    let function = Function::new(
        "test".to_owned(),
        vec![
            parameter("fooBar", "bool"),
            parameter("foo_bar", "bool"),
            parameter("", "bool"),
            parameter("simulate", "bool"),
        ],
        Vec::new(),
        Mutability::NonPayable,
    );
    let tool = functions().map_function(&function);
    let names: Vec<&str> = tool
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    assert_eq!(names, ["foo_bar", "foo_bar_2", "arg2", "simulate"]);
    assert_eq!(tool.controls[0].name, "tx_simulate");
    assert!(
        tool.python_signature
            .contains("simulate: bool, tx_simulate: bool = True")
    );
}

#[test]
fn the_default_profile_is_what_is_served() {
    let torture = crate::mapping::interface("testdata/solidity/solc_torture_artifact.json");
    let mapped = FunctionMapper::default().map_interface(&torture);
    let builder = SchemaBuilder::new(Profile::Default);
    for (mapped, served) in mapped.iter().zip(tools(&torture, None)) {
        let served = served.tool.unwrap();
        assert_eq!(mapped.name, served.name().as_str());
        assert_eq!(
            builder.tool_schema(mapped).to_text(),
            served.input_schema().document().to_text(),
            "{}",
            mapped.name
        );
    }
}

#[test]
fn events_of_one_name_are_resources_of_their_own() {
    let handmade = crate::mapping::interface("testdata/solidity/handmade_torture.json");
    let resources = EventMapper::default().map_interface(&handmade);
    let templates: Vec<&str> = resources
        .iter()
        .map(|resource| resource.uri_template.as_str())
        .collect();
    assert_eq!(
        templates,
        [
            "events://no_anonymous_key{?from_block,to_block,limit,cursor,after}",
            "events://transfer__address_address_uint256_indexed_0_1{?from_block,to_block,limit,cursor,after,from,to}",
            "events://transfer__address_address_uint256_indexed_0_1_2{?from_block,to_block,limit,cursor,after,from,to,tokenId}",
            "events://transfer__no_arguments{?from_block,to_block,limit,cursor,after}",
        ]
    );
}

#[test]
fn every_schema_of_both_profiles_compiles_and_every_language_has_a_declaration() {
    for (file, interface) in crate::corpus::interfaces() {
        for profile in [Profile::Default, Profile::Compatibility] {
            let types = TypeMapper::new(profile);
            let builder = SchemaBuilder::new(profile);
            let mapper = FunctionMapper::new(types.clone());
            for (tool, function) in mapper.map_interface(&interface).iter().zip(interface.functions()) {
                let schema = builder.tool_schema(tool);
                Schema::compile_tool_input(schema, SchemaProfile::Draft2020_12)
                    .unwrap_or_else(|error| panic!("{file}: {}: {error}", tool.signature));
                Schema::compile(tool.return_schema.clone(), SchemaProfile::Draft2020_12).unwrap();
                for language in Language::ALL {
                    assert!(!language.signature(function, &tool.name).contains('\n'));
                }
            }
            for resource in EventMapper::new(types).map_interface(&interface) {
                Schema::compile(builder.resource_schema(&resource), SchemaProfile::Draft2020_12).unwrap();
            }
        }
    }
}

#[test]
fn descriptions_of_both_profiles_are_these() {
    let token = crate::mapping::interface("examples/token.json");
    let nft = crate::mapping::interface("testdata/solidity/oz_erc721.json");
    let vault = crate::mapping::interface("testdata/solidity/oz_erc4626.json");
    let mut text = String::new();
    for profile in [Profile::Default, Profile::Compatibility] {
        let mapper = FunctionMapper::new(TypeMapper::new(profile));
        for tool in [&token, &nft, &vault]
            .into_iter()
            .flat_map(|interface| mapper.map_interface(interface))
        {
            text.push_str(&format!(
                "# {profile:?} {}\n{}\n\n",
                tool.signature, tool.description
            ));
        }
    }
    insta::assert_snapshot!(text);
}
