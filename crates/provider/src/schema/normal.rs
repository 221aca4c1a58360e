//! A schema of any draft, made uniform.

use indexmap::IndexMap;
use toolmesh_json::{ObjectBuilder, Value, View};

use super::document::{Document, PREFIX};
use super::keyword;
use crate::undo::step;
use crate::warning::Report;

/// Schemas that one document may hold, references counted once: an input schema with more is of no use to a model.
const MAX_SCHEMAS: usize = 20_000;

/// Whether regular expressions stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patterns {
    Kept,
    /// They go, and with `patternProperties` goes `additionalProperties`, which would then say something else.
    Dropped,
}

/// Makes a document uniform; see [`Document`].
pub(super) fn normalise(root: View<'_>, patterns: Patterns, report: &mut Report) -> Result<Document, String> {
    let mut work = Normaliser {
        root,
        patterns,
        names: IndexMap::new(),
        pending: Vec::new(),
        left: MAX_SCHEMAS,
        report,
    };
    let normal = work.schema(root, "")?;
    let mut definitions = IndexMap::new();
    while let Some((name, pointer, target)) = work.pending.pop() {
        definitions.insert(name, work.schema(target, &pointer)?);
    }
    // In the order in which they were met, whatever the order of work.
    definitions.sort_by_cached_key(|name, _| work.names.values().position(|known| known == name));
    Ok(Document {
        root: normal,
        definitions,
    })
}

struct Normaliser<'d, 'r> {
    root: View<'d>,
    patterns: Patterns,
    /// The name of the definition at each pointer that something refers to.
    names: IndexMap<String, String>,
    pending: Vec<(String, String, View<'d>)>,
    left: usize,
    report: &'r mut Report,
}

impl<'d> Normaliser<'d, '_> {
    fn schema(&mut self, schema: View<'d>, place: &str) -> Result<Value, String> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| format!("it holds more than {MAX_SCHEMAS} schemas"))?;
        match schema.as_bool() {
            Some(true) => return Ok(Value::object().build()),
            Some(false) => return Ok(Value::object().put("not", Value::object()).build()),
            None => {}
        }
        let members = schema
            .as_object()
            .ok_or_else(|| format!("what stands at `{place}` is no schema"))?;
        let mut normal = Value::object();
        for (name, value) in members {
            self.keyword(schema, name, value, &step(place, name), &mut normal)?;
        }
        Ok(normal.build())
    }

    fn keyword(
        &mut self,
        schema: View<'d>,
        name: &str,
        value: View<'d>,
        place: &str,
        normal: &mut ObjectBuilder,
    ) -> Result<(), String> {
        match name {
            "$schema" | "$comment" | "$vocabulary" | "$anchor" | "$dynamicAnchor" | "$defs"
            | "definitions" | "x-mcp-header" => {}
            // The root's own name changes no reference that starts with `#`.
            "$id" if place == "/$id" => {}
            "$id" | "$dynamicRef" | "$recursiveRef" => {
                return Err(format!("`{name}` at `{place}` is not supported"));
            }
            "unevaluatedProperties" | "unevaluatedItems" => self.report.dropped(parent(place), name),
            "pattern" | "patternProperties" if self.patterns == Patterns::Dropped => {
                self.report.dropped(parent(place), name);
            }
            "additionalProperties"
                if self.patterns == Patterns::Dropped && schema.get("patternProperties").is_some() => {}
            "$ref" => normal.insert("$ref", self.reference(value, place)?),
            "items" if value.as_array().is_some() => normal.insert("prefixItems", self.list(value, place)?),
            "additionalItems" => {
                if schema
                    .get("items")
                    .is_some_and(|items| items.as_array().is_some())
                {
                    normal.insert("items", self.schema(value, place)?);
                }
            }
            "additionalProperties" if value.as_bool().is_some() => normal.insert(name, value),
            "exclusiveMinimum" | "exclusiveMaximum" if value.as_bool().is_some() => {}
            "minimum" | "maximum" => normal.insert(bound_name(schema, name), value),
            "required" if value.as_array().is_none() => {}
            "dependencies" => self.dependencies(schema, value, place, normal)?,
            _ if keyword::holds_schema(name) => normal.insert(name, self.schema(value, place)?),
            _ if keyword::holds_schemas(name) => normal.insert(name, self.list(value, place)?),
            _ if keyword::holds_named_schemas(name) => normal.insert(name, self.named(value, place)?),
            _ => normal.insert(name, value),
        }
        Ok(())
    }

    /// Draft 7 said in one keyword what are two today.
    fn dependencies(
        &mut self,
        schema: View<'d>,
        value: View<'d>,
        place: &str,
        normal: &mut ObjectBuilder,
    ) -> Result<(), String> {
        let mut names = Value::object();
        let mut schemas = Value::object();
        for (key, needed) in value.as_object().into_iter().flatten() {
            if needed.as_array().is_some() {
                names.insert(key, needed);
            } else {
                schemas.insert(key, self.schema(needed, &step(place, key))?);
            }
        }
        for (keyword, found) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
            if schema.get(keyword).is_some() {
                self.report.dropped(parent(place), "dependencies");
            } else if !found.is_empty() {
                normal.insert(keyword, found);
            }
        }
        Ok(())
    }

    fn list(&mut self, list: View<'d>, place: &str) -> Result<Value, String> {
        let items = list
            .as_array()
            .ok_or_else(|| format!("what stands at `{place}` is no list of schemas"))?;
        items
            .iter()
            .enumerate()
            .map(|(index, item)| self.schema(item, &step(place, &index.to_string())))
            .collect()
    }

    fn named(&mut self, map: View<'d>, place: &str) -> Result<Value, String> {
        let members = map
            .as_object()
            .ok_or_else(|| format!("what stands at `{place}` is no object of schemas"))?;
        let mut normal = Value::object();
        for (name, value) in members {
            normal.insert(name, self.schema(value, &step(place, name))?);
        }
        Ok(normal.build())
    }

    fn reference(&mut self, value: View<'d>, place: &str) -> Result<String, String> {
        let written = value.as_str().unwrap_or_default();
        let fragment = written
            .strip_prefix('#')
            .ok_or_else(|| format!("the reference at `{place}` leads out of the document"))?;
        let fragment = percent_decoded(fragment);
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            fragment
        } else {
            anchor(self.root, &fragment, "").unwrap_or(fragment)
        };
        if let Some(known) = self.names.get(&pointer) {
            return Ok(format!("{PREFIX}{known}"));
        }
        let target = self
            .root
            .pointer(&pointer)
            .ok_or_else(|| format!("the reference at `{place}` leads nowhere"))?;
        let name = self.free_name(&pointer);
        self.names.insert(pointer.clone(), name.clone());
        self.pending.push((name.clone(), pointer, target));
        Ok(format!("{PREFIX}{name}"))
    }

    /// The last part of the pointer, made plain: names of definitions are sent to providers too.
    fn free_name(&self, pointer: &str) -> String {
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let plain: String = last
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                    c
                } else {
                    '_'
                }
            })
            .take(64)
            .collect();
        let base = if plain.is_empty() {
            "root".to_owned()
        } else {
            plain
        };
        let taken = |name: &String| self.names.values().any(|known| known == name);
        let mut name = base.clone();
        let mut count = 1_u32;
        while taken(&name) {
            count += 1;
            name = format!("{base}_{count}");
        }
        name
    }
}

fn parent(place: &str) -> &str {
    place.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Draft 4 said `"exclusiveMinimum": true` beside `minimum`.
fn bound_name(schema: View<'_>, name: &str) -> &'static str {
    let exclusive = |other| schema.get(other).and_then(View::as_bool) == Some(true);
    match name {
        "minimum" if exclusive("exclusiveMinimum") => "exclusiveMinimum",
        "minimum" => "minimum",
        _ if exclusive("exclusiveMaximum") => "exclusiveMaximum",
        _ => "maximum",
    }
}

/// The pointer to the schema that declares this anchor; constants and examples declare none.
fn anchor(schema: View<'_>, name: &str, place: &str) -> Option<String> {
    if schema.get("$anchor").and_then(View::as_str) == Some(name) {
        return Some(place.to_owned());
    }
    schema.as_object()?.iter().find_map(|(key, value)| {
        let inner = step(place, key);
        let members = value.as_object().into_iter().flatten();
        let items = value.as_array().into_iter().flatten().enumerate();
        if keyword::holds_schemas(key) || key == "items" && value.as_array().is_some() {
            items
                .map(|(index, item)| (item, step(&inner, &index.to_string())))
                .find_map(|(item, place)| anchor(item, name, &place))
        } else if keyword::holds_schema(key) {
            anchor(value, name, &inner)
        } else if keyword::holds_named_schemas(key) || matches!(key, "$defs" | "definitions") {
            members
                .map(|(key, member)| (member, step(&inner, key)))
                .find_map(|(member, place)| anchor(member, name, &place))
        } else {
            None
        }
    })
}

/// RFC 3986: `%24` is `$`. Bytes that are no UTF-8 then lead nowhere.
fn percent_decoded(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let escaped = (byte == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(decoded) => {
                bytes.push(decoded);
                rest = after.get(2..).unwrap_or_default();
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> Result<String, String> {
        let value = toolmesh_json::parse(text.as_bytes()).unwrap();
        normalise(value.view(), Patterns::Kept, &mut Report::default())
            .map(|document| document.to_value().to_text())
    }

    #[test]
    fn every_reference_leads_to_a_definition_of_its_own() {
        assert_eq!(
            normal(r##"{"properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#"},"c":{"$ref":"#x"}},"definitions":{"X y":{"$anchor":"x"},"unused":{}}}"##)
                .unwrap(),
            r##"{"properties":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/root"},"c":{"$ref":"#/$defs/X_y"}},"$defs":{"b":{"$ref":"#/$defs/root"},"root":{"properties":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/root"},"c":{"$ref":"#/$defs/X_y"}}},"X_y":{}}}"##
        );
    }

    #[test]
    fn an_anchor_inside_a_constant_is_no_anchor() {
        assert_eq!(
            normal(r##"{"$defs":{"a":{"const":{"$anchor":"x"}},"b":{"$anchor":"x","type":"string"}},"$ref":"#x"}"##)
                .unwrap(),
            r##"{"$ref":"#/$defs/b","$defs":{"b":{"type":"string"}}}"##
        );
    }

    #[test]
    fn a_reference_inside_a_constant_is_no_reference() {
        let text = r##"{"const":{"$ref":"#/nowhere"},"default":{"$ref":1}}"##;
        assert_eq!(normal(text).unwrap(), text);
    }

    #[test]
    fn what_older_drafts_say_is_said_in_the_newest() {
        assert_eq!(
            normal(r#"{"dependencies":{"a":["b"],"c":true},"required":true}"#).unwrap(),
            r#"{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{}}}"#
        );
        assert_eq!(
            normal(r#"{"items":[{"minimum":1,"exclusiveMinimum":true},true],"additionalItems":false}"#)
                .unwrap(),
            r#"{"prefixItems":[{"exclusiveMinimum":1},{}],"items":{"not":{}}}"#
        );
    }

    #[test]
    fn a_reference_that_leads_out_or_nowhere_is_told() {
        assert_eq!(
            normal(r#"{"$ref":"other.json"}"#).unwrap_err(),
            "the reference at `/$ref` leads out of the document"
        );
        assert_eq!(
            normal(r##"{"items":{"$ref":"#/$defs/x"}}"##).unwrap_err(),
            "the reference at `/items/$ref` leads nowhere"
        );
        assert_eq!(
            normal(r##"{"items":{"$ref":"#/%24defs/x"},"$defs":{"x":{}}}"##).unwrap(),
            r##"{"items":{"$ref":"#/$defs/x"},"$defs":{"x":{}}}"##
        );
    }
}
