//! What carries the mesh: one small trait, so that the rest knows nothing of networks.
//!
//! An engine joins a node to others, says who they are, tells each what the others announce, and carries requests and
//! their replies. Everything above it (frames, credits, routing, retries, access) is the same for every engine.
//!
//! What an engine owes the mesh:
//!
//! * **Order.** What a node announces is told to another in the order of announcing; a node can be reached before its first
//!   row is told, so that whoever sees a tool can call it.
//! * **No blocking.** [`Inbound`] never waits, and an engine's own threads never wait for a reader: what bounds the replies
//!   that are under way is the credit of each call, not a full queue that other calls share.
//! * **Ends.** When a node is gone, its rows are told as gone, and the replies of calls to it end; a caller is never left
//!   waiting for a peer that is not there.
//! * **Identity.** [`Identity`] is what the engine has verified (a certificate; for nodes of one process, whoever made
//!   them), never what a peer says of itself.

mod alone;
#[cfg(test)]
mod hooked;
mod memory;
#[cfg(feature = "zenoh")]
mod network;
mod replies;
mod way;
#[cfg(feature = "zenoh")]
mod zenoh;

use std::{fmt, sync::Arc};

use futures_util::FutureExt;
use sha2::{Digest, Sha256};
use toolmesh_tool::BoxFuture;

pub use alone::Alone;
#[cfg(test)]
pub(crate) use hooked::Hooked;
pub use memory::{MemoryEngine, MemoryNetwork};
#[cfg(feature = "zenoh")]
pub use network::{
    MAX_NODE_NAME_BYTES, MAX_NODES,
    certificate::{CredentialPart, Credentials, CredentialsError, CredentialsFault, NameError},
};
pub use replies::{MAX_REPLY_FRAME_BYTES, ReplyQueue, ReplyReader};
pub(crate) use way::Way;
#[cfg(feature = "zenoh")]
pub use zenoh::{MeshRouter, MeshRouterBuilder, RouterRules};

/// The number of a node, unique in its mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u64);

impl NodeId {
    /// The node of this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number of the node whose certificate has this name: the first 64 bits, big-endian, of the SHA-256 digest of
    /// `toolmesh node ` and the name. It is the same wherever and whenever the node runs.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let digest = Sha256::new_with_prefix(b"toolmesh node ")
            .chain_update(name)
            .finalize();
        let first = digest.iter().take(8);
        Self(first.fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Who a node is, as its engine has verified it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its number.
    pub node: NodeId,
    /// Its name: that of its certificate, where there are certificates.
    pub name: String,
    /// The subnets that it is in.
    pub subnets: Vec<u32>,
    /// The groups that it is in.
    pub groups: Vec<[u8; 32]>,
}

impl Identity {
    /// A node in no subnet and no group.
    pub fn new(node: NodeId, name: impl Into<String>) -> Self {
        Self {
            node,
            name: name.into(),
            subnets: Vec::new(),
            groups: Vec::new(),
        }
    }
}

/// Which row of a node's announcements: the node itself, or one version of one of its tools.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKey {
    /// The node's tags and metadata.
    Node,
    /// A tool.
    Tool {
        /// Its identifier.
        tool_id: String,
        /// Its version.
        version: String,
    },
}

/// Who is told of a row. An engine that broadcasts sends a row that is not for everybody to each of those that it is for.
pub type Audience = Arc<dyn Fn(&Identity) -> bool + Send + Sync>;

/// A change in what another node announces.
#[derive(Debug, Clone)]
pub enum Presence {
    /// A row is there, or is now this.
    Put(RowKey, Arc<[u8]>),
    /// A row is gone. Rows that were never told may be told as gone.
    Gone(RowKey),
    /// The node is gone, with all its rows.
    NodeGone,
}

/// What a caller tells a host about a call that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// It may send so many more chunks.
    Grant(u32),
    /// The caller gave up.
    Cancel,
}

/// Why an engine could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no such node, or it cannot be reached now.
    #[error("node {0} cannot be reached")]
    Unreachable(NodeId),
    /// The engine is closed.
    #[error("the node has left the mesh")]
    Closed,
    /// The host of a call sent more than its caller granted.
    #[error("the host sent more than it was granted")]
    Excess,
    /// The caller wants no more of a call.
    #[error("the call is over")]
    Ended,
    /// The number is another node's.
    #[error("node {0} is in the mesh already")]
    Taken(NodeId),
    /// Another program is in the mesh with the certificate of this one.
    #[error(
        "another program is in the mesh as `{0}`, with the same certificate: end that one first, or give this one a certificate of \
         its own"
    )]
    Twin(String),
    /// The name of the node is too long.
    #[error("a node's name has at most 64 bytes")]
    Name,
    /// There are no random bytes, or the cryptography of this system refuses.
    #[error("the system gives no random bytes for the node's keys")]
    Cryptography,
    /// The node cannot listen where it should.
    #[error("cannot listen at {at}: {reason}; end what listens there, or choose another address")]
    Listen {
        /// Where.
        at: std::net::SocketAddr,
        /// What the system says.
        reason: String,
    },
    /// None of the routers can be reached, or they refuse the node; with the reason for each.
    #[error("no router can be reached: {0}")]
    NoRouter(String),
    /// The network cannot be joined, with its own words.
    #[error("the network cannot be joined: {0}")]
    Network(String),
}

/// Where an engine delivers what comes for its node. No method waits, and none calls back into the engine.
pub trait Inbound: Send + Sync + 'static {
    /// A request of `from`. Replies go to `replies`; dropping it ends them. `call` is unique among the calls of `from`.
    fn request(&self, from: Identity, call: u64, frame: Vec<u8>, replies: Box<dyn Replies>);

    /// A word about a call that runs; about one that ended it is ignored.
    fn control(&self, from: NodeId, call: u64, control: Control);

    /// A change in what `from` announces. A node is told of its own rows too.
    fn presence(&self, from: &Identity, change: Presence);
}

/// The way back of one call. Dropping it ends the replies.
pub trait Replies: Send + Sync {
    /// Sends one frame.
    ///
    /// # Errors
    /// [`EngineError`] when the caller is gone.
    fn send(&self, frame: Vec<u8>) -> BoxFuture<'_, Result<(), EngineError>>;

    /// Sends several frames, in order: on a network that is one message instead of many.
    ///
    /// # Errors
    /// As [`Replies::send`].
    fn send_all(&self, frames: Vec<Vec<u8>>) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            for frame in frames {
                self.send(frame).await?;
            }
            Ok(())
        })
    }

    /// Sends the last frame, after which the replies end: on a network that is one message instead of two.
    ///
    /// # Errors
    /// As [`Replies::send`].
    fn finish(&self, frame: Vec<u8>) -> BoxFuture<'_, Result<(), EngineError>> {
        self.send(frame)
    }

    /// Sends the last frame if nothing has to be waited for; else it is left out. A network leaves out that the replies end as
    /// well: who does not read what waits for it already fills no memory by asking for more.
    fn finish_now(&self, frame: Vec<u8>) {
        // One that would wait is given up.
        let _ = self.finish(frame).now_or_never();
    }
}

/// Carries the mesh of one node.
pub trait Engine: Send + Sync + 'static {
    /// Who this node is.
    fn identity(&self) -> &Identity;

    /// Joins the mesh: from now on requests and presence go to `inbound`, first the rows that others announce already.
    ///
    /// # Errors
    /// [`EngineError`] when the node cannot join.
    fn join(&self, inbound: Arc<dyn Inbound>) -> Result<(), EngineError>;

    /// Waits until the rows that others announce already have been told, or a bounded time.
    ///
    /// # Errors
    /// [`EngineError::Twin`] when another program is this node already; this one has to leave then.
    fn settled(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Why this node sees no other, when it sees none and the engine knows why. After [`Engine::settled`].
    fn alone(&self) -> Option<Alone> {
        None
    }

    /// Where other nodes can connect to this one, in the engine's own form; empty when there is no such place.
    fn listens_at(&self) -> Vec<String> {
        Vec::new()
    }

    /// Sends a request; frames of the reply go to `replies`, which is dropped after the last one, or when it takes no more.
    /// An engine never waits on it: credits bound what can be in it.
    ///
    /// # Errors
    /// [`EngineError`] when the node cannot be reached.
    fn request(
        &self,
        to: NodeId,
        call: u64,
        frame: Vec<u8>,
        replies: ReplyQueue,
    ) -> BoxFuture<'_, Result<(), EngineError>>;

    /// Tells a host something about a call that runs. It must not wait: it is called when a stream is dropped.
    fn control(&self, to: NodeId, call: u64, control: Control);

    /// Announces a row to those in `audience`; what was announced under the key before is replaced, for those who no longer
    /// are in the audience it is gone.
    ///
    /// # Errors
    /// [`EngineError`] when the node is not in the mesh.
    fn announce(&self, key: RowKey, row: Arc<[u8]>, audience: Audience) -> Result<(), EngineError>;

    /// Takes a row back.
    fn withdraw(&self, key: &RowKey);

    /// Leaves the mesh.
    fn close(&self);
}
