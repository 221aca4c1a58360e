//! Reading a resource: the steps of a call that apply to it.

use std::{sync::Arc, time::Instant};

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;

use super::{Operation, Shared, guard::guard, observe};
use crate::{
    CallContext, CallError, Caller, Catalogue, FrontInfo, Link, ResourceContents, ResourceReader, Round,
};

/// A question for a resource's contents.
#[derive(Debug)]
pub struct ReadRequest {
    /// The URI.
    pub uri: String,
    /// Who asks.
    pub caller: Caller,
    /// What the front knows.
    pub front: FrontInfo,
    /// Cancels the reading.
    pub cancellation: CancellationToken,
    /// The client's answers to an earlier round, an object by key.
    pub input_responses: Option<Value>,
    /// The state of an earlier round, exactly as it went out.
    pub state: Option<String>,
    /// The reader's way back to the client.
    pub link: Link,
}

impl ReadRequest {
    /// Reads `uri` for `caller`.
    pub fn new(uri: impl Into<String>, caller: Caller) -> Self {
        Self {
            uri: uri.into(),
            caller,
            front: FrontInfo::default(),
            cancellation: CancellationToken::new(),
            input_responses: None,
            state: None,
            link: Link::default(),
        }
    }
}

/// Who reads a URI, and the variables that a template found in it.
type Found = (Arc<dyn ResourceReader>, IndexMap<String, String>);

impl Shared {
    pub(super) async fn read_resource(
        &self,
        request: ReadRequest,
    ) -> Result<Round<Vec<ResourceContents>>, CallError> {
        let began = Instant::now();
        let operation = Operation::ReadResource(&request.uri);
        let catalogue = self.toolbox.snapshot();
        let found = match self.admit(&request.caller, operation).await {
            Err(error) => Err(error),
            Ok(()) => self.find_resource(&catalogue, &request),
        };
        let (reader, variables) = match found {
            Ok(found) => found,
            Err(error) => {
                observe::refused(self, &request.caller, operation, began, &error);
                return Err(error);
            }
        };
        let watch = self.observe(&request.caller, operation, &request.uri, began);
        watch.admitted();
        let contents = self.read(&request, reader, variables, &watch).await;
        watch.round_ended(&contents);
        contents
    }

    fn find_resource(&self, catalogue: &Arc<Catalogue>, request: &ReadRequest) -> Result<Found, CallError> {
        let see = self.visibility.as_ref();
        let revision = request.front.revision.as_deref();
        let exact = catalogue
            .resource(&request.uri)
            .filter(|found| found.info.revisions.has(revision))
            .filter(|found| see.is_none_or(|see| see.resource(&request.caller, found)));
        if let Some(found) = exact {
            return Ok((Arc::clone(&found.reader), IndexMap::new()));
        }
        catalogue
            .template(&request.uri)
            .filter(|(found, _)| found.info.revisions.has(revision))
            .filter(|(found, _)| see.is_none_or(|see| see.template(&request.caller, found)))
            .map(|(found, variables)| (Arc::clone(&found.reader), variables))
            .ok_or(CallError::NotFound("resource"))
    }

    async fn read(
        &self,
        request: &ReadRequest,
        reader: Arc<dyn ResourceReader>,
        variables: IndexMap<String, String>,
        watch: &observe::Watch,
    ) -> Result<Round<Vec<ResourceContents>>, CallError> {
        self.limit_request(&request.caller)?;
        let cancellation = request.cancellation.child_token();
        let pass = self.gate.enter(None, &cancellation).await?;
        let context = CallContext::builder(request.caller.clone())
            .cancellation(cancellation.clone())
            .deadline(Some(pass.deadline))
            .front(request.front.clone())
            .link(request.link.clone())
            .input_responses(request.input_responses.clone())
            .build();
        watch.started();
        let parameters = Value::object()
            .put("uri", request.uri.as_str())
            .put_opt("_meta", request.front.meta.clone())
            .build();
        let round = self.round(context, request.state.as_deref(), parameters, |context| {
            reader.round(context, &request.uri, variables)
        });
        let round = guard(round, pass.deadline, &cancellation).await??;
        if let Round::Done(done) = &round {
            self.output_limits.check_contents(done)?;
        }
        Ok(round)
    }
}
