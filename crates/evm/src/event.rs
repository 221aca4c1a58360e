//! What logs mean, and how they are found and followed.
//!
//! `keys` names the parts of a question, `filter` turns values into topics, `question` reads one, `ask` answers it from
//! the chain. `feed` is a buffer of what is new, `follow` fills it, `live` tells who watches. `tool`, `resource` and
//! `entries` are what a source offers of it.

mod ask;
mod entries;
mod feed;
mod filter;
mod follow;
mod keys;
mod live;
mod question;
mod resource;
mod tool;

use std::sync::Arc;

use alloy_primitives::{Address, B256, Log, hex};
use toolmesh_json::{ObjectBuilder, Pointer, Value};

use crate::model::{Event, Interface, Parameter};
use crate::text::{NAME_CHARS, clean};
use crate::value::{DecodeError, InvalidUtf8, decode, to_json};

pub(crate) use entries::{EventResources, resources};
pub use entries::{MappedEvent, event_tools};
pub(crate) use keys::EventKeys;
pub(crate) use live::Live;
use question::EventQuestion;

/// The events of one contract.
#[derive(Clone, Debug, Default)]
pub struct Events {
    events: Vec<Arc<Event>>,
}

impl Events {
    /// The events of an interface.
    #[must_use]
    pub fn of(interface: &Interface) -> Self {
        Self {
            events: interface.events().cloned().collect(),
        }
    }

    /// Tells what a log of `contract`, or of a contract that it called, means:
    /// `{"name", "address", "args"}`, or the raw topics and data when no event fits.
    ///
    /// An event is recognised by the topic of its signature and by how many fields it indexes, since two
    /// standards may share a signature. Anonymous events have no such topic: they are recognised by their
    /// shape, in logs of the contract itself only, and marked.
    #[must_use]
    pub fn explain(&self, log: &Log, contract: Address) -> Value {
        self.named(log)
            .or_else(|| self.anonymous(log, contract))
            .unwrap_or_else(|| raw(log))
    }

    /// The log as `event` of `contract`, if it is one: `{"name", "address", "args"}`. An anonymous event is never seen in
    /// a log that another event explains.
    pub(crate) fn as_event(&self, event: &Event, log: &Log, contract: Address) -> Option<ObjectBuilder> {
        if log.address != contract {
            return None;
        }
        if event.anonymous {
            return match self.named(log) {
                Some(_) => None,
                None => decoded(event, log.data.topics(), log),
            };
        }
        let (first, indexed) = log.data.topics().split_first()?;
        if *first != event.topic() {
            return None;
        }
        decoded(event, indexed, log)
    }

    fn named(&self, log: &Log) -> Option<Value> {
        let (first, indexed) = log.data.topics().split_first()?;
        let fits = |event: &&Arc<Event>| !event.anonymous && event.topic() == *first;
        self.events
            .iter()
            .filter(fits)
            .find_map(|event| decoded(event, indexed, log))
            .map(ObjectBuilder::build)
    }

    fn anonymous(&self, log: &Log, contract: Address) -> Option<Value> {
        if log.address != contract {
            return None;
        }
        self.events
            .iter()
            .filter(|event| event.anonymous)
            .find_map(|event| decoded(event, log.data.topics(), log))
            .map(ObjectBuilder::build)
    }
}

/// The log as `event`, if it has that shape.
fn decoded(event: &Event, topics: &[B256], log: &Log) -> Option<ObjectBuilder> {
    let indexed = event.inputs.iter().filter(|input| input.indexed).count();
    if indexed != topics.len() {
        return None;
    }
    let mut invalid = InvalidUtf8::default();
    let args = arguments(event, topics, &log.data.data, &mut invalid).ok()?;
    let mut explained = head(Value::from(clean(&event.name, NAME_CHARS)), log).put("args", args);
    if event.anonymous {
        explained.insert("anonymous", true);
    }
    Some(explained.put_opt("invalid_utf8", invalid.to_value()))
}

fn arguments(
    event: &Event,
    topics: &[B256],
    data: &[u8],
    invalid: &mut InvalidUtf8,
) -> Result<Value, DecodeError> {
    let in_data: Vec<Parameter> = event
        .inputs
        .iter()
        .filter(|input| !input.indexed)
        .cloned()
        .collect();
    let mut in_data = decode(&in_data, data)?.into_iter();
    let mut topics = topics.iter();
    let mut at = Pointer::root().join("args");
    let mut object = Value::object();
    for input in &event.inputs {
        at.push(input.key.as_str());
        let value = if input.indexed {
            indexed_value(input, topics.next(), &mut at, invalid)?
        } else {
            let value = in_data.next().ok_or(DecodeError::TooShort)?;
            to_json(&input.ty, &value, &mut at, invalid)
        };
        object.insert(input.key.as_str(), value);
        at.pop();
    }
    Ok(object.build())
}

/// A topic holds a value of one word, and of anything longer the hash.
fn indexed_value(
    input: &Parameter,
    topic: Option<&B256>,
    at: &mut Pointer,
    invalid: &mut InvalidUtf8,
) -> Result<Value, DecodeError> {
    let topic = topic.ok_or(DecodeError::TooShort)?;
    if input.is_hashed() {
        return Ok(Value::object().put("hash", topic.to_string()).build());
    }
    let values = decode(std::slice::from_ref(input), topic.as_slice())?;
    let value = values.first().ok_or(DecodeError::TooShort)?;
    Ok(to_json(&input.ty, value, at, invalid))
}

/// The topics of a log, each in hexadecimal.
pub(crate) fn topics(log: &Log) -> Value {
    let topics = log.data.topics().iter();
    topics.map(|topic| Value::from(topic.to_string())).collect()
}

fn raw(log: &Log) -> Value {
    head(Value::null(), log)
        .put("topics", topics(log))
        .put("data", hex::encode_prefixed(&log.data.data))
        .build()
}

fn head(name: Value, log: &Log) -> ObjectBuilder {
    Value::object()
        .put("name", name)
        .put("address", log.address.to_checksum(None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use alloy_primitives::{U256, keccak256};

    fn events(entries: &str) -> Events {
        Events::of(&read(format!("[{entries}]").as_bytes()).unwrap())
    }

    fn word(number: u64) -> B256 {
        B256::from(U256::from(number))
    }

    fn log(topics: Vec<B256>, data: &[B256]) -> Log {
        let data: Vec<u8> = data.iter().flat_map(|word| word.0).collect();
        Log::new_unchecked(Address::repeat_byte(1), topics, data.into())
    }

    fn explain(events: &Events, log: &Log) -> String {
        events.explain(log, Address::repeat_byte(1)).to_text()
    }

    const FUNGIBLE: &str = r#"{"type":"event","name":"Transfer","inputs":[{"name":"from","type":"address","indexed":true},
        {"name":"to","type":"address","indexed":true},{"name":"value","type":"uint256"}]}"#;
    const UNIQUE: &str = r#"{"type":"event","name":"Transfer","inputs":[{"name":"from","type":"address","indexed":true},
        {"name":"to","type":"address","indexed":true},{"name":"tokenId","type":"uint256","indexed":true}]}"#;

    #[test]
    fn events_with_one_signature_are_told_apart_by_what_they_index() {
        let events = events(&format!("{FUNGIBLE},{UNIQUE}"));
        let topic = keccak256("Transfer(address,address,uint256)");
        let fungible = explain(&events, &log(vec![topic, word(1), word(2)], &[word(7)]));
        assert!(fungible.contains(r#""value":"7""#), "{fungible}");
        let unique = explain(&events, &log(vec![topic, word(1), word(2), word(7)], &[]));
        assert!(unique.contains(r#""tokenId":"7""#), "{unique}");
    }

    #[test]
    fn an_indexed_value_of_any_length_is_a_hash() {
        let events = events(
            r#"{"type":"event","name":"Note","inputs":[{"name":"text","type":"string","indexed":true},{"name":"small","type":"uint8","indexed":true}]}"#,
        );
        let topics = vec![keccak256("Note(string,uint8)"), keccak256("hello"), word(5)];
        assert_eq!(
            explain(&events, &log(topics, &[])),
            r#"{"name":"Note","address":"0x0101010101010101010101010101010101010101","args":{"text":{"hash":"0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"},"small":5}}"#
        );
    }

    #[test]
    fn an_anonymous_event_is_recognised_by_its_shape_in_its_own_contract() {
        let events = events(
            r#"{"type":"event","name":"Anon","anonymous":true,"inputs":[{"name":"a","type":"uint8","indexed":true},{"name":"b","type":"uint8"}]}"#,
        );
        let found = log(vec![word(1)], &[word(2)]);
        assert!(explain(&events, &found).contains(r#""name":"Anon""#));
        let foreign = events.explain(&found, Address::repeat_byte(2)).to_text();
        assert!(foreign.starts_with(r#"{"name":null"#), "{foreign}");
    }

    #[test]
    fn a_log_that_no_event_fits_is_given_raw() {
        let events = events(FUNGIBLE);
        let topic = keccak256("Transfer(address,address,uint256)");
        let text = explain(&events, &log(vec![topic, word(1), word(2)], &[]));
        assert!(
            text.starts_with(
                r#"{"name":null,"address":"0x0101010101010101010101010101010101010101","topics":["0x"#
            ),
            "{text}"
        );
        assert!(explain(&events, &log(vec![], &[])).starts_with(r#"{"name":null"#));
    }
}
