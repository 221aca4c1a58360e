//! Calls that wait at the server for what a person is asked.
//!
//! In the 2025 revisions a server asks while its call is under way. Here a call asks by ending, and is made again with
//! the answer; in between, the server's call is parked. The state that goes along is sealed by the dispatcher and bound
//! to its caller and call, so that a counted ticket is enough to find it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;

use super::{
    calling::{Asked, Calling},
    limits::{MAX_PARKED, PARKED_FOR},
};

/// What the ticket of a parked call begins with; the state of a server begins with the other one.
const TICKET: &str = "parked:";
/// What the state of a server begins with.
const FOREIGN: &str = "server:";

/// A call that waits for an answer.
struct Parked {
    calling: Calling,
    asked: Asked,
}

/// The calls that wait.
pub(super) struct Parking {
    places: Arc<Mutex<HashMap<String, Parked>>>,
    next: AtomicU64,
    /// Tells the tickets of this process from those of an earlier one.
    epoch: u128,
}

/// What a call brings back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Returned<'a> {
    /// The ticket of a parked call.
    Ticket(&'a str),
    /// The server's own state.
    Foreign(&'a str),
}

impl Default for Parking {
    fn default() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            places: Arc::default(),
            next: AtomicU64::default(),
            epoch: now.unwrap_or(Duration::ZERO).as_nanos(),
        }
    }
}

impl Parking {
    /// Parks a call; the ticket, or `None` when there is no place left. After [`PARKED_FOR`] it is given up, and when its
    /// caller gives it up.
    pub(super) fn park(&self, calling: Calling, asked: Asked, given_up: CancellationToken) -> Option<String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let ticket = format!("{TICKET}{:x}-{number}", self.epoch);
        {
            let mut places = lock(&self.places);
            if places.len() >= MAX_PARKED {
                return None;
            }
            places.insert(ticket.clone(), Parked { calling, asked });
        }
        let (places, expired) = (Arc::downgrade(&self.places), ticket.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(PARKED_FOR) => {}
                () = given_up.cancelled() => {}
            }
            if let Some(places) = places.upgrade() {
                // Dropped outside of the lock: giving a call up takes other locks.
                let late = lock(&places).remove(&expired);
                drop(late);
            }
        });
        Some(ticket)
    }

    /// Answers the parked call of this ticket, which then goes on; `None` when it is not there any more.
    pub(super) fn resume(&self, ticket: &str, answer: Value) -> Option<Calling> {
        let parked = lock(&self.places).remove(ticket)?;
        parked.asked.answer(answer);
        Some(parked.calling)
    }
}

impl<'a> Returned<'a> {
    /// Reads the state of a call.
    pub(super) fn read(state: &'a str) -> Option<Self> {
        if state.starts_with(TICKET) {
            return Some(Self::Ticket(state));
        }
        state.strip_prefix(FOREIGN).map(Self::Foreign)
    }

    /// The state of a call that hands on the server's own.
    pub(super) fn foreign(state: &str) -> String {
        format!("{FOREIGN}{state}")
    }
}

fn lock(places: &Mutex<HashMap<String, Parked>>) -> MutexGuard<'_, HashMap<String, Parked>> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use toolmesh_tool::InputRequest;

    use super::*;
    use crate::client::calling::GiveUp;

    fn waiting() -> (Calling, Asked) {
        let calling = Calling {
            answer: tokio::sync::oneshot::channel().1,
            notes: tokio::sync::mpsc::channel(1).1,
            give_up: GiveUp::new(|| {}),
        };
        (calling, Asked::new(InputRequest::Roots, |_| {}))
    }

    #[tokio::test]
    async fn a_place_is_taken_once_and_there_are_so_many() {
        let parking = Parking::default();
        let park = || {
            let (calling, asked) = waiting();
            parking.park(calling, asked, CancellationToken::new())
        };
        let first = park().expect("a place");
        for _ in 1..MAX_PARKED {
            assert!(park().is_some());
        }
        assert_eq!(park(), None);
        assert!(parking.resume(&first, Value::null()).is_some());
        assert!(parking.resume(&first, Value::null()).is_none());
        assert!(park().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_nobody_answers_is_given_up() {
        let parking = Parking::default();
        let (calling, asked) = waiting();
        let never = CancellationToken::new();
        let ticket = parking.park(calling, asked, never).expect("a place");
        tokio::time::sleep(PARKED_FOR + Duration::from_secs(1)).await;
        assert!(parking.resume(&ticket, Value::null()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_whose_caller_gives_up_is_given_up_and_its_question_refused() {
        let parking = Parking::default();
        let (calling, _) = waiting();
        let (sender, refused) = tokio::sync::oneshot::channel();
        let asked = Asked::new(InputRequest::Roots, |reply| drop(sender.send(reply)));
        let caller = CancellationToken::new();
        let ticket = parking.park(calling, asked, caller.clone()).expect("a place");
        caller.cancel();
        assert_eq!(refused.await, Ok(crate::client::calling::Reply::Refused));
        assert!(parking.resume(&ticket, Value::null()).is_none());
    }

    #[test]
    fn the_servers_own_state_is_never_taken_for_a_ticket() {
        assert_eq!(
            Returned::read(&Returned::foreign("parked:1")),
            Some(Returned::Foreign("parked:1"))
        );
        assert_eq!(Returned::read("parked:1"), Some(Returned::Ticket("parked:1")));
        assert_eq!(Returned::read("x"), None);
    }
}
