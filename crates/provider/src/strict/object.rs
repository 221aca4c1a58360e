//! Objects: closed, and with every member asked for.

use toolmesh_json::{Value, View};

use super::walk::{Part, Refusal, Walk, annotated};
use super::{Dialect, Optional};
use crate::schema::{Hints, Kind};
use crate::undo::{Member, Undo, step};
use crate::warning::WarningKind;

impl Walk<'_> {
    pub(super) fn object(&mut self, schema: View<'_>, place: &str) -> Part {
        let properties = schema.get("properties").and_then(View::as_object);
        self.closed(schema, properties.is_some(), place)?;
        let mut object = Value::object().put("type", "object");
        let mut hints = Hints::default();
        let handled = ["properties", "required", "additionalProperties"];
        self.assertions(schema, Kind::Object, place, &handled, &mut object, &mut hints)?;
        let required: Vec<&str> = schema
            .get("required")
            .and_then(View::as_array)
            .into_iter()
            .flatten()
            .filter_map(View::as_str)
            .collect();
        let mut members = Vec::new();
        let mut asked = Value::object();
        for (name, property) in properties.into_iter().flatten() {
            let inner = step(&step(place, "properties"), name);
            let (part, member) = self.member(name, property, required.contains(&name), &inner)?;
            asked.insert(name, part);
            members.push(member);
        }
        if let Some(missing) = required.iter().find(|name| !asked.contains(name)) {
            return Err(Refusal::new(
                place,
                format!("it requires `{missing}` and does not say what that is"),
            ));
        }
        let all_required: Value = match self.dialect.optional {
            Optional::Nullable => members.iter().map(|member| Value::from(&member.name)).collect(),
            Optional::Kept => required.iter().map(|name| Value::from(*name)).collect(),
        };
        let object = object
            .put("properties", asked)
            .put("required", all_required)
            .put("additionalProperties", false);
        Ok((annotated(schema, object, hints), Undo::object(members)))
    }

    /// Members that are not named cannot be sent: told where the schema leaves it open, refused where it asks for them.
    fn closed(&mut self, schema: View<'_>, names_some: bool, place: &str) -> Result<(), Refusal> {
        match schema.get("additionalProperties") {
            Some(more) if more.as_bool() == Some(false) || is_never(more) => Ok(()),
            Some(_) => Err(Refusal::new(
                place,
                "it takes members by any name (`additionalProperties`)",
            )),
            None if names_some => {
                self.report.add(place, WarningKind::Closed);
                Ok(())
            }
            None => Err(Refusal::new(
                place,
                "an object without `properties` takes anything",
            )),
        }
    }

    fn member(
        &mut self,
        name: &str,
        property: View<'_>,
        required: bool,
        place: &str,
    ) -> Result<(Value, Member), Refusal> {
        let (part, undo) = self.schema(property, place)?;
        let mut member = Member::plain(name, undo);
        if required || self.dialect.optional == Optional::Kept {
            return Ok((part, member));
        }
        member.null_if_absent = true;
        member.drop_null = !self.document.takes_null(property);
        if member.drop_null {
            return Ok((nullable(part.view(), self.dialect), member));
        }
        if property.get("default").is_none_or(|value| !value.is_null()) {
            self.report.add(place, WarningKind::AbsentIsNull);
        }
        Ok((part, member))
    }
}

fn is_never(schema: View<'_>) -> bool {
    schema
        .get("not")
        .and_then(View::as_object)
        .is_some_and(|refused| refused.is_empty())
}

/// The schema, or null.
fn nullable(schema: View<'_>, dialect: Dialect) -> Value {
    let kinds = schema.get("type");
    let scalar = kinds.is_some_and(|kinds| !matches!(kinds.as_str(), Some("object" | "array")));
    if scalar && dialect.type_lists {
        return nullable_scalar(schema);
    }
    let null = Value::object().put("type", "null");
    if let Some(branches) = schema.get("anyOf").and_then(View::as_array) {
        let mut all: Vec<Value> = branches.iter().map(View::to_value).collect();
        all.push(null.build());
        let mut union: toolmesh_json::ObjectBuilder = schema.as_object().into_iter().flatten().collect();
        union.insert("anyOf", all);
        return union.build();
    }
    // The description belongs to the member, not to one of its forms.
    let mut union = Value::object();
    let mut inner = Value::object();
    for (name, value) in schema.as_object().into_iter().flatten() {
        if matches!(name, "title" | "description") {
            union.insert(name, value);
        } else {
            inner.insert(name, value);
        }
    }
    let branches = Value::array().push(inner).push(null);
    let mut whole = Value::object().put("anyOf", branches);
    whole.extend(union.build().as_object().into_iter().flatten());
    whole.build()
}

fn nullable_scalar(schema: View<'_>) -> Value {
    let mut nullable = Value::object();
    for (name, value) in schema.as_object().into_iter().flatten() {
        match name {
            "type" => {
                let mut kinds: Vec<Value> = match value.as_array() {
                    Some(kinds) => kinds.iter().map(View::to_value).collect(),
                    None => vec![value.to_value()],
                };
                kinds.push(Value::from("null"));
                nullable.insert(name, kinds);
            }
            "enum" => {
                let values = value.as_array().into_iter().flatten().map(View::to_value);
                nullable.insert(name, values.chain([Value::null()]).collect::<Vec<_>>());
            }
            "const" => nullable.insert("enum", vec![value.to_value(), Value::null()]),
            _ => nullable.insert(name, value),
        }
    }
    nullable.build()
}
