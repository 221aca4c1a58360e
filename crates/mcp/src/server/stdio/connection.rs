//! The state of one stdio connection: what was negotiated, what runs, what waits, what is to be written.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use futures_util::FutureExt as _;
use tokio::{sync::mpsc, task::JoinSet};
use toolmesh_tool::{Caller, CancellationToken, Transport};

use super::output::Output;
use crate::{
    jsonrpc::{EnvelopeError, Message, Notification, Request, RequestId, read},
    lines::{Line, Lines},
    revision::{Era, Failure, Method, NEWEST_HANDSHAKE, Revision},
    server::{
        McpServer,
        changes::{Change, Changes, ListKind, list_changed, resource_updated},
        client_facts::ClientFacts,
        exchange::Exchange,
        fault::{Fault, Reply},
        peer::Peer,
        progress::PROGRESS_QUEUE,
    },
};

/// The server stops reading while calls of this many bytes wait for their turn: 16 MiB, the largest message that can
/// be allowed.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// The server stops taking lines, and what its calls have to tell, while this many bytes wait for a client that does not read:
/// 16 MiB, several of the largest answers.
const MAX_UNWRITTEN_BYTES: usize = 16 * 1024 * 1024;

/// One stdio connection.
pub(super) struct Connection {
    pub(super) server: McpServer,
    /// What is kept of a client that shook hands.
    pub(super) peer: Option<Arc<Peer>>,
    /// The calls that run in tasks of their own, by id.
    running: HashMap<RequestId, Running>,
    tasks: JoinSet<()>,
    /// Counts those calls, so that an id that is used again is another call.
    started: u64,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    answers: (mpsc::Sender<Answered>, mpsc::Receiver<Answered>),
    /// Progress of the calls; a queue of its own, always emptied before an answer is written.
    notes: (mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>),
    pub(super) changes: Option<Changes>,
    /// Fires when the input is over: what would go on for ever is answered then.
    closing: CancellationToken,
}

/// A call that runs.
struct Running {
    number: u64,
    cancellation: CancellationToken,
    /// It lasts until somebody ends it, and takes no place from others.
    lasts: bool,
}

/// A call that waits for its turn.
struct Waiting {
    exchange: Box<Exchange>,
    bytes: usize,
}

/// The answer of a call that ran in a task of its own.
pub(super) struct Answered {
    id: RequestId,
    number: u64,
    reply: Reply,
}

/// Something to be told to the client.
pub(super) enum News {
    Note(Vec<u8>),
    Answer(Answered),
    Change(Change),
    /// A task is over; its answer came before.
    TaskEnded,
}

impl Connection {
    pub(super) fn new(server: McpServer) -> Self {
        let running = server.limits().running;
        Self {
            server,
            peer: None,
            running: HashMap::new(),
            tasks: JoinSet::new(),
            started: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            answers: mpsc::channel(running),
            notes: mpsc::channel(PROGRESS_QUEUE),
            changes: None,
            closing: CancellationToken::new(),
        }
    }

    /// Whether another line may be taken: the calls that wait and the answers that are not written yet are bounded.
    pub(super) fn has_room(&self, output: &Output) -> bool {
        self.waiting.len() <= self.server.limits().waiting
            && self.waiting_bytes < MAX_WAITING_BYTES
            && may_write(output)
    }

    /// Whether nothing runs and nothing waits.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.tasks.is_empty() && self.running.is_empty()
    }

    /// Waits for something to tell. Nothing is lost when the future is dropped.
    pub(super) async fn news(&mut self) -> News {
        tokio::select! {
            biased;
            Some(note) = self.notes.1.recv() => News::Note(note),
            Some(answered) = self.answers.1.recv() => News::Answer(answered),
            Some(_) = self.tasks.join_next(), if !self.tasks.is_empty() => News::TaskEnded,
            Some(change) = changed(&mut self.changes) => News::Change(change),
            else => std::future::pending().await,
        }
    }

    /// Writes what there is to tell.
    pub(super) fn tell(&mut self, news: News, output: &mut Output) {
        match news {
            News::Note(note) => output.line(&note),
            News::Answer(answered) => self.finish(&answered, output),
            News::Change(change) => self.announce(&change, output),
            News::TaskEnded => {}
        }
    }

    /// Takes over the answers that are ready, starts what there is room for, and takes the lines that have arrived.
    pub(super) fn settle(&mut self, lines: &mut Lines, output: &mut Output) {
        while may_write(output)
            && let Ok(answered) = self.answers.1.try_recv()
        {
            self.finish(&answered, output);
        }
        while self.tasks.try_join_next().is_some() {}
        while self.has_place() && may_write(output) {
            let Some(next) = self.waiting.pop_front() else {
                break;
            };
            self.waiting_bytes -= next.bytes;
            self.start(next.exchange, output);
        }
        while self.has_room(output) {
            let Some(line) = lines.next() else { break };
            self.line(line, output);
        }
    }

    fn finish(&mut self, answered: &Answered, output: &mut Output) {
        self.write_notes(output);
        // A call that its client cancelled is not there any more, and gets no answer.
        if self
            .running
            .get(&answered.id)
            .is_some_and(|running| running.number == answered.number)
        {
            self.running.remove(&answered.id);
            output.line(&answered.reply.body);
        }
    }

    fn line(&mut self, line: Line<'_>, output: &mut Output) {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong => return self.refuse(None, Failure::Parse, output),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match read(bytes, &self.server.limits().json) {
            Ok(Message::Request(request)) => self.request(request, bytes.len(), output),
            Ok(Message::Notification(notification)) => self.notification(&notification),
            Ok(Message::Response(response)) => {
                if let Some(peer) = &self.peer {
                    peer.answer(response);
                }
            }
            Err(EnvelopeError::Json(error)) => {
                tracing::debug!(%error, "a line is not JSON");
                self.refuse(None, Failure::Parse, output);
            }
            Err(EnvelopeError::Shape(id)) => self.refuse(id.as_ref(), Failure::InvalidRequest, output),
        }
    }

    fn request(&mut self, request: Request, bytes: usize, output: &mut Output) {
        if self.is_in_flight(&request.id) {
            return self.refuse(Some(&request.id), Failure::InvalidRequest, output);
        }
        let (revision, facts) = match self.select(&request) {
            Ok(selected) => selected,
            Err((revision, fault)) => {
                return output.line(&fault.reply(revision, Some(&request.id)).body);
            }
        };
        let exchange = self.exchange(request, revision, facts);
        if lasts(&exchange) || self.has_place() {
            self.start(exchange, output);
        } else {
            self.waiting_bytes += bytes;
            self.waiting.push_back(Waiting { exchange, bytes });
        }
    }

    /// Whoever started this process.
    pub(super) fn caller() -> Caller {
        Caller::anonymous(Transport::Stdio)
    }

    fn exchange(
        &self,
        request: Request,
        revision: &'static Revision,
        facts: Arc<ClientFacts>,
    ) -> Box<Exchange> {
        let mut exchange = Exchange::new(self.server.clone(), revision, request, facts, Self::caller());
        exchange.closing = Some(self.closing.clone());
        exchange.tells(&self.notes.0);
        if revision.era == Era::Handshake {
            exchange.peer.clone_from(&self.peer);
        }
        exchange
    }

    /// Whether another call may run.
    fn has_place(&self) -> bool {
        let running = self.running.values().filter(|running| !running.lasts).count();
        running < self.server.limits().running
    }

    /// Tries a call at once; one that has to wait goes on in a task.
    fn start(&mut self, exchange: Box<Exchange>, output: &mut Output) {
        let (id, cancellation) = (exchange.request.id.clone(), exchange.cancellation.clone());
        let lasts = lasts(&exchange);
        let mut answer = Box::pin(exchange.answer());
        if let Some(reply) = answer.as_mut().now_or_never() {
            self.write_notes(output);
            return output.line(&reply.body);
        }
        self.started += 1;
        let number = self.started;
        let running = Running {
            number,
            cancellation,
            lasts,
        };
        self.running.insert(id.clone(), running);
        let sender = self.answers.0.clone();
        self.tasks.spawn(async move {
            let reply = answer.await;
            // A closed connection needs no answers.
            let _ = sender.send(Answered { id, number, reply }).await;
        });
    }

    fn notification(&mut self, notification: &Notification) {
        if notification.method == "notifications/cancelled"
            && let Some(id) = notification.param("requestId").and_then(RequestId::read)
        {
            self.cancel(&id);
        }
    }

    /// Cancels a call; it gets no answer any more (MCP, cancellation).
    fn cancel(&mut self, id: &RequestId) {
        if let Some(running) = self.running.remove(id) {
            running.cancellation.cancel();
        }
        self.waiting.retain(|waiting| waiting.exchange.request.id != *id);
        self.waiting_bytes = self.waiting.iter().map(|waiting| waiting.bytes).sum();
    }

    fn is_in_flight(&self, id: &RequestId) -> bool {
        self.running.contains_key(id)
            || self
                .waiting
                .iter()
                .any(|waiting| waiting.exchange.request.id == *id)
    }

    fn refuse(&self, id: Option<&RequestId>, failure: Failure, output: &mut Output) {
        let peer = self.peer.as_ref();
        let revision = peer.map_or(NEWEST_HANDSHAKE, |peer| peer.revision);
        output.line(&Fault::from(failure).reply(revision, id).body);
    }

    fn write_notes(&mut self, output: &mut Output) {
        while let Ok(note) = self.notes.1.try_recv() {
            output.line(&note);
        }
    }

    /// Fails every call that runs or waits.
    pub(super) fn give_up(&mut self, output: &mut Output) {
        self.write_notes(output);
        let running = self.running.drain().map(|(id, running)| {
            running.cancellation.cancel();
            id
        });
        let waiting = self.waiting.drain(..).map(|waiting| waiting.exchange.request.id);
        let failed: Vec<_> = running.chain(waiting).collect();
        self.waiting_bytes = 0;
        // What a call still did after this is nobody's answer any more.
        self.tasks.abort_all();
        for id in failed {
            self.refuse(Some(&id), Failure::Cancelled, output);
        }
    }

    /// Takes note that the client says nothing more.
    pub(super) fn close(&mut self) {
        self.closing.cancel();
        if let Some(peer) = &self.peer {
            peer.falls_silent();
        }
    }

    fn announce(&self, change: &Change, output: &mut Output) {
        let watched = |uri: &str| self.peer.as_ref().is_some_and(|peer| peer.watches(uri));
        match change {
            Change::Lists(lists) => {
                ListKind::changed(*lists).for_each(|list| output.line(&list_changed(list, |_| {})));
            }
            Change::Resource(uri) if watched(uri) => output.line(&resource_updated(uri, |_| {})),
            Change::Resource(_) => {}
            Change::Resources => {
                let watched = self.peer.as_ref().map(|peer| peer.watched()).unwrap_or_default();
                watched
                    .iter()
                    .for_each(|uri| output.line(&resource_updated(uri, |_| {})));
            }
        }
    }
}

/// Whether more may be written: a client that reads too slowly makes whoever has something to tell wait.
pub(super) fn may_write(output: &Output) -> bool {
    output.rest().len() < MAX_UNWRITTEN_BYTES
}

/// Whether a request lasts until somebody ends it.
fn lasts(exchange: &Exchange) -> bool {
    exchange.revision.method(&exchange.request.method) == Some(Method::Listen)
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.running
            .values()
            .for_each(|running| running.cancellation.cancel());
    }
}

/// The next change; never, while nobody is to be told.
async fn changed(changes: &mut Option<Changes>) -> Option<Change> {
    match changes {
        Some(changes) => changes.next().await,
        None => std::future::pending().await,
    }
}
