//! An engine for tests of what stands above it: it lets them look at what passes, and hold it up.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use toolmesh_tool::BoxFuture;

use super::{
    Audience, Control, Engine, EngineError, Identity, Inbound, MemoryEngine, NodeId, ReplyQueue, RowKey,
};

/// What is asked before others are told of a row.
type Hook = Box<dyn FnMut(&RowKey) + Send>;

/// A node of a network in memory.
pub(crate) struct Hooked {
    pub(crate) inner: MemoryEngine,
    before_telling: Mutex<Hook>,
    /// Whether requests wait for room that never comes.
    is_full: AtomicBool,
}

impl Hooked {
    pub(crate) fn new(inner: MemoryEngine) -> Self {
        Self {
            inner,
            before_telling: Mutex::new(Box::new(|_| {})),
            is_full: AtomicBool::new(false),
        }
    }

    /// Sets what is done before a row is announced or taken back.
    pub(crate) fn before_telling(&self, hook: impl FnMut(&RowKey) + Send + 'static) {
        *self.before_telling.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(hook);
    }

    /// From now on no request goes out.
    pub(crate) fn fill(&self) {
        self.is_full.store(true, Ordering::Relaxed);
    }

    fn tell(&self, key: &RowKey) {
        let mut hook = self.before_telling.lock().unwrap_or_else(PoisonError::into_inner);
        hook(key);
    }
}

impl Engine for Hooked {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn join(&self, inbound: Arc<dyn Inbound>) -> Result<(), EngineError> {
        self.inner.join(inbound)
    }

    fn request(
        &self,
        to: NodeId,
        call: u64,
        frame: Vec<u8>,
        replies: ReplyQueue,
    ) -> BoxFuture<'_, Result<(), EngineError>> {
        if self.is_full.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        self.inner.request(to, call, frame, replies)
    }

    fn control(&self, to: NodeId, call: u64, control: Control) {
        self.inner.control(to, call, control);
    }

    fn announce(&self, key: RowKey, row: Arc<[u8]>, audience: Audience) -> Result<(), EngineError> {
        self.tell(&key);
        self.inner.announce(key, row, audience)
    }

    fn withdraw(&self, key: &RowKey) {
        self.tell(key);
        self.inner.withdraw(key);
    }

    fn close(&self) {
        self.inner.close();
    }
}
