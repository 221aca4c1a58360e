//! Times as people write them.

use std::time::Duration;

/// The longest time, in milliseconds: a year, so that adding it to a clock cannot go wrong.
const MAX_MILLISECONDS: u64 = 31_536_000_000;

/// A text that is no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write {}", self.expected())]
pub struct DurationError(());

impl DurationError {
    /// What would be right; completes "must be ...".
    #[must_use]
    pub fn expected(&self) -> &'static str {
        "a time such as 500ms, 30s, 2m or 1h, at most a year"
    }
}

/// Reads `500ms`, `30s`, `30` (seconds), `2m` or `1h`: more than nothing, at most a year.
///
/// # Errors
/// [`DurationError`] for anything else.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let number: u64 = digits.parse().map_err(|_| DurationError(()))?;
    let milliseconds = match unit {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1_000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => None,
    };
    match milliseconds {
        Some(time @ 1..=MAX_MILLISECONDS) => Ok(Duration::from_millis(time)),
        _ => Err(DurationError(())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("30", 30_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("8760h", MAX_MILLISECONDS),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in ["", "s", "0", "-1s", "1.5s", "1d", "8761h", "9999999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
