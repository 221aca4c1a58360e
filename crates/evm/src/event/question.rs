//! A question about the logs of one event, from the arguments of a tool or the query of a URI.

use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_json::{Pointer, Value, View, parse};

use super::filter::EventFilter;
use super::keys::EventKeys;
use crate::chain::LogPosition;
use crate::model::{Event, SolidityType};
use crate::name;
use crate::schema::MAX_EXACT;
use crate::value::{ValueError, parse_unsigned};

/// The most events in an answer: more than a model can make use of at once.
pub(crate) const MAX_LIMIT: usize = 1_000;

/// How many events an answer has at most when nothing is said.
pub(crate) const DEFAULT_LIMIT: usize = 100;

/// A question about the logs of one event.
#[derive(Clone, Debug)]
pub(crate) struct EventQuestion {
    pub(crate) filter: EventFilter,
    pub(crate) from_block: Option<u64>,
    pub(crate) to_block: Option<u64>,
    pub(crate) limit: usize,
    /// Where an earlier answer ended.
    pub(crate) cursor: Option<LogPosition>,
    /// Where an earlier reading of what is new ended.
    pub(crate) after: Option<String>,
    /// The question in the form that the schema publishes.
    pub(crate) published: Value,
}

impl EventQuestion {
    /// Reads an arguments object in any accepted spelling.
    pub(crate) fn read(event: &Arc<Event>, arguments: View<'_>) -> Result<Self, ValueError> {
        let object = arguments
            .as_object()
            .ok_or_else(|| ValueError::new(&Pointer::root(), "not an object", "an object"))?;
        let keys = EventKeys::of(event);
        let mut question = Self {
            filter: EventFilter::all(Arc::clone(event)),
            from_block: None,
            to_block: None,
            limit: DEFAULT_LIMIT,
            cursor: None,
            after: None,
            published: Value::null(),
        };
        let mut published = Value::object();
        for (given, value) in object.iter() {
            let mut at = Pointer::root().join(given);
            let (key, form) = match question.control(&keys, given, value, &at)? {
                Some(known) => known,
                None => question.field(&keys, given, value, &mut at)?,
            };
            if published.contains(&key) {
                let rule = "an argument that is given twice, in two spellings";
                return Err(ValueError::new(&Pointer::root(), rule, expected_names(&keys)));
            }
            published.insert(key, form);
        }
        question.published = published.build();
        Ok(question)
    }

    /// Reads the variables of a URI, which are texts.
    pub(crate) fn from_variables(
        event: &Arc<Event>,
        variables: &IndexMap<String, String>,
    ) -> Result<Self, ValueError> {
        let keys = EventKeys::of(event);
        let mut arguments = Value::object();
        for (name, text) in variables {
            let field = keys.fields.iter().find(|(_, key)| key == name);
            let ty = field
                .and_then(|(place, _)| event.inputs.get(*place))
                .map(|input| &input.ty);
            arguments.insert(name.as_str(), from_text(ty, text));
        }
        Self::read(event, arguments.build().view())
    }

    /// Reads a control: its key and its published form; `None` when the name is none's.
    fn control(
        &mut self,
        keys: &EventKeys,
        name: &str,
        value: View<'_>,
        at: &Pointer,
    ) -> Result<Option<(String, Value)>, ValueError> {
        let known = |key: &str, form: Value| Ok(Some((key.to_owned(), form)));
        if name == keys.from_block {
            let block = number(value, at, 0, MAX_EXACT)?;
            self.from_block = Some(block);
            known(&keys.from_block, Value::from(block))
        } else if name == keys.to_block {
            let block = number(value, at, 0, MAX_EXACT)?;
            self.to_block = Some(block);
            known(&keys.to_block, Value::from(block))
        } else if name == keys.limit {
            let limit = number(value, at, 1, u64::try_from(MAX_LIMIT).unwrap_or(u64::MAX))?;
            self.limit = usize::try_from(limit).unwrap_or(MAX_LIMIT);
            known(&keys.limit, Value::from(limit))
        } else if name == keys.cursor {
            let cursor = value.as_str().and_then(LogPosition::from_text).ok_or_else(|| {
                ValueError::new(at, "not a cursor", "the `next_cursor` of an earlier answer")
            })?;
            self.cursor = Some(cursor);
            known(&keys.cursor, Value::from(cursor.to_string()))
        } else if name == keys.after {
            let after = value
                .as_str()
                .ok_or_else(|| ValueError::new(at, "not a text", "the `after` of an earlier reading"))?;
            self.after = Some(after.to_owned());
            known(&keys.after, Value::from(after))
        } else {
            Ok(None)
        }
    }

    fn field(
        &mut self,
        keys: &EventKeys,
        name: &str,
        value: View<'_>,
        at: &mut Pointer,
    ) -> Result<(String, Value), ValueError> {
        let folded = name::fold(name);
        let exact = keys.fields.iter().find(|(_, key)| key == name);
        let found = exact.or_else(|| keys.fields.iter().find(|(_, key)| name::fold(key) == folded));
        let Some((place, key)) = found else {
            return Err(ValueError::new(
                &Pointer::root(),
                "an unknown argument",
                expected_names(keys),
            ));
        };
        Ok((key.clone(), self.filter.restrict(*place, value, at)?))
    }
}

fn expected_names(keys: &EventKeys) -> String {
    let names: Vec<String> = keys
        .query()
        .filter(|name| *name != keys.after)
        .map(|name| format!("`{name}`"))
        .collect();
    format!("only {}", names.join(", "))
}

/// A text of a URI as the JSON that it stands for: a text stays one, except where its field is a flag, an array or a
/// struct, or where it is an array of several values.
fn from_text(ty: Option<&SolidityType>, text: &str) -> Value {
    let is_plain = match ty {
        None | Some(SolidityType::String) => !text.starts_with("[\""),
        Some(SolidityType::Bool) => false,
        Some(_) => !text.starts_with(['[', '{']),
    };
    if is_plain {
        return Value::from(text);
    }
    parse(text.as_bytes()).unwrap_or_else(|_| Value::from(text))
}

fn number(value: View<'_>, at: &Pointer, min: u64, max: u64) -> Result<u64, ValueError> {
    parse_unsigned(value)
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| {
            ValueError::new(
                at,
                "not such a number",
                format!("a whole number from {min} to {max}"),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;
    use alloy_primitives::B256;

    fn event(declaration: &str) -> Arc<Event> {
        let interface = read(format!("{declaration}\n").as_bytes()).unwrap();
        Arc::clone(interface.events().next().unwrap())
    }

    fn asked(arguments: &str) -> Result<EventQuestion, ValueError> {
        let event = event("event Moved(address indexed fromAccount, bool indexed open, string note)");
        EventQuestion::read(&event, parse(arguments.as_bytes()).unwrap().view())
    }

    #[test]
    fn a_question_is_rewritten_into_the_published_form() {
        let question =
            asked(r#"{"from_block":"0x10","from_account":"0x0000000000000000000000000000000000000007","limit":"7"}"#)
                .unwrap();
        assert_eq!(
            question.published.to_text(),
            r#"{"from_block":16,"fromAccount":"0x0000000000000000000000000000000000000007","limit":7}"#
        );
        assert_eq!(question.limit, 7);
    }

    #[test]
    fn a_question_has_a_limit_of_events_and_not_one_more() {
        assert!(asked(&format!(r#"{{"limit":{MAX_LIMIT}}}"#)).is_ok());
        assert!(asked(&format!(r#"{{"limit":{}}}"#, MAX_LIMIT + 1)).is_err());
        assert!(asked(r#"{"limit":0}"#).is_err());
        assert_eq!(asked("{}").unwrap().limit, DEFAULT_LIMIT);
    }

    #[test]
    fn what_is_not_a_part_of_a_question_is_refused_with_what_is() {
        let refusal = asked(r#"{"note":"x"}"#).unwrap_err().to_string();
        assert!(refusal.contains("`fromAccount`, `open`"), "{refusal}");
        assert!(asked(r#"{"fromAccount":"0x01"}"#).is_err());
        assert!(asked(r#"{"cursor":"x"}"#).is_err());
    }

    #[test]
    fn the_query_of_a_uri_says_the_same_as_arguments() {
        let event = event(
            "event Moved(address indexed who, bool indexed open, uint8[] indexed list, string indexed note)",
        );
        let variables = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect()
        };
        let question = EventQuestion::from_variables(
            &event,
            &variables(&[
                ("open", "true"),
                ("list", "[1]"),
                ("from_block", "5"),
                ("note", "[x"),
            ]),
        )
        .unwrap();
        assert_eq!(question.from_block, Some(5));
        assert_eq!(question.filter.topics[2], [B256::with_last_byte(1)]);
        assert_eq!(question.published.get("note").unwrap().as_str(), Some("[x"));
        assert!(EventQuestion::from_variables(&event, &variables(&[("open", "yes")])).is_err());
    }
}
