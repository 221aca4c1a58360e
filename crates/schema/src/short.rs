//! The short way for values that fit: the same charges as the long way of `evaluate.rs`, without all that only failures
//! need (paths, diagnostics, who is open).
//!
//! It answers "it fits, at this cost" or nothing. Nothing means that the long way has to be taken from the start: the
//! value does not fit, or a bound was met, and somebody will want to know where. So a value that does not fit costs at
//! most twice, and a bound still bounds.
//!
//! An object's members are looked at once for `required`, `properties` and `additionalProperties` together; what each of
//! them charges is charged all the same.

use std::sync::Arc;

use toolmesh_json::{ObjectView, View};

use crate::declared::Declared;
use crate::instance::Instance;
use crate::keywords;
use crate::limits::{EvaluationLimit, EvaluationLimits};
use crate::meter::Meter;
use crate::order::sort_estimate;
use crate::outcome::{Evaluation, EvaluationOutcome};
use crate::program::{Body, Keyword, Node, NodeId, Program};

/// The long way has to be taken.
struct LongWay;

impl From<EvaluationLimit> for LongWay {
    fn from(_: EvaluationLimit) -> Self {
        Self
    }
}

type Answer = Result<bool, LongWay>;

/// Whether the short way knows all that a node says.
pub(crate) fn knows(node: &Node) -> bool {
    let known = |keyword: &Keyword| match keyword {
        Keyword::DynamicReference { .. }
        | Keyword::DependentRequired(_)
        | Keyword::DependentSchemas(_)
        | Keyword::Dependencies { .. }
        | Keyword::PatternProperties(_)
        | Keyword::PropertyNames(_)
        | Keyword::Contains(_)
        | Keyword::UnevaluatedProperties(_)
        | Keyword::UnevaluatedItems(_) => false,
        Keyword::AdditionalProperties(schema) => schema.of_undeclared().is_some(),
        _ => true,
    };
    match &node.body {
        Body::Boolean(_) => true,
        Body::Keywords(list) => list.iter().all(known),
    }
}

/// Judges a value that probably fits.
pub(crate) fn evaluate(program: &Program, value: View<'_>, limits: &EvaluationLimits) -> Option<Evaluation> {
    if !program.is_short() {
        return None;
    }
    let mut walk = Walk {
        program,
        meter: Meter::new(limits),
        most_pending: limits.pending(),
        pending: 0,
        peak: 0,
    };
    let fits = walk.enter(Program::ROOT, value, Telling::Yes);
    matches!(fits, Ok(true)).then(|| Evaluation {
        outcome: EvaluationOutcome::Valid,
        operations: walk.meter.operations(),
        reference_traversals: walk.meter.reference_traversals(),
        peak_pending: walk.peak,
    })
}

/// Whether the long way would tell failures here: a step down costs one operation then, and a failure ends the walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    Yes,
    No,
}

struct Walk<'p> {
    program: &'p Program,
    meter: Meter,
    most_pending: u32,
    pending: u32,
    peak: u32,
}

impl<'p> Walk<'p> {
    /// A loop is met as too many open evaluations; the long way tells which it is.
    fn enter(&mut self, node: NodeId, value: View<'_>, telling: Telling) -> Answer {
        self.pending += 1;
        if self.pending > self.most_pending {
            return Err(LongWay);
        }
        self.peak = self.peak.max(self.pending);
        self.meter.charge(1)?;
        let program = self.program;
        let fits = match &program.node(node).body {
            Body::Boolean(fits) => *fits,
            Body::Keywords(list) => self.judge(list, value, telling)?,
        };
        self.pending -= 1;
        if !fits && telling == Telling::Yes {
            return Err(LongWay);
        }
        Ok(fits)
    }

    fn descend(&mut self, node: NodeId, value: View<'_>, telling: Telling) -> Answer {
        if telling == Telling::Yes {
            self.meter.charge(1)?;
        }
        self.enter(node, value, telling)
    }

    fn judge(&mut self, list: &'p [Keyword], value: View<'_>, telling: Telling) -> Answer {
        let mut fits = true;
        let mut declared: Option<&Declared> = None;
        for keyword in list {
            if let Some(answer) = keywords::check(keyword, &mut self.meter, Instance::Value(value)) {
                fits &= answer?;
                continue;
            }
            fits &= match keyword {
                Keyword::Required(names) => self.required(list, names, value)?,
                Keyword::Properties(members) => {
                    declared = Some(members);
                    self.properties(members, value, telling)?
                }
                Keyword::AdditionalProperties(schema) => {
                    let rest = schema.of_undeclared().ok_or(LongWay)?;
                    self.additional(rest, declared, value, telling)?
                }
                other => self.apply(other, value, telling)?,
            };
        }
        Ok(fits)
    }

    /// Names that `properties` declares are counted there.
    fn required(&mut self, list: &[Keyword], names: &[Arc<str>], value: View<'_>) -> Answer {
        let Some(object) = value.as_object() else {
            return Ok(true);
        };
        self.meter.charge(names.len() as u64)?;
        let counted = list.iter().any(|keyword| {
            matches!(keyword, Keyword::Properties(members) if members.siblings().required.is_some())
        });
        Ok(counted || names.iter().all(|name| object.contains(name)))
    }

    /// Every member once: by its own schema, or by that of the undeclared ones.
    fn properties(&mut self, declared: &Declared, value: View<'_>, telling: Telling) -> Answer {
        let Some(object) = value.as_object() else {
            return Ok(true);
        };
        self.meter.charge(declared.len() as u64)?;
        let siblings = declared.siblings();
        let (mut fits, mut present) = (true, 0_u64);
        for (name, member) in object.iter() {
            let node = match declared.find(name) {
                Some((place, node)) => {
                    present |= bit(place);
                    Some(node)
                }
                None => siblings.rest,
            };
            if let Some(node) = node {
                fits &= self.descend(node, member, telling)?;
            }
        }
        let missing = siblings.required.unwrap_or_default() & !present != 0;
        Ok(fits && !missing)
    }

    /// The members themselves have been judged with the declared ones, if there are any.
    fn additional(
        &mut self,
        rest: NodeId,
        declared: Option<&Declared>,
        value: View<'_>,
        telling: Telling,
    ) -> Answer {
        let Some(object) = value.as_object() else {
            return Ok(true);
        };
        self.charge_sorting(object)?;
        if declared.is_some() {
            return Ok(true);
        }
        let mut fits = true;
        for member in object.values() {
            fits &= self.descend(rest, member, telling)?;
        }
        Ok(fits)
    }

    fn charge_sorting(&mut self, object: ObjectView<'_>) -> Result<(), LongWay> {
        let count = object.len() as u64;
        Ok(self.meter.charge(count.saturating_add(sort_estimate(count)))?)
    }

    /// The keywords that bring other schemas to the same value or to an array's items.
    fn apply(&mut self, keyword: &'p Keyword, value: View<'_>, telling: Telling) -> Answer {
        match keyword {
            Keyword::Reference(target) => {
                self.meter.traverse()?;
                self.enter(*target, value, telling)
            }
            Keyword::AllOf(nodes) => self.all_of(nodes, value, telling),
            Keyword::AnyOf(nodes) => self.any_of(nodes, value),
            Keyword::OneOf(nodes) => self.one_of(nodes, value),
            Keyword::Not(node) => Ok(!self.enter(*node, value, Telling::No)?),
            Keyword::Conditional(conditional) => {
                let holds = self.enter(conditional.condition, value, Telling::No)?;
                let branch = if holds {
                    conditional.then
                } else {
                    conditional.otherwise
                };
                branch.map_or(Ok(true), |branch| self.enter(branch, value, telling))
            }
            Keyword::PrefixItems(nodes) => self.prefix_items(nodes, value, telling),
            Keyword::Items { node, after } => self.items(*node, *after, value, telling),
            _ => Err(LongWay),
        }
    }

    fn all_of(&mut self, nodes: &[NodeId], value: View<'_>, telling: Telling) -> Answer {
        let mut fits = true;
        for node in nodes {
            fits &= self.enter(*node, value, telling)?;
        }
        Ok(fits)
    }

    fn any_of(&mut self, nodes: &[NodeId], value: View<'_>) -> Answer {
        for node in nodes {
            if self.enter(*node, value, Telling::No)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn one_of(&mut self, nodes: &[NodeId], value: View<'_>) -> Answer {
        let mut found = false;
        for node in nodes {
            let fits = self.enter(*node, value, Telling::No)?;
            if fits && found {
                return Ok(false);
            }
            found |= fits;
        }
        Ok(found)
    }

    fn prefix_items(&mut self, nodes: &[NodeId], value: View<'_>, telling: Telling) -> Answer {
        let Some(array) = value.as_array() else {
            return Ok(true);
        };
        let mut fits = true;
        for (item, node) in array.iter().zip(nodes) {
            fits &= self.descend(*node, item, telling)?;
        }
        Ok(fits)
    }

    fn items(&mut self, node: NodeId, after: usize, value: View<'_>, telling: Telling) -> Answer {
        let Some(array) = value.as_array() else {
            return Ok(true);
        };
        let mut fits = true;
        for item in array.iter().skip(after) {
            fits &= self.descend(node, item, telling)?;
        }
        Ok(fits)
    }
}

/// The bit of a place; none beyond the width of the mask.
fn bit(place: usize) -> u64 {
    u32::try_from(place)
        .ok()
        .and_then(|place| 1_u64.checked_shl(place))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use toolmesh_json::Value;

    use super::*;
    use crate::evaluate::evaluate_at_length;
    use crate::{CompileOptions, Profile, Schema};

    /// Compares both ways; whether the short one has answered.
    fn compare(document: Value, value: View<'_>, limits: &EvaluationLimits) -> Option<bool> {
        let options = CompileOptions::default();
        let schema = Schema::compile_with(document, Profile::Draft2020_12, &options).ok()?;
        let program = schema.program();
        let long = evaluate_at_length(program, Instance::Value(value), limits);
        let short = evaluate(program, value, limits);
        if let Some(short) = &short {
            assert_eq!(format!("{short:?}"), format!("{long:?}"), "{schema:?}");
        }
        assert_eq!(
            short.is_some(),
            long.is_valid() && program.is_short(),
            "{schema:?} {value}"
        );
        Some(short.is_some())
    }

    #[test]
    fn both_ways_come_to_the_same_on_the_official_suite() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../testdata/json-schema-test-suite/tests/draft2020-12");
        let (mut short, mut all) = (0, 0);
        for entry in fs::read_dir(folder).unwrap() {
            let Ok(text) = fs::read(entry.unwrap().path()) else {
                continue;
            };
            let groups = toolmesh_json::parse(&text).unwrap();
            for group in groups.as_array().unwrap() {
                for case in group.get("tests").unwrap().as_array().unwrap() {
                    let document = group.get("schema").unwrap().to_value();
                    let value = case.get("data").unwrap();
                    let answered = compare(document, value, &EvaluationLimits::default());
                    short += u32::from(answered == Some(true));
                    all += 1;
                }
            }
        }
        // More than a third of the cases fit schemas without the rarer keywords; the others are judged at length.
        assert!(short > 400 && all > 1_200, "{short} of {all}");
    }

    #[test]
    fn both_ways_end_at_the_same_operation() {
        let document = r##"{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"type":"null"},{"items":{"$ref":"#"}}]},
            "b":{"enum":["x","y"]}},"additionalProperties":{"not":{"minimum":5}}}"##;
        let value = toolmesh_json::parse(br#"{"c":1,"b":"y","a":[{"a":[]},{"a":null,"d":"s"}]}"#).unwrap();
        let document = toolmesh_json::parse(document.as_bytes()).unwrap();
        for operations in 1..150 {
            let limits = EvaluationLimits::default().with_operations(operations).unwrap();
            assert!(compare(document.clone(), value.view(), &limits).is_some());
        }
        for pending in 1..12 {
            let limits = EvaluationLimits::default().with_pending(pending).unwrap();
            assert!(compare(document.clone(), value.view(), &limits).is_some());
        }
        for traversals in 0..4 {
            let limits = EvaluationLimits::default()
                .with_reference_traversals(traversals)
                .unwrap();
            assert!(compare(document.clone(), value.view(), &limits).is_some());
        }
    }
}
