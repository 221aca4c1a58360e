//! The process's own standard input and output, without a thread in between where the system allows it.
//!
//! A pipe is opened a second time by its path under `/dev/fd`, so that switching it to non-blocking does not reach
//! others who hold it; a socket (some programs connect their children so) is switched itself. Everything else, and
//! every failure on the way, is served through the runtime's blocking threads.

use tokio::io::{AsyncRead, AsyncWrite};

use super::Awake;

/// A readable end.
pub(in crate::server) type Input = Box<dyn AsyncRead + Unpin + Send>;
/// A writable end.
pub(in crate::server) type Output = Box<dyn AsyncWrite + Unpin + Send>;

/// Standard input and output; a pipe is also looked at.
pub(in crate::server) fn open() -> (Input, Output, Awake) {
    let input = imp::input();
    let (input, awake) = input.unwrap_or_else(|| (Box::new(tokio::io::stdin()), Awake::default()));
    let output = imp::output().unwrap_or_else(|| Box::new(tokio::io::stdout()));
    (input, output, awake)
}

#[cfg(unix)]
mod imp {
    use std::{
        fs,
        os::{
            fd::{AsFd, BorrowedFd},
            unix::{
                fs::{FileTypeExt as _, MetadataExt as _},
                net::UnixStream as BlockingStream,
            },
        },
    };

    use tokio::net::{UnixStream, unix::pipe};

    use super::{Awake, Input, Output};

    const INPUT: &str = "/dev/fd/0";
    const OUTPUT: &str = "/dev/fd/1";
    const ERRORS: &str = "/dev/fd/2";

    pub(super) fn input() -> Option<(Input, Awake)> {
        let kind = fs::metadata(INPUT).ok()?.file_type();
        if kind.is_fifo() {
            let receiver = pipe::OpenOptions::new().open_receiver(INPUT).ok()?;
            // The same end: to look at it is to read from it.
            let awake = receiver.as_fd().try_clone_to_owned().map(Awake::of);
            return Some((Box::new(receiver), awake.unwrap_or_default()));
        }
        if !kind.is_socket() {
            return None;
        }
        let socket = socket(std::io::stdin().as_fd())?;
        Some((Box::new(socket), Awake::default()))
    }

    pub(super) fn output() -> Option<Output> {
        let about = fs::metadata(OUTPUT).ok()?;
        if about.file_type().is_fifo() {
            let sender = pipe::OpenOptions::new().open_sender(OUTPUT).ok()?;
            return Some(Box::new(sender));
        }
        // Logs go to standard error from many threads and must not meet a non-blocking end.
        let shared = fs::metadata(ERRORS).is_ok_and(|errors| errors.ino() == about.ino());
        if !about.file_type().is_socket() || shared {
            return None;
        }
        Some(Box::new(socket(std::io::stdout().as_fd())?))
    }

    fn socket(end: BorrowedFd<'_>) -> Option<UnixStream> {
        let stream = BlockingStream::from(end.try_clone_to_owned().ok()?);
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok()
    }
}

#[cfg(not(unix))]
mod imp {
    use super::{Awake, Input, Output};

    pub(super) fn input() -> Option<(Input, Awake)> {
        None
    }

    pub(super) fn output() -> Option<Output> {
        None
    }
}
