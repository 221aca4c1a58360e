//! What the server keeps of one client that shook hands, for as long as its session or connection lasts.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::oneshot;
use toolmesh_json::Value;
use toolmesh_tool::{Following, LogLevel};

use super::client_facts::ClientFacts;
use crate::{
    jsonrpc::{RequestId, Response, RpcError},
    revision::{Failure, Revision},
};

/// Most resources that one client watches: 256, what a subscription of the stateless revision may name too.
pub(crate) const MAX_WATCHED: usize = 256;

/// Most questions to one client that are open at once: 256, far more than people answer.
pub(crate) const MAX_QUESTIONS: usize = 256;

/// From which level on a client is told log messages that did not say so itself: what happened as expected, and worse.
const USUAL_LEVEL: LogLevel = LogLevel::Info;

/// How many clients shook hands with this process so far.
static PEERS: AtomicU64 = AtomicU64::new(0);

/// A client that shook hands.
#[derive(Debug)]
pub(crate) struct Peer {
    /// Which one, counted over all servers of this process.
    number: u64,
    pub(crate) revision: &'static Revision,
    pub(crate) facts: Arc<ClientFacts>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    level: LogLevel,
    watched: HashMap<String, Following>,
    last_question: u64,
    questions: HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>,
    /// Nothing can come from the client any more.
    is_silent: bool,
}

/// A question to a client that is not answered yet; dropping it takes it back.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) id: u64,
    peer: Arc<Peer>,
    answer: oneshot::Receiver<Result<Value, RpcError>>,
}

impl Peer {
    pub(crate) fn new(revision: &'static Revision, facts: Arc<ClientFacts>) -> Self {
        Self {
            number: PEERS.fetch_add(1, Ordering::Relaxed),
            revision,
            facts,
            state: Mutex::new(State {
                level: USUAL_LEVEL,
                watched: HashMap::new(),
                last_question: 0,
                questions: HashMap::new(),
                is_silent: false,
            }),
        }
    }

    /// Which client of this process it is; no other one ever has the number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the client wants log messages of this level.
    pub(crate) fn wants(&self, level: LogLevel) -> bool {
        level >= self.state().level
    }

    /// Sets from which level on the client wants log messages.
    pub(crate) fn set_level(&self, level: LogLevel) {
        self.state().level = level;
    }

    /// Watches a resource, which `following` keeps its source telling of.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`] when [`MAX_WATCHED`] others are watched.
    pub(crate) fn watch(&self, uri: &str, following: Following) -> Result<(), Failure> {
        let mut state = self.state();
        if state.watched.len() >= MAX_WATCHED && !state.watched.contains_key(uri) {
            return Err(Failure::InvalidParams);
        }
        let former = state.watched.insert(uri.to_owned(), following);
        // Dropped outside of the lock: the end of a following is its source's own affair.
        drop(state);
        drop(former);
        Ok(())
    }

    /// Watches a resource no more.
    pub(crate) fn unwatch(&self, uri: &str) {
        let former = self.state().watched.remove(uri);
        drop(former);
    }

    /// Whether the client watches a resource.
    pub(crate) fn watches(&self, uri: &str) -> bool {
        self.state().watched.contains_key(uri)
    }

    /// Every watched resource.
    pub(crate) fn watched(&self) -> Vec<String> {
        self.state().watched.keys().cloned().collect()
    }

    /// Opens a question.
    ///
    /// # Errors
    /// [`Failure::QueueFull`] when [`MAX_QUESTIONS`] are open, [`Failure::InputUnavailable`] when no answer can come any
    /// more.
    pub(crate) fn question(self: &Arc<Self>) -> Result<Question, Failure> {
        let mut state = self.state();
        if state.is_silent {
            return Err(Failure::InputUnavailable);
        }
        if state.questions.len() >= MAX_QUESTIONS {
            return Err(Failure::QueueFull);
        }
        let (sender, answer) = oneshot::channel();
        state.last_question += 1;
        let id = state.last_question;
        state.questions.insert(id, sender);
        Ok(Question {
            id,
            peer: Arc::clone(self),
            answer,
        })
    }

    /// Takes note that nothing can come from the client any more: open questions are not waited for.
    pub(crate) fn falls_silent(&self) {
        let mut state = self.state();
        state.is_silent = true;
        let open = std::mem::take(&mut state.questions);
        let watched = std::mem::take(&mut state.watched);
        drop(state);
        // Whoever asked is told by the end of its channel, and sources that nobody hears any more.
        drop((open, watched));
    }

    /// Takes an answer from the client; one to no open question is nobody's.
    pub(crate) fn answer(&self, response: Response) {
        let id = match &response.id {
            Some(RequestId::Integer(id)) => id.to_u64(),
            _ => None,
        };
        let asked = id.and_then(|id| self.state().questions.remove(&id));
        // Whoever asked may have given up in the meantime.
        let _ = asked.map(|asked| asked.send(response.answer));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing here panics while it holds the lock, and every state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question {
    /// Waits for the answer; `None` when the client is gone.
    pub(crate) async fn answered(&mut self) -> Option<Result<Value, RpcError>> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.peer.state().questions.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use toolmesh_json::Number;

    use super::*;
    use crate::revision::NEWEST_HANDSHAKE;

    fn peer() -> Arc<Peer> {
        Arc::new(Peer::new(NEWEST_HANDSHAKE, Arc::default()))
    }

    fn response(id: &str) -> Response {
        Response {
            id: Number::parse(id).ok().map(RequestId::Integer),
            answer: Ok(Value::from(id)),
        }
    }

    #[tokio::test]
    async fn an_answer_reaches_the_question_of_its_id() {
        let peer = peer();
        let (mut first, mut second) = (peer.question().unwrap(), peer.question().unwrap());
        peer.answer(response(&second.id.to_string()));
        peer.answer(response(&first.id.to_string()));
        assert_eq!(first.answered().await.unwrap().unwrap(), Value::from("1"));
        assert_eq!(second.answered().await.unwrap().unwrap(), Value::from("2"));
        // Nobody's.
        peer.answer(response("7"));
    }

    #[test]
    fn open_questions_have_a_bound() {
        let peer = peer();
        let open: Vec<_> = (0..MAX_QUESTIONS).map(|_| peer.question().unwrap()).collect();
        assert_eq!(peer.question().unwrap_err(), Failure::QueueFull);
        drop(open);
        assert!(peer.question().is_ok());
    }

    #[tokio::test]
    async fn a_client_that_fell_silent_is_not_waited_for_and_not_asked() {
        let peer = peer();
        let mut question = peer.question().unwrap();
        peer.falls_silent();
        assert!(question.answered().await.is_none());
        assert_eq!(peer.question().unwrap_err(), Failure::InputUnavailable);
    }

    #[test]
    fn watched_resources_have_a_bound() {
        let peer = peer();
        for number in 0..MAX_WATCHED {
            assert_eq!(peer.watch(&number.to_string(), Following::default()), Ok(()));
        }
        let watch = |uri| peer.watch(uri, Following::default());
        assert_eq!(watch("0"), Ok(()));
        assert_eq!(watch("more"), Err(Failure::InvalidParams));
        peer.unwatch("0");
        assert_eq!(watch("more"), Ok(()));
        assert!(peer.watches("more") && !peer.watches("0"));
    }
}
