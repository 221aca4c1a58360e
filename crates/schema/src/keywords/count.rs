//! `minLength`, `maxLength`, `minItems`, `maxItems`, `minProperties`, `maxProperties`: how much there is of something.

use std::fmt;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered, text_charge};
use crate::program::Keyword;

pub(super) const MIN_LENGTH: Rule = Rule {
    names: &["minLength"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Counted::Characters, Side::AtLeast),
};
pub(super) const MAX_LENGTH: Rule = Rule {
    names: &["maxLength"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Counted::Characters, Side::AtMost),
};
pub(super) const MIN_ITEMS: Rule = Rule {
    names: &["minItems"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Counted::Items, Side::AtLeast),
};
pub(super) const MAX_ITEMS: Rule = Rule {
    names: &["maxItems"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Counted::Items, Side::AtMost),
};
pub(super) const MIN_PROPERTIES: Rule = Rule {
    names: &["minProperties"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Counted::Members, Side::AtLeast),
};
pub(super) const MAX_PROPERTIES: Rule = Rule {
    names: &["maxProperties"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| compile(compiler, site, Counted::Members, Side::AtMost),
};

/// A bound on how many characters, items or members a value has.
#[derive(Clone, Copy)]
pub(crate) struct Count {
    counted: Counted,
    side: Side,
    bound: u64,
}

/// What is counted. A character is a Unicode code point.
#[derive(Clone, Copy)]
enum Counted {
    Characters,
    Items,
    Members,
}

#[derive(Clone, Copy)]
enum Side {
    AtLeast,
    AtMost,
}

impl Count {
    fn keyword(&self) -> &'static str {
        keyword(self.counted, self.side)
    }

    fn code(&self) -> DiagnosticCode {
        match (self.counted, self.side) {
            (Counted::Characters, Side::AtLeast) => DiagnosticCode::MinLengthMismatch,
            (Counted::Characters, Side::AtMost) => DiagnosticCode::MaxLengthMismatch,
            (Counted::Items, Side::AtLeast) => DiagnosticCode::MinItemsMismatch,
            (Counted::Items, Side::AtMost) => DiagnosticCode::MaxItemsMismatch,
            (Counted::Members, Side::AtLeast) => DiagnosticCode::MinPropertiesMismatch,
            (Counted::Members, Side::AtMost) => DiagnosticCode::MaxPropertiesMismatch,
        }
    }

    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        let fits = self.check(&mut run.meter, scene.instance)?;
        if !fits {
            run.tell(scene, self.code(), self.keyword(), || self.expected())?;
        }
        Ok(fits)
    }

    /// Whether the instance fits, at the charge.
    pub(crate) fn check(&self, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
        let count = self.count(meter, instance)?;
        Ok(count.is_none_or(|count| self.admits(count)))
    }

    /// Whether it is about the characters of a text.
    pub(crate) fn is_of_characters(&self) -> bool {
        matches!(self.counted, Counted::Characters)
    }

    /// Whether a text has as many characters as it may, at the charge.
    pub(crate) fn admits_text(&self, meter: &mut Meter, text: &str) -> Metered<bool> {
        meter.charge(1 + text_charge(text))?;
        Ok(self.admits(text.chars().count() as u64))
    }

    fn admits(&self, count: u64) -> bool {
        match self.side {
            Side::AtLeast => count >= self.bound,
            Side::AtMost => count <= self.bound,
        }
    }

    fn count(&self, meter: &mut Meter, instance: Instance<'_>) -> Metered<Option<u64>> {
        let count = match self.counted {
            Counted::Characters => match instance.as_str() {
                Some(text) => {
                    meter.charge(text_charge(text))?;
                    Some(text.chars().count() as u64)
                }
                None => None,
            },
            Counted::Items => instance.as_array().map(|array| array.len() as u64),
            Counted::Members => instance.as_object().map(|object| object.len() as u64),
        };
        if count.is_some() {
            meter.charge(1)?;
        }
        Ok(count)
    }

    pub(super) fn expected(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::AtLeast => "at least",
            Side::AtMost => "at most",
        };
        let unit = match self.counted {
            Counted::Characters => "character",
            Counted::Items => "item",
            Counted::Members => "member",
        };
        let plural = if self.bound == 1 { "" } else { "s" };
        write!(formatter, "{side} {} {unit}{plural}", self.bound)
    }
}

fn keyword(counted: Counted, side: Side) -> &'static str {
    match (counted, side) {
        (Counted::Characters, Side::AtLeast) => "minLength",
        (Counted::Characters, Side::AtMost) => "maxLength",
        (Counted::Items, Side::AtLeast) => "minItems",
        (Counted::Items, Side::AtMost) => "maxItems",
        (Counted::Members, Side::AtLeast) => "minProperties",
        (Counted::Members, Side::AtMost) => "maxProperties",
    }
}

fn compile(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
    counted: Counted,
    side: Side,
) -> Result<Option<Keyword>, CompileError> {
    let bound = read_count(compiler, site, keyword(counted, side))?;
    Ok(bound.map(|bound| Keyword::Count(Count { counted, side, bound })))
}

/// A keyword that is a non-negative integer. One beyond 64 bits means the same as the largest: nothing is that long.
pub(super) fn read_count(
    compiler: &Compiler<'_>,
    site: &Site<'_>,
    keyword: &str,
) -> Result<Option<u64>, CompileError> {
    let Some(value) = site.value(keyword) else {
        return Ok(None);
    };
    match value.as_number() {
        Some(number) if number.is_integer() && (!number.is_negative() || number.to_u64() == Some(0)) => {
            Ok(Some(number.to_u64().unwrap_or(u64::MAX)))
        }
        _ => Err(compiler.invalid(site, keyword, "it must be an integer, zero or more")),
    }
}
