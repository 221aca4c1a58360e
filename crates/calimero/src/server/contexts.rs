//! Which context a call is for.

use toolmesh_json::View;

use super::{Shared, lock};
use crate::execute::ExecuteError;
use crate::model::Application;
use crate::node::{Call, NodeError, is_id};

/// What is known of a context; it does not change while the context lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownContext {
    pub(crate) id: String,
    pub(crate) application: String,
    pub(crate) service: Option<String>,
}

impl KnownContext {
    fn of(row: View<'_>) -> Option<Self> {
        let text = |key: &str| row.get(key).and_then(View::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            application: text("applicationId")?,
            service: text("serviceName"),
        })
    }
}

impl Shared {
    /// Forgets what is known of a context that is no more.
    pub(super) fn forget_context(&self, id: &str) {
        lock(&self.contexts).remove(id);
        lock(&self.selected).forget(id);
        lock(&self.aliases).retain(|_, context| context != id);
    }

    /// A context of this application, by id or alias.
    pub(super) async fn context_of(
        &self,
        application: &Application,
        wanted: &str,
    ) -> Result<KnownContext, ExecuteError> {
        let context = self.context(wanted).await?;
        if application.id.as_deref() == Some(context.application.as_str()) {
            return Ok(context);
        }
        Err(ExecuteError::NotFound(format!(
            "Context \"{wanted}\" does not belong to \"{}\". {}",
            application.key(),
            self.told_contexts(application).await
        )))
    }

    /// A context by id or alias.
    pub(super) async fn context(&self, wanted: &str) -> Result<KnownContext, ExecuteError> {
        let id = self.context_id(wanted).await?;
        if let Some(known) = lock(&self.contexts).get(&id) {
            return Ok(known.clone());
        }
        let row = match self.node.ask(Call::get(&["contexts", &id]), None).await {
            Err(error) if matches!(error.status(), Some(400 | 404)) => return Err(no_context(wanted)),
            answer => answer?,
        };
        let context = KnownContext::of(row.view()).ok_or_else(|| no_context(wanted))?;
        lock(&self.contexts).insert(id, context.clone());
        Ok(context)
    }

    /// The id that a text is, or is an alias of.
    pub(super) async fn context_id(&self, wanted: &str) -> Result<String, ExecuteError> {
        if is_id(wanted) {
            return Ok(wanted.to_owned());
        }
        if let Some(known) = lock(&self.aliases).get(wanted) {
            return Ok(known.clone());
        }
        match self.look_up(wanted).await? {
            Some(id) => {
                lock(&self.aliases).insert(wanted.to_owned(), id.clone());
                Ok(id)
            }
            None => Err(no_context(wanted)),
        }
    }

    /// What an alias stands for; nothing for one that is not there or cannot be.
    pub(super) async fn look_up(&self, alias: &str) -> Result<Option<String>, NodeError> {
        let empty = toolmesh_json::Value::object();
        let call = Call::post(&["alias", "lookup", "context", alias], empty);
        match self.node.ask(call, None).await {
            Err(error) if error.status() == Some(400) => Ok(None),
            answer => Ok(answer?.get("value").and_then(View::as_str).map(str::to_owned)),
        }
    }

    /// The contexts of an application.
    pub(super) async fn contexts_of(
        &self,
        application: &Application,
    ) -> Result<Vec<KnownContext>, NodeError> {
        let id = application.id.as_deref().unwrap_or_default();
        let answer = self
            .node
            .ask(Call::get(&["contexts", "for-application", id]), None)
            .await?;
        let rows = answer.get("contexts").and_then(View::as_array);
        let contexts: Vec<_> = rows.into_iter().flatten().filter_map(KnownContext::of).collect();
        let mut known = lock(&self.contexts);
        known.extend(
            contexts
                .iter()
                .map(|context| (context.id.clone(), context.clone())),
        );
        Ok(contexts)
    }

    /// A sentence that lists the contexts of an application.
    pub(super) async fn told_contexts(&self, application: &Application) -> String {
        let Ok(contexts) = self.contexts_of(application).await else {
            return String::new();
        };
        if contexts.is_empty() {
            return format!(
                "\"{}\" has no contexts: create_context makes one.",
                application.key()
            );
        }
        let ids: Vec<&str> = contexts.iter().map(|context| context.id.as_str()).collect();
        format!("Contexts for \"{}\": {}", application.key(), ids.join(", "))
    }
}

fn no_context(wanted: &str) -> ExecuteError {
    ExecuteError::NotFound(format!(
        "Context \"{wanted}\" not found: it is neither a context id nor an alias"
    ))
}
