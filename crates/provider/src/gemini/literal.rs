//! Values from a list: `enum` is for texts alone ("only allowed for STRING type", github.com/decolua/9router/issues/359), and
//! none of them may be empty.

use toolmesh_json::{Value, View};

use super::sanitise::{Part, Sanitiser};
use crate::schema::{Hints, is_assertion};
use crate::undo::Undo;

impl Sanitiser<'_, '_> {
    /// Texts as they are, other values as their JSON text.
    pub(super) fn literals(&mut self, schema: View<'_>, values: &[Value], place: &str) -> Part {
        for (name, _) in schema.as_object().into_iter().flatten() {
            if is_assertion(name) && !matches!(name, "type" | "enum" | "const") {
                self.report.dropped(place, name);
            }
        }
        let others: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        let nullable = others.len() < values.len() && !others.is_empty();
        let part = match others.as_slice() {
            [] if values.is_empty() => return self.json_text(schema, place),
            [] => self.listed(schema, vec![Value::from("null")], Undo::JsonText),
            [one, other] if one.as_bool().is_some() && other.as_bool().is_some() => self.finish(
                schema,
                Value::object().put("type", "boolean"),
                Hints::default(),
                Undo::Same,
            ),
            texts
                if texts
                    .iter()
                    .all(|value| value.as_str().is_some_and(|text| !text.is_empty())) =>
            {
                let texts = texts.iter().map(|value| (*value).clone()).collect();
                self.listed(schema, texts, Undo::Same)
            }
            mixed => {
                let texts = mixed.iter().map(|value| Value::from(value.to_text())).collect();
                self.listed(schema, texts, Undo::JsonText)
            }
        };
        if nullable { part.or_null() } else { part }
    }

    pub(super) fn listed(&self, schema: View<'_>, values: Vec<Value>, undo: Undo) -> Part {
        let list = Value::object().put("type", "string").put("enum", values);
        self.finish(schema, list, Hints::default(), undo)
    }
}
