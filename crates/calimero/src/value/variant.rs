//! Values of variant types.

use toolmesh_json::{ObjectView, Value, View};

use super::{Converted, Converter, expectation as expectation_of};
use crate::model::Tagging;
use crate::shape::{Alternative, Shape, ShapeKind};

impl<'a> Converter<'a> {
    pub(super) fn variant(
        &mut self,
        shape: &Shape,
        members: &'a [Alternative],
        tagging: &'a Tagging,
        value: View<'_>,
    ) -> Converted {
        match tagging {
            Tagging::External => self.external(shape, members, value),
            Tagging::Adjacent { tag, content } => self.adjacent(shape, members, (tag, content), value),
            Tagging::Internal { tag } => self.internal(shape, members, tag, value),
            // Which payload is meant is the application's to say; the schema checks that it is one of them.
            Tagging::Untagged => Ok(value.to_value()),
        }
    }

    fn external(&mut self, shape: &Shape, members: &'a [Alternative], value: View<'_>) -> Converted {
        if let Some(name) = value.as_str() {
            return match find(members, name) {
                Some(Alternative { payload: None, .. }) => Ok(value.to_value()),
                _ => Err(self.refuse("variant", expectation_of(shape))),
            };
        }
        let object = value.as_object().filter(|object| object.len() == 1);
        let member = object.and_then(|object| object.iter().next());
        let (name, payload) = member.ok_or_else(|| self.refuse("variant", expectation_of(shape)))?;
        let found = find(members, name).ok_or_else(|| self.refuse("variant", expectation_of(shape)))?;
        match &found.payload {
            Some(shape) => {
                self.at.push(name);
                let payload = self.value(shape, payload)?;
                self.at.pop();
                Ok(Value::object().put(name, payload).build())
            }
            None if payload.is_null() => Ok(Value::from(name)),
            None => Err(self.refuse("variant", expectation_of(shape))),
        }
    }

    fn adjacent(
        &mut self,
        shape: &Shape,
        members: &'a [Alternative],
        (tag, content): (&str, &'a str),
        value: View<'_>,
    ) -> Converted {
        let (object, found) = self.tagged(shape, members, tag, value)?;
        let named = Value::object().put(tag, found.name.as_str());
        let Some(shape) = &found.payload else {
            return Ok(named.build());
        };
        self.at.push(content);
        let payload = object
            .get(content)
            .ok_or_else(|| self.refuse("missing", expectation_of(shape.resolve(self.definitions))))?;
        let payload = self.value(shape, payload)?;
        self.at.pop();
        Ok(named.put(content, payload).build())
    }

    /// The tag stands among the payload's own members; where those are not known here, they are passed on.
    fn internal(
        &mut self,
        shape: &Shape,
        members: &'a [Alternative],
        tag: &str,
        value: View<'_>,
    ) -> Converted {
        let (object, found) = self.tagged(shape, members, tag, value)?;
        let mut converted = Value::object().put(tag, found.name.as_str());
        let payload = found
            .payload
            .as_ref()
            .map(|payload| payload.resolve(self.definitions));
        match payload.map(|payload| &payload.kind) {
            None | Some(ShapeKind::Unit) => {}
            Some(ShapeKind::Record { fields, .. }) => {
                for field in fields.iter().filter(|field| field.name != tag) {
                    converted.insert(field.name.as_str(), self.field(field, object)?);
                }
            }
            Some(ShapeKind::Map(item)) => {
                for (name, value) in object.iter().filter(|(name, _)| *name != tag) {
                    self.at.push(name);
                    converted.insert(name, self.value(item, value)?);
                    self.at.pop();
                }
            }
            Some(_) => converted.extend(object.iter().map(|(name, value)| (name, value.to_value()))),
        }
        Ok(converted.build())
    }

    /// The object, and the variant that its tag names.
    fn tagged<'v>(
        &mut self,
        shape: &Shape,
        members: &'a [Alternative],
        tag: &str,
        value: View<'v>,
    ) -> Result<(ObjectView<'v>, &'a Alternative), toolmesh_tool::ArgumentError> {
        let object = value
            .as_object()
            .ok_or_else(|| self.refuse("type", expectation_of(shape)))?;
        let name = object.get(tag).and_then(View::as_str);
        let found = name.and_then(|name| find(members, name));
        Ok((
            object,
            found.ok_or_else(|| self.refuse("variant", expectation_of(shape)))?,
        ))
    }
}

fn find<'a>(members: &'a [Alternative], name: &str) -> Option<&'a Alternative> {
    members.iter().find(|member| member.name == name)
}

/// What would fit, in words.
pub(super) fn expectation(members: &[Alternative], tagging: &Tagging) -> String {
    let one = |member: &Alternative| {
        let name = &member.name;
        match (tagging, &member.payload) {
            (Tagging::External, None) => format!("\"{name}\""),
            (Tagging::External, Some(_)) => format!("{{\"{name}\": ..}}"),
            (Tagging::Adjacent { tag, .. } | Tagging::Internal { tag }, None) => {
                format!("{{\"{tag}\": \"{name}\"}}")
            }
            (Tagging::Adjacent { tag, content }, Some(_)) => {
                format!("{{\"{tag}\": \"{name}\", \"{content}\": ..}}")
            }
            (Tagging::Internal { tag }, Some(_)) => format!("{{\"{tag}\": \"{name}\", ..}}"),
            (Tagging::Untagged, _) => format!("a {name}"),
        }
    };
    let all: Vec<String> = members.iter().map(one).collect();
    format!("one of {}", all.join(", "))
}
