//! How an upstream server is reached.

use std::{fmt, time::Duration};

use super::{limits::START_TIMEOUT, negotiate::Choice};

/// How an upstream server is reached. Variables and headers may hold secrets; the debug form shows their names alone.
#[derive(Clone)]
pub struct UpstreamOptions {
    pub(super) environment: Vec<(String, String)>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) timeout: Duration,
    pub(super) choice: Choice,
}

impl UpstreamOptions {
    /// Sets a variable for the program, beyond those of this process. Variables of this process whose names begin with
    /// `TOOLMESH_` are never handed on.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sends a header with every HTTP request, `Authorization` for instance.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the longest time for the server to start, and for each of its lists to come; 60 seconds by default. Calls
    /// have the dispatcher's deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Speaks only this revision. By default the newest that both sides know is spoken.
    ///
    /// A revision that begins with a handshake is offered, and the server may choose another such one. An unknown text
    /// changes nothing.
    #[must_use]
    pub fn revision(mut self, version: &str) -> Self {
        use super::link::{STATELESS, Spoken};
        if version == STATELESS.version {
            self.choice = Choice::Stateless;
        } else if let Some(spoken) = Spoken::by_handshake(version) {
            self.choice = Choice::Handshake(spoken.version);
        }
        self
    }
}

impl Default for UpstreamOptions {
    fn default() -> Self {
        Self {
            environment: Vec::new(),
            headers: Vec::new(),
            timeout: START_TIMEOUT,
            choice: Choice::Newest,
        }
    }
}

impl fmt::Debug for UpstreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        f.debug_struct("UpstreamOptions")
            .field("environment", &names(&self.environment))
            .field("headers", &names(&self.headers))
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debug_form_shows_no_value() {
        let options = UpstreamOptions::default()
            .variable("KEY", "secret")
            .header("Authorization", "Bearer secret");
        let shown = format!("{options:?}");
        assert!(shown.contains("KEY") && shown.contains("Authorization") && !shown.contains("secret"));
    }
}
