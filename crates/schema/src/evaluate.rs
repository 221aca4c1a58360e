//! Running a program over a value.

use std::collections::HashSet;

use toolmesh_json::View;

use crate::describe;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::instance::Instance;
use crate::keywords;
use crate::limits::EvaluationLimit;
use crate::limits::EvaluationLimits;
use crate::meter::{Meter, Metered};
use crate::outcome::{Evaluation, EvaluationOutcome};
use crate::path::{InstancePath, Step};
use crate::program::{Body, Keyword, NodeId, Program};
use crate::short;
use crate::tracking::{EvaluatedItems, Mark, Marks};

/// Whether failures are to be told. A branch that only decides (`anyOf`, `if`, ...) runs suppressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reporting {
    On,
    Suppressed,
}

/// A schema meeting a value.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'v> {
    pub(crate) node: NodeId,
    pub(crate) instance: Instance<'v>,
    pub(crate) reporting: Reporting,
    /// How many steps the instance lies below the root: two open scenes judge the same instance exactly when their
    /// depths are equal, because open scenes lie on one path.
    depth: u32,
    /// Since which mark somebody asks which parts of the value have been spoken of; [`UNTRACKED`] when nobody does.
    tracking: u32,
}

/// Nobody asks which parts of a value have been spoken of.
const UNTRACKED: u32 = u32::MAX;

impl Scene<'_> {
    /// Another schema on the same value.
    pub(crate) fn on(mut self, node: NodeId) -> Self {
        self.node = node;
        self
    }

    /// Another schema on the same value, telling nothing.
    pub(crate) fn quietly_on(self, node: NodeId) -> Self {
        Self {
            reporting: Reporting::Suppressed,
            ..self.on(node)
        }
    }

    /// Another schema on the same value, of which nothing is to be known but whether it fits.
    pub(crate) fn apart_on(self, node: NodeId) -> Self {
        Self {
            tracking: UNTRACKED,
            ..self.quietly_on(node)
        }
    }

    /// Whether somebody asks which parts of the value have been spoken of.
    pub(crate) fn is_tracked(self) -> bool {
        self.tracking != UNTRACKED
    }

    /// The same scene, telling nothing.
    pub(crate) fn quietly(self) -> Self {
        self.quietly_on(self.node)
    }
}

/// One evaluation under way. Every fallible step returns the bound that ends the *whole* evaluation; no branch may
/// turn that into a mismatch.
pub(crate) struct Run<'v> {
    pub(crate) program: &'v Program,
    pub(crate) meter: Meter,
    limits: EvaluationLimits,
    open: Vec<(NodeId, u32)>,
    /// The most scenes that were open at once.
    peak: u32,
    path: InstancePath<'v>,
    marks: Marks<'v>,
    /// How many declared members the object had that `properties` looked at last. Only for the keyword right after it.
    pub(crate) present: usize,
    found: Diagnostics,
    text: usize,
}

/// Most values and schemas are no deeper, and make room only once.
const USUAL_DEPTH: usize = 16;

/// Judges a value by the root of a program: the short way, and the long way where that gives no answer.
pub(crate) fn evaluate<'v>(program: &'v Program, value: View<'v>, limits: &EvaluationLimits) -> Evaluation {
    short::evaluate(program, value, limits)
        .unwrap_or_else(|| evaluate_at_length(program, Instance::Value(value), limits))
}

/// Judges a value and tells every failure.
pub(crate) fn evaluate_at_length<'v>(
    program: &'v Program,
    instance: Instance<'v>,
    limits: &EvaluationLimits,
) -> Evaluation {
    let mut run = Run {
        program,
        meter: Meter::new(limits),
        limits: *limits,
        open: Vec::with_capacity(USUAL_DEPTH),
        path: InstancePath::with_capacity(USUAL_DEPTH),
        peak: 0,
        present: 0,
        marks: Marks::default(),
        found: Diagnostics::default(),
        text: 0,
    };
    let verdict = run.enter(Scene {
        node: Program::ROOT,
        instance,
        reporting: Reporting::On,
        depth: 0,
        tracking: UNTRACKED,
    });
    let outcome = match verdict {
        Ok(true) => EvaluationOutcome::Valid,
        Ok(false) => EvaluationOutcome::Invalid(run.found),
        Err(limit) => EvaluationOutcome::LimitExceeded(limit),
    };
    Evaluation {
        outcome,
        operations: run.meter.operations(),
        reference_traversals: run.meter.reference_traversals(),
        peak_pending: run.peak,
    }
}

impl<'v> Run<'v> {
    /// Judges a scene. The nesting of these calls is bounded by the pending limit.
    pub(crate) fn enter(&mut self, scene: Scene<'v>) -> Metered<bool> {
        self.open(scene)?;
        let fits = self.judge(scene)?;
        self.open.pop();
        Ok(fits)
    }

    fn open(&mut self, scene: Scene<'v>) -> Metered<()> {
        if self.open.len() >= self.limits.pending() as usize {
            return Err(EvaluationLimit::PendingTasks);
        }
        self.refuse_loop(scene)?;
        self.meter.charge(1)?;
        self.open.push((scene.node, scene.depth));
        self.peak = self.peak.max(u32::try_from(self.open.len()).unwrap_or(u32::MAX));
        Ok(())
    }

    /// Judges a part of the scene's value by another schema; a step costs one operation while failures are told.
    pub(crate) fn descend(
        &mut self,
        scene: Scene<'v>,
        step: Step<'v>,
        instance: Instance<'v>,
        node: NodeId,
    ) -> Metered<bool> {
        let child = Scene {
            node,
            instance,
            reporting: scene.reporting,
            depth: scene.depth.saturating_add(1),
            tracking: UNTRACKED,
        };
        if scene.reporting == Reporting::Suppressed {
            return self.enter(child);
        }
        self.meter.charge(1)?;
        self.path.push(step);
        let fits = self.enter(child)?;
        self.path.pop();
        Ok(fits)
    }

    /// Tells that the scene's value breaks a keyword. The words are only made when they are kept.
    pub(crate) fn tell(
        &mut self,
        scene: Scene<'v>,
        code: DiagnosticCode,
        keyword: &str,
        expected: impl FnOnce() -> String,
    ) -> Metered<()> {
        if scene.reporting == Reporting::Suppressed || self.found.truncated {
            return Ok(());
        }
        self.meter.charge(self.path.len() as u64)?;
        if self.found.list.len() >= self.limits.diagnostics() {
            self.found.truncated = true;
            return Ok(());
        }
        let mut schema = self.program.location(scene.node);
        if !keyword.is_empty() {
            schema.push(keyword);
        }
        let expected = expected();
        self.text += self.path.text_length() + schema.to_string().len() + expected.len();
        if self.text > self.limits.diagnostic_text() {
            self.found.truncated = true;
            return Ok(());
        }
        let instance = self.path.to_pointer();
        self.found.list.push(Diagnostic {
            code,
            instance,
            document: self.program.document(scene.node).cloned(),
            schema,
            expected,
        });
        Ok(())
    }

    /// Notes that a part of the scene's value has been spoken of, if somebody asks.
    pub(crate) fn mark(&mut self, scene: Scene<'v>, mark: Mark<'v>) {
        if scene.is_tracked() {
            self.marks.push(mark);
        }
    }

    /// The members that other schemas on the scene's value have spoken of; each mark costs one operation.
    pub(crate) fn evaluated_members(&mut self, scene: Scene<'v>) -> Metered<HashSet<&'v str>> {
        self.meter.charge(self.marks.count_since(scene.tracking))?;
        Ok(self.marks.members_since(scene.tracking))
    }

    /// As [`Run::evaluated_members`], for the items of an array.
    pub(crate) fn evaluated_items(&mut self, scene: Scene<'v>) -> Metered<EvaluatedItems> {
        self.meter.charge(self.marks.count_since(scene.tracking))?;
        Ok(self.marks.items_since(scene.tracking))
    }

    /// The schema of a dynamic anchor in the outermost open resource that has it; each open scene costs one operation.
    pub(crate) fn outermost(&mut self, anchor: &str) -> Metered<Option<NodeId>> {
        self.meter.charge(self.open.len() as u64)?;
        let program = self.program;
        let mut last = None;
        for (node, _) in &self.open {
            let resource = program.node(*node).resource;
            if last.replace(resource) == Some(resource) {
                continue;
            }
            if let Some(found) = program.dynamic_anchor(resource, anchor) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn judge(&mut self, scene: Scene<'v>) -> Metered<bool> {
        let program = self.program;
        let node = program.node(scene.node);
        match &node.body {
            Body::Keywords(list) if node.tracks || scene.is_tracked() => self.judge_tracked(list, scene),
            Body::Boolean(true) => Ok(true),
            Body::Boolean(false) => {
                let expected = || describe::refusal(program, scene.node);
                self.tell(scene, DiagnosticCode::FalseSchema, "", expected)?;
                Ok(false)
            }
            Body::Keywords(list) => {
                let mut fits = true;
                for keyword in list {
                    fits &= keywords::evaluate(keyword, self, scene)?;
                }
                Ok(fits)
            }
        }
    }

    /// Takes the marks back when the schema does not fit, or when only the schema itself wanted them.
    fn judge_tracked(&mut self, list: &'v [Keyword], mut scene: Scene<'v>) -> Metered<bool> {
        let start = self.marks.end();
        let wanted_outside = scene.is_tracked();
        scene.tracking = start;
        let mut fits = true;
        for keyword in list {
            // What a schema that does not fit has left over is not worth telling.
            if !fits && keyword.is_unevaluated() {
                break;
            }
            fits &= keywords::evaluate(keyword, self, scene)?;
        }
        if !fits || !wanted_outside {
            self.marks.take_back(start);
        }
        Ok(fits)
    }

    /// The same schema on the same value while both are still open would never end.
    fn refuse_loop(&self, scene: Scene<'v>) -> Metered<()> {
        for (node, depth) in self.open.iter().rev() {
            if *depth != scene.depth {
                break;
            }
            if *node == scene.node {
                return Err(EvaluationLimit::ReferenceTraversals);
            }
        }
        Ok(())
    }
}
