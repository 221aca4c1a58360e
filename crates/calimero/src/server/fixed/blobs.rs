//! Installing applications, and blobs.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};
use toolmesh_json::{Value, View};
use toolmesh_tool::{CallContext, Tool};

use super::{Answer, Effect, needed, schema::Input, text, tool};
use crate::execute::ExecuteError;
use crate::node::Call;
use crate::server::{Shared, naming};

pub(super) fn tools(shared: &Arc<Shared>) -> Vec<Tool> {
    [
        tool(
            shared,
            "install_application",
            "Installs an application from the node's registry.",
            Effect::Writes,
            Input::default().text("coords", "package@version").build(),
            install,
        ),
        tool(
            shared,
            "uninstall_application",
            "Removes an application from the node. Its contexts stay and cannot be called.",
            Effect::Destroys,
            Input::default()
                .text("application", "Application id, package, or name")
                .build(),
            uninstall,
        ),
        tool(
            shared,
            "upload_blob",
            "Stores bytes on the node.",
            Effect::Writes,
            Input::default()
                .text("data", "The bytes in base64")
                .maybe("hash", "The hash that they must have")
                .maybe("context", "A context that they are told to")
                .build(),
            upload,
        ),
        tool(
            shared,
            "list_blobs",
            "The blobs on the node.",
            Effect::Reads,
            Input::none(),
            list,
        ),
        tool(
            shared,
            "delete_blob",
            "Deletes a blob.",
            Effect::Destroys,
            Input::default().text("blob", "Blob id").build(),
            delete,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Offers what is there after a change. When that cannot be read now, the next poll does it.
async fn refresh(shared: &Arc<Shared>) {
    if let Err(error) = shared.refresh().await {
        tracing::warn!(%error, "the installed applications cannot be read now");
    }
}

async fn install(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let coords = needed(&arguments, "coords");
    let halves = coords
        .split_once('@')
        .filter(|(package, version)| !package.is_empty() && !version.is_empty());
    let Some((package, version)) = halves else {
        return Err(ExecuteError::Refused(
            "Expected package@version, such as com.example.shop@1.2.0.".to_owned(),
        ));
    };
    let body = Value::object().put("package", package).put("version", version);
    let call = Call::post(&["install-application"], body);
    let answer = shared.ask(&context, call).await?;
    refresh(&shared).await;
    Ok(answer.into())
}

async fn uninstall(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let wanted = needed(&arguments, "application");
    let apps = shared.apps_with(wanted).await?;
    let id = naming::find(&apps, wanted)?.id.clone().unwrap_or_default();
    let answer = shared.ask(&context, Call::delete(&["applications", &id])).await?;
    refresh(&shared).await;
    Ok(answer.into())
}

async fn upload(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let bytes = STANDARD
        .decode(needed(&arguments, "data").trim())
        .map_err(|_| ExecuteError::Refused("`data` is not base64.".to_owned()))?;
    let context_id = match text(&arguments, "context") {
        Some(wanted) => Some(shared.context_id(wanted).await?),
        None => None,
    };
    let call = Call::put_bytes(&["blobs"], bytes)
        .query("hash", text(&arguments, "hash"))
        .query("context_id", context_id.as_deref());
    let answer = shared.ask(&context, call).await?;
    Ok(blob(answer.view()).into())
}

async fn list(shared: Arc<Shared>, context: CallContext, _arguments: Value) -> Answer {
    let answer = shared.ask(&context, Call::get(&["blobs"])).await?;
    let blobs = answer.get("blobs").and_then(View::as_array);
    let blobs: Value = blobs.into_iter().flatten().map(blob).collect();
    Ok(Value::object().put("blobs", blobs).into())
}

async fn delete(shared: Arc<Shared>, context: CallContext, arguments: Value) -> Answer {
    let call = Call::delete(&["blobs", needed(&arguments, "blob")]);
    let answer = shared.ask(&context, call).await?;
    Ok(blob(answer.view()).into())
}

/// A blob under the names that the other answers use.
fn blob(row: View<'_>) -> Value {
    let mut shown = Value::object();
    for (key, value) in row.as_object().into_iter().flatten() {
        shown.insert(if key == "blob_id" { "blobId" } else { key }, value);
    }
    shown.build()
}
