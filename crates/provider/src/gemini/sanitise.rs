//! A schema in the small subset that `parameters` takes.
//!
//! References are repeated where they are used, alternatives stand alone, constants are lists of texts. What has no form at all
//! (maps, tuples, recursion, "anything") is asked for as JSON text, which is read again when the call comes back. Assertions
//! that have no form are told in the description; the dispatcher still checks them.

use toolmesh_json::{Number, ObjectBuilder, Value, View};

use super::rules;
use crate::schema::{
    Document, Hints, Kind, Pattern, cut, declared, is_assertion, kind_of_keyword, literals, merge,
    restricted, without,
};
use crate::undo::{Undo, step};
use crate::warning::{Report, WarningKind};

/// How much of a schema is shown where JSON text is asked for, in characters.
const MAX_SHOWN_SCHEMA: usize = 400;

/// A sanitised schema, and how what is sent for it comes back.
pub(super) struct Part {
    pub(super) schema: Value,
    pub(super) undo: Undo,
}

pub(super) struct Sanitiser<'d, 'r> {
    pub(super) document: &'d Document,
    pub(super) report: &'r mut Report,
    /// Definitions that are being repeated.
    open: Vec<String>,
    left: usize,
    depth: usize,
}

impl<'d, 'r> Sanitiser<'d, 'r> {
    pub(super) fn new(document: &'d Document, report: &'r mut Report) -> Self {
        Self {
            document,
            report,
            open: Vec::new(),
            left: rules::MAX_SCHEMAS,
            depth: 0,
        }
    }

    pub(super) fn schema(&mut self, schema: View<'_>, place: &str) -> Part {
        if self.left == 0 || self.depth >= rules::MAX_DEPTH {
            return self.json_text(schema, place);
        }
        self.left -= 1;
        self.depth += 1;
        let part = self.form(schema, place);
        self.depth -= 1;
        part
    }

    fn form(&mut self, schema: View<'_>, place: &str) -> Part {
        if schema.get("$ref").is_some() {
            return self.reference(schema, place);
        }
        if let Some(parts) = schema.get("allOf").and_then(View::as_array) {
            return self.intersection(schema, parts.iter().collect(), place);
        }
        if let Some(values) = literals(schema) {
            return self.literals(schema, &values, place);
        }
        for keyword in ["anyOf", "oneOf"] {
            if schema.get(keyword).is_some() {
                return self.union(schema, keyword, place);
            }
        }
        let mut kinds = declared(schema).unwrap_or_else(|| self.inferred(schema, place));
        let nullable = kinds.len() > 1 && kinds.contains(&Kind::Null);
        if nullable {
            kinds.retain(|kind| *kind != Kind::Null);
        }
        let part = match kinds.as_slice() {
            [] => self.json_text(schema, place),
            [kind] => self.of_kind(schema, *kind, place),
            several => {
                let branches = several.iter().map(|kind| restricted(schema, *kind)).collect();
                self.alternatives(schema, branches, place)
            }
        };
        if nullable { part.or_null() } else { part }
    }

    /// What a schema without `type` is about, if it is about one kind of value.
    fn inferred(&mut self, schema: View<'_>, place: &str) -> Vec<Kind> {
        let members = schema.as_object().into_iter().flatten();
        let about = members.filter_map(|(name, _)| kind_of_keyword(name)).next();
        if let Some(kind) = about {
            self.report.add(place, WarningKind::OnlyAs(kind.as_str()));
        }
        about.into_iter().collect()
    }

    pub(super) fn of_kind(&mut self, schema: View<'_>, kind: Kind, place: &str) -> Part {
        self.drop_general(schema, place);
        match kind {
            Kind::Object => self.object(schema, place),
            Kind::Array => self.array(schema, place),
            Kind::Null => self.literals(schema, &[Value::null()], place),
            Kind::String => self.text(schema, place),
            Kind::Boolean => self.finish(
                schema,
                Value::object().put("type", "boolean"),
                Hints::default(),
                Undo::Same,
            ),
            Kind::Integer | Kind::Number => self.number(schema, kind, place),
        }
    }

    fn drop_general(&mut self, schema: View<'_>, place: &str) {
        for (name, _) in schema.as_object().into_iter().flatten() {
            if name != "type" && is_assertion(name) && kind_of_keyword(name).is_none() {
                self.report.dropped(place, name);
            }
        }
    }

    fn reference(&mut self, schema: View<'_>, place: &str) -> Part {
        let found =
            Document::reference(schema).and_then(|name| Some((name, self.document.definition(name)?)));
        let Some((name, target)) = found.filter(|(name, _)| !self.open.iter().any(|open| open == name))
        else {
            return self.json_text(schema, place);
        };
        let rest = without(schema, &["$ref"]);
        let merged = merge(rest.view(), target, place, self.report);
        self.open.push(name.to_owned());
        let part = self.schema(merged.view(), place);
        self.open.pop();
        part
    }

    fn intersection(&mut self, schema: View<'_>, parts: Vec<View<'_>>, place: &str) -> Part {
        let opened = self.open.len();
        let mut merged = without(schema, &["allOf"]);
        for part in parts {
            let found = match Document::reference(part) {
                None => Some(part.to_value()),
                Some(name) if self.open.iter().any(|open| open == name) => None,
                Some(name) => {
                    self.open.push(name.to_owned());
                    let rest = without(part, &["$ref"]);
                    let target = self.document.definition(name);
                    target.map(|target| merge(rest.view(), target, place, self.report))
                }
            };
            match found {
                Some(part) => merged = merge(merged.view(), part.view(), place, self.report),
                None => self.report.dropped(place, "allOf"),
            }
        }
        let part = self.schema(merged.view(), place);
        self.open.truncate(opened);
        part
    }

    fn text(&mut self, schema: View<'_>, place: &str) -> Part {
        let mut text = Value::object().put("type", "string");
        let mut hints = Hints::default();
        self.counts(schema, &["minLength", "maxLength"], &mut text);
        if let Some(pattern) = schema.get("pattern") {
            if pattern
                .as_str()
                .is_some_and(|pattern| Pattern::of(pattern).is_plain())
            {
                text.insert("pattern", pattern);
            } else {
                self.report.dropped(place, "pattern");
                hints.add("pattern", pattern);
            }
        }
        format_of(schema, &rules::TEXT_FORMATS, &mut text, &mut hints);
        self.finish(schema, text, hints, Undo::Same)
    }

    fn number(&mut self, schema: View<'_>, kind: Kind, place: &str) -> Part {
        let mut number = Value::object().put("type", kind.as_str());
        let mut hints = Hints::default();
        for (inclusive, exclusive, inward) in [
            ("minimum", "exclusiveMinimum", 1),
            ("maximum", "exclusiveMaximum", -1),
        ] {
            let bound = schema.get(inclusive).and_then(View::as_number).cloned();
            let outside = schema.get(exclusive).and_then(View::as_number);
            let inside = outside.map(|outside| match (kind, outside.to_i128()) {
                (Kind::Integer, Some(whole)) => Number::from(whole.saturating_add(inward)),
                // No integer equals a bound that is none.
                (Kind::Integer, None) if !outside.is_integer() => outside.clone(),
                _ => {
                    self.report.dropped(place, exclusive);
                    hints.add(exclusive, Value::from(outside.clone()).view());
                    outside.clone()
                }
            });
            let tighter = match (bound, inside) {
                (Some(a), Some(b)) => Some(if (a < b) == (inward > 0) { b } else { a }),
                (a, b) => a.or(b),
            };
            number = number.put_opt(inclusive, tighter);
        }
        if let Some(step) = schema.get("multipleOf") {
            self.report.dropped(place, "multipleOf");
            hints.add("multipleOf", step);
        }
        let formats = if kind == Kind::Integer {
            &rules::INTEGER_FORMATS
        } else {
            &rules::NUMBER_FORMATS
        };
        format_of(schema, formats, &mut number, &mut hints);
        self.finish(schema, number, hints, Undo::Same)
    }

    fn array(&mut self, schema: View<'_>, place: &str) -> Part {
        if schema.get("prefixItems").is_some() {
            return self.json_text(schema, place);
        }
        let mut array = Value::object().put("type", "array");
        let mut hints = Hints::default();
        self.counts(schema, &["minItems", "maxItems"], &mut array);
        if schema.get("uniqueItems").and_then(View::as_bool) == Some(true) {
            self.report.dropped(place, "uniqueItems");
            hints.add("uniqueItems", Value::from(true).view());
        }
        if let Some(contains) = schema.get("contains") {
            self.report.dropped(place, "contains");
            hints.add("contains", contains);
        }
        let anything = Value::object().build();
        let items = schema.get("items").unwrap_or_else(|| anything.view());
        let item = self.schema(items, &step(place, "items"));
        array.insert("items", item.schema);
        self.finish(schema, array, hints, Undo::items(item.undo))
    }

    /// Counts, spelled as plain integers.
    pub(super) fn counts(&self, schema: View<'_>, names: &[&str], into: &mut ObjectBuilder) {
        for name in names {
            if let Some(count) = schema.get(name).and_then(View::as_u64) {
                into.insert(*name, count);
            }
        }
    }

    /// A value that the model writes as JSON text.
    pub(super) fn json_text(&mut self, schema: View<'_>, place: &str) -> Part {
        self.report.add(place, WarningKind::AsJsonText);
        let bare = without(schema, &["description", "title", "default"]);
        let shown = if bare.as_object().is_none_or(toolmesh_json::ObjectView::is_empty) {
            "(JSON text of any value)".to_owned()
        } else {
            let whole = self.shown(bare.view());
            format!(
                "(JSON text of a value that fits {})",
                cut(&whole, MAX_SHOWN_SCHEMA)
            )
        };
        let description = schema
            .get("description")
            .and_then(View::as_str)
            .filter(|text| !text.is_empty());
        let description = description.map_or(shown.clone(), |text| format!("{text} {shown}"));
        let text = Value::object()
            .put("type", "string")
            .put("description", description);
        Part {
            schema: text.build(),
            undo: Undo::JsonText,
        }
    }

    /// The schema, or the definition that it refers to.
    fn shown(&self, schema: View<'_>) -> String {
        self.document.resolve(schema).to_text()
    }

    pub(super) fn finish(
        &self,
        original: View<'_>,
        mut schema: ObjectBuilder,
        mut hints: Hints,
        undo: Undo,
    ) -> Part {
        if let Some(default) = original.get("default").filter(|value| !value.is_null()) {
            hints.add("default", default);
        }
        let description = original.get("description").and_then(View::as_str);
        schema = schema
            .put_opt("title", original.get("title").and_then(View::as_str))
            .put_opt("description", hints.after(description));
        Part {
            schema: schema.build(),
            undo,
        }
    }
}

impl Part {
    /// The same, or null.
    pub(super) fn or_null(self) -> Self {
        let mut nullable: ObjectBuilder = self.schema.as_object().into_iter().flatten().collect();
        match self.schema.get("anyOf").and_then(View::as_array) {
            // Nothing may stand beside alternatives.
            Some(branches) => {
                let branches = branches.iter().enumerate().map(|(index, branch)| {
                    let mut branch: ObjectBuilder = branch.as_object().into_iter().flatten().collect();
                    if index == 0 && !branch.contains("anyOf") {
                        branch.insert("nullable", true);
                    }
                    branch.build()
                });
                nullable.insert("anyOf", branches.collect::<Vec<_>>());
            }
            None => nullable.insert("nullable", true),
        }
        Self {
            schema: nullable.build(),
            undo: Undo::or_null(self.undo),
        }
    }
}

fn format_of(schema: View<'_>, known: &[&str], into: &mut ObjectBuilder, hints: &mut Hints) {
    let Some(format) = schema.get("format") else {
        return;
    };
    if format.as_str().is_some_and(|format| known.contains(&format)) {
        into.insert("format", format);
    } else {
        hints.add("format", format);
    }
}
