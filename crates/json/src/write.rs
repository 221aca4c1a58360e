//! From a value to compact text.
//!
//! No white space, members in their order, escapes only where JSON demands them (short where there is a short one, else
//! `\u00xx` in lowercase), everything else as raw UTF-8, numbers in their text form.

use crate::{
    array_view::ArrayIter,
    escape::{escape_growth, write_escaped},
    limits::{LimitName, OutputLimits},
    number::Number,
    object_view::ObjectIter,
    scan::utf16_units,
    view::{Shape, Text, View},
};
use std::convert::Infallible;

/// Output would have exceeded a limit; nothing of it was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value cannot be written within the limit on {limit}: make it smaller")]
pub struct WriteError {
    /// The limit that would have been exceeded.
    pub limit: LimitName,
}

/// Appends the compact text of a value.
pub fn write_value(out: &mut Vec<u8>, value: View<'_>) {
    out.reserve(usual_room(value));
    match walk(out, value, &mut Unbounded) {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

/// Appends a quoted string.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_escaped(out, text.as_bytes());
    out.push(b'"');
}

/// Appends the compact text of a value unless it exceeds a limit, in which case `out` is left as it was.
///
/// The limit on bytes is one on what is appended. Memory use stays within the limits at every moment.
///
/// # Errors
/// [`WriteError`] naming the limit.
pub fn write_value_within(
    out: &mut Vec<u8>,
    value: View<'_>,
    limits: &OutputLimits,
) -> Result<(), WriteError> {
    let start = out.len();
    out.reserve(usual_room(value).min(limits.bytes()));
    let mut meter = Bounded {
        limits,
        start,
        nodes: 0,
    };
    let result = walk(out, value, &mut meter);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

/// Room for a usual message, so that the output does not grow step by step.
fn usual_room(value: View<'_>) -> usize {
    if value.height() > 1 { 384 } else { 0 }
}

/// What is asked before each piece is written.
trait Meter {
    type Refusal;
    /// A value at this depth, the root's being 1.
    fn node(&mut self, depth: usize) -> Result<(), Self::Refusal>;
    fn text(&mut self, written: usize, text: Text<'_>) -> Result<(), Self::Refusal>;
    fn number(&mut self, written: usize, number: &Number) -> Result<(), Self::Refusal>;
    /// A few bytes of punctuation or a word.
    fn bytes(&mut self, written: usize, more: usize) -> Result<(), Self::Refusal>;
}

struct Unbounded;

impl Meter for Unbounded {
    type Refusal = Infallible;

    fn node(&mut self, _depth: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn text(&mut self, _written: usize, _text: Text<'_>) -> Result<(), Infallible> {
        Ok(())
    }

    fn number(&mut self, _written: usize, _number: &Number) -> Result<(), Infallible> {
        Ok(())
    }

    fn bytes(&mut self, _written: usize, _more: usize) -> Result<(), Infallible> {
        Ok(())
    }
}

struct Bounded<'a> {
    limits: &'a OutputLimits,
    start: usize,
    nodes: usize,
}

fn refuse_above(limit: LimitName, actual: usize, ceiling: usize) -> Result<(), WriteError> {
    if actual > ceiling {
        Err(WriteError { limit })
    } else {
        Ok(())
    }
}

impl Meter for Bounded<'_> {
    type Refusal = WriteError;

    fn node(&mut self, depth: usize) -> Result<(), WriteError> {
        self.nodes += 1;
        refuse_above(LimitName::Depth, depth, self.limits.depth())?;
        refuse_above(LimitName::Nodes, self.nodes, self.limits.nodes())
    }

    fn text(&mut self, written: usize, text: Text<'_>) -> Result<(), WriteError> {
        let limits = self.limits.as_limits();
        let growth = if text.plain {
            0
        } else {
            escape_growth(text.text.as_bytes())
        };
        let text = text.text.as_bytes();
        // Units never outnumber bytes, so that counting them is seldom needed.
        if text.len() + growth > limits.string_units().min(limits.token_units()) {
            let units = utf16_units(text);
            refuse_above(LimitName::StringUnits, units, limits.string_units())?;
            refuse_above(LimitName::TokenUnits, units + growth, limits.token_units())?;
        }
        self.bytes(written, text.len() + growth + 2)
    }

    fn number(&mut self, written: usize, number: &Number) -> Result<(), WriteError> {
        let limits = self.limits.as_limits();
        let length = number.text_len();
        refuse_above(LimitName::NumberTextChars, length, limits.number_text_chars())?;
        refuse_above(LimitName::NumberChars, length, limits.number_chars())?;
        if number.exponent_magnitude() > u64::from(limits.exponent()) {
            return Err(WriteError {
                limit: LimitName::Exponent,
            });
        }
        self.bytes(written, length)
    }

    fn bytes(&mut self, written: usize, more: usize) -> Result<(), WriteError> {
        refuse_above(LimitName::Bytes, written - self.start + more, self.limits.bytes())
    }
}

/// A container that is being written.
enum Open<'a> {
    Array(ArrayIter<'a>),
    Object(ObjectIter<'a>),
}

fn walk<'a, M: Meter>(out: &mut Vec<u8>, root: View<'a>, meter: &mut M) -> Result<(), M::Refusal> {
    let mut open: Vec<Open<'a>> = Vec::new();
    let mut next = Some(root);
    loop {
        let mut first = false;
        if let Some(value) = next.take() {
            meter.node(open.len() + 1)?;
            if let Some(container) = begin(out, value, meter)? {
                open.push(container);
                first = true;
            }
        }
        let Some(container) = open.last_mut() else {
            return Ok(());
        };
        match advance(out, container, first, meter)? {
            Some(value) => next = Some(value),
            None => {
                open.pop();
            }
        }
    }
}

/// Writes a scalar, or the opening of a container.
fn begin<'a, M: Meter>(
    out: &mut Vec<u8>,
    value: View<'a>,
    meter: &mut M,
) -> Result<Option<Open<'a>>, M::Refusal> {
    match value.shape() {
        Shape::Null => put(out, b"null", meter)?,
        Shape::Boolean(true) => put(out, b"true", meter)?,
        Shape::Boolean(false) => put(out, b"false", meter)?,
        Shape::Number(number) => {
            meter.number(out.len(), number)?;
            number.write_to(out);
        }
        Shape::Text(text) => put_text(out, text, meter)?,
        Shape::Array(array) => {
            put(out, b"[", meter)?;
            return Ok(Some(Open::Array(array.iter())));
        }
        Shape::Object(object) => {
            put(out, b"{", meter)?;
            return Ok(Some(Open::Object(object.iter())));
        }
    }
    Ok(None)
}

/// Goes on to a container's next value, writing what stands before it, or closes the container.
fn advance<'a, M: Meter>(
    out: &mut Vec<u8>,
    open: &mut Open<'a>,
    first: bool,
    meter: &mut M,
) -> Result<Option<View<'a>>, M::Refusal> {
    let (value, name, end) = match open {
        Open::Array(items) => (items.next(), None, b"]"),
        Open::Object(members) => match members.next_member() {
            Some((name, value)) => (Some(value), Some(name), b"}"),
            None => (None, None, b"}"),
        },
    };
    if value.is_none() {
        put(out, end, meter)?;
        return Ok(None);
    }
    if !first {
        put(out, b",", meter)?;
    }
    if let Some(name) = name {
        put_text(out, name, meter)?;
        put(out, b":", meter)?;
    }
    Ok(value)
}

fn put<M: Meter>(out: &mut Vec<u8>, bytes: &[u8], meter: &mut M) -> Result<(), M::Refusal> {
    meter.bytes(out.len(), bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

fn put_text<M: Meter>(out: &mut Vec<u8>, text: Text<'_>, meter: &mut M) -> Result<(), M::Refusal> {
    meter.text(out.len(), text)?;
    if text.plain {
        out.reserve(text.text.len() + 2);
        out.push(b'"');
        out.extend_from_slice(text.text.as_bytes());
        out.push(b'"');
    } else {
        write_string(out, text.text);
    }
    Ok(())
}
