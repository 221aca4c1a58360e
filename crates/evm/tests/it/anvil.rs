//! A real anvil node, driven through [`RpcChain`].

use alloy_primitives::{Address, B256, Bytes, U256, address};
use toolmesh_evm::chain::{
    BlockRef, Chain, ChainError, Execution, Message, RpcChain, RpcOptions, SandboxChain, SendRefusal, Signer,
    WritePolicy,
};
use toolmesh_testkit::Anvil;

use crate::contract::{Contract, account, uint};

/// The first and second account of anvil, and the first one's public key.
const ALICE: Address = address!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
const BOB: Address = address!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
const ALICE_KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

const ANVIL_CHAIN: u64 = 31_337;
const ONE_ETHER: u128 = 1_000_000_000_000_000_000;

/// Options for a chain that may sign as the first account.
fn options(anvil: &Anvil, policy: WritePolicy) -> RpcOptions {
    let signer = Some(Signer::from_private_key(ALICE_KEY).unwrap());
    RpcOptions {
        signer,
        policy: Some(policy),
        ..RpcOptions::new(anvil.url())
    }
}

/// A chain that may sign as the first account, within generous limits.
pub(crate) async fn writable(anvil: &Anvil) -> RpcChain {
    let policy = WritePolicy {
        max_value_wei: U256::from(ONE_ETHER),
        ..WritePolicy::new(ANVIL_CHAIN, U256::from(ONE_ETHER))
    };
    RpcChain::connect(options(anvil, policy)).await.unwrap()
}

async fn token(chain: &RpcChain) -> (Contract, Address) {
    let contract = Contract::compiled("token");
    let deployment = chain
        .deploy(contract.creation(&[uint(1_000)]), U256::ZERO)
        .await
        .unwrap();
    assert!(deployment.receipt.success);
    (contract, deployment.address)
}

fn transfer(contract: &Contract, at: Address, value: u64) -> Message {
    contract.message(at, "transfer", &[account(BOB), uint(value)])
}

async fn counter(chain: &RpcChain, contract: &Contract, at: Address, block: BlockRef) -> U256 {
    match chain
        .call(contract.message(at, "counter", &[]), block)
        .await
        .unwrap()
    {
        Execution::Returned(output) => U256::from_be_slice(&output),
        other => panic!("{other:?}"),
    }
}

async fn torture(chain: &RpcChain) -> (Contract, Address) {
    let contract = Contract::compiled("torture");
    let code = contract.creation(&[uint(0), alloy_dyn_abi::DynSolValue::String(String::new())]);
    let address = chain.deploy(code, U256::ZERO).await.unwrap().address;
    (contract, address)
}

#[tokio::test]
async fn a_transfer_is_signed_sent_and_seen() {
    let anvil = Anvil::start();
    let chain = writable(&anvil).await;
    assert_eq!(chain.chain_id().await.unwrap(), ANVIL_CHAIN);
    assert_eq!(chain.default_sender(), Some(ALICE));
    let (contract, address) = token(&chain).await;
    assert!(!chain.code(address, BlockRef::Latest).await.unwrap().is_empty());
    let receipt = chain.send(transfer(&contract, address, 30)).await.unwrap();
    assert!(receipt.success);
    assert_eq!(receipt.block_number, 2);
    assert_eq!(receipt.logs.len(), 1);
    assert_eq!(receipt.logs[0].topics()[2], BOB.into_word());
    let balance = contract.message(address, "balanceOf", &[account(BOB)]);
    let read = |block| chain.call(balance.clone(), block);
    assert_eq!(
        read(BlockRef::Latest).await.unwrap(),
        Execution::Returned(B256::with_last_byte(30).into())
    );
    assert_eq!(
        read(BlockRef::Number(1)).await.unwrap(),
        Execution::Returned(B256::ZERO.into())
    );
    assert_eq!(chain.block_number().await.unwrap(), 2);
}

#[tokio::test]
async fn a_simulation_needs_no_key_and_sends_nothing() {
    let anvil = Anvil::start();
    let (contract, address) = token(&writable(&anvil).await).await;
    let reader = RpcChain::connect(RpcOptions::new(anvil.url())).await.unwrap();
    assert_eq!(reader.default_sender(), None);
    let message = Message {
        from: Some(ALICE),
        ..transfer(&contract, address, 30)
    };
    let simulation = reader.simulate(message.clone()).await.unwrap();
    assert_eq!(
        simulation.execution,
        Execution::Returned(B256::with_last_byte(1).into())
    );
    assert!(
        simulation.gas > 21_000 && simulation.gas < 100_000,
        "{simulation:?}"
    );
    assert!(simulation.gas_price > U256::ZERO);
    assert_eq!(simulation.block_number, 1);
    assert_eq!(simulation.logs.expect("anvil knows eth_simulateV1").len(), 1);
    assert_eq!(reader.block_number().await.unwrap(), 1);

    let refusal = reader.send(message).await.unwrap_err();
    let ChainError::Refused(SendRefusal::NotConfigured { missing }) = &refusal else {
        panic!("{refusal:?}")
    };
    for word in [
        "TOOLMESH_EVM_PRIVATE_KEY",
        "chain_id",
        "max_fee_wei",
        "max_value_wei",
    ] {
        assert!(missing.contains(word), "{missing}");
    }
}

#[tokio::test]
async fn a_failing_transaction_is_not_sent_and_a_forced_one_is_explained() {
    let anvil = Anvil::start();
    let chain = writable(&anvil).await;
    let (contract, address) = token(&chain).await;
    let refusal = chain.send(transfer(&contract, address, 1_001)).await.unwrap_err();
    let ChainError::WouldFail(Execution::Reverted(reason)) = refusal else {
        panic!("{refusal:?}")
    };
    let error = contract.abi.error("ERC20InsufficientBalance").unwrap()[0].selector();
    assert_eq!(reason[..4], error.0);
    assert_eq!(chain.block_number().await.unwrap(), 1);
    let forced = Message {
        gas_limit: Some(100_000),
        ..transfer(&contract, address, 1_001)
    };
    let receipt = chain.send(forced).await.unwrap();
    assert!(!receipt.success);
    assert_eq!(receipt.output, Some(Execution::Reverted(reason)));
}

#[tokio::test]
async fn limits_of_fee_and_value_and_the_chain_are_kept_before_anything_is_sent() {
    let anvil = Anvil::start();
    let (contract, address) = torture(&writable(&anvil).await).await;
    let pay = Message {
        value: U256::from(2),
        ..contract.message(address, "pay", &[uint(1)])
    };

    let no_value = WritePolicy::new(ANVIL_CHAIN, U256::from(ONE_ETHER));
    let chain = RpcChain::connect(options(&anvil, no_value)).await.unwrap();
    let refusal = chain.send(pay.clone()).await.unwrap_err();
    assert!(
        matches!(refusal, ChainError::Refused(SendRefusal::ValueAboveLimit { .. })),
        "{refusal:?}"
    );

    let no_fee = WritePolicy {
        max_value_wei: U256::from(2),
        ..WritePolicy::new(ANVIL_CHAIN, U256::from(1_000))
    };
    let chain = RpcChain::connect(options(&anvil, no_fee)).await.unwrap();
    let refusal = chain.send(pay.clone()).await.unwrap_err();
    assert!(
        matches!(refusal, ChainError::Refused(SendRefusal::FeeAboveLimit { .. })),
        "{refusal:?}"
    );

    let no_gas = WritePolicy {
        max_value_wei: U256::from(2),
        max_gas: Some(21_000),
        ..WritePolicy::new(ANVIL_CHAIN, U256::from(ONE_ETHER))
    };
    let chain = RpcChain::connect(options(&anvil, no_gas)).await.unwrap();
    for message in [
        pay.clone(),
        Message {
            gas_limit: Some(21_001),
            ..pay.clone()
        },
    ] {
        let refusal = chain.send(message).await.unwrap_err();
        assert!(
            matches!(refusal, ChainError::Refused(SendRefusal::GasAboveLimit { .. })),
            "{refusal:?}"
        );
    }

    let foreign = Message {
        from: Some(BOB),
        ..pay
    };
    let refusal = writable(&anvil).await.send(foreign).await.unwrap_err();
    assert!(
        matches!(
            refusal,
            ChainError::Refused(SendRefusal::ForeignSender { from: BOB, .. })
        ),
        "{refusal:?}"
    );

    let elsewhere = options(&anvil, WritePolicy::new(1, U256::from(ONE_ETHER)));
    let refusal = RpcChain::connect(elsewhere).await.unwrap_err();
    assert_eq!(
        refusal,
        ChainError::WrongChain {
            configured: 1,
            actual: ANVIL_CHAIN
        }
    );
    assert_eq!(chain.block_number().await.unwrap(), 1);
}

#[tokio::test]
async fn five_concurrent_transactions_are_all_mined() {
    let anvil = Anvil::start();
    let chain = writable(&anvil).await;
    let (contract, address) = torture(&chain).await;
    let increment = || chain.send(contract.message(address, "increment", &[]));
    let receipts = tokio::join!(increment(), increment(), increment(), increment(), increment());
    for receipt in [receipts.0, receipts.1, receipts.2, receipts.3, receipts.4] {
        assert!(receipt.unwrap().success);
    }
    assert_eq!(
        counter(&chain, &contract, address, BlockRef::Latest).await,
        U256::from(5)
    );
}

#[tokio::test]
async fn a_transaction_that_no_block_takes_in_time_is_told_by_its_hash() {
    let anvil = Anvil::start_with(&["--no-mining"]);
    let policy = WritePolicy::new(ANVIL_CHAIN, U256::from(ONE_ETHER));
    let options = RpcOptions {
        receipt_timeout: std::time::Duration::from_secs(1),
        ..options(&anvil, policy)
    };
    let chain = RpcChain::connect(options).await.unwrap();
    let failure = chain.send(Message::new(BOB, Bytes::new())).await.unwrap_err();
    let ChainError::Timeout {
        transaction_hash,
        seconds: 1,
    } = failure
    else {
        panic!("{failure:?}")
    };
    assert_ne!(transaction_hash, B256::ZERO);
}

#[tokio::test]
async fn a_chain_without_base_fees_gets_legacy_transactions() {
    let anvil = Anvil::start_with(&["--hardfork", "berlin"]);
    let chain = writable(&anvil).await;
    let receipt = chain.send(Message::new(BOB, Bytes::new())).await.unwrap();
    assert!(receipt.success);
    assert_eq!(receipt.gas_used, 21_000);
    assert!(receipt.effective_gas_price > U256::ZERO);
}

#[tokio::test]
async fn a_node_that_is_not_there_is_told_without_the_secrets_of_its_url() {
    let options = RpcOptions::new("http://user:secret@127.0.0.1:1/v2/secret?key=secret");
    let debug = format!("{options:?}");
    let failure = RpcChain::connect(options).await.unwrap_err();
    assert!(matches!(failure, ChainError::Unreachable { .. }), "{failure:?}");
    let text = failure.to_string();
    assert!(
        text.starts_with("the RPC node http://127.0.0.1:1 cannot be reached ("),
        "{text}"
    );
    for shown in [text, debug, format!("{failure:?}")] {
        assert!(!shown.contains("secret"), "{shown}");
    }
}

#[tokio::test]
async fn five_writers_with_one_key_on_chains_of_their_own_are_all_mined() {
    let anvil = Anvil::start();
    let chain = writable(&anvil).await;
    let (contract, address) = torture(&chain).await;
    let mut writers = Vec::new();
    for _ in 0..5 {
        writers.push(writable(&anvil).await);
    }
    let sent = writers
        .iter()
        .map(|writer| writer.send(contract.message(address, "increment", &[])));
    for receipt in futures_util::future::join_all(sent).await {
        assert!(receipt.unwrap().success);
    }
    assert_eq!(
        counter(&chain, &contract, address, BlockRef::Latest).await,
        U256::from(5)
    );
}

#[tokio::test]
async fn a_refused_broadcast_leaves_no_gap_behind_it() {
    let anvil = Anvil::start();
    let chain = writable(&anvil).await;
    let (contract, address) = torture(&chain).await;
    // More gas than a block has: the node refuses the transaction itself.
    let refused = Message {
        gas_limit: Some(40_000_000),
        ..contract.message(address, "increment", &[])
    };
    let failure = chain.send(refused).await.unwrap_err();
    assert!(matches!(failure, ChainError::Rpc { .. }), "{failure:?}");
    let receipt = chain
        .send(contract.message(address, "increment", &[]))
        .await
        .unwrap();
    assert!(receipt.success);
}

#[tokio::test]
async fn anybody_can_simulate_a_payment_that_they_could_not_make() {
    let anvil = Anvil::start();
    let (contract, address) = torture(&writable(&anvil).await).await;
    let reader = RpcChain::connect(RpcOptions::new(anvil.url())).await.unwrap();
    let message = Message {
        from: Some(address!("0x00000000000000000000000000000000000b0b00")),
        value: U256::from(7),
        ..contract.message(address, "pay", &[uint(1)])
    };
    let on_node = reader.simulate(message.clone()).await.unwrap();
    assert_eq!(
        on_node.execution,
        Execution::Returned(B256::with_last_byte(8).into())
    );
    assert_eq!(on_node.short_of_funds, Some(U256::ZERO));

    let sandbox = SandboxChain::new();
    let code = contract.creation(&[uint(0), alloy_dyn_abi::DynSolValue::String(String::new())]);
    assert_eq!(sandbox.deploy(code, U256::ZERO).await.unwrap().address, address);
    let in_process = sandbox.simulate(message).await.unwrap();
    assert_eq!(in_process.execution, on_node.execution);
    assert_eq!(in_process.short_of_funds, on_node.short_of_funds);
    assert_eq!(in_process.gas, on_node.gas);
}
