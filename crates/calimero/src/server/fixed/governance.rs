//! Namespaces and groups.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallContext, Tool};

use super::{
    Answer, Effect, Told, needed,
    schema::{Input, object},
    text, tool,
};
use crate::execute::ExecuteError;
use crate::node::{Call, traceparent};
use crate::server::{Shared, naming};

const NAMESPACE: &str = "Namespace id, 64 hexadecimal digits";
const GROUP: &str = "Group id, 64 hexadecimal digits";

pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    let of_namespace = || Input::default().text("namespace", NAMESPACE);
    let of_group = || Input::default().text("group", GROUP);
    let visibility = ["open", "restricted"];
    [
        tool(
            shared,
            "create_namespace",
            "Creates a namespace for an application.",
            Effect::Writes,
            Input::default()
                .text("application", "Application id, package, or name")
                .maybe("name", "A name for people")
                .build(),
            create_namespace,
        ),
        tool(
            shared,
            "delete_namespace",
            "Deletes a namespace. Its contexts stay, uncallable, until delete_context.",
            Effect::Destroys,
            of_namespace().build(),
            |shared, context, arguments| async move {
                let call =
                    Call::delete(&["namespaces", needed(&arguments, "namespace")]).with_json(Value::object());
                Ok(ask(&shared, &context, call).await?.into())
            },
        ),
        tool(
            shared,
            "invite_to_namespace",
            "An invitation to a namespace; hand it on as it is.",
            Effect::Writes,
            of_namespace().build(),
            |shared, context, arguments| async move {
                let call = Call::post(
                    &["namespaces", needed(&arguments, "namespace"), "invite"],
                    Value::object(),
                );
                Ok(ask(&shared, &context, call).await?.into())
            },
        ),
        tool(
            shared,
            "join_namespace",
            "Joins a namespace with an invitation.",
            Effect::Writes,
            of_namespace()
                .with(
                    "invitation",
                    object("The invitation, exactly as invite_to_namespace gave it"),
                )
                .required("invitation")
                .maybe("groupName", "The group's name, as the invitation gave it")
                .build(),
            join_namespace,
        ),
        tool(
            shared,
            "leave_namespace",
            "Leaves a namespace.",
            Effect::Destroys,
            of_namespace().build(),
            |shared, context, arguments| async move {
                let namespace = needed(&arguments, "namespace");
                ask(
                    &shared,
                    &context,
                    Call::post(&["namespaces", namespace, "leave"], Value::object()),
                )
                .await?;
                Ok(Told::Sentence(format!(
                    "The node left the namespace {namespace}."
                )))
            },
        ),
        tool(
            shared,
            "list_group_members",
            "The members of a group.",
            Effect::Reads,
            of_group().build(),
            |shared, context, arguments| async move {
                let call = Call::get(&["groups", needed(&arguments, "group"), "members"]);
                Ok(ask(&shared, &context, call).await?.into())
            },
        ),
        tool(
            shared,
            "add_group_members",
            "Adds members to a group.",
            Effect::Writes,
            of_group().with("members", members()).required("members").build(),
            add_members,
        ),
        tool(
            shared,
            "create_group",
            "Creates a group in a namespace, or below another group.",
            Effect::Writes,
            of_namespace()
                .maybe("name", "A name for people")
                .word("visibility", &visibility)
                .maybe("parent", GROUP)
                .build(),
            create_group,
        ),
        tool(
            shared,
            "set_group_visibility",
            "Says who may join a group.",
            Effect::Writes,
            of_group()
                .word("visibility", &visibility)
                .required("visibility")
                .build(),
            |shared, context, arguments| async move {
                let (group, visibility) = (needed(&arguments, "group"), needed(&arguments, "visibility"));
                set_visibility(&shared, &context, group, visibility).await?;
                Ok(Told::Sentence(format!("The group {group} is now {visibility}.")))
            },
        ),
        tool(
            shared,
            "set_group_metadata",
            "Replaces what a group says of itself; what is left out becomes empty.",
            Effect::Writes,
            of_group()
                .maybe("name", "A name for people")
                .with("data", texts())
                .build(),
            set_metadata,
        ),
        tool(
            shared,
            "join_open_group",
            "Joins a group that is open to the members of the one above.",
            Effect::Writes,
            of_group().build(),
            |shared, context, arguments| async move {
                let call = Call::post(
                    &["groups", needed(&arguments, "group"), "join-via-inheritance"],
                    Value::object(),
                );
                Ok(ask(&shared, &context, call).await?.into())
            },
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

async fn ask(shared: &Shared, context: &CallContext, call: Call) -> Result<Value, ExecuteError> {
    Ok(shared.node.ask(call, traceparent(context).as_deref()).await?)
}

fn members() -> Value {
    let member = Input::default()
        .text("identity", "64 hexadecimal digits")
        .word("role", &["Admin", "Member", "ReadOnly"])
        .required("role")
        .build();
    Value::object()
        .put("type", "array")
        .put("items", member)
        .put("minItems", 1)
        .build()
}

fn texts() -> Value {
    let text = Value::object().put("type", "string");
    Value::object()
        .put("type", "object")
        .put("additionalProperties", text)
        .build()
}

async fn create_namespace(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let wanted = needed(&arguments, "application");
    let apps = shared.apps_with(wanted).await?;
    let id = naming::find(&apps, wanted)?.id.clone().unwrap_or_default();
    let body = Value::object()
        .put("applicationId", id)
        // Older nodes refuse a request without it; newer ones do not look.
        .put("upgradePolicy", "LazyOnAccess")
        .put_opt("name", text(&arguments, "name"));
    Ok(ask(&shared, &context, Call::post(&["namespaces"], body))
        .await?
        .into())
}

async fn join_namespace(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let body = Value::object()
        // It is signed: it goes on as it came.
        .put_opt("invitation", arguments.get("invitation"))
        .put_opt("groupName", text(&arguments, "groupName"));
    let call = Call::post(&["namespaces", needed(&arguments, "namespace"), "join"], body).patient();
    Ok(ask(&shared, &context, call).await?.into())
}

async fn add_members(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let group = needed(&arguments, "group");
    let body = Value::object().put_opt("members", arguments.get("members"));
    ask(&shared, &context, Call::post(&["groups", group, "members"], body)).await?;
    Ok(Told::Sentence(format!(
        "The members were added to the group {group}."
    )))
}

async fn create_group(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let call = match text(&arguments, "parent") {
        None => {
            let body = Value::object()
                .put_opt("groupName", text(&arguments, "name"))
                .put_opt("visibility", text(&arguments, "visibility"));
            Call::post(&["namespaces", needed(&arguments, "namespace"), "groups"], body)
        }
        Some(parent) => {
            let above = ask(&shared, &context, Call::get(&["groups", parent])).await?;
            let application = above.get("targetApplicationId").and_then(View::as_str);
            let body = Value::object()
                .put_opt("applicationId", application)
                .put_opt("name", text(&arguments, "name"))
                .put("parentGroupId", parent);
            Call::post(&["groups"], body)
        }
    };
    let created = ask(&shared, &context, call).await?;
    let group = created.get("groupId").and_then(View::as_str).unwrap_or_default();
    if let (Some(_), Some(visibility)) = (text(&arguments, "parent"), text(&arguments, "visibility")) {
        set_visibility(&shared, &context, group, visibility)
            .await
            .map_err(|error| ExecuteError::Node {
                kind: "partly_done".to_owned(),
                message: format!("The group {group} was created, but its visibility was not set: {error}"),
            })?;
    }
    Ok(created.into())
}

async fn set_visibility(
    shared: &Shared,
    context: &CallContext,
    group: &str,
    visibility: &str,
) -> Result<(), ExecuteError> {
    let body = Value::object().put("subgroupVisibility", visibility);
    let call = Call::put(&["groups", group, "settings", "subgroup-visibility"], body);
    ask(shared, context, call).await.map(drop)
}

async fn set_metadata(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let group = needed(&arguments, "group");
    let empty = Value::object().build();
    let body = Value::object()
        .put_opt("name", text(&arguments, "name"))
        .put("data", arguments.get("data").unwrap_or(empty.view()));
    ask(&shared, &context, Call::put(&["groups", group, "metadata"], body)).await?;
    Ok(Told::Sentence(format!(
        "The group {group} says something else of itself now."
    )))
}
