//! One request on its way to its answer, the same for every transport.

use std::{borrow::Cow, sync::Arc, time::SystemTime};

use toolmesh_tool::{
    Caller, CancellationToken, FrontInfo,
    dispatcher::{Operation, VisibleCatalogue},
};

use super::{
    McpServer,
    client_facts::ClientFacts,
    fault::{Fault, Reply},
    http::ParameterHeaders,
    method,
    peer::Peer,
    progress::ProgressSink,
    telling::Notes,
};
use crate::{
    jsonrpc::Request,
    revision::{Failure, Method, Revision},
    wire::{Cache, Inexpressible, ObjectWriter, ResultType, result},
};

/// A request with everything that its transport found out.
pub(crate) struct Exchange {
    pub(super) server: McpServer,
    pub(super) revision: &'static Revision,
    pub(super) request: Request,
    pub(super) facts: Arc<ClientFacts>,
    pub(super) caller: Caller,
    pub(super) cancellation: CancellationToken,
    /// Fires when the server ends what would go on for ever, where the transport has such things.
    pub(super) closing: Option<CancellationToken>,
    /// When what would go on for ever ends, where the caller is known for so long alone.
    pub(super) until: Option<SystemTime>,
    /// Where messages before the answer go, where the transport can carry them.
    pub(super) notes: Option<Notes>,
    /// Where progress goes, when the client asked for it.
    pub(super) progress: Option<ProgressSink>,
    /// What is kept of a client that shook hands.
    pub(super) peer: Option<Arc<Peer>>,
    /// Fires when a handler lets the connection go; only where the client can come back.
    pub(super) released: Option<CancellationToken>,
    /// The headers that mirror arguments, where the transport has headers.
    pub(super) parameters: Option<ParameterHeaders>,
    /// The headers of the trace that the request belongs to, where the transport has headers.
    pub(super) trace: Vec<(String, String)>,
    /// The answer was found to be within the limits of what may leave.
    pub(super) is_looked_at: bool,
}

impl Exchange {
    /// A request of which the transport knows nothing more. It is boxed, since it goes from hand to hand and every future
    /// on the way would keep a copy's room for it.
    pub(crate) fn new(
        server: McpServer,
        revision: &'static Revision,
        request: Request,
        facts: Arc<ClientFacts>,
        caller: Caller,
    ) -> Box<Self> {
        Box::new(Self {
            server,
            revision,
            request,
            facts,
            caller,
            cancellation: CancellationToken::new(),
            closing: None,
            until: None,
            notes: None,
            progress: None,
            peer: None,
            released: None,
            parameters: None,
            trace: Vec::new(),
            is_looked_at: false,
        })
    }

    /// Sends progress, and whatever else there is to tell, to `notes`.
    pub(crate) fn tells(&mut self, notes: &Notes) {
        let limits = self.server.limits().answer;
        self.progress = ProgressSink::of(&self.request, notes, limits);
        self.notes = Some(notes.clone());
    }

    /// The answer. Dropping the future gives the operation up.
    pub(crate) async fn answer(mut self: Box<Self>) -> Reply {
        match self.run().await {
            Ok(body) if self.is_looked_at || self.lets_out(&body) => Reply::result(body),
            Ok(_) => self.failed(Failure::UnusableOutput.into()),
            Err(fault) => self.failed(fault),
        }
    }

    async fn run(&mut self) -> Result<Vec<u8>, Fault> {
        let method = self
            .revision
            .method(&self.request.method)
            .ok_or(Failure::UnknownMethod)?;
        // Calls are what is asked most. The future of an exchange is as large as the largest of these, and is moved for each
        // request: the others are apart.
        match method {
            Method::Initialize => method::lifecycle::initialize(self),
            Method::Ping => method::lifecycle::ping(self),
            Method::Discover => method::lifecycle::discover(self),
            Method::ListTools => Box::pin(method::tools::list(self)).await,
            Method::CallTool => method::tools::call(self).await,
            Method::ListResources => Box::pin(method::resources::list(self)).await,
            Method::ListResourceTemplates => Box::pin(method::resources::list_templates(self)).await,
            Method::ReadResource => Box::pin(method::resources::read(self)).await,
            Method::ListPrompts => Box::pin(method::prompts::list(self)).await,
            Method::GetPrompt => Box::pin(method::prompts::get(self)).await,
            Method::Complete => Box::pin(method::completion::complete(self)).await,
            Method::SetLevel => method::logging::set_level(self),
            Method::Subscribe => method::watching::subscribe(self).await,
            Method::Unsubscribe => method::watching::unsubscribe(self),
            Method::Listen => Box::pin(method::subscriptions::listen(self)).await,
            Method::GetTask => Box::pin(method::tasks::get(self)).await,
            Method::UpdateTask => Box::pin(method::tasks::update(self)).await,
            Method::CancelTask => Box::pin(method::tasks::cancel(self)).await,
        }
    }

    fn failed(&self, fault: Fault) -> Reply {
        fault.reply(self.revision, Some(&self.request.id))
    }

    /// Writes a complete result whose members `fill` writes.
    pub(super) fn complete(
        &self,
        cache: Cache,
        fill: impl FnOnce(&mut ObjectWriter<'_>) -> Result<(), Inexpressible>,
    ) -> Result<Vec<u8>, Fault> {
        self.result((ResultType::Complete, cache), None, fill)
    }

    /// Writes a result whose members `fill` writes, with the operation's own `_meta`.
    pub(super) fn result(
        &self,
        kind: (ResultType, Cache),
        meta: Option<&toolmesh_json::Value>,
        fill: impl FnOnce(&mut ObjectWriter<'_>) -> Result<(), Inexpressible>,
    ) -> Result<Vec<u8>, Fault> {
        let described = self.server.described(self.revision.projection.server);
        Ok(result(
            self.revision,
            &self.request.id,
            kind,
            described,
            meta,
            fill,
        )?)
    }

    /// What the caller may see in a list; a cursor of the wrong kind is told before anybody is asked.
    ///
    /// # Errors
    /// [`Failure::InvalidParams`], and what refuses the caller.
    pub(super) async fn listed(
        &self,
        method: Method,
        operation: Operation<'_>,
    ) -> Result<VisibleCatalogue, Fault> {
        let cursor = self.request.param("cursor");
        if cursor.is_some_and(|cursor| cursor.as_str().is_none()) {
            return Err(Failure::InvalidParams.into());
        }
        let version = Some(self.revision.version);
        let listed = self
            .server
            .dispatcher()
            .list(&self.caller, operation, version)
            .await;
        listed.map_err(|error| Fault::of_call(&error, method))
    }

    /// What the caller may see, for what is needed beside a list or a call.
    pub(super) fn catalogue(&self) -> VisibleCatalogue {
        let visible = self.server.dispatcher().visible_catalogue(&self.caller);
        visible.revision(Some(self.revision.version))
    }

    /// What a handler may know of the request.
    pub(super) fn front(&self) -> FrontInfo {
        FrontInfo {
            method: match self.revision.spelled(&self.request.method) {
                Some(method) => Cow::Borrowed(method),
                None => Cow::Owned(self.request.method.clone()),
            },
            request_id: Some(self.request.id.to_value()),
            revision: Some(Cow::Borrowed(self.revision.version)),
            client_name: self.facts.name.clone(),
            client_version: self.facts.version.clone(),
            capabilities: self.facts.capabilities.clone(),
            meta: self.request.meta.clone(),
            session: self.peer.as_ref().map(|peer| peer.number()),
        }
    }

    /// Member `name` of the params as text.
    pub(super) fn text_param(&self, name: &str) -> Result<&str, Failure> {
        self.request
            .param(name)
            .and_then(|value| value.as_str())
            .ok_or(Failure::InvalidParams)
    }
}
