//! Where a call goes: the context that it names, that its handle is bound to, or that is selected.

use toolmesh_tool::CallContext;

use super::{
    Shared, apps, contexts::KnownContext, guide::guide_uri, handle::Bound, lock, selection::Selector,
};
use crate::context::Targeting;
use crate::execute::{ExecuteError, Guide};
use crate::model::Application;
use crate::node::Call;

/// How a call says where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aim<'a> {
    /// A handle, where tools are targeted by handles.
    pub(super) handle: Option<&'a str>,
    /// A context's id or alias.
    pub(super) context: Option<&'a str>,
}

impl Shared {
    /// The context that a call of an application is for.
    pub(super) async fn target(
        &self,
        application: &Application,
        aim: Aim<'_>,
        context: &CallContext,
    ) -> Result<KnownContext, ExecuteError> {
        let by_handle = self.mapping.targeting == Targeting::Handle;
        if let Some(handle) = aim.handle.filter(|_| by_handle) {
            let bound = self.bound(application, handle).await?;
            return self.same_context(bound, aim.context).await;
        }
        if let Some(wanted) = aim.context {
            return self.context_of(application, wanted).await;
        }
        if by_handle {
            return Err(ExecuteError::NoContext(format!(
                "Pass app_handle from select_app, or `context` with `app`. {}",
                self.told_contexts(application).await
            )));
        }
        self.selected(application, context).await
    }

    /// The context of a handle, unless the call names another one.
    async fn same_context(
        &self,
        bound: KnownContext,
        named: Option<&str>,
    ) -> Result<KnownContext, ExecuteError> {
        match named {
            Some(named) if self.context_id(named).await? != bound.id => Err(ExecuteError::Refused(format!(
                "The app_handle is of the context {}, and `context` names another.",
                bound.id
            ))),
            _ => Ok(bound),
        }
    }

    async fn selected(
        &self,
        application: &Application,
        context: &CallContext,
    ) -> Result<KnownContext, ExecuteError> {
        let Some(selector) = Selector::of(context) else {
            return Err(ExecuteError::NoContext(format!(
                "This connection keeps no selection: pass `_context`. {}",
                self.told_contexts(application).await
            )));
        };
        let id = application.id.as_deref().unwrap_or_default();
        let selected = lock(&self.selected).of(selector, id);
        match selected {
            Some(context) => self.context_of(application, &context).await,
            None => Err(ExecuteError::NoContext(format!(
                "No context of {} is selected: call select_app, or pass `_context`. {}",
                application.key(),
                self.told_contexts(application).await
            ))),
        }
    }

    /// Remembers a context as the selected one of its application.
    pub(super) fn select(&self, selector: Selector, chosen: &KnownContext) {
        lock(&self.selected).select(selector, &chosen.application, &chosen.id);
    }

    /// The handle of an application and one of its contexts.
    pub(super) fn handle(
        &self,
        application: &Application,
        context: Option<&str>,
        service: Option<&str>,
    ) -> Result<String, ExecuteError> {
        let bound = Bound::new(application, context, service);
        Ok(bound.sealed(self.handle_key()?))
    }

    /// What a handle stands for that was made here, whether it still holds or not.
    pub(super) fn opened(&self, handle: &str) -> Result<Option<Bound>, ExecuteError> {
        Ok(Bound::open(self.handle_key()?, handle))
    }

    /// The context of a handle: it must be of this application, as the node has it installed now, and the context must be
    /// there.
    async fn bound(&self, application: &Application, handle: &str) -> Result<KnownContext, ExecuteError> {
        let installed = self.installed(application).await?;
        let bound = self.opened(handle)?.filter(|bound| bound.holds_for(&installed));
        let Some(bound) = bound else {
            return Err(refusal(&installed));
        };
        let Some(context) = &bound.context else {
            return Err(ExecuteError::Handle {
                message: format!(
                    "This app_handle names no context: call select_app for {} with the context to work in, and pass the \
                     app_handle that it returns.",
                    application.key()
                ),
                guide: None,
            });
        };
        match self.context_of(application, context).await {
            Ok(known) if known.service == bound.service => Ok(known),
            // It is gone, or runs something else.
            Ok(_) | Err(ExecuteError::NotFound(_)) => Err(refusal(&installed)),
            Err(error) => Err(error),
        }
    }

    /// The application as the node has it now.
    async fn installed(&self, application: &Application) -> Result<Application, ExecuteError> {
        let id = application.id.as_deref().unwrap_or_default();
        let answer = self.node.ask(Call::get(&["applications", id]), None).await?;
        let row = answer.get("application").and_then(apps::application);
        row.ok_or_else(|| ExecuteError::NotFound("The application is not installed any more.".to_owned()))
    }
}

/// Whoever has no handle that holds begins anew; one text for all reasons, so that nothing can be tried out.
pub(super) fn refusal(application: &Application) -> ExecuteError {
    let version = application.version.as_deref().unwrap_or("unknown version");
    ExecuteError::Handle {
        message: format!(
            "Call select_app for {} and retry with the app_handle that it returns.",
            application.key()
        ),
        guide: application.guide.as_ref().map(|text| Guide {
            label: format!(
                "The guide of {} ({version}), by its author ({}):",
                application.label(),
                application.signer.as_deref().unwrap_or("unknown signer")
            ),
            uri: guide_uri(application),
            text: text.clone(),
        }),
    }
}

/// A handle in a request that names no application, and that was not made here.
pub(super) fn unknown_handle() -> ExecuteError {
    ExecuteError::Handle {
        message: "Call select_app for the application and retry with the app_handle that it returns."
            .to_owned(),
        guide: None,
    }
}
