//! Whether a form can be filled in: the flat schemas that MCP clients know how to show.

use toolmesh_json::{ObjectView, View};

/// Most fields of a form: more is no form that a person fills in.
pub const MAX_FORM_PROPERTIES: usize = 64;

/// Why a schema is no form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// The schema itself.
    #[error("a form is an object schema with `properties`, and `required` among them: {0}")]
    Schema(&'static str),
    /// One field.
    #[error("the field `{field}` of the form {reason}")]
    Field {
        /// Its name.
        field: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Checks that a schema is a form (MCP `requestedSchema`): an object of flat fields, each a text, a number, a flag, or
/// a choice.
///
/// # Errors
/// [`FormError`] names the field and what is wrong with it.
pub fn check_form(schema: View<'_>) -> Result<(), FormError> {
    let schema = schema.as_object().ok_or(FormError::Schema("it is no object"))?;
    only(&schema, &["$schema", "type", "properties", "required"])
        .map_err(|_| FormError::Schema("it has another member"))?;
    if text(&schema, "type") != Some("object") {
        return Err(FormError::Schema("its type is not `object`"));
    }
    let properties = schema.get("properties").and_then(View::as_object);
    let properties = properties.ok_or(FormError::Schema("it has no properties"))?;
    if properties.len() > MAX_FORM_PROPERTIES {
        return Err(FormError::Schema("it has too many properties"));
    }
    check_required(&schema, &properties)?;
    for (field, property) in properties.iter() {
        check_field(property).map_err(|reason| FormError::Field {
            field: field.to_owned(),
            reason,
        })?;
    }
    Ok(())
}

fn check_required(schema: &ObjectView<'_>, properties: &ObjectView<'_>) -> Result<(), FormError> {
    let Some(required) = schema.get("required") else {
        return Ok(());
    };
    let names = required
        .as_array()
        .ok_or(FormError::Schema("`required` is no array"))?;
    let known = |name: View<'_>| name.as_str().is_some_and(|name| properties.contains(name));
    if names.iter().all(known) {
        Ok(())
    } else {
        Err(FormError::Schema("`required` names no property"))
    }
}

/// What every field may say.
const COMMON: [&str; 4] = ["type", "title", "description", "default"];

fn check_field(field: View<'_>) -> Result<(), &'static str> {
    let field = field.as_object().ok_or("is no object")?;
    for name in ["title", "description"] {
        if field.get(name).is_some_and(|text| text.as_str().is_none()) {
            return Err("has a title or a description that is no text");
        }
    }
    match text(&field, "type") {
        Some("string") if field.contains("enum") => check_enum(&field),
        Some("string") if field.contains("oneOf") => check_titled(&field, "oneOf", &["oneOf"]),
        Some("string") => check_text(&field),
        Some("number" | "integer") => check_number(&field),
        Some("boolean") => {
            only(&field, &COMMON)?;
            default(&field, |value| value.as_bool().is_some())
        }
        Some("array") => check_choices(&field),
        _ => Err("has a type that no form has"),
    }
}

fn check_text(field: &ObjectView<'_>) -> Result<(), &'static str> {
    only(
        field,
        &[&COMMON[..], &["minLength", "maxLength", "format"]].concat(),
    )?;
    ordered(field, "minLength", "maxLength", |value| value.as_u64().is_some())?;
    let format = field.get("format");
    let known = |format: View<'_>| matches!(format.as_str(), Some("email" | "uri" | "date" | "date-time"));
    if format.is_some_and(|format| !known(format)) {
        return Err("has a format that no form has");
    }
    default(field, |value| value.as_str().is_some())
}

fn check_number(field: &ObjectView<'_>) -> Result<(), &'static str> {
    only(field, &[&COMMON[..], &["minimum", "maximum"]].concat())?;
    ordered(field, "minimum", "maximum", |value| value.as_number().is_some())?;
    let integer = text(field, "type") == Some("integer");
    default(field, |value| {
        value
            .as_number()
            .is_some_and(|number| !integer || number.is_integer())
    })
}

/// A choice of one among plain texts, perhaps with names for people beside it.
fn check_enum(field: &ObjectView<'_>) -> Result<(), &'static str> {
    only(field, &[&COMMON[..], &["enum", "enumNames"]].concat())?;
    let choices = texts(field.get("enum"))?;
    if field.contains("enumNames") && texts(field.get("enumNames"))?.len() != choices.len() {
        return Err("has another number of names than of choices");
    }
    default(field, |value| {
        value.as_str().is_some_and(|text| choices.contains(&text))
    })
}

/// A choice of one among texts that each have a title.
fn check_titled(field: &ObjectView<'_>, member: &str, more: &[&str]) -> Result<(), &'static str> {
    only(field, &[&COMMON[..], more].concat())?;
    let choices = titled(field.get(member))?;
    default(field, |value| {
        value.as_str().is_some_and(|text| choices.contains(&text))
    })
}

/// A choice of several.
fn check_choices(field: &ObjectView<'_>) -> Result<(), &'static str> {
    only(field, &[&COMMON[..], &["items", "minItems", "maxItems"]].concat())?;
    ordered(field, "minItems", "maxItems", |value| value.as_u64().is_some())?;
    let items = field.get("items").and_then(View::as_object);
    let items = items.ok_or("has no `items`")?;
    let choices = if items.contains("anyOf") {
        only(&items, &["anyOf"])?;
        titled(items.get("anyOf"))?
    } else {
        only(&items, &["type", "enum"])?;
        if text(&items, "type") != Some("string") {
            return Err("has choices that are no texts");
        }
        texts(items.get("enum"))?
    };
    let chosen = |value: View<'_>| value.as_str().is_some_and(|text| choices.contains(&text));
    default(field, |value| {
        value.as_array().is_some_and(|items| items.iter().all(chosen))
    })
}

fn text<'a>(object: &ObjectView<'a>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(View::as_str)
}

fn only(object: &ObjectView<'_>, names: &[&str]) -> Result<(), &'static str> {
    if object.keys().all(|name| names.contains(&name)) {
        Ok(())
    } else {
        Err("has a member that no form has")
    }
}

fn default(field: &ObjectView<'_>, fits: impl Fn(View<'_>) -> bool) -> Result<(), &'static str> {
    match field.get("default") {
        Some(value) if !fits(value) => Err("has a default that does not fit it"),
        _ => Ok(()),
    }
}

/// Whether both bounds are of the right kind, and the lower one not above the upper.
fn ordered(
    field: &ObjectView<'_>,
    low: &str,
    high: &str,
    fits: impl Fn(View<'_>) -> bool,
) -> Result<(), &'static str> {
    let (low, high) = (field.get(low), field.get(high));
    if [low, high].into_iter().flatten().any(|bound| !fits(bound)) {
        return Err("has a bound of the wrong kind");
    }
    let number = |bound: Option<View<'_>>| Some(bound?.as_number()?.to_f64());
    match (number(low), number(high)) {
        (Some(low), Some(high)) if low > high => Err("has a lower bound above its upper one"),
        _ => Ok(()),
    }
}

fn texts(value: Option<View<'_>>) -> Result<Vec<&str>, &'static str> {
    let items = value.and_then(View::as_array).ok_or("has no list of choices")?;
    let texts: Option<Vec<&str>> = items.iter().map(View::as_str).collect();
    texts
        .filter(|texts| !texts.is_empty())
        .ok_or("has choices that are no texts")
}

fn titled(value: Option<View<'_>>) -> Result<Vec<&str>, &'static str> {
    let items = value.and_then(View::as_array).ok_or("has no list of choices")?;
    let choices: Option<Vec<&str>> = items.iter().map(read_choice).collect();
    choices
        .filter(|choices| !choices.is_empty())
        .ok_or("has choices without `const` and `title`")
}

fn read_choice(item: View<'_>) -> Option<&str> {
    let object = item.as_object()?;
    only(&object, &["const", "title"]).ok()?;
    text(&object, "title")?;
    text(&object, "const")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(property: &str) -> Result<(), FormError> {
        let schema = format!(r#"{{"type":"object","properties":{{"f":{property}}},"required":["f"]}}"#);
        check_form(toolmesh_json::parse(schema.as_bytes()).unwrap().view())
    }

    #[test]
    fn every_kind_of_field_is_a_form() {
        for field in [
            r#"{"type":"string","title":"T","description":"D","minLength":1,"maxLength":1,"format":"email","default":"x"}"#,
            r#"{"type":"string","format":"date-time"}"#,
            r#"{"type":"number","minimum":0.5,"maximum":1,"default":0.75}"#,
            r#"{"type":"integer","default":1.0}"#,
            r#"{"type":"boolean","default":false}"#,
            r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"],"default":"b"}"#,
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}"#,
            r#"{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}"#,
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
        ] {
            assert_eq!(check(field), Ok(()), "{field}");
        }
    }

    #[test]
    fn what_no_client_could_show_is_no_form() {
        for field in [
            "true",
            r#"{"type":"object"}"#,
            r#"{"type":["string","null"]}"#,
            r#"{"type":"string","pattern":"x"}"#,
            r#"{"type":"string","format":"ipv4"}"#,
            r#"{"type":"string","minLength":2,"maxLength":1}"#,
            r#"{"type":"string","minLength":-1}"#,
            r#"{"type":"string","default":1}"#,
            r#"{"type":"string","title":1}"#,
            r#"{"type":"number","minimum":"0"}"#,
            r#"{"type":"number","minimum":2,"maximum":1}"#,
            r#"{"type":"integer","default":0.5}"#,
            r#"{"type":"string","enum":[]}"#,
            r#"{"type":"string","enum":[1]}"#,
            r#"{"type":"string","enum":["a"],"enumNames":[]}"#,
            r#"{"type":"string","enum":["a"],"default":"b"}"#,
            r#"{"type":"string","oneOf":[{"const":"a"}]}"#,
            r#"{"type":"array","items":{"type":"string"}}"#,
            r#"{"type":"array","items":{"type":"integer","enum":["a"]}}"#,
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":["b"]}"#,
        ] {
            assert!(matches!(check(field), Err(FormError::Field { .. })), "{field}");
        }
    }

    #[test]
    fn the_schema_around_the_fields_is_checked_too() {
        for schema in [
            "[]",
            r#"{"type":"object"}"#,
            r#"{"type":"string","properties":{}}"#,
            r#"{"type":"object","properties":{},"required":["f"]}"#,
            r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        ] {
            let value = toolmesh_json::parse(schema.as_bytes()).unwrap();
            assert!(
                matches!(check_form(value.view()), Err(FormError::Schema(_))),
                "{schema}"
            );
        }
    }

    #[test]
    fn a_form_has_a_bound_on_its_fields() {
        let form = |fields: usize| {
            let fields: Vec<_> = (0..fields)
                .map(|n| format!(r#""f{n}":{{"type":"boolean"}}"#))
                .collect();
            let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","));
            check_form(toolmesh_json::parse(schema.as_bytes()).unwrap().view())
        };
        assert!(form(MAX_FORM_PROPERTIES).is_ok());
        assert!(form(MAX_FORM_PROPERTIES + 1).is_err());
    }
}
