//! `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`: bounds of numbers, compared as exact decimals.

use std::cmp::Ordering;

use toolmesh_json::Number;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::program::Keyword;

pub(super) const MINIMUM: Rule = Rule {
    names: &["minimum"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Edge::Minimum),
};
pub(super) const MAXIMUM: Rule = Rule {
    names: &["maximum"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Edge::Maximum),
};
pub(super) const EXCLUSIVE_MINIMUM: Rule = Rule {
    names: &["exclusiveMinimum"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Edge::ExclusiveMinimum),
};
pub(super) const EXCLUSIVE_MAXIMUM: Rule = Rule {
    names: &["exclusiveMaximum"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Edge::ExclusiveMaximum),
};

/// One bound of a number.
#[derive(Clone)]
pub(crate) struct Bound {
    edge: Edge,
    value: Number,
}

/// Which side, and whether the bound itself fits.
#[derive(Clone, Copy)]
enum Edge {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

impl Edge {
    fn keyword(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
        }
    }

    fn code(self) -> DiagnosticCode {
        match self {
            Self::Minimum => DiagnosticCode::MinimumMismatch,
            Self::Maximum => DiagnosticCode::MaximumMismatch,
            Self::ExclusiveMinimum => DiagnosticCode::ExclusiveMinimumMismatch,
            Self::ExclusiveMaximum => DiagnosticCode::ExclusiveMaximumMismatch,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Minimum => "at least",
            Self::Maximum => "at most",
            Self::ExclusiveMinimum => "more than",
            Self::ExclusiveMaximum => "less than",
        }
    }

    /// Whether a number that compares so to the bound fits.
    fn admits(self, ordering: Ordering) -> bool {
        match self {
            Self::Minimum => ordering != Ordering::Less,
            Self::Maximum => ordering != Ordering::Greater,
            Self::ExclusiveMinimum => ordering == Ordering::Greater,
            Self::ExclusiveMaximum => ordering == Ordering::Less,
        }
    }
}

fn compile(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
    edge: Edge,
) -> Result<Option<Keyword>, CompileError> {
    let keyword = edge.keyword();
    let Some(value) = site.value(keyword) else {
        return Ok(None);
    };
    let number = value
        .as_number()
        .ok_or_else(|| compiler.invalid(site, keyword, "it must be a number"))?;
    Ok(Some(Keyword::Bound(Bound {
        edge,
        value: number.clone(),
    })))
}

impl Bound {
    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        if self.check(&mut run.meter, scene.instance)? {
            return Ok(true);
        }
        run.tell(scene, self.edge.code(), self.edge.keyword(), || self.expected())?;
        Ok(false)
    }

    /// Whether the instance fits, at the charge.
    pub(crate) fn check(&self, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
        let Some(number) = instance.as_number() else {
            return Ok(true);
        };
        meter.charge(1)?;
        Ok(self.admits(number))
    }

    /// Whether the number fits.
    #[inline]
    pub(crate) fn admits(&self, number: &Number) -> bool {
        self.edge.admits(number.cmp(&self.value))
    }

    pub(super) fn expected(&self) -> String {
        format!("{} {}", self.edge.words(), describe::number(&self.value))
    }
}
