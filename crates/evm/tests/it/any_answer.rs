//! Whatever a contract returns, within its types, the answer fits the schema that the tool publishes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, address};
use futures_util::future::BoxFuture;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use toolmesh_evm::chain::{
    Announce, BlockId, BlockRef, Chain, ChainError, Deployment, Execution, LogPage, LogQuery, Message,
    Receipt, SandboxChain, SendRefusal, Simulation,
};
use toolmesh_evm::{EvmSource, Target, encode, tools};

use crate::corpus;
use crate::dispatch::Served;
use crate::generate;

const CONTRACT: Address = address!("0x5FbDB2315678afecb367f032d93F642f64180aa3");

/// A chain on which every call returns what was said last.
#[derive(Debug)]
struct Answering {
    other: SandboxChain,
    returned: Mutex<Bytes>,
}

impl Answering {
    fn execution(&self) -> Execution {
        Execution::Returned(self.returned.lock().unwrap().clone())
    }
}

impl Chain for Answering {
    fn code(&self, _: Address, _: BlockRef) -> BoxFuture<'_, Result<Bytes, ChainError>> {
        Box::pin(async { Ok(Bytes::from([0])) })
    }

    fn call(&self, _: Message, _: BlockRef) -> BoxFuture<'_, Result<Execution, ChainError>> {
        Box::pin(async { Ok(self.execution()) })
    }

    fn simulate(&self, _: Message) -> BoxFuture<'_, Result<Simulation, ChainError>> {
        Box::pin(async {
            Ok(Simulation {
                execution: self.execution(),
                gas: 21_000,
                gas_price: U256::from(7),
                logs: Some(Vec::new()),
                block_number: 0,
                short_of_funds: None,
            })
        })
    }

    fn chain_id(&self) -> BoxFuture<'_, Result<u64, ChainError>> {
        self.other.chain_id()
    }

    fn default_sender(&self) -> Option<Address> {
        self.other.default_sender()
    }

    fn can_send(&self) -> Result<(), SendRefusal> {
        self.other.can_send()
    }

    fn block_number(&self) -> BoxFuture<'_, Result<u64, ChainError>> {
        self.other.block_number()
    }

    fn block(&self, number: u64) -> BoxFuture<'_, Result<Option<BlockId>, ChainError>> {
        self.other.block(number)
    }

    fn storage(&self, address: Address, slot: B256) -> BoxFuture<'_, Result<B256, ChainError>> {
        self.other.storage(address, slot)
    }

    fn balance(&self, address: Address) -> BoxFuture<'_, Result<U256, ChainError>> {
        self.other.balance(address)
    }

    fn simulate_deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Simulation, ChainError>> {
        self.other.simulate_deploy(code, value)
    }

    fn submit(
        &self,
        message: Message,
        announce: Arc<dyn Announce>,
    ) -> BoxFuture<'_, Result<B256, ChainError>> {
        self.other.submit(message, announce)
    }

    fn receipt(&self, hash: B256) -> BoxFuture<'_, Result<Option<Receipt>, ChainError>> {
        self.other.receipt(hash)
    }

    fn receipt_timeout(&self) -> Duration {
        self.other.receipt_timeout()
    }

    fn deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Deployment, ChainError>> {
        self.other.deploy(code, value)
    }

    fn logs(&self, query: LogQuery) -> BoxFuture<'_, Result<LogPage, ChainError>> {
        self.other.logs(query)
    }

    fn wait_for_block(&self, seen: u64) -> BoxFuture<'_, ()> {
        self.other.wait_for_block(seen)
    }
}

/// The dispatcher judges each answer by the tool's output schema; one that does not fit is a failed call.
#[tokio::test]
async fn every_function_of_every_file_may_return_any_value_of_its_types() {
    let mut runner = TestRunner::deterministic();
    let mut calls = 0;
    for (file, interface) in corpus::interfaces() {
        if interface.ensure_callable().is_err() {
            continue;
        }
        let chain = Arc::new(Answering {
            other: SandboxChain::new(),
            returned: Mutex::default(),
        });
        let target = Target::Address {
            address: CONTRACT,
            chain: Arc::clone(&chain) as Arc<dyn Chain>,
        };
        let mapped = tools(&interface, None);
        let source = EvmSource::new("contract", Arc::new(interface), target);
        let served = Served::source(source).await.unwrap();
        for mapped in mapped {
            let (function, tool) = (mapped.function, mapped.tool.unwrap());
            let mut values = |parameters: &[toolmesh_evm::Parameter]| {
                generate::values(parameters)
                    .new_tree(&mut runner)
                    .unwrap()
                    .current()
            };
            let given = corpus::arguments(&function, &values(&function.inputs)).to_text();
            let returned = encode(&function.outputs, &values(&function.outputs));
            *chain.returned.lock().unwrap() = returned.into();
            let result = served.call(tool.name().as_str(), &given).await;
            assert!(
                !result.is_error,
                "{file}: {}: {}",
                function.signature(),
                result.joined_text()
            );
            calls += 1;
        }
    }
    assert!(calls > 400, "{calls}");
}
