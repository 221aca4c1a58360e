//! Asking the client while its call runs, in the revisions that have requests of the server.

use std::{sync::Arc, time::Duration};

use futures_util::future::try_join_all;
use toolmesh_json::Value;
use toolmesh_tool::{InputRequest, InputRequired};

use super::{
    changes::note, exchange::Exchange, fault::Fault, outgoing::is_readable, peer::Peer, telling::Notes,
};
use crate::{
    revision::{Asking, Failure},
    wire::{ObjectWriter, write_request_members},
};

/// How long a person has to answer a question: 10 minutes. Then the call ends.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(600);

impl Exchange {
    /// Whether the client is asked in-line; otherwise by a result.
    pub(super) fn asks_in_line(&self) -> bool {
        self.revision.projection.asking == Asking::InLine
    }

    /// Asks everything at once and gives the answers as one object, by the keys of the requests.
    ///
    /// # Errors
    /// [`Failure::InputUnavailable`] when the client cannot be asked, refuses to answer, or does not answer in time;
    /// [`Failure::UnusableOutput`] when a question is more than may leave.
    pub(super) async fn ask(&self, input: &InputRequired) -> Result<Value, Fault> {
        let (peer, notes) = match (&self.peer, &self.notes) {
            (Some(peer), Some(notes)) if self.can_ask(input) => (peer, notes),
            _ => return Err(Failure::InputUnavailable.into()),
        };
        let requests = input.requests.iter();
        let questions = requests.map(|(key, request)| async move {
            let answer = self.ask_one(peer, notes, request).await?;
            Ok::<_, Failure>((key.as_str(), answer))
        });
        let answers = tokio::select! {
            biased;
            () = self.cancellation.cancelled() => return Err(Failure::Cancelled.into()),
            answers = try_join_all(questions) => answers?,
        };
        let mut object = Value::object();
        answers
            .into_iter()
            .for_each(|(key, answer)| object.insert(key, answer));
        Ok(object.build())
    }

    /// Whether the client declared what it takes to answer, and the revision can express the question.
    fn can_ask(&self, input: &InputRequired) -> bool {
        input.requests.values().all(|request| {
            let page = matches!(request, InputRequest::ElicitationUrl { .. });
            self.facts.capabilities.has(&request.capability())
                && (!page || self.revision.projection.elicitation_modes)
        })
    }

    async fn ask_one(
        &self,
        peer: &Arc<Peer>,
        notes: &Notes,
        request: &InputRequest,
    ) -> Result<Value, Failure> {
        let mut question = peer.question()?;
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        object.text("jsonrpc", "2.0");
        object.integer("id", question.id);
        write_request_members(&mut object, request, &self.revision.projection);
        object.close();
        if !is_readable(&out, &self.server.limits().answer) {
            return Err(Failure::UnusableOutput);
        }
        let asked = notes.send(out).await;
        asked.map_err(|_| Failure::InputUnavailable)?;
        match tokio::time::timeout(ANSWER_TIME, question.answered()).await {
            Ok(Some(Ok(answer))) => Ok(answer),
            Ok(Some(Err(error))) => {
                tracing::debug!(
                    code = error.code,
                    message = error.message,
                    more = error.data.is_some(),
                    "the client answered a question with an error"
                );
                Err(Failure::InputUnavailable)
            }
            Ok(None) => Err(Failure::InputUnavailable),
            Err(_) => {
                // Whether the client still hears this is its own affair.
                let _ = notes.try_send(taken_back(question.id));
                Err(Failure::InputUnavailable)
            }
        }
    }
}

/// Tells the client that its answer is not waited for any more.
fn taken_back(id: u64) -> Vec<u8> {
    note("notifications/cancelled", |params| {
        params.integer("requestId", id);
        params.text("reason", "No answer came in time");
    })
}
