//! Events as tools that find them: `get_transfer_events`.

use std::collections::HashSet;
use std::sync::Arc;

use alloy_primitives::hex;
use toolmesh_json::{Pointer, Value, View};
use toolmesh_schema::Profile;
use toolmesh_tool::{
    Accept, ArgumentError, ArgumentErrors, BoxFuture, CallContext, CallError, Outcome, Tool, ToolAnnotations,
    ToolHandler, ToolResult,
};

use super::ask::{DEFAULT_BLOCKS, ask};
use super::keys::EventKeys;
use super::question::{DEFAULT_LIMIT, MAX_LIMIT};
use super::{EventQuestion, Events};
use crate::mapper::{MappedField, MappedResource};
use crate::model::Event;
use crate::name::MAX_TOOL_NAME_CHARS;
use crate::schema::{closed, parameter_schema, type_schema};
use crate::tool::{Contract, Fault};

/// The name of the tool that finds an event; never one of `taken`, which are the names of functions' tools.
pub(crate) fn tool_name(event: &Event, mapped: &MappedResource, taken: &HashSet<String>) -> String {
    let plain = format!("get_{}_events", mapped.name);
    if plain.len() <= MAX_TOOL_NAME_CHARS && !taken.contains(&plain) {
        return plain;
    }
    // The topic is the event's own, as far as eight of its digits go; two events of one signature index differently.
    let topic = hex::encode(event.topic().get(..4).unwrap_or_default());
    let indexed: String = event
        .inputs
        .iter()
        .map(|input| if input.indexed { '1' } else { '0' })
        .collect();
    let mut name = format!("get_events_{topic}");
    while taken.contains(&name) {
        name.push('_');
        name.push_str(indexed.get(..16.min(indexed.len())).unwrap_or_default());
    }
    name
}

/// The tool that finds the events of one kind.
pub(crate) fn tool(
    event: &Arc<Event>,
    mapped: &MappedResource,
    name: String,
    contract: Option<Contract>,
    events: Events,
) -> Result<Tool, String> {
    Tool::with_name(name)
        .input_schema(input_schema(event), Profile::Draft2020_12)
        .output_schema(output_schema(event, &mapped.fields), Profile::Draft2020_12)
        .dyn_handler(Arc::new(FindEvents {
            event: Arc::clone(event),
            contract,
            events,
        }))
        .title(format!("{} events", mapped.original_name))
        .description(description(event, mapped))
        .annotations(ToolAnnotations::read_only())
        .tag("evm")
        .stateless(true)
        .accept(Arc::new(AcceptQuestion(Arc::clone(event))))
        .argument_errors(ArgumentErrors::Explained)
        .build()
        .map_err(|error| error.to_string())
}

fn description(event: &Event, mapped: &MappedResource) -> String {
    let recognised = if event.anonymous {
        " Anonymous events have no name in a log and are recognised by their shape."
    } else {
        ""
    };
    format!(
        "Finds past events, oldest first.{recognised} {}",
        mapped.description
    )
}

fn input_schema(event: &Event) -> Value {
    let keys = EventKeys::of(event);
    let mut properties = Value::object();
    for (place, key) in &keys.fields {
        if let Some(input) = event.inputs.get(*place) {
            let comment = event.documentation.parameters.get(&input.name);
            properties.insert(
                key.as_str(),
                filter_schema(
                    type_schema(&input.ty),
                    parameter_schema(input, comment.map(String::as_str)),
                    input.is_hashed(),
                ),
            );
        }
    }
    let block = |description: String| {
        Value::object()
            .put("type", "integer")
            .put("minimum", 0)
            .put("description", description)
    };
    properties.insert(
        keys.from_block.as_str(),
        block(format!(
            "The first block; by default the last {DEFAULT_BLOCKS} blocks are searched."
        )),
    );
    properties.insert(
        keys.to_block.as_str(),
        block("The last block; the latest by default.".to_owned()),
    );
    properties.insert(
        keys.limit.as_str(),
        Value::object()
            .put("type", "integer")
            .put("minimum", 1)
            .put("maximum", u64::try_from(MAX_LIMIT).unwrap_or(u64::MAX))
            .put(
                "description",
                format!("The most events to answer; {DEFAULT_LIMIT} by default."),
            ),
    );
    properties.insert(
        keys.cursor.as_str(),
        Value::object().put("type", "string").put(
            "description",
            "The next_cursor of an earlier answer to the same question.",
        ),
    );
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("additionalProperties", false)
        .build()
}

/// A value of the field, or several of which it has one; of a value that is longer than a word also its hash.
fn filter_schema(one: Value, described: Value, hashed: bool) -> Value {
    let several = Value::object()
        .put("type", "array")
        .put(
            "items",
            if hashed {
                Value::object().build()
            } else {
                one.clone()
            },
        )
        .put("minItems", 1)
        .put(
            "maxItems",
            u64::try_from(super::filter::MAX_FILTER_VALUES).unwrap_or(u64::MAX),
        );
    let mut forms = Value::array().push(one).push(several);
    if hashed {
        let hash = Value::object()
            .put("type", "string")
            .put("pattern", "^0x[0-9a-fA-F]{64}$");
        forms.add(closed(
            Value::object().put("hash", hash),
            Value::array().push("hash"),
        ));
    }
    let description = described
        .get("description")
        .and_then(View::as_str)
        .map(str::to_owned);
    Value::object()
        .put("anyOf", forms)
        .put_opt("description", description)
        .build()
}

fn output_schema(event: &Event, fields: &[MappedField]) -> Value {
    let mut args = Value::object();
    for (input, field) in event.inputs.iter().zip(fields) {
        args.insert(input.key.as_str(), field.schema.clone());
    }
    let required: Value = event.inputs.iter().map(|input| Value::from(&input.key)).collect();
    let args = closed(args, required);
    let text = || Value::object().put("type", "string");
    let number = || Value::object().put("type", "integer").put("minimum", 0);
    let item = Value::object()
        .put("name", text())
        .put("address", text())
        .put("args", args)
        .put("anonymous", Value::object().put("type", "boolean"))
        .put("invalid_utf8", Value::object().put("type", "object"))
        .put("block_number", number())
        .put("transaction_hash", text())
        .put("log_index", number());
    let names = [
        "name",
        "address",
        "args",
        "block_number",
        "transaction_hash",
        "log_index",
    ];
    let item = closed(item, names.into_iter().map(Value::from).collect::<Value>());
    let properties = Value::object()
        .put("events", Value::object().put("type", "array").put("items", item))
        .put(
            "from_block",
            number().put("description", "The first block that was searched."),
        )
        .put(
            "to_block",
            number().put("description", "The last block that was searched."),
        )
        .put(
            "next_cursor",
            text().put("description", "There is more: ask again with this as the cursor."),
        )
        .put("note", text());
    closed(
        properties,
        Value::array().push("events").push("from_block").push("to_block"),
    )
}

/// Rewrites a question in other accepted spellings.
#[derive(Debug)]
struct AcceptQuestion(Arc<Event>);

impl Accept for AcceptQuestion {
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError> {
        let question = EventQuestion::read(&self.0, arguments)
            .map_err(|error| ArgumentError::new(error.pointer, error.rule, error.expected))?;
        if question.after.is_some() {
            let expected = "a question without it: only the resource of the event tells what is new";
            return Err(ArgumentError::new(
                Pointer::root(),
                "an unknown argument",
                expected,
            ));
        }
        Ok(question.published)
    }
}

/// Finds the events of one kind.
#[derive(Debug)]
struct FindEvents {
    event: Arc<Event>,
    contract: Option<Contract>,
    events: Events,
}

impl FindEvents {
    async fn found(&self, context: &CallContext, question: &EventQuestion) -> Result<Value, Fault> {
        let contract = self.contract.as_ref().ok_or(Fault::Unbound)?;
        let chain = contract.chain.as_ref();
        Ok(ask(chain, contract.address, &self.events, question, context)
            .await?
            .build())
    }
}

impl ToolHandler for FindEvents {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let question = match EventQuestion::read(&self.event, arguments.view()) {
                Ok(question) => question,
                Err(error) => {
                    return CallError::Internal(format!("a question in published form: {error}")).into();
                }
            };
            match self.found(&context, &question).await {
                Ok(answer) => ToolResult::structured(answer).into(),
                Err(fault) => fault.into_result().into(),
            }
        })
    }
}
