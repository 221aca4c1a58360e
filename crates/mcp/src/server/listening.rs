//! The places of subscriptions: so many in all, and so many for each caller, so that nobody takes the others'.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use toolmesh_tool::Caller;

use super::limits::{MAX_LISTENING, MAX_LISTENING_EACH};

/// The places of one server; clones are the same places.
#[derive(Debug, Clone, Default)]
pub(super) struct Listening {
    /// How many each caller has ([`Caller::party`]); none is kept who has none.
    taken: Arc<Mutex<HashMap<String, usize>>>,
}

/// The place of one subscription, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    listening: Listening,
    party: String,
}

impl Listening {
    /// A place for a subscription of this caller; `None` when all are taken, or all that one caller may have.
    pub(super) fn place(&self, caller: &Caller) -> Option<Place> {
        let party = caller.party();
        let mut taken = self.taken();
        let own = taken.get(&party).copied().unwrap_or_default();
        if own >= MAX_LISTENING_EACH || taken.values().sum::<usize>() >= MAX_LISTENING {
            return None;
        }
        taken.insert(party.clone(), own + 1);
        drop(taken);
        Some(Place {
            listening: self.clone(),
            party,
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.listening.taken();
        if let Some(own) = taken.get_mut(&self.party) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.party);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use toolmesh_tool::Transport;

    use super::*;

    fn caller(number: usize) -> Caller {
        Caller::authenticated(format!("caller {number}"), Transport::Http)
    }

    fn places(listening: &Listening, caller: &Caller, wanted: usize) -> Vec<Place> {
        (0..wanted).filter_map(|_| listening.place(caller)).collect()
    }

    #[test]
    fn a_caller_has_its_own_bound_and_takes_none_of_the_others() {
        let listening = Listening::default();
        let mut first = places(&listening, &caller(1), MAX_LISTENING_EACH + 1);
        assert_eq!(first.len(), MAX_LISTENING_EACH);
        assert_eq!(places(&listening, &caller(2), 1).len(), 1);
        drop(first.pop());
        assert_eq!(places(&listening, &caller(1), 2).len(), 1);
    }

    #[test]
    fn all_callers_together_have_a_bound_and_nothing_is_kept_of_those_who_left() {
        let listening = Listening::default();
        let callers = MAX_LISTENING / MAX_LISTENING_EACH;
        let mut all: Vec<_> = (0..callers)
            .flat_map(|number| places(&listening, &caller(number), MAX_LISTENING_EACH))
            .collect();
        assert_eq!(all.len(), MAX_LISTENING);
        assert!(listening.place(&caller(callers)).is_none());
        drop(all.pop());
        assert!(listening.place(&caller(callers)).is_some());
        drop(all);
        assert!(listening.taken().is_empty());
    }
}
