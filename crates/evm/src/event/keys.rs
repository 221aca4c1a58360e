//! What the parts of a question about an event are called: the fields it can be searched by, and the controls.
//!
//! As with functions, a field is never renamed for a control: where it has such a name, the control gets `tx_` before
//! its own.

use crate::model::Event;
use crate::name::valid_key;

/// The names in a question about one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventKeys {
    /// The first block.
    pub(crate) from_block: String,
    /// The last block.
    pub(crate) to_block: String,
    /// The most events in an answer.
    pub(crate) limit: String,
    /// Where an earlier answer ended.
    pub(crate) cursor: String,
    /// Where an earlier reading of what is new ended.
    pub(crate) after: String,
    /// The indexed fields: their places in the event, and their names.
    pub(crate) fields: Vec<(usize, String)>,
}

impl EventKeys {
    pub(crate) fn of(event: &Event) -> Self {
        let fields: Vec<(usize, String)> = event
            .inputs
            .iter()
            .enumerate()
            .filter(|(_, input)| input.indexed)
            .map(|(place, input)| (place, query_key(&input.key, place)))
            .collect();
        let free = |name: &str| {
            let mut key = name.to_owned();
            while fields.iter().any(|(_, field)| *field == key) {
                key.insert_str(0, "tx_");
            }
            key
        };
        Self {
            from_block: free("from_block"),
            to_block: free("to_block"),
            limit: free("limit"),
            cursor: free("cursor"),
            after: free("after"),
            fields,
        }
    }

    /// The query of the event's resource, in order.
    pub(crate) fn query(&self) -> impl Iterator<Item = &str> {
        [
            &self.from_block,
            &self.to_block,
            &self.limit,
            &self.cursor,
            &self.after,
        ]
        .into_iter()
        .chain(self.fields.iter().map(|(_, key)| key))
        .map(String::as_str)
    }
}

/// A field's name with the characters that a URI template's variable may have.
fn query_key(key: &str, place: usize) -> String {
    let plain = valid_key(key).map(|key| key.replace(['-', '.'], "_"));
    plain.unwrap_or_else(|| format!("arg{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    #[test]
    fn a_field_keeps_its_name_and_the_control_of_that_name_gets_another() {
        let interface =
            read(b"event Limited(address indexed limit, uint256 indexed cursor, bool other)\n").unwrap();
        let keys = EventKeys::of(interface.events().next().unwrap());
        let query: Vec<&str> = keys.query().collect();
        assert_eq!(
            query,
            [
                "from_block",
                "to_block",
                "tx_limit",
                "tx_cursor",
                "after",
                "limit",
                "cursor"
            ]
        );
    }
}
