//! Parts of a schema.

use toolmesh_json::{Value, View};

use super::keyword::kind_of_keyword;
use super::kinds::Kind;

/// A schema without some keywords.
pub(crate) fn without(schema: View<'_>, names: &[&str]) -> Value {
    let members = schema.as_object().into_iter().flatten();
    members
        .filter(|(name, _)| !names.contains(name))
        .collect::<toolmesh_json::ObjectBuilder>()
        .build()
}

/// What a schema that takes several kinds says about one of them, annotations left behind.
pub(crate) fn restricted(schema: View<'_>, kind: Kind) -> Value {
    let mut part = Value::object().put("type", kind.as_str());
    for (name, value) in schema.as_object().into_iter().flatten() {
        let about = kind_of_keyword(name);
        let applies = about.is_some_and(|about| about == kind || about.includes(kind));
        let formats = name == "format" && matches!(kind, Kind::String | Kind::Number | Kind::Integer);
        if applies || formats {
            part.insert(name, value);
        }
    }
    part.build()
}
