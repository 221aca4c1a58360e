//! How the endpoint is set up.

use std::{sync::Arc, time::Duration};

use super::{
    Network, TlsIdentity,
    auth::{AuthError, AuthOptions, Authenticator},
    parameters::UnknownParameters,
    session::DEFAULT_SESSIONS,
};

/// The path of the endpoint unless another is set.
pub const MCP_PATH: &str = "/mcp";

/// Longest time for a request's head or body to arrive: 60 s.
const DEFAULT_READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Longest time in which a client takes nothing of what waits for it: 60 s.
const DEFAULT_WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Longest time that calls in flight may take after the server was told to stop: 10 s, the patience of usual process
/// managers.
const DEFAULT_GRACE: Duration = Duration::from_secs(10);

/// How the endpoint is set up.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(super) path: String,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) read_timeout: Duration,
    pub(super) write_timeout: Duration,
    pub(super) grace: Duration,
    pub(super) sessions: usize,
    pub(super) unknown_parameters: UnknownParameters,
    pub(super) auth: Option<Arc<Authenticator>>,
    pub(super) anonymous: bool,
    pub(super) trusted: Vec<Network>,
    pub(super) tls: Option<TlsIdentity>,
}

impl HttpOptions {
    /// Sets the path of the endpoint, `/mcp` by default; a missing leading slash is added.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        self.path = if path.starts_with('/') {
            path
        } else {
            format!("/{path}")
        };
        self
    }

    /// Allows requests for this host, `name` (any port) or `name:port`, beside those that the bound address allows.
    /// `*` allows every host, and with that gives up the protection against DNS rebinding.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Allows web pages of this origin (`https://example.com`), beside pages of the loopback names where those are
    /// allowed hosts.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets the longest time for a request's head or body to arrive; 60 seconds by default.
    #[must_use]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = timeout;
        self
    }

    /// Sets the longest time in which a client takes nothing of an answer that waits for it; 60 seconds by default. Then
    /// its connection is closed.
    #[must_use]
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.write_timeout = timeout;
        self
    }

    /// Sets how long calls in flight may go on after the server was told to stop; 10 seconds by default.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets how many sessions of clients with a handshake (the 2025 revisions) are kept at once; 256 by default, 0 for
    /// none. A client for whom there is no room is served without one.
    #[must_use]
    pub fn sessions(mut self, most: usize) -> Self {
        self.sessions = most;
        self
    }

    /// Lets in only callers who are known so.
    ///
    /// # Errors
    /// [`AuthError`] when nobody could be known so.
    pub fn auth(mut self, auth: AuthOptions) -> Result<Self, AuthError> {
        self.auth = Some(Arc::new(Authenticator::new(auth)?));
        Ok(self)
    }

    /// Lets everybody in who reaches the endpoint, also from other machines. Without this an address that other
    /// machines reach needs [`HttpOptions::auth`].
    #[must_use]
    pub fn anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    /// Believes proxies of this network when they say for whom they ask (`X-Forwarded-For`), so that anonymous callers behind
    /// them are told apart. Without this it is the address of the connection that counts.
    #[must_use]
    pub fn trust_proxy(mut self, network: Network) -> Self {
        self.trusted.push(network);
        self
    }

    /// Serves over TLS.
    #[must_use]
    pub fn tls(mut self, identity: TlsIdentity) -> Self {
        self.tls = Some(identity);
        self
    }

    /// Sets what becomes of calls with `Mcp-Param-*` headers that the tool does not declare; they are ignored by default.
    #[must_use]
    pub fn unknown_parameters(mut self, unknown: UnknownParameters) -> Self {
        self.unknown_parameters = unknown;
        self
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            path: MCP_PATH.to_owned(),
            hosts: Vec::new(),
            origins: Vec::new(),
            read_timeout: DEFAULT_READ_TIMEOUT,
            write_timeout: DEFAULT_WRITE_TIMEOUT,
            grace: DEFAULT_GRACE,
            sessions: DEFAULT_SESSIONS,
            unknown_parameters: UnknownParameters::default(),
            auth: None,
            anonymous: false,
            trusted: Vec::new(),
            tls: None,
        }
    }
}
