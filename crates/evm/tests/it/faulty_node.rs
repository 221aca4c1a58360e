//! An RPC chain against nodes that misbehave: played by a small HTTP server in this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use alloy_primitives::{Bytes, U256, address};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use toolmesh_evm::chain::{
    Chain, ChainError, Execution, MAX_RPC_URLS, Message, RpcChain, RpcOptions, Signer, WritePolicy,
};

const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// What the node does with one request.
pub(crate) enum Reply {
    Result(Value),
    Error(i64, &'static str),
    Status(u16, &'static str),
    Silence,
}

/// A node that follows a script; it counts the requests of each method.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Node {
    /// `script` gets the method and how often it was asked before; `None` is a healthy node's answer.
    pub(crate) async fn start(script: impl Fn(&str, usize) -> Option<Reply> + Send + Sync + 'static) -> Self {
        Self::serve(move |method, before, _| script(method, before)).await
    }

    /// `script` gets the method and its parameters.
    pub(crate) async fn start_with_parameters(
        script: impl Fn(&str, &Value) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        Self::serve(move |method, _, parameters| script(method, parameters)).await
    }

    async fn serve(script: impl Fn(&str, usize, &Value) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let node = Self {
            url,
            requests: Arc::default(),
        };
        let (served, script) = (node.clone(), Arc::new(script));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (node, script) = (served.clone(), Arc::clone(&script));
                tokio::spawn(async move { node.answer(stream, script.as_ref()).await });
            }
        });
        node
    }

    pub(crate) fn parameters(&self, method: &str) -> Vec<Value> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .filter(|(name, _)| name == method)
            .map(|(_, parameters)| parameters.clone())
            .collect()
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.parameters(method).len()
    }

    async fn answer(
        &self,
        mut stream: TcpStream,
        script: &(dyn Fn(&str, usize, &Value) -> Option<Reply> + Sync),
    ) {
        let request = read_request(&mut stream).await;
        let method = request["method"].as_str().unwrap().to_owned();
        let before = self.count(&method);
        self.requests
            .lock()
            .unwrap()
            .push((method.clone(), request["params"].clone()));
        let reply = script(&method, before, &request["params"]).unwrap_or_else(|| healthy(&method));
        let head = json!({"jsonrpc": "2.0", "id": request["id"]});
        let with = |name: &str, value: Value| {
            let mut answer = head.clone();
            answer[name] = value;
            (200, answer.to_string())
        };
        let (status, body) = match reply {
            Reply::Result(result) => with("result", result),
            Reply::Error(code, message) => with("error", json!({"code": code, "message": message})),
            Reply::Status(status, body) => (status, body.to_owned()),
            Reply::Silence => return tokio::time::sleep(Duration::from_secs(60)).await,
        };
        let length = body.len();
        let text =
            format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        let _ = stream.write_all(text.as_bytes()).await;
    }

    pub(crate) fn options(&self) -> RpcOptions {
        RpcOptions {
            timeout: Duration::from_secs(5),
            receipt_timeout: Duration::from_millis(300),
            signer: Some(Signer::from_private_key(KEY).unwrap()),
            policy: Some(WritePolicy::new(5, U256::MAX)),
            ..RpcOptions::new(&self.url)
        }
    }

    pub(crate) async fn connected(&self) -> RpcChain {
        RpcChain::connect(self.options()).await.unwrap()
    }
}

async fn read_request(stream: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4_096];
        let read = stream.read(&mut part).await.unwrap();
        bytes.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((_, body)) = text.split_once("\r\n\r\n")
            && let Ok(request) = serde_json::from_str(body)
        {
            return request;
        }
    }
}

fn healthy(method: &str) -> Reply {
    let answers = HashMap::from([
        ("eth_chainId", json!("0x5")),
        ("eth_blockNumber", json!("0x10")),
        (
            "eth_getBlockByNumber",
            json!({"number": "0x10", "gasLimit": "0x1c9c380", "baseFeePerGas": "0x7"}),
        ),
        (
            "eth_feeHistory",
            json!({"baseFeePerGas": ["0x7", "0x8"], "reward": [["0x2"]], "gasUsedRatio": [0.5]}),
        ),
        ("eth_estimateGas", json!("0x5208")),
        ("eth_call", json!("0x01")),
        ("eth_getCode", json!("0x6000")),
        ("eth_getBalance", json!("0x0")),
        ("eth_getTransactionCount", json!("0x3")),
        ("eth_sendRawTransaction", json!(format!("0x{}", "0".repeat(64)))),
        ("eth_getTransactionReceipt", Value::Null),
    ]);
    answers
        .get(method)
        .cloned()
        .map_or(Reply::Error(-32601, "the method does not exist"), Reply::Result)
}

fn message() -> Message {
    Message::new(
        address!("0x00000000000000000000000000000000000000aa"),
        Bytes::new(),
    )
}

#[tokio::test]
async fn a_read_is_repeated_after_a_passing_failure() {
    let node = Node::start(|method, before| {
        (method == "eth_blockNumber" && before < 2).then_some(Reply::Status(503, "busy"))
    })
    .await;
    assert_eq!(node.connected().await.block_number().await.unwrap(), 16);
    assert_eq!(node.count("eth_blockNumber"), 3);
}

#[tokio::test]
async fn a_read_is_tried_three_times_and_no_more() {
    let node =
        Node::start(|method, _| (method == "eth_blockNumber").then_some(Reply::Status(503, "busy"))).await;
    let failure = node.connected().await.block_number().await.unwrap_err();
    assert!(failure.to_string().contains("HTTP status 503"), "{failure}");
    assert_eq!(node.count("eth_blockNumber"), 3);
}

#[tokio::test]
async fn a_broadcast_with_an_unknown_end_is_not_repeated_but_told_by_its_hash() {
    let node = Node::start(|method, _| {
        (method == "eth_sendRawTransaction").then_some(Reply::Status(503, "upstream gone"))
    })
    .await;
    let failure = node.connected().await.send(message()).await.unwrap_err();
    assert!(matches!(failure, ChainError::Timeout { .. }), "{failure:?}");
    assert_eq!(node.count("eth_sendRawTransaction"), 1);
}

#[tokio::test]
async fn a_refused_broadcast_is_an_error_and_burns_no_nonce() {
    let node = Node::start(|method, before| {
        (method == "eth_sendRawTransaction" && before == 0)
            .then_some(Reply::Error(-32000, "insufficient funds for gas"))
    })
    .await;
    let chain = node.connected().await;
    let failure = chain.send(message()).await.unwrap_err();
    let expected = ChainError::Rpc {
        code: -32000,
        message: "insufficient funds for gas".to_owned(),
    };
    assert_eq!(failure, expected);
    assert!(matches!(
        chain.send(message()).await,
        Err(ChainError::Timeout { .. })
    ));
    let sent = node.parameters("eth_sendRawTransaction");
    assert_eq!(
        sent[0], sent[1],
        "the second transaction has the nonce of the first"
    );
}

#[tokio::test]
async fn a_nonce_that_was_used_meanwhile_is_read_again_once() {
    let node = Node::start(|method, before| match (method, before) {
        ("eth_getTransactionCount", 1) => Some(Reply::Result(json!("0x4"))),
        ("eth_sendRawTransaction", 0) => Some(Reply::Error(-32000, "nonce too low: next nonce 4")),
        _ => None,
    })
    .await;
    let failure = node.connected().await.send(message()).await.unwrap_err();
    assert!(matches!(failure, ChainError::Timeout { .. }), "{failure:?}");
    let sent = node.parameters("eth_sendRawTransaction");
    assert_eq!(sent.len(), 2);
    assert_ne!(sent[0], sent[1]);
}

#[tokio::test]
async fn a_node_that_changes_its_chain_gets_no_signature() {
    let node = Node::start(|method, before| {
        (method == "eth_chainId" && before > 0).then_some(Reply::Result(json!("0x1")))
    })
    .await;
    let failure = node.connected().await.send(message()).await.unwrap_err();
    assert_eq!(
        failure,
        ChainError::WrongChain {
            configured: 5,
            actual: 1
        }
    );
    assert_eq!(node.count("eth_sendRawTransaction"), 0);
}

#[tokio::test]
async fn a_silent_node_is_given_up_in_time() {
    let node = Node::start(|_, _| Some(Reply::Silence)).await;
    let options = RpcOptions {
        timeout: Duration::from_secs(1),
        ..node.options()
    };
    let failure = RpcChain::connect(options).await.unwrap_err();
    let ChainError::Unreachable { reason, .. } = &failure else {
        panic!("{failure:?}")
    };
    assert!(
        reason.contains("no answer") || reason.contains("timed out"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_page_instead_of_json_is_told() {
    let node = Node::start(|_, _| Some(Reply::Status(200, "<html>hello</html>"))).await;
    let failure = RpcChain::connect(node.options()).await.unwrap_err();
    assert!(failure.to_string().contains("not the expected JSON"), "{failure}");
}

#[tokio::test]
async fn a_node_without_simulations_gives_everything_but_the_logs() {
    let node = Node::start(|_, _| None).await;
    let simulation = node.connected().await.simulate(message()).await.unwrap();
    assert_eq!(simulation.execution, Execution::Returned(Bytes::from([1])));
    assert_eq!(simulation.gas, 21_000);
    assert_eq!(simulation.gas_price, U256::from(10));
    assert_eq!(simulation.logs, None);
    assert_eq!(simulation.block_number, 16);
}

#[tokio::test]
async fn a_chain_that_is_configured_without_limits_protects_reads() {
    let node = Node::start(|_, _| None).await;
    let options = RpcOptions {
        chain_id: Some(1),
        ..RpcOptions::new(&node.url)
    };
    let refusal = RpcChain::connect(options).await.unwrap_err();
    assert_eq!(
        refusal,
        ChainError::WrongChain {
            configured: 1,
            actual: 5
        }
    );
}

#[tokio::test]
async fn a_read_goes_to_the_next_node_when_the_first_fails() {
    let first =
        Node::start(|method, _| (method != "eth_chainId").then_some(Reply::Status(503, "busy"))).await;
    let second = Node::start(|_, _| None).await;
    let mut options = first.options();
    options.urls.push(second.url.clone());
    let chain = RpcChain::connect(options).await.unwrap();
    assert_eq!(chain.block_number().await.unwrap(), 16);
    assert_eq!(first.count("eth_blockNumber"), 1);
    // The one that answered is asked first from then on.
    assert_eq!(chain.block_number().await.unwrap(), 16);
    assert_eq!(first.count("eth_blockNumber"), 1);
    assert_eq!(second.count("eth_blockNumber"), 2);
}

#[tokio::test]
async fn a_node_that_is_away_at_first_does_not_keep_the_chain_from_being_used() {
    let second = Node::start(|_, _| None).await;
    let mut options = second.options();
    options.urls.insert(0, "http://127.0.0.1:1".to_owned());
    let chain = RpcChain::connect(options).await.unwrap();
    assert_eq!(chain.block_number().await.unwrap(), 16);
}

#[tokio::test]
async fn nodes_of_different_chains_are_refused() {
    let first = Node::start(|_, _| None).await;
    let other =
        Node::start(|method, _| (method == "eth_chainId").then_some(Reply::Result(json!("0x1")))).await;
    let options = RpcOptions {
        urls: vec![first.url.clone(), other.url.clone()],
        ..RpcOptions::new("")
    };
    let refusal = RpcChain::connect(options).await.unwrap_err();
    assert_eq!(refusal, ChainError::SeveralChains { first: 5, other: 1 });
}

#[tokio::test]
async fn as_many_nodes_as_the_limit_are_used_and_not_one_more() {
    let node = Node::start(|_, _| None).await;
    let connect = |count| {
        RpcChain::connect(RpcOptions {
            urls: vec![node.url.clone(); count],
            ..RpcOptions::new("")
        })
    };
    assert!(connect(MAX_RPC_URLS).await.is_ok());
    assert!(matches!(
        connect(MAX_RPC_URLS + 1).await,
        Err(ChainError::InvalidUrl { .. })
    ));
    assert!(matches!(connect(0).await, Err(ChainError::InvalidUrl { .. })));
}

#[tokio::test]
async fn a_broadcast_with_an_unknown_end_is_not_repeated_at_another_node() {
    let first = Node::start(|method, _| {
        (method == "eth_sendRawTransaction").then_some(Reply::Status(503, "upstream gone"))
    })
    .await;
    let second = Node::start(|_, _| None).await;
    let mut options = first.options();
    options.urls.push(second.url.clone());
    let chain = RpcChain::connect(options).await.unwrap();
    let failure = chain.send(message()).await.unwrap_err();
    assert!(matches!(failure, ChainError::Timeout { .. }), "{failure:?}");
    assert_eq!(first.count("eth_sendRawTransaction"), 1);
    assert_eq!(second.count("eth_sendRawTransaction"), 0);
}

#[tokio::test]
async fn a_node_that_is_behind_with_counting_gets_the_next_nonce() {
    let node = Node::start(|_, _| None).await;
    let chain = node.connected().await;
    for _ in 0..2 {
        let failure = chain.send(message()).await.unwrap_err();
        assert!(matches!(failure, ChainError::Timeout { .. }), "{failure:?}");
    }
    let sent = node.parameters("eth_sendRawTransaction");
    assert_ne!(
        sent[0], sent[1],
        "the node took the first, so the second has another nonce"
    );
}

#[tokio::test]
async fn a_sender_without_funds_is_lent_them_in_a_simulation() {
    let node = Node::start(|_, _| None).await;
    let paying = Message {
        from: Some(address!("0x00000000000000000000000000000000000000bb")),
        value: U256::from(7),
        ..message()
    };
    let simulation = node.connected().await.simulate(paying).await.unwrap();
    assert_eq!(simulation.short_of_funds, Some(U256::ZERO));
    let asked = node.parameters("eth_call");
    assert_eq!(
        asked[0][2],
        json!({"0x00000000000000000000000000000000000000bb": {"balance": "0x7"}})
    );
}
