//! Several forms of one value: `anyOf` alone, because nothing may stand beside it ("When using any_of, it must be the only field
//! set").

use toolmesh_json::{ObjectBuilder, Value, View};

use super::rules::MAX_ALTERNATIVES;
use super::sanitise::{Part, Sanitiser};
use crate::schema::{
    Hints, Kind, all_disjoint, is_annotation, is_assertion, kinds, literals, merge, without,
};
use crate::undo::{Alternative, Undo, step};

impl Sanitiser<'_, '_> {
    pub(super) fn union(&mut self, schema: View<'_>, keyword: &str, place: &str) -> Part {
        let branches: Vec<View<'_>> = schema
            .get(keyword)
            .and_then(View::as_array)
            .into_iter()
            .flatten()
            .collect();
        if branches.is_empty() || branches.len() > MAX_ALTERNATIVES {
            return self.json_text(schema, place);
        }
        if keyword == "oneOf" && !all_disjoint(self.document, &branches) {
            self.report.dropped(place, "oneOf");
        }
        if let Some(part) = self.one_list(schema, keyword, &branches, place) {
            return part;
        }
        // What stands beside the alternatives holds for each of them.
        let beside: ObjectBuilder = schema
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| *name != keyword && is_assertion(name))
            .collect();
        let beside = beside.build();
        let branches = branches
            .into_iter()
            .map(|branch| merge(branch, beside.view(), place, self.report))
            .collect();
        self.alternatives(schema, branches, place)
    }

    /// Alternatives that all list their values are one list.
    fn one_list(
        &mut self,
        schema: View<'_>,
        keyword: &str,
        branches: &[View<'_>],
        place: &str,
    ) -> Option<Part> {
        let mut outside = schema.as_object()?.iter().map(|(name, _)| name);
        if outside.any(|name| name != keyword && is_assertion(name)) {
            return None;
        }
        let mut values: Vec<Value> = Vec::new();
        let mut hints = Hints::default();
        for branch in branches {
            let branch = self.document.resolve(*branch);
            let mut names = branch.as_object()?.iter().map(|(name, _)| name);
            if names.any(|name| is_assertion(name) && !matches!(name, "type" | "enum" | "const")) {
                return None;
            }
            let listed = literals(branch)?;
            if let (Some(text), [only]) = (branch.get("description"), listed.as_slice()) {
                hints.add(&only.as_str().map_or_else(|| only.to_text(), str::to_owned), text);
            }
            values.extend(
                listed
                    .into_iter()
                    .filter(|value| !values.contains(value))
                    .collect::<Vec<_>>(),
            );
        }
        let description = hints.after(schema.get("description").and_then(View::as_str));
        let mut whole: ObjectBuilder = without(schema, &[keyword]).as_object()?.iter().collect();
        whole = whole.put_opt("description", description);
        Some(self.literals(whole.build().view(), &values, place))
    }

    /// Alternatives without anything beside them; `schema` is where the title and the description come from.
    pub(super) fn alternatives(&mut self, schema: View<'_>, branches: Vec<Value>, place: &str) -> Part {
        let only_null = |branch: &Value| kinds(self.document, branch.view()) == [Kind::Null];
        let (nulls, branches): (Vec<Value>, Vec<Value>) = branches.into_iter().partition(only_null);
        let part = match branches.as_slice() {
            [] => self.literals(schema, &[Value::null()], place),
            [only] => {
                let mut whole: ObjectBuilder = only.as_object().into_iter().flatten().collect();
                let annotations = schema.as_object().into_iter().flatten();
                whole.extend(annotations.filter(|(name, _)| is_annotation(name)));
                self.schema(whole.build().view(), place)
            }
            several => self.several(schema, several, place),
        };
        if nulls.is_empty() || branches.is_empty() {
            part
        } else {
            part.or_null()
        }
    }

    fn several(&mut self, schema: View<'_>, branches: &[Value], place: &str) -> Part {
        let mut parts = Vec::new();
        let mut alternatives = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let part = self.schema(branch.view(), &step(&step(place, "anyOf"), &index.to_string()));
            let Some(own) = self.document.compile(branch.view()) else {
                return self.json_text(schema, place);
            };
            alternatives.push(Alternative { own, undo: part.undo });
            parts.push(part.schema);
        }
        if is_ambiguous(&parts, &alternatives) {
            return self.json_text(schema, place);
        }
        self.describe_first(schema, &mut parts);
        Part {
            schema: Value::object().put("anyOf", parts).build(),
            undo: Undo::choice(alternatives),
        }
    }

    /// A description may not stand beside `anyOf`, so it goes to the first alternative.
    fn describe_first(&self, schema: View<'_>, parts: &mut [Value]) {
        let hints = Hints::of_default(schema);
        let outer = hints.after(schema.get("description").and_then(View::as_str));
        let (Some(outer), Some(first)) = (outer, parts.first_mut()) else {
            return;
        };
        if first.get("anyOf").is_some() {
            return;
        }
        let own = first.get("description").and_then(View::as_str);
        let both = own.map_or(outer.clone(), |own| format!("{outer} {own}"));
        let mut described: ObjectBuilder = first.as_object().into_iter().flatten().collect();
        described.insert("description", both);
        *first = described.build();
    }
}

/// Whether a text could be meant as itself or as JSON text.
fn is_ambiguous(parts: &[Value], alternatives: &[Alternative]) -> bool {
    let is_text = |part: &Value| {
        part.get("type").and_then(View::as_str) == Some("string") || part.get("anyOf").is_some()
    };
    let as_text = alternatives.iter().any(|one| one.undo.reads_text());
    let as_itself = parts
        .iter()
        .zip(alternatives)
        .any(|(part, one)| is_text(part) && !one.undo.reads_text());
    as_text && as_itself
}
