//! One text for all equal values.

use crate::{
    view::{Shape, View},
    write::write_string,
};

/// The text that all equal values share: members sorted by the UTF-8 bytes of their names, numbers without trailing zeros
/// (`100` is `1E+2`, `1.50` is `1.5`), otherwise compact as [`write_value`](crate::write_value) writes.
///
/// For hashing and sealing.
pub fn canonical_text(value: View<'_>) -> String {
    let mut out = Vec::new();
    let mut pending = vec![Step::Value(value)];
    while let Some(step) = pending.pop() {
        match step {
            Step::Value(value) => write_one(&mut out, value, &mut pending),
            Step::Punctuation(byte) => out.push(byte),
            Step::Name(name) => {
                write_string(&mut out, name);
                out.push(b':');
            }
        }
    }
    // Only `str`s and ASCII were written.
    String::from_utf8(out).unwrap_or_default()
}

enum Step<'a> {
    Value(View<'a>),
    Name(&'a str),
    Punctuation(u8),
}

/// Writes a scalar, or the opening of a container whose rest is left in `pending`, the last step first.
fn write_one<'a>(out: &mut Vec<u8>, value: View<'a>, pending: &mut Vec<Step<'a>>) {
    match value.shape() {
        Shape::Number(number) => number.write_canonical_to(out),
        Shape::Array(array) => {
            out.push(b'[');
            pending.push(Step::Punctuation(b']'));
            for (index, item) in array.iter().enumerate().rev() {
                pending.push(Step::Value(item));
                separate(index, pending);
            }
        }
        Shape::Object(object) => {
            out.push(b'{');
            pending.push(Step::Punctuation(b'}'));
            for (index, (name, member)) in object.sorted().into_iter().enumerate().rev() {
                pending.push(Step::Value(member));
                pending.push(Step::Name(name));
                separate(index, pending);
            }
        }
        Shape::Null | Shape::Boolean(_) | Shape::Text(_) => value.write_to(out),
    }
}

fn separate(index: usize, pending: &mut Vec<Step<'_>>) {
    if index > 0 {
        pending.push(Step::Punctuation(b','));
    }
}
