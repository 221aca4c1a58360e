//! Sources, prefixes and filters.

use std::sync::{Arc, Mutex};

use toolmesh::{
    assemble::{AssembleError, Assembler, Assembly, FaultKind, Location, Use},
    config::{Config, SourceConfig},
    json::Value,
    tool::{
        BoxFuture, CallError, CallRequest, Caller, Mount, Outcome, Prefix, Source, SourceError, Tool,
        ToolAnnotations, ToolResult, Transport,
    },
};

fn tool(name: &str, read_only: bool) -> Tool {
    let annotations = ToolAnnotations {
        read_only: Some(read_only),
        ..ToolAnnotations::default()
    };
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("done") })
        .annotations(annotations)
        .build()
        .unwrap()
}

fn names(assembly: &Assembly) -> Vec<String> {
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    catalogue
        .listed_tools()
        .map(|entry| entry.name().to_string())
        .collect()
}

fn descriptors(folder: &tempfile::TempDir, text: &str) -> Location {
    let path = folder.path().join("far.tools.json");
    std::fs::write(&path, text).unwrap();
    Location::parse(&path.to_string_lossy())
}

#[tokio::test]
async fn the_only_source_has_no_prefix_and_several_have_their_names() {
    let one = Assembler::new(Config::default()).tools("own", vec![tool("look", true)], None);
    assert_eq!(names(&one.start().await.unwrap()), ["look"]);
    let two = Assembler::new(Config::default())
        .tools("own", vec![tool("look", true)], None)
        .tools("other", vec![tool("look", true)], None)
        .tools("plain", vec![tool("look", true)], Some(Prefix::None));
    assert_eq!(
        names(&two.start().await.unwrap()),
        ["own_look", "other_look", "look"]
    );
}

#[tokio::test]
async fn read_only_is_enforced_because_the_others_are_not_there() {
    let mut config = Config::default();
    config.policy.read_only = true;
    let tools = vec![tool("look", true), tool("change", false)];
    let assembly = Assembler::new(config)
        .tools("own", tools, None)
        .start()
        .await
        .unwrap();
    assert_eq!(names(&assembly), ["look"]);
    let caller = Caller::anonymous(Transport::InProcess);
    let call = CallRequest::new("change", Value::object().build(), caller);
    let outcome = assembly.dispatcher().call(call).await;
    assert!(
        matches!(outcome, Outcome::Failed(CallError::UnknownTool)),
        "{outcome:?}"
    );
}

/// A source that changes later, as one that follows a server does.
#[derive(Default)]
struct Changing(Mutex<Option<Mount>>);

impl Source for Changing {
    fn name(&self) -> &str {
        "changing"
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move {
            mount.replace(vec![tool("first", true)])?;
            *self.0.lock().unwrap() = Some(mount);
            Ok(())
        })
    }
}

#[tokio::test]
async fn filters_hold_for_what_a_source_adds_later() {
    let mut config = Config::default();
    config.policy.exclude = vec!["change*".to_owned()];
    let source = Arc::new(Changing::default());
    let assembly = Assembler::new(config)
        .source(source.clone(), None)
        .start()
        .await
        .unwrap();
    let mount = source.0.lock().unwrap().take().unwrap();
    mount
        .add(vec![tool("change_all", false), tool("second", true)])
        .unwrap();
    assert_eq!(names(&assembly), ["first", "second"]);
}

#[tokio::test]
async fn a_pattern_fits_the_published_name_and_the_sources_own() {
    let listed = async |include: &[&str], exclude: &[&str]| {
        let mut config = Config::default();
        config.policy.include = include.iter().map(|text| (*text).to_owned()).collect();
        config.policy.exclude = exclude.iter().map(|text| (*text).to_owned()).collect();
        let tools = || vec![tool("look", true), tool("change", false)];
        let assembler = Assembler::new(config)
            .tools("a", tools(), None)
            .tools("b", tools(), None);
        names(&assembler.start().await.unwrap())
    };
    assert_eq!(listed(&["look"], &[]).await, ["a_look", "b_look"]);
    assert_eq!(listed(&["a_*"], &[]).await, ["a_look", "a_change"]);
    assert_eq!(listed(&[], &["b_look", "change"]).await, ["a_look"]);
}

#[tokio::test]
async fn nothing_and_too_much_are_told_apart() {
    let start = async |config: Config| {
        Assembler::new(config)
            .tools("own", vec![tool("a", true), tool("b", true)], None)
            .start()
            .await
    };
    let mut config = Config::default();
    config.policy.include = vec!["c".to_owned()];
    assert!(matches!(
        start(config).await,
        Err(AssembleError::NothingLeft { total: 2 })
    ));
    let mut config = Config::default();
    config.server.max_tools = Some(1);
    assert!(matches!(
        start(config.clone()).await,
        Err(AssembleError::TooManyTools { count: 2, max: 1 })
    ));
    config.server.max_tools = Some(2);
    assert!(start(config).await.is_ok());
    assert!(matches!(
        Assembler::new(Config::default()).start().await,
        Err(AssembleError::NoSource)
    ));
}

#[tokio::test]
async fn descriptors_may_have_schemas_as_objects_or_as_text_and_are_not_called() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"[
        {"tool_id": "object", "version": "2.0.0", "input_schema": {"type": "object", "required": ["a"]}},
        {"tool_id": "text", "input_schema": "{\"type\":\"object\"}", "tags": ["x"]},
        {"tool_id": "bare"}
    ]"#;
    let mut config = Config::default();
    config.sources.push(SourceConfig::at(descriptors(&folder, text)));
    let assembly = Assembler::new(config).start().await.unwrap();
    assert_eq!(names(&assembly), ["object", "text", "bare"]);
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let object = catalogue.tool("object", None).unwrap().tool();
    assert_eq!(object.version().to_string(), "2.0.0");
    assert_eq!(
        object.input_schema().document().to_text(),
        r#"{"type":"object","required":["a"]}"#
    );

    let caller = Caller::anonymous(Transport::InProcess);
    let call = CallRequest::new("bare", Value::object().build(), caller);
    let outcome = assembly.dispatcher().call(call).await;
    assert!(
        matches!(outcome, Outcome::Failed(CallError::PolicyRefused(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_mesh_that_was_not_set_up_is_no_source() {
    let mut config = Config::default();
    config.sources.push(SourceConfig::at(Location::parse("mesh:")));
    let refused = Assembler::new(config).start().await.unwrap_err();
    let kind = if cfg!(feature = "mesh") {
        FaultKind::Configuration
    } else {
        FaultKind::Refused
    };
    assert_eq!(refused.kind(), kind, "{refused}");
}

#[cfg(feature = "evm")]
#[tokio::test]
async fn an_interface_without_a_chain_is_listed_but_not_started() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/solidity/oz_erc20permit.json"
    );
    let mut config = Config::default();
    config.sources.push(SourceConfig::at(Location::parse(path)));
    let listed = Assembler::new(config.clone())
        .purpose(Use::Listing)
        .start()
        .await
        .unwrap();
    assert!(names(&listed).contains(&"transfer".to_owned()));
    let refused = Assembler::new(config).start().await.unwrap_err();
    assert_eq!(refused.kind(), FaultKind::Configuration);
}

#[tokio::test]
async fn one_contract_of_several_is_chosen_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("build.json");
    let contract =
        |function: &str| format!(r#"{{"abi":[{{"type":"function","name":"{function}","inputs":[]}}]}}"#);
    let build = format!(
        r#"{{"contracts":{{"a.sol":{{"Token":{}}},"b.sol":{{"Vault":{}}}}}}}"#,
        contract("transfer"),
        contract("deposit")
    );
    std::fs::write(&path, build).unwrap();
    let offered = async |chosen: Option<&str>| {
        let mut config = Config::default();
        let mut source = SourceConfig::at(Location::parse(&path.to_string_lossy()));
        source.contract = chosen.map(str::to_owned);
        config.sources.push(source);
        Assembler::new(config).purpose(Use::Listing).start().await
    };
    assert_eq!(names(&offered(Some("Vault")).await.unwrap()), ["deposit"]);
    assert_eq!(names(&offered(Some("a.sol:Token")).await.unwrap()), ["transfer"]);
    let Err(refused) = offered(None).await else {
        panic!("one of two contracts was taken unasked")
    };
    assert_eq!(refused.kind(), FaultKind::Invalid);
    assert!(
        refused.to_string().contains("`a.sol:Token`, `b.sol:Vault`"),
        "{refused}"
    );
    assert!(offered(Some("Other")).await.is_err());
}
