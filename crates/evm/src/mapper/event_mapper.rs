//! Events to resources.

use std::collections::HashMap;
use std::sync::Arc;

use toolmesh_json::Value;

use super::description;
use super::{Profile, TypeMapper};
use crate::event::EventKeys;
use crate::model::{Event, Function, Interface, Mutability};
use crate::name::{plain_tool_name, snake_case, tool_names};
use crate::schema::text_schema;

/// One field of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedField {
    /// Its name in JSON.
    pub name: String,
    /// Its name in the interface; often empty.
    pub original_name: String,
    /// Its type in the interface's words.
    pub solidity_type: String,
    /// Whether logs can be searched by it.
    pub indexed: bool,
    /// Its schema. Of an indexed value that is longer than a word a log keeps only the hash.
    pub schema: Value,
}

/// An event as a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedResource {
    /// The resource's name, in snake case.
    pub name: String,
    /// The event's name.
    pub original_name: String,
    /// What it is.
    pub description: String,
    /// `events://transfer`, in the default profile with the query that it takes (RFC 6570).
    pub uri_template: String,
    /// The fields, in order.
    pub fields: Vec<MappedField>,
    /// `Transfer(address,address,uint256)`
    pub signature: String,
}

/// Maps events to resources.
#[derive(Clone, Debug, Default)]
pub struct EventMapper {
    types: TypeMapper,
}

impl EventMapper {
    /// A mapper with the types and the profile of `types`.
    #[must_use]
    pub fn new(types: TypeMapper) -> Self {
        Self { types }
    }

    /// Maps an event alone: it is named after itself.
    #[must_use]
    pub fn map_event(&self, event: &Event) -> MappedResource {
        self.map(event, plain_tool_name(&as_function(event)))
    }

    /// Maps every event of an interface, in its order, under names that are all different.
    #[must_use]
    pub fn map_interface(&self, interface: &Interface) -> Vec<MappedResource> {
        let names = event_names(interface);
        interface
            .events()
            .zip(names)
            .map(|(event, name)| self.map(event, name))
            .collect()
    }

    fn map(&self, event: &Event, name: String) -> MappedResource {
        let fields = self.fields(event);
        MappedResource {
            uri_template: self.uri_template(&name, event),
            name,
            original_name: event.name.clone(),
            description: description::of_event(event, self.types.profile()),
            fields,
            signature: event.signature().to_owned(),
        }
    }

    fn fields(&self, event: &Event) -> Vec<MappedField> {
        event
            .inputs
            .iter()
            .map(|input| {
                let name = match self.types.profile() {
                    Profile::Default => input.key.clone(),
                    Profile::Compatibility => snake_case(&input.key),
                };
                let comment = event.documentation.parameters.get(&input.name);
                let schema = if input.is_hashed() {
                    self.hash_schema()
                } else {
                    self.types.parameter_schema(input, comment.map(String::as_str))
                };
                MappedField {
                    name,
                    original_name: input.name.clone(),
                    solidity_type: input.ty.to_string(),
                    indexed: input.indexed,
                    schema,
                }
            })
            .collect()
    }

    /// An indexed value that is longer than a word: the log has only its hash.
    fn hash_schema(&self) -> Value {
        let hash = text_schema("^0x[0-9a-fA-F]{64}$");
        if self.types.profile().is_compatible() {
            return hash;
        }
        Value::object()
            .put("type", "object")
            .put("properties", Value::object().put("hash", hash))
            .put("required", Value::array().push("hash"))
            .put("additionalProperties", false)
            .build()
    }

    fn uri_template(&self, name: &str, event: &Event) -> String {
        if self.types.profile().is_compatible() {
            return format!("events://{name}");
        }
        let keys = EventKeys::of(event);
        let query: Vec<&str> = keys.query().collect();
        format!("events://{name}{{?{}}}", query.join(","))
    }
}

/// An event is named by the rules for functions.
fn as_function(event: &Event) -> Function {
    Function::new(
        event.name.clone(),
        event.inputs.clone(),
        Vec::new(),
        Mutability::View,
    )
}

/// Two events of one signature may index different fields; then the places of those stand behind the name.
fn event_names(interface: &Interface) -> Vec<String> {
    let functions: Vec<Arc<Function>> = interface
        .events()
        .map(|event| Arc::new(as_function(event)))
        .collect();
    let distinct: HashMap<&str, &Arc<Function>> = functions
        .iter()
        .map(|function| (function.signature(), function))
        .collect();
    let names = tool_names(distinct.into_values());
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for function in &functions {
        *counts.entry(function.signature()).or_default() += 1;
    }
    interface
        .events()
        .zip(&functions)
        .map(|(event, function)| {
            let name = names
                .of(function)
                .map_or_else(|| plain_tool_name(function), str::to_owned);
            if counts.get(function.signature()).is_some_and(|count| *count > 1) {
                format!("{name}_{}", indexed_places(event))
            } else {
                name
            }
        })
        .collect()
}

fn indexed_places(event: &Event) -> String {
    let places: Vec<String> = event
        .inputs
        .iter()
        .enumerate()
        .filter(|(_, input)| input.indexed)
        .map(|(place, _)| place.to_string())
        .collect();
    if places.is_empty() {
        "not_indexed".to_owned()
    } else {
        format!("indexed_{}", places.join("_"))
    }
}
