//! The keys in use: one that seals, and others that still open.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use super::MasterKey;

/// Most keys of a ring; a rotation needs two.
pub const MAX_KEYS: usize = 16;

/// The keys in use. A new key is staged on every server, then activated on each, and the old one removed when the
/// last state sealed with it has expired: no state is refused on the way.
pub struct KeyRing {
    keys: RwLock<Keys>,
}

struct Keys {
    active: Arc<MasterKey>,
    others: Vec<Arc<MasterKey>>,
}

/// Why a key ring did not change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRingError {
    /// There is a key of that name already.
    #[error("the key ring has a key `{0}` already: give the new key another name")]
    Exists(String),
    /// There is no key of that name.
    #[error("the key ring has no key `{0}`: stage it first")]
    Unknown(String),
    /// The active key cannot be removed.
    #[error("the key `{0}` is active: activate another one first")]
    Active(String),
    /// The ring is full.
    #[error("a key ring holds {MAX_KEYS} keys: remove those that are out of use")]
    Full,
}

impl KeyRing {
    /// A ring of one key, which seals and opens.
    #[must_use]
    pub fn new(active: MasterKey) -> Self {
        Self {
            keys: RwLock::new(Keys {
                active: Arc::new(active),
                others: Vec::new(),
            }),
        }
    }

    /// Adds a key that opens and does not seal yet.
    ///
    /// # Errors
    /// [`KeyRingError::Exists`], [`KeyRingError::Full`].
    pub fn stage(&self, key: MasterKey) -> Result<(), KeyRingError> {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.find(key.id()).is_some() {
            return Err(KeyRingError::Exists(key.id().to_owned()));
        }
        if keys.others.len() + 1 >= MAX_KEYS {
            return Err(KeyRingError::Full);
        }
        keys.others.push(Arc::new(key));
        Ok(())
    }

    /// Seals with a staged key from now on; the one before it goes on opening.
    ///
    /// # Errors
    /// [`KeyRingError::Unknown`].
    pub fn activate(&self, id: &str) -> Result<(), KeyRingError> {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.active.id() == id {
            return Ok(());
        }
        let staged = keys.others.iter_mut().find(|key| key.id() == id).cloned();
        let staged = staged.ok_or_else(|| KeyRingError::Unknown(id.to_owned()))?;
        keys.others.retain(|key| key.id() != id);
        let before = std::mem::replace(&mut keys.active, staged);
        keys.others.push(before);
        Ok(())
    }

    /// Removes a key: what it sealed is refused from now on.
    ///
    /// # Errors
    /// [`KeyRingError::Unknown`], [`KeyRingError::Active`].
    pub fn remove(&self, id: &str) -> Result<(), KeyRingError> {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.active.id() == id {
            return Err(KeyRingError::Active(id.to_owned()));
        }
        if keys.find(id).is_none() {
            return Err(KeyRingError::Unknown(id.to_owned()));
        }
        keys.others.retain(|key| key.id() != id);
        Ok(())
    }

    /// The name of the key that seals.
    #[must_use]
    pub fn active_id(&self) -> String {
        self.active().id().to_owned()
    }

    pub(super) fn active(&self) -> Arc<MasterKey> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&keys.active)
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<MasterKey>> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.find(id).cloned()
    }
}

impl Keys {
    fn find(&self, id: &str) -> Option<&Arc<MasterKey>> {
        std::iter::once(&self.active)
            .chain(&self.others)
            .find(|key| key.id() == id)
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing")
            .field("active", &self.active_id())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> MasterKey {
        MasterKey::new(id, &[7; 32]).unwrap()
    }

    #[test]
    fn a_key_is_staged_activated_and_removed() {
        let ring = KeyRing::new(key("old"));
        ring.stage(key("new")).unwrap();
        assert_eq!(ring.active_id(), "old");
        assert!(ring.find("new").is_some());
        ring.activate("new").unwrap();
        ring.activate("new").unwrap();
        assert_eq!(ring.active_id(), "new");
        assert!(ring.find("old").is_some());
        ring.remove("old").unwrap();
        assert!(ring.find("old").is_none());
    }

    #[test]
    fn what_a_ring_cannot_do_is_told() {
        let ring = KeyRing::new(key("a"));
        assert_eq!(ring.stage(key("a")), Err(KeyRingError::Exists("a".into())));
        assert_eq!(ring.activate("b"), Err(KeyRingError::Unknown("b".into())));
        assert_eq!(ring.remove("b"), Err(KeyRingError::Unknown("b".into())));
        assert_eq!(ring.remove("a"), Err(KeyRingError::Active("a".into())));
    }

    #[test]
    fn a_ring_holds_a_bounded_number_of_keys() {
        let ring = KeyRing::new(key("k0"));
        for n in 1..MAX_KEYS {
            ring.stage(key(&format!("k{n}"))).unwrap();
        }
        assert_eq!(ring.stage(key("more")), Err(KeyRingError::Full));
    }
}
