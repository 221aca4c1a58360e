//! From the messages of an upstream server to whoever waits for them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use toolmesh_json::{Value, View};

use super::{
    calling::{Asked, Calling, GiveUp, Note, Progress, Reply},
    changes::Changes,
    error::ClientError,
    limits::{GIVEN_UP_ASKS, NOTE_QUEUE, shortened},
    link::Asks,
    message,
    read::question,
};
use crate::jsonrpc::{Message, Notification, Request, RequestId, Response};

/// The code by which a request of the server is refused that this client does not know.
const METHOD_NOT_FOUND: i32 = -32601;
/// The code by which a request of the server is refused that belongs to no call.
const INTERNAL_ERROR: i32 = -32603;

/// The `_meta` key by which a notification says to which subscription it belongs (2026-07-28).
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// Takes what goes to the server besides requests, without waiting.
pub(super) trait Outbox: Send + Sync {
    /// Sends a message; one that cannot be sent is dropped.
    fn send(&self, message: String);
}

/// Who waits for what.
pub(super) struct Router {
    state: Mutex<State>,
    next: AtomicU64,
    changes: Arc<Changes>,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, Waiting>,
    /// Calls that were given up, for which the server may still ask something, and until when that is reckoned with.
    given_up: HashMap<u64, (Asks, Instant)>,
}

struct Waiting {
    answer: oneshot::Sender<Result<Value, ClientError>>,
    notes: mpsc::Sender<Note>,
    /// Whether a question of the server may belong to it.
    asks: Asks,
}

impl Router {
    pub(super) fn new(changes: Arc<Changes>) -> Self {
        Self {
            state: Mutex::default(),
            next: AtomicU64::new(1),
            changes,
        }
    }

    /// The id of the next request.
    pub(super) fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits for the answer to the request `id`.
    pub(super) fn enter(&self, id: u64, asks: Asks, give_up: GiveUp) -> Calling {
        let (answer, answered) = oneshot::channel();
        let (notes, noted) = mpsc::channel(NOTE_QUEUE);
        let waiting = Waiting { answer, notes, asks };
        self.state().waiting.insert(id, waiting);
        Calling {
            answer: answered,
            notes: noted,
            give_up,
        }
    }

    /// Ends the request `id`, if it is still waited for.
    pub(super) fn end(&self, id: u64, ended: Result<Value, ClientError>) {
        let waiting = {
            let mut state = self.state();
            state.given_up.remove(&id);
            state.waiting.remove(&id)
        };
        if let Some(waiting) = waiting {
            // A caller that went away needs no answer.
            let _ = waiting.answer.send(ended);
        }
    }

    /// Whether the answer to the request `id` is still waited for.
    pub(super) fn waits_for(&self, id: u64) -> bool {
        self.state().waiting.contains_key(&id)
    }

    /// Nobody waits for the answer to the request `id` any more.
    pub(super) fn forget(&self, id: u64) {
        let mut state = self.state();
        let asks = state.waiting.remove(&id).map(|waiting| waiting.asks);
        if let Some(asks) = asks.filter(|asks| *asks != Asks::Never) {
            let now = Instant::now();
            state.given_up.retain(|_, (_, until)| *until > now);
            state.given_up.insert(id, (asks, now + GIVEN_UP_ASKS));
        }
    }

    /// Ends every request: nothing more will come.
    pub(super) fn end_all(&self, why: &str) {
        let all: Vec<Waiting> = self.state().waiting.drain().map(|(_, waiting)| waiting).collect();
        for waiting in all {
            let _ = waiting.answer.send(Err(ClientError::Closed(why.to_owned())));
        }
    }

    /// Passes a message on. `stream_of` is the request on whose own stream it came, where there are such.
    pub(super) fn take(&self, message: Message, stream_of: Option<u64>, outbox: &Arc<dyn Outbox>) {
        match message {
            Message::Response(response) => self.answered(response, stream_of),
            Message::Notification(notification) => self.told(&notification, stream_of),
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

    fn told(&self, notification: &Notification, stream_of: Option<u64>) {
        match notification.method.as_str() {
            "notifications/progress" => self.progressed(notification),
            "notifications/tools/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/prompts/list_changed" => self.changes.list_changed(),
            "notifications/resources/updated" => {
                if let Some(uri) = notification.param("uri").and_then(View::as_str) {
                    self.changes.updated(uri);
                }
            }
            "notifications/subscriptions/acknowledged" => self.acknowledged(notification, stream_of),
            method => tracing::debug!(method = shortened(method), "an upstream server told something"),
        }
    }

    /// Tells whoever waits for a subscription what the server will tell of.
    fn acknowledged(&self, notification: &Notification, stream_of: Option<u64>) {
        let tag = notification
            .param("_meta")
            .and_then(|meta| meta.get(SUBSCRIPTION_KEY));
        let id = tag.and_then(View::as_u64).or(stream_of);
        let honoured = notification
            .param("notifications")
            .and_then(|honoured| honoured.get("resourceSubscriptions"))
            .and_then(View::as_array);
        let honoured = honoured.into_iter().flat_map(|uris| uris.iter());
        let honoured = honoured
            .filter_map(|uri| uri.as_str().map(str::to_owned))
            .collect();
        if let Some(notes) = id.and_then(|id| self.notes_of(id)) {
            let _ = notes.try_send(Note::Acknowledged(honoured));
        }
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
        if let Some(notes) = self.notes_of(token) {
            let _ = notes.try_send(Note::Progress(progress));
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
        let Some(asker) = self.asker(stream_of) else {
            tracing::debug!("an upstream server asks something that belongs to no single call");
            let text = "The question belongs to no single call";
            return outbox.send(message::error(&request.id, INTERNAL_ERROR, text));
        };
        let (id, answers) = (request.id.clone(), Arc::clone(outbox));
        let asked = Asked::new(question, move |reply| {
            answers.send(match reply {
                Reply::Answer(answer) => message::result(&id, answer),
                Reply::Refused => message::error(&id, METHOD_NOT_FOUND, "The caller cannot be asked this"),
            });
        });
        // One that finds no room is refused by being dropped.
        drop(asker.try_send(Note::Asked(asked)));
    }

    /// The call that a question belongs to: the one whose stream it came on, else the only one that there is. Tools ask;
    /// a prompt or a resource does so only where no tool can be meant. While it may belong to a call that was given up it is
    /// nobody's: the answer of one caller may not go into the call of another.
    fn asker(&self, stream_of: Option<u64>) -> Option<mpsc::Sender<Note>> {
        if let Some(id) = stream_of {
            return self.notes_of(id);
        }
        let state = self.state();
        let now = Instant::now();
        for asks in [Asks::Often, Asks::Seldom] {
            let mut given_up = state.given_up.values();
            if given_up.any(|(of, until)| *of == asks && *until > now) {
                return None;
            }
            let mut candidates = state.waiting.values().filter(|waiting| waiting.asks == asks);
            if let Some(only) = candidates.next() {
                return candidates.next().is_none().then(|| only.notes.clone());
            }
        }
        None
    }

    fn notes_of(&self, id: u64) -> Option<mpsc::Sender<Note>> {
        let state = self.state();
        state.waiting.get(&id).map(|waiting| waiting.notes.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{client::calling::Step, jsonrpc::read};

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
        changes: Arc<Changes>,
    }

    impl Fixture {
        fn new() -> Self {
            let changes = Changes::new();
            Self {
                router: Router::new(Arc::clone(&changes)),
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
            self.router.enter(id, Asks::Often, GiveUp::new(|| {}))
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
        drop(asked);
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

    #[tokio::test(start_paused = true)]
    async fn a_question_for_a_call_that_was_given_up_is_asked_of_nobody_else() {
        let fixture = Fixture::new();
        let given_up = |id| {
            drop(fixture.enter(id));
            fixture.router.forget(id);
        };
        let (first, mut other) = (1, fixture.enter(2));
        given_up(first);
        fixture.take(QUESTION, None);
        assert!(fixture.sent().last().expect("an answer").contains("-32603"));
        // What comes on a stream of its own is certain.
        fixture.take(QUESTION, Some(2));
        assert!(matches!(other.next().await, Step::Note(Note::Asked(_))));
        // It is over when it is answered after all, or after a while.
        fixture.take(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None);
        fixture.take(QUESTION, None);
        assert!(matches!(other.next().await, Step::Note(Note::Asked(_))));
        // What asks less than a tool does leaves the tool its question.
        for asks in [Asks::Seldom, Asks::Never] {
            fixture.router.enter(3, asks, GiveUp::new(|| {}));
            fixture.router.forget(3);
            fixture.take(QUESTION, None);
            assert!(matches!(other.next().await, Step::Note(Note::Asked(_))));
        }
        given_up(4);
        tokio::time::advance(GIVEN_UP_ASKS).await;
        fixture.take(QUESTION, None);
        assert!(matches!(other.next().await, Step::Note(Note::Asked(_))));
    }

    #[tokio::test]
    async fn a_ping_is_answered_and_what_is_not_known_is_refused() {
        let fixture = Fixture::new();
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
        fixture.changes.lists_changed().await;
    }

    #[tokio::test]
    async fn questions_for_what_a_caller_cannot_do_are_refused_and_never_left_open() {
        let fixture = Fixture::new();
        let roots = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#);
        fixture.take(&roots(1), None);
        let one = fixture.enter(1);
        for id in 0..=NOTE_QUEUE {
            fixture.take(&roots(10 + u32::try_from(id).expect("few")), None);
        }
        assert_eq!(
            fixture.sent().len(),
            2,
            "none belongs to a call, then the queue is full"
        );
        drop(one);
        assert_eq!(fixture.sent().len(), 2 + NOTE_QUEUE);
        insta::assert_snapshot!(fixture.sent()[..3].join("\n"), @r#"
        {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The question belongs to no single call"}}
        {"jsonrpc":"2.0","id":74,"error":{"code":-32601,"message":"The caller cannot be asked this"}}
        {"jsonrpc":"2.0","id":10,"error":{"code":-32601,"message":"The caller cannot be asked this"}}
        "#);
    }

    #[tokio::test]
    async fn what_nobody_asked_for_is_dropped() {
        let fixture = Fixture::new();
        let one = fixture.enter(1);
        for text in [
            r#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1.5e300,"error":{"code":-1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"first":true}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"again":true}}"#,
        ] {
            let outbox: Arc<dyn Outbox> = Arc::clone(&fixture.sent) as _;
            if let Ok(message) = read(text.as_bytes(), &toolmesh_json::Limits::default()) {
                fixture.router.take(message, None, &outbox);
            }
        }
        assert_eq!(one.end().await.expect("an answer").to_text(), r#"{"first":true}"#);
    }

    #[tokio::test]
    async fn the_end_of_the_connection_ends_every_request() {
        let fixture = Fixture::new();
        let one = fixture.enter(1);
        fixture.router.end_all("");
        assert!(matches!(one.end().await, Err(ClientError::Closed(_))));
    }
}
