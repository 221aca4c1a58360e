//! What waits to be sent to one node.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::{runtime::Handle, sync::Notify};

use super::{Address, Carrier, Route, channel::Channel, message::Message};

/// How much is put into one text, where there is more than one message: with the network's own headers it stays within one
/// batch of 64 KiB.
const BATCH_BYTES: usize = 60_000;

/// A single message up to this size is sent by whoever has it, when nothing else is under way; larger ones would hold up
/// the thread of a runtime.
const AT_ONCE_BYTES: usize = 64 * 1024;

/// How much may wait for one node before those who have more to send wait too. Replies of calls come here; what a slow
/// reader has not granted does not.
pub(super) const MAX_WAITING_BYTES: usize = 128 * 1024 * 1024;

/// The first byte of a greeting, which tells it from a sealed text.
pub(super) const GREETING: u8 = 0;

/// What waits to be sent to one node, in order. One node that takes nothing holds up nobody but those who wait for it.
pub(super) struct Outbox {
    to: Address,
    carrier: Arc<dyn Carrier>,
    route: OnceLock<Box<dyn Route>>,
    waiting: Mutex<Waiting>,
    room: Notify,
    runtime: Handle,
}

#[derive(Default)]
struct Waiting {
    items: VecDeque<Item>,
    bytes: usize,
    /// Somebody is sending, and will go on with what is added.
    is_sending: bool,
}

enum Item {
    /// A sealed greeting.
    Greeting(Vec<u8>),
    /// A message, and the channel it goes by.
    Message(Arc<Channel>, Message),
}

/// What is sent as one text.
enum Text {
    Greeting(Vec<u8>),
    Messages(Arc<Channel>, Vec<Message>),
}

impl Outbox {
    pub(super) fn new(to: Address, carrier: Arc<dyn Carrier>, runtime: Handle) -> Self {
        Self {
            to,
            carrier,
            route: OnceLock::new(),
            waiting: Mutex::default(),
            room: Notify::new(),
            runtime,
        }
    }

    /// Adds a greeting. Never waits.
    pub(super) fn greet(self: &Arc<Self>, greeting: Vec<u8>) {
        self.add([Item::Greeting(greeting)]);
    }

    /// Adds a message, to be sent together with others. Never waits.
    pub(super) fn push(self: &Arc<Self>, channel: &Arc<Channel>, message: Message) {
        self.add([Item::Message(Arc::clone(channel), message)]);
    }

    /// Adds a message if there is room for it. Never waits.
    pub(super) fn offer(self: &Arc<Self>, channel: &Arc<Channel>, message: Message) {
        if self.has_room() {
            self.push(channel, message);
        }
    }

    fn add(self: &Arc<Self>, items: impl IntoIterator<Item = Item>) {
        let mut waiting = self.lock();
        items.into_iter().for_each(|item| waiting.add(item));
        if !std::mem::replace(&mut waiting.is_sending, true) {
            drop(waiting);
            self.send_apart();
        }
    }

    /// Adds a message and sends it at once, unless somebody is sending. Waits for room when too much waits already.
    pub(super) async fn send(self: &Arc<Self>, channel: &Arc<Channel>, message: Message) {
        self.room().await;
        if message.size() > AT_ONCE_BYTES {
            return self.push(channel, message);
        }
        {
            let mut waiting = self.lock();
            if waiting.is_sending {
                return waiting.add(Item::Message(Arc::clone(channel), message));
            }
            waiting.is_sending = true;
        }
        self.put(Text::Messages(Arc::clone(channel), vec![message]));
        let mut waiting = self.lock();
        waiting.is_sending = !waiting.items.is_empty();
        if waiting.is_sending {
            drop(waiting);
            self.send_apart();
        }
    }

    /// Adds messages, when there is room, to be sent together.
    pub(super) async fn stream(
        self: &Arc<Self>,
        channel: &Arc<Channel>,
        messages: impl Iterator<Item = Message>,
    ) {
        self.room().await;
        self.add(messages.map(|message| Item::Message(Arc::clone(channel), message)));
    }

    async fn room(&self) {
        while !self.has_room() {
            let room = self.room.notified();
            // What was sent since then is not told by it any more.
            if !self.has_room() {
                room.await;
            }
        }
    }

    fn has_room(&self) -> bool {
        self.lock().has_room()
    }

    /// Sends on a thread that may wait, until nothing is left.
    fn send_apart(self: &Arc<Self>) {
        let outbox = Arc::clone(self);
        self.runtime.spawn_blocking(move || {
            while let Some(text) = outbox.next() {
                outbox.put(text);
            }
        });
    }

    fn next(&self) -> Option<Text> {
        let mut waiting = self.lock();
        let text = waiting.next();
        waiting.is_sending = text.is_some();
        let has_room = waiting.has_room();
        drop(waiting);
        if has_room {
            self.room.notify_waiters();
        }
        text
    }

    fn put(&self, text: Text) {
        let bytes = match text {
            Text::Greeting(greeting) => Some([&[GREETING], &greeting[..]].concat()),
            Text::Messages(channel, messages) => sealed(&channel, &messages),
        };
        if let (Some(bytes), Some(route)) = (bytes, self.route()) {
            route.put(bytes);
        }
    }

    fn route(&self) -> Option<&dyn Route> {
        if self.route.get().is_none() {
            match self.carrier.route(self.to) {
                Ok(route) => drop(self.route.set(route)),
                Err(error) => tracing::debug!(to = %self.to, %error, "there is no way to a node"),
            }
        }
        self.route.get().map(AsRef::as_ref)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn has_room(&self) -> bool {
        self.bytes < MAX_WAITING_BYTES
    }

    fn add(&mut self, item: Item) {
        self.bytes = self.bytes.saturating_add(item.size());
        self.items.push_back(item);
    }

    /// The next item, and as many of those that follow as fit into the same text.
    fn next(&mut self) -> Option<Text> {
        let first = self.items.pop_front()?;
        let mut size = first.size();
        let text = match first {
            Item::Greeting(greeting) => Text::Greeting(greeting),
            Item::Message(channel, message) => {
                let mut messages = vec![message];
                while let Some(next) = self.items.pop_front_if(|next| next.fits(&channel, size)) {
                    size += next.size();
                    if let Item::Message(_, message) = next {
                        messages.push(message);
                    }
                }
                Text::Messages(channel, messages)
            }
        };
        self.bytes = self.bytes.saturating_sub(size);
        Some(text)
    }
}

impl Item {
    fn size(&self) -> usize {
        match self {
            Self::Greeting(greeting) => greeting.len(),
            Self::Message(_, message) => message.size(),
        }
    }

    fn fits(&self, channel: &Arc<Channel>, size: usize) -> bool {
        let is_of = matches!(self, Self::Message(of, _) if Arc::ptr_eq(of, channel));
        is_of && size.saturating_add(self.size()) <= BATCH_BYTES
    }
}

fn sealed(channel: &Channel, messages: &[Message]) -> Option<Vec<u8>> {
    let mut text = Channel::begin(messages.iter().map(Message::size).sum());
    for message in messages {
        if message.encode(&mut text).is_err() {
            // Frames and rows are bounded far below what the form can hold.
            tracing::error!("a message is too large for its form and is not sent");
        }
    }
    channel.seal(text).ok()
}

/// What tests do with it.
#[cfg(test)]
impl Outbox {
    /// As if the node took nothing any more, and so many bytes waited for it.
    pub(super) fn holds(&self, bytes: usize) {
        let mut waiting = self.lock();
        (waiting.bytes, waiting.is_sending) = (bytes, true);
    }

    /// How many items wait.
    pub(super) fn waiting(&self) -> usize {
        self.lock().items.len()
    }
}
