//! Calls through the dispatcher, as every front makes them.

use std::sync::{Arc, Mutex};

use toolmesh_calimero::{Application, ApplicationSource, ExecuteError, Executor, Mapping, MethodCall};
use toolmesh_json::{Value, parse};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CallRequest, Caller, Dispatcher, Outcome, Prefix, Source, ToolResult,
    Toolbox, Transport,
};

use crate::manifests::{application, made};

/// Answers every call alike, and remembers it.
#[derive(Debug)]
struct Fixed {
    answer: Result<Value, ExecuteError>,
    calls: Mutex<Vec<MethodCall>>,
}

impl Executor for Fixed {
    fn execute<'a>(
        &'a self,
        _context: &'a CallContext,
        call: MethodCall,
    ) -> BoxFuture<'a, Result<Value, ExecuteError>> {
        self.calls.lock().unwrap().push(call);
        Box::pin(std::future::ready(self.answer.clone()))
    }
}

async fn called(
    application: Application,
    tool: &str,
    arguments: &str,
    answer: Result<&str, ExecuteError>,
) -> (Outcome, Vec<MethodCall>) {
    let executor = Arc::new(Fixed {
        answer: answer.map(|json| parse(json.as_bytes()).unwrap()),
        calls: Mutex::default(),
    });
    let toolbox = Toolbox::new();
    let shared: Arc<dyn Executor> = Arc::clone(&executor) as Arc<dyn Executor>;
    let source = ApplicationSource::new("app", application, Mapping::default(), Some(shared));
    source
        .start(toolbox.mount("app", Prefix::None).unwrap())
        .await
        .unwrap();
    let arguments = parse(arguments.as_bytes()).unwrap();
    let request = CallRequest::new(tool, arguments, Caller::anonymous(Transport::InProcess));
    let outcome = Dispatcher::builder(toolbox).build().call(request).await;
    let calls = executor.calls.lock().unwrap().clone();
    (outcome, calls)
}

fn completed(outcome: Outcome) -> ToolResult {
    match outcome {
        Outcome::Completed(result) => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_goes_out_with_its_context_apart_and_its_arguments_in_the_applications_form() {
    let hex = format!("{}ff", "00".repeat(31));
    let arguments = format!(r#"{{"x":"{hex}","_context":"room"}}"#);
    let bytes = format!("[{}255]", "0,".repeat(31));
    let application = application("abi_conformance");
    let (outcome, calls) = called(
        application,
        "abi_conformance_roundtrip_id",
        &arguments,
        Ok(&bytes),
    )
    .await;
    let result = completed(outcome);
    assert!(!result.is_error);
    assert_eq!(
        result.structured.unwrap().to_text(),
        format!(r#"{{"result":{bytes}}}"#)
    );
    let [call] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(call.context.as_deref(), Some("room"));
    assert_eq!(
        (call.method.as_str(), call.service.as_deref()),
        ("roundtrip_id", None)
    );
    assert_eq!(call.arguments.to_text(), format!(r#"{{"x":{bytes}}}"#));
}

#[tokio::test]
async fn a_declared_context_parameter_goes_to_the_application_and_targets_nothing() {
    let (_, calls) = called(
        application("handmade"),
        "handmade_target",
        r#"{"_context":7}"#,
        Ok("7"),
    )
    .await;
    assert_eq!(calls[0].context, None);
    assert_eq!(calls[0].arguments.to_text(), r#"{"_context":7}"#);
}

#[tokio::test]
async fn wrong_arguments_are_explained_and_nothing_is_called() {
    let (outcome, calls) = called(
        application("kv_store"),
        "kv_store_set",
        r#"{"key":"a","value":1}"#,
        Ok("null"),
    )
    .await;
    let Outcome::Failed(CallError::InvalidArguments(result)) = outcome else {
        panic!("{outcome:?}")
    };
    insta::assert_snapshot!(result.joined_text());
    assert!(calls.is_empty());
}

#[tokio::test]
async fn answers_that_real_applications_give_satisfy_the_output_schema() {
    for (tool, answer) in [
        // `Result<Option<String>>`: the manifest does not say that it may be null.
        ("kv_store_get", "null"),
        ("kv_store_entries", r#"{"a":"b"}"#),
        ("kv_store_set", "null"),
        // Some toolchains write `unit` for everything.
        ("kv_store_clear", r#"{"any":"thing"}"#),
        ("kv_store_len", "4294967295"),
    ] {
        let (outcome, _) = called(
            application("kv_store"),
            tool,
            r#"{"key":"k","value":"v"}"#,
            Ok(answer),
        )
        .await;
        let result = completed(outcome);
        assert!(!result.is_error, "{tool}");
        assert_eq!(
            result.structured.unwrap().to_text(),
            format!(r#"{{"result":{answer}}}"#)
        );
    }
    let types = r##"{"P":{"kind":"record","fields":[{"name":"tags","type":{"kind":"list","items":{"kind":"u64"}}},
        {"name":"score","type":{"kind":"f64"}}]}}"##;
    let methods = r##"[{"name":"p","params":[],"returns":{"$ref":"P"}}]"##;
    for answer in [
        r#"{"tags":[18446744073709551615,null],"score":null}"#,
        r#"{"more":1}"#,
        "null",
    ] {
        let (outcome, _) = called(made(types, methods), "app_p", "{}", Ok(answer)).await;
        assert!(!completed(outcome).is_error, "{answer}");
    }
}

#[tokio::test]
async fn an_answer_that_the_manifest_does_not_describe_is_told_as_text() {
    let (outcome, _) = called(application("kv_store"), "kv_store_len", "{}", Ok(r#"{"len":3}"#)).await;
    let result = completed(outcome);
    assert!(result.is_error);
    assert_eq!(
        result.joined_text(),
        r#"The method ran. It returned something else than its interface says, which is: {"len":3}"#
    );
}

#[tokio::test]
async fn a_failure_is_told_with_its_kind() {
    let error = ExecuteError::Guest("no such key".to_owned());
    let (outcome, _) = called(
        application("kv_store"),
        "kv_store_get",
        r#"{"key":"k"}"#,
        Err(error),
    )
    .await;
    let result = completed(outcome);
    assert!(result.is_error);
    assert_eq!(result.content.len(), 2);
    assert_eq!(
        result.structured.unwrap().to_text(),
        r#"{"error":{"kind":"application_error","message":"no such key"}}"#
    );
}

#[tokio::test]
async fn without_a_node_a_call_says_that_there_is_nothing_to_call() {
    let toolbox = Toolbox::new();
    let source = ApplicationSource::new("kv", application("kv_store"), Mapping::default(), None);
    source
        .start(toolbox.mount("kv", Prefix::None).unwrap())
        .await
        .unwrap();
    let request = CallRequest::new(
        "kv_store_len",
        Value::object().build(),
        Caller::anonymous(Transport::InProcess),
    );
    let result = completed(Dispatcher::builder(toolbox).build().call(request).await);
    assert!(result.is_error);
    assert!(result.joined_text().contains("known by its interface alone"));
}
