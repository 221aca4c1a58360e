//! What engines for networks have in common: how nodes that only see each other's addresses meet, trust each other, and tell
//! each other what they announce and call.
//!
//! A network brings two things, behind [`Carrier`]: it tells which addresses are there, and takes bytes from one address to
//! another, in order. All else is here:
//!
//! * Nodes that see each other exchange greetings (`greeting`, `meet`), sealed under the key of the mesh. Of their keys and a
//!   random number of each comes a channel (`channel`) that only the two can write to and read from, whatever carries it. What
//!   was lost on the way is noticed by its number; the two then meet anew.
//! * Rows are told to each node apart (`tell`), so that nobody sees what is not meant for it.
//! * Calls are numbered by the caller (`call`). When a node is gone, the replies of its calls end.
//! * What is to be sent waits in one queue a node (`outbox`), and goes in batches.

mod address;
mod anew;
mod call;
pub(in crate::engine) mod certificate;
mod channel;
mod greeting;
mod meet;
mod message;
mod outbox;
mod part;
mod peer;
mod secret;
mod state;
mod tell;
#[cfg(test)]
mod tests;
mod twin;

use std::{sync::Arc, time::Duration};

use aws_lc_rs::agreement::{PrivateKey, X25519};
use tokio::runtime::Handle;
use toolmesh_tool::BoxFuture;

pub(super) use address::Address;
use certificate::{Credentials, Proof, Refused};
use greeting::Greeting;
pub use greeting::MAX_NODE_NAME_BYTES;
use meet::Believed;
pub use peer::MAX_NODES;
use secret::MeshSecret;
use state::Network;

use super::{Alone, Audience, Control, Engine, EngineError, Identity, Inbound, NodeId, ReplyQueue, RowKey};

/// How long a node that joins waits at most for the rows of those who are there already.
const SETTLING: Duration = Duration::from_secs(2);

/// What a network does for one node.
pub(super) trait Carrier: Send + Sync + 'static {
    /// Begins: others see this node's address from now on, and what comes goes to `arrivals`. Whoever sees the address can
    /// send to it.
    fn start(&self, arrivals: Arc<dyn Arrivals>) -> Result<(), EngineError>;

    /// The way to an address.
    fn route(&self, to: Address) -> Result<Box<dyn Route>, EngineError>;

    /// The addresses that are there now, as far as the network can say within a bounded time.
    fn census(&self) -> BoxFuture<'_, Vec<Address>>;

    /// Tells the operator why this node is alone, as far as the network knows; within a bounded time.
    fn explain(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Why this node is alone, as far as the network knows.
    fn alone(&self) -> Option<Alone> {
        None
    }

    /// Where others can connect to this node.
    fn listens_at(&self) -> Vec<String>;

    /// Leaves. It must not wait.
    fn close(&self);
}

/// The way to one address.
pub(super) trait Route: Send + Sync {
    /// Sends a text, after those that were sent before. It may wait for the network, but only for a bounded time; a text that
    /// cannot be sent is lost.
    fn put(&self, text: Vec<u8>);
}

/// Where a carrier delivers. No method waits or calls the network.
pub(super) trait Arrivals: Send + Sync {
    /// An address is there.
    fn alive(&self, node: Address);

    /// An address is gone.
    fn gone(&self, node: Address);

    /// A text for this node. Who sent it is what the text proves; `from` is what the network says.
    fn arrived(&self, from: Address, text: Vec<u8>);
}

/// Who a node of a network is, before it has joined.
pub(super) struct Me {
    secret: MeshSecret,
    key: PrivateKey,
    public_key: [u8; 32],
    address: Address,
    trust: Trust,
}

/// Whom a node believes to be whom.
enum Trust {
    /// Whoever has the key of the mesh is who it says it is.
    Key,
    /// Whoever has a certificate of the authority is who the certificate says; nobody else is met.
    Certificates {
        credentials: Arc<Credentials>,
        /// That this node's key is that of its certificate.
        proof: Proof,
    },
}

impl Me {
    /// A node of the mesh that has this key, with a new key of its own; and with a certificate, where there are any.
    pub(super) fn new(
        mesh_key: &[u8; 32],
        credentials: Option<Arc<Credentials>>,
    ) -> Result<Self, EngineError> {
        let none = || EngineError::Cryptography;
        let secret = MeshSecret::of(mesh_key).map_err(|_| none())?;
        let key = PrivateKey::generate(&X25519).map_err(|_| none())?;
        let public_key = key.compute_public_key().map_err(|_| none())?;
        let public_key: [u8; 32] = public_key.as_ref().try_into().map_err(|_| none())?;
        let trust = match credentials {
            None => Trust::Key,
            Some(credentials) => {
                let proof = credentials.prove(&proved(&secret, &public_key));
                let proof = proof.map_err(|error| EngineError::Network(error.to_string()))?;
                Trust::Certificates { credentials, proof }
            }
        };
        Ok(Self {
            address: Address::of(&public_key),
            secret,
            key,
            public_key,
            trust,
        })
    }

    /// Who this node is: by its certificate, else by its own word.
    fn identity(&self, name: Option<String>) -> Identity {
        match &self.trust {
            Trust::Certificates { credentials, .. } => credentials.identity().clone(),
            Trust::Key => {
                let node = NodeId::new(self.address.number());
                Identity::new(node, name.unwrap_or_else(|| node.to_string()))
            }
        }
    }

    fn proof(&self) -> Option<Proof> {
        match &self.trust {
            Trust::Key => None,
            Trust::Certificates { proof, .. } => Some(proof.clone()),
        }
    }

    /// Who greeted, and how long that holds; without certificates it holds for ever.
    fn believe(&self, from: Address, greeting: &Greeting) -> Result<Believed, Refused> {
        match &self.trust {
            Trust::Key => {
                let node = NodeId::new(from.number());
                Ok((Identity::new(node, greeting.name.clone()), None))
            }
            Trust::Certificates { credentials, .. } => {
                let proved = proved(&self.secret, &greeting.public_key);
                let (identity, until) = credentials.check(greeting.proof.as_ref(), &proved)?;
                Ok((identity, Some(until)))
            }
        }
    }

    pub(super) fn address(&self) -> Address {
        self.address
    }

    /// The prefix of all names of this mesh on the network.
    pub(super) fn realm(&self) -> &str {
        self.secret.realm()
    }
}

/// What a node signs with the key of its certificate: this mesh, and its key in it.
fn proved(secret: &MeshSecret, public_key: &[u8; 32]) -> Vec<u8> {
    [
        b"toolmesh mesh 1 node ",
        secret.realm().as_bytes(),
        &public_key[..],
    ]
    .concat()
}

/// The prefix of all names of the mesh that has this key.
pub(super) fn realm_of(key: &[u8; 32]) -> Result<String, EngineError> {
    let secret = MeshSecret::of(key).map_err(|_| EngineError::Cryptography)?;
    Ok(secret.realm().to_owned())
}

/// A node on a network.
pub(super) struct NetworkEngine(Arc<Network>);

impl NetworkEngine {
    /// A node of this name, by default its number; names longer than [`MAX_NODE_NAME_BYTES`] are refused.
    pub(super) fn new(
        me: Me,
        name: Option<String>,
        carrier: Arc<dyn Carrier>,
        runtime: Handle,
    ) -> Result<Self, EngineError> {
        let identity = me.identity(name);
        if identity.name.len() > MAX_NODE_NAME_BYTES {
            return Err(EngineError::Name);
        }
        Ok(Self(Network::new(me, identity, carrier, runtime)))
    }
}

impl Engine for NetworkEngine {
    fn identity(&self) -> &Identity {
        &self.0.identity
    }

    fn listens_at(&self) -> Vec<String> {
        self.0.carrier.listens_at()
    }

    fn join(&self, inbound: Arc<dyn Inbound>) -> Result<(), EngineError> {
        if self.0.inbound.set(inbound).is_err() {
            return Err(EngineError::Taken(self.0.identity.node));
        }
        let arrivals = state::Door(Arc::downgrade(&self.0));
        self.0.carrier.start(Arc::new(arrivals))
    }

    fn settled(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            let settled = self.0.settled();
            if tokio::time::timeout(SETTLING, settled).await.is_err() {
                tracing::debug!("some nodes of the mesh have not told their tools yet");
            }
            self.0.may_stay()?;
            if self.0.is_alone() {
                self.0.carrier.explain().await;
            }
            Ok(())
        })
    }

    fn alone(&self) -> Option<Alone> {
        let sees_none = self.0.is_alone() && !self.0.sees_any();
        sees_none.then(|| self.0.carrier.alone())?
    }

    fn request(
        &self,
        to: NodeId,
        call: u64,
        frame: Vec<u8>,
        replies: ReplyQueue,
    ) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(self.0.request(to, call, frame, replies))
    }

    fn control(&self, to: NodeId, call: u64, control: Control) {
        self.0.control(to, call, control);
    }

    fn announce(&self, key: RowKey, bytes: Arc<[u8]>, audience: Audience) -> Result<(), EngineError> {
        self.0.announce(key, bytes, audience)
    }

    fn withdraw(&self, key: &RowKey) {
        self.0.withdraw(key);
    }

    fn close(&self) {
        self.0.close();
    }
}

impl std::fmt::Debug for NetworkEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkEngine")
            .field("identity", &self.0.identity)
            .finish_non_exhaustive()
    }
}
