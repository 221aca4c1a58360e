//! The node, its contexts and aliases.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallContext, Tool};

use super::{
    Answer, Effect, Told, needed,
    schema::{Input, object},
    text, tool,
};
use crate::execute::ExecuteError;
use crate::model::Application;
use crate::node::{Call, nearby};
use crate::server::{
    Shared,
    guide::{guide_uri, procedures},
    naming,
    run::checked_arguments,
};

pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    let context = "Context id or alias";
    [
        tool(
            shared,
            "node_status",
            "Whether the node answers, where it is, and how it was found and logged in to.",
            Effect::Reads,
            Input::none(),
            node_status,
        ),
        tool(
            shared,
            "list_nodes",
            "Nodes on this machine: configured ones, and others that answer.",
            Effect::Reads,
            Input::none(),
            list_nodes,
        ),
        tool(
            shared,
            "list_applications",
            "The applications that are installed on the node.",
            Effect::Reads,
            Input::none(),
            list_applications,
        ),
        tool(
            shared,
            "list_namespaces",
            "The namespaces that the node belongs to.",
            Effect::Reads,
            Input::none(),
            list_namespaces,
        ),
        tool(
            shared,
            "list_contexts",
            "The contexts that the node belongs to, of all applications or of one.",
            Effect::Reads,
            Input::default()
                .maybe("application", "Application id, package, or name")
                .build(),
            list_contexts,
        ),
        tool(
            shared,
            "create_context",
            "Creates a context of an application and runs its `init` with `args`.",
            Effect::Writes,
            Input::default()
                .text("application", "Application id, package, or name")
                .text(
                    "namespace",
                    "The namespace or group to create it in, 64 hexadecimal digits",
                )
                .maybe("name", "A name for people")
                .maybe(
                    "service",
                    "The service that runs in it, for an application of several",
                )
                .with(
                    "args",
                    object("The arguments of `init`, by name; describe_app shows them"),
                )
                .build(),
            create_context,
        ),
        tool(
            shared,
            "join_context",
            "Joins a context.",
            Effect::Writes,
            Input::default().text("context", context).build(),
            join_context,
        ),
        tool(
            shared,
            "delete_context",
            "Deletes a context of this node.",
            Effect::Destroys,
            Input::default().text("context", context).build(),
            delete_context,
        ),
        tool(
            shared,
            "create_alias",
            "Gives a context a name to call it by.",
            Effect::Writes,
            Input::default()
                .text("alias", "Up to 50 of A-Z a-z 0-9 . _ -")
                .text("contextId", "Context id")
                .build(),
            create_alias,
        ),
        tool(
            shared,
            "lookup_alias",
            "The context that a name stands for.",
            Effect::Reads,
            Input::default().text("name", "The alias").build(),
            lookup_alias,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

async fn node_status(shared: Arc<Shared>, context: CallContext, _arguments: Value) -> Answer {
    let health = shared.ask(&context, Call::get(&["health"])).await?;
    let found = shared.node.found().await?;
    Ok(Value::object()
        .put("health", health)
        .put("url", found.url.as_str())
        .put(
            "nodeName",
            found.name.as_deref().map_or_else(Value::null, Value::from),
        )
        .put("discoverySource", found.source.as_str())
        .put("authMode", shared.node.auth_mode().await?)
        .into())
}

async fn list_nodes(shared: Arc<Shared>, _context: CallContext, _arguments: Value) -> Answer {
    let node = |(url, name, active): (String, Option<String>, bool)| {
        Value::object()
            .put("url", url)
            .put("name", name.map_or_else(Value::null, Value::from))
            .put("active", active)
            .build()
    };
    let nodes: Value = nearby(shared.node.settings())
        .await
        .into_iter()
        .map(node)
        .collect();
    Ok(Value::object().put("nodes", nodes).into())
}

async fn list_applications(shared: Arc<Shared>, _context: CallContext, _arguments: Value) -> Answer {
    // What is told is what is there now.
    shared.refreshed().await?;
    let apps: Value = shared.apps().iter().map(listed).collect();
    Ok(Value::object().put("apps", apps).into())
}

fn listed(application: &Application) -> Value {
    let or_null = |text: &Option<String>| text.as_deref().map_or_else(Value::null, Value::from);
    let services: Value = application
        .services
        .iter()
        .filter_map(|service| service.name.as_deref().map(Value::from))
        .collect();
    let titles = application.guide.as_deref().map(procedures).unwrap_or_default();
    Value::object()
        .put("id", or_null(&application.id))
        .put("package", or_null(&application.package))
        .put("appVersion", or_null(&application.version))
        .put("name", or_null(&application.display_name))
        .put("signerId", or_null(&application.signer))
        .put_opt("metadata", application.metadata.clone())
        .put("services", services)
        .put(
            "procedures",
            titles.into_iter().map(Value::from).collect::<Value>(),
        )
        .put_opt("guide", guide_uri(application))
        .build()
}

async fn list_namespaces(shared: Arc<Shared>, context: CallContext, _arguments: Value) -> Answer {
    let namespaces = shared.ask(&context, Call::get(&["namespaces"])).await?;
    Ok(Value::object().put("namespaces", namespaces).into())
}

async fn list_contexts(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let call = match text(&arguments, "application") {
        None => Call::get(&["contexts"]),
        Some(wanted) => {
            let apps = shared.apps_with(wanted).await?;
            let application = naming::find(&apps, wanted)?;
            Call::get(&[
                "contexts",
                "for-application",
                application.id.as_deref().unwrap_or_default(),
            ])
        }
    };
    let answer = shared.ask(&context, call).await?;
    let rows = answer.get("contexts").and_then(View::as_array);
    let rows: Value = rows.into_iter().flatten().map(context_row).collect();
    Ok(Value::object().put("contexts", rows).into())
}

/// A context's row with the hashes as hexadecimal digits: nobody reads lists of bytes.
fn context_row(row: View<'_>) -> Value {
    let hex = |bytes: View<'_>| -> Value {
        let bytes = bytes.as_array().into_iter().flatten();
        let digits: String = bytes
            .into_iter()
            .filter_map(View::as_u64)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Value::from(digits)
    };
    let mut shown = Value::object();
    for (key, value) in row.as_object().into_iter().flatten() {
        match (key, value.as_array()) {
            ("dagHeads", Some(heads)) => shown.insert(key, heads.iter().map(hex).collect::<Value>()),
            _ => shown.insert(key, value),
        }
    }
    shown.build()
}

async fn create_context(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let wanted = needed(&arguments, "application");
    let apps = shared.apps_with(wanted).await?;
    let application = naming::find(&apps, wanted)?;
    let service = naming::service(application, text(&arguments, "service"))?;
    let given = arguments.get("args").filter(|args| !args.is_null());
    let bytes = match (service.manifest.init(), given) {
        (None, Some(args)) if args.as_object().is_some_and(|args| !args.is_empty()) => {
            return Err(ExecuteError::Refused(format!(
                "{} has no init, so there is nothing that takes `args`.",
                application.key()
            )));
        }
        (None, _) => Vec::new(),
        (Some(init), given) => {
            let empty = Value::object().build();
            let converted = checked_arguments(&service.manifest, init, given.unwrap_or(empty.view()))?;
            converted.to_text().into_bytes()
        }
    };
    let body = Value::object()
        .put("applicationId", application.id.as_deref().unwrap_or_default())
        .put("groupId", needed(&arguments, "namespace"))
        .put_opt("serviceName", service.name.as_deref())
        .put_opt("name", text(&arguments, "name"))
        .put(
            "initializationParams",
            bytes
                .into_iter()
                .map(|byte| Value::from(u32::from(byte)))
                .collect::<Value>(),
        );
    let created = shared.ask(&context, Call::post(&["contexts"], body)).await;
    Ok(created.map_err(init_failure)?.into())
}

/// What `init` itself said, without the wrapping of the node.
fn init_failure(error: crate::node::NodeError) -> ExecuteError {
    match &error {
        crate::node::NodeError::Refused { message, .. } if message.contains('[') => {
            ExecuteError::Guest(crate::node::guest_message(message).unwrap_or_else(|| message.clone()))
        }
        _ => error.into(),
    }
}

async fn join_context(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let id = shared.context_id(needed(&arguments, "context")).await?;
    let call = Call::post(&["contexts", &id, "join"], Value::object());
    Ok(shared.ask(&context, call).await?.into())
}

async fn delete_context(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let id = shared.context_id(needed(&arguments, "context")).await?;
    let answer = shared.ask(&context, Call::delete(&["contexts", &id])).await?;
    shared.forget_context(&id);
    Ok(answer.into())
}

async fn create_alias(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let (alias, id) = (needed(&arguments, "alias"), needed(&arguments, "contextId"));
    let body = Value::object().put("alias", alias).put("contextId", id);
    let call = Call::post(&["alias", "create", "context"], body);
    shared.ask(&context, call).await?;
    Ok(Told::Sentence(format!(
        "\"{alias}\" now stands for the context {id}."
    )))
}

async fn lookup_alias(shared: Arc<Shared>, _context: CallContext, arguments: Value) -> Answer {
    let alias = needed(&arguments, "name");
    Ok(match shared.look_up(alias).await? {
        Some(id) => Value::object().put("alias", alias).put("contextId", id).into(),
        None => Told::Sentence(format!("No context is called \"{alias}\".")),
    })
}
