//! Partial output of a call, kept for its final content: the protocol has no message for it.

use toolmesh_json::{Value, written_units};
use toolmesh_tool::{ContentBlock, TextContent, ToolResult};

/// Most of the partial output that is kept, in UTF-16 units as JSON spells it: 1,048,320. With what is said of the rest
/// that is no more than a text may have, a quarter of the largest answer.
pub(crate) const MAX_DELTA_UNITS: usize = 1024 * 1024 - 256;

/// The partial output of one call, as one text: texts as they came, other values as JSON on lines of their own.
#[derive(Debug, Default)]
pub(super) struct Deltas {
    text: String,
    units: usize,
    left_out: usize,
}

impl Deltas {
    /// Keeps a piece, or counts it when there is no room for it and for all that follows.
    pub(super) fn add(&mut self, data: &Value) {
        match data.as_str() {
            Some(text) => self.push(text),
            None => {
                let line = data.to_text() + "\n";
                let apart = !self.text.is_empty() && !self.text.ends_with('\n');
                self.push(&if apart { format!("\n{line}") } else { line });
            }
        }
    }

    fn push(&mut self, text: &str) {
        let units = self.units.saturating_add(written_units(text));
        if self.left_out > 0 || units > MAX_DELTA_UNITS {
            self.left_out = self.left_out.saturating_add(text.len());
        } else {
            self.units = units;
            self.text.push_str(text);
        }
    }

    /// Puts what was kept before the result's own content, unless the result says the same.
    pub(super) fn join(self, mut result: ToolResult) -> ToolResult {
        if self.text.is_empty() && self.left_out == 0 {
            return result;
        }
        let mut text = self.text;
        if self.left_out > 0 {
            text.push_str(&format!(
                "\n[{} more bytes of partial output were left out]",
                self.left_out
            ));
        } else if result.joined_text() == text {
            return result;
        }
        result
            .content
            .insert(0, ContentBlock::Text(TextContent::new(text)));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[Value], result: ToolResult) -> Vec<String> {
        let mut deltas = Deltas::default();
        pieces.iter().for_each(|piece| deltas.add(piece));
        let texts = deltas.join(result).content.into_iter().map(|block| match block {
            ContentBlock::Text(text) => text.text,
            other => panic!("{other:?}"),
        });
        texts.collect()
    }

    #[test]
    fn texts_are_joined_and_values_stand_on_lines_of_their_own() {
        let pieces = [Value::from("a"), "b".into(), 7.into(), 8.into(), "c".into()];
        assert_eq!(joined(&pieces, ToolResult::text("end")), ["ab\n7\n8\nc", "end"]);
        assert_eq!(joined(&[], ToolResult::text("end")), ["end"]);
    }

    #[test]
    fn what_the_result_says_itself_is_not_said_twice() {
        let pieces = [Value::from("a"), "b".into()];
        assert_eq!(joined(&pieces, ToolResult::text("ab")), ["ab"]);
    }

    #[test]
    fn partial_output_has_a_bound_and_tells_what_it_left_out() {
        for (most, last) in [
            ("x".repeat(MAX_DELTA_UNITS), "x"),
            ("\n".repeat(MAX_DELTA_UNITS / 2), "\n"),
        ] {
            let most = Value::from(most);
            let kept = joined(std::slice::from_ref(&most), ToolResult::default());
            assert_eq!(Some(kept[0].as_str()), most.as_str());
            let cut = joined(&[most, "yz".into(), "w".into()], ToolResult::default());
            assert!(cut[0].ends_with(&format!("{last}\n[3 more bytes of partial output were left out]")));
            assert!(written_units(&cut[0]) <= 1_048_576);
        }
        let longest = Deltas {
            left_out: usize::MAX,
            ..Deltas::default()
        };
        let told = longest.join(ToolResult::default()).joined_text();
        assert!(MAX_DELTA_UNITS + written_units(&told) <= 1_048_576);
    }
}
