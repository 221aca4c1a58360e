//! What a tool says about itself.

use alloy_primitives::hex;

use crate::model::{Documentation, Event, Function, Mutability, Parameter};
use crate::name::{snake_case, spaced};
use crate::schema::{Controls, type_words};
use crate::text::{COMMENT_CHARS, NAME_CHARS, as_sentence, clean};

/// The most characters of a signature in a description: a struct may be long, and stands in the schema anyway.
const SIGNATURE_CHARS: usize = 400;

/// A title for people: `safeTransferFrom` is `Safe transfer from`.
pub(crate) fn title(function: &Function) -> String {
    if function.is_raw() {
        return "Send raw".to_owned();
    }
    let words = spaced(&snake_case(&function.name));
    if words.is_empty() {
        clean(&function.name, NAME_CHARS)
    } else {
        clean(&words, NAME_CHARS)
    }
}

/// What the function does, what it may change, and its signature with the selector.
pub(crate) fn description(function: &Function) -> String {
    if function.is_raw() {
        return raw_description(function);
    }
    format!(
        "{} {}\nSolidity: {} (selector 0x{})",
        as_sentence(&purpose(function)),
        effect(function),
        clean(&declaration(function), SIGNATURE_CHARS),
        hex::encode(function.selector())
    )
}

fn raw_description(function: &Function) -> String {
    let what = match (
        function.inputs.is_empty(),
        function.mutability == Mutability::Payable,
    ) {
        (true, _) => "Pay the contract without calling a function: its `receive` function decides.",
        (false, true) => {
            "Call the contract with data that match no function, or pay it: its `fallback` or `receive` function decides."
        }
        (false, false) => {
            "Call the contract with data that match no function: its `fallback` function decides."
        }
    };
    format!("{what} {}", effect(function))
}

/// The source's own words; else those of the standard that the function is of; else its name.
fn purpose(function: &Function) -> String {
    comment_of(&function.documentation)
        .or_else(|| standard_purpose(function.signature()).map(str::to_owned))
        .unwrap_or_else(|| title(function))
}

/// What the source says for its users, else for developers, cleaned.
pub(crate) fn comment_of(documentation: &Documentation) -> Option<String> {
    [&documentation.notice, &documentation.details]
        .into_iter()
        .flatten()
        .map(|comment| clean(comment, COMMENT_CHARS))
        .find(|comment| !comment.is_empty())
}

/// What calling the function may change.
pub(crate) fn effect(function: &Function) -> String {
    let takes = if function.mutability == Mutability::Payable {
        " and can take ether"
    } else {
        ""
    };
    match Controls::of(function).simulate {
        None => "Only reads; changes nothing and costs nothing.".to_owned(),
        Some(simulate) => format!("Changes the chain{takes}: only simulated unless {simulate} is false."),
    }
}

/// The function as the source would declare it: `transfer(address to, uint256 value) returns (bool)`.
pub(crate) fn declaration(function: &Function) -> String {
    let mut text = format!("{}({})", function.name, parameter_list(&function.inputs));
    if function.mutability != Mutability::NonPayable {
        text.push(' ');
        text.push_str(function.mutability.as_str());
    }
    if !function.outputs.is_empty() {
        text.push_str(&format!(" returns ({})", parameter_list(&function.outputs)));
    }
    text
}

/// `address to, uint256 value`
pub(crate) fn parameter_list(parameters: &[Parameter]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|parameter| {
            let name = clean(&parameter.name, NAME_CHARS);
            let separator = if name.is_empty() { "" } else { " " };
            format!("{}{separator}{name}", type_words(parameter))
        })
        .collect();
    parameters.join(", ")
}

/// The event as the source would declare it: `Transfer(address indexed from, uint256 value)`.
pub(crate) fn event_declaration(event: &Event) -> String {
    let fields: Vec<String> = event
        .inputs
        .iter()
        .map(|input| {
            let indexed = if input.indexed { "indexed" } else { "" };
            let words = [
                type_words(input),
                indexed.to_owned(),
                clean(&input.name, NAME_CHARS),
            ];
            words
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    format!("{}({})", event.name, fields.join(", "))
}

/// What the functions of the common token standards do (ERC-20, ERC-721, ERC-165), in our own words.
pub(crate) fn standard_purpose(signature: &str) -> Option<&'static str> {
    Some(match signature {
        "name()" => "The name of the token or contract.",
        "symbol()" => "The symbol of the token.",
        "decimals()" => "How many decimal places an amount of the token has.",
        "totalSupply()" => "How much of the token exists in all, in base units.",
        "balanceOf(address)" => "How much of the token an account has, in base units.",
        "allowance(address,address)" => {
            "How much of an owner's tokens a spender may still spend, in base units."
        }
        "transfer(address,uint256)" => "Move tokens from the sender to another account.",
        "approve(address,uint256)" => "Allow another account to use tokens of the sender.",
        "transferFrom(address,address,uint256)" => {
            "Move tokens of one account to another, as far as it was allowed."
        }
        "ownerOf(uint256)" => "The account that owns a token.",
        "tokenURI(uint256)" => "Where the metadata of a token stands.",
        "safeTransferFrom(address,address,uint256)" | "safeTransferFrom(address,address,uint256,bytes)" => {
            "Move a token to another account, which must be able to receive it."
        }
        "setApprovalForAll(address,bool)" => {
            "Allow or forbid an operator to manage all tokens of the sender."
        }
        "isApprovedForAll(address,address)" => "Whether an operator may manage all tokens of an owner.",
        "getApproved(uint256)" => "The account that may move a token.",
        "supportsInterface(bytes4)" => "Whether the contract implements an interface.",
        _ => return None,
    })
}
