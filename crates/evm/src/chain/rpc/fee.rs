//! The price of gas: EIP-1559 where the chain has it, a legacy gas price elsewhere.

use alloy_primitives::U128;
use alloy_provider::utils::{
    EIP1559_FEE_ESTIMATION_PAST_BLOCKS, EIP1559_FEE_ESTIMATION_REWARD_PERCENTILE, Eip1559Estimator,
};
use serde_json::json;

use super::{
    answer::{FeeHistory, Head},
    node::Node,
};
use crate::chain::ChainError;

/// What a transaction offers for a unit of gas, in wei.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fees {
    /// The most that it pays.
    pub(super) highest: u128,
    /// What goes to the block's builder; `None` makes a legacy transaction.
    pub(super) tip: Option<u128>,
    /// What it pays if the base fee stays as it is.
    pub(super) expected: u128,
}

impl Fees {
    /// What to offer now, with `head` as the latest block.
    pub(super) async fn of(node: &Node, head: &Head) -> Result<Self, ChainError> {
        if head.base_fee_per_gas.is_some() {
            let blocks = format!("{EIP1559_FEE_ESTIMATION_PAST_BLOCKS:#x}");
            let question = json!([blocks, "latest", [EIP1559_FEE_ESTIMATION_REWARD_PERCENTILE]]);
            if let Some(fees) = node
                .ask("eth_feeHistory", &question)
                .await
                .ok()
                .and_then(Self::from_history)
            {
                return Ok(fees);
            }
        }
        let price: U128 = node.read("eth_gasPrice", json!([])).await?;
        Ok(Self {
            highest: price.to(),
            tip: None,
            expected: price.to(),
        })
    }

    /// Twice the next base fee, and the tip that a fifth of the recent transactions stayed under.
    fn from_history(history: FeeHistory) -> Option<Self> {
        let base: u128 = history
            .base_fee_per_gas
            .last()
            .filter(|base| !base.is_zero())?
            .to();
        let rewards: Vec<Vec<u128>> = history
            .reward
            .unwrap_or_default()
            .into_iter()
            .map(|block| block.into_iter().map(|reward| reward.to()).collect())
            .collect();
        let offer = Eip1559Estimator::default().estimate(base, &rewards);
        let tip = offer.max_priority_fee_per_gas;
        Some(Self {
            highest: offer.max_fee_per_gas,
            tip: Some(tip),
            expected: base.saturating_add(tip),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_covers_twice_the_next_base_fee_and_the_tip() {
        let history = FeeHistory {
            base_fee_per_gas: vec![U128::from(900), U128::from(1_000)],
            reward: Some(vec![vec![U128::from(7)]]),
        };
        let fees = Fees::from_history(history).unwrap();
        assert_eq!(
            fees,
            Fees {
                highest: 2_007,
                tip: Some(7),
                expected: 1_007
            }
        );
    }

    #[test]
    fn a_history_without_base_fees_makes_no_offer() {
        let history = FeeHistory {
            base_fee_per_gas: vec![U128::ZERO],
            reward: None,
        };
        assert_eq!(Fees::from_history(history), None);
    }
}
