//! Typed Rust tools, served together with a contract.
//!
//! `token_units` turns an amount as people write it (`1.5`) into the base units that the contract counts in, so that an
//! agent can prepare the `value` of a `transfer` without doing arithmetic itself. Its types come by the open door of
//! `schemars`, for the sake of a pattern. `token_amount`, the way back, is a function of the closed family.

use std::{error::Error, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolmesh::{
    assemble::{Assembler, Location},
    config::{Config, SourceConfig, parse_listen},
    mcp::{HttpOptions, McpServer, ServerInfo},
    tool::{CallError, Prefix, Tool, ToolAnnotations, ToolBuildError},
};

mod token_amount;

/// What the tool takes. The comments become the descriptions in its input schema.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TokenUnits {
    /// The amount as people write it, such as `1.5`.
    #[schemars(regex(pattern = r"^[0-9]{1,40}(\.[0-9]{1,40})?$"))]
    amount: String,
    /// How many decimal places the token has; its `decimals` tool tells.
    #[serde(default = "usual_decimals")]
    #[schemars(range(max = 36))]
    decimals: u8,
}

/// What the tool answers.
#[derive(Debug, Serialize, JsonSchema)]
struct BaseUnits {
    /// The amount in base units, ready for the `value` of a transfer; null when it has too many decimal places.
    value: Option<String>,
}

fn usual_decimals() -> u8 {
    18
}

fn token_units() -> Result<Tool, ToolBuildError> {
    Tool::with_name("token_units")
        .schemars_arguments_and_output::<TokenUnits, BaseUnits>()
        .handler(|_context, arguments| async move {
            Ok::<_, CallError>(BaseUnits {
                value: base_units(&arguments.amount, arguments.decimals.into()),
            })
        })
        .title("Amount to base units")
        .description(
            "Turns an amount of a token as people write it into the base units that contracts count in.",
        )
        .annotations(ToolAnnotations {
            open_world: Some(false),
            ..ToolAnnotations::read_only()
        })
        .build()
}

/// Moves the decimal point, on the digits themselves: no amount is ever rounded.
fn base_units(amount: &str, decimals: usize) -> Option<String> {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let fraction = fraction.trim_end_matches('0');
    let missing = decimals.checked_sub(fraction.len())?;
    let digits = format!("{whole}{fraction}{}", "0".repeat(missing));
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() {
        "0".to_owned()
    } else {
        digits.to_owned()
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("../token.json");
    let mut config = Config::default();
    config.sources.push(SourceConfig::at(Location::File(contract)));

    // Two sources: the contract's tools get its name before theirs (`token_transfer`), ours keep their own.
    let assembly = Assembler::new(config)
        .tools(
            "native",
            vec![token_units()?, token_amount::token_amount_tool()?],
            Some(Prefix::None),
        )
        .start()
        .await?;
    let server = McpServer::new(
        assembly.dispatcher().clone(),
        ServerInfo::new("native-example", "1.0.0"),
    );

    match std::env::args().nth(1) {
        Some(address) => {
            let bound = server
                .bind_http(parse_listen(&address)?, HttpOptions::default())
                .await?;
            // Standard output belongs to the protocol when it is served there, so people are told on standard error.
            #[expect(clippy::print_stderr, reason = "this is the program's one message to people")]
            {
                eprintln!("point an MCP client at {}", bound.url());
            }
            bound.serve(std::future::pending()).await?;
        }
        None => server.serve_stdio().await?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use toolmesh::{
        json::Value,
        tool::{CallRequest, Caller, Dispatcher, Toolbox, Transport},
    };

    use super::*;

    #[test]
    fn the_decimal_point_moves_without_rounding() {
        assert_eq!(base_units("1.5", 18).as_deref(), Some("1500000000000000000"));
        assert_eq!(base_units("0.000001", 6).as_deref(), Some("1"));
        assert_eq!(base_units("007.10", 1).as_deref(), Some("71"));
        assert_eq!(base_units("0.0", 18).as_deref(), Some("0"));
        assert_eq!(base_units("0.0000001", 6), None);
    }

    #[tokio::test]
    async fn the_types_are_the_schema_and_the_schema_is_enforced() {
        let toolbox = Toolbox::new();
        toolbox
            .mount("native", Prefix::None)
            .unwrap()
            .replace(vec![token_units().unwrap()])
            .unwrap();
        let dispatcher = Dispatcher::builder(toolbox).build();
        let call = async |arguments: Value| {
            let caller = Caller::anonymous(Transport::InProcess);
            dispatcher
                .call(CallRequest::new("token_units", arguments, caller))
                .await
                .completed()
        };

        let result = call(Value::object().put("amount", "2.5").put("decimals", 6).build())
            .await
            .unwrap();
        assert_eq!(result.structured.unwrap().to_text(), r#"{"value":"2500000"}"#);
        for arguments in [
            Value::object().put("amount", "1e5"),
            Value::object().put("amount", 1),
            Value::object(),
        ] {
            assert!(call(arguments.build()).await.is_none());
        }
    }
}
