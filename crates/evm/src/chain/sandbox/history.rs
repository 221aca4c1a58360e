//! A value that changes with blocks, and can be read as it was after an earlier one.

/// The versions of one value, each with the block that wrote it.
#[derive(Clone, Debug)]
pub(super) struct Versions<T> {
    /// In rising order of blocks.
    entries: Vec<(u64, T)>,
}

impl<T> Versions<T> {
    pub(super) fn new(block: u64, value: T) -> Self {
        Self {
            entries: vec![(block, value)],
        }
    }

    /// The value after `block`; `None` when it did not exist yet.
    pub(super) fn at(&self, block: u64) -> Option<&T> {
        let later = self.entries.partition_point(|(written, _)| *written <= block);
        self.entries.get(later.checked_sub(1)?).map(|(_, value)| value)
    }

    /// Writes the value of `block`, the latest, and forgets versions that no block from `oldest` on sees.
    pub(super) fn set(&mut self, block: u64, value: T, oldest: u64) {
        match self.entries.last_mut() {
            Some((written, last)) if *written == block => *last = value,
            _ => self.entries.push((block, value)),
        }
        let seen_from = self.entries.partition_point(|(written, _)| *written <= oldest);
        self.entries.drain(..seen_from.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_it_was_after_a_block() {
        let mut versions = Versions::new(2, "two");
        versions.set(5, "five", 0);
        let read = |block| versions.at(block).copied();
        assert_eq!(read(1), None);
        assert_eq!(read(2), Some("two"));
        assert_eq!(read(4), Some("two"));
        assert_eq!(read(5), Some("five"));
        assert_eq!(read(9), Some("five"));
    }

    #[test]
    fn versions_that_no_kept_block_sees_are_forgotten() {
        let mut versions = Versions::new(1, 1);
        for block in 2..=6 {
            versions.set(block, block, 4);
        }
        assert_eq!(versions.at(3), None);
        assert_eq!(versions.at(4), Some(&4));
        assert_eq!(versions.entries.len(), 3);
    }
}
