//! A lowered call on its way through the dispatcher: judged by the tool's own schema, answered in the provider's form.

use toolmesh_json::Value;
use toolmesh_provider::{Options, Provider, Reply, Toolset, result_of_error, result_of_outcome};
use toolmesh_schema::Profile;
use toolmesh_tool::{
    ArgumentErrors, CallError, CallRequest, Caller, Dispatcher, Entries, Prefix, Tool, ToolResult, Toolbox,
    Transport,
};

use crate::support::{call, json};

fn dispatcher() -> Dispatcher {
    let schema = r#"{"type":"object","properties":{"amount":{"type":"integer","multipleOf":5},"memo":{"type":"string"}},"required":["amount"],"additionalProperties":false}"#;
    let pay = Tool::with_name("wallet.pay")
        .input_schema(json(schema), Profile::Draft2020_12)
        .handler(|_, arguments: Value| async move { Ok::<_, CallError>(ToolResult::structured(arguments)) })
        .argument_errors(ArgumentErrors::Explained)
        .build()
        .unwrap();
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("wallet", Prefix::None).unwrap();
    mount.replace(Entries::from(vec![pay])).unwrap();
    Dispatcher::builder(toolbox).build()
}

async fn answer(provider: Provider, arguments: &str) -> String {
    let dispatcher = dispatcher();
    let tools = dispatcher.toolbox().snapshot();
    let tools = tools.listed_tools().map(toolmesh_tool::CatalogueTool::descriptor);
    let toolset = Toolset::translate(provider, tools, &Options::default());
    let sent = toolset.names().sent("wallet.pay").unwrap();
    let spec = toolset
        .lower(call(provider, sent, &json(arguments)).view())
        .unwrap();
    let request = CallRequest::new(
        spec.name.as_str(),
        json(&spec.arguments_json),
        Caller::anonymous(Transport::InProcess),
    );
    let result = result_of_outcome(dispatcher.call(request).await);
    let messages = toolset.messages(&[Reply::to(&spec, result)]);
    messages.iter().map(Value::to_text).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn good_arguments_reach_the_tool_and_bad_ones_are_explained_in_every_form() {
    for provider in Provider::ALL {
        let good = answer(provider, r#"{"amount":18446744073709551615,"memo":"x"}"#).await;
        assert!(good.contains("18446744073709551615"), "{good}");
        // A provider that cannot be told of `multipleOf`, or a model that ignores it, meets the tool's own schema.
        let bad = answer(provider, r#"{"amount":7,"memo":"x"}"#).await;
        insta::assert_snapshot!(format!("bad_arguments_for_{provider}"), bad);
    }
}

#[test]
fn what_goes_wrong_inside_is_not_told() {
    let result = result_of_error(&CallError::Internal("secret".to_owned()));
    assert!(result.is_error && !result.joined_text().contains("secret"));
}
