//! A request that is under way at an upstream server.

use tokio::sync::{mpsc, oneshot};
use toolmesh_json::Value;
use toolmesh_tool::InputRequest;

use super::error::ClientError;

/// A request that is under way. Dropping it before its end gives it up, and the server is told.
pub(super) struct Calling {
    pub(super) answer: oneshot::Receiver<Result<Value, ClientError>>,
    pub(super) notes: mpsc::Receiver<Note>,
    pub(super) give_up: GiveUp,
}

/// What a server says while it works on a request.
pub(super) enum Note {
    /// How far it is.
    Progress(Progress),
    /// It asks for something (the 2025 revisions).
    Asked(Asked),
}

/// How far a request is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Progress {
    pub(super) done: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

/// A question of a server, to be answered once.
pub(super) struct Asked {
    pub(super) request: InputRequest,
    pub(super) answer: Box<dyn FnOnce(Value) + Send>,
}

/// What comes next of a request.
pub(super) enum Step {
    Note(Note),
    Ended(Result<Value, ClientError>),
}

/// Runs its action when it is dropped before the request ended.
pub(super) struct GiveUp(Option<Box<dyn FnOnce() + Send>>);

impl GiveUp {
    pub(super) fn new(action: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(action)))
    }
}

impl Drop for GiveUp {
    fn drop(&mut self) {
        if let Some(action) = self.0.take() {
            action();
        }
    }
}

impl Calling {
    /// What comes next; everything said before the end comes before it.
    pub(super) async fn next(&mut self) -> Step {
        tokio::select! {
            biased;
            Some(note) = self.notes.recv() => Step::Note(note),
            ended = &mut self.answer => {
                self.give_up.0 = None;
                Step::Ended(ended.unwrap_or_else(|_| Err(ClientError::closed())))
            }
        }
    }

    /// The end, whatever is said before it; a question is refused by not being answered here.
    pub(super) async fn end(mut self) -> Result<Value, ClientError> {
        loop {
            match self.next().await {
                Step::Note(Note::Progress(_)) => {}
                Step::Note(Note::Asked(asked)) => asked.cancel(),
                Step::Ended(ended) => return ended,
            }
        }
    }
}

impl Asked {
    /// Answers that nobody will.
    pub(super) fn cancel(self) {
        (self.answer)(Value::object().put("action", "cancel").build());
    }
}
