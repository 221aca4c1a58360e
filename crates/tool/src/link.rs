//! The way from a running handler back to its client, besides events and the result.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use toolmesh_json::Value;

/// How grave a log message is: the levels of RFC 5424, as MCP names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// For finding faults.
    Debug,
    /// As expected.
    Info,
    /// As expected, and worth knowing.
    Notice,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
    /// A part does not work.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// Nothing works.
    Emergency,
}

impl LogLevel {
    /// Every level, from the least to the most grave.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The level of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Its name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

/// A log message of a tool, meant for its client.
#[derive(Debug, Clone, PartialEq)]
pub struct LogMessage {
    /// How grave it is.
    pub level: LogLevel,
    /// Who logs, when the handler says so.
    pub logger: Option<String>,
    /// What is logged.
    pub data: Value,
}

/// What a front does for a running call besides carrying its events; a front that can do none of it gives no link.
pub trait ClientLink: Send + Sync + 'static {
    /// Whether the client wants log messages of this level.
    fn wants(&self, level: LogLevel) -> bool;

    /// Passes a message on. Waits while the client is behind; a client that went away is told nothing.
    fn log(&self, message: LogMessage) -> BoxFuture<'_, ()>;

    /// Lets the client's connection go, where the protocol lets the client come back for the rest of the answer.
    fn release(&self) {}
}

/// A front's link, or none. Clones are one link.
#[derive(Clone, Default)]
pub struct Link(Option<Arc<dyn ClientLink>>);

impl Link {
    /// Whether the client wants log messages of this level.
    #[must_use]
    pub fn wants(&self, level: LogLevel) -> bool {
        self.0.as_ref().is_some_and(|link| link.wants(level))
    }

    /// Passes a message on if the client wants it.
    pub async fn log(&self, message: LogMessage) {
        if let Some(link) = self.0.as_ref().filter(|link| link.wants(message.level)) {
            link.log(message).await;
        }
    }

    /// Lets the client's connection go, where the protocol has that.
    pub fn release(&self) {
        if let Some(link) = &self.0 {
            link.release();
        }
    }
}

impl<T: ClientLink> From<Arc<T>> for Link {
    fn from(link: Arc<T>) -> Self {
        Self(Some(link))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Link").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    struct Heard(Mutex<Vec<String>>);

    impl ClientLink for Heard {
        fn wants(&self, level: LogLevel) -> bool {
            level >= LogLevel::Warning
        }

        fn log(&self, message: LogMessage) -> BoxFuture<'_, ()> {
            self.0.lock().unwrap().push(message.data.to_text());
            Box::pin(std::future::ready(()))
        }
    }

    #[tokio::test]
    async fn only_what_the_client_wants_is_passed_on() {
        let heard = Arc::new(Heard(Mutex::default()));
        let link = Link::from(Arc::clone(&heard));
        for level in LogLevel::ALL {
            let (logger, data) = (None, Value::from(level.name()));
            link.log(LogMessage { level, logger, data }).await;
        }
        let texts = heard.0.lock().unwrap().join(" ");
        assert_eq!(texts, r#""warning" "error" "critical" "alert" "emergency""#);
    }

    #[test]
    fn a_level_comes_back_from_its_name_and_nothing_else_does() {
        for level in LogLevel::ALL {
            assert_eq!(LogLevel::from_name(level.name()), Some(level));
        }
        assert_eq!(LogLevel::from_name("Info"), None);
    }
}
