//! Values from a list.

use toolmesh_json::{Value, View};

use super::walk::{Part, Refusal, Walk, annotated};
use crate::schema::{Hints, Kind, is_assertion};
use crate::undo::Undo;

impl Walk<'_> {
    pub(super) fn literals(&mut self, schema: View<'_>, values: &[Value], place: &str) -> Part {
        let assertions = schema.as_object().into_iter().flatten().map(|(name, _)| name);
        let other = assertions
            .filter(|name| is_assertion(name))
            .find(|name| !matches!(*name, "type" | "enum" | "const"));
        if let Some(other) = other {
            return Err(Refusal::new(
                place,
                format!("`{other}` stands beside a list of values"),
            ));
        }
        let mut kinds: Vec<Kind> = Vec::new();
        for value in values {
            let kind = Kind::of(value.view());
            if !kind.is_scalar() {
                return Err(Refusal::new(
                    place,
                    "a list or an object among listed values is not in the strict subset",
                ));
            }
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.contains(&Kind::Number) {
            kinds.retain(|kind| *kind != Kind::Integer);
        }
        let mut literal = Value::object();
        if self.dialect.literal_types {
            match kinds.as_slice() {
                [] => return Err(Refusal::new(place, "no value is left of its list")),
                [one] => literal.insert("type", one.as_str()),
                several => {
                    let names: Value = several.iter().map(|kind| Value::from(kind.as_str())).collect();
                    literal.insert("type", names);
                }
            }
        } else if values.is_empty() {
            return Err(Refusal::new(place, "no value is left of its list"));
        }
        match values {
            [only] if schema.get("const").is_some() => literal.insert("const", only),
            values => literal.insert("enum", values.to_vec()),
        }
        let hints = Hints::of_default(schema);
        Ok((annotated(schema, literal, hints), Undo::Same))
    }
}
