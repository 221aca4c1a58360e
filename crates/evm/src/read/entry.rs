//! One entry of an ABI.

use std::sync::Arc;

use toolmesh_json::{Kind, View};

use super::documentation::Comments;
use super::parameters;
use crate::model::{Constructor, EntryBody, ErrorEntry, Event, Function, Mutability, Parameter, Unnamed};
use crate::text::{NAME_CHARS, clean, with_article};

/// The most characters of a function's, event's or error's name.
const MAX_NAME_CHARS: usize = 512;

pub(super) fn read(view: View<'_>, comments: &Comments) -> EntryBody {
    body(view, comments).unwrap_or_else(|reason| EntryBody::Unusable {
        kind: kind_text(view),
        signature: raw_signature(view),
        reason,
    })
}

/// The entry, or why it cannot be used.
fn body(view: View<'_>, comments: &Comments) -> Result<EntryBody, String> {
    if view.kind() != Kind::Object {
        return Err(format!(
            "an entry is an object, and this is {}",
            with_article(view.kind())
        ));
    }
    match kind(view)? {
        "function" => function(view, comments),
        "event" => event(view, comments),
        "error" => error(view, comments),
        "constructor" => constructor(view),
        "fallback" => Ok(EntryBody::Fallback {
            payable: mutability(view)? == Mutability::Payable,
        }),
        "receive" => Ok(EntryBody::Receive),
        _ => Err("no kind of entry that Solidity has".to_owned()),
    }
}

/// An entry that does not tell is a function: so did the first compilers.
fn kind(view: View<'_>) -> Result<&str, String> {
    match view.get("type") {
        None => Ok("function"),
        Some(kind) => kind
            .as_str()
            .ok_or_else(|| format!("its `type` is {}", with_article(kind.kind()))),
    }
}

fn kind_text(view: View<'_>) -> String {
    match kind(view) {
        Ok(kind) if view.kind() == Kind::Object => clean(kind, NAME_CHARS),
        _ => "unknown".to_owned(),
    }
}

fn raw_signature(view: View<'_>) -> String {
    if view.kind() != Kind::Object {
        return format!("({})", view.kind());
    }
    let name = view
        .get("name")
        .and_then(View::as_str)
        .map(|name| clean(name, NAME_CHARS))
        .unwrap_or_default();
    clean(
        &format!("{name}({})", parameters::raw_types(view)),
        4 * NAME_CHARS,
    )
}

fn function(view: View<'_>, comments: &Comments) -> Result<EntryBody, String> {
    let name = name(view)?;
    let mutability = mutability(view)?;
    let inputs = parameters::read(view, "inputs", "input", Unnamed::Argument)?;
    let outputs = parameters::read(view, "outputs", "output", Unnamed::Output)?;
    let mut function = Function::new(name, inputs, outputs, mutability);
    function.documentation = comments.of_function(function.signature());
    Ok(EntryBody::Function(Arc::new(function)))
}

fn event(view: View<'_>, comments: &Comments) -> Result<EntryBody, String> {
    let name = name(view)?;
    let inputs = fields(view)?;
    let anonymous = view.get("anonymous").and_then(View::as_bool).unwrap_or(false);
    let mut event = Event::new(name, inputs, anonymous);
    event.documentation = comments.of_event(event.signature());
    Ok(EntryBody::Event(Arc::new(event)))
}

fn error(view: View<'_>, comments: &Comments) -> Result<EntryBody, String> {
    let mut error = ErrorEntry::new(name(view)?, fields(view)?);
    error.documentation = comments.of_error(error.signature());
    Ok(EntryBody::Error(Arc::new(error)))
}

fn fields(view: View<'_>) -> Result<Vec<Parameter>, String> {
    parameters::read(view, "inputs", "field", Unnamed::Field)
}

fn constructor(view: View<'_>) -> Result<EntryBody, String> {
    let inputs = parameters::read(view, "inputs", "input", Unnamed::Argument)?;
    let payable = mutability(view)? == Mutability::Payable;
    Ok(EntryBody::Constructor(Arc::new(Constructor { inputs, payable })))
}

/// A name is an identifier: letters (of any script, since other compilers may allow them), digits, `_`, `$`.
fn name(view: View<'_>) -> Result<String, String> {
    let name = match view.get("name").filter(|name| !name.is_null()) {
        None => return Err("it has no name".to_owned()),
        Some(name) => name
            .as_str()
            .ok_or_else(|| format!("its name is {}", with_article(name.kind())))?,
    };
    if name.is_empty() {
        return Err("it has no name".to_owned());
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(format!("its name is longer than {MAX_NAME_CHARS} characters"));
    }
    let is_identifier = name
        .chars()
        .all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'))
        && !name.starts_with(char::is_numeric);
    if is_identifier {
        Ok(name.to_owned())
    } else {
        Err("its name is not an identifier".to_owned())
    }
}

/// `stateMutability`; before it existed, the flags `payable` and `constant`.
fn mutability(view: View<'_>) -> Result<Mutability, String> {
    if let Some(word) = view.get("stateMutability").filter(|word| !word.is_null()) {
        return word
            .as_str()
            .and_then(Mutability::parse)
            .ok_or_else(|| "its stateMutability is none of pure, view, nonpayable and payable".to_owned());
    }
    let flag = |name: &str| view.get(name).and_then(View::as_bool).unwrap_or(false);
    Ok(match (flag("payable"), flag("constant")) {
        (true, _) => Mutability::Payable,
        (false, true) => Mutability::View,
        (false, false) => Mutability::NonPayable,
    })
}
