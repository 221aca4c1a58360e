//! The tools about the node.

use crate::served::{Served, conformance, kv};

/// The last request that changed something. Lists are read all the time.
fn last_write(served: &Served) -> toolmesh_calimero_node::Recorded {
    let requests = served.node.requests().into_iter();
    let mut writes = requests.filter(|request| request.method != "GET" && !request.path.starts_with("/sse"));
    writes.next_back().unwrap()
}

#[tokio::test]
async fn the_tools_about_the_node_are_these() {
    let served = Served::with(Vec::new()).await;
    let snapshot = served.toolbox.snapshot();
    let mut text = String::new();
    for tool in snapshot.listed_tools() {
        let tool = tool.tool();
        let hints = tool.annotations();
        let effect = match (hints.read_only, hints.destructive) {
            (Some(true), _) => "reads",
            (_, Some(true)) => "destroys",
            _ => "writes",
        };
        let document = tool.input_schema().document();
        let names = document.get("properties").unwrap();
        let names: Vec<&str> = names.as_object().unwrap().keys().collect();
        let required = document
            .get("required")
            .map_or_else(|| "[]".to_owned(), |list| list.to_text());
        text.push_str(&format!(
            "{} {effect} ({}) needs {required}\n",
            tool.name(),
            names.join(", ")
        ));
    }
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn a_node_tells_where_it_is_and_what_it_has() {
    let served = Served::with(vec![kv()]).await;
    let status = served.done("node_status", "{}").await;
    assert_eq!(status.pointer("/health/status").unwrap().as_str(), Some("alive"));
    assert_eq!(status.get("url").unwrap().as_str(), Some(served.node.url()));
    assert_eq!(status.get("discoverySource").unwrap().as_str(), Some("env"));
    assert_eq!(served.done("list_nodes", "{}").await.to_text(), r#"{"nodes":[]}"#);
    let apps = served.done("list_applications", "{}").await;
    assert_eq!(
        apps.pointer("/apps/0/package").unwrap().as_str(),
        Some("com.calimero.kv-store")
    );
}

#[tokio::test]
async fn contexts_are_made_named_listed_and_deleted() {
    let served = Served::with(vec![kv(), conformance()]).await;
    let create = format!(
        r#"{{"application":"kv-store","namespace":"{}","name":"mine"}}"#,
        "c".repeat(64)
    );
    let created = served.done("create_context", &create).await;
    let id = created.get("contextId").unwrap().as_str().unwrap().to_owned();
    served
        .done(
            "create_alias",
            &format!(r#"{{"alias":"mine","contextId":"{id}"}}"#),
        )
        .await;
    assert_eq!(
        served.done("lookup_alias", r#"{"name":"mine"}"#).await.to_text(),
        format!(r#"{{"alias":"mine","contextId":"{id}"}}"#)
    );
    assert_eq!(
        served
            .done("lookup_alias", r#"{"name":"not possible!"}"#)
            .await
            .as_str(),
        Some("No context is called \"not possible!\".")
    );
    let listed = served
        .done("list_contexts", r#"{"application":"kv-store"}"#)
        .await;
    let heads = listed.pointer("/contexts/0/dagHeads/0").unwrap();
    assert_eq!(heads.as_str(), Some("01".repeat(32).as_str()));
    assert_eq!(
        served
            .done("list_contexts", r#"{"application":"abi_conformance"}"#)
            .await
            .to_text(),
        r#"{"contexts":[]}"#
    );
    served.done("join_context", r#"{"context":"mine"}"#).await;
    let told = served
        .refused(
            "create_alias",
            &format!(r#"{{"alias":"mine","contextId":"{id}"}}"#),
        )
        .await;
    assert_eq!(told, "alias already exists");
    assert_eq!(
        served
            .done("delete_context", r#"{"context":"mine"}"#)
            .await
            .to_text(),
        r#"{"isDeleted":true}"#
    );
    let bad = r#"{"application":"kv-store","namespace":"short"}"#;
    assert_eq!(
        served.refused("create_context", bad).await,
        "Invalid group_id: expected hex-encoded 32 bytes"
    );
}

#[tokio::test]
async fn blobs_are_kept_and_deleted() {
    let served = Served::with(Vec::new()).await;
    let stored = served.done("upload_blob", r#"{"data":"aGVsbG8="}"#).await;
    assert_eq!(stored.get("size").unwrap().as_u64(), Some(5));
    let id = stored.get("blobId").unwrap().as_str().unwrap().to_owned();
    let listed = served.done("list_blobs", "{}").await;
    assert_eq!(
        listed.to_text(),
        format!(r#"{{"blobs":[{{"blobId":"{id}","size":5}}]}}"#)
    );
    assert_eq!(
        served
            .done("delete_blob", &format!(r#"{{"blob":"{id}"}}"#))
            .await
            .to_text(),
        format!(r#"{{"blobId":"{id}","deleted":true}}"#)
    );
    assert_eq!(
        served
            .refused("delete_blob", &format!(r#"{{"blob":"{id}"}}"#))
            .await,
        "Blob not found"
    );
    assert_eq!(
        served.refused("upload_blob", r#"{"data":"?"}"#).await,
        "`data` is not base64."
    );
}

#[tokio::test]
async fn an_invitation_goes_on_exactly_as_it_came() {
    let served = Served::with(vec![kv()]).await;
    let made = served
        .done("create_namespace", r#"{"application":"kv-store","name":"n"}"#)
        .await;
    let id = made.get("namespaceId").unwrap().as_str().unwrap().to_owned();
    let invited = served
        .done("invite_to_namespace", &format!(r#"{{"namespace":"{id}"}}"#))
        .await;
    let invitation = invited.get("invitation").unwrap().to_text();
    let join = format!(r#"{{"namespace":"{id}","invitation":{invitation},"groupName":"friends"}}"#);
    served.done("join_namespace", &join).await;
    let sent = last_write(&served).body;
    assert_eq!(
        sent,
        format!(r#"{{"invitation":{invitation},"groupName":"friends"}}"#)
    );
    let forged = format!(r#"{{"namespace":"{id}","invitation":{{}}}}"#);
    assert_eq!(
        served.refused("join_namespace", &forged).await,
        "invitation signature mismatch"
    );
    served
        .done("leave_namespace", &format!(r#"{{"namespace":"{id}"}}"#))
        .await;
    let deleted = served
        .done("delete_namespace", &format!(r#"{{"namespace":"{id}"}}"#))
        .await;
    assert_eq!(deleted.to_text(), r#"{"isDeleted":true}"#);
}

#[tokio::test]
async fn groups_are_made_shown_and_joined() {
    let served = Served::with(vec![kv()]).await;
    let namespace = "d".repeat(64);
    let above = served
        .done(
            "create_group",
            &format!(r#"{{"namespace":"{namespace}","name":"g"}}"#),
        )
        .await;
    let above = above.get("groupId").unwrap().as_str().unwrap().to_owned();
    let below = format!(r#"{{"namespace":"{namespace}","parent":"{above}","visibility":"open"}}"#);
    let group = served
        .done("create_group", &below)
        .await
        .get("groupId")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let visibility = last_write(&served);
    assert_eq!(
        visibility.path,
        format!("/admin-api/groups/{group}/settings/subgroup-visibility")
    );
    assert_eq!(visibility.body, r#"{"subgroupVisibility":"open"}"#);
    let members = served
        .done("list_group_members", &format!(r#"{{"group":"{group}"}}"#))
        .await;
    assert_eq!(
        members.pointer("/members/0/role").unwrap().as_str(),
        Some("Admin")
    );
    let add = format!(r#"{{"group":"{group}","members":[{{"identity":"ab","role":"Member"}}]}}"#);
    served.done("add_group_members", &add).await;
    served
        .refused(
            "add_group_members",
            &format!(r#"{{"group":"{group}","members":[]}}"#),
        )
        .await;
    served
        .done(
            "set_group_visibility",
            &format!(r#"{{"group":"{group}","visibility":"restricted"}}"#),
        )
        .await;
    served
        .done(
            "set_group_metadata",
            &format!(r#"{{"group":"{group}","name":"n"}}"#),
        )
        .await;
    assert_eq!(last_write(&served).body, r#"{"name":"n","data":{}}"#);
    let joined = served
        .done("join_open_group", &format!(r#"{{"group":"{group}"}}"#))
        .await;
    assert_eq!(joined.get("wasInherited").unwrap().as_bool(), Some(true));
}
