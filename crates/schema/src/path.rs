//! The place in the judged value that evaluation is at.

use toolmesh_json::pointer::Pointer;

/// One step down into a value.
#[derive(Clone, Copy)]
pub(crate) enum Step<'v> {
    Name(&'v str),
    Index(usize),
}

/// The steps from the root of the value. Kept only while diagnostics are wanted; copied only into a diagnostic.
#[derive(Default)]
pub(crate) struct InstancePath<'v> {
    steps: Vec<Step<'v>>,
}

impl<'v> InstancePath<'v> {
    pub(crate) fn with_capacity(depth: usize) -> Self {
        Self {
            steps: Vec::with_capacity(depth),
        }
    }

    pub(crate) fn push(&mut self, step: Step<'v>) {
        self.steps.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.steps.pop();
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The bytes that the written pointer takes at most, escapes not counted.
    pub(crate) fn text_length(&self) -> usize {
        const LONGEST_INDEX: usize = 20;
        let length = |step: &Step<'_>| match step {
            Step::Name(name) => name.len() + 1,
            Step::Index(_) => LONGEST_INDEX + 1,
        };
        self.steps.iter().map(length).sum()
    }

    pub(crate) fn to_pointer(&self) -> Pointer {
        let mut pointer = Pointer::default();
        for step in &self.steps {
            match step {
                Step::Name(name) => pointer.push(*name),
                Step::Index(index) => pointer.push_index(*index),
            }
        }
        pointer
    }
}
