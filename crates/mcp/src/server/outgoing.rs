//! What may leave the server: no more than a reader with the usual limits takes.
//!
//! Usual messages are far from every limit, which their length and a count of a few bytes show. Others are read once.

use memchr::{memchr_iter, memchr2_iter};
use toolmesh_json::{Limits, parse_with};

/// Whether a message that is about to leave can be read within `limits`.
pub(super) fn is_readable(message: &[u8], limits: &Limits) -> bool {
    is_surely_readable(message, limits)
        || parse_with(message, limits)
            .inspect_err(|error| tracing::warn!(%error, "a message is beyond the limits of JSON"))
            .is_ok()
}

/// Whether a message is so small and flat that it cannot exceed any of the limits. `false` says nothing.
fn is_surely_readable(message: &[u8], limits: &Limits) -> bool {
    let longest = limits
        .bytes()
        .min(limits.string_units())
        .min(limits.token_units());
    // Of a value and the sign that parts it from the next one, each takes a byte at least.
    let is_short = message.len().div_ceil(2) <= limits.nodes();
    message.len() <= longest
        && (is_short || most_values(message) <= limits.nodes())
        && is_flat(message, limits.depth())
        && has_short_numbers(message, limits)
}

/// The most values that a message can have; what stands in texts counts as well.
pub(super) fn most_values(message: &[u8]) -> usize {
    // But for the first, a value follows a comma or begins an array or an object.
    let signs = message.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{'));
    1 + signs.count()
}

/// The limits of what stands so deep within a message of these, with an eighth left for what is around it.
pub(super) fn within(limits: &Limits, depth: usize) -> Limits {
    let less = |most: usize| (most - most / 8).max(1);
    let deep = limits.depth().saturating_sub(depth).max(1);
    let inner = limits.with_bytes(less(limits.bytes()));
    let inner = inner.and_then(|inner| inner.with_nodes(less(limits.nodes())));
    inner.and_then(|inner| inner.with_depth(deep)).unwrap_or(*limits)
}

/// Whether too few arrays and objects are opened to be deeper than this; what stands in texts counts as well.
fn is_flat(message: &[u8], depth: usize) -> bool {
    // The innermost value is one deeper than the containers around it.
    memchr2_iter(b'[', b'{', message)
        .nth(depth.saturating_sub(1))
        .is_none()
}

fn has_short_numbers(message: &[u8], limits: &Limits) -> bool {
    let longest = limits.number_chars().min(limits.number_text_chars());
    // Without an exponent the magnitude is less than the number of characters.
    let longest = usize::try_from(limits.exponent()).map_or(longest, |exponent| longest.min(exponent));
    !has_exponent(message) && !has_long_number(message, longest)
}

/// Whether anything looks like an exponent as numbers are written here.
fn has_exponent(message: &[u8]) -> bool {
    memchr_iter(b'E', message).any(|at| matches!(message.get(at + 1), Some(b'+' | b'-')))
}

/// Whether anything looks like a number of more than so many characters: such a one covers a multiple of that many bytes.
fn has_long_number(message: &[u8], longest: usize) -> bool {
    let places = (0..message.len()).step_by(longest.max(1));
    places.into_iter().any(|place| {
        let (before, behind) = message.split_at(place);
        let before = before.iter().rev().take_while(|byte| is_numeric(**byte));
        let behind = behind.iter().take_while(|byte| is_numeric(**byte));
        before.count() + behind.count() > longest
    })
}

fn is_numeric(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'E')
}

#[cfg(test)]
mod tests {
    use toolmesh_json::{LimitError, Number, Value};

    use super::*;

    /// Sets one limit.
    type Set = fn(Limits, usize) -> Result<Limits, LimitError>;

    /// Asserts that `message` may leave with a limit of `most`, and not with one less; and with how much room it is let out
    /// without being read.
    fn bounded(message: &str, set: Set, most: usize) -> usize {
        let limits = |most| set(Limits::default(), most).expect("a limit");
        assert!(is_readable(message.as_bytes(), &limits(most)), "{message}");
        assert!(!is_readable(message.as_bytes(), &limits(most - 1)), "{message}");
        let unread = (most..).find(|most| is_surely_readable(message.as_bytes(), &limits(*most)));
        unread.expect("some limit is far enough")
    }

    #[test]
    fn every_limit_holds_at_n_and_not_at_one_less() {
        assert_eq!(bounded("[1,2,3]", Limits::with_bytes, 7), 7);
        assert_eq!(bounded("[[[1]]]", Limits::with_depth, 4), 4);
        assert_eq!(bounded("[[],[],[]]", Limits::with_depth, 2), 5);
        assert_eq!(bounded("[1,2,3]", Limits::with_nodes, 4), 4);
        assert_eq!(bounded(r#"["abcd"]"#, Limits::with_string_units, 4), 8);
        assert_eq!(bounded(r#"["\n\n"]"#, Limits::with_token_units, 4), 8);
        assert_eq!(bounded(r#"{"🚀🚀":0}"#, Limits::with_token_units, 4), 14);
        assert_eq!(bounded("[123456]", Limits::with_number_chars, 6), 6);
        assert_eq!(bounded("[12,345678.9,0]", Limits::with_number_chars, 8), 8);
    }

    #[test]
    fn numbers_are_bounded_as_they_are_written() {
        let written = |text: &str| {
            let number = Number::parse(text).expect("a number");
            Value::array().push(number).build().to_text()
        };
        let usual = Limits::default();
        for (text, fits) in [
            ("1e10000".to_owned(), true),
            ("1e10001".to_owned(), false),
            ("1e-10000".to_owned(), true),
            ("-1e-10001".to_owned(), false),
            ("7".repeat(1_024), true),
            ("7".repeat(1_025), false),
        ] {
            assert_eq!(is_readable(written(&text).as_bytes(), &usual), fits, "{text}");
        }
    }

    #[test]
    fn what_only_looks_large_is_read_and_let_out() {
        for text in [
            "[".repeat(500),
            "1".repeat(5_000),
            "1E+99999".to_owned(),
            ",".repeat(300_000),
        ] {
            let message = Value::array().push(text.as_str()).build().to_text();
            assert!(!is_surely_readable(message.as_bytes(), &Limits::default()));
            assert!(is_readable(message.as_bytes(), &Limits::default()));
        }
    }

    #[test]
    fn a_usual_answer_is_not_read() {
        let result = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello 12"}]}}"#;
        assert!(is_surely_readable(result.as_bytes(), &Limits::default()));
        let text = Value::from("x".repeat(1_000_000)).to_text();
        assert!(is_surely_readable(text.as_bytes(), &Limits::default()));
    }

    #[test]
    fn values_are_never_counted_as_fewer_than_they_are() {
        for (text, values) in [
            ("1", 1),
            ("[]", 2),
            ("[[],{}]", 5),
            (r#"{"a":[1,2],"b":{"c":null}}"#, 6),
            (r#"[",["]"#, 4),
        ] {
            assert_eq!(most_values(text.as_bytes()), values, "{text}");
            let limits = Limits::default().with_nodes(values).expect("a limit");
            assert!(parse_with(text.as_bytes(), &limits).is_ok(), "{text}");
        }
    }
}
