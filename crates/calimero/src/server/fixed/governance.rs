//! Namespaces and groups.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallContext, Tool};

use super::{
    Answer, Effect, Telling, needed, request_tool,
    schema::{Input, object},
    text, tool,
};
use crate::execute::ExecuteError;
use crate::node::Call;
use crate::server::{Shared, naming};

const NAMESPACE: &str = "Namespace id, 64 hexadecimal digits";
const GROUP: &str = "Group id, 64 hexadecimal digits";
const NAME: &str = "A name for people";
const VISIBILITIES: [&str; 2] = ["open", "restricted"];

pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    let namespaces = namespaces(shared).into_iter();
    namespaces.chain(groups(shared)).flatten().collect()
}

fn namespaces(shared: &Arc<Shared>) -> [Option<Tool>; 5] {
    let namespace = || Input::default().text("namespace", NAMESPACE);
    let request = |name, about, effect, input, call, telling| {
        request_tool(shared, name, about, effect, input, call, telling)
    };
    [
        tool(
            shared,
            "create_namespace",
            "Creates a namespace for an application.",
            Effect::Writes,
            Input::default()
                .text("application", "Application id, package, or name")
                .maybe("name", NAME)
                .build(),
            create_namespace,
        ),
        request(
            "delete_namespace",
            "Deletes a namespace. Its contexts stay, uncallable, until delete_context.",
            Effect::Destroys,
            namespace(),
            |given| Call::delete(&["namespaces", needed(given, "namespace")]).with_json(Value::object()),
            Telling::Answer,
        ),
        request(
            "invite_to_namespace",
            "An invitation to a namespace; hand it on as it is.",
            Effect::Writes,
            namespace(),
            |given| post_to(&["namespaces", needed(given, "namespace"), "invite"]),
            Telling::Answer,
        ),
        request(
            "join_namespace",
            "Joins a namespace with an invitation.",
            Effect::Writes,
            namespace()
                .with(
                    "invitation",
                    object("The invitation, exactly as invite_to_namespace gave it"),
                )
                .required("invitation")
                .maybe("groupName", "The group's name, as the invitation gave it"),
            join_namespace,
            Telling::Answer,
        ),
        request(
            "leave_namespace",
            "Leaves a namespace.",
            Effect::Destroys,
            namespace(),
            |given| post_to(&["namespaces", needed(given, "namespace"), "leave"]),
            Telling::Sentence(|given| format!("The node left the namespace {}.", needed(given, "namespace"))),
        ),
    ]
}

fn groups(shared: &Arc<Shared>) -> [Option<Tool>; 6] {
    let group = || Input::default().text("group", GROUP);
    let request = |name, about, effect, input, call, telling| {
        request_tool(shared, name, about, effect, input, call, telling)
    };
    [
        request(
            "list_group_members",
            "The members of a group.",
            Effect::Reads,
            group(),
            |given| Call::get(&["groups", needed(given, "group"), "members"]),
            Telling::Answer,
        ),
        request(
            "add_group_members",
            "Adds members to a group.",
            Effect::Writes,
            group().with("members", members()).required("members"),
            add_members,
            Telling::Sentence(|given| {
                format!("The members were added to the group {}.", needed(given, "group"))
            }),
        ),
        tool(
            shared,
            "create_group",
            "Creates a group in a namespace, or below another group.",
            Effect::Writes,
            Input::default()
                .text("namespace", NAMESPACE)
                .maybe("name", NAME)
                .word("visibility", &VISIBILITIES)
                .maybe("parent", GROUP)
                .build(),
            create_group,
        ),
        request(
            "set_group_visibility",
            "Says who may join a group.",
            Effect::Writes,
            group().word("visibility", &VISIBILITIES).required("visibility"),
            |given| visibility_of(needed(given, "group"), needed(given, "visibility")),
            Telling::Sentence(|given| {
                let (group, visibility) = (needed(given, "group"), needed(given, "visibility"));
                format!("The group {group} is now {visibility}.")
            }),
        ),
        request(
            "set_group_metadata",
            "Replaces what a group says of itself; what is left out becomes empty.",
            Effect::Writes,
            group().maybe("name", NAME).with("data", texts()),
            set_metadata,
            Telling::Sentence(|given| {
                format!(
                    "The group {} says something else of itself now.",
                    needed(given, "group")
                )
            }),
        ),
        request(
            "join_open_group",
            "Joins a group that is open to the members of the one above.",
            Effect::Writes,
            group(),
            |given| post_to(&["groups", needed(given, "group"), "join-via-inheritance"]),
            Telling::Answer,
        ),
    ]
}

/// A request that says everything by its path.
fn post_to(path: &[&str]) -> Call {
    Call::post(path, Value::object())
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
    Ok(shared
        .ask(&context, Call::post(&["namespaces"], body))
        .await?
        .into())
}

fn join_namespace(given: &Value) -> Call {
    let body = Value::object()
        // It is signed: it goes on as it came.
        .put_opt("invitation", given.get("invitation"))
        .put_opt("groupName", text(given, "groupName"));
    Call::post(&["namespaces", needed(given, "namespace"), "join"], body).patient()
}

fn add_members(given: &Value) -> Call {
    let body = Value::object().put_opt("members", given.get("members"));
    Call::post(&["groups", needed(given, "group"), "members"], body)
}

fn set_metadata(given: &Value) -> Call {
    let empty = Value::object().build();
    let body = Value::object()
        .put_opt("name", text(given, "name"))
        .put("data", given.get("data").unwrap_or(empty.view()));
    Call::put(&["groups", needed(given, "group"), "metadata"], body)
}

fn visibility_of(group: &str, visibility: &str) -> Call {
    let body = Value::object().put("subgroupVisibility", visibility);
    Call::put(&["groups", group, "settings", "subgroup-visibility"], body)
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
            let above = shared.ask(&context, Call::get(&["groups", parent])).await?;
            let application = above.get("targetApplicationId").and_then(View::as_str);
            let body = Value::object()
                .put_opt("applicationId", application)
                .put_opt("name", text(&arguments, "name"))
                .put("parentGroupId", parent);
            Call::post(&["groups"], body)
        }
    };
    let created = shared.ask(&context, call).await?;
    let group = created.get("groupId").and_then(View::as_str).unwrap_or_default();
    if let (Some(_), Some(visibility)) = (text(&arguments, "parent"), text(&arguments, "visibility")) {
        let set = shared.ask(&context, visibility_of(group, visibility));
        set.await.map_err(|error| ExecuteError::Node {
            kind: "partly_done".to_owned(),
            message: format!("The group {group} was created, but its visibility was not set: {error}"),
        })?;
    }
    Ok(created.into())
}
