//! Progress of a running call, told to the client that asked for it.

use std::io::Write as _;

use tokio::sync::mpsc;
use toolmesh_json::{Limits, View};
use toolmesh_tool::ToolEvent;

use super::{changes::note, exchange::Exchange, outgoing::is_readable};
use crate::jsonrpc::{Request, RequestId};

/// The member of `_meta` by which a client asks for progress.
pub(crate) const PROGRESS_TOKEN: &str = "progressToken";

/// Most notifications of one connection or stream that wait to be written; then the reporting handler waits.
pub(crate) const PROGRESS_QUEUE: usize = 64;

/// The total of every progress: percent.
const TOTAL: u64 = 100;

/// How far a report without a percentage counts, so that progress always increases as the protocol wants it.
const UNMEASURED_STEP: f64 = 0.01;

/// Where the progress of one call goes.
pub(crate) struct ProgressSink {
    token: RequestId,
    last: Option<f64>,
    sender: mpsc::Sender<Vec<u8>>,
    limits: Limits,
}

impl ProgressSink {
    /// The sink for `request`, when it carries a progress token; a token is what an id is, a string or an integer.
    /// What it sends can be read within `limits`.
    pub(crate) fn of(request: &Request, sender: &mpsc::Sender<Vec<u8>>, limits: Limits) -> Option<Self> {
        let token = request.meta(PROGRESS_TOKEN).and_then(RequestId::read)?;
        Some(Self {
            token,
            last: None,
            sender: sender.clone(),
            limits,
        })
    }

    /// Tells `event` if it is progress. Waits while the client is behind; a client that went away is told nothing.
    pub(crate) async fn tell(&mut self, event: &ToolEvent) {
        let ToolEvent::Progress { pct, message } = event else {
            return;
        };
        let Some(progress) = self.advance(*pct) else {
            return;
        };
        // A closed queue means that nobody listens any more; the call itself goes on as its revision has it.
        let _ = self
            .sender
            .send(self.notification(progress, message.as_deref()))
            .await;
    }

    fn advance(&mut self, reported: Option<f64>) -> Option<f64> {
        let progress = match (reported, self.last) {
            (Some(progress), _) => progress,
            (None, Some(last)) => last + UNMEASURED_STEP,
            (None, None) => 0.0,
        };
        if !progress.is_finite() || self.last.is_some_and(|last| progress <= last) {
            return None;
        }
        self.last = Some(progress);
        Some(progress)
    }

    /// Of a message that is too long the client is told how long it was.
    fn notification(&self, progress: f64, message: Option<&str>) -> Vec<u8> {
        let whole = self.written(progress, message);
        match message {
            Some(message) if !is_readable(&whole, &self.limits) => {
                let told = format!("A message of {} bytes was left out.", message.len());
                self.written(progress, Some(&told))
            }
            _ => whole,
        }
    }

    fn written(&self, progress: f64, message: Option<&str>) -> Vec<u8> {
        note("notifications/progress", |params| {
            self.token.write(params.member("progressToken"));
            // Writing into a Vec cannot fail.
            let _ = write!(params.member("progress"), "{progress}");
            params.integer("total", TOTAL);
            params.text_opt("message", message);
        })
    }
}

impl Exchange {
    /// Whether the request's progress token, if there is one, is of a kind that the protocol knows.
    pub(super) fn has_sound_progress_token(&self) -> bool {
        let token: Option<View<'_>> = self.request.meta(PROGRESS_TOKEN);
        token.is_none_or(|token| RequestId::read(token).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sink() -> (ProgressSink, mpsc::Receiver<Vec<u8>>) {
        let (sender, receiver) = mpsc::channel(PROGRESS_QUEUE);
        (
            ProgressSink {
                token: RequestId::Text("t".into()),
                last: None,
                sender,
                limits: Limits::default(),
            },
            receiver,
        )
    }

    #[tokio::test]
    async fn progress_always_increases() {
        let (mut sink, mut receiver) = sink();
        for pct in [
            None,
            Some(50.0),
            Some(50.0),
            None,
            Some(10.0),
            Some(f64::NAN),
            Some(100.0),
        ] {
            sink.tell(&ToolEvent::Progress { pct, message: None }).await;
        }
        drop(sink);
        let mut told = Vec::new();
        while let Some(note) = receiver.recv().await {
            let note = toolmesh_json::parse(&note).expect("JSON");
            told.push(note.pointer("/params/progress").expect("there").to_text());
        }
        assert_eq!(told, ["0", "50", "50.01", "100"]);
    }

    #[tokio::test]
    async fn a_notification_carries_token_total_and_message() {
        let (mut sink, mut receiver) = sink();
        sink.tell(&ToolEvent::Progress {
            pct: Some(12.5),
            message: Some("half".into()),
        })
        .await;
        assert_eq!(
            String::from_utf8(receiver.recv().await.expect("told")).expect("UTF-8"),
            concat!(
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","#,
                r#""progress":12.5,"total":100,"message":"half"}}"#
            )
        );
    }
    #[tokio::test]
    async fn of_a_message_that_is_too_long_its_length_is_told() {
        let (mut sink, mut receiver) = sink();
        for (pct, length, told) in [
            (1.0, 1_048_576, "xxx"),
            (2.0, 1_048_577, "A message of 1048577 bytes was left out."),
        ] {
            let (pct, message) = (Some(pct), Some("x".repeat(length)));
            sink.tell(&ToolEvent::Progress { pct, message }).await;
            let note = String::from_utf8(receiver.recv().await.expect("told")).expect("UTF-8");
            assert!(note.contains(told), "{length}");
        }
    }
}
