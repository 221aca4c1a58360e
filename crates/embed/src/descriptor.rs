//! Descriptors as programs write them.

use toolmesh::{
    json::{Value, View},
    tool::ToolDescriptor,
};

use crate::{Fault, FaultKind, text::parse};

/// A descriptor as programs write it: with `name` alone where it is the identifier as well.
pub(crate) fn descriptor_from(text: &str) -> Result<ToolDescriptor, Fault> {
    let value = parse(text, "the descriptor is no JSON")?;
    let view = value.view();
    if let (None, Some(name)) = (view.get("tool_id"), view.get("name").and_then(View::as_str)) {
        let mut named = Value::object().put("tool_id", name);
        for (member, value) in view.as_object().into_iter().flat_map(|object| object.iter()) {
            named.insert(member, value);
        }
        return read_descriptor(named.build().view());
    }
    read_descriptor(view)
}

pub(crate) fn read_descriptor(view: View<'_>) -> Result<ToolDescriptor, Fault> {
    ToolDescriptor::from_value(view).map_err(|reason| Fault::because(FaultKind::Invalid, &reason))
}

/// A descriptor of a tool that is to be served. Those that come from elsewhere are read with patience; here a member that is not
/// known, or not of its kind, is a mistake of the program, and is told.
pub(crate) fn served_descriptor(text: &str) -> Result<ToolDescriptor, Fault> {
    let value = parse(text, "the descriptor is no JSON")?;
    let is_named = ["tool_id", "name"]
        .iter()
        .any(|name| value.view().get(name).is_some());
    if !is_named {
        return Err(Fault::new(FaultKind::Invalid, "a descriptor needs a `name`"));
    }
    for (name, member) in value
        .view()
        .as_object()
        .into_iter()
        .flat_map(|members| members.iter())
    {
        let known = MEMBERS.iter().find(|(known, _)| *known == name);
        let (_, form) = known
            .ok_or_else(|| Fault::new(FaultKind::Invalid, format!("a descriptor has no member `{name}`")))?;
        if !member.is_null() && !form.takes(member) {
            return Err(Fault::new(
                FaultKind::Invalid,
                format!("`{name}` of a descriptor is {}", form.words()),
            ));
        }
    }
    descriptor_from(text)
}

/// What a member of a descriptor may be, beside null.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Texts,
    Flag,
    Count,
    Schema,
    Object,
    Objects,
}

/// The members of a descriptor.
const MEMBERS: [(&str, Form); 16] = [
    ("tool_id", Form::Text),
    ("name", Form::Text),
    ("version", Form::Text),
    ("description", Form::Text),
    ("input_schema", Form::Schema),
    ("output_schema", Form::Schema),
    ("requires", Form::Texts),
    ("estimated_time_ms", Form::Count),
    ("stateless", Form::Flag),
    ("streaming", Form::Flag),
    ("tags", Form::Texts),
    ("pricing_terms", Form::Text),
    ("node_count", Form::Count),
    ("title", Form::Text),
    ("icons", Form::Objects),
    ("annotations", Form::Object),
];

impl Form {
    fn takes(self, value: View<'_>) -> bool {
        let all = |holds: fn(View<'_>) -> bool| value.as_array().is_some_and(|items| items.iter().all(holds));
        match self {
            Self::Text => value.as_str().is_some(),
            Self::Texts => all(|item| item.as_str().is_some()),
            Self::Flag => value.as_bool().is_some(),
            Self::Count => value.as_u64().is_some_and(|count| u32::try_from(count).is_ok()),
            // `true` and `false` are schemas as well; a text is one in JSON.
            Self::Schema => {
                value.as_object().is_some() || value.as_bool().is_some() || value.as_str().is_some()
            }
            Self::Object => value.as_object().is_some(),
            Self::Objects => all(|item| item.as_object().is_some()),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Texts => "a list of texts",
            Self::Flag => "true or false",
            Self::Count => "a whole number from 0 to 4294967295",
            Self::Schema => "a JSON Schema, as an object or a text",
            Self::Object => "an object",
            Self::Objects => "a list of objects",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_mesh_tells_of_a_tool_can_be_served_again() {
        let mut descriptor = ToolDescriptor::new("same");
        descriptor.description = Some("Says the same.".to_owned());
        descriptor.input_schema = Some("{}".to_owned());
        descriptor.tags = vec!["a".to_owned()];
        descriptor.title = Some("Same".to_owned());
        for form in [
            toolmesh::tool::SchemaForm::Text,
            toolmesh::tool::SchemaForm::Object,
        ] {
            let told = descriptor.to_value(form).to_text();
            assert_eq!(served_descriptor(&told), Ok(descriptor.clone()));
        }
    }

    #[test]
    fn a_mistake_in_a_descriptor_is_told_by_its_member() {
        for (member, told) in [
            (r#""inputschema":{}"#, "a descriptor has no member `inputschema`"),
            (r#""tags":"web""#, "`tags` of a descriptor is a list of texts"),
            (r#""tags":[1]"#, "`tags` of a descriptor is a list of texts"),
            (
                r#""stateless":"no""#,
                "`stateless` of a descriptor is true or false",
            ),
            (r#""description":1"#, "`description` of a descriptor is a text"),
            (
                r#""estimated_time_ms":4294967296"#,
                "`estimated_time_ms` of a descriptor is a whole number from 0 to 4294967295",
            ),
            (
                r#""input_schema":[]"#,
                "`input_schema` of a descriptor is a JSON Schema, as an object or a text",
            ),
            (
                r#""output_schema":-0.5"#,
                "`output_schema` of a descriptor is a JSON Schema, as an object or a text",
            ),
            (r#""icons":{}"#, "`icons` of a descriptor is a list of objects"),
            (r#""annotations":1"#, "`annotations` of a descriptor is an object"),
        ] {
            let refused = served_descriptor(&format!(r#"{{"name":"x",{member}}}"#)).unwrap_err();
            assert_eq!(
                (refused.kind, refused.message.as_str()),
                (FaultKind::Invalid, told)
            );
        }
        let nameless = served_descriptor("{}").unwrap_err();
        assert_eq!(nameless.message, "a descriptor needs a `name`");
        assert!(served_descriptor(r#"{"name":"x","estimated_time_ms":4294967295,"title":null}"#).is_ok());
    }
}
