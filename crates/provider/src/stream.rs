//! Calls out of a streamed reply: fragments are collected until a call is whole.

use indexmap::IndexMap;
use toolmesh_json::View;

use crate::call::{CallFault, FailedCall, RawArguments, RawCall};
use crate::spec::ToolCallSpec;
use crate::toolset::Toolset;
use crate::{Provider, anthropic, gemini, mcp, openai, responses};

/// Bytes of arguments that one streamed call may have: as many as a whole request body of ours.
pub const MAX_ARGUMENT_BYTES: usize = 4 * 1024 * 1024;

/// Calls that may be under way in one reply.
pub const MAX_OPEN_CALLS: usize = 128;

/// A call out of a stream, or why it cannot be made.
pub type StreamItem = Result<ToolCallSpec, FailedCall>;

/// Collects the calls of one streamed reply; made by [`Toolset::stream`].
///
/// Each of the provider's events (the JSON in a `data:` line) is pushed as it comes; [`CallStream::finish`] tells of calls
/// that never became whole.
#[derive(Debug)]
pub struct CallStream<'t> {
    toolset: &'t Toolset,
    collector: Collector,
}

impl<'t> CallStream<'t> {
    pub(crate) fn new(toolset: &'t Toolset) -> Self {
        Self {
            toolset,
            collector: Collector::default(),
        }
    }

    /// Takes one event and gives the calls that it made whole, in the order in which they began.
    pub fn push(&mut self, event: View<'_>) -> Vec<StreamItem> {
        let collector = &mut self.collector;
        match self.toolset.provider() {
            Provider::OpenAi => openai::stream::push(collector, event),
            Provider::OpenAiResponses => responses::stream::push(collector, event),
            Provider::Anthropic => anthropic::stream::push(collector, event),
            Provider::Gemini => gemini::stream::push(collector, event),
            Provider::Mcp => mcp::stream::push(collector, event),
        }
        self.take()
    }

    /// Ends the reply: what is still open was cut off.
    #[must_use]
    pub fn finish(mut self) -> Vec<StreamItem> {
        self.collector
            .break_off(&CallFault::Truncated("the stream ended".to_owned()));
        self.take()
    }

    fn take(&mut self) -> Vec<StreamItem> {
        let done = std::mem::take(&mut self.collector.done);
        done.into_iter()
            .map(|item| item.and_then(|raw| self.toolset.lower_raw(raw)))
            .collect()
    }
}

/// Which call of a reply a fragment belongs to: the alternative reply, and the place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(pub(crate) u64, pub(crate) u64);

/// A call of which fragments have come.
#[derive(Debug, Default)]
struct Open {
    id: Option<String>,
    name: String,
    text: String,
    too_large: bool,
}

impl Open {
    fn fault(self, fault: CallFault) -> FailedCall {
        FailedCall {
            name: self.name,
            provider_call_id: self.id,
            fault,
        }
    }
}

/// What all providers' streams have in common.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    open: IndexMap<Key, Open>,
    done: Vec<Result<RawCall, FailedCall>>,
    refused: bool,
}

impl Collector {
    /// Begins a call, or learns more of one that began: id and name come once, or again with every fragment.
    pub(crate) fn open(&mut self, key: &Key, id: Option<String>, name: Option<String>) {
        if !self.open.contains_key(key) && self.open.len() >= MAX_OPEN_CALLS {
            self.refuse(id, name);
            return;
        }
        let call = self.open.entry(*key).or_default();
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            call.id = Some(id);
        }
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            call.name = name;
        }
    }

    /// Tells once that there are too many calls.
    fn refuse(&mut self, id: Option<String>, name: Option<String>) {
        if std::mem::replace(&mut self.refused, true) {
            return;
        }
        self.done.push(Err(FailedCall {
            name: name.unwrap_or_default(),
            provider_call_id: id,
            fault: CallFault::TooLarge(format!("more than {MAX_OPEN_CALLS} calls at once")),
        }));
    }

    /// Adds a fragment of the arguments; fragments of what is no open call are of no interest here.
    pub(crate) fn append(&mut self, key: &Key, piece: &str) {
        let Some(call) = self.open.get_mut(key) else {
            return;
        };
        if call.text.len().saturating_add(piece.len()) > MAX_ARGUMENT_BYTES {
            call.too_large = true;
            call.text = String::new();
        } else if !call.too_large {
            call.text.push_str(piece);
        }
    }

    /// Sets the arguments as a whole.
    pub(crate) fn replace(&mut self, key: &Key, whole: &str) {
        if let Some(call) = self.open.get_mut(key) {
            call.text.clear();
            call.too_large = false;
        }
        self.append(key, whole);
    }

    /// The call is whole.
    pub(crate) fn complete(&mut self, key: &Key) {
        let Some(call) = self.open.shift_remove(key) else {
            return;
        };
        self.done.push(whole(call));
    }

    /// Every open call is whole.
    pub(crate) fn complete_all(&mut self) {
        for (_, call) in std::mem::take(&mut self.open) {
            self.done.push(whole(call));
        }
    }

    /// The call will not become whole.
    pub(crate) fn fail(&mut self, key: &Key, fault: CallFault) {
        if let Some(call) = self.open.shift_remove(key) {
            self.done.push(Err(call.fault(fault)));
        }
    }

    /// No open call will become whole.
    pub(crate) fn break_off(&mut self, fault: &CallFault) {
        for (_, call) in std::mem::take(&mut self.open) {
            self.done.push(Err(call.fault(fault.clone())));
        }
    }

    /// A failure that no call is known of.
    pub(crate) fn failed(&mut self, fault: CallFault) {
        self.done.push(Err(Open::default().fault(fault)));
    }

    /// Calls that came whole.
    pub(crate) fn read(
        &mut self,
        calls: Vec<View<'_>>,
        read: impl Fn(View<'_>) -> Result<RawCall, crate::ToolCallParseError>,
    ) {
        for call in calls {
            let name = call
                .get("name")
                .and_then(View::as_str)
                .unwrap_or_default()
                .to_owned();
            let id = call.get("id").and_then(View::as_str).map(str::to_owned);
            self.done.push(read(call).map_err(|fault| FailedCall {
                name,
                provider_call_id: id,
                fault: fault.into(),
            }));
        }
    }
}

fn whole(call: Open) -> Result<RawCall, FailedCall> {
    if call.too_large {
        let fault = CallFault::TooLarge(format!("more than {MAX_ARGUMENT_BYTES} bytes of arguments"));
        return Err(call.fault(fault));
    }
    Ok(RawCall {
        name: call.name,
        arguments: RawArguments::Text(call.text),
        id: call.id,
    })
}
