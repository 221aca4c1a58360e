//! The way back, as a tool function: base units to the amount that people write.

use toolmesh::tool::{BigInt, CallError, ToolResult, ToolType, tool};

/// What the tool answers.
#[derive(Debug, ToolType)]
pub(crate) struct Amount {
    /// The amount as people write it, such as `1.5`.
    amount: String,
}

/// Turns base units, as contracts count them, into the amount of a token that people read.
#[tool(title = "Base units to amount", read_only, idempotent, open_world = false)]
pub(crate) async fn token_amount(
    /// The base units: an integer of any size, such as a `balanceOf` result.
    value: BigInt,
    /// How many decimal places the token has; 18 when left out.
    decimals: Option<u8>,
) -> Result<Amount, CallError> {
    let decimals = usize::from(decimals.unwrap_or(18));
    if decimals > 36 {
        let text = "`decimals` is at most 36; the token's `decimals` tool tells it.";
        return Err(CallError::InvalidArguments(Box::new(ToolResult::error_text(
            text,
        ))));
    }
    Ok(Amount {
        amount: amount(&value, decimals),
    })
}

/// Moves the decimal point, on the digits themselves: no amount is ever rounded.
fn amount(value: &BigInt, decimals: usize) -> String {
    let digits = format!("{:0>width$}", value.magnitude().to_string(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let sign = if *value < BigInt::ZERO { "-" } else { "" };
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use toolmesh::{
        json::parse,
        tool::{CallRequest, Caller, Dispatcher, Prefix, Toolbox, Transport},
    };

    use super::*;

    #[test]
    fn the_decimal_point_moves_back_without_rounding() {
        let written = |value: i64, decimals| amount(&BigInt::from(value), decimals);
        assert_eq!(written(1_500_000, 6), "1.5");
        assert_eq!(written(1, 6), "0.000001");
        assert_eq!(written(-25, 1), "-2.5");
        assert_eq!(written(0, 18), "0");
        assert_eq!(written(70, 0), "70");
    }

    #[tokio::test]
    async fn the_function_is_a_tool() {
        let toolbox = Toolbox::new();
        token_amount_register(&toolbox.mount("native", Prefix::None).unwrap()).unwrap();
        let dispatcher = Dispatcher::builder(toolbox).build();
        let call = async |arguments: &str| {
            let arguments = parse(arguments.as_bytes()).unwrap();
            let caller = Caller::anonymous(Transport::InProcess);
            let outcome = dispatcher
                .call(CallRequest::new("token_amount", arguments, caller))
                .await;
            outcome
                .completed()
                .and_then(|result| result.structured)
                .map(|value| value.to_text())
        };
        let largest =
            r#"{"value":115792089237316195423570985008687907853269984665640564039457584007913129639935}"#;
        assert_eq!(
            call(largest).await.as_deref(),
            Some(
                r#"{"amount":"115792089237316195423570985008687907853269984665640564039457.584007913129639935"}"#
            )
        );
        assert_eq!(
            call(r#"{"value":1e9,"decimals":9}"#).await.as_deref(),
            Some(r#"{"amount":"1"}"#)
        );
        for refused in [
            "{}",
            r#"{"value":"1"}"#,
            r#"{"value":1,"decimals":37}"#,
            r#"{"value":1.5}"#,
        ] {
            assert_eq!(call(refused).await, None, "{refused}");
        }
    }
}
