//! In which protocol revisions an entry is there.

/// Most revisions that an entry names: more than any protocol has.
pub const MAX_REVISIONS: usize = 16;

/// The protocol revisions in which an entry of the catalogue is there: all of them, or exactly those that are named. In
/// any other one it is neither listed nor called. A front whose protocol has no revisions sees every entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revisions(Option<Vec<String>>);

impl Revisions {
    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Self(None)
    }

    /// Exactly these, by the names that the protocol gives them (`2026-07-28`).
    pub fn exactly<S: Into<String>>(revisions: impl IntoIterator<Item = S>) -> Self {
        let named = revisions.into_iter().take(MAX_REVISIONS + 1);
        Self(Some(named.map(Into::into).collect()))
    }

    /// The named ones; `None` means all.
    #[must_use]
    pub fn named(&self) -> Option<&[String]> {
        self.0.as_deref()
    }

    /// Whether the entry is there in `revision`; `None` is a front without revisions.
    #[must_use]
    pub fn has(&self, revision: Option<&str>) -> bool {
        match (&self.0, revision) {
            (Some(named), Some(revision)) => named.iter().any(|name| name == revision),
            _ => true,
        }
    }

    /// Whether some revision is named, none empty or twice, and not too many.
    pub(crate) fn are_usable(&self) -> bool {
        self.0.as_ref().is_none_or(|named| {
            let repeated = named
                .iter()
                .enumerate()
                .any(|(at, name)| named.iter().take(at).any(|other| other == name));
            (1..=MAX_REVISIONS).contains(&named.len())
                && !repeated
                && named.iter().all(|name| !name.is_empty())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_there_in_all_revisions_or_in_exactly_those_named() {
        let one = Revisions::exactly(["2026-07-28"]);
        assert!(Revisions::all().has(Some("2025-06-18")));
        assert!(one.has(Some("2026-07-28")) && !one.has(Some("2025-06-18")) && one.has(None));
    }

    #[test]
    fn the_named_ones_are_some_and_each_stands_once_within_the_bound() {
        let count = |count: usize| Revisions::exactly((0..count).map(|n| n.to_string()));
        assert!(Revisions::all().are_usable() && count(1).are_usable() && count(MAX_REVISIONS).are_usable());
        assert!(!count(0).are_usable() && !count(MAX_REVISIONS + 1).are_usable());
        assert!(!Revisions::exactly(["a", "a"]).are_usable() && !Revisions::exactly([""]).are_usable());
    }
}
