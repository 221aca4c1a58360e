//! Reading a resource: the steps of a call that apply to it.

use std::sync::Arc;

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;
use tracing::Instrument;

use super::{Operation, Shared, guard::guard, observe, observe::Asked};
use crate::{
    CallContext, CallError, Caller, Catalogue, FrontInfo, Link, ResourceContents, ResourceReader, Round,
    toolbox::Sight as _,
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
    /// Headers that came with the question (trace context), names in lower case.
    pub headers: Vec<(String, String)>,
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
            headers: Vec::new(),
        }
    }
}

/// What the catalogue has for a URI.
struct Found {
    reader: Arc<dyn ResourceReader>,
    /// The variables that a template found in it.
    variables: IndexMap<String, String>,
    /// The URI of the resource, or the template; not what the variables are.
    target: String,
}

impl Shared {
    pub(super) async fn read_resource(
        &self,
        request: ReadRequest,
    ) -> Result<Round<Vec<ResourceContents>>, CallError> {
        let operation = Operation::ReadResource(&request.uri);
        let asked = Asked::now(&request.caller, operation, &request.front).with(&request.headers);
        let catalogue = self.toolbox.snapshot();
        let found = match self.admit(&request.caller, operation).await {
            Err(error) => Err(error),
            Ok(()) => self.find_resource(&catalogue, &request),
        };
        let Found {
            reader,
            variables,
            target,
        } = match found {
            Ok(found) => found,
            Err(error) => {
                self.refused(&asked, &error);
                return Err(error);
            }
        };
        let watch = self.observe(&asked, &target);
        watch.admitted();
        let span = asked.span(&target);
        let contents = self
            .read(&request, reader, variables, &watch)
            .instrument(span)
            .await;
        watch.round_ended(&contents);
        contents
    }

    fn find_resource(&self, catalogue: &Arc<Catalogue>, request: &ReadRequest) -> Result<Found, CallError> {
        let eyes = self.eyes(&request.caller, request.front.revision.as_deref());
        let exact = catalogue
            .resource(&request.uri)
            .filter(|found| eyes.resource(found));
        if let Some(found) = exact {
            return Ok(Found {
                reader: Arc::clone(&found.reader),
                variables: IndexMap::new(),
                target: found.uri.clone(),
            });
        }
        catalogue
            .template(&request.uri)
            .filter(|(found, _)| eyes.template(found))
            .map(|(found, variables)| Found {
                reader: Arc::clone(&found.reader),
                variables,
                target: found.template.as_str().to_owned(),
            })
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
            .headers(request.headers.clone())
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
