//! The walk over a value along the plans.

use std::marker::PhantomData;
use std::sync::Arc;

use toolmesh_json::{Kind, Number, Reader, View, Visit};

use super::plan::{ObjectPlan, Plan, Plans, TextPlan, bit};
use crate::instance::Instance;
use crate::keywords::{self, TypeSet};
use crate::limits::EvaluationLimits;
use crate::meter::{Meter, Metered};
use crate::order::sort_estimate;
use crate::outcome::{Evaluation, EvaluationOutcome};
use crate::program::{Body, Keyword, NodeId, Program};

/// Judges a value that probably fits.
pub(crate) fn evaluate(program: &Program, value: View<'_>, limits: &EvaluationLimits) -> Option<Evaluation> {
    value.visit(Judge {
        program,
        plans: program.plans()?,
        limits,
    })
}

struct Judge<'p> {
    program: &'p Program,
    plans: &'p Plans,
    limits: &'p EvaluationLimits,
}

impl<'v> Visit<'v> for Judge<'_> {
    type Output = Option<Evaluation>;

    fn visit<R: Reader<'v>>(self, reader: R, place: R::Place) -> Option<Evaluation> {
        let mut walk = Walk {
            reader,
            program: self.program,
            plans: self.plans,
            meter: Meter::new(self.limits),
            most_pending: self.limits.pending(),
            peak: 0,
            gave_up: false,
            value: PhantomData,
        };
        let fits = walk.enter::<TELLING>(Program::ROOT, place, 0);
        (fits && !walk.gave_up).then(|| Evaluation {
            outcome: EvaluationOutcome::Valid,
            operations: walk.meter.operations(),
            reference_traversals: walk.meter.reference_traversals(),
            peak_pending: walk.peak,
        })
    }
}

/// Whether the long way would tell failures here: a step down costs one operation then, and a failure ends the walk.
const TELLING: bool = true;
const SUPPRESSED: bool = false;

/// A step answers whether the value fits. Where a bound is met it answers no and leaves word that the walk gave up, so
/// that the answer counts for nothing.
struct Walk<'p, 'v, R: Reader<'v>> {
    reader: R,
    program: &'p Program,
    plans: &'p Plans,
    meter: Meter,
    most_pending: u32,
    peak: u32,
    gave_up: bool,
    value: PhantomData<&'v ()>,
}

/// Goes on with what one step answers: a failure that is told ends the walk, another is remembered.
macro_rules! also {
    ($fits:ident, $step:expr) => {
        $fits &= $step;
        if TELL && !$fits {
            return false;
        }
    };
}

impl<'p, 'v, R: Reader<'v>> Walk<'p, 'v, R> {
    #[cold]
    fn give_up(&mut self) -> bool {
        self.gave_up = true;
        self.meter.exhaust();
        false
    }

    #[inline]
    fn charge(&mut self, operations: u64) -> bool {
        self.meter.charge(operations).is_ok() || self.give_up()
    }

    #[inline]
    fn traverse(&mut self) -> bool {
        self.meter.traverse().is_ok() || self.give_up()
    }

    fn answer(&mut self, answer: Metered<bool>) -> bool {
        answer.unwrap_or_else(|_| self.give_up())
    }

    /// One more evaluation inside `open` others.
    #[inline]
    fn pend(&mut self, open: u32) -> bool {
        self.peak = self.peak.max(open + 1);
        open < self.most_pending || self.give_up()
    }

    /// A loop is met as too many open evaluations; the long way tells which it is.
    fn enter<const TELL: bool>(&mut self, node: NodeId, place: R::Place, open: u32) -> bool {
        match self.plans.get(node) {
            Some(plan) => self.open::<TELL>(node, plan, place, open, 0),
            None => self.give_up(),
        }
    }

    /// One step into the value. The most usual schema, which says a type and nothing else, is not opened.
    #[inline]
    fn descend<const TELL: bool>(&mut self, node: NodeId, place: R::Place, open: u32) -> bool {
        let Some(plan) = self.plans.get(node) else {
            return self.give_up();
        };
        let step = u64::from(TELL);
        if plan.is_leaf {
            return self.pend(open)
                && self.charge(step + plan.charge)
                && self.is_of(plan.types, self.reader.kind(place), place);
        }
        self.open::<TELL>(node, plan, place, open, step)
    }

    fn open<const TELL: bool>(
        &mut self,
        node: NodeId,
        plan: &'p Plan,
        place: R::Place,
        open: u32,
        step: u64,
    ) -> bool {
        if !self.pend(open) || !self.charge(step + plan.charge) {
            return false;
        }
        let kind = self.reader.kind(place);
        let mut fits = true;
        also!(fits, self.is_of(plan.types, kind, place));
        also!(fits, self.by_kind::<TELL>(plan, kind, place, open + 1));
        if plan.says_more {
            also!(fits, self.more::<TELL>(node, plan, place, open + 1));
        }
        fits
    }

    #[inline]
    fn is_of(&self, types: TypeSet, kind: Kind, place: R::Place) -> bool {
        types.holds(kind, || self.reader.number(place))
    }

    /// What applies to one kind of value.
    #[inline]
    fn by_kind<const TELL: bool>(&mut self, plan: &'p Plan, kind: Kind, place: R::Place, open: u32) -> bool {
        match kind {
            Kind::Object => match &plan.object {
                Some(plan) => self.object::<TELL>(plan, place, open),
                None => true,
            },
            Kind::Array => match plan.items {
                Some((node, after)) => self.items::<TELL>(node, after, place, open),
                None => true,
            },
            Kind::String => {
                plan.texts.is_empty() || self.text(plan, self.reader.text(place).unwrap_or_default())
            }
            Kind::Number => match self.reader.number(place) {
                Some(number) => self.number(plan, number),
                None => self.give_up(),
            },
            Kind::Null | Kind::Boolean => true,
        }
    }

    /// What applies to every kind of value.
    fn more<const TELL: bool>(&mut self, node: NodeId, plan: &'p Plan, value: R::Place, open: u32) -> bool {
        let mut fits = true;
        if let Some(target) = plan.reference {
            also!(fits, self.traverse() && self.enter::<TELL>(target, value, open));
        }
        if let (Some(place), false) = (plan.enumeration, self.reader.kind(value) == Kind::String) {
            also!(fits, self.other::<TELL>(node, place, value, open));
        }
        for place in &plan.others {
            also!(fits, self.other::<TELL>(node, *place, value, open));
        }
        fits
    }

    fn text(&mut self, plan: &Plan, text: &str) -> bool {
        let mut fits = true;
        for asked in &plan.texts {
            fits &= match asked {
                TextPlan::OneOf(candidates) => self.one_of_texts(candidates, text),
                TextPlan::Length(count) => {
                    let answer = count.admits_text(&mut self.meter, text);
                    self.answer(answer)
                }
                TextPlan::Pattern(pattern) => {
                    let answer = keywords::matches_text(pattern, &mut self.meter, text);
                    self.answer(answer)
                }
                TextPlan::Format(format) => {
                    let answer = keywords::has_format(*format, &mut self.meter, text);
                    self.answer(answer)
                }
            };
        }
        fits
    }

    /// As `enum` charges: one, and two for each candidate up to the one that it is.
    fn one_of_texts(&mut self, candidates: &[Option<Box<str>>], text: &str) -> bool {
        let place = candidates
            .iter()
            .position(|candidate| candidate.as_deref() == Some(text));
        let tried = place.map_or(candidates.len(), |place| place + 1) as u64;
        self.charge(1 + 2 * tried) && place.is_some()
    }

    #[inline]
    fn number(&mut self, plan: &Plan, number: &Number) -> bool {
        self.charge(plan.bounds.len() as u64) && plan.bounds.iter().all(|bound| bound.admits(number))
    }

    /// Every member once: by its own schema, or by that of the undeclared ones.
    fn object<const TELL: bool>(&mut self, plan: &ObjectPlan, object: R::Place, open: u32) -> bool {
        let members = self.reader.members(object);
        let mut charge = plan.charge;
        if plan.rest.is_some() {
            let count = members.len() as u64;
            charge += count + sort_estimate(count);
        }
        if !self.charge(charge) {
            return false;
        }
        let (mut fits, mut present) = (true, 0);
        for (name, member) in members {
            let node = match plan.declared.find(self.reader.name(name)) {
                Some((place, node)) => {
                    present |= bit(place);
                    Some(node)
                }
                None => plan.rest,
            };
            if let Some(node) = node {
                also!(fits, self.descend::<TELL>(node, member, open));
            }
        }
        fits && plan.required & !present == 0 && (plan.names.is_empty() || self.has_all(&plan.names, object))
    }

    fn has_all(&self, names: &[Arc<str>], object: R::Place) -> bool {
        let object = self.reader.view(object).as_object();
        object.is_some_and(|object| names.iter().all(|name| object.contains(name)))
    }

    fn items<const TELL: bool>(&mut self, node: NodeId, after: usize, array: R::Place, open: u32) -> bool {
        let mut fits = true;
        for item in self.reader.items(array).skip(after) {
            also!(fits, self.descend::<TELL>(node, item, open));
        }
        fits
    }

    /// The keywords that are met less often.
    fn other<const TELL: bool>(&mut self, node: NodeId, place: usize, value: R::Place, open: u32) -> bool {
        let program = self.program;
        let keyword = match &program.node(node).body {
            Body::Keywords(list) => list.get(place),
            Body::Boolean(_) => None,
        };
        match keyword {
            Some(Keyword::AllOf(nodes)) => self.all_of::<TELL>(nodes, value, open),
            Some(Keyword::AnyOf(nodes)) => nodes
                .iter()
                .any(|node| self.enter::<SUPPRESSED>(*node, value, open)),
            Some(Keyword::OneOf(nodes)) => self.one_of(nodes, value, open),
            Some(Keyword::Not(node)) => !self.enter::<SUPPRESSED>(*node, value, open),
            Some(Keyword::Conditional(conditional)) => {
                let holds = self.enter::<SUPPRESSED>(conditional.condition, value, open);
                let branch = if holds {
                    conditional.then
                } else {
                    conditional.otherwise
                };
                branch.is_none_or(|branch| self.enter::<TELL>(branch, value, open))
            }
            Some(Keyword::PrefixItems(nodes)) => self.prefix_items::<TELL>(nodes, value, open),
            other => {
                let answer = other.and_then(|other| {
                    keywords::check(other, &mut self.meter, Instance::Value(self.reader.view(value)))
                });
                match answer {
                    Some(answer) => self.answer(answer),
                    None => self.give_up(),
                }
            }
        }
    }

    fn all_of<const TELL: bool>(&mut self, nodes: &[NodeId], value: R::Place, open: u32) -> bool {
        let mut fits = true;
        for node in nodes {
            also!(fits, self.enter::<TELL>(*node, value, open));
        }
        fits
    }

    fn one_of(&mut self, nodes: &[NodeId], value: R::Place, open: u32) -> bool {
        let mut found = false;
        for node in nodes {
            let fits = self.enter::<SUPPRESSED>(*node, value, open);
            if fits && found {
                return false;
            }
            found |= fits;
        }
        found
    }

    fn prefix_items<const TELL: bool>(&mut self, nodes: &[NodeId], value: R::Place, open: u32) -> bool {
        let mut fits = true;
        for (item, node) in self.reader.items(value).zip(nodes) {
            also!(fits, self.descend::<TELL>(*node, item, open));
        }
        fits
    }
}
