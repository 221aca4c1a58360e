//! Running methods of installed applications.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{BoxFuture, CallContext};

use super::{
    Shared,
    contexts::KnownContext,
    naming,
    target::{Aim, refusal, unknown_handle},
};
use crate::context::{HANDLE_ARGUMENT, Targeting};
use crate::describe;
use crate::execute::{ExecuteError, Executor, MethodCall};
use crate::model::{Application, INIT, Manifest, Method};
use crate::node::traceparent;
use crate::shape::Form;
use crate::tool::argument_shapes;
use crate::value;

impl Executor for Shared {
    fn execute<'a>(
        &'a self,
        context: &'a CallContext,
        call: MethodCall,
    ) -> BoxFuture<'a, Result<Value, ExecuteError>> {
        Box::pin(async move {
            let apps = self.apps();
            let application = apps
                .iter()
                .find(|application| application.id.as_deref() == Some(call.application.as_str()))
                .ok_or_else(|| {
                    ExecuteError::NotFound("The application is not installed any more.".to_owned())
                })?;
            let aim = Aim {
                handle: call.handle.as_deref(),
                context: call.context.as_deref(),
            };
            let target = self.target(application, aim, context).await?;
            self.run(context, application, &target, &call).await
        })
    }
}

impl Shared {
    /// Runs a method in a context.
    async fn run(
        &self,
        context: &CallContext,
        application: &Application,
        target: &KnownContext,
        call: &MethodCall,
    ) -> Result<Value, ExecuteError> {
        if let (Some(wanted), Some(runs)) = (&call.service, &target.service)
            && wanted != runs
        {
            return Err(ExecuteError::NotFound(format!(
                "The context runs the service \"{runs}\", and the method is of \"{wanted}\"."
            )));
        }
        let trace = traceparent(context);
        let executed = self
            .node
            .execute(&target.id, &call.method, &call.arguments, trace.as_deref());
        match executed.await {
            Err(error) => {
                let error = ExecuteError::from(error);
                if error.kind() != "ContextNotFound" {
                    return Err(error);
                }
                self.forget_context(&target.id);
                // A handle is bound to its context, and ends with it.
                Err(match call.handle {
                    Some(_) => refusal(application),
                    None => error,
                })
            }
            answer => Ok(answer?),
        }
    }

    /// Runs what one request of `call` asks for.
    pub(super) async fn run_request(
        self: &Arc<Self>,
        context: &CallContext,
        request: View<'_>,
    ) -> Result<Value, ExecuteError> {
        let name = text_of(request, "method").unwrap_or_default();
        if name == INIT {
            return Err(init_refused());
        }
        let application = self.requested_application(request).await?;
        let named = text_of(request, "service");
        let is_several = application.services.len() > 1;
        if named.is_some() || !is_several {
            // Nobody needs to be asked to refuse it.
            method_of(
                &application,
                &naming::service(&application, named)?.manifest,
                name,
            )?;
        }
        let aim = Aim {
            handle: text_of(request, HANDLE_ARGUMENT),
            context: text_of(request, "context"),
        };
        let target = self.target(&application, aim, context).await?;
        let runs = target.service.as_deref().filter(|_| is_several);
        let service = naming::service(&application, named.or(runs))?;
        let method = method_of(&application, &service.manifest, name)?;
        let empty = Value::object().build();
        let given = request.get("args").filter(|args| !args.is_null());
        let call = MethodCall {
            application: application.id.clone().unwrap_or_default(),
            service: service.name.clone(),
            method: method.name.clone(),
            arguments: checked_arguments(&service.manifest, &method, given.unwrap_or(empty.view()))?,
            context: None,
            handle: aim.handle.map(str::to_owned),
        };
        self.run(context, &application, &target, &call).await
    }

    /// The application that a request names, by its handle or its name.
    async fn requested_application(self: &Arc<Self>, request: View<'_>) -> Result<Application, ExecuteError> {
        let named = text_of(request, "app");
        let handle =
            text_of(request, HANDLE_ARGUMENT).filter(|_| self.mapping.targeting == Targeting::Handle);
        let wanted = match (handle, named) {
            (Some(handle), _) => self.opened(handle)?.ok_or_else(unknown_handle)?.application,
            (None, Some(named)) => named.to_owned(),
            (None, None) => {
                return Err(ExecuteError::Refused(
                    "Pass app_handle from select_app, or `app` and `context`.".to_owned(),
                ));
            }
        };
        let apps = self.apps_with(&wanted).await?;
        let application = naming::find(&apps, &wanted)?;
        if let (Some(_), Some(named)) = (handle, named)
            && naming::find(&apps, named)?.id != application.id
        {
            return Err(ExecuteError::Refused(format!(
                "The app_handle is of {}, and `app` names another application.",
                application.key()
            )));
        }
        Ok(application.clone())
    }
}

/// The text of a member of a request.
fn text_of<'a>(request: View<'a>, key: &str) -> Option<&'a str> {
    request.get(key).and_then(View::as_str)
}

fn init_refused() -> ExecuteError {
    ExecuteError::Refused(
        "init runs once, when a context is created: create_context takes its arguments.".to_owned(),
    )
}

fn method_of(
    application: &Application,
    manifest: &Manifest,
    name: &str,
) -> Result<Arc<Method>, ExecuteError> {
    manifest.method(name).map(Arc::clone).ok_or_else(|| {
        let names: Vec<&str> = manifest
            .methods()
            .map(|method| method.name.as_str())
            .filter(|name| *name != INIT)
            .collect();
        ExecuteError::NotFound(format!(
            "Method \"{name}\" not found on \"{}\". Available: {}",
            application.key(),
            names.join(", ")
        ))
    })
}

/// The declared arguments of a method in the form that the application takes, from any accepted spelling.
///
/// # Errors
/// [`ExecuteError::Refused`] when they do not fit, with the method's signature.
pub fn checked_arguments(
    manifest: &Manifest,
    method: &Method,
    given: View<'_>,
) -> Result<Value, ExecuteError> {
    let told = |reason: String| ExecuteError::Refused(format!("{reason}\n{}", describe::signature(method)));
    let object = given
        .as_object()
        .ok_or_else(|| told("The arguments are no object.".to_owned()))?;
    let shapes = argument_shapes(manifest, method, Form::Definitions);
    let converted = value::declared_arguments(method, &shapes, object);
    converted.map_err(|error| told(format!("The arguments do not fit: {error}.")))
}
