//! Executing messages on a state of the sandbox without keeping what they change.

use alloy_primitives::{Address, Bytes, TxKind, U256};
use revm::{
    Context, ExecuteEvm, MainBuilder, MainContext,
    context::{
        CfgEnv, TxEnv,
        result::{EVMError, ExecutionResult, InvalidTransaction, ResultAndState},
    },
    primitives::hardfork::SpecId,
};

use super::{
    account,
    block::Header,
    ledger::{BLOCK_GAS_LIMIT, CHAIN_ID, Ledger},
};
use crate::chain::{BlockRef, ChainError, Execution, Message, Simulation};

/// The hard fork that a sandbox runs. anvil 1.7.1 runs the same instructions and prices by default
/// (`Bpo1` is Osaka with other blob limits).
pub(super) const HARD_FORK: SpecId = SpecId::OSAKA;

/// What a transaction of the sandbox pays above the base fee, in wei per unit of gas.
pub(super) const TIP: u64 = 1;

/// How strictly a request is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A read: gas has no price, anyone may ask.
    Call,
    /// As a transaction would run, but nobody has to hold the gas's price and the nonce is not looked at.
    Simulate,
    /// A transaction: everything is checked and paid.
    Transact,
}

/// A message or a creation, as the EVM takes it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) from: Address,
    pub(super) kind: TxKind,
    pub(super) data: Bytes,
    pub(super) value: U256,
    pub(super) gas_limit: u64,
    pub(super) nonce: u64,
}

impl Request {
    pub(super) fn of(message: &Message) -> Self {
        Self {
            from: message.from.unwrap_or(account::DEFAULT_SENDER),
            kind: TxKind::Call(message.to),
            data: message.data.clone(),
            value: message.value,
            gas_limit: message.gas_limit.unwrap_or(BLOCK_GAS_LIMIT),
            nonce: 0,
        }
    }
}

/// `eth_call`.
pub(super) fn call(ledger: &Ledger, message: &Message, block: BlockRef) -> Result<Execution, ChainError> {
    let header = ledger.header(block)?;
    let mut request = Request::of(message);
    request.gas_limit = request.gas_limit.min(BLOCK_GAS_LIMIT);
    let outcome = run(ledger, &header, header.number, &request, Purpose::Call)?;
    Ok(execution(outcome.result))
}

/// What the message would do as the next transaction.
pub(super) fn simulate(ledger: &Ledger, message: &Message) -> Result<Simulation, ChainError> {
    dry_run(ledger, &Request::of(message))
}

/// What the request would do as the next transaction.
pub(super) fn dry_run(ledger: &Ledger, request: &Request) -> Result<Simulation, ChainError> {
    let pending = ledger.pending();
    let state = ledger.head().number;
    let holds = ledger.balance(request.from);
    let result = run(ledger, &pending, state, request, Purpose::Simulate)?.result;
    let gas = match &result {
        ExecutionResult::Success { gas, .. } => {
            let used = gas.total_gas_spent().max(gas.floor_gas());
            least_gas(ledger, &pending, request, used)?
        }
        ExecutionResult::Revert { .. } | ExecutionResult::Halt { .. } => result.tx_gas_used(),
    };
    Ok(Simulation {
        gas,
        gas_price: U256::from(gas_price(&pending)),
        logs: Some(kept_logs(&result)),
        execution: execution(result),
        block_number: state,
        short_of_funds: (holds < request.value).then_some(holds),
    })
}

/// The price of gas in `block`, in wei.
pub(super) fn gas_price(block: &Header) -> u64 {
    block.base_fee.saturating_add(TIP)
}

/// Runs `request` in the environment of `block` on the state after the block numbered `state`.
pub(super) fn run(
    ledger: &Ledger,
    block: &Header,
    state: u64,
    request: &Request,
    purpose: Purpose,
) -> Result<ResultAndState, ChainError> {
    let mut state = ledger.state_after(state);
    if purpose == Purpose::Simulate {
        state.lend(request.from, request.value);
    }
    Context::mainnet()
        .with_cfg(configuration(purpose))
        .with_block(block.environment())
        .with_ref_db(state)
        .build_mainnet()
        .transact(transaction(request, block, purpose))
        .map_err(refused)
}

/// How a result reads for callers of the chain.
pub(super) fn execution(result: ExecutionResult) -> Execution {
    match result {
        ExecutionResult::Success { output, .. } => Execution::Returned(output.into_data()),
        ExecutionResult::Revert { output, .. } => Execution::Reverted(output),
        ExecutionResult::Halt { reason, .. } => Execution::Halted(reason.to_string()),
    }
}

/// The logs that remain: those of a success.
pub(super) fn kept_logs(result: &ExecutionResult) -> Vec<alloy_primitives::Log> {
    if result.is_success() {
        result.logs().to_vec()
    } else {
        Vec::new()
    }
}

fn configuration(purpose: Purpose) -> CfgEnv {
    let mut configuration = CfgEnv::new()
        .with_chain_id(CHAIN_ID)
        .with_spec_and_mainnet_gas_params(HARD_FORK);
    // The block's limit is the only one, as on anvil: a cap per transaction (EIP-7825) protects block
    // builders, and a sandbox has none.
    configuration.tx_gas_limit_cap = Some(BLOCK_GAS_LIMIT);
    let rehearsal = purpose != Purpose::Transact;
    configuration.disable_nonce_check = rehearsal;
    configuration.disable_eip3607 = rehearsal;
    configuration.disable_fee_charge = rehearsal;

    configuration.disable_base_fee = purpose == Purpose::Call;
    configuration
}

fn transaction(request: &Request, block: &Header, purpose: Purpose) -> TxEnv {
    let builder = TxEnv::builder()
        .caller(request.from)
        .kind(request.kind)
        .data(request.data.clone())
        .value(request.value)
        .gas_limit(request.gas_limit)
        .nonce(request.nonce)
        .chain_id(Some(CHAIN_ID));
    if purpose == Purpose::Call {
        return builder.gas_price(0).build_fill();
    }
    builder
        .max_fee_per_gas(max_fee(block))
        .gas_priority_fee(Some(u128::from(TIP)))
        .build_fill()
}

/// The highest price that a transaction of the sandbox offers, in wei per unit of gas.
pub(super) fn max_fee(block: &Header) -> u128 {
    u128::from(block.base_fee) * 2 + u128::from(TIP)
}

/// The smallest gas limit with which the request, which used `used` with its own limit, succeeds.
///
/// It is mostly what was used; more only where gas must be held back that is not used in the end (a
/// call keeps a 64th, a stipend, a refund), and then it is searched for.
fn least_gas(ledger: &Ledger, block: &Header, request: &Request, used: u64) -> Result<u64, ChainError> {
    let enough = |gas_limit| -> Result<bool, ChainError> {
        let attempt = Request {
            gas_limit,
            ..request.clone()
        };
        let outcome = run(ledger, block, ledger.head().number, &attempt, Purpose::Simulate)?;
        Ok(outcome.result.is_success())
    };
    if enough(used)? {
        return Ok(used);
    }
    let (mut too_little, mut sufficient) = (used, request.gas_limit);
    while sufficient.saturating_sub(too_little) > 1 {
        let middle = too_little.midpoint(sufficient);
        if enough(middle)? {
            sufficient = middle;
        } else {
            too_little = middle;
        }
    }
    Ok(sufficient)
}

fn refused(error: EVMError<std::convert::Infallible>) -> ChainError {
    let reason = match error {
        EVMError::Transaction(InvalidTransaction::LackOfFundForMaxFee { fee, balance }) => format!(
            "the sender holds {balance} wei, but value and gas may need {fee} wei: use a funded account or \
             a smaller value"
        ),
        EVMError::Transaction(
            InvalidTransaction::CallGasCostMoreThanGasLimit {
                initial_gas: needed, ..
            }
            | InvalidTransaction::GasFloorMoreThanGasLimit {
                gas_floor: needed, ..
            },
        ) if needed > BLOCK_GAS_LIMIT => format!(
            "the arguments are too long: their bytes alone need {needed} gas, and a block of the sandbox chain has \
             {BLOCK_GAS_LIMIT}"
        ),
        EVMError::Transaction(
            InvalidTransaction::CallGasCostMoreThanGasLimit {
                initial_gas: needed,
                gas_limit,
            }
            | InvalidTransaction::GasFloorMoreThanGasLimit {
                gas_floor: needed,
                gas_limit,
            },
        ) => format!("the gas limit {gas_limit} is too small: the transaction needs at least {needed}"),
        EVMError::Transaction(
            InvalidTransaction::CallerGasLimitMoreThanBlock
            | InvalidTransaction::TxGasLimitGreaterThanCap { .. },
        ) => format!("the gas limit is larger than a block of the sandbox chain ({BLOCK_GAS_LIMIT})"),
        other => format!("the sandbox chain refused the transaction: {other}"),
    };
    ChainError::Internal(reason)
}
