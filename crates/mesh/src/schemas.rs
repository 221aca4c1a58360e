//! Schemas by their digests: those that this node publishes, and those that it fetched.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use crate::row::SchemaDigest;

/// Bytes of fetched schemas that are kept; the oldest go first.
pub const MAX_CACHED_SCHEMA_BYTES: usize = 64 << 20;

/// Fetched schemas.
#[derive(Default)]
pub(crate) struct SchemaCache {
    texts: HashMap<SchemaDigest, Arc<str>>,
    order: VecDeque<SchemaDigest>,
    bytes: usize,
}

impl SchemaCache {
    pub(crate) fn get(&self, digest: &SchemaDigest) -> Option<Arc<str>> {
        self.texts.get(digest).cloned()
    }

    pub(crate) fn keep(&mut self, digest: SchemaDigest, text: Arc<str>) {
        if text.len() > MAX_CACHED_SCHEMA_BYTES || self.texts.contains_key(&digest) {
            return;
        }
        self.bytes += text.len();
        self.texts.insert(digest, text);
        self.order.push_back(digest);
        while self.bytes > MAX_CACHED_SCHEMA_BYTES {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            if let Some(gone) = self.texts.remove(&oldest) {
                self.bytes -= gone.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_schemas_go_when_the_bound_is_passed() {
        let mut cache = SchemaCache::default();
        let half = "h".repeat(MAX_CACHED_SCHEMA_BYTES / 2);
        let digest = |text: &str| SchemaDigest::of(text);
        cache.keep(digest("one"), Arc::from(half.as_str()));
        cache.keep(digest("two"), Arc::from(half.as_str()));
        assert!(cache.get(&digest("one")).is_some());
        cache.keep(digest("three"), Arc::from("x"));
        assert!(cache.get(&digest("one")).is_none());
        assert!(cache.get(&digest("two")).is_some() && cache.get(&digest("three")).is_some());
    }
}
