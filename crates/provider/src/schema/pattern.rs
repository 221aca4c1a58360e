//! What a regular expression needs of the engine that runs it.

/// What a pattern uses beyond what every engine has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Looking around, or back at a group: engines without backtracking (RE2, Rust's) and grammars refuse it.
    pub(crate) backtracks: bool,
    /// Something that is written otherwise, or not at all, in Python: `\p{L}`, `\u{1F600}`, `(?<name>`, `[^]`.
    pub(crate) ecma_only: bool,
}

impl Pattern {
    pub(crate) fn of(pattern: &str) -> Self {
        let mut found = Self::default();
        let mut rest = pattern;
        let mut in_class = false;
        while let Some(first) = rest.chars().next() {
            let after = rest.get(first.len_utf8()..).unwrap_or_default();
            rest = after;
            match first {
                '\\' => {
                    found.escape(after);
                    let escaped = after.chars().next().map_or(0, char::len_utf8);
                    rest = after.get(escaped..).unwrap_or_default();
                }
                ']' => in_class = false,
                // Within brackets both are plain characters.
                '(' | '[' if in_class => {}
                '(' => found.group(after),
                '[' => {
                    in_class = true;
                    found.ecma_only |= after.starts_with(']') || after.starts_with("^]");
                }
                _ => {}
            }
        }
        found
    }

    fn escape(&mut self, after: &str) {
        match after.chars().next() {
            Some('1'..='9') => self.backtracks = true,
            Some('k') => {
                self.backtracks = true;
                self.ecma_only = true;
            }
            Some('p' | 'P' | 'u' | 'c') => self.ecma_only = true,
            _ => {}
        }
    }

    fn group(&mut self, after: &str) {
        let looks = ["?=", "?!", "?<=", "?<!"];
        if looks.iter().any(|look| after.starts_with(look)) {
            self.backtracks = true;
        } else if after.starts_with("?<") {
            self.ecma_only = true;
        }
    }

    /// Whether every engine runs it.
    pub(crate) fn is_plain(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_needs_is_seen() {
        for plain in ["^0x[0-9a-fA-F]{40}$", r"^\d+\.(?:a|b)$", r"\\p", r"[[]"] {
            assert!(Pattern::of(plain).is_plain(), "{plain}");
        }
        for looking in ["^(?!x)", "(?<=a)b", r"(a)\1"] {
            let found = Pattern::of(looking);
            assert!(found.backtracks && !found.ecma_only, "{looking}");
        }
        for ecma in [r"\p{L}", r"\u{1F600}", "(?<year>a)", "[^]"] {
            assert!(Pattern::of(ecma).ecma_only, "{ecma}");
        }
    }
}
