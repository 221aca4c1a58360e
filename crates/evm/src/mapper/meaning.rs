//! What parameters mean.

use super::Profile;
use crate::model::{Function, Parameter, SolidityType};
use crate::name::{fold, snake_case, spaced};
use crate::schema::type_words;
use crate::text::{COMMENT_CHARS, NAME_CHARS, clean};

/// What a parameter means, with its unit where that is known: `Amount to transfer (in wei)`.
pub(super) fn meaning(function: &Function, input: &Parameter, profile: Profile) -> String {
    let comment = function.documentation.parameters.get(&input.name);
    let comment = comment
        .map(|comment| clean(comment, COMMENT_CHARS))
        .filter(|comment| !comment.is_empty());
    // Who comments a parameter tells its unit too.
    if let Some(comment) = comment {
        return comment;
    }
    let meaning = from_name(function, input);
    match unit(input, profile) {
        Some(unit) => format!("{meaning} ({unit})"),
        None => meaning,
    }
}

/// What parameters of this name usually are; else the name as words.
fn from_name(function: &Function, input: &Parameter) -> String {
    let name = fold(&input.name);
    let known = match (&input.ty, name.as_str()) {
        (SolidityType::Address, "from" | "src" | "sender") => "Source address",
        (SolidityType::Address, "to" | "dst" | "recipient" | "receiver") => "Destination address",
        (SolidityType::Address, "owner") => "Address of the owner",
        (SolidityType::Address, "spender") => "Address that is allowed to spend",
        (SolidityType::Address, "operator") => "Address of the operator",
        (SolidityType::Address, "account" | "user" | "who" | "holder") => "Address of the account",
        (SolidityType::Address, "token" | "asset") => "Address of the token contract",
        (SolidityType::Uint(_), "token_id" | "id") => "Identifier of the token",
        (SolidityType::Uint(_), "deadline" | "expiry") => "Latest time at which the call may run",
        (SolidityType::Bytes, "data") => "Data that is passed along",
        _ if is_amount(input) => return amount(function, &name),
        _ => {
            let words = spaced(&snake_case(&input.name));
            let words = clean(&words, NAME_CHARS);
            return if words.is_empty() {
                clean(&type_words(input), NAME_CHARS)
            } else {
                words
            };
        }
    };
    known.to_owned()
}

fn is_amount(input: &Parameter) -> bool {
    let is_large = matches!(input.ty, SolidityType::Uint(bits) if bits > 64);
    is_large
        && matches!(
            fold(&input.name).as_str(),
            "amount" | "value" | "wad" | "amt" | "assets" | "shares"
        )
}

/// `Amount to transfer`, after the first word of the function.
fn amount(function: &Function, name: &str) -> String {
    let noun = match name {
        "assets" => "Amount of assets",
        "shares" => "Amount of shares",
        _ => "Amount",
    };
    let snake = snake_case(&function.name);
    let words: Vec<&str> = snake.split('_').filter(|word| !word.is_empty()).collect();
    let verb = match words.as_slice() {
        ["safe", verb, ..] | [verb, ..] => *verb,
        [] => return noun.to_owned(),
    };
    let known = [
        "transfer", "approve", "mint", "burn", "deposit", "withdraw", "stake", "unstake", "redeem", "borrow",
        "repay", "swap", "send", "lock", "unlock", "claim", "increase", "decrease", "permit",
    ];
    if known.contains(&verb) {
        format!("{noun} to {verb}")
    } else {
        noun.to_owned()
    }
}

fn unit(input: &Parameter, profile: Profile) -> Option<&'static str> {
    if is_amount(input) {
        return Some(if profile.is_compatible() {
            "in wei"
        } else {
            "in base units"
        });
    }
    let is_number = matches!(input.ty, SolidityType::Uint(_));
    match fold(&input.name).as_str() {
        "deadline" | "expiry" | "expiration" | "timestamp" if is_number => Some("in Unix seconds"),
        "bps" | "basis_points" if is_number => Some("in 1/10000"),
        _ => None,
    }
}
