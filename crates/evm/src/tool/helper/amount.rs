//! Amounts between people and base units: `format-units`, `parse-units`, `token-balance`.

use alloy_primitives::I256;
use toolmesh_json::{Pointer, Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{Outcome, Tool, ToolBuildError, ToolResult};

use super::ask::Asker;
use super::{ended, object_schema, reading, text, typed};
use crate::model::SolidityType;
use crate::tool::answer::Fault;
use crate::units::{ETHER_DECIMALS, MAX_DECIMALS, format_signed_units, format_units, parse_units};
use crate::value::{SolidityValue, from_json};

pub(super) fn format_tool(asker: &Asker) -> Result<Tool, ToolBuildError> {
    let amount = Value::object()
        .put("type", "string")
        .put("pattern", "^(0|-?[1-9][0-9]*)$")
        .put("maxLength", 78)
        .put(
            "description",
            "A whole number of base units, such as wei, in decimal digits.",
        );
    let input = Value::object()
        .put("amount", amount)
        .put("decimals", decimals_schema(asker));
    let output = Value::object()
        .put(
            "formatted",
            typed("string", "The amount as a decimal number, exactly."),
        )
        .put(
            "decimals",
            typed("integer", "The decimal places that were applied."),
        );
    let asker = asker.clone();
    reading(
        Tool::with_name("format-units")
            .input_schema(object_schema(input, &["amount"]), Profile::Draft2020_12)
            .output_schema(
                object_schema(output, &["formatted", "decimals"]),
                Profile::Draft2020_12,
            )
            .handler(move |_, arguments| {
                let asker = asker.clone();
                async move { ended(formatted(&asker, arguments.view()).await) }
            })
            .title("Format units")
            .description("Turn base units into a decimal number, exactly: 1500000 with 6 decimals is 1.5."),
    )
}

pub(super) fn parse_tool(asker: &Asker) -> Result<Tool, ToolBuildError> {
    let amount = Value::object()
        .put("type", "string")
        .put("maxLength", 160)
        .put("description", "A decimal number, such as 1.5.");
    let input = Value::object()
        .put("amount", amount)
        .put("decimals", decimals_schema(asker));
    let output = Value::object()
        .put(
            "base_units",
            typed("string", "The amount in base units, in decimal digits."),
        )
        .put(
            "decimals",
            typed("integer", "The decimal places that were applied."),
        );
    let asker = asker.clone();
    reading(Tool::with_name("parse-units")
        .input_schema(object_schema(input, &["amount"]), Profile::Draft2020_12)
        .output_schema(object_schema(output, &["base_units", "decimals"]), Profile::Draft2020_12)
        .handler(move |_, arguments| {
            let asker = asker.clone();
            async move { parsed(&asker, arguments.view()).await }
        })
        .title("Parse units")
        .description(
            "Turn a decimal number into base units, exactly: 1.5 with 6 decimals is 1500000. What would have to be \
             rounded is refused. Use it for amounts that a person names.",
        )
)
}

pub(super) fn balance_tool(asker: &Asker) -> Result<Tool, ToolBuildError> {
    let account = Value::object()
        .put("type", "string")
        .put("pattern", "^0x[0-9a-fA-F]{40}$")
        .put("description", "The account.");
    let output = Value::object()
        .put("balance", typed("string", "What it has, in base units."))
        .put(
            "balance_formatted",
            typed("string", "The same with the decimals applied."),
        )
        .put("decimals", typed("integer", "The decimal places of the token."))
        .put("symbol", typed("string", "The token's symbol."))
        .put(
            "block_number",
            typed("integer", "The block whose state the answer is of."),
        );
    let asker = asker.clone();
    reading(Tool::with_name("token-balance")
        .input_schema(
            object_schema(Value::object().put("account", account), &["account"]),
            Profile::Draft2020_12,
        )
        .output_schema(object_schema(output, &["balance", "block_number"]), Profile::Draft2020_12)
        .handler(move |_, arguments| {
            let asker = asker.clone();
            async move { balance(&asker, arguments.view()).await }
        })
        .title("Token balance")
        .description(
            "What an account has of the token, in base units and with the decimals applied. Only reads; changes nothing \
             and costs nothing.",
        )
)
}

fn decimals_schema(asker: &Asker) -> Value {
    let default = if asker.has("decimals()") {
        "the contract's own decimals"
    } else {
        "18, as for ether"
    };
    Value::object()
        .put("type", "integer")
        .put("minimum", 0)
        .put("maximum", u64::from(MAX_DECIMALS))
        .put(
            "description",
            format!("How many decimal places there are; if not given, {default}."),
        )
        .build()
}

/// The decimals that were given; else those of the contract, else those of ether.
async fn decimals(asker: &Asker, arguments: View<'_>) -> Result<u8, Fault> {
    let given = arguments.get("decimals").and_then(View::as_u64);
    if let Some(given) = given.and_then(|given| u8::try_from(given).ok()) {
        return Ok(given);
    }
    if !asker.has("decimals()") {
        return Ok(ETHER_DECIMALS);
    }
    let block = asker.contract()?.chain.block_number().await?;
    // Guessing here would be wrong by a factor of a million.
    asker.decimals(block).await?.ok_or(Fault::NoData)
}

async fn formatted(asker: &Asker, arguments: View<'_>) -> Result<Value, Fault> {
    let decimals = decimals(asker, arguments).await?;
    let amount = text(arguments, "amount");
    let formatted = match amount.parse() {
        Ok(amount) => format_units(amount, decimals),
        Err(_) => format_signed_units(amount.parse().unwrap_or(I256::ZERO), decimals),
    };
    let answer = Value::object()
        .put("formatted", formatted)
        .put("decimals", u64::from(decimals));
    Ok(answer.build())
}

async fn parsed(asker: &Asker, arguments: View<'_>) -> Outcome {
    let decimals = match decimals(asker, arguments).await {
        Ok(decimals) => decimals,
        Err(fault) => return fault.into_result().into(),
    };
    match parse_units(text(arguments, "amount"), decimals) {
        Ok(units) => {
            let answer = Value::object()
                .put("base_units", units.to_string())
                .put("decimals", u64::from(decimals));
            ToolResult::structured(answer.build()).into()
        }
        Err(error) => ToolResult::error_text(error.to_string()).into(),
    }
}

async fn balance(asker: &Asker, arguments: View<'_>) -> Outcome {
    let account = arguments.get("account").map(|account| {
        let mut at = Pointer::root().join("account");
        from_json(&SolidityType::Address, account, &mut at)
    });
    let account = match account {
        Some(Ok(SolidityValue::Address(account))) => account,
        Some(Err(error)) => return ToolResult::error_text(error.to_string()).into(),
        _ => return ToolResult::error_text("an account is needed").into(),
    };
    let answer = async {
        let block = asker.contract()?.chain.block_number().await?;
        let balance = asker.balance_of(account, block).await?;
        let decimals = asker.decimals(block).await?;
        let answer = Value::object()
            .put("balance", balance.to_string())
            .put_opt(
                "balance_formatted",
                decimals.map(|decimals| format_units(balance, decimals)),
            )
            .put_opt("decimals", decimals.map(u64::from))
            .put_opt("symbol", asker.text("symbol()", block).await?)
            .put("block_number", block);
        Ok(answer.build())
    };
    ended(answer.await)
}
