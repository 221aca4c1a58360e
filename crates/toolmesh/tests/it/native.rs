//! A tool of one's own beside a contract.

use toolmesh::{
    assemble::{Assembler, Location},
    config::{Config, SourceConfig},
    json::Value,
    tool::{CallRequest, Caller, Prefix, Tool, ToolResult, Transport},
};

#[cfg(feature = "evm")]
#[tokio::test]
async fn one_dispatcher_calls_both() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/token.json");
    let mut config = Config::default();
    config.sources.push(SourceConfig::at(Location::parse(path)));
    let hello = Tool::with_name("hello")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("hello") })
        .build()
        .unwrap();
    let assembly = Assembler::new(config)
        .tools("own", vec![hello], Some(Prefix::None))
        .start()
        .await
        .unwrap();
    let call = async |name: &str| {
        let caller = Caller::anonymous(Transport::InProcess);
        let request = CallRequest::new(name, Value::object().build(), caller);
        assembly.dispatcher().call(request).await.completed().unwrap()
    };
    assert_eq!(call("hello").await.joined_text(), "hello");
    let decimals = call("token_decimals").await.structured.unwrap();
    assert_eq!(decimals.get("result").and_then(|value| value.as_u64()), Some(18));
}
