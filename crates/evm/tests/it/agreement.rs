//! The sandbox and a real anvil, given the same transactions, must agree on everything that counts.

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::{Address, B256, Log, U256, address};
use toolmesh_evm::chain::{BlockRef, Chain, ChainError, Execution, Message, Receipt, SandboxChain};
use toolmesh_testkit::Anvil;

use crate::{
    anvil::writable,
    contract::{Contract, account, uint},
};

const ALICE: Address = address!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
const BOB: Address = address!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");

/// What one step of a scenario did, as far as two chains can agree on it.
#[derive(Debug, PartialEq)]
enum Step {
    Deployed(Address, Mined),
    Sent {
        simulated: Execution,
        estimate: u64,
        logs: Vec<Log>,
        mined: Mined,
    },
    Refused(Execution),
    Called(Execution),
    Balance(U256),
}

#[derive(Debug, PartialEq)]
struct Mined {
    block: u64,
    gas_used: u64,
    gas_price: U256,
    logs: Vec<Log>,
}

impl From<Receipt> for Mined {
    fn from(receipt: Receipt) -> Self {
        assert!(receipt.success);
        Self {
            block: receipt.block_number,
            gas_used: receipt.gas_used,
            gas_price: receipt.effective_gas_price,
            logs: receipt.logs,
        }
    }
}

async fn deploy(chain: &dyn Chain, contract: &Contract, arguments: &[DynSolValue]) -> (Address, Step) {
    let deployment = chain
        .deploy(contract.creation(arguments), U256::ZERO)
        .await
        .unwrap();
    (
        deployment.address,
        Step::Deployed(deployment.address, deployment.receipt.into()),
    )
}

async fn send(chain: &dyn Chain, message: Message) -> Step {
    let simulation = chain.simulate(message.clone()).await.unwrap();
    match chain.send(message).await {
        Ok(receipt) => Step::Sent {
            simulated: simulation.execution,
            estimate: simulation.gas,
            logs: simulation.logs.unwrap(),
            mined: receipt.into(),
        },
        Err(ChainError::WouldFail(execution)) => {
            assert_eq!(execution, simulation.execution);
            Step::Refused(execution)
        }
        Err(other) => panic!("{other}"),
    }
}

async fn call(chain: &dyn Chain, message: Message) -> Step {
    Step::Called(chain.call(message, BlockRef::Latest).await.unwrap())
}

async fn token(chain: &dyn Chain) -> Vec<Step> {
    let token = Contract::compiled("token");
    let (at, deployed) = deploy(chain, &token, &[uint(1_000_000)]).await;
    let mut steps = vec![deployed];
    for (function, arguments) in [
        ("transfer", vec![account(BOB), uint(250)]),
        ("transfer", vec![account(BOB), uint(1)]),
        ("transfer", vec![account(BOB), uint(10_000_000)]),
        ("approve", vec![account(ALICE), uint(40)]),
        ("transferFrom", vec![account(ALICE), account(BOB), uint(40)]),
        ("transferFrom", vec![account(ALICE), account(BOB), uint(40)]),
        ("transfer", vec![account(BOB), uint(999_709)]),
    ] {
        steps.push(send(chain, token.message(at, function, &arguments)).await);
    }
    for owner in [ALICE, BOB] {
        steps.push(call(chain, token.message(at, "balanceOf", &[account(owner)])).await);
        steps.push(Step::Balance(chain.balance(owner).await.unwrap()));
    }
    steps
}

/// An order that is empty but for its note.
fn order(note: &str) -> DynSolValue {
    let inner = DynSolValue::Tuple(vec![
        account(BOB),
        uint(5),
        DynSolValue::FixedBytes(B256::ZERO, 32),
    ]);
    DynSolValue::Tuple(vec![
        DynSolValue::Uint(U256::from(1), 8),
        inner.clone(),
        DynSolValue::Array(vec![inner.clone(), inner]),
        DynSolValue::Array(vec![]),
        DynSolValue::String(note.to_owned()),
    ])
}

async fn torture(chain: &dyn Chain) -> Vec<Step> {
    let torture = Contract::compiled("torture");
    let arguments = [uint(7), DynSolValue::String("label".to_owned())];
    let (at, deployed) = deploy(chain, &torture, &arguments).await;
    let mut steps = vec![deployed];
    let side = DynSolValue::Uint(U256::from(2), 8);
    let place = |note: &str| torture.message(at, "placeOrder", &[uint(1), order(note), side.clone()]);
    steps.push(send(chain, place("a note that is longer than thirty-two bytes")).await);
    // Storage is cleared here: gas is given back.
    steps.push(send(chain, place("")).await);
    steps.push(send(chain, torture.message(at, "increment", &[])).await);
    let value = U256::from(3);
    steps.push(
        send(
            chain,
            Message {
                value,
                ..torture.message(at, "pay", &[uint(1)])
            },
        )
        .await,
    );
    steps.push(
        send(
            chain,
            Message {
                value,
                ..Message::new(BOB, Default::default())
            },
        )
        .await,
    );
    steps.push(send(chain, torture.message(at, "burnGas", &[uint(1)])).await);
    steps.push(send(chain, torture.message(at, "burnGas", &[uint(500)])).await);
    for mode in 0..=6 {
        steps.push(call(chain, torture.message(at, "boom", &[uint(mode)])).await);
    }
    steps.push(call(chain, torture.message(at, "getOrder", &[uint(1)])).await);
    steps.push(call(chain, Message::new(at, vec![0xde, 0xad, 0xbe, 0xef].into())).await);
    steps.push(Step::Balance(chain.balance(ALICE).await.unwrap()));
    steps.push(Step::Balance(chain.balance(at).await.unwrap()));
    steps
}

fn assert_same(sandbox: &[Step], anvil: &[Step]) {
    assert_eq!(sandbox.len(), anvil.len());
    for (index, (sandbox, anvil)) in sandbox.iter().zip(anvil).enumerate() {
        assert_eq!(
            sandbox, anvil,
            "step {index}: sandbox on the left, anvil on the right"
        );
    }
}

#[tokio::test]
async fn a_token_s_life_is_the_same_on_the_sandbox_and_on_anvil_to_the_unit_of_gas() {
    let anvil = Anvil::start();
    let sandbox = token(&SandboxChain::new()).await;
    assert_same(&sandbox, &token(&writable(&anvil).await).await);
    let Step::Deployed(address, _) = &sandbox[0] else {
        panic!("{sandbox:?}")
    };
    assert_eq!(*address, address!("0x5FbDB2315678afecb367f032d93F642f64180aa3"));
}

#[tokio::test]
async fn the_torture_contract_behaves_the_same_on_the_sandbox_and_on_anvil() {
    let anvil = Anvil::start();
    assert_same(
        &torture(&SandboxChain::new()).await,
        &torture(&writable(&anvil).await).await,
    );
}
