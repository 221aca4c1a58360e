//! Waiting awake for a client that asks again at once.
//!
//! That the system wakes a thread which waits for input takes longer than a usual call. A client that asked again within
//! [`PATIENCE`] of an answer is likely to do so once more, so that long its input is looked at, again and again, before the
//! system is to tell of it. Whoever takes longer is not waited for so, and costs nothing.

use std::{
    fs::File,
    io::{ErrorKind, Read as _, Result},
    time::{Duration, Instant},
};

/// How long is waited awake: about what it takes, on a slow machine, to be woken.
const PATIENCE: Duration = Duration::from_micros(50);

/// After so many calls that came so, whatever else the connection waits for has its turn.
const MOST_IN_A_ROW: u32 = 32;

/// After a wait in vain, so many calls are not waited for; after each further one twice as many, up to [`LONGEST_REST`]. The
/// client may be on the same processor, where it cannot ask while it is waited for.
const FIRST_REST: u32 = 32;
const LONGEST_REST: u32 = 4_096;

/// Bytes that one look takes; more is read by those that follow.
const LOOK_BYTES: usize = 8 * 1024;

/// The input as it is looked at; the default looks at none.
#[derive(Default)]
pub(in crate::server) struct Awake(Option<Looking>);

struct Looking {
    input: File,
    bytes: Box<[u8; LOOK_BYTES]>,
    /// Since when everything is answered.
    silent_since: Option<Instant>,
    /// The client asked again at once, the last time.
    is_quick: bool,
    in_a_row: u32,
    /// So many calls more are not waited for.
    rest: u32,
    next_rest: u32,
}

impl Awake {
    /// Looks at this end of a pipe, which must not block.
    #[cfg(unix)]
    pub(super) fn of(input: std::os::fd::OwnedFd) -> Self {
        // With one processor the client would be kept from asking.
        let is_alone = std::thread::available_parallelism().is_ok_and(|count| count.get() == 1);
        Self((!is_alone).then(|| Looking::at(input.into())))
    }

    /// What a client that is quick asks, when everything is answered; `None` when it is not quick this time, or others have
    /// their turn.
    pub(super) fn look(&mut self) -> Option<Result<&[u8]>> {
        self.0.as_mut()?.look()
    }

    /// Takes note that something came.
    pub(super) fn arrived(&mut self) {
        if let Some(looking) = &mut self.0 {
            looking.arrived();
        }
    }
}

impl Looking {
    fn at(input: File) -> Self {
        Self {
            input,
            bytes: Box::new([0; LOOK_BYTES]),
            silent_since: None,
            is_quick: false,
            in_a_row: 0,
            rest: 0,
            next_rest: FIRST_REST,
        }
    }

    fn look(&mut self) -> Option<Result<&[u8]>> {
        let since = *self.silent_since.get_or_insert_with(Instant::now);
        if !self.is_quick || self.rest > 0 {
            return None;
        }
        if self.in_a_row == MOST_IN_A_ROW {
            (self.in_a_row, self.next_rest) = (0, FIRST_REST);
            return None;
        }
        loop {
            match self.input.read(&mut *self.bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if since.elapsed() > PATIENCE {
                        self.tire();
                        return None;
                    }
                    std::hint::spin_loop();
                }
                read => {
                    self.in_a_row += 1;
                    self.arrived();
                    return Some(read.map(|count| self.bytes.get(..count).unwrap_or_default()));
                }
            }
        }
    }

    fn arrived(&mut self) {
        if let Some(since) = self.silent_since.take() {
            self.is_quick = since.elapsed() <= PATIENCE;
            self.rest = self.rest.saturating_sub(1);
        }
    }

    /// Takes note that nobody came.
    fn tire(&mut self) {
        (self.is_quick, self.in_a_row) = (false, 0);
        self.rest = self.next_rest;
        self.next_rest = (self.next_rest * 2).min(LONGEST_REST);
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::net::UnixStream};

    use super::*;

    /// A client that is quick, as far as is known.
    fn quick() -> (UnixStream, Looking) {
        let (client, server) = UnixStream::pair().expect("a pair of sockets");
        server.set_nonblocking(true).expect("non-blocking");
        let mut looking = Looking::at(std::os::fd::OwnedFd::from(server).into());
        looking.is_quick = true;
        (client, looking)
    }

    #[test]
    fn what_is_asked_at_once_is_taken_and_the_end_is_told() {
        let (mut client, mut looking) = quick();
        client.write_all(b"ask").expect("written");
        assert_eq!(looking.look().expect("there").expect("read"), b"ask");
        drop(client);
        looking.is_quick = true;
        assert_eq!(looking.look().expect("there").expect("read"), b"");
    }

    #[test]
    fn who_asks_late_is_not_waited_for_the_next_time() {
        let (_client, mut looking) = quick();
        assert!(looking.look().is_none());
        looking.silent_since = Instant::now().checked_sub(2 * PATIENCE);
        looking.arrived();
        assert!(!looking.is_quick);
        assert!(looking.silent_since.is_none());
    }

    #[test]
    fn after_waits_in_vain_longer_and_longer_ones_are_left_out() {
        let (_client, mut looking) = quick();
        for rest in [FIRST_REST, 2 * FIRST_REST, 4 * FIRST_REST] {
            assert!(looking.look().is_none());
            assert_eq!(looking.rest, rest);
            for left in (0..rest).rev() {
                looking.silent_since = Some(Instant::now());
                looking.arrived();
                looking.is_quick = true;
                assert_eq!(looking.rest, left);
            }
        }
        (0..20).for_each(|_| looking.tire());
        assert_eq!(looking.next_rest, LONGEST_REST);
    }

    #[test]
    fn a_client_that_is_not_quick_is_not_looked_at() {
        let (mut client, mut looking) = quick();
        looking.is_quick = false;
        client.write_all(b"ask").expect("written");
        assert!(looking.look().is_none());
        assert!(looking.silent_since.is_some());
    }

    #[test]
    fn others_have_their_turn_after_so_many_calls() {
        let (mut client, mut looking) = quick();
        for _ in 0..2 {
            for _ in 0..MOST_IN_A_ROW {
                client.write_all(b"ask").expect("written");
                assert!(looking.look().is_some());
                looking.is_quick = true;
            }
            client.write_all(b"ask").expect("written");
            assert!(looking.look().is_none());
            let mut left = [0; 3];
            looking.input.read_exact(&mut left).expect("left where it was");
            looking.arrived();
            looking.is_quick = true;
        }
    }
}
