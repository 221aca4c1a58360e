//! Logging in, and tokens that end.

use std::path::Path;

use toolmesh_calimero::{Node, NodeError, NodeSettings, Secret, TokenStore, Tokens};
use toolmesh_calimero_node::{Fault, LoopbackNode, Options};
use toolmesh_json::Value;

use crate::served::{Served, kv, settings};

async fn guarded() -> (LoopbackNode, String) {
    let node = LoopbackNode::start(Options {
        users: vec![("admin".to_owned(), "secret".to_owned())],
        ..Options::default()
    })
    .await;
    let id = node.install(kv());
    let context = node.create_context(&id, None);
    (node, context)
}

fn with_password(node: &LoopbackNode, folder: &Path) -> NodeSettings {
    NodeSettings {
        username: Some("admin".to_owned()),
        password: Some(Secret::new("secret")),
        state_dir: Some(folder.to_owned()),
        ..settings(node)
    }
}

async fn len(node: &Node, context: &str) -> Result<String, NodeError> {
    let answer = node.execute(context, "len", &Value::object().build(), None).await;
    answer.map(|value| value.to_text())
}

fn only_store(folder: &Path) -> std::path::PathBuf {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut stores: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    assert_eq!(stores.len(), 1, "{stores:?}");
    stores.remove(0)
}

#[tokio::test]
async fn a_user_logs_in_once_and_the_tokens_are_for_the_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (server, context) = guarded().await;
    let node = Node::new(with_password(&server, &state));
    assert_eq!(len(&node, &context).await.unwrap(), "0");
    assert_eq!(len(&node, &context).await.unwrap(), "0");
    let again = Node::new(with_password(&server, &state));
    assert_eq!(len(&again, &context).await.unwrap(), "0");
    assert_eq!(server.count("/auth/token"), 1);
    assert_eq!(again.auth_mode().await.unwrap(), "credentials");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&only_store(&state)), 0o600);
        assert_eq!(mode(&state), 0o700);
    }
    let leftovers = std::fs::read_dir(&state).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|end| end == "tmp")
    });
    assert_eq!(leftovers.count(), 0);
}

#[tokio::test]
async fn a_wrong_password_and_no_login_are_told_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let mut wrong = with_password(&server, folder.path());
    wrong.password = Some(Secret::new("guess"));
    let error = len(&Node::new(wrong.clone()), &context).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The node does not accept the password of `admin`."
    );
    assert!(!format!("{wrong:?}").contains("guess"));
    let error = len(&Node::new(settings(&server)), &context).await.unwrap_err();
    assert!(
        error.to_string().starts_with("The node asks for a login"),
        "{error}"
    );
}

#[tokio::test]
async fn an_ended_token_is_renewed_once_however_many_requests_find_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let node = Node::new(with_password(&server, folder.path()));
    len(&node, &context).await.unwrap();
    server.expire_tokens();
    let calls = (0..16).map(|_| len(&node, &context));
    for answer in futures_util::future::join_all(calls).await {
        assert_eq!(answer.unwrap(), "0");
    }
    assert_eq!(server.count("/auth/refresh"), 1);
    assert_eq!(server.count("/auth/token"), 1);
}

#[tokio::test]
async fn tokens_that_another_client_of_the_store_renewed_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let first = Node::new(with_password(&server, folder.path()));
    let second = Node::new(with_password(&server, folder.path()));
    len(&first, &context).await.unwrap();
    len(&second, &context).await.unwrap();
    server.expire_tokens();
    let (one, other) = tokio::join!(len(&first, &context), len(&second, &context));
    assert_eq!((one.unwrap(), other.unwrap()), ("0".to_owned(), "0".to_owned()));
    assert_eq!(server.count("/auth/refresh"), 1, "a refresh token works once");
}

#[tokio::test]
async fn a_revoked_token_ends_the_session_and_the_next_request_logs_in_again() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let node = Node::new(with_password(&server, folder.path()));
    len(&node, &context).await.unwrap();
    server.revoke_tokens();
    let error = len(&node, &context).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The node revoked the access; log in again and retry."
    );
    assert_eq!(len(&node, &context).await.unwrap(), "0");
}

#[tokio::test]
async fn a_node_that_revokes_every_token_is_told_of_each_time_and_asked_once_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let node = Node::new(with_password(&server, folder.path()));
    len(&node, &context).await.unwrap();
    server.switch_on(Fault::RevokedToken);
    for round in 1..=3 {
        let error = len(&node, &context).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "The node revoked the access; log in again and retry."
        );
        assert_eq!(
            server.count("/jsonrpc"),
            1 + round,
            "nothing is tried again and again"
        );
    }
    server.switch_off(Fault::RevokedToken);
    assert_eq!(len(&node, &context).await.unwrap(), "0");
}

#[tokio::test]
async fn a_refresh_token_that_was_used_already_ends_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let node = Node::new(with_password(&server, folder.path()));
    len(&node, &context).await.unwrap();
    let store = TokenStore::new(folder.path(), server.url(), "admin");
    let stolen = store.load().unwrap();
    server.expire_tokens();
    len(&node, &context).await.unwrap();
    // An older copy of the file comes back, as from a backup.
    store.save(&stolen).unwrap();
    server.expire_tokens();
    let restored = Node::new(with_password(&server, folder.path()));
    let error = len(&restored, &context).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "A token was used twice, and the node ended the session; log in again and retry."
    );
    assert_eq!(store.load(), None);
}

#[tokio::test]
async fn a_node_that_was_set_up_anew_gets_a_new_login() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let node = Node::new(with_password(&server, folder.path()));
    len(&node, &context).await.unwrap();
    server.forget_tokens();
    assert_eq!(len(&node, &context).await.unwrap(), "0");
    assert_eq!(server.count("/auth/token"), 2);
}

#[tokio::test]
async fn of_a_stored_token_and_a_given_one_the_newer_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let given = |(access, refresh): (String, String)| NodeSettings {
        access_token: Some(Secret::new(access)),
        refresh_token: Some(Secret::new(refresh)),
        state_dir: Some(folder.path().to_owned()),
        ..settings(&server)
    };
    let (older, newer) = (server.tokens(), server.tokens());
    let store = TokenStore::new(folder.path(), server.url(), "");
    len(&Node::new(given(older.clone())), &context).await.unwrap();
    assert_eq!(store.load().unwrap().access, older.0);
    len(&Node::new(given(newer.clone())), &context).await.unwrap();
    assert_eq!(
        store.load().unwrap().access,
        newer.0,
        "a newer token replaces what is stored"
    );
    len(&Node::new(given(older)), &context).await.unwrap();
    assert_eq!(store.load().unwrap().access, newer.0, "an older one does not");
    let opaque = ("opaque".to_owned(), "r".to_owned());
    len(&Node::new(given(opaque)), &context).await.unwrap();
    assert_eq!(
        store.load().unwrap().access,
        newer.0,
        "and what cannot be told neither"
    );
}

#[tokio::test]
async fn a_handed_over_token_is_for_its_own_node_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let (access, refresh) = server.tokens();
    let file = serde_json::json!({ "nodeUrl": server.url(), "accessToken": access, "refreshToken": refresh });
    std::fs::write(folder.path().join("agent.json"), file.to_string()).unwrap();
    let mut handed = NodeSettings {
        state_dir: Some(folder.path().to_owned()),
        probed: Vec::new(),
        ..NodeSettings::default()
    };
    let node = Node::new(handed.clone());
    assert_eq!(len(&node, &context).await.unwrap(), "0");
    assert_eq!(node.auth_mode().await.unwrap(), "handoff");
    let (other, _) = guarded().await;
    handed.url = Some(other.url().to_owned());
    let stranger = Node::new(handed);
    assert!(matches!(
        len(&stranger, &context).await,
        Err(NodeError::Unauthorized(_))
    ));
    assert_eq!(stranger.auth_mode().await.unwrap(), "none");
}

#[test]
fn a_damaged_store_counts_as_none_and_no_token_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let store = TokenStore::new(folder.path(), "http://n", "u");
    assert_eq!(store.load(), None);
    let tokens = Tokens {
        access: "top-secret".to_owned(),
        refresh: Some("as-well".to_owned()),
        expires_at: 7,
    };
    store.save(&tokens).unwrap();
    assert_eq!(store.load(), Some(tokens.clone()));
    assert!(!format!("{tokens:?}").contains("secret") && !format!("{tokens:?}").contains("well"));
    std::fs::write(store.path(), b"{\"access_token\":").unwrap();
    assert_eq!(store.load(), None);
    assert_ne!(
        store.path(),
        TokenStore::new(folder.path(), "http://n", "v").path()
    );
}

#[tokio::test]
async fn a_session_works_through_the_tools_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let (server, context) = guarded().await;
    let settings = with_password(&server, folder.path());
    let served = Served::start(server, settings).await;
    served.node.switch_on(Fault::ExpiredToken);
    let answer = served
        .done("kv_store_len", &format!(r#"{{"_context":"{context}"}}"#))
        .await;
    assert_eq!(answer.to_text(), r#"{"result":0}"#);
    let status = served.done("node_status", "{}").await;
    assert_eq!(status.get("authMode").unwrap().as_str(), Some("credentials"));
    assert_eq!(served.source.node().found().await.unwrap().url, served.node.url());
}
