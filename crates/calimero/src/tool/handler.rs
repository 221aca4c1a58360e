//! The handler that all generated tools have.

use std::sync::{Arc, OnceLock};

use toolmesh_json::Value;
use toolmesh_schema::{Profile, Schema};
use toolmesh_tool::{BoxFuture, CallContext, Outcome, ToolHandler, ToolResult};

use crate::context::Targeting;
use crate::execute::{ExecuteError, Executor, MethodCall};
use crate::model::{Application, Method, Service};
use crate::schema::RESULT;

/// Executes one method.
#[derive(Debug)]
pub(super) struct MethodHandler {
    application: String,
    service: Option<String>,
    method: Arc<Method>,
    targeting: Targeting,
    executor: Option<Arc<dyn Executor>>,
    promise: Option<Promise>,
}

/// What the output schema promises, compiled when it is first needed.
#[derive(Debug)]
struct Promise {
    document: Value,
    schema: OnceLock<Option<Schema>>,
}

impl Promise {
    fn is_kept(&self, result: &Value) -> bool {
        let compile = || Schema::compile(self.document.clone(), Profile::Draft2020_12).ok();
        let schema = self.schema.get_or_init(compile);
        schema
            .as_ref()
            .is_none_or(|schema| schema.evaluate(result).is_valid())
    }
}

impl MethodHandler {
    pub(super) fn new(
        application: &Application,
        service: &Service,
        method: &Arc<Method>,
        targeting: Targeting,
        executor: Option<&Arc<dyn Executor>>,
        output: Option<Value>,
    ) -> Self {
        Self {
            application: application.id.as_deref().unwrap_or(application.key()).to_owned(),
            service: service.name.clone(),
            method: Arc::clone(method),
            targeting,
            executor: executor.map(Arc::clone),
            promise: output.map(|document| Promise {
                document,
                schema: OnceLock::new(),
            }),
        }
    }

    /// The call of the method: the target taken out, and of the rest only what the method declares.
    fn method_call(&self, arguments: &Value) -> MethodCall {
        let argument = self.targeting.argument_of(&self.method);
        let target = argument.and_then(|name| arguments.get(name)?.as_str());
        let target = |by: Targeting| target.filter(|_| by == self.targeting).map(str::to_owned);
        let declared = self.method.params.iter().filter_map(|param| {
            let value = arguments.get(&param.name)?;
            Some((param.name.as_str(), value.to_value()))
        });
        MethodCall {
            application: self.application.clone(),
            service: self.service.clone(),
            method: self.method.name.clone(),
            arguments: declared.collect::<toolmesh_json::ObjectBuilder>().build(),
            context: target(Targeting::Context),
            handle: target(Targeting::Handle),
        }
    }

    /// The answer as a result: one that the manifest does not describe is told as text, because a client that checks
    /// would drop it.
    fn result(&self, answer: Value) -> ToolResult {
        let result = Value::object().put(RESULT, answer).build();
        if self
            .promise
            .as_ref()
            .is_none_or(|promise| promise.is_kept(&result))
        {
            return ToolResult::structured(result);
        }
        let told = result
            .get(RESULT)
            .map(|answer| answer.to_text())
            .unwrap_or_default();
        ToolResult::error_text(format!(
            "The method ran. It returned something else than its interface says, which is: {told}"
        ))
    }
}

impl ToolHandler for MethodHandler {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let Some(executor) = &self.executor else {
                return failed(&ExecuteError::Unbound).into();
            };
            match executor.execute(&context, self.method_call(&arguments)).await {
                Ok(answer) => self.result(answer).into(),
                Err(error) => failed(&error).into(),
            }
        })
    }
}

/// A failure as the agent is told.
pub(crate) fn failed(error: &ExecuteError) -> ToolResult {
    let message = error.to_string();
    let told = Value::object()
        .put("kind", error.kind())
        .put("message", message.as_str());
    let mut result =
        ToolResult::error_text(message).with_structured(Value::object().put("error", told).build());
    if let ExecuteError::Handle {
        guide: Some(guide), ..
    } = error
    {
        result.content.splice(0..0, guide.blocks());
    }
    result
}
