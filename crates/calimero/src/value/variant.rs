//! Values of variant types.

use toolmesh_json::{ObjectView, Value, View};

use super::{Converted, Converter, expectation as expectation_of};
use crate::model::Tagging;
use crate::shape::{Alternative, FlatForm, FlatMember, Others, Shape};

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
        Ok(named.put(content, self.content(content, shape, object)?).build())
    }

    /// The tag stands among the payload's own members.
    fn internal(
        &mut self,
        shape: &Shape,
        members: &'a [Alternative],
        tag: &'a str,
        value: View<'_>,
    ) -> Converted {
        let (object, found) = self.tagged(shape, members, tag, value)?;
        let forms = FlatForm::all(found, tag, self.definitions);
        let meant = forms.iter().filter(|form| is_meant(form, object));
        let meant: Vec<_> = meant.collect();
        match meant.as_slice() {
            [] => Err(self.refuse("variant", one_of(forms.iter().map(told)))),
            // Which one is meant is the application's to say; the schema checks that it is one of them.
            [first, ..] if first.untagged => Ok(value.to_value()),
            [form, ..] => self.flat(form, object),
        }
    }

    /// The object of one form.
    fn flat(&mut self, form: &FlatForm<'a>, object: ObjectView<'_>) -> Converted {
        let mut converted = Value::object();
        for (tag, name) in &form.tags {
            converted.insert(*tag, *name);
        }
        for member in &form.members {
            let value = match *member {
                FlatMember::Field(field) => self.field(field, object)?,
                FlatMember::Payload(name, shape) => self.content(name, shape, object)?,
                FlatMember::Unit(_) => Value::null(),
            };
            converted.insert(member.name(), value);
        }
        for (name, value) in object.iter().filter(|(name, _)| !form.has_tag(name)) {
            match form.others {
                Others::Dropped | Others::Nothing => {}
                Others::Unknown => converted.insert(name, value),
                Others::Of(shape) => {
                    self.at.push(name);
                    converted.insert(name, self.value(shape, value)?);
                    self.at.pop();
                }
            }
        }
        Ok(converted.build())
    }

    /// What a variant carries, in the member of this name.
    fn content(&mut self, name: &str, shape: &'a Shape, object: ObjectView<'_>) -> Converted {
        self.at.push(name);
        let content = object
            .get(name)
            .ok_or_else(|| self.refuse("missing", expectation_of(shape.resolve(self.definitions))))?;
        let content = self.value(shape, content)?;
        self.at.pop();
        Ok(content)
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

/// Whether an object is of this form as far as its tags say, or the name of the variant within.
fn is_meant(form: &FlatForm<'_>, object: ObjectView<'_>) -> bool {
    let mut tags = form.tags.iter();
    let has_tags = tags.all(|(tag, name)| object.get(tag).and_then(View::as_str) == Some(*name));
    let has_name = || {
        let mut members = form.members.iter();
        let one = |member: &FlatMember<'_>| match (member, object.get(member.name())) {
            (_, None) => false,
            (FlatMember::Unit(_), Some(value)) => value.is_null(),
            (_, Some(_)) => true,
        };
        object.len() == form.tags.len().saturating_add(1) && members.all(one)
    };
    has_tags && (form.others != Others::Nothing || has_name())
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
    one_of(members.iter().map(one))
}

/// A form in words: `{"type": "move", ..}`.
fn told(form: &FlatForm<'_>) -> String {
    let tags = form
        .tags
        .iter()
        .map(|(tag, name)| format!("\"{tag}\": \"{name}\""));
    let named = form.members.iter().filter(|_| form.others == Others::Nothing);
    let named = named.map(|member| match member {
        FlatMember::Unit(name) => format!("\"{name}\": null"),
        member => format!("\"{}\": ..", member.name()),
    });
    let mut parts: Vec<String> = tags.chain(named).collect();
    let has_more = !form.members.is_empty() || matches!(form.others, Others::Of(_) | Others::Unknown);
    if has_more && form.others != Others::Nothing {
        parts.push("..".to_owned());
    }
    format!("{{{}}}", parts.join(", "))
}

fn one_of(all: impl Iterator<Item = String>) -> String {
    format!("one of {}", all.collect::<Vec<_>>().join(", "))
}
