//! What a mapping says about a function or an event, in sentences.

use super::meaning::meaning;
use super::{Profile, ToolKind};
use crate::describe::{comment_of, effect, event_declaration, standard_purpose};
use crate::model::{Event, Function};
use crate::name::{snake_case, spaced};
use crate::text::{COMMENT_CHARS, NAME_CHARS, as_sentence, clean};

/// Words that a function's name may begin with, so that the name is a sentence by itself.
const VERBS: [&str; 77] = [
    "accept",
    "add",
    "allow",
    "approve",
    "authorize",
    "batch",
    "bid",
    "borrow",
    "burn",
    "buy",
    "call",
    "cancel",
    "cast",
    "change",
    "check",
    "claim",
    "close",
    "collect",
    "compute",
    "configure",
    "convert",
    "create",
    "decrease",
    "delegate",
    "deploy",
    "deposit",
    "disable",
    "distribute",
    "donate",
    "emit",
    "enable",
    "execute",
    "exit",
    "fill",
    "find",
    "forward",
    "get",
    "grant",
    "harvest",
    "increase",
    "initialize",
    "invalidate",
    "invest",
    "join",
    "list",
    "liquidate",
    "lock",
    "migrate",
    "mint",
    "open",
    "pause",
    "pay",
    "permit",
    "place",
    "preview",
    "propose",
    "queue",
    "quote",
    "redeem",
    "register",
    "release",
    "remove",
    "renounce",
    "repay",
    "revoke",
    "safe",
    "sell",
    "send",
    "set",
    "stake",
    "swap",
    "transfer",
    "unlock",
    "unpause",
    "update",
    "withdraw",
    "wrap",
];

/// Three parts: what it does, what it changes, what its parameters mean.
pub(super) fn of_function(function: &Function, profile: Profile) -> String {
    let mut text = format!(
        "{}\n{}",
        verb_sentence(function, profile),
        mutability(function, profile)
    );
    if !function.inputs.is_empty() {
        text.push_str("\n\nParameters:");
    }
    for input in &function.inputs {
        let name = clean(
            if input.name.is_empty() {
                &input.key
            } else {
                &input.name
            },
            NAME_CHARS,
        );
        text.push_str(&format!("\n- {name}: {}", meaning(function, input, profile)));
    }
    text
}

/// The source's own words; else those of the standard that the function is of; else its name.
fn verb_sentence(function: &Function, profile: Profile) -> String {
    if let Some(comment) = comment_of(&function.documentation) {
        return as_sentence(&clean(&comment, COMMENT_CHARS));
    }
    if profile.is_compatible() && function.signature() == "transferFrom(address,address,uint256)" {
        return "Transfer tokens from one address to another.".to_owned();
    }
    match standard_purpose(function.signature()) {
        Some(purpose) => purpose.to_owned(),
        None => as_sentence(&name_as_sentence(function)),
    }
}

/// `getPrice` is `Get price`, `owner` is `Read owner`.
fn name_as_sentence(function: &Function) -> String {
    let words = clean(&spaced(&snake_case(&function.name)), NAME_CHARS);
    if words.is_empty() {
        return format!("Call {}", clean(&function.name, NAME_CHARS));
    }
    let lower = words.to_lowercase();
    let first = lower.split(' ').next().unwrap_or_default();
    if VERBS.contains(&first) {
        return words;
    }
    match ToolKind::of(function.mutability) {
        ToolKind::Read => format!("Read {lower}"),
        ToolKind::Write | ToolKind::WritePayable => format!("Call {lower}"),
    }
}

fn mutability(function: &Function, profile: Profile) -> String {
    if !profile.is_compatible() {
        return effect(function);
    }
    match ToolKind::of(function.mutability) {
        ToolKind::Read => "This operation only reads blockchain state and requires no gas.",
        ToolKind::Write => "This operation modifies blockchain state and requires gas.",
        ToolKind::WritePayable => {
            "This operation modifies blockchain state, requires gas and can receive ETH (value_wei)."
        }
    }
    .to_owned()
}

/// What the events of a kind are.
pub(super) fn of_event(event: &Event, profile: Profile) -> String {
    let name = clean(&event.name, NAME_CHARS);
    if profile.is_compatible() {
        return format!("Query {name} events from the contract.");
    }
    let purpose = comment_of(&event.documentation).map_or_else(
        || format!("The {name} events of the contract."),
        |comment| as_sentence(&clean(&comment, COMMENT_CHARS)),
    );
    format!("{purpose}\nSolidity: event {}", event_declaration(event))
}
