//! `contract-info`: what the contract is and has.

use toolmesh_json::Value;
use toolmesh_schema::Profile;
use toolmesh_tool::{Tool, ToolBuildError};

use super::ask::Asker;
use super::{ended, object_schema, reading, typed};
use crate::standard::standards;
use crate::tool::answer::Fault;
use crate::units::{format_ether, format_units};

pub(super) fn tool(asker: &Asker) -> Result<Tool, ToolBuildError> {
    let asker = asker.clone();
    reading(Tool::with_name("contract-info")
        .input_schema(object_schema(Value::object(), &[]), Profile::Draft2020_12)
        .output_schema(output(), Profile::Draft2020_12)
        .handler(move |_, _| {
            let asker = asker.clone();
            async move { ended(info(&asker).await) }
        })
        .title("Contract info")
        .description(
            "What the contract is: its address, chain, the standards that it follows, and of a token its name, symbol, \
             decimals and supply. Only reads; changes nothing and costs nothing.",
        )
)
}

fn output() -> Value {
    let properties = Value::object()
        .put("address", typed("string", "Where the contract stands."))
        .put("chain_id", typed("integer", "The chain."))
        .put(
            "block_number",
            typed("integer", "The block whose state the answer is of."),
        )
        .put("contract_name", typed("string", "What its source calls it."))
        .put(
            "standards",
            Value::object()
                .put("type", "array")
                .put("items", Value::object().put("type", "string"))
                .put("description", "The standards that its interface follows."),
        )
        .put(
            "functions",
            typed("integer", "How many functions its interface has."),
        )
        .put("balance_wei", typed("string", "The ether that it has, in wei."))
        .put("balance_formatted", typed("string", "The same in ether."))
        .put("name", typed("string", "The token's own name."))
        .put("symbol", typed("string", "The token's symbol."))
        .put(
            "decimals",
            typed("integer", "How many decimal places an amount of the token has."),
        )
        .put(
            "total_supply",
            typed("string", "How much of the token exists, in base units."),
        )
        .put(
            "total_supply_formatted",
            typed("string", "The same with the decimals applied."),
        );
    object_schema(
        properties,
        &[
            "address",
            "chain_id",
            "block_number",
            "standards",
            "functions",
            "balance_wei",
            "balance_formatted",
        ],
    )
}

async fn info(asker: &Asker) -> Result<Value, Fault> {
    let contract = asker.contract()?;
    let block = contract.chain.block_number().await?;
    let balance = contract.chain.balance(contract.address).await?;
    let decimals = asker.decimals(block).await?;
    let supply = asker.number("totalSupply()", block).await?;
    let standards: Value = standards(&asker.interface)
        .into_iter()
        .map(|standard| Value::from(standard.name))
        .collect();
    let formatted = supply
        .zip(decimals)
        .map(|(supply, decimals)| format_units(supply, decimals));
    let functions = u64::try_from(asker.interface.functions().count()).unwrap_or(u64::MAX);
    let answer = Value::object()
        .put("address", contract.address.to_checksum(None))
        .put("chain_id", contract.chain.chain_id().await?)
        .put("block_number", block)
        .put_opt("contract_name", asker.interface.contract_name.as_deref())
        .put("standards", standards)
        .put("functions", functions)
        .put("balance_wei", balance.to_string())
        .put("balance_formatted", format_ether(balance))
        .put_opt("name", asker.text("name()", block).await?)
        .put_opt("symbol", asker.text("symbol()", block).await?)
        .put_opt("decimals", decimals.map(u64::from))
        .put_opt("total_supply", supply.map(|supply| supply.to_string()))
        .put_opt("total_supply_formatted", formatted);
    Ok(answer.build())
}
