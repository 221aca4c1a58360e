//! One walk over a schema.

use indexmap::IndexMap;
use toolmesh_json::{ObjectBuilder, Value, View};

use super::Dialect;
use crate::schema::{
    Document, Hints, Kind, Pattern, declared, is_annotation, is_assertion, kind_of_keyword, literals, merge,
    without,
};
use crate::undo::{Plan, Undo, step};
use crate::warning::Report;

/// Why a schema is not in the strict subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    place: String,
    reason: String,
}

impl Refusal {
    pub(crate) fn new(place: &str, reason: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            reason: reason.into(),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "{} (at {})", self.reason, self.place)
        }
    }
}

/// A schema in the strict subset.
pub(crate) struct Transformed {
    pub(crate) schema: Value,
    pub(crate) plan: Plan,
    pub(crate) report: Report,
}

/// A part of the result, and how what is sent for it comes back.
pub(super) type Part = Result<(Value, Undo), Refusal>;

/// Transforms a document whose root is an object without combinators.
pub(crate) fn transform(document: &Document, dialect: Dialect) -> Result<Transformed, Refusal> {
    let mut walk = Walk {
        document,
        dialect,
        report: Report::default(),
        definitions: IndexMap::new(),
        plans: Vec::new(),
    };
    let (root, undo) = walk.schema(document.root(), "")?;
    let mut next = 0;
    while let Some((name, _)) = walk.definitions.get_index(next) {
        let name = name.clone();
        let Some(schema) = document.definition(&name) else {
            return Err(Refusal::new("", "it refers to nothing"));
        };
        let (schema, undo) = walk.schema(schema, &step("/$defs", &name))?;
        walk.definitions.insert(name, schema);
        walk.plans.push(undo);
        next += 1;
    }
    let mut schema: ObjectBuilder = root.as_object().into_iter().flatten().collect();
    if !walk.definitions.is_empty() {
        schema.insert("$defs", walk.definitions.into_iter().collect::<ObjectBuilder>());
    }
    Ok(Transformed {
        schema: schema.build(),
        plan: Plan {
            root: undo,
            named: walk.plans,
        },
        report: walk.report,
    })
}

pub(super) struct Walk<'d> {
    pub(super) document: &'d Document,
    pub(super) dialect: Dialect,
    pub(super) report: Report,
    /// Definitions in the order in which they were met; null until their turn comes.
    definitions: IndexMap<String, Value>,
    plans: Vec<Undo>,
}

impl Walk<'_> {
    pub(super) fn schema(&mut self, schema: View<'_>, place: &str) -> Part {
        if schema.get("$ref").is_some() {
            return self.reference(schema, place);
        }
        if let Some(parts) = schema.get("allOf") {
            return self.intersection(schema, parts, place);
        }
        if schema.get("anyOf").is_some() || schema.get("oneOf").is_some() {
            return self.union(schema, place);
        }
        if let Some(values) = literals(schema) {
            return self.literals(schema, &values, place);
        }
        self.refuse_general(schema, place)?;
        match declared(schema).unwrap_or_default().as_slice() {
            [] => Err(Refusal::new(place, "a schema without `type` takes anything")),
            [kind] => self.of_kind(schema, *kind, place),
            several => self.of_kinds(schema, several, place),
        }
    }

    /// `not`, `if` and the like are about every kind of value and never in the subset.
    fn refuse_general(&self, schema: View<'_>, place: &str) -> Result<(), Refusal> {
        let assertions = schema.as_object().into_iter().flatten();
        let general = assertions
            .map(|(name, _)| name)
            .find(|name| *name != "type" && is_assertion(name) && kind_of_keyword(name).is_none());
        general.map_or(Ok(()), |name| {
            Err(Refusal::new(
                place,
                format!("`{name}` is not in the strict subset"),
            ))
        })
    }

    pub(super) fn of_kind(&mut self, schema: View<'_>, kind: Kind, place: &str) -> Part {
        match kind {
            Kind::Object => self.object(schema, place),
            Kind::Array => self.array(schema, place),
            scalar => Ok((self.scalar(schema, scalar, place)?, Undo::Same)),
        }
    }

    fn array(&mut self, schema: View<'_>, place: &str) -> Part {
        let mut array = Value::object().put("type", "array");
        let mut hints = Hints::default();
        self.assertions(schema, Kind::Array, place, &["items"], &mut array, &mut hints)?;
        let Some(items) = schema.get("items") else {
            return Err(Refusal::new(place, "a list without `items` takes anything"));
        };
        let (item, undo) = self.schema(items, &step(place, "items"))?;
        array.insert("items", item);
        Ok((annotated(schema, array, hints), Undo::items(undo)))
    }

    pub(super) fn scalar(&mut self, schema: View<'_>, kind: Kind, place: &str) -> Result<Value, Refusal> {
        let mut scalar = Value::object().put("type", kind.as_str());
        let mut hints = Hints::default();
        self.assertions(schema, kind, place, &[], &mut scalar, &mut hints)?;
        if let Some(format) = schema.get("format") {
            let known = format
                .as_str()
                .is_some_and(|format| self.dialect.formats.contains(&format));
            if known && kind == Kind::String {
                scalar.insert("format", format);
            } else {
                hints.add("format", format);
            }
        }
        Ok(annotated(schema, scalar, hints))
    }

    /// Copies what is said about values of `kind`; refuses what cannot be forced.
    pub(super) fn assertions(
        &self,
        schema: View<'_>,
        kind: Kind,
        place: &str,
        handled: &[&str],
        into: &mut ObjectBuilder,
        hints: &mut Hints,
    ) -> Result<(), Refusal> {
        for (name, value) in schema.as_object().into_iter().flatten() {
            let about = kind_of_keyword(name).is_some_and(|about| about.includes(kind));
            if name == "default" && !value.is_null() {
                hints.add(name, value);
            }
            if !about || handled.contains(&name) || says_nothing(name, value) {
                continue;
            }
            if !self.forces(name, value) {
                return Err(Refusal::new(
                    place,
                    format!("`{name}` is not in the strict subset"),
                ));
            }
            into.insert(name, value);
        }
        Ok(())
    }

    fn forces(&self, name: &str, value: View<'_>) -> bool {
        match name {
            "minItems" if !self.dialect.assertions.contains(&name) => value
                .as_u64()
                .is_some_and(|count| count <= self.dialect.max_min_items),
            "pattern" => {
                self.dialect.assertions.contains(&name)
                    && value
                        .as_str()
                        .is_some_and(|pattern| Pattern::of(pattern).is_plain())
            }
            _ => self.dialect.assertions.contains(&name),
        }
    }

    fn reference(&mut self, schema: View<'_>, place: &str) -> Part {
        let Some((name, target)) =
            Document::reference(schema).and_then(|name| Some((name, self.document.definition(name)?)))
        else {
            return Err(Refusal::new(place, "it refers to nothing"));
        };
        let mut siblings = schema.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(other) = siblings
            .clone()
            .find(|name| *name != "$ref" && is_assertion(name))
        {
            return Err(Refusal::new(place, format!("`{other}` stands beside `$ref`")));
        }
        let recursive = self.document.is_recursive(name);
        if recursive && !self.dialect.recursion {
            return Err(Refusal::new(place, "it is recursive"));
        }
        // Nothing may stand beside `$ref`: with a description of its own, the definition is repeated here.
        if !recursive && siblings.any(|name| name != "$ref" && is_annotation(name)) {
            let mut inline: ObjectBuilder = target.as_object().into_iter().flatten().collect();
            inline.extend(without(schema, &["$ref"]).as_object().into_iter().flatten());
            return self.schema(inline.build().view(), place);
        }
        let index = match self.definitions.get_index_of(name) {
            Some(index) => index,
            None => self.definitions.insert_full(name.to_owned(), Value::null()).0,
        };
        let reference = Value::object().put("$ref", format!("#/$defs/{name}")).build();
        Ok((reference, Undo::Named(index)))
    }

    /// `allOf` of one schema is that schema.
    fn intersection(&mut self, schema: View<'_>, parts: View<'_>, place: &str) -> Part {
        let parts = parts.as_array();
        let only = parts
            .filter(|parts| parts.len() == 1)
            .and_then(|parts| parts.get(0));
        let Some(only) = only else {
            return Err(Refusal::new(
                place,
                "`allOf` of several schemas is not in the strict subset",
            ));
        };
        let rest = without(schema, &["allOf"]);
        let mut report = Report::default();
        let merged = merge(rest.view(), only, place, &mut report);
        if report.into_warnings("").next().is_some() {
            return Err(Refusal::new(place, "`allOf` does not fit beside its neighbours"));
        }
        self.schema(merged.view(), place)
    }
}

/// Whether an assertion holds for every value.
pub(super) fn says_nothing(name: &str, value: View<'_>) -> bool {
    match name {
        "minLength" | "minItems" | "minProperties" => value.as_u64() == Some(0),
        "uniqueItems" => value.as_bool() == Some(false),
        _ => false,
    }
}

/// The schema with the title and description of the original.
pub(super) fn annotated(original: View<'_>, mut schema: ObjectBuilder, hints: Hints) -> Value {
    if let Some(title) = original.get("title").and_then(View::as_str) {
        schema.insert("title", title);
    }
    if let Some(description) = hints.after(original.get("description").and_then(View::as_str)) {
        schema.insert("description", description);
    }
    schema.build()
}
