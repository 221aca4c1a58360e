//! The compiled test contracts, and calls to them as bytes.

use alloy_dyn_abi::{DynSolValue, JsonAbiExt};
use alloy_json_abi::{ContractObject, Function, JsonAbi};
use alloy_primitives::{Address, Bytes};
use toolmesh_evm::chain::Message;

pub(crate) struct Contract {
    pub(crate) abi: JsonAbi,
    code: Bytes,
}

impl Contract {
    /// `testdata/solidity/solc_{name}_artifact.json`.
    pub(crate) fn compiled(name: &str) -> Self {
        let path = format!(
            "{}/../../testdata/solidity/solc_{name}_artifact.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let object: ContractObject = serde_json::from_str(&text).unwrap();
        Self {
            abi: object.abi.unwrap(),
            code: object.bytecode.unwrap(),
        }
    }

    /// Creation code with the encoded constructor arguments behind it.
    pub(crate) fn creation(&self, arguments: &[DynSolValue]) -> Bytes {
        let arguments = self
            .abi
            .constructor
            .as_ref()
            .unwrap()
            .abi_encode_input(arguments)
            .unwrap();
        [self.code.as_ref(), &arguments].concat().into()
    }

    /// The only or first function of this name.
    pub(crate) fn function(&self, name: &str) -> &Function {
        &self.abi.function(name).unwrap()[0]
    }

    pub(crate) fn message(&self, at: Address, function: &str, arguments: &[DynSolValue]) -> Message {
        Message::new(
            at,
            self.function(function)
                .abi_encode_input(arguments)
                .unwrap()
                .into(),
        )
    }
}

pub(crate) fn uint(value: u64) -> DynSolValue {
    DynSolValue::Uint(alloy_primitives::U256::from(value), 256)
}

pub(crate) fn account(address: Address) -> DynSolValue {
    DynSolValue::Address(address)
}
