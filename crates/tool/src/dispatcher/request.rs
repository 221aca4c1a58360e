//! A tool call as a front hands it in.

use std::time::Duration;

use semver::VersionReq;
use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;

use crate::{Caller, FrontInfo, FrontRefusal, Link, Tool};

/// The front's own check of the found tool, made between look-up and limiters (mirrored headers, state shape).
pub type FrontCheck = Box<dyn FnOnce(&Tool) -> Result<(), FrontRefusal> + Send>;

/// A tool call as a front hands it in.
pub struct CallRequest {
    /// Apart, so that a request, which goes from hand to hand, is moved without a copy of all this.
    pub(super) parts: Box<CallParts>,
}

/// What a request says.
pub(super) struct CallParts {
    pub(super) tool: String,
    pub(super) version: Option<VersionReq>,
    pub(super) arguments: Value,
    pub(super) caller: Caller,
    pub(super) front: FrontInfo,
    pub(super) front_check: Option<FrontCheck>,
    pub(super) timeout: Option<Duration>,
    pub(super) cancelling: Cancelling,
    pub(super) headers: Vec<(String, String)>,
    pub(super) input_responses: Option<Value>,
    pub(super) state: Option<String>,
    pub(super) idempotency_key: String,
    pub(super) link: Link,
}

/// By which token a call is cancelled.
#[derive(Default)]
pub(super) enum Cancelling {
    /// The front never cancels.
    #[default]
    Never,
    /// One that is of more than this call.
    Shared(CancellationToken),
    /// One that is of this call alone.
    Own(CancellationToken),
}

impl CallRequest {
    /// A call of `tool` (a published name or an alias) with an arguments object.
    pub fn new(tool: impl Into<String>, arguments: Value, caller: Caller) -> Self {
        let parts = CallParts {
            tool: tool.into(),
            version: None,
            arguments,
            caller,
            front: FrontInfo::default(),
            front_check: None,
            timeout: None,
            cancelling: Cancelling::Never,
            headers: Vec::new(),
            input_responses: None,
            state: None,
            idempotency_key: String::new(),
            link: Link::default(),
        };
        Self {
            parts: Box::new(parts),
        }
    }

    /// Asks for a version.
    #[must_use]
    pub fn version(mut self, requirement: VersionReq) -> Self {
        self.parts.version = Some(requirement);
        self
    }

    /// Tells what the front knows.
    #[must_use]
    pub fn front(mut self, front: FrontInfo) -> Self {
        self.parts.front = front;
        self
    }

    /// Adds the front's own check of the found tool.
    #[must_use]
    pub fn front_check(mut self, check: FrontCheck) -> Self {
        self.parts.front_check = Some(check);
        self
    }

    /// Asks for an earlier deadline than the dispatcher's.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// Hands in the token by which the front cancels the call.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.parts.cancelling = Cancelling::Shared(token);
        self
    }

    /// As [`Self::cancellation`], with a token that the front made for this one call: none is made beside it, so it fires
    /// also when the call's time is over.
    #[must_use]
    pub fn own_cancellation(mut self, token: CancellationToken) -> Self {
        self.parts.cancelling = Cancelling::Own(token);
        self
    }

    /// Hands on headers, names in lower case.
    #[must_use]
    pub fn headers(mut self, headers: Vec<(String, String)>) -> Self {
        self.parts.headers = headers;
        self
    }

    /// Hands on the client's answers to an earlier request for input, an object by key.
    #[must_use]
    pub fn input_responses(mut self, responses: Value) -> Self {
        self.parts.input_responses = Some(responses);
        self
    }

    /// Hands on the state of an earlier request for input, exactly as it went out; it is verified as the tool's
    /// [`crate::RequestStateMode`] says. A sealed state is refused in the answer to the very request that it was
    /// given to ([`FrontInfo::request_id`]): a front that asks in-line gives each round an id of its own, or none.
    #[must_use]
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.parts.state = Some(state.into());
        self
    }

    /// Gives the handler a way back to the client.
    #[must_use]
    pub fn link(mut self, link: impl Into<Link>) -> Self {
        self.parts.link = link.into();
        self
    }

    /// Marks retries of one logical call as the same.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.parts.idempotency_key = key.into();
        self
    }
}

impl CallParts {
    /// A token of the call's own, which fires with the front's; what ends this call ends no other of the front.
    pub(super) fn token(&self) -> CancellationToken {
        match &self.cancelling {
            Cancelling::Never => CancellationToken::new(),
            Cancelling::Shared(front) => front.child_token(),
            Cancelling::Own(token) => token.clone(),
        }
    }
}

impl std::fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallRequest")
            .field("tool", &self.parts.tool)
            .field("caller", &self.parts.caller)
            .finish_non_exhaustive()
    }
}
