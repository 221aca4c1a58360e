//! Reading the resources of an upstream server, getting its prompts, and completing the arguments of both.

use std::sync::Arc;

use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CompletionValues, Following, IndexMap, PromptHandler, PromptOutput,
    ResourceContents, ResourceReader, Round,
};

use super::{
    error::ClientError,
    link::{Asks, Outgoing},
    read::{completions, contents, prompt_output},
    shared::Shared,
};

/// Reads resources of the server, by their URIs.
pub(super) struct Reader {
    pub(super) shared: Arc<Shared>,
    /// The template that they are made by, as the server wrote it; empty for those that have none.
    pub(super) template: String,
}

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
            let uri = self.shared.prefixed.original(uri);
            let params = Value::object().put("uri", uri.as_str());
            let mut request = Outgoing::new("resources/read", params);
            request.name = Some(uri);
            request.asks = Asks::Seldom;
            let read = |result: &Value| contents(result, &self.shared.prefixed);
            self.shared.round(request, &context, read).await
        })
    }

    fn suggest<'a>(
        &'a self,
        context: CallContext,
        variable: &'a str,
        typed: &'a str,
        settled: &'a IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<CompletionValues, CallError>> {
        let reference = Value::object()
            .put("type", "ref/resource")
            .put("uri", self.template.as_str());
        Box::pin(complete(
            &self.shared,
            context,
            reference,
            (variable, typed),
            settled,
        ))
    }

    fn follow<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Result<Following, CallError>> {
        Box::pin(async move {
            let uri = self.shared.prefixed.original(uri);
            let follower = self.shared.changes.follow(&uri).await?;
            Ok(Following::new(follower))
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
            request.asks = Asks::Seldom;
            let read = |result: &Value| prompt_output(result, &self.shared.prefixed);
            self.shared.round(request, &context, read).await
        })
    }

    fn suggest<'a>(
        &'a self,
        context: CallContext,
        argument: &'a str,
        typed: &'a str,
        settled: &'a IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<CompletionValues, CallError>> {
        let reference = Value::object()
            .put("type", "ref/prompt")
            .put("name", self.name.as_str());
        Box::pin(complete(
            &self.shared,
            context,
            reference,
            (argument, typed),
            settled,
        ))
    }
}

/// Asks the server for values of an argument; a server that completes nothing has none.
async fn complete(
    shared: &Shared,
    context: CallContext,
    reference: ObjectBuilder,
    (argument, typed): (&str, &str),
    settled: &IndexMap<String, String>,
) -> Result<CompletionValues, CallError> {
    let asking = async {
        let peer = shared.peer()?;
        if !peer.agreed().completes {
            return Ok(CompletionValues::default());
        }
        let known = settled.iter().map(|(name, value)| (name.clone(), value.clone()));
        let known = (!settled.is_empty()).then(|| known.collect::<ObjectBuilder>());
        let params = Value::object()
            .put("ref", reference)
            .put(
                "argument",
                Value::object().put("name", argument).put("value", typed),
            )
            .put_opt(
                "context",
                known.map(|known| Value::object().put("arguments", known)),
            );
        let request = Outgoing::new("completion/complete", params);
        completions(&peer.begin(request, &context).await?.end().await?)
    };
    asking.await.map_err(ClientError::into_call_error)
}

/// The end of a round for somebody who cannot be asked.
fn finished<T>(round: Round<T>) -> Result<T, CallError> {
    round.done().ok_or(CallError::InputUnavailable)
}
