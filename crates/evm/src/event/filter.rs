//! Which logs are an event with certain values.

use std::sync::Arc;

use alloy_primitives::{B256, Log, hex};
use toolmesh_json::{Pointer, Value, View};

use crate::model::{Event, Parameter};
use crate::value::{InvalidUtf8, ValueError, from_json, to_json, topic};

/// The most values that one field may have in a question: nodes limit them too.
pub(crate) const MAX_FILTER_VALUES: usize = 16;

/// An event, and for each of its topics the values that it may have; none means any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventFilter {
    pub(crate) event: Arc<Event>,
    pub(crate) topics: [Vec<B256>; 4],
}

impl EventFilter {
    /// Every log of the event.
    pub(crate) fn all(event: Arc<Event>) -> Self {
        let mut topics: [Vec<B256>; 4] = Default::default();
        if let (false, [first, ..]) = (event.anonymous, &mut topics) {
            first.push(event.topic());
        }
        Self { event, topics }
    }

    /// Lets the indexed field at `place` have only these values: one, or an array of some. The answer is what was
    /// given, in the published form.
    pub(crate) fn restrict(
        &mut self,
        place: usize,
        value: View<'_>,
        at: &mut Pointer,
    ) -> Result<Value, ValueError> {
        let Some((topic, input)) = self.slot(place) else {
            return Err(ValueError::new(
                at,
                "not an indexed field",
                "a field that logs can be searched by",
            ));
        };
        let (values, published) = wanted(&input, value, at)?;
        if let Some(slot) = self.topics.get_mut(topic) {
            *slot = values;
        }
        Ok(published)
    }

    /// The topic that holds an indexed field, and the field.
    fn slot(&self, place: usize) -> Option<(usize, Parameter)> {
        let input = self.event.inputs.get(place).filter(|input| input.indexed)?;
        let before = self
            .event
            .inputs
            .iter()
            .take(place)
            .filter(|input| input.indexed)
            .count();
        Some((before + usize::from(!self.event.anonymous), input.clone()))
    }

    /// Whether a log has the topics; its shape is for the decoder to judge.
    pub(crate) fn wants(&self, log: &Log) -> bool {
        let mut topics = log.data.topics().iter();
        self.topics.iter().all(|wanted| match topics.next() {
            Some(topic) => wanted.is_empty() || wanted.contains(topic),
            None => wanted.is_empty(),
        })
    }
}

/// The topics of one value, or of each value of an array, and the same in the published form. An array may itself be
/// the value of a field that is one; an array of such is then several.
fn wanted(input: &Parameter, value: View<'_>, at: &mut Pointer) -> Result<(Vec<B256>, Value), ValueError> {
    let single = topic_of(input, value, at);
    let Some(items) = value.as_array().filter(|_| single.is_err()) else {
        let (topic, published) = single?;
        return Ok((vec![topic], published));
    };
    if !(1..=MAX_FILTER_VALUES).contains(&items.len()) {
        let expected = format!("a value, or an array of 1 to {MAX_FILTER_VALUES}");
        return Err(ValueError::new(at, "not the right number of values", expected));
    }
    let mut topics = Vec::with_capacity(items.len());
    let mut published = Value::array();
    for (place, item) in items.iter().enumerate() {
        at.push(place.to_string());
        let (topic, form) = topic_of(input, item, at)?;
        topics.push(topic);
        published.add(form);
        at.pop();
    }
    Ok((topics, published.build()))
}

/// The topic of a value; of one that is longer than a word its hash, which may be given instead.
fn topic_of(input: &Parameter, value: View<'_>, at: &mut Pointer) -> Result<(B256, Value), ValueError> {
    if input.is_hashed()
        && let Some(text) = value.get("hash").and_then(View::as_str)
    {
        let mut hash = [0; 32];
        let digits = text.strip_prefix("0x").unwrap_or_default();
        return match hex::decode_to_slice(digits, &mut hash) {
            Ok(()) => Ok((B256::from(hash), value.to_value())),
            Err(_) => Err(ValueError::new(at, "not a hash", "0x and 64 hexadecimal digits")),
        };
    }
    let mut place = at.clone();
    let parsed = from_json(&input.ty, value, &mut place)?;
    let published = to_json(&input.ty, &parsed, &mut place, &mut InvalidUtf8::default());
    Ok((topic(&input.ty, &parsed), published))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use alloy_primitives::keccak256;
    use toolmesh_json::parse;

    fn filter(declaration: &str) -> EventFilter {
        let interface = read(format!("{declaration}\n").as_bytes()).unwrap();
        EventFilter::all(Arc::clone(interface.events().next().unwrap()))
    }

    fn restricted(declaration: &str, place: usize, value: &str) -> Result<EventFilter, ValueError> {
        let mut filter = filter(declaration);
        let value = parse(value.as_bytes()).unwrap();
        filter.restrict(place, value.view(), &mut Pointer::root())?;
        Ok(filter)
    }

    const MOVED: &str =
        "event Moved(uint256 plain, address indexed from, string indexed note, uint8[] indexed list)";

    #[test]
    fn the_first_topic_is_the_event_unless_it_is_anonymous() {
        assert_eq!(
            filter(MOVED).topics[0],
            [keccak256("Moved(uint256,address,string,uint8[])")]
        );
        let anonymous = restricted("event Anon(uint256 indexed a) anonymous", 0, "5").unwrap();
        assert_eq!(anonymous.topics[0], [B256::with_last_byte(5)]);
    }

    #[test]
    fn a_field_is_restricted_to_a_value_or_to_several() {
        let one = restricted(MOVED, 1, r#""0x0000000000000000000000000000000000000007""#).unwrap();
        assert_eq!(one.topics[1], [B256::with_last_byte(7)]);
        let two =
            r#"["0x0000000000000000000000000000000000000007","0x0000000000000000000000000000000000000008"]"#;
        assert_eq!(restricted(MOVED, 1, two).unwrap().topics[1].len(), 2);
        assert!(restricted(MOVED, 0, "1").is_err(), "it is not indexed");
    }

    #[test]
    fn a_long_value_is_searched_by_its_hash() {
        let note = restricted(MOVED, 2, r#""hello""#).unwrap();
        let hash = "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8";
        assert_eq!(note.topics[2][0].to_string(), hash);
        assert_eq!(
            restricted(MOVED, 2, &format!(r#"{{"hash":"{hash}"}}"#)).unwrap(),
            note
        );
        // An array is encoded in place: each item a word, no length.
        let list = restricted(MOVED, 3, "[1,2]").unwrap();
        let words = [B256::with_last_byte(1).0, B256::with_last_byte(2).0].concat();
        assert_eq!(list.topics[3], [keccak256(words)]);
        assert_eq!(restricted(MOVED, 3, "[[1,2],[3]]").unwrap().topics[3].len(), 2);
    }

    #[test]
    fn a_field_has_as_many_values_as_the_limit_and_not_one_more() {
        let values = |count| format!("[{}]", vec![r#""a""#; count].join(","));
        let note = |count| restricted(MOVED, 2, &values(count));
        assert!(note(MAX_FILTER_VALUES).is_ok());
        assert!(note(MAX_FILTER_VALUES + 1).is_err());
        assert!(note(0).is_err());
    }
}
