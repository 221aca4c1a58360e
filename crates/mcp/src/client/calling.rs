//! A request that is under way at an upstream server.

use std::collections::BTreeSet;

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
    /// It will tell of these resources (`subscriptions/listen`, 2026-07-28).
    Acknowledged(BTreeSet<String>),
}

/// How far a request is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Progress {
    pub(super) done: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

/// A question of a server. It is answered once: whoever drops it refuses, so that no server waits in vain.
pub(super) struct Asked {
    request: InputRequest,
    reply: Option<Box<dyn FnOnce(Reply) + Send>>,
}

/// What a server gets for its question.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// The answer.
    Answer(Value),
    /// Nobody can be asked that.
    Refused,
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
            if let Step::Ended(ended) = self.next().await {
                return ended;
            }
        }
    }
}

impl Asked {
    /// A question whose reply goes to `reply`.
    pub(super) fn new(request: InputRequest, reply: impl FnOnce(Reply) + Send + 'static) -> Self {
        Self {
            request,
            reply: Some(Box::new(reply)),
        }
    }

    pub(super) fn request(&self) -> &InputRequest {
        &self.request
    }

    pub(super) fn answer(mut self, answer: Value) {
        if let Some(reply) = self.reply.take() {
            reply(Reply::Answer(answer));
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let Some(reply) = self.reply.take() else {
            return;
        };
        reply(match self.request {
            // As if somebody had closed the form: a server goes on from there.
            InputRequest::Elicitation { .. } | InputRequest::ElicitationUrl { .. } => {
                Reply::Answer(Value::object().put("action", "cancel").build())
            }
            _ => Reply::Refused,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn reply_to(request: InputRequest, use_it: impl FnOnce(Asked)) -> Option<Reply> {
        let got = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&got);
        use_it(Asked::new(request, move |reply| {
            *kept.lock().expect("not poisoned") = Some(reply)
        }));
        got.lock().expect("not poisoned").take()
    }

    #[test]
    fn a_question_that_nobody_answers_is_refused_in_its_own_way() {
        let page = InputRequest::ElicitationUrl {
            message: "m".into(),
            url: "https://h/".into(),
            elicitation_id: "e".into(),
        };
        let cancelled = Value::object().put("action", "cancel").build();
        assert_eq!(reply_to(page, drop), Some(Reply::Answer(cancelled)));
        assert_eq!(reply_to(InputRequest::Roots, drop), Some(Reply::Refused));
        let sampling = InputRequest::Sampling(Value::null());
        assert_eq!(reply_to(sampling, drop), Some(Reply::Refused));
        let answered = reply_to(InputRequest::Roots, |asked| asked.answer(Value::from(1)));
        assert_eq!(answered, Some(Reply::Answer(Value::from(1))));
    }
}
