//! What a server asks for.

use toolmesh_json::{ObjectBuilder, Value, View};
use toolmesh_tool::InputRequest;

/// What a form is made of; libraries that derive it from a type add more, which says nothing to whoever fills it in.
const FORM_MEMBERS: [&str; 3] = ["type", "properties", "required"];

/// Reads a request of a server, an object of `method` and `params`; `None` when it asks for what is not known here.
pub(in crate::client) fn question(request: View<'_>) -> Option<InputRequest> {
    match InputRequest::from_value(request)? {
        InputRequest::Elicitation { message, schema } => Some(InputRequest::Elicitation {
            message,
            schema: form(&schema),
        }),
        other => Some(other),
    }
}

fn form(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let known = members.iter().filter(|(name, _)| FORM_MEMBERS.contains(name));
    known
        .map(|(name, value)| (name, value.to_value()))
        .collect::<ObjectBuilder>()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_passed_on_without_what_its_library_added() {
        let asked = r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"title":"Name","type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}"#;
        let asked = toolmesh_json::parse(asked.as_bytes()).expect("JSON");
        let Some(InputRequest::Elicitation { schema, .. }) = question(asked.view()) else {
            panic!("a form");
        };
        assert_eq!(
            schema.to_text(),
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#
        );
        let unknown = Value::object().put("method", "other/thing").build();
        assert!(question(unknown.view()).is_none());
    }
}
