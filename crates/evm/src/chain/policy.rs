//! What an RPC chain may send: the limits an operator sets before anything is signed.

use alloy_primitives::U256;

use super::{ChainError, SendRefusal};

/// The limits of transactions on an RPC chain. Without one, nothing is ever signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePolicy {
    /// The chain that transactions are meant for (`chain_id` of the source). The node must report the
    /// same id before each signature.
    pub chain_id: u64,
    /// The most that the gas of one transaction may cost, in wei (`max_fee_wei` of the source).
    pub max_fee_wei: U256,
    /// The most that one transaction may pay to a contract, in wei (`max_value_wei` of the source).
    /// Nothing, unless the operator says otherwise.
    pub max_value_wei: U256,
    /// The most gas that one transaction may be given (`max_gas` of the source); `None` leaves it to what it may cost.
    pub max_gas: Option<u64>,
}

impl WritePolicy {
    /// A policy that lets transactions spend up to `max_fee_wei` on gas and pay nothing.
    #[must_use]
    pub fn new(chain_id: u64, max_fee_wei: U256) -> Self {
        Self {
            chain_id,
            max_fee_wei,
            max_value_wei: U256::ZERO,
            max_gas: None,
        }
    }

    /// The node must be of the configured chain.
    pub(super) fn check_chain(&self, actual: u64) -> Result<(), ChainError> {
        if actual == self.chain_id {
            return Ok(());
        }
        Err(ChainError::WrongChain {
            configured: self.chain_id,
            actual,
        })
    }

    /// The most gas that it may be given.
    pub(super) fn check_gas(&self, gas_limit: u64) -> Result<(), SendRefusal> {
        match self.max_gas {
            Some(max_gas) if gas_limit > max_gas => Err(SendRefusal::GasAboveLimit { gas_limit, max_gas }),
            _ => Ok(()),
        }
    }

    /// The most that the gas may cost.
    pub(super) fn check_fee(&self, fee_wei: U256) -> Result<(), SendRefusal> {
        if fee_wei <= self.max_fee_wei {
            return Ok(());
        }
        Err(SendRefusal::FeeAboveLimit {
            fee_wei,
            max_fee_wei: self.max_fee_wei,
        })
    }

    /// The most that the contract may be paid.
    pub(super) fn check_value(&self, value_wei: U256) -> Result<(), SendRefusal> {
        if value_wei <= self.max_value_wei {
            return Ok(());
        }
        Err(SendRefusal::ValueAboveLimit {
            value_wei,
            max_value_wei: self.max_value_wei,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_may_be_reached_but_not_passed() {
        let policy = WritePolicy {
            max_value_wei: U256::from(5),
            max_gas: Some(21_000),
            ..WritePolicy::new(1, U256::from(10))
        };
        assert!(policy.check_fee(U256::from(10)).is_ok());
        assert!(policy.check_fee(U256::from(11)).is_err());
        assert!(policy.check_value(U256::from(5)).is_ok());
        assert!(policy.check_value(U256::from(6)).is_err());
        assert!(policy.check_gas(21_000).is_ok());
        assert_eq!(
            policy.check_gas(21_001).unwrap_err().to_string(),
            "the transaction needs 21001 gas, more than the 21000 of `max_gas`"
        );
        assert!(WritePolicy::new(1, U256::MAX).check_gas(u64::MAX).is_ok());
    }

    #[test]
    fn nothing_is_paid_unless_the_operator_says_so() {
        let policy = WritePolicy::new(1, U256::MAX);
        assert!(policy.check_value(U256::ZERO).is_ok());
        assert_eq!(
            policy.check_value(U256::ONE).unwrap_err().to_string(),
            "the transaction pays 1 wei, more than the 0 wei of `max_value_wei`"
        );
    }

    #[test]
    fn another_chain_than_the_configured_one_is_refused() {
        let refusal = WritePolicy::new(1, U256::MAX).check_chain(137).unwrap_err();
        assert_eq!(
            refusal,
            ChainError::WrongChain {
                configured: 1,
                actual: 137
            }
        );
    }
}
