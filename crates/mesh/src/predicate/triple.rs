//! Versions as predicates compare them: three numbers, nothing else.

/// Major, minor and patch number of a version. What stands behind `+` or `-` does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Triple {
    major: u64,
    minor: u64,
    patch: u64,
}

impl Triple {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let core = text.split_once('+').map_or(text, |(core, _)| core);
        let core = core.split_once('-').map_or(core, |(core, _)| core);
        let mut parts = core.split('.').map(|part| part.parse::<u64>().ok());
        let triple = Self {
            major: parts.next()??,
            minor: parts.next().unwrap_or(Some(0))?,
            patch: parts.next().unwrap_or(Some(0))?,
        };
        parts.next().is_none().then_some(triple)
    }

    pub(super) fn is_compatible_with(self, wanted: Self) -> bool {
        self >= wanted && self.major == wanted.major && (wanted.major > 0 || self.minor == wanted.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_numbers_before_the_signs() {
        assert_eq!(Triple::parse("1.2.3+build-1"), Triple::parse("1.2.3"));
        assert_eq!(Triple::parse("1.2.3-rc.1"), Triple::parse("1.2.3"));
        assert_eq!(Triple::parse("1.2"), Triple::parse("1.2.0"));
        for none in ["", "x", "1.x", "1.2.3.4", "-1"] {
            assert_eq!(Triple::parse(none), None, "{none}");
        }
    }
}
