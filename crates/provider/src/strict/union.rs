//! Several forms of one value.

use toolmesh_json::{Value, View};

use super::walk::{Part, Refusal, Walk, annotated};
use crate::schema::{Hints, Kind, all_disjoint, declared, is_assertion, kinds, restricted};
use crate::undo::{Alternative, Undo, step};

impl Walk<'_> {
    /// `anyOf`, or `oneOf` whose alternatives take no value in common.
    pub(super) fn union(&mut self, schema: View<'_>, place: &str) -> Part {
        let keyword = if schema.get("oneOf").is_some() {
            "oneOf"
        } else {
            "anyOf"
        };
        let branches: Vec<View<'_>> = schema
            .get(keyword)
            .and_then(View::as_array)
            .into_iter()
            .flatten()
            .collect();
        self.beside(schema, keyword, &branches, place)?;
        if keyword == "oneOf" && !all_disjoint(self.document, &branches) {
            return Err(Refusal::new(place, "alternatives of `oneOf` may overlap"));
        }
        let mut forms = Vec::new();
        let mut alternatives = Vec::new();
        for (index, branch) in branches.into_iter().enumerate() {
            let inner = step(&step(place, keyword), &index.to_string());
            let (form, undo) = self.schema(branch, &inner)?;
            alternatives.push(self.alternative(branch, undo, &inner)?);
            forms.push(form);
        }
        let hints = Hints::of_default(schema);
        let union = Value::object().put("anyOf", forms);
        Ok((annotated(schema, union, hints), Undo::choice(alternatives)))
    }

    fn alternative(&self, own: View<'_>, undo: Undo, place: &str) -> Result<Alternative, Refusal> {
        let own = self
            .document
            .compile(own)
            .ok_or_else(|| Refusal::new(place, "it is no schema on its own"))?;
        Ok(Alternative { own, undo })
    }

    /// Beside alternatives only a `type` may stand that they keep to anyway.
    fn beside(
        &self,
        schema: View<'_>,
        keyword: &str,
        branches: &[View<'_>],
        place: &str,
    ) -> Result<(), Refusal> {
        let assertions = schema.as_object().into_iter().flatten().map(|(name, _)| name);
        let mut others = assertions.filter(|name| *name != keyword && is_assertion(name));
        let Some(other) = others.next() else {
            return Ok(());
        };
        let said = declared(schema).unwrap_or_default();
        let kept = |kind: &Kind| said.iter().any(|wide| wide.includes(*kind));
        let superfluous = other == "type"
            && others.next().is_none()
            && branches
                .iter()
                .all(|branch| kinds(self.document, *branch).iter().all(kept));
        if superfluous {
            return Ok(());
        }
        Err(Refusal::new(
            place,
            format!("`{other}` stands beside `{keyword}`"),
        ))
    }

    /// `"type": ["string", "null"]`
    pub(super) fn of_kinds(&mut self, schema: View<'_>, kinds: &[Kind], place: &str) -> Part {
        if self.dialect.type_lists && kinds.iter().all(|kind| kind.is_scalar()) {
            return self.of_scalars(schema, kinds, place);
        }
        let mut forms = Vec::new();
        let mut alternatives = Vec::new();
        for kind in kinds {
            let part = restricted(schema, *kind);
            let (form, undo) = self.of_kind(part.view(), *kind, place)?;
            alternatives.push(self.alternative(part.view(), undo, place)?);
            forms.push(form);
        }
        let hints = Hints::of_default(schema);
        let union = Value::object().put("anyOf", forms);
        Ok((annotated(schema, union, hints), Undo::choice(alternatives)))
    }

    fn of_scalars(&mut self, schema: View<'_>, kinds: &[Kind], place: &str) -> Part {
        let mut together = Value::object();
        let names: Value = kinds.iter().map(|kind| Value::from(kind.as_str())).collect();
        together.insert("type", names);
        for kind in kinds {
            let part = self.scalar(restricted(schema, *kind).view(), *kind, place)?;
            let said = part.as_object().into_iter().flatten();
            together.extend(said.filter(|(name, _)| !matches!(*name, "type" | "description")));
        }
        let hints = Hints::of_default(schema);
        Ok((annotated(schema, together, hints), Undo::Same))
    }
}
