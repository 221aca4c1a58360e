//! Reading the resources of an upstream server, and getting its prompts.

use std::sync::Arc;

use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, IndexMap, PromptHandler, PromptOutput, ResourceContents,
    ResourceReader, Round,
};

use super::{
    link::Outgoing,
    read::{contents, prompt_output},
    shared::Shared,
};

/// Reads every resource of the server, by its URI.
pub(super) struct Reader(pub(super) Arc<Shared>);

/// Gets one prompt.
pub(super) struct Prompter {
    pub(super) shared: Arc<Shared>,
    /// The name that the server knows.
    pub(super) name: String,
}

impl ResourceReader for Reader {
    fn read<'a>(
        &'a self,
        context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async move { finished(self.round(context, uri, variables).await?) })
    }

    fn round<'a>(
        &'a self,
        context: CallContext,
        uri: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Round<Vec<ResourceContents>>, CallError>> {
        Box::pin(async move {
            let uri = self.0.prefixed.original(uri);
            let params = Value::object().put("uri", uri.as_str());
            let mut request = Outgoing::new("resources/read", params);
            request.name = Some(uri);
            let read = |result: &Value| contents(result, &self.0.prefixed);
            self.0.round(request, &context, read).await
        })
    }
}

impl PromptHandler for Prompter {
    fn get<'a>(
        &'a self,
        context: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        Box::pin(async move { finished(self.round(context, arguments).await?) })
    }

    fn round<'a>(
        &'a self,
        context: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Round<PromptOutput>, CallError>> {
        Box::pin(async move {
            let arguments: ObjectBuilder = arguments.into_iter().collect();
            let params = Value::object().put("name", self.name.as_str());
            let mut request = Outgoing::new("prompts/get", params.put("arguments", arguments));
            request.name = Some(self.name.clone());
            let read = |result: &Value| prompt_output(result, &self.shared.prefixed);
            self.shared.round(request, &context, read).await
        })
    }
}

/// The end of a round for somebody who cannot be asked.
fn finished<T>(round: Round<T>) -> Result<T, CallError> {
    round.done().ok_or(CallError::InputUnavailable)
}
