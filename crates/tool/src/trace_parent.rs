//! The trace that a call belongs to.

use std::fmt;

use toolmesh_json::View;

use crate::FrontInfo;

/// The name of the header, and of the member of `_meta`, that carries it.
const NAME: &str = "traceparent";

/// The place of a call in a distributed trace, as whoever called tells it (W3C Trace Context, `traceparent`). It is a
/// stranger's word: good for joining records, for nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace; never all zeros.
    pub trace_id: u128,
    /// The caller's own span; never zero.
    pub span_id: u64,
    /// Whether the caller records the trace.
    pub sampled: bool,
}

impl TraceParent {
    /// Reads `00-<32 hexadecimal digits>-<16>-<2>`, in small letters; of a version that is newer, what it has in common
    /// with version 00. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, '-');
        let version = u8::try_from(hexadecimal(parts.next()?, 2)?).ok()?;
        let trace_id = hexadecimal(parts.next()?, 32)?;
        let span_id = u64::try_from(hexadecimal(parts.next()?, 16)?).ok()?;
        let flags = hexadecimal(parts.next()?, 2)?;
        let is_known = version != u8::MAX && (version > 0 || parts.next().is_none());
        (is_known && trace_id != 0 && span_id != 0).then_some(Self {
            trace_id,
            span_id,
            sampled: flags & 1 == 1,
        })
    }

    /// That of a call: of its headers, else of its `_meta`.
    pub(crate) fn of(front: &FrontInfo, headers: &[(String, String)]) -> Option<Self> {
        let header = headers.iter().find(|(name, _)| name == NAME);
        let text = match header {
            Some((_, text)) => Some(text.as_str()),
            None => front
                .meta
                .as_ref()
                .and_then(|meta| meta.get(NAME).and_then(View::as_str)),
        };
        text.and_then(Self::parse)
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "00-{:032x}-{:016x}-{:02x}",
            self.trace_id,
            self.span_id,
            u8::from(self.sampled)
        )
    }
}

fn hexadecimal(text: &str, digits: usize) -> Option<u128> {
    let is_number = text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_number.then(|| u128::from_str_radix(text, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_trace_parent_has_one_form() {
        let parent = TraceParent::parse(TEXT).unwrap();
        assert_eq!((parent.span_id, parent.sampled), (0x00f0_67aa_0ba9_02b7, true));
        assert_eq!(parent.to_string(), TEXT);
        let newer = TEXT.replacen("00", "01", 1) + "-more";
        assert_eq!(TraceParent::parse(&newer), Some(parent));
        for wrong in [
            "",
            "00",
            &TEXT.to_uppercase(),
            &format!("{TEXT}-more"),
            &TEXT.replacen("00", "ff", 1),
            &TEXT.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &TEXT.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &TEXT[1..],
        ] {
            assert_eq!(TraceParent::parse(wrong), None, "{wrong}");
        }
    }
}
