//! What the protocol asks for: specification 2025-11-25 and 2026-07-28, "Tools".

use crate::names::NameRule;

/// "Tool Names": 1 to 128 of `A-Za-z0-9_.-`.
pub(crate) const NAME: NameRule = NameRule {
    first: is_name_character,
    rest: is_name_character,
    max: 128,
};

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}
