//! An answer that comes as server-sent events: progress first, then the response.

use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_util::sync::DropGuard;

use super::{
    half_closed::Sending,
    keep_alive::{COMMENT, KeepAlive},
};
use crate::server::fault::Reply;

/// The events of one call.
pub(super) struct Events {
    /// What is known already and goes first.
    first: Option<Vec<u8>>,
    notes: mpsc::Receiver<Vec<u8>>,
    answer: Answer,
    keep_alive: KeepAlive,
    /// Cancels the call when the client goes away, where its revision wants that.
    cancel_on_drop: Option<DropGuard>,
}

enum Answer {
    Coming(BoxFuture<'static, Option<Reply>>),
    There(Vec<u8>),
    Sent,
}

impl Events {
    /// The events of a call that runs only while they are read: a client that goes away takes the call with it.
    pub(super) fn attached(
        first: Option<Vec<u8>>,
        notes: mpsc::Receiver<Vec<u8>>,
        answer: BoxFuture<'static, Reply>,
        guard: DropGuard,
    ) -> Self {
        let answer = Answer::Coming(answer.map(Some).boxed());
        Self {
            first,
            notes,
            answer,
            keep_alive: KeepAlive::new(),
            cancel_on_drop: Some(guard),
        }
    }

    /// The events of a call that goes on to its end even when the client goes away; `place` is kept until then.
    pub(super) fn detached(
        first: Vec<u8>,
        notes: mpsc::Receiver<Vec<u8>>,
        answer: BoxFuture<'static, Reply>,
        place: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(async move {
            // A client that went away needs no answer.
            let _ = sender.send(answer.await);
            drop(place);
        });
        let answer = Answer::Coming(receiver.map(Result::ok).boxed());
        Self {
            first: Some(first),
            notes,
            answer,
            keep_alive: KeepAlive::new(),
            cancel_on_drop: None,
        }
    }

    /// The events of a call that is over: what it told, then its answer.
    pub(super) fn over(first: Vec<u8>, notes: mpsc::Receiver<Vec<u8>>, reply: Reply) -> Self {
        Self {
            first: Some(first),
            notes,
            answer: Answer::There(reply.body),
            keep_alive: KeepAlive::new(),
            cancel_on_drop: None,
        }
    }

    /// The events of a call that told nothing: its answer.
    pub(super) fn whole(reply: Reply) -> Self {
        let (_, notes) = mpsc::channel(1);
        Self {
            first: None,
            notes,
            answer: Answer::There(reply.body),
            keep_alive: KeepAlive::new(),
            cancel_on_drop: None,
        }
    }

    /// Looks whether anybody listens once the client sends no more.
    pub(super) fn watch(&mut self, sending: Sending) {
        self.keep_alive.watch(sending);
    }

    /// The next piece of the stream.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let event = self.poll_event(context);
        if event.is_ready() {
            self.keep_alive.reset();
            return event;
        }
        let due = self.keep_alive.poll_due(context);
        due.map(|()| Some(Bytes::from_static(COMMENT)))
    }

    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(event(&first)));
        }
        if let Answer::Coming(answer) = &mut self.answer
            && let Poll::Ready(reply) = answer.poll_unpin(context)
        {
            self.answer = reply.map_or(Answer::Sent, |reply| Answer::There(reply.body));
            // What was answered was not given up.
            drop(self.cancel_on_drop.take().map(DropGuard::disarm));
        }
        if matches!(self.answer, Answer::Coming(_)) {
            let note = ready!(self.notes.poll_recv(context));
            // Nobody tells anything any more: only the answer is left to wait for.
            return note.map_or(Poll::Pending, |note| Poll::Ready(Some(event(&note))));
        }
        // What was told goes before the answer. Nobody tells more now, so nothing is waited for: a task that has used up its turn
        // would be told that nothing is there.
        if let Ok(note) = self.notes.try_recv() {
            return Poll::Ready(Some(event(&note)));
        }
        match std::mem::replace(&mut self.answer, Answer::Sent) {
            Answer::There(body) => Poll::Ready(Some(event(&body))),
            _ => Poll::Ready(None),
        }
    }
}

/// One event; a message has no raw line ends, so it is one `data` line.
fn event(message: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 32);
    out.extend_from_slice(b"event: message\ndata: ");
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
    out.into()
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// More than a task may take in one turn.
    const MANY: usize = 300;

    #[tokio::test]
    async fn whatever_was_told_goes_before_the_answer_also_when_it_is_much() {
        let (sender, notes) = mpsc::channel(MANY);
        for number in 0..MANY {
            sender.try_send(number.to_string().into_bytes()).unwrap();
        }
        let reply = Reply {
            status: 200,
            body: b"answer".to_vec(),
            retry_after: None,
            is_result: true,
        };
        let mut events = Events::over(b"first".to_vec(), notes, reply);
        let told = tokio::spawn(async move {
            let mut told = Vec::new();
            while let Some(event) = poll_fn(|context| events.poll_next(context)).await {
                told.push(String::from_utf8(event.to_vec()).unwrap());
            }
            told
        });
        let numbers = (0..MANY).map(|number| number.to_string());
        let expected = std::iter::once("first".to_owned()).chain(numbers);
        let expected = expected.chain(["answer".to_owned()]);
        let expected: Vec<_> = expected
            .map(|text| format!("event: message\ndata: {text}\n\n"))
            .collect();
        assert_eq!(told.await.unwrap(), expected);
    }
}
