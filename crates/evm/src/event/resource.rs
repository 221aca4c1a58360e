//! Events as resources: `events://transfer{?from_block,to_block,limit,cursor,after,from,to}`.

use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_json::Value;
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, HandlerError, ResourceBody, ResourceContents, ResourceReader,
    ToolResult,
};

use super::EventQuestion;
use super::ask::ask;
use super::live::Live;
use crate::chain::ChainError;
use crate::model::Event;

/// Reads the resource of one event.
pub(crate) struct EventResource {
    pub(crate) event: Arc<Event>,
    /// `events://transfer`, without the source's prefix.
    pub(crate) uri: String,
    /// `None` where there is no contract.
    pub(crate) live: Option<Arc<Live>>,
}

impl EventResource {
    async fn answer(
        &self,
        context: &CallContext,
        uri: &str,
        variables: &IndexMap<String, String>,
    ) -> Result<Value, CallError> {
        let live = self.live.as_ref().ok_or_else(unbound)?;
        let question = EventQuestion::from_variables(&self.event, variables).map_err(|error| {
            CallError::InvalidArguments(Box::new(ToolResult::error_text(error.to_string())))
        })?;
        if let Some(after) = &question.after {
            return live.since(&question, after).await.map_err(failed);
        }
        let own = match uri.split_once('?') {
            Some((_, query)) => format!("{}?{query}", self.uri),
            None => self.uri.clone(),
        };
        // The cursor is taken first: what comes between the two is told twice, and never not at all.
        let after = live.noted(own, question.filter.clone()).await.map_err(failed)?;
        let chain = live.chain().as_ref();
        let found = ask(chain, live.contract(), live.events(), &question, context).await;
        Ok(found.map_err(failed)?.put("after", after).build())
    }
}

impl ResourceReader for EventResource {
    fn read<'a>(
        &'a self,
        context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async move {
            let answer = self.answer(&context, uri, &variables).await?;
            Ok(vec![ResourceContents {
                uri: uri.to_owned(),
                mime_type: Some("application/json".to_owned()),
                body: ResourceBody::Text(answer.to_text()),
                meta: None,
            }])
        })
    }
}

fn unbound() -> CallError {
    HandlerError::new("this interface is not bound to a contract, so it has no events").into()
}

fn failed(error: ChainError) -> CallError {
    HandlerError::from_error(error).into()
}
