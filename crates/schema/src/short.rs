//! The short way for values that fit: the same charges as the long way of `evaluate.rs`, without all that only failures
//! need (paths, diagnostics, who is open).
//!
//! It answers "it fits, at this cost" or nothing. Nothing means that the long way has to be taken from the start: the
//! value does not fit, or a bound was met, and somebody will want to know where. So a value that does not fit costs at
//! most twice, and a bound still bounds.
//!
//! Every node has a plan, in which the usual keywords stand in places of their own. An object's members are looked at once
//! for `required`, `properties` and `additionalProperties` together; what each of them charges is charged all the same.

use std::sync::Arc;

use toolmesh_json::{Kind, View};

use crate::declared::Declared;
use crate::instance::Instance;
use crate::keywords::{self, TypeSet};
use crate::limits::{EvaluationLimit, EvaluationLimits};
use crate::meter::Meter;
use crate::order::sort_estimate;
use crate::outcome::{Evaluation, EvaluationOutcome};
use crate::program::{Body, Keyword, Node, NodeId, Program};

/// A program laid out for the short way: a plan for each node, by the same index.
pub(crate) struct Plans {
    list: Vec<Plan>,
}

/// What a node says, the usual keywords each in a place of their own, so that nothing has to be looked for.
#[derive(Default)]
struct Plan {
    boolean: Option<bool>,
    types: Option<TypeSet>,
    /// The types of a node that says nothing else.
    types_alone: Option<TypeSet>,
    object: Option<Box<ObjectPlan>>,
    items: Option<(NodeId, usize)>,
    /// The places of the other keywords in the node's list.
    others: Box<[usize]>,
}

/// What `required`, `properties` and `additionalProperties` say together.
struct ObjectPlan {
    /// What the first two charge, whatever the object.
    charge: u64,
    declared: Declared,
    /// A bit for each declared member that is required.
    required: u64,
    /// Names that are required and have no bit.
    names: Box<[Arc<str>]>,
    /// The schema of the members that are not declared.
    rest: Option<NodeId>,
}

impl Plans {
    /// Nothing when there is a keyword that only the long way knows.
    pub(crate) fn of(nodes: &[Node]) -> Option<Self> {
        let list = nodes.iter().map(Plan::of).collect::<Option<Vec<Plan>>>()?;
        Some(Self { list })
    }
}

impl Plan {
    fn of(node: &Node) -> Option<Self> {
        let list = match &node.body {
            Body::Boolean(fits) => {
                return Some(Self {
                    boolean: Some(*fits),
                    ..Self::default()
                });
            }
            Body::Keywords(list) => list,
        };
        let mut plan = Self::default();
        let mut others = Vec::new();
        for (place, keyword) in list.iter().enumerate() {
            match keyword {
                Keyword::Type(types) => plan.types = Some(*types),
                Keyword::Items { node, after } => plan.items = Some((*node, *after)),
                Keyword::Required(_) | Keyword::Properties(_) => {}
                Keyword::AdditionalProperties(schema) if schema.of_undeclared().is_some() => {}
                known if is_known(known) => others.push(place),
                _ => return None,
            }
        }
        plan.object = ObjectPlan::of(list).map(Box::new);
        plan.others = others.into_boxed_slice();
        plan.types_alone = plan.types.filter(|_| list.len() == 1);
        Some(plan)
    }
}

/// Whether the short way knows a keyword that has no place of its own.
fn is_known(keyword: &Keyword) -> bool {
    !matches!(
        keyword,
        Keyword::DynamicReference { .. }
            | Keyword::DependentRequired(_)
            | Keyword::DependentSchemas(_)
            | Keyword::Dependencies { .. }
            | Keyword::PatternProperties(_)
            | Keyword::AdditionalProperties(_)
            | Keyword::PropertyNames(_)
            | Keyword::Contains(_)
            | Keyword::UnevaluatedProperties(_)
            | Keyword::UnevaluatedItems(_)
    )
}

impl ObjectPlan {
    fn of(list: &[Keyword]) -> Option<Self> {
        let (mut names, mut declared, mut rest) = (None, None, None);
        for keyword in list {
            match keyword {
                Keyword::Required(required) => names = Some(required),
                Keyword::Properties(members) => declared = Some(members.clone()),
                Keyword::AdditionalProperties(schema) => rest = schema.of_undeclared(),
                _ => {}
            }
        }
        if names.is_none() && declared.is_none() && rest.is_none() {
            return None;
        }
        let declared = declared.unwrap_or_else(Declared::none);
        let names: &[Arc<str>] = names.map_or(&[], |names| names);
        let bit_of = |name: &Arc<str>| declared.find(name).map_or(0, |(place, _)| bit(place));
        Some(Self {
            charge: (names.len() + declared.len()) as u64,
            required: names.iter().map(bit_of).fold(0, |all, bit| all | bit),
            names: names.iter().filter(|name| bit_of(name) == 0).cloned().collect(),
            rest,
            declared,
        })
    }
}

/// The long way has to be taken.
struct LongWay;

impl From<EvaluationLimit> for LongWay {
    fn from(_: EvaluationLimit) -> Self {
        Self
    }
}

type Answer = Result<bool, LongWay>;

/// Judges a value that probably fits.
pub(crate) fn evaluate(program: &Program, value: View<'_>, limits: &EvaluationLimits) -> Option<Evaluation> {
    let plans = program.plans()?;
    let mut walk = Walk {
        program,
        plans,
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
    plans: &'p Plans,
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
        let plans = self.plans;
        let plan = plans.list.get(node.0 as usize).ok_or(LongWay)?;
        let fits = match plan.boolean {
            Some(fits) => fits,
            None => self.judge(node, plan, value, telling)?,
        };
        self.pending -= 1;
        if !fits && telling == Telling::Yes {
            return Err(LongWay);
        }
        Ok(fits)
    }

    #[inline]
    fn descend(&mut self, node: NodeId, value: View<'_>, telling: Telling) -> Answer {
        let plans = self.plans;
        let plan = plans.list.get(node.0 as usize).ok_or(LongWay)?;
        if let Some(types) = plan.types_alone {
            return self.descend_to_leaf(types, value, telling);
        }
        if telling == Telling::Yes {
            self.meter.charge(1)?;
        }
        self.enter(node, value, telling)
    }

    /// The most usual schema, which says a type and nothing else, without opening it: the same charges in one.
    #[inline]
    fn descend_to_leaf(&mut self, types: TypeSet, value: View<'_>, telling: Telling) -> Answer {
        if self.pending >= self.most_pending {
            return Err(LongWay);
        }
        self.peak = self.peak.max(self.pending + 1);
        self.meter.charge(if telling == Telling::Yes { 3 } else { 2 })?;
        let fits = types.holds_kind(value.kind(), || value.as_number());
        if !fits && telling == Telling::Yes {
            return Err(LongWay);
        }
        Ok(fits)
    }

    #[inline]
    fn judge(&mut self, node: NodeId, plan: &'p Plan, value: View<'_>, telling: Telling) -> Answer {
        let kind = value.kind();
        let mut fits = true;
        if let Some(types) = plan.types {
            self.meter.charge(1)?;
            fits = types.holds_kind(kind, || value.as_number());
        }
        if let (Kind::Object, Some(object)) = (kind, &plan.object) {
            fits &= self.object(object, value, telling)?;
        }
        if let (Kind::Array, Some((node, after))) = (kind, plan.items) {
            fits &= self.items(node, after, value, telling)?;
        }
        if !plan.others.is_empty() {
            fits &= self.others(node, plan, value, telling)?;
        }
        Ok(fits)
    }

    fn others(&mut self, node: NodeId, plan: &'p Plan, value: View<'_>, telling: Telling) -> Answer {
        let program = self.program;
        let Body::Keywords(list) = &program.node(node).body else {
            return Err(LongWay);
        };
        let mut fits = true;
        for keyword in plan.others.iter().filter_map(|place| list.get(*place)) {
            fits &= self.apply(keyword, value, telling)?;
        }
        Ok(fits)
    }

    /// Every member once: by its own schema, or by that of the undeclared ones.
    fn object(&mut self, plan: &ObjectPlan, value: View<'_>, telling: Telling) -> Answer {
        let Some(object) = value.as_object() else {
            return Ok(true);
        };
        self.meter.charge(plan.charge)?;
        if plan.rest.is_some() {
            let count = object.len() as u64;
            self.meter.charge(count.saturating_add(sort_estimate(count)))?;
        }
        let (mut fits, mut present) = (true, 0);
        for (name, member) in object.iter() {
            let node = match plan.declared.find(name) {
                Some((place, node)) => {
                    present |= bit(place);
                    Some(node)
                }
                None => plan.rest,
            };
            if let Some(node) = node {
                fits &= self.descend(node, member, telling)?;
            }
        }
        let all_there = plan.required & !present == 0 && plan.names.iter().all(|name| object.contains(name));
        Ok(fits && all_there)
    }

    /// The keywords that are met less often.
    fn apply(&mut self, keyword: &Keyword, value: View<'_>, telling: Telling) -> Answer {
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
            other => match keywords::check(other, &mut self.meter, Instance::Value(value)) {
                Some(answer) => Ok(answer?),
                None => Err(LongWay),
            },
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
            long.is_valid() && program.plans().is_some(),
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
