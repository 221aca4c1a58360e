//! `/admin-api`.

use serde_json::{Value, json};

use crate::{
    App, Fault,
    answer::{self, Answer},
    guest::{Trap, run},
    rpc::guest_error,
    state::State,
};

/// A request as the routes see it.
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) segments: &'a [&'a str],
    pub(crate) service: Option<&'a str>,
    pub(crate) body: &'a Value,
    pub(crate) bytes: &'a [u8],
}

impl Ask<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.body.get(key).and_then(Value::as_str)
    }
}

pub(crate) fn route(state: &mut State, ask: &Ask<'_>) -> Answer {
    match (ask.method, ask.segments) {
        ("GET", ["health"]) => answer::data(&json!({ "status": "alive" })),
        ("GET", ["ready"]) => answer::data(&json!({ "status": "ready" })),
        ("GET", ["is-authed"]) => answer::data(&json!({ "status": "alive" })),
        (_, ["applications" | "install-application", ..]) => applications(state, ask),
        (_, ["contexts", ..]) => contexts(state, ask),
        (_, ["alias", ..]) => aliases(state, ask),
        (_, ["blobs", ..]) => blobs(state, ask),
        (_, ["namespaces", ..]) => namespaces(state, ask),
        (_, ["groups", ..]) => groups(state, ask),
        _ => answer::empty(404, None),
    }
}

fn applications(state: &mut State, ask: &Ask<'_>) -> Answer {
    match (ask.method, ask.segments) {
        ("GET", ["applications"]) => {
            let rows: Vec<Value> = state
                .apps
                .iter()
                .map(|(id, app)| state.app_row(id, app))
                .collect();
            answer::data(&json!({ "apps": rows }))
        }
        ("GET", ["applications", id]) => match state.apps.get(*id) {
            Some(app) => answer::data(&json!({ "application": state.app_row(id, app) })),
            None => answer::error(404, "Application not found"),
        },
        ("GET", ["applications", id, "abi"]) => abi(state, id, ask.service),
        ("DELETE", ["applications", id]) => match state.apps.remove(*id) {
            Some(_) => answer::data(&json!({ "applicationId": id })),
            None => answer::text(500, "application not found"),
        },
        ("POST", ["install-application"]) => install(state, ask),
        _ => answer::empty(404, None),
    }
}

fn install(state: &mut State, ask: &Ask<'_>) -> Answer {
    let (package, version) = (
        ask.text("package").unwrap_or_default(),
        ask.text("version").unwrap_or_default(),
    );
    if state.has(Fault::InstallFails) {
        return answer::text(
            500,
            "failed to install application: the bundle's signature does not verify",
        );
    }
    match state.registry.get(&format!("{package}@{version}")).cloned() {
        Some(app) => {
            let id = state.install(app);
            answer::data(&json!({ "applicationId": id }))
        }
        None => answer::text(
            500,
            &format!("{package} has no application published at {version}"),
        ),
    }
}

fn abi(state: &State, id: &str, service: Option<&str>) -> Answer {
    if state.has(Fault::NoAbiRoute) {
        return answer::empty(404, None);
    }
    if state.has(Fault::AbiRefused) {
        return answer::error(400, "no usable embedded ABI; rebuild with cargo mero build");
    }
    if state.has(Fault::AbiMalformed) {
        return answer::data(&json!({ "schema_version": "wasm-abi/1", "methods": 7 }));
    }
    let Some(app) = state.apps.get(id) else {
        return answer::error(404, "Application not found");
    };
    let names: Vec<&str> = app
        .services
        .iter()
        .filter_map(|(name, _)| name.as_deref())
        .collect();
    let found = match (service, app.services.as_slice()) {
        (None, [(_, manifest)]) => Some(manifest),
        (None, _) => {
            let message = format!(
                "several services; pass service_name (available: {})",
                names.join(", ")
            );
            return answer::error(400, &message);
        }
        (Some(wanted), services) => services
            .iter()
            .find(|(name, _)| name.as_deref() == Some(wanted))
            .map(|(_, manifest)| manifest),
    };
    match found {
        Some(manifest) => answer::data(manifest),
        None => answer::error(400, &format!("unknown service (available: {})", names.join(", "))),
    }
}

fn contexts(state: &mut State, ask: &Ask<'_>) -> Answer {
    let rows = |state: &State, keep: &dyn Fn(&str) -> bool| {
        let kept = state
            .contexts
            .iter()
            .filter(|(_, context)| keep(&context.application));
        let rows: Vec<Value> = kept.map(|(id, context)| state.context_row(id, context)).collect();
        answer::data(&json!({ "contexts": rows }))
    };
    match (ask.method, ask.segments) {
        ("GET", ["contexts"]) => rows(state, &|_| true),
        ("GET", ["contexts", "for-application", wanted]) => {
            rows(state, &|application| application == *wanted)
        }
        ("GET", ["contexts", id]) => match state.contexts.get(*id) {
            Some(context) => answer::data(&state.context_row(id, context)),
            None => answer::error(404, "Context not found"),
        },
        ("POST", ["contexts"]) => create_context(state, ask),
        ("POST", ["contexts", id, "join"]) => match state.contexts.contains_key(*id) {
            true => answer::data(&json!({ "contextId": id, "memberPublicKey": state.form.id("me") })),
            false => answer::error(404, "Context not found"),
        },
        ("DELETE", ["contexts", id]) => match state.contexts.remove(*id) {
            Some(_) => answer::data(&json!({ "isDeleted": true })),
            None => answer::error(400, "Invalid context id"),
        },
        _ => answer::empty(404, None),
    }
}

fn create_context(state: &mut State, ask: &Ask<'_>) -> Answer {
    let group = ask.text("groupId").unwrap_or_default();
    if group.len() != 64 || !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return answer::error(400, "Invalid group_id: expected hex-encoded 32 bytes");
    }
    let Some(bytes) = ask.body.get("initializationParams").and_then(Value::as_array) else {
        return answer::error(400, "Invalid JSON data: missing field `initializationParams`");
    };
    let bytes: Vec<u8> = bytes
        .iter()
        .filter_map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()))
        .collect();
    let application = ask.text("applicationId").unwrap_or_default();
    let Some(app) = state.apps.get(application).cloned() else {
        return answer::error(404, "Application not found");
    };
    let service = ask.text("serviceName");
    #[cfg(feature = "sandbox")]
    let instance = match crate::running::created(&app, service, &bytes) {
        Ok(instance) => instance,
        Err(message) => return answer::error(400, &message),
    };
    #[cfg(feature = "sandbox")]
    let is_interpreted = instance.is_none();
    #[cfg(not(feature = "sandbox"))]
    let is_interpreted = true;
    if is_interpreted && let Err(message) = initialise(&app, service, &bytes) {
        return answer::error(400, &message);
    }
    let id = state.create_context(application, service, group, ask.text("name"));
    #[cfg(feature = "sandbox")]
    if let Some(context) = state.contexts.get_mut(&id) {
        context.instance = instance;
    }
    let key = state.form.id("me");
    answer::data(&json!({ "contextId": id, "memberPublicKey": key, "groupId": group, "groupCreated": false }))
}

/// Runs `init`.
fn initialise(app: &App, service: Option<&str>, bytes: &[u8]) -> Result<(), String> {
    let manifest = app.services.iter().find(|(name, _)| name.as_deref() == service);
    let (_, manifest) = manifest.ok_or_else(|| "unknown service".to_owned())?;
    let arguments = if bytes.is_empty() {
        json!({})
    } else {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?
    };
    match run(
        manifest,
        app.behaviour,
        &mut Default::default(),
        "init",
        &arguments,
    ) {
        Ok(_) | Err(Trap::NoMethod) => Ok(()),
        Err(Trap::Error(error)) => Err(guest_error(&error)),
        Err(Trap::Panic(message)) => Err(format!("guest panicked: {message}")),
    }
}

fn aliases(state: &mut State, ask: &Ask<'_>) -> Answer {
    match (ask.method, ask.segments) {
        ("POST", ["alias", "create", "context"]) => {
            let (alias, context) = (
                ask.text("alias").unwrap_or_default(),
                ask.text("contextId").unwrap_or_default(),
            );
            if state.aliases.contains_key(alias) {
                return answer::error(409, "alias already exists");
            }
            state.aliases.insert(alias.to_owned(), context.to_owned());
            answer::data(&Value::Null)
        }
        ("POST", ["alias", "lookup", "context", name]) => {
            let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            if name.len() > 50 || !name.bytes().all(sound) {
                return answer::error(400, "Invalid alias");
            }
            answer::data(&json!({ "value": state.aliases.get(*name) }))
        }
        ("POST", ["alias", "delete", "context", name]) => {
            state.aliases.remove(*name);
            answer::data(&Value::Null)
        }
        ("GET", ["alias", "list", "context"]) => answer::data(&json!(state.aliases)),
        _ => answer::empty(404, None),
    }
}

fn blobs(state: &mut State, ask: &Ask<'_>) -> Answer {
    match (ask.method, ask.segments) {
        ("PUT", ["blobs"]) => {
            let id = state.form.id(&format!("{:?}", ask.bytes));
            state.blobs.insert(id.clone(), ask.bytes.to_vec());
            answer::data(&json!({ "blob_id": id, "size": ask.bytes.len() }))
        }
        ("GET", ["blobs"]) => {
            let rows: Vec<Value> = state
                .blobs
                .iter()
                .map(|(id, bytes)| json!({ "blob_id": id, "size": bytes.len() }))
                .collect();
            answer::data(&json!({ "blobs": rows }))
        }
        ("DELETE", ["blobs", id]) => match state.blobs.remove(*id) {
            Some(_) => answer::flat(&json!({ "blob_id": id, "deleted": true })),
            None => answer::error(404, "Blob not found"),
        },
        _ => answer::empty(404, None),
    }
}

fn namespaces(state: &mut State, ask: &Ask<'_>) -> Answer {
    match (ask.method, ask.segments) {
        ("GET", ["namespaces"]) => answer::data(&state.namespaces.values().cloned().collect()),
        ("POST", ["namespaces"]) => {
            let id = state.fresh_hex("namespace");
            let row = json!({ "namespaceId": id, "targetApplicationId": ask.text("applicationId"), "name": ask.text("name") });
            state.namespaces.insert(id.clone(), row);
            answer::data(&json!({ "namespaceId": id }))
        }
        ("DELETE", ["namespaces", id]) => {
            let deleted = state.namespaces.remove(*id).is_some();
            answer::data(&json!({ "isDeleted": deleted }))
        }
        ("POST", ["namespaces", id, "invite"]) => {
            let inner = json!({ "inviter_identity": [1, 2], "group_id": [3], "expiration_timestamp": 1, "secret_salt": [4], "invited_role": "Member" });
            let invitation = json!({ "invitation": inner, "inviter_signature": format!("sig-{id}") });
            answer::data(&json!({ "invitation": invitation, "groupName": "friends" }))
        }
        ("POST", ["namespaces", id, "join"]) => match ask.body.pointer("/invitation/inviter_signature") {
            Some(signature) if *signature == json!(format!("sig-{id}")) => answer::data(
                &json!({ "namespaceId": id, "memberIdentity": "me", "memberAccount": "account" }),
            ),
            _ => answer::error(400, "invitation signature mismatch"),
        },
        ("POST", ["namespaces", id, "leave"]) => {
            answer::data(&json!({ "namespaceId": id, "memberPublicKey": "me" }))
        }
        ("POST", ["namespaces", _, "groups"]) => {
            let id = state.fresh_hex("group");
            state
                .groups
                .insert(id.clone(), json!({ "groupId": id, "targetApplicationId": "app" }));
            answer::data(&json!({ "groupId": id }))
        }
        _ => answer::empty(404, None),
    }
}

fn groups(state: &mut State, ask: &Ask<'_>) -> Answer {
    match (ask.method, ask.segments) {
        ("POST", ["groups"]) => {
            let id = state.fresh_hex("group");
            state.groups.insert(
                id.clone(),
                json!({ "groupId": id, "parent": ask.text("parentGroupId") }),
            );
            answer::data(&json!({ "groupId": id }))
        }
        ("GET", ["groups", id]) => match state.groups.get(*id) {
            Some(row) => answer::data(row),
            None => answer::error(404, "Group not found"),
        },
        ("GET", ["groups", _, "members"]) => {
            answer::flat(&json!({ "members": [{ "identity": "ab", "role": "Admin" }] }))
        }
        ("POST", ["groups", _, "members"]) => {
            let empty = ask
                .body
                .get("members")
                .and_then(Value::as_array)
                .is_none_or(Vec::is_empty);
            match empty {
                true => answer::error(400, "members must not be empty"),
                false => answer::flat(&json!({})),
            }
        }
        ("PUT", ["groups", _, "settings", "subgroup-visibility"] | ["groups", _, "metadata"]) => {
            answer::flat(&json!({}))
        }
        ("POST", ["groups", id, "join-via-inheritance"]) => {
            answer::data(&json!({ "groupId": id, "memberPublicKey": "me", "wasInherited": true }))
        }
        _ => answer::empty(404, None),
    }
}
