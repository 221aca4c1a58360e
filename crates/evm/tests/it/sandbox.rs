//! The sandbox chain by itself.

use alloy_primitives::{Address, B256, Bytes, U256, address, b256};
use toolmesh_evm::chain::{
    BLOCK_GAS_LIMIT, BlockRef, Chain, ChainError, Clock, Execution, Message, SandboxChain, SendRefusal,
};

use crate::contract::{Contract, account, uint};

const ALICE: Address = address!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
const BOB: Address = address!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
const STRANGER: Address = address!("0x00000000000000000000000000000000000000aa");
const TEN_THOUSAND_ETHER: u128 = 10_000_000_000_000_000_000_000;
const TRANSFER: B256 = b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

struct Token {
    chain: SandboxChain,
    contract: Contract,
    address: Address,
}

impl Token {
    async fn deployed() -> Self {
        let chain = SandboxChain::with_clock(Clock::Steps(1_000));
        let contract = Contract::compiled("token");
        let deployment = chain
            .deploy(contract.creation(&[uint(1_000)]), U256::ZERO)
            .await
            .unwrap();
        assert!(deployment.receipt.success);
        Self {
            chain,
            contract,
            address: deployment.address,
        }
    }

    fn transfer(&self, to: Address, value: u64) -> Message {
        self.contract
            .message(self.address, "transfer", &[account(to), uint(value)])
    }

    async fn balance(&self, of: Address, block: BlockRef) -> u64 {
        let message = self.contract.message(self.address, "balanceOf", &[account(of)]);
        match self.chain.call(message, block).await.unwrap() {
            Execution::Returned(output) => U256::from_be_slice(&output).to(),
            other => panic!("{other:?}"),
        }
    }
}

async fn torture() -> (SandboxChain, Contract, Address) {
    let chain = SandboxChain::new();
    let contract = Contract::compiled("torture");
    let code = contract.creation(&[uint(7), alloy_dyn_abi::DynSolValue::String("label".to_owned())]);
    let deployment = chain.deploy(code, U256::ZERO).await.unwrap();
    (chain, contract, deployment.address)
}

/// Creation code that leaves `runtime` as the contract's code: PUSH1 length, DUP1, PUSH1 9 (where the
/// runtime code begins), PUSH0, CODECOPY, PUSH0, RETURN.
fn creation_of(runtime: &str) -> Bytes {
    format!("60{:02x}8060095f395ff3{runtime}", runtime.len() / 2)
        .parse()
        .unwrap()
}

#[tokio::test]
async fn a_new_sandbox_has_ten_accounts_with_ten_thousand_ether_and_one_block() {
    let chain = SandboxChain::new();
    assert_eq!(chain.chain_id().await.unwrap(), 31_337);
    assert_eq!(chain.block_number().await.unwrap(), 0);
    assert_eq!(chain.default_sender(), Some(ALICE));
    assert_eq!(chain.accounts().len(), 10);
    assert_eq!(chain.accounts()[1], BOB);
    for account in chain.accounts() {
        assert_eq!(
            chain.balance(*account).await.unwrap(),
            U256::from(TEN_THOUSAND_ETHER)
        );
    }
    assert_eq!(chain.balance(STRANGER).await.unwrap(), U256::ZERO);
    assert!(chain.can_send().is_ok());
}

#[tokio::test]
async fn the_first_contract_stands_at_the_address_that_anvil_gives() {
    let token = Token::deployed().await;
    assert_eq!(
        token.address,
        address!("0x5FbDB2315678afecb367f032d93F642f64180aa3")
    );
    assert!(
        !token
            .chain
            .code(token.address, BlockRef::Latest)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        token
            .chain
            .code(STRANGER, BlockRef::Latest)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_transfer_changes_the_balances_and_leaves_a_log() {
    let token = Token::deployed().await;
    let receipt = token.chain.send(token.transfer(BOB, 30)).await.unwrap();
    assert!(receipt.success);
    assert_eq!(receipt.block_number, 2);
    assert_eq!(token.balance(ALICE, BlockRef::Latest).await, 970);
    assert_eq!(token.balance(BOB, BlockRef::Latest).await, 30);
    let topics = [TRANSFER, ALICE.into_word(), BOB.into_word()];
    assert_eq!(receipt.logs.len(), 1);
    assert_eq!(receipt.logs[0].address, token.address);
    assert_eq!(receipt.logs[0].topics(), topics);
    assert_eq!(U256::from_be_slice(&receipt.logs[0].data.data), U256::from(30));
    assert_eq!(
        receipt.output,
        Some(Execution::Returned(B256::with_last_byte(1).into()))
    );
}

#[tokio::test]
async fn a_transaction_pays_its_gas_at_the_price_of_the_receipt() {
    let token = Token::deployed().await;
    let before = token.chain.balance(ALICE).await.unwrap();
    let receipt = token.chain.send(token.transfer(BOB, 30)).await.unwrap();
    let paid = before - token.chain.balance(ALICE).await.unwrap();
    assert_eq!(paid, U256::from(receipt.gas_used) * receipt.effective_gas_price);
}

#[tokio::test]
async fn a_call_and_a_simulation_change_nothing() {
    let token = Token::deployed().await;
    let before = token.chain.balance(ALICE).await.unwrap();
    let simulation = token.chain.simulate(token.transfer(BOB, 30)).await.unwrap();
    assert_eq!(
        simulation.execution,
        Execution::Returned(B256::with_last_byte(1).into())
    );
    assert_eq!(simulation.logs.unwrap().len(), 1);
    let called = token
        .chain
        .call(token.transfer(BOB, 30), BlockRef::Latest)
        .await
        .unwrap();
    assert!(called.is_success());
    assert_eq!(token.balance(BOB, BlockRef::Latest).await, 0);
    assert_eq!(token.chain.balance(ALICE).await.unwrap(), before);
    assert_eq!(token.chain.block_number().await.unwrap(), 1);
}

#[tokio::test]
async fn a_simulated_gas_is_the_least_with_which_the_transaction_succeeds() {
    let token = Token::deployed().await;
    let gas = token.chain.simulate(token.transfer(BOB, 30)).await.unwrap().gas;
    let with_limit = |limit| Message {
        gas_limit: Some(limit),
        ..token.transfer(BOB, 30)
    };
    let short = token.chain.send(with_limit(gas - 1)).await.unwrap();
    assert!(!short.success);
    assert!(
        matches!(short.output, Some(Execution::Halted(ref why)) if why.contains("gas")),
        "{short:?}"
    );
    assert_eq!(short.gas_used, gas - 1);
    assert!(token.chain.send(with_limit(gas)).await.unwrap().success);
}

#[tokio::test]
async fn the_state_is_readable_as_it_was_after_an_earlier_block() {
    let token = Token::deployed().await;
    token.chain.send(token.transfer(BOB, 30)).await.unwrap();
    token.chain.send(token.transfer(BOB, 5)).await.unwrap();
    assert_eq!(token.balance(BOB, BlockRef::Number(1)).await, 0);
    assert_eq!(token.balance(BOB, BlockRef::Number(2)).await, 30);
    assert_eq!(token.balance(BOB, BlockRef::Number(3)).await, 35);
    assert_eq!(token.balance(BOB, BlockRef::Latest).await, 35);
    let before_the_contract = token.contract.message(token.address, "totalSupply", &[]);
    let nothing = token
        .chain
        .call(before_the_contract, BlockRef::Number(0))
        .await
        .unwrap();
    assert_eq!(nothing, Execution::Returned(Bytes::new()));
}

#[tokio::test]
async fn a_transaction_that_fails_is_not_sent_unless_it_has_a_gas_limit() {
    let token = Token::deployed().await;
    let too_much = token.transfer(BOB, 1_001);
    let refusal = token.chain.send(too_much.clone()).await.unwrap_err();
    let ChainError::WouldFail(Execution::Reverted(reason)) = refusal else {
        panic!("{refusal:?}")
    };
    let error = token.contract.abi.error("ERC20InsufficientBalance").unwrap()[0].selector();
    assert_eq!(reason[..4], error.0);
    assert_eq!(token.chain.block_number().await.unwrap(), 1);

    let receipt = token
        .chain
        .send(Message {
            gas_limit: Some(100_000),
            ..too_much
        })
        .await
        .unwrap();
    assert!(!receipt.success);
    assert_eq!(receipt.output, Some(Execution::Reverted(reason)));
    assert!(receipt.logs.is_empty());
    assert_eq!(token.chain.block_number().await.unwrap(), 2);
    assert_eq!(token.balance(ALICE, BlockRef::Latest).await, 1_000);
}

#[tokio::test]
async fn anyone_can_be_simulated_but_only_development_accounts_can_send() {
    let token = Token::deployed().await;
    let from_stranger = Message {
        from: Some(STRANGER),
        ..token.transfer(BOB, 0)
    };
    assert!(
        token
            .chain
            .simulate(from_stranger.clone())
            .await
            .unwrap()
            .execution
            .is_success()
    );
    let refusal = token.chain.send(from_stranger).await.unwrap_err();
    assert!(matches!(
        refusal,
        ChainError::Refused(SendRefusal::ForeignSender { from: STRANGER, .. })
    ));
    assert!(refusal.to_string().contains(&BOB.to_string()), "{refusal}");
    let from_bob = Message {
        from: Some(BOB),
        ..token.transfer(ALICE, 0)
    };
    assert!(token.chain.send(from_bob).await.unwrap().success);
}

#[tokio::test]
async fn value_is_paid_to_the_contract_and_must_be_there() {
    let (chain, contract, address) = torture().await;
    let pay = |value| Message {
        value,
        ..contract.message(address, "pay", &[uint(1)])
    };
    let receipt = chain.send(pay(U256::from(5))).await.unwrap();
    assert_eq!(
        receipt.output,
        Some(Execution::Returned(B256::with_last_byte(6).into()))
    );
    assert_eq!(chain.balance(address).await.unwrap(), U256::from(5));
    let too_much = chain
        .simulate(pay(U256::from(TEN_THOUSAND_ETHER) + U256::ONE))
        .await
        .unwrap();
    assert!(too_much.execution.is_success());
    let holds = chain.balance(chain.default_sender().unwrap()).await.unwrap();
    assert_eq!(too_much.short_of_funds, Some(holds));
    let refusal = chain
        .send(pay(U256::from(TEN_THOUSAND_ETHER) + U256::ONE))
        .await
        .unwrap_err();
    assert!(refusal.to_string().starts_with("the sender holds "), "{refusal}");
    let refusal = chain
        .send(Message {
            gas_limit: Some(50_000),
            ..pay(U256::MAX >> 1)
        })
        .await
        .unwrap_err();
    assert!(refusal.to_string().starts_with("the sender holds "), "{refusal}");
}

#[tokio::test]
async fn an_endless_execution_is_stopped_by_the_block_s_gas() {
    let chain = SandboxChain::new();
    // JUMPDEST PUSH0 JUMP
    let deployment = chain.deploy(creation_of("5b5f56"), U256::ZERO).await.unwrap();
    let burn = Message::new(deployment.address, Bytes::new());
    let simulation = chain.simulate(burn.clone()).await.unwrap();
    assert!(
        matches!(&simulation.execution, Execution::Halted(why) if why.contains("gas")),
        "{simulation:?}"
    );
    assert_eq!(simulation.gas, BLOCK_GAS_LIMIT);
    let larger = Message {
        gas_limit: Some(u64::MAX),
        ..burn
    };
    assert!(matches!(
        chain.call(larger.clone(), BlockRef::Latest).await.unwrap(),
        Execution::Halted(_)
    ));
    let refusal = chain.send(larger).await.unwrap_err();
    assert!(refusal.to_string().contains("larger than a block"), "{refusal}");
}

#[tokio::test]
async fn a_gas_limit_below_the_intrinsic_gas_is_told_with_the_least() {
    let (chain, contract, address) = torture().await;
    let message = Message {
        gas_limit: Some(21_000),
        ..contract.message(address, "increment", &[])
    };
    let refusal = chain.send(message).await.unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the gas limit 21000 is too small: the transaction needs at least 21064"
    );
}

#[tokio::test]
async fn reverts_come_as_the_bytes_that_the_contract_gave() {
    let (chain, contract, address) = torture().await;
    let mut selectors = Vec::new();
    for mode in 0..=6 {
        let message = contract.message(address, "boom", &[uint(mode)]);
        match chain.call(message, BlockRef::Latest).await.unwrap() {
            Execution::Reverted(data) => {
                selectors.push(Bytes::copy_from_slice(data.get(..4).unwrap_or(&data)))
            }
            other => panic!("mode {mode}: {other:?}"),
        }
    }
    let error = |name: &str| Bytes::from(contract.abi.error(name).unwrap()[0].selector().0);
    let (text, panic) = (
        Bytes::from([0x08, 0xc3, 0x79, 0xa0]),
        Bytes::from([0x4e, 0x48, 0x7b, 0x71]),
    );
    let expected = [
        error("Unauthorized"),
        text,
        panic.clone(),
        panic,
        error("Empty"),
        Bytes::new(),
        error("BadOrder"),
    ];
    assert_eq!(selectors, expected);
}

#[tokio::test]
async fn concurrent_transactions_each_get_a_block_and_a_hash() {
    let (chain, contract, address) = torture().await;
    let increment = || chain.send(contract.message(address, "increment", &[]));
    let (a, b, c) = tokio::join!(increment(), increment(), increment());
    let receipts = [a.unwrap(), b.unwrap(), c.unwrap()];
    let mut blocks: Vec<u64> = receipts.iter().map(|receipt| receipt.block_number).collect();
    blocks.sort_unstable();
    assert_eq!(blocks, [2, 3, 4]);
    assert_ne!(receipts[0].transaction_hash, receipts[1].transaction_hash);
    assert_ne!(receipts[1].transaction_hash, receipts[2].transaction_hash);
    let counter = chain
        .call(contract.message(address, "counter", &[]), BlockRef::Latest)
        .await
        .unwrap();
    assert_eq!(counter, Execution::Returned(B256::with_last_byte(10).into()));
}

#[tokio::test]
async fn a_constructor_that_reverts_is_not_deployed() {
    let chain = SandboxChain::new();
    // PUSH0 PUSH0 REVERT
    let refusal = chain
        .deploy(Bytes::from([0x5f, 0x5f, 0xfd]), U256::ZERO)
        .await
        .unwrap_err();
    assert_eq!(refusal, ChainError::WouldFail(Execution::Reverted(Bytes::new())));
    assert_eq!(chain.block_number().await.unwrap(), 0);
}

#[tokio::test]
async fn a_contract_sees_the_number_and_time_of_its_block_and_the_hash_of_the_one_before() {
    let chain = SandboxChain::with_clock(Clock::Steps(1_000));
    // MSTORE of NUMBER, TIMESTAMP and BLOCKHASH(NUMBER - 1), and RETURN of the three words.
    let runtime = "435f5242602052600143034060405260605ff3";
    let deployment = chain.deploy(creation_of(runtime), U256::ZERO).await.unwrap();
    let receipt = chain
        .send(Message::new(deployment.address, Bytes::new()))
        .await
        .unwrap();
    let Some(Execution::Returned(output)) = receipt.output else {
        panic!("{:?}", receipt.output)
    };
    let word = |index: usize| U256::from_be_slice(&output[index * 32..(index + 1) * 32]);
    assert_eq!(word(0), U256::from(2));
    assert_eq!(word(1), U256::from(1_002));
    assert_ne!(word(2), U256::ZERO);
}

#[tokio::test]
async fn a_long_execution_stops_nobody() {
    let chain = SandboxChain::new();
    let endless = chain
        .deploy(creation_of("5b5f56"), U256::ZERO)
        .await
        .unwrap()
        .address;
    let call = |to| chain.call(Message::new(to, Bytes::new()), BlockRef::Latest);
    let order = std::sync::Mutex::new(Vec::new());
    let noted = |name: &'static str| order.lock().unwrap().push(name);
    let long = async {
        for _ in 0..5 {
            call(endless).await.unwrap();
        }
        noted("execution");
    };
    let short = async {
        let message = Message {
            value: U256::from(1),
            ..Message::new(BOB, Bytes::new())
        };
        assert!(chain.send(message).await.unwrap().success);
        assert_eq!(chain.block_number().await.unwrap(), 2);
        noted("transaction");
    };
    tokio::join!(long, short);
    assert_eq!(*order.lock().unwrap(), ["transaction", "execution"]);
}
