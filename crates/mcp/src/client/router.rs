//! From the messages of an upstream server to whoever waits for them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{mpsc, oneshot};
use toolmesh_json::{Value, View};

use super::{
    calling::{Asked, Calling, GiveUp, Note, Progress},
    error::ClientError,
    limits::NOTE_QUEUE,
    message,
    read::question,
};
use crate::jsonrpc::{Message, Notification, Request, RequestId, Response};

/// The code by which a request of the server is refused that this client does not know.
const METHOD_NOT_FOUND: i32 = -32601;
/// The code by which a request of the server is refused that belongs to no call.
const INTERNAL_ERROR: i32 = -32603;

/// What an upstream server says beside its answers: something is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// One of its lists.
    Lists,
    /// The contents of a resource.
    Resource(String),
}

/// Takes what goes to the server besides requests, without waiting.
pub(super) trait Outbox: Send + Sync {
    /// Sends a message; one that cannot be sent is dropped.
    fn send(&self, message: String);
}

/// Who waits for what.
pub(super) struct Router {
    waiting: Mutex<HashMap<u64, Waiting>>,
    next: AtomicU64,
    changes: mpsc::Sender<Change>,
}

struct Waiting {
    answer: oneshot::Sender<Result<Value, ClientError>>,
    notes: mpsc::Sender<Note>,
    /// Whether a question of the server may belong to it.
    interactive: bool,
}

impl Router {
    pub(super) fn new(changes: mpsc::Sender<Change>) -> Self {
        Self {
            waiting: Mutex::default(),
            next: AtomicU64::new(1),
            changes,
        }
    }

    /// The id of the next request.
    pub(super) fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits for the answer to the request `id`.
    pub(super) fn enter(&self, id: u64, interactive: bool, give_up: GiveUp) -> Calling {
        let (answer, answered) = oneshot::channel();
        let (notes, noted) = mpsc::channel(NOTE_QUEUE);
        self.waiting().insert(
            id,
            Waiting {
                answer,
                notes,
                interactive,
            },
        );
        Calling {
            answer: answered,
            notes: noted,
            give_up,
        }
    }

    /// Ends the request `id`, if it is still waited for.
    pub(super) fn end(&self, id: u64, ended: Result<Value, ClientError>) {
        let waiting = self.waiting().remove(&id);
        if let Some(waiting) = waiting {
            // A caller that went away needs no answer.
            let _ = waiting.answer.send(ended);
        }
    }

    /// Whether the answer to the request `id` is still waited for.
    pub(super) fn waits_for(&self, id: u64) -> bool {
        self.waiting().contains_key(&id)
    }

    /// Nobody waits for the answer to the request `id` any more.
    pub(super) fn forget(&self, id: u64) {
        self.waiting().remove(&id);
    }

    /// Ends every request: nothing more will come.
    pub(super) fn end_all(&self, why: &str) {
        let all: Vec<Waiting> = self.waiting().drain().map(|(_, waiting)| waiting).collect();
        for waiting in all {
            let _ = waiting.answer.send(Err(ClientError::Closed(why.to_owned())));
        }
    }

    /// Passes a message on. `stream_of` is the request on whose own stream it came, where there are such.
    pub(super) fn take(&self, message: Message, stream_of: Option<u64>, outbox: &Arc<dyn Outbox>) {
        match message {
            Message::Response(response) => self.answered(response, stream_of),
            Message::Notification(notification) => self.told(&notification),
            Message::Request(request) => self.asked(&request, stream_of, outbox),
        }
    }

    fn answered(&self, response: Response, stream_of: Option<u64>) {
        let id = match &response.id {
            Some(RequestId::Integer(number)) => number.to_u64(),
            Some(RequestId::Text(_)) => None,
            // An error without an id belongs to the one request whose stream this is.
            None => stream_of,
        };
        match id {
            Some(id) => self.end(id, response.answer.map_err(ClientError::Answered)),
            None => tracing::debug!("an upstream server answered a request that nobody made"),
        }
    }

    fn told(&self, notification: &Notification) {
        match notification.method.as_str() {
            "notifications/progress" => self.progressed(notification),
            "notifications/tools/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/prompts/list_changed" => self.changed(Change::Lists),
            "notifications/resources/updated" => {
                if let Some(uri) = notification.param("uri").and_then(View::as_str) {
                    self.changed(Change::Resource(uri.to_owned()));
                }
            }
            method => tracing::debug!(method, "an upstream server told something"),
        }
    }

    fn changed(&self, change: Change) {
        // A full queue means that the lists are looked at anyway.
        let _ = self.changes.try_send(change);
    }

    fn progressed(&self, notification: &Notification) {
        let number = |name| notification.param(name).and_then(View::as_number);
        let (Some(token), Some(done)) = (
            number("progressToken").and_then(|token| token.to_u64()),
            number("progress"),
        ) else {
            return;
        };
        let progress = Progress {
            done: done.to_f64(),
            total: number("total").map(|total| total.to_f64()),
            message: notification
                .param("message")
                .and_then(View::as_str)
                .map(str::to_owned),
        };
        if let Some(waiting) = self.waiting().get(&token) {
            let _ = waiting.notes.try_send(Note::Progress(progress));
        }
    }

    fn asked(&self, request: &Request, stream_of: Option<u64>, outbox: &Arc<dyn Outbox>) {
        if request.method == "ping" {
            return outbox.send(message::result(&request.id, Value::object().build()));
        }
        let asked = Value::object()
            .put("method", request.method.as_str())
            .put_opt("params", request.params.clone())
            .build();
        let Some(question) = question(asked.view()) else {
            return outbox.send(message::error(&request.id, METHOD_NOT_FOUND, "Method not found"));
        };
        let (id, answers) = (request.id.clone(), Arc::clone(outbox));
        let asked = Asked {
            request: question,
            answer: Box::new(move |answer| answers.send(message::result(&id, answer))),
        };
        let given = self
            .asker(stream_of)
            .is_some_and(|asker| asker.try_send(Note::Asked(asked)).is_ok());
        if !given {
            tracing::warn!(
                "an upstream server asks something, and it is not known for which of several calls"
            );
            outbox.send(message::error(
                &request.id,
                INTERNAL_ERROR,
                "The question belongs to no single call",
            ));
        }
    }

    /// The call that a question belongs to: the one whose stream it came on, else the only one that there is.
    fn asker(&self, stream_of: Option<u64>) -> Option<mpsc::Sender<Note>> {
        let waiting = self.waiting();
        if let Some(id) = stream_of {
            return waiting.get(&id).map(|waiting| waiting.notes.clone());
        }
        let mut interactive = waiting.values().filter(|waiting| waiting.interactive);
        let only = interactive.next()?;
        interactive.next().is_none().then(|| only.notes.clone())
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        client::{calling::Step, limits::CHANGE_QUEUE},
        jsonrpc::read,
    };

    #[derive(Default)]
    struct Sent(Mutex<Vec<String>>);

    impl Outbox for Sent {
        fn send(&self, message: String) {
            self.0.lock().expect("not poisoned").push(message);
        }
    }

    struct Fixture {
        router: Router,
        sent: Arc<Sent>,
        changes: mpsc::Receiver<Change>,
    }

    impl Fixture {
        fn new() -> Self {
            let (sender, changes) = mpsc::channel(CHANGE_QUEUE);
            Self {
                router: Router::new(sender),
                sent: Arc::default(),
                changes,
            }
        }

        fn take(&self, text: &str, stream_of: Option<u64>) {
            let outbox: Arc<dyn Outbox> = Arc::clone(&self.sent) as _;
            let message = read(text.as_bytes(), &toolmesh_json::Limits::default()).expect("a message");
            self.router.take(message, stream_of, &outbox);
        }

        fn enter(&self, id: u64) -> Calling {
            self.router.enter(id, true, GiveUp::new(|| {}))
        }

        fn sent(&self) -> Vec<String> {
            self.sent.0.lock().expect("not poisoned").clone()
        }
    }

    const QUESTION: &str = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object"}}}"#;

    #[tokio::test]
    async fn an_answer_goes_to_the_request_with_its_id_after_what_was_said_before() {
        let fixture = Fixture::new();
        let (mut one, two) = (fixture.enter(1), fixture.enter(2));
        fixture.take(r#"{"jsonrpc":"2.0","id":2,"result":{"a":2}}"#, None);
        fixture.take(
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":4}}"#,
            None,
        );
        fixture.take(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-7,"message":"no"}}"#,
            None,
        );
        assert!(matches!(
            one.next().await,
            Step::Note(Note::Progress(Progress {
                done: 1.0,
                total: Some(4.0),
                message: None
            }))
        ));
        assert!(
            matches!(one.next().await, Step::Ended(Err(ClientError::Answered(error))) if error.code == -7)
        );
        assert_eq!(two.end().await.expect("an answer").to_text(), r#"{"a":2}"#);
    }

    #[tokio::test]
    async fn a_question_belongs_to_its_stream_or_to_the_only_call() {
        let fixture = Fixture::new();
        let mut one = fixture.enter(1);
        fixture.take(QUESTION, None);
        let Step::Note(Note::Asked(asked)) = one.next().await else {
            panic!("a question");
        };
        asked.cancel();
        assert_eq!(
            fixture.sent(),
            [r#"{"jsonrpc":"2.0","id":"q","result":{"action":"cancel"}}"#]
        );
        let mut two = fixture.enter(2);
        fixture.take(QUESTION, Some(2));
        assert!(matches!(two.next().await, Step::Note(Note::Asked(_))));
        fixture.take(QUESTION, None);
        assert!(fixture.sent().last().expect("an answer").contains("-32603"));
    }

    #[tokio::test]
    async fn a_ping_is_answered_and_what_is_not_known_is_refused() {
        let mut fixture = Fixture::new();
        fixture.take(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, None);
        fixture.take(r#"{"jsonrpc":"2.0","id":2,"method":"other/thing"}"#, None);
        insta::assert_snapshot!(fixture.sent().join("\n"), @r#"
        {"jsonrpc":"2.0","id":1,"result":{}}
        {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}
        "#);
        fixture.take(
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            None,
        );
        assert_eq!(fixture.changes.recv().await, Some(Change::Lists));
    }

    #[tokio::test]
    async fn the_end_of_the_connection_ends_every_request() {
        let fixture = Fixture::new();
        let one = fixture.enter(1);
        fixture.router.end_all("");
        assert!(matches!(one.end().await, Err(ClientError::Closed(_))));
    }
}
