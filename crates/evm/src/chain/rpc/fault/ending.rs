//! How an execution ended, when a node tells that by an error.

use alloy_primitives::{Bytes, hex};
use serde_json::Value;

use super::{Fault, shortened};
use crate::chain::{ChainError, Execution};

/// How deep revert data is looked for in a node's error data.
const MAX_DATA_DEPTH: usize = 4;

/// The beginnings of a node's words for an execution that was stopped without data.
const HALTS: [&str; 8] = [
    "out of gas",
    "invalid opcode",
    "invalid jump",
    "stack underflow",
    "stack overflow",
    "opcode not found",
    "write protection",
    "gas required exceeds",
];

impl Fault {
    /// How an execution ended, when this is the node's way of telling that.
    pub(in crate::chain::rpc) fn into_execution(self, url: &str) -> Result<Execution, ChainError> {
        let Self::Answer {
            code, message, data, ..
        } = &self
        else {
            return Err(self.into_error(url));
        };
        if let Some(bytes) = data.as_ref().and_then(|data| revert_data(data, MAX_DATA_DEPTH)) {
            return Ok(Execution::Reverted(bytes));
        }
        // 3 is "execution error" with its data; nodes without a reason to give leave the data out.
        if *code == 3 || self.says(&["revert"]) {
            return Ok(Execution::Reverted(Bytes::new()));
        }
        if self.says(&HALTS) {
            return Ok(Execution::Halted(shortened(message)));
        }
        Err(self.into_error(url))
    }
}

/// The revert data in an error's `data`, in the forms in which nodes give it: hex text, hex text behind
/// a word ("Reverted 0x..."), or somewhere inside an object (`data`, `result`, `return`, ...).
fn revert_data(data: &Value, depth: usize) -> Option<Bytes> {
    match data {
        Value::String(text) => {
            let digits = text
                .trim()
                .rsplit(char::is_whitespace)
                .next()?
                .strip_prefix("0x")?;
            hex::decode(digits).ok().map(Bytes::from)
        }
        Value::Object(members) if depth > 0 => ["data", "return", "result", "originalError", "error"]
            .iter()
            .filter_map(|name| members.get(*name))
            .chain(
                members
                    .iter()
                    .filter(|(name, _)| name.starts_with("0x"))
                    .map(|(_, inner)| inner),
            )
            .find_map(|inner| revert_data(inner, depth - 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(code: i64, message: &str, data: Option<Value>) -> Fault {
        Fault::Answer {
            code,
            message: message.to_owned(),
            data,
            passing: false,
        }
    }

    #[test]
    fn revert_data_is_found_in_every_form_that_nodes_use() {
        let forms = [
            json!("0x01020304"),
            json!("Reverted 0x01020304"),
            json!({"message": "Error: VM Exception", "data": "0x01020304"}),
            json!({"0xab": {"error": "revert", "return": "0x01020304"}, "name": "RuntimeError"}),
            json!({"originalError": {"data": {"data": "0x01020304"}}}),
        ];
        for data in forms {
            let fault = answer(-32015, "VM execution error.", Some(data.clone()));
            let expected = Execution::Reverted(Bytes::from([1, 2, 3, 4]));
            assert_eq!(fault.into_execution("http://node").unwrap(), expected, "{data}");
        }
    }

    #[test]
    fn a_revert_without_data_a_halt_and_an_error_are_told_apart() {
        let execution = |code, message| answer(code, message, None).into_execution("http://node");
        assert_eq!(
            execution(3, "execution reverted").unwrap(),
            Execution::Reverted(Bytes::new())
        );
        assert_eq!(
            execution(-32000, "execution reverted").unwrap(),
            Execution::Reverted(Bytes::new())
        );
        assert_eq!(
            execution(-32003, "Out of gas: required").unwrap(),
            Execution::Halted("Out of gas: required".to_owned())
        );
        assert!(matches!(
            execution(-32601, "Method not found"),
            Err(ChainError::Rpc { code: -32601, .. })
        ));
    }

    #[test]
    fn revert_data_deeper_than_the_limit_is_not_looked_for() {
        let nested = |depth| (0..depth).fold(json!("0x01"), |inner, _| json!({"data": inner}));
        assert!(revert_data(&nested(MAX_DATA_DEPTH), MAX_DATA_DEPTH).is_some());
        assert!(revert_data(&nested(MAX_DATA_DEPTH + 1), MAX_DATA_DEPTH).is_none());
    }
}
