//! Applications: what they do, which context is meant, and any method by its name.

use std::sync::Arc;

use futures_util::future::join_all;
use toolmesh_json::{Value, View};
use toolmesh_tool::{CallContext, Tool};

use super::{
    Answer, Effect, needed,
    schema::{Input, object},
    text, tool,
};
use crate::describe;
use crate::execute::ExecuteError;
use crate::model::{Application, Service};
use crate::schema::RESULT;
use crate::server::{
    Shared,
    contexts::{KnownContext, keeps_selection},
    guide::{guide_uri, procedures},
    naming,
};
use crate::tool::tools as mapped_tools;

/// The most calls of one `call_many`.
pub(crate) const MAX_CALLS: u64 = 32;

pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    let app = "Application id, package, last segment of the package, or display name";
    let service = "The service, for an application of several";
    [
        tool(
            shared,
            "describe_app",
            "What an application does: its methods with their signatures, and its guide.",
            Effect::Reads,
            Input::default().text("app", app).maybe("service", service).build(),
            describe_app,
        ),
        tool(
            shared,
            "select_app",
            "Selects the context that the application's tools work in, and shows its methods. A selection lasts as long as \
             this process and is for stdio; over HTTP pass `_context` in each call.",
            Effect::Reads,
            Input::default()
                .text("app", app)
                .maybe("context", "Context id or alias; the only one if left out")
                .maybe("service", service)
                .build(),
            select_app,
        ),
        tool(shared, "call", "Calls any method of an application by name, for clients that do not list its tools.", Effect::Destroys, request(), call),
        tool(
            shared,
            "call_many",
            "Several calls at once; the results come in the order of the requests. Which of them takes effect first is open.",
            Effect::Destroys,
            many(),
            call_many,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn request() -> Value {
    Input::default()
        .text("app", "Application id, package, or name")
        .text("method", "The method")
        .with("args", object("The arguments by name; describe_app shows them"))
        .maybe("context", "Context id or alias; the selected one if left out")
        .maybe("service", "The service, for an application of several")
        .build()
}

fn many() -> Value {
    let calls = Value::object()
        .put("type", "array")
        .put("items", request())
        .put("minItems", 1)
        .put("maxItems", MAX_CALLS);
    Input::default().with("calls", calls).required("calls").build()
}

async fn describe_app(shared: Arc<Shared>, _context: CallContext, arguments: Value) -> Answer {
    let apps = shared.apps_with(needed(&arguments, "app")).await?;
    let application = naming::find(&apps, needed(&arguments, "app"))?;
    let contexts = shared.contexts_of(application).await?;
    let services = described_services(application, text(&arguments, "service"))?;
    Ok(summary(application, &services)
        .put("contexts", ids(&contexts))
        .into())
}

/// The service that is wanted, or all of them.
fn described_services<'a>(
    application: &'a Application,
    wanted: Option<&str>,
) -> Result<Vec<&'a Service>, ExecuteError> {
    match wanted {
        Some(_) => Ok(vec![naming::service(application, wanted)?]),
        None => Ok(application.services.iter().collect()),
    }
}

fn ids(contexts: &[KnownContext]) -> Value {
    contexts
        .iter()
        .map(|context| Value::from(context.id.as_str()))
        .collect()
}

fn summary(application: &Application, services: &[&Service]) -> toolmesh_json::ObjectBuilder {
    let or_null = |text: &Option<String>| text.as_deref().map_or_else(Value::null, Value::from);
    let names: Value = application
        .services
        .iter()
        .filter_map(|service| service.name.as_deref().map(Value::from))
        .collect();
    let methods: Value = services
        .iter()
        .flat_map(|service| {
            let mark = service.name.as_ref().filter(|_| application.services.len() > 1);
            service.manifest.methods().map(move |method| match mark {
                Some(name) => Value::from(format!("{name}: {}", describe::listing(method))),
                None => Value::from(describe::listing(method)),
            })
        })
        .collect();
    let titles = application.guide.as_deref().map(procedures).unwrap_or_default();
    Value::object()
        .put("application", or_null(&application.id))
        .put("package", or_null(&application.package))
        .put("appVersion", or_null(&application.version))
        .put("services", names)
        .put_opt("guide", guide_uri(application))
        .put(
            "procedures",
            titles.into_iter().map(Value::from).collect::<Value>(),
        )
        .put("methods", methods)
}

async fn select_app(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let apps = shared.apps_with(needed(&arguments, "app")).await?;
    let application = naming::find(&apps, needed(&arguments, "app"))?;
    let contexts = shared.contexts_of(application).await?;
    let wanted = text(&arguments, "context");
    let (chosen, note) = match (wanted, contexts.as_slice()) {
        (Some(wanted), _) => (Some(shared.context_of(application, wanted).await?), None),
        (None, [only]) => (Some(only.clone()), None),
        (None, []) => (
            None,
            Some("It has no contexts; create_context makes one.".to_owned()),
        ),
        (None, several) => (
            None,
            Some(format!(
                "It has {} contexts; pass `context` with one of them.",
                several.len()
            )),
        ),
    };
    let keeps = keeps_selection(context.caller().transport);
    if let Some(chosen) = chosen.as_ref().filter(|_| keeps) {
        shared.select(application, chosen);
    }
    let note = note.or_else(|| {
        (!keeps).then(|| "This connection keeps no selection: pass `_context` in each call.".to_owned())
    });
    // A chosen context decides the service.
    let service = chosen.as_ref().and_then(|chosen| chosen.service.clone());
    let service = service.or_else(|| text(&arguments, "service").map(str::to_owned));
    let services = described_services(application, service.as_deref().filter(|_| has_named(application)))?;
    let selected = chosen.map_or_else(Value::null, |chosen| Value::from(chosen.id));
    Ok(summary(application, &services)
        .put("context", selected)
        .put("contexts", ids(&contexts))
        .put("tools", tool_names(&shared, application, &services))
        .put_opt("note", note)
        .into())
}

fn has_named(application: &Application) -> bool {
    application.services.iter().any(|service| service.name.is_some())
}

/// The names of the tools of these services, as they are among all applications.
fn tool_names(shared: &Shared, application: &Application, services: &[&Service]) -> Value {
    let apps = shared.apps();
    let mapped = mapped_tools(&apps, &super::NAMES, &shared.mapping, None).into_iter();
    mapped
        .filter(|mapped| {
            apps.get(mapped.application)
                .is_some_and(|one| one.id == application.id)
        })
        .filter(|mapped| services.iter().any(|service| service.name == mapped.service))
        .filter_map(|mapped| mapped.tool.ok().map(|tool| Value::from(tool.name().as_str())))
        .collect()
}

async fn call(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let result = shared.run_request(&context, arguments.view()).await?;
    Ok(Value::object().put(RESULT, result).into())
}

async fn call_many(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let requests = arguments.get("calls").and_then(View::as_array);
    let runs = requests
        .into_iter()
        .flatten()
        .map(|request| shared.run_request(&context, request));
    let results: Value = join_all(runs)
        .await
        .into_iter()
        .map(|outcome| match outcome {
            Ok(result) => Value::object().put("ok", true).put(RESULT, result).build(),
            Err(error) => Value::object()
                .put("ok", false)
                .put("error", error.to_string())
                .build(),
        })
        .collect();
    Ok(Value::object().put("results", results).into())
}
