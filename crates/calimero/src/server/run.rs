//! Running methods of installed applications.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{BoxFuture, CallContext};

use super::{Shared, naming};
use crate::describe;
use crate::execute::{ExecuteError, Executor, MethodCall};
use crate::model::{Application, INIT, Manifest, Method, Service};
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
            self.run(context, application, call).await
        })
    }
}

impl Shared {
    /// Runs a method of an application in the context that is meant.
    pub(super) async fn run(
        &self,
        context: &CallContext,
        application: &Application,
        call: MethodCall,
    ) -> Result<Value, ExecuteError> {
        let transport = context.caller().transport;
        let target = self
            .target(application, call.context.as_deref(), transport)
            .await?;
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
                if error.kind() == "ContextNotFound" {
                    self.forget_context(&target.id);
                }
                Err(error)
            }
            answer => Ok(answer?),
        }
    }

    /// The service that a request means: the one that it names, the only one, or the one that runs in the context.
    async fn requested_service<'a>(
        &self,
        context: &CallContext,
        application: &'a Application,
        request: View<'_>,
    ) -> Result<&'a Service, ExecuteError> {
        let text = |key: &str| request.get(key).and_then(View::as_str);
        if text("service").is_some() || application.services.len() < 2 {
            return naming::service(application, text("service"));
        }
        let target = self
            .target(application, text("context"), context.caller().transport)
            .await?;
        naming::service(application, target.service.as_deref())
    }

    /// Runs what one request of `call` asks for.
    pub(super) async fn run_request(
        self: &Arc<Self>,
        context: &CallContext,
        request: View<'_>,
    ) -> Result<Value, ExecuteError> {
        let text = |key: &str| request.get(key).and_then(View::as_str);
        let apps = self.apps_with(text("app").unwrap_or_default()).await?;
        let application = naming::find(&apps, text("app").unwrap_or_default())?;
        let wanted = text("context");
        let name = text("method").unwrap_or_default();
        if name == INIT {
            return Err(init_refused());
        }
        let service = self.requested_service(context, application, request).await?;
        let method = method_of(application, &service.manifest, name)?;
        let empty = Value::object().build();
        let given = request
            .get("args")
            .filter(|args| !args.is_null())
            .unwrap_or(empty.view());
        let arguments = checked_arguments(&service.manifest, &method, given)?;
        let call = MethodCall {
            application: application.id.clone().unwrap_or_default(),
            service: service.name.clone(),
            method: method.name.clone(),
            arguments,
            context: wanted.map(str::to_owned),
        };
        self.run(context, application, call).await
    }
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

/// The declared arguments in the application's form.
pub(super) fn checked_arguments(
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
