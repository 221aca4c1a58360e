//! A schema in the larger subset that `parametersJsonSchema` takes.

use toolmesh_json::{ObjectBuilder, Value, View};

use super::rules::JSON_SCHEMA_KEYWORDS;
use crate::schema::{Document, Hints, all_disjoint, is_annotation, literals, merge, without};
use crate::undo::step;
use crate::warning::Report;

/// The document without what has no form; what can be said otherwise is (`const`, `oneOf`, `allOf` of one).
pub(super) fn sanitised(document: &Document, report: &mut Report) -> Value {
    let mut walk = Walk { document, report };
    let root = walk.schema(document.root(), "");
    let mut whole: ObjectBuilder = root.as_object().into_iter().flatten().collect();
    let names: Vec<String> = document.definition_names().map(str::to_owned).collect();
    let mut definitions = Value::object();
    for name in names {
        if let Some(definition) = document.definition(&name) {
            let schema = walk.schema(definition, &step("/$defs", &name));
            definitions.insert(name, schema);
        }
    }
    if !definitions.is_empty() {
        whole.insert("$defs", definitions);
    }
    whole.build()
}

struct Walk<'d, 'r> {
    document: &'d Document,
    report: &'r mut Report,
}

impl Walk<'_, '_> {
    fn schema(&mut self, schema: View<'_>, place: &str) -> Value {
        if schema.get("$ref").is_some() {
            return self.reference(schema, place);
        }
        let parts = schema.get("allOf").and_then(View::as_array);
        if let Some(only) = parts
            .filter(|parts| parts.len() == 1)
            .and_then(|parts| parts.get(0))
        {
            let rest = without(schema, &["allOf"]);
            let merged = merge(rest.view(), only, place, self.report);
            return self.schema(merged.view(), place);
        }
        let mut kept = Value::object();
        let mut hints = Hints::default();
        for (name, value) in schema.as_object().into_iter().flatten() {
            self.keyword(schema, name, value, place, &mut kept, &mut hints);
        }
        let description = hints.after(schema.get("description").and_then(View::as_str));
        kept.put_opt("description", description).build()
    }

    /// Nothing but `$`-keywords may stand beside `$ref`.
    fn reference(&mut self, schema: View<'_>, place: &str) -> Value {
        for (name, _) in schema.as_object().into_iter().flatten() {
            if name != "$ref" && !is_annotation(name) {
                self.report.dropped(place, name);
            }
        }
        Value::object().put_opt("$ref", schema.get("$ref")).build()
    }

    fn keyword(
        &mut self,
        schema: View<'_>,
        name: &str,
        value: View<'_>,
        place: &str,
        kept: &mut ObjectBuilder,
        hints: &mut Hints,
    ) {
        let inner = step(place, name);
        match name {
            "enum" | "const" => self.literals(schema, place, kept),
            "oneOf" if schema.get("anyOf").is_none() => {
                let branches: Vec<View<'_>> = value.as_array().into_iter().flatten().collect();
                if !all_disjoint(self.document, &branches) {
                    self.report.dropped(place, name);
                }
                let forms = self.list(value, &inner);
                kept.insert("anyOf", forms);
            }
            "anyOf" | "prefixItems" => {
                let forms = self.list(value, &inner);
                kept.insert(name, forms);
            }
            "properties" => {
                let mut properties = Value::object();
                for (property, schema) in value.as_object().into_iter().flatten() {
                    properties.insert(property, self.schema(schema, &step(&inner, property)));
                }
                kept.insert(name, properties);
            }
            "items" | "additionalProperties" if value.as_object().is_some() => {
                let schema = self.schema(value, &inner);
                kept.insert(name, schema);
            }
            _ if JSON_SCHEMA_KEYWORDS.contains(&name) => kept.insert(name, value),
            "default" if !value.is_null() => hints.add(name, value),
            _ if is_annotation(name) => {}
            _ => {
                self.report.dropped(place, name);
                hints.add(name, value);
            }
        }
    }

    fn list(&mut self, list: View<'_>, place: &str) -> Vec<Value> {
        let items = list.as_array().into_iter().flatten().enumerate();
        items
            .map(|(index, item)| self.schema(item, &step(place, &index.to_string())))
            .collect()
    }

    /// `enum` of texts and numbers.
    fn literals(&mut self, schema: View<'_>, place: &str, kept: &mut ObjectBuilder) {
        let values = literals(schema).unwrap_or_default();
        let listable = |value: &Value| value.as_str().is_some() || value.as_number().is_some();
        if !values.is_empty() && values.iter().all(listable) {
            kept.insert("enum", values);
        } else {
            self.report.dropped(place, "enum");
        }
    }
}
