//! Running a program over a value.

use crate::describe;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::instance::Instance;
use crate::keywords;
use crate::limits::EvaluationLimit;
use crate::limits::EvaluationLimits;
use crate::meter::{Meter, Metered};
use crate::outcome::{Evaluation, EvaluationOutcome};
use crate::path::{InstancePath, Step};
use crate::program::{Body, NodeId, Program};

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
}

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
    path: InstancePath<'v>,
    found: Diagnostics,
    text: usize,
}

/// Judges a value by the root of a program.
pub(crate) fn evaluate<'v>(
    program: &'v Program,
    instance: Instance<'v>,
    limits: &EvaluationLimits,
) -> Evaluation {
    let mut run = Run {
        program,
        meter: Meter::new(limits),
        limits: *limits,
        open: Vec::new(),
        path: InstancePath::default(),
        found: Diagnostics::default(),
        text: 0,
    };
    let verdict = run.enter(Scene {
        node: Program::ROOT,
        instance,
        reporting: Reporting::On,
        depth: 0,
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
        peak_pending: run.meter.peak_pending(),
    }
}

impl<'v> Run<'v> {
    /// Judges a scene. The nesting of these calls is bounded by the pending limit.
    pub(crate) fn enter(&mut self, scene: Scene<'v>) -> Metered<bool> {
        self.meter.open()?;
        self.refuse_loop(scene)?;
        self.meter.charge(1)?;
        self.open.push((scene.node, scene.depth));
        let fits = self.judge(scene)?;
        self.open.pop();
        self.meter.close();
        Ok(fits)
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
            schema,
            expected,
        });
        Ok(())
    }

    fn judge(&mut self, scene: Scene<'v>) -> Metered<bool> {
        let program = self.program;
        match &program.node(scene.node).body {
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

    /// The same schema on the same value while both are still open would never end.
    fn refuse_loop(&self, scene: Scene<'v>) -> Metered<()> {
        let same_instance = self
            .open
            .iter()
            .rev()
            .take_while(|(_, depth)| *depth == scene.depth);
        if same_instance.into_iter().any(|(node, _)| *node == scene.node) {
            return Err(EvaluationLimit::ReferenceTraversals);
        }
        Ok(())
    }
}
