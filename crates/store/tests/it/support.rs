//! What several tests need.

use std::{sync::Arc, time::Duration};

use toolmesh_store::{StoreLocation, open};
use toolmesh_tool::{
    Caller, ClientCapabilities, TaskStore, Transport,
    json::{Value, parse},
    semver::Version,
    task::{NewTask, TaskCall, TaskId, TaskOwner},
};

pub(crate) const LEASE: Duration = Duration::from_secs(10);

pub(crate) fn json(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}

pub(crate) fn owner(endpoint: &str) -> TaskOwner {
    TaskOwner {
        endpoint: endpoint.into(),
        partition: "p".into(),
    }
}

pub(crate) fn new_task(endpoint: &str, id: &str) -> NewTask {
    NewTask {
        id: TaskId::new(id),
        owner: owner(endpoint),
        call: TaskCall {
            tool: "work".into(),
            version: Version::new(1, 0, 0),
            arguments: json(r#"{"n":18446744073709551616,"nul":"\u0000"}"#),
            caller: Caller::authenticated("me", Transport::Http),
            revision: Some("2026-07-28".into()),
            capabilities: ClientCapabilities::default(),
            idempotency_key: "k".into(),
        },
        checkpoint: None,
        time_to_live: Some(Duration::from_secs(3_600)),
    }
}

pub(crate) async fn opened(location: &str) -> Arc<dyn TaskStore> {
    let location = StoreLocation::parse(location).unwrap();
    open(&location)
        .await
        .unwrap_or_else(|error| panic!("{location:?}: {error}"))
}
