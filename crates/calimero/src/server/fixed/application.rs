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
use crate::context::{HANDLE_ARGUMENT, Targeting};
use crate::describe;
use crate::execute::ExecuteError;
use crate::model::{Application, Service};
use crate::schema::RESULT;
use crate::server::{
    Shared,
    contexts::KnownContext,
    guide::{guide_uri, procedures},
    naming,
    selection::Selector,
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
            select_about(shared.mapping.targeting),
            Effect::Reads,
            Input::default()
                .text("app", app)
                .maybe("context", "Context id or alias; the only one if left out")
                .maybe("service", service)
                .build(),
            select_app,
        ),
        tool(shared, "call", "Calls any method of an application by name, for clients that do not list its tools.", Effect::Destroys, request(shared.mapping.targeting), call),
        tool(
            shared,
            "call_many",
            "Several calls at once; the results come in the order of the requests. Which of them takes effect first is open.",
            Effect::Destroys,
            many(shared.mapping.targeting),
            call_many,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn select_about(targeting: Targeting) -> &'static str {
    match targeting {
        Targeting::Context => {
            "Selects the context that the application's tools work in, and shows its methods. A selection lasts as long as \
             the process or the session; where requests stand alone pass `_context` in each call."
        }
        Targeting::Handle => {
            "Gives the app_handle that the application's tools need, bound to one of its contexts, and shows its methods."
        }
    }
}

fn request(targeting: Targeting) -> Value {
    let app = "Application id, package, or name";
    let (input, context) = match targeting {
        Targeting::Context => (
            Input::default().text("app", app),
            "Context id or alias; the selected one if left out",
        ),
        Targeting::Handle => (
            Input::default()
                .maybe(
                    HANDLE_ARGUMENT,
                    "What select_app returned; or `app` and `context` without it",
                )
                .maybe("app", app),
            "Context id or alias, where there is no app_handle",
        ),
    };
    input
        .text("method", "The method")
        .with("args", object("The arguments by name; describe_app shows them"))
        .maybe("context", context)
        .maybe("service", "The service, for an application of several")
        .build()
}

fn many(targeting: Targeting) -> Value {
    let calls = Value::object()
        .put("type", "array")
        .put("items", request(targeting))
        .put("minItems", 1)
        .put("maxItems", MAX_CALLS);
    Input::default().with("calls", calls).required("calls").build()
}

/// The applications for a tool that shows one. A handle stands for what is installed now, so that is read first.
async fn apps_to_show(shared: &Arc<Shared>, wanted: &str) -> Result<Arc<Vec<Application>>, ExecuteError> {
    if shared.mapping.targeting == Targeting::Handle {
        shared.refreshed().await?;
    }
    shared.apps_with(wanted).await
}

async fn describe_app(shared: Arc<Shared>, _context: CallContext, arguments: Value) -> Answer {
    let wanted = needed(&arguments, "app");
    let apps = apps_to_show(&shared, wanted).await?;
    let application = naming::find(&apps, wanted)?;
    let contexts = shared.contexts_of(application).await?;
    let service = text(&arguments, "service");
    let services = described_services(application, service)?;
    Ok(summary(application, &services)
        .put("contexts", ids(&contexts))
        .put_opt(HANDLE_ARGUMENT, handle(&shared, application, None, service)?)
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
    let app = needed(&arguments, "app");
    let apps = apps_to_show(&shared, app).await?;
    let application = naming::find(&apps, app)?;
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
    let by_handle = shared.mapping.targeting == Targeting::Handle;
    let selector = Selector::of(&context);
    if let (Some(selector), Some(chosen), false) = (selector, &chosen, by_handle) {
        shared.select(selector, chosen);
    }
    let note = note.or_else(|| {
        let forgets = selector.is_none() && !by_handle;
        forgets.then(|| "This connection keeps no selection: pass `_context` in each call.".to_owned())
    });
    // A chosen context decides the service.
    let service = chosen.as_ref().and_then(|chosen| chosen.service.clone());
    let service = service.or_else(|| text(&arguments, "service").map(str::to_owned));
    let services = described_services(application, service.as_deref().filter(|_| has_named(application)))?;
    let handle = match &chosen {
        Some(chosen) => handle(&shared, application, Some(&chosen.id), chosen.service.as_deref())?,
        None => handle(&shared, application, None, service.as_deref())?,
    };
    let selected = chosen.map_or_else(Value::null, |chosen| Value::from(chosen.id));
    Ok(summary(application, &services)
        .put("context", selected)
        .put("contexts", ids(&contexts))
        .put("tools", tool_names(&shared, application, &services))
        .put_opt(
            "toolsNote",
            by_handle.then_some("Your client may show these names with a prefix. Each takes the app_handle."),
        )
        .put_opt(HANDLE_ARGUMENT, handle)
        .put_opt("note", note)
        .into())
}

/// The handle, where tools are targeted by handles.
fn handle(
    shared: &Shared,
    application: &Application,
    context: Option<&str>,
    service: Option<&str>,
) -> Result<Option<String>, ExecuteError> {
    match shared.mapping.targeting {
        Targeting::Context => Ok(None),
        Targeting::Handle => shared.handle(application, context, service).map(Some),
    }
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
