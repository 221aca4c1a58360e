//! Questions to the contract.

use std::sync::Arc;

use alloy_primitives::{Address, Bytes, U256};

use crate::chain::{BlockRef, Execution, Message};
use crate::model::{Function, Interface, Parameter, SolidityType};
use crate::revert::Revert;
use crate::standard::standards;
use crate::text::{NAME_CHARS, clean};
use crate::tool::answer::Fault;
use crate::tool::{Contract, Shared};
use crate::units::MAX_DECIMALS;
use crate::value::{SolidityValue, decode, encode};

/// Asks one contract.
#[derive(Clone, Debug)]
pub(super) struct Asker {
    pub(super) interface: Arc<Interface>,
    pub(super) shared: Arc<Shared>,
}

impl Asker {
    pub(super) fn new(interface: Arc<Interface>, shared: Arc<Shared>) -> Self {
        Self { interface, shared }
    }

    pub(super) fn contract(&self) -> Result<&Contract, Fault> {
        self.shared.contract.as_ref().ok_or(Fault::Unbound)
    }

    /// Whether amounts of it have decimals.
    pub(super) fn is_token(&self) -> bool {
        standards(&self.interface)
            .iter()
            .any(|standard| standard.name == "ERC-20")
            && self.has("decimals()")
    }

    pub(super) fn has(&self, signature: &str) -> bool {
        self.function(signature).is_some()
    }

    fn function(&self, signature: &str) -> Option<&Arc<Function>> {
        let mut functions = self.interface.functions();
        functions.find(|function| function.signature() == signature)
    }

    /// What a call returns at a block.
    pub(super) async fn call(&self, data: Bytes, block: u64) -> Result<Execution, Fault> {
        let contract = self.contract()?;
        let message = Message::new(contract.address, data);
        Ok(contract.chain.call(message, BlockRef::Number(block)).await?)
    }

    pub(super) fn explain(&self, execution: &Execution) -> Revert {
        match execution {
            Execution::Reverted(data) => self.shared.errors.explain(data),
            Execution::Halted(reason) => Revert::halted(reason),
            Execution::Returned(_) => Revert::halted("nothing went wrong"),
        }
    }

    /// The bytes that a function of the interface without arguments returns; `None` when it does not.
    async fn bare(&self, signature: &str, block: u64) -> Result<Option<Bytes>, Fault> {
        let Some(function) = self.function(signature) else {
            return Ok(None);
        };
        let data = Bytes::copy_from_slice(function.selector().as_slice());
        match self.call(data, block).await? {
            Execution::Returned(data) => Ok(Some(data)),
            _ => Ok(None),
        }
    }

    /// A text that a function without arguments returns. Some old tokens return it as 32 bytes, whatever their
    /// interface says.
    pub(super) async fn text(&self, signature: &str, block: u64) -> Result<Option<String>, Fault> {
        Ok(self.bare(signature, block).await?.and_then(|data| text_of(&data)))
    }

    /// A number that a function without arguments returns.
    pub(super) async fn number(&self, signature: &str, block: u64) -> Result<Option<U256>, Fault> {
        Ok(self
            .bare(signature, block)
            .await?
            .and_then(|data| number_of(&data)))
    }

    /// The decimals of the token; `None` when it does not tell, or tells some that no amount can have.
    pub(super) async fn decimals(&self, block: u64) -> Result<Option<u8>, Fault> {
        let told = self.number("decimals()", block).await?;
        Ok(told
            .and_then(|number| u8::try_from(number).ok())
            .filter(|decimals| *decimals <= MAX_DECIMALS))
    }

    /// What an account has of the token.
    pub(super) async fn balance_of(&self, account: Address, block: u64) -> Result<U256, Fault> {
        let Some(function) = self.function("balanceOf(address)") else {
            return Err(Fault::NoData);
        };
        let mut data = function.selector().to_vec();
        data.extend(encode(&function.inputs, &[SolidityValue::Address(account)]));
        match self.call(data.into(), block).await? {
            Execution::Returned(data) => number_of(&data).ok_or(Fault::NoData),
            failed => Err(Fault::reverted(
                self.explain(&failed),
                toolmesh_json::Value::object(),
            )),
        }
    }
}

fn one(ty: SolidityType, data: &[u8]) -> Option<SolidityValue> {
    decode(&[Parameter::new("", ty)], data).ok()?.into_iter().next()
}

fn number_of(data: &[u8]) -> Option<U256> {
    match one(SolidityType::Uint(256), data)? {
        SolidityValue::Uint(number) => Some(number),
        _ => None,
    }
}

fn text_of(data: &[u8]) -> Option<String> {
    let bytes = match one(SolidityType::String, data) {
        Some(SolidityValue::Text(bytes)) => bytes,
        _ if data.len() == 32 => data.iter().copied().take_while(|byte| *byte != 0).collect(),
        _ => return None,
    };
    let text = clean(&String::from_utf8_lossy(&bytes), NAME_CHARS);
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::hex;

    #[test]
    fn a_name_is_read_as_text_and_as_32_bytes() {
        let text = Parameter::new("", SolidityType::String);
        let encoded = encode(&[text], &[SolidityValue::Text(b"Dai Stablecoin".to_vec())]);
        assert_eq!(text_of(&encoded).as_deref(), Some("Dai Stablecoin"));
        let word = hex!("4d616b6572000000000000000000000000000000000000000000000000000000");
        assert_eq!(text_of(&word).as_deref(), Some("Maker"));
        assert_eq!(text_of(&[0; 32]), None);
        assert_eq!(text_of(&[]), None);
    }
}
