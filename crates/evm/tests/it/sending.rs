//! Transactions, called the way every front calls them: waiting, tasks, restarts, and what may be sent at all.

use std::{sync::Arc, time::Duration};

use alloy_primitives::address;
use futures_util::StreamExt as _;
use serde_json::{Value as Json, json};
use toolmesh_evm::{
    EvmSource, Interface, SendRules, Target,
    chain::{Chain, RpcChain, RpcOptions, SandboxChain},
};
use toolmesh_json::parse;
use toolmesh_tool::{
    CallItem, CallRequest, Caller, ClientCapabilities, Dispatcher, FrontInfo, MemoryTaskStore, Outcome,
    Prefix, Source as _, TASKS_EXTENSION, TaskId, TaskOutcome, TaskSettings, TaskState, TaskStore, ToolEvent,
    Toolbox, Transport,
    dispatcher::{CallLimits, TaskRequest},
};

use crate::faulty_node::{Node, Reply};
use crate::mapping::interface;

const CONTRACT: alloy_primitives::Address = address!("0x00000000000000000000000000000000000000aa");

fn torture() -> Interface {
    interface("testdata/solidity/solc_torture_artifact.json")
}

async fn dispatcher(chain: Arc<dyn Chain>, store: Option<&Arc<dyn TaskStore>>) -> Dispatcher {
    let toolbox = Toolbox::new();
    let target = Target::Address {
        address: CONTRACT,
        chain,
    };
    let source = EvmSource::new("contract", Arc::new(torture()), target);
    source
        .start(toolbox.mount("contract", Prefix::None).unwrap())
        .await
        .unwrap();
    let builder = Dispatcher::builder(toolbox).task_settings(TaskSettings {
        lease: Duration::from_millis(200),
        ..TaskSettings::default()
    });
    match store {
        Some(store) => builder.task_store(Arc::clone(store)).build(),
        None => builder.build(),
    }
}

fn caller() -> Caller {
    Caller::anonymous(Transport::InProcess)
}

fn increment() -> CallRequest {
    CallRequest::new("increment", parse(br#"{"simulate":false}"#).unwrap(), caller())
}

fn as_client_with_tasks(request: CallRequest) -> CallRequest {
    request.front(FrontInfo {
        capabilities: ClientCapabilities {
            extensions: vec![TASKS_EXTENSION.to_owned()],
            ..ClientCapabilities::default()
        },
        ..FrontInfo::default()
    })
}

/// The receipt of a transaction that succeeded in block 17.
fn mined(hash: &Json) -> Json {
    json!({"transactionHash": hash, "blockNumber": "0x11", "status": "0x1", "gasUsed": "0x5208", "effectiveGasPrice": "0x9", "logs": []})
}

async fn task_end(dispatcher: &Dispatcher, id: &TaskId) -> TaskOutcome {
    for _ in 0..2_000 {
        let task = dispatcher
            .task(TaskRequest::new(id.as_str(), caller()))
            .await
            .unwrap();
        if let TaskState::Ended(outcome) = task.state {
            return outcome;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the task is stuck");
}

#[test]
fn a_call_still_has_time_to_tell_the_hash_when_no_block_takes_its_transaction() {
    let longest = RpcOptions::new("").receipt_timeout;
    assert_eq!(longest, Duration::from_secs(45));
    assert!(longest + Duration::from_secs(10) <= CallLimits::default().deadline);
}

#[tokio::test]
async fn whoever_waits_for_a_block_is_told_the_hash_as_progress() {
    let node = Node::start(|method, before| {
        (method == "eth_getTransactionReceipt" && before == 3).then(|| Reply::Result(mined(&Json::Null)))
    })
    .await;
    let options = RpcOptions {
        receipt_timeout: Duration::from_secs(20),
        ..node.options()
    };
    let chain = Arc::new(RpcChain::connect(options).await.unwrap());
    let dispatcher = dispatcher(chain, None).await;
    let mut call = dispatcher.stream(increment());
    let mut told = Vec::new();
    while let Some(item) = call.next().await {
        match item {
            CallItem::Event(ToolEvent::Progress { message, .. }) => told.push(message.unwrap()),
            CallItem::Event(_) => {}
            CallItem::Ended(outcome) => {
                let answer = outcome.completed().unwrap().structured.unwrap();
                let hash = answer.get("tx_hash").unwrap().as_str().unwrap().to_owned();
                assert_eq!(
                    told[0],
                    format!("transaction {hash} was sent; waiting for its block")
                );
                assert_eq!(answer.get("block_number").unwrap().as_u64(), Some(17));
                assert_eq!(answer.get("cost_wei").unwrap().as_str(), Some("189000"));
            }
        }
    }
    assert!(!told.is_empty());
}

#[tokio::test]
async fn a_client_that_knows_tasks_need_not_wait_and_gets_the_receipt_later() {
    let node = Node::start(|method, before| {
        (method == "eth_getTransactionReceipt" && before > 1).then(|| Reply::Result(mined(&Json::Null)))
    })
    .await;
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let dispatcher = dispatcher(Arc::new(node.connected().await), Some(&store)).await;
    let Outcome::TaskCreated(id) = dispatcher.call(as_client_with_tasks(increment())).await else {
        panic!("no task")
    };
    let TaskOutcome::Completed(result) = task_end(&dispatcher, &id).await else {
        panic!("the task did not complete")
    };
    assert_eq!(
        result.structured.unwrap().get("success").unwrap().as_bool(),
        Some(true)
    );
    assert_eq!(node.count("eth_sendRawTransaction"), 1);
}

#[tokio::test]
async fn a_transaction_that_would_fail_is_told_at_once_and_makes_no_task() {
    let node =
        Node::start(|method, _| (method == "eth_call").then_some(Reply::Error(3, "execution reverted")))
            .await;
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let dispatcher = dispatcher(Arc::new(node.connected().await), Some(&store)).await;
    let outcome = dispatcher.call(as_client_with_tasks(increment())).await;
    assert!(outcome.completed().unwrap().is_error);
    assert_eq!(node.count("eth_sendRawTransaction"), 0);
}

#[test]
fn a_task_that_outlives_its_server_looks_for_the_receipt_and_sends_nothing_again() {
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    // The node lives on; the first server dies with its runtime.
    let nodes = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mine = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let may_mine = Arc::clone(&mine);
    let node = nodes.block_on(Node::start(move |method, _| {
        let found = may_mine.load(std::sync::atomic::Ordering::SeqCst);
        (method == "eth_getTransactionReceipt" && found).then(|| Reply::Result(mined(&Json::Null)))
    }));
    let first = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let id = first.block_on(async {
        let dispatcher = dispatcher(Arc::new(node.connected().await), Some(&store)).await;
        let Outcome::TaskCreated(id) = dispatcher.call(as_client_with_tasks(increment())).await else {
            panic!("no task")
        };
        while node.count("eth_getTransactionReceipt") == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        id
    });
    first.shutdown_background();
    let sent = node.parameters("eth_sendRawTransaction");
    assert_eq!(sent.len(), 1);
    mine.store(true, std::sync::atomic::Ordering::SeqCst);
    nodes.block_on(async {
        let second = dispatcher(Arc::new(node.connected().await), Some(&store)).await;
        let _service = second.serve_tasks();
        let TaskOutcome::Completed(result) = task_end(&second, &id).await else {
            panic!("the task did not complete")
        };
        let answer = result.structured.unwrap();
        assert_eq!(answer.get("success").unwrap().as_bool(), Some(true));
        let asked = node.parameters("eth_getTransactionReceipt");
        assert_eq!(
            asked.last().unwrap()[0].as_str(),
            answer.get("tx_hash").unwrap().as_str()
        );
        assert_eq!(asked.first(), asked.last());
    });
    assert_eq!(node.parameters("eth_sendRawTransaction"), sent);
}

#[tokio::test]
async fn functions_and_accounts_outside_the_lists_are_simulated_but_not_sent() {
    let toolbox = Toolbox::new();
    let interface = torture();
    let rules = SendRules::default()
        .only_functions(&interface, &["increment"])
        .unwrap()
        .only_accounts([address!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")]);
    let target = Target::Sandbox {
        chain: Arc::new(SandboxChain::new()),
        constructor_arguments: Some(parse(br#"[0,""]"#).unwrap()),
    };
    let source = EvmSource::new("contract", Arc::new(interface), target).with_send_rules(rules);
    source
        .start(toolbox.mount("contract", Prefix::None).unwrap())
        .await
        .unwrap();
    let dispatcher = Dispatcher::builder(toolbox).build();
    let call = async |tool: &str, arguments: &str| {
        let request = CallRequest::new(tool, parse(arguments.as_bytes()).unwrap(), caller());
        dispatcher.call(request).await.completed().unwrap()
    };
    assert!(!call("increment", r#"{"simulate":false}"#).await.is_error);
    let other = r#"{"simulate":false,"tx":{"from":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}}"#;
    let refused = call("increment", other).await;
    assert!(refused.is_error);
    assert!(
        refused.joined_text().contains("can be sent from 0xf39Fd6e"),
        "{}",
        refused.joined_text()
    );
    let refused = call("pay", r#"{"x":"1","simulate":false}"#).await;
    assert!(refused.is_error);
    assert!(
        refused.joined_text().contains("`send_functions`"),
        "{}",
        refused.joined_text()
    );
    let tried = call("pay", r#"{"x":"1"}"#).await;
    assert!(!tried.is_error);
    let note = tried.structured.unwrap();
    let note = note.get("note").unwrap().as_str().unwrap();
    assert!(note.starts_with("Nothing was sent, and nothing can be"), "{note}");
}

#[tokio::test]
async fn code_is_asked_for_at_the_block_of_the_call() {
    let node = Node::start(|method, _| match method {
        "eth_call" => Some(Reply::Result(json!("0x"))),
        _ => None,
    })
    .await;
    let dispatcher = dispatcher(Arc::new(node.connected().await), None).await;
    let request = CallRequest::new("counter", parse(br#"{"tx":{"block":7}}"#).unwrap(), caller());
    let result = dispatcher.call(request).await.completed().unwrap();
    assert!(result.is_error);
    assert_eq!(node.parameters("eth_getCode").last().unwrap()[1], json!("0x7"));
}
