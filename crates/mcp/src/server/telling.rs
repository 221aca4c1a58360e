//! What a running call tells its client besides progress: log messages, and that the connection may go.

use std::sync::Arc;

use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::sync::mpsc;
use toolmesh_json::Limits;
use toolmesh_tool::{CancellationToken, ClientLink, LogLevel, LogMessage};

use super::{changes::note, exchange::Exchange, outgoing::is_readable, peer::Peer};

/// Most bytes of one log message, as JSON: 64 KiB. Of a longer one the client is told how long it was.
pub(crate) const MAX_LOG_BYTES: usize = 65_536;

/// Most bytes of the name of who logs: 1 KiB. A longer one is left out with its message.
const MAX_LOGGER_BYTES: usize = 1_024;

/// What carries the messages of one exchange to its client, in the order in which they are sent.
pub(crate) type Notes = mpsc::Sender<Vec<u8>>;

/// The way of a running call to its client.
struct CallLink {
    notes: Notes,
    wanted: Wanted,
    limits: Limits,
    /// Fires when the handler lets the connection go; `None` where clients cannot come back.
    released: Option<CancellationToken>,
}

/// Which log messages the client wants.
enum Wanted {
    /// From this level on, or none.
    From(Option<LogLevel>),
    /// As the client said last.
    By(Arc<Peer>),
}

impl Exchange {
    /// The handler's way back to the client; none where nothing could be told.
    pub(super) fn link(&self) -> toolmesh_tool::Link {
        let is_told = self.peer.is_some() || self.facts.log_level.is_some();
        let Some(notes) = self.notes.clone().filter(|_| is_told) else {
            return toolmesh_tool::Link::default();
        };
        let wanted = match &self.peer {
            Some(peer) => Wanted::By(Arc::clone(peer)),
            None => Wanted::From(self.facts.log_level),
        };
        let released = self.released.clone();
        Arc::new(CallLink {
            notes,
            wanted,
            limits: self.server.limits().answer,
            released,
        })
        .into()
    }
}

impl ClientLink for CallLink {
    fn wants(&self, level: LogLevel) -> bool {
        match &self.wanted {
            Wanted::From(wanted) => wanted.is_some_and(|wanted| level >= wanted),
            Wanted::By(peer) => peer.wants(level),
        }
    }

    fn log(&self, message: LogMessage) -> BoxFuture<'_, ()> {
        // A closed queue means that nobody listens any more.
        self.notes.send(written(&message, &self.limits)).map(drop).boxed()
    }

    fn release(&self) {
        if let Some(released) = &self.released {
            released.cancel();
        }
    }
}

fn written(message: &LogMessage, limits: &Limits) -> Vec<u8> {
    let data = message.data.to_text();
    let logger = message.logger.as_deref();
    let short = logger.filter(|logger| logger.len() <= MAX_LOGGER_BYTES);
    if data.len() <= MAX_LOG_BYTES && short == logger {
        let whole = log(message.level, logger, data.as_bytes());
        if is_readable(&whole, limits) {
            return whole;
        }
    }
    let told = format!(r#""A message of {} bytes was left out.""#, data.len());
    log(message.level, short, told.as_bytes())
}

fn log(level: LogLevel, logger: Option<&str>, data: &[u8]) -> Vec<u8> {
    note("notifications/message", |params| {
        params.text("level", level.name());
        params.text_opt("logger", logger);
        params.raw("data", data);
    })
}

#[cfg(test)]
mod tests {
    use toolmesh_json::Value;

    use super::*;

    fn told(data: Value) -> String {
        told_by("here", data)
    }

    fn told_by(logger: &str, data: Value) -> String {
        let (level, logger) = (LogLevel::Notice, Some(logger.to_owned()));
        let message = LogMessage { level, logger, data };
        String::from_utf8(written(&message, &Limits::default())).expect("UTF-8")
    }

    fn nested(arrays: usize) -> Value {
        (1..arrays).fold(Value::array().build(), |inner, _| {
            Value::array().push(inner).build()
        })
    }

    #[test]
    fn a_message_carries_level_logger_and_data() {
        assert_eq!(
            told(Value::from("done")),
            concat!(
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"notice","#,
                r#""logger":"here","data":"done"}}"#
            )
        );
    }

    #[test]
    fn a_message_has_a_bound_and_is_never_lost_silently() {
        let text = |bytes: usize| Value::from("x".repeat(bytes - 2));
        assert!(told(text(MAX_LOG_BYTES)).contains("xxx"));
        assert!(told(text(MAX_LOG_BYTES + 1)).contains("A message of 65537 bytes was left out."));
        // The message, its params and the data's own arrays.
        assert!(told(nested(126)).contains("[]"));
        assert!(told(nested(127)).contains("A message of 254 bytes was left out."));
        let logger = |bytes: usize| told_by(&"l".repeat(bytes), Value::from("done"));
        assert!(logger(MAX_LOGGER_BYTES).contains("done"));
        assert!(logger(MAX_LOGGER_BYTES + 1).contains("A message of 6 bytes was left out."));
    }
}
