//! An upstream server with which everything is agreed.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use toolmesh_json::{ObjectBuilder, Value, View};
use toolmesh_tool::{CallContext, ClientCapabilities};

use super::{
    calling::Calling,
    changes::Changes,
    error::ClientError,
    link::{Command, Endpoint, HttpLink, Link, Outgoing, StdioLink},
    negotiate::{Agreed, Choice, negotiate, stateless_meta},
};

/// Members of `_meta`, or headers, by which calls are followed over several servers (W3C Trace Context, Baggage); they are passed on.
const TRACE_KEYS: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// How a server is reached.
#[derive(Debug, Clone)]
pub(super) enum Reach {
    Command(Command),
    Endpoint(Endpoint),
}

impl Reach {
    fn open(&self, changes: Arc<Changes>) -> Result<Link, ClientError> {
        Ok(match self {
            Self::Command(command) => Link::Stdio(StdioLink::open(command, changes)?),
            Self::Endpoint(endpoint) => Link::Http(HttpLink::open(endpoint, changes)?),
        })
    }
}

/// An upstream server with which everything is agreed. Dropping it ends the connection.
pub(super) struct Peer {
    link: Link,
    agreed: Agreed,
    timeout: Duration,
}

impl Peer {
    /// Connects and agrees. A program that ends when it is asked what it does not know is started once more.
    pub(super) async fn connect(
        reach: &Reach,
        choice: Choice,
        timeout: Duration,
        changes: &Arc<Changes>,
    ) -> Result<Self, ClientError> {
        let connected = async {
            match Self::try_connect(reach, choice, timeout, changes).await {
                Err(ClientError::Closed(_)) if choice == Choice::Newest => {
                    let choice = Choice::Handshake(super::link::Spoken::OFFERED);
                    Self::try_connect(reach, choice, timeout, changes).await
                }
                connected => connected,
            }
        };
        let connected = tokio::time::timeout(timeout, connected).await;
        connected.map_err(|_| ClientError::TimedOut)?
    }

    async fn try_connect(
        reach: &Reach,
        choice: Choice,
        timeout: Duration,
        changes: &Arc<Changes>,
    ) -> Result<Self, ClientError> {
        let link = reach.open(Arc::clone(changes))?;
        let agreed = negotiate(&link, choice).await?;
        Ok(Self {
            link,
            agreed,
            timeout,
        })
    }

    pub(super) fn agreed(&self) -> &Agreed {
        &self.agreed
    }

    /// The longest time for one answer on the client's own behalf.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Ends when the connection has.
    pub(super) async fn closed(&self) {
        self.link.closed().await;
    }

    /// Begins what a caller asked for: his capabilities and trace go along, and progress is asked for when he wants it.
    pub(super) async fn begin(
        &self,
        mut request: Outgoing,
        context: &CallContext,
    ) -> Result<Calling, ClientError> {
        let front = context.front();
        if self.agreed.spoken.is_stateless() {
            request.meta = stateless_meta(&front.capabilities);
        }
        for key in TRACE_KEYS {
            let told = front.meta.as_ref().and_then(|meta| meta.get(key));
            let header = || context.headers().iter().find(|(name, _)| name == key);
            if let Some(value) = told {
                request.meta.insert(key, value.to_value());
            } else if let Some((_, value)) = header() {
                request.meta.insert(key, value.as_str());
            }
        }
        request.progress = context.is_streamed();
        self.link.begin(request).await
    }

    /// Asks for one thing on the client's own behalf, within the time limit.
    pub(super) async fn ask(
        &self,
        method: &'static str,
        params: ObjectBuilder,
    ) -> Result<Value, ClientError> {
        let asked = async { self.begin_own(method, params).await?.end().await };
        let answered = tokio::time::timeout(self.timeout, asked).await;
        answered.map_err(|_| ClientError::TimedOut)?
    }

    /// Asks to be told of changes; what comes goes the way of all changes. `None` where a server tells without it.
    pub(super) async fn subscribe(&self) -> Result<Option<Calling>, ClientError> {
        if !self.agreed.spoken.is_stateless() || !self.agreed.tells_changes {
            return Ok(None);
        }
        let lists = [
            ("toolsListChanged", self.agreed.has_tools),
            ("promptsListChanged", self.agreed.has_prompts),
            ("resourcesListChanged", self.agreed.has_resources),
        ];
        let wanted = lists.into_iter().filter(|(_, has)| *has).collect();
        self.listen(wanted).await.map(Some)
    }

    /// Asks to be told when the contents of these resources change (2026-07-28).
    pub(super) async fn listen_to(&self, uris: &BTreeSet<String>) -> Result<Calling, ClientError> {
        let uris: Value = uris.iter().map(String::as_str).map(Value::from).collect();
        self.listen(Value::object().put("resourceSubscriptions", uris))
            .await
    }

    async fn listen(&self, wanted: ObjectBuilder) -> Result<Calling, ClientError> {
        let params = Value::object().put("notifications", wanted);
        self.begin_own("subscriptions/listen", params).await
    }

    async fn begin_own(&self, method: &'static str, params: ObjectBuilder) -> Result<Calling, ClientError> {
        let mut request = Outgoing::new(method, params);
        if self.agreed.spoken.is_stateless() {
            request.meta = stateless_meta(&ClientCapabilities::default());
        }
        self.link.begin(request).await
    }
}

/// The text of a member.
pub(super) fn text(of: View<'_>, name: &str) -> Option<String> {
    of.get(name).and_then(View::as_str).map(str::to_owned)
}
