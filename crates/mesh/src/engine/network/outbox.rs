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

/// Most greetings that wait for one node. Whoever has asked so often in the meantime needs only the last answer; so where there are
/// more, the oldest is left out.
const MAX_WAITING_GREETINGS: usize = 16;

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
    /// The greetings for those places among the items that are greetings'.
    greetings: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Somebody is sending, and will go on with what is added.
    is_sending: bool,
}

enum Item {
    /// The place of a greeting.
    Greeting,
    /// A message, and the channel it goes by.
    Message(Arc<Channel>, Message),
}

/// What is sent as one text.
enum Text {
    /// A sealed greeting.
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
        self.add(|waiting| waiting.greet(greeting));
    }

    /// Adds a message, to be sent together with others. Never waits.
    pub(super) fn push(self: &Arc<Self>, channel: &Arc<Channel>, message: Message) {
        self.add(|waiting| waiting.add(channel, message));
    }

    /// Adds a message if there is room for it. Never waits.
    pub(super) fn offer(self: &Arc<Self>, channel: &Arc<Channel>, message: Message) {
        if self.has_room() {
            self.push(channel, message);
        }
    }

    fn add(self: &Arc<Self>, add: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.lock();
        add(&mut waiting);
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
                return waiting.add(channel, message);
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
        self.add(|waiting| messages.for_each(|message| waiting.add(channel, message)));
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

    fn add(&mut self, channel: &Arc<Channel>, message: Message) {
        self.bytes = self.bytes.saturating_add(message.size());
        self.items.push_back(Item::Message(Arc::clone(channel), message));
    }

    /// Adds a greeting. When there are too many, each moves up to the place of the one before it, and the oldest goes.
    fn greet(&mut self, greeting: Vec<u8>) {
        self.bytes = self.bytes.saturating_add(greeting.len());
        self.greetings.push_back(greeting);
        if self.greetings.len() <= MAX_WAITING_GREETINGS {
            self.items.push_back(Item::Greeting);
        } else {
            drop(self.next_greeting());
        }
    }

    fn next_greeting(&mut self) -> Option<Vec<u8>> {
        let greeting = self.greetings.pop_front()?;
        self.bytes = self.bytes.saturating_sub(greeting.len());
        Some(greeting)
    }

    /// The next item, and as many of those that follow as fit into the same text.
    fn next(&mut self) -> Option<Text> {
        let (channel, first) = match self.items.pop_front()? {
            Item::Greeting => return self.next_greeting().map(Text::Greeting),
            Item::Message(channel, message) => (channel, message),
        };
        let mut size = first.size();
        let mut messages = vec![first];
        while let Some(next) = self.items.pop_front_if(|next| next.fits(&channel, size)) {
            if let Item::Message(_, message) = next {
                size += message.size();
                messages.push(message);
            }
        }
        self.bytes = self.bytes.saturating_sub(size);
        Some(Text::Messages(channel, messages))
    }
}

impl Item {
    fn fits(&self, channel: &Arc<Channel>, size: usize) -> bool {
        let Self::Message(of, message) = self else {
            return false;
        };
        Arc::ptr_eq(of, channel) && size.saturating_add(message.size()) <= BATCH_BYTES
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

    /// Whether nobody is sending.
    pub(super) fn is_idle(&self) -> bool {
        !self.lock().is_sending
    }

    /// How many items wait.
    pub(super) fn waiting(&self) -> usize {
        self.lock().items.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greetings(waiting: &mut Waiting) -> Vec<Vec<u8>> {
        let texts = std::iter::from_fn(|| waiting.next());
        texts
            .map(|text| match text {
                Text::Greeting(greeting) => greeting,
                Text::Messages(..) => panic!("there are only greetings"),
            })
            .collect()
    }

    #[test]
    fn of_greetings_that_wait_the_last_ones_are_kept() {
        let most = u8::try_from(MAX_WAITING_GREETINGS).unwrap();
        for (added, kept) in [(most, 0..most), (most + 1, 1..most + 1)] {
            let mut waiting = Waiting::default();
            (0..added).for_each(|number| waiting.greet(vec![number; 100]));
            assert_eq!(waiting.items.len(), MAX_WAITING_GREETINGS);
            assert_eq!(waiting.bytes, 100 * MAX_WAITING_GREETINGS);
            let expected: Vec<_> = kept.map(|number| vec![number; 100]).collect();
            assert_eq!(greetings(&mut waiting), expected);
            assert_eq!(waiting.bytes, 0);
        }
    }
}
