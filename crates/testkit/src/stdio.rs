//! `toolmesh serve` on stdio, one raw line at a time; each that it says must fit the wire schema.

use std::{
    ffi::OsStr,
    io::Write,
    process::{ChildStdin, Command, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::{
    process::{Finished, Running},
    wire_schema::Conversation,
};

/// How long one answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// A server on stdio. It is killed when this is dropped; [`StdioServer::close`] ends it properly.
#[derive(Debug)]
pub struct StdioServer {
    process: Running,
    stdin: Option<ChildStdin>,
    received: usize,
    conversation: Conversation,
}

impl StdioServer {
    /// Starts `program` with `arguments`.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    #[track_caller]
    pub fn start(program: impl AsRef<OsStr>, arguments: &[&str]) -> Self {
        let mut process = Running::start(Command::new(program).args(arguments).stdin(Stdio::piped()));
        let stdin = process.child().stdin.take();
        Self {
            process,
            stdin,
            received: 0,
            conversation: Conversation::default(),
        }
    }

    /// Sends one line as it is; the line feed is added.
    ///
    /// # Panics
    /// When the server does not read any more.
    #[track_caller]
    pub fn send_line(&mut self, line: &str) {
        self.conversation.sent(line);
        let Some(stdin) = self.stdin.as_mut() else {
            panic!("standard input of the server is closed");
        };
        let written = stdin
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| stdin.flush());
        if let Err(error) = written {
            panic!(
                "the server does not read its standard input: {error}; it said: {}",
                self.process.stderr()
            );
        }
    }

    /// Sends one message.
    ///
    /// # Panics
    /// When the server does not read any more.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// The next line of standard output that was not received yet, as JSON.
    ///
    /// # Panics
    /// When none comes, or it is not JSON, or no message of the protocol: nothing else may stand there.
    #[must_use]
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        let line = self.process.stdout_line_at(self.received, ANSWER_LIMIT);
        self.received += 1;
        match serde_json::from_str(&line) {
            Ok(message) => {
                self.conversation.received(&line);
                message
            }
            Err(error) => panic!("standard output carries something that is not JSON: {error}: {line}"),
        }
    }

    /// Sends one message and receives the next one.
    ///
    /// # Panics
    /// As [`StdioServer::send`] and [`StdioServer::receive`].
    #[track_caller]
    pub fn request(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive()
    }

    /// Closes its standard input and waits for its end.
    ///
    /// # Panics
    /// When it does not end within a minute.
    #[track_caller]
    pub fn close(mut self) -> Finished {
        drop(self.stdin.take());
        self.process.finish(ANSWER_LIMIT)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_received_in_order_and_the_server_ends_with_its_input() {
        let mut echo = StdioServer::start("cat", &[]);
        // What comes back is a message that a server may send.
        let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        assert_eq!(echo.request(&ping(1)), ping(1));
        assert_eq!(echo.request(&ping(2)), ping(2));
        assert_eq!(echo.close().code(), Some(0));
    }

    #[test]
    #[should_panic(expected = "a method that the schema does not know")]
    fn a_message_that_the_protocol_does_not_know_fails_the_test() {
        let mut echo = StdioServer::start("cat", &[]);
        let _ = echo.request(&json!({"jsonrpc": "2.0", "method": "notifications/other"}));
    }

    #[test]
    #[should_panic(expected = "something that is not JSON")]
    fn a_stray_line_on_standard_output_fails_the_test() {
        let mut echo = StdioServer::start("cat", &[]);
        echo.send_line("Listening on port 8080");
        let _ = echo.receive();
    }
}
