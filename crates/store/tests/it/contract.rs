//! What every store keeps, whatever it is made of.

use std::{sync::Arc, time::Duration};

use toolmesh_store::{StoreLocation, StoreSettings, open_with};
use toolmesh_testkit::Postgres;
use toolmesh_tool::{
    InputRequest, InputRequired, TaskFailure, TaskOutcome, TaskState, TaskStore, TaskStoreError, ToolResult,
    json::Value,
    task::{ClaimToken, NewTask, TaskChange, TaskId, TaskOwner, TaskStep},
};

use crate::support::{LEASE, json, new_task, opened, owner};

#[tokio::test]
async fn memory_keeps_the_contract() {
    keeps_the_contract(&opened("memory").await).await;
}

#[tokio::test]
async fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let location = format!("sqlite:{}", folder.path().join("tasks.db").display());
    keeps_the_contract(&opened(&location).await).await;
}

#[tokio::test]
async fn postgres_keeps_the_contract() {
    let server = Postgres::start();
    let store = opened(&server.url()).await;
    keeps_the_contract(&store).await;
    // A second server finds the schema there and the tasks in it.
    let again = opened(&server.url()).await;
    assert!(again.load(&TaskId::new("created-a")).await.is_ok());
}

#[tokio::test]
async fn a_database_holds_a_bounded_number_of_live_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start();
    let file = format!("sqlite:{}", folder.path().join("tasks.db").display());
    for location in [file, server.url()] {
        let location = StoreLocation::parse(&location).unwrap();
        let store = open_with(&location, StoreSettings { live_tasks: 2 })
            .await
            .unwrap();
        let first = create(&store, "live", "a").await;
        create(&store, "live", "b").await;
        let more = store.create(new_task("live", "live-c")).await;
        assert!(matches!(more, Err(TaskStoreError::Full)), "{more:?}");
        create(&store, "another endpoint", "a").await;
        store.request_cancel(&owner("live"), &first).await.unwrap();
        assert!(store.create(new_task("live", "live-c")).await.is_ok());
    }
}

async fn keeps_the_contract(store: &Arc<dyn TaskStore>) {
    a_task_comes_back_as_it_was_created(store).await;
    a_taken_identifier_is_refused(store).await;
    another_owners_task_is_not_there(store).await;
    of_many_who_claim_a_task_one_gets_it(store).await;
    a_worker_that_lost_its_lease_is_refused(store).await;
    a_lease_is_renewed(store).await;
    what_is_asked_and_answered_comes_back(store).await;
    every_end_is_kept_and_final(store).await;
    cancelling_is_noted(store).await;
    what_expired_is_gone(store).await;
    claimable_tasks_are_listed_within_the_limit(store).await;
    no_write_is_lost_among_many(store).await;
    a_checkpoint_of_any_text_is_kept(store).await;
}

async fn create(store: &Arc<dyn TaskStore>, endpoint: &str, id: &str) -> TaskId {
    let created = store
        .create(new_task(endpoint, &format!("{endpoint}-{id}")))
        .await;
    created.unwrap().id
}

async fn claim(store: &Arc<dyn TaskStore>, id: &TaskId) -> ClaimToken {
    store.claim(id, "w", LEASE).await.unwrap().token
}

async fn a_task_comes_back_as_it_was_created(store: &Arc<dyn TaskStore>) {
    let created = store.create(new_task("created", "created-a")).await.unwrap();
    let found = store.find(&owner("created"), &created.id).await.unwrap();
    assert_eq!(found, created);
    assert_eq!(found.call, new_task("created", "created-a").call);
    let with_checkpoint = NewTask {
        checkpoint: Some("c".into()),
        time_to_live: None,
        ..new_task("created", "created-b")
    };
    let created = store.create(with_checkpoint).await.unwrap();
    let found = store.find(&owner("created"), &created.id).await.unwrap();
    assert_eq!(
        (found.checkpoint.as_deref(), found.time_to_live),
        (Some("c"), None)
    );
}

async fn a_taken_identifier_is_refused(store: &Arc<dyn TaskStore>) {
    create(store, "taken", "a").await;
    let again = store.create(new_task("taken", "taken-a")).await;
    assert!(matches!(again, Err(TaskStoreError::Exists)), "{again:?}");
}

async fn another_owners_task_is_not_there(store: &Arc<dyn TaskStore>) {
    let id = create(store, "owned", "a").await;
    let partition = TaskOwner {
        partition: "q".into(),
        ..owner("owned")
    };
    for other in [partition, owner("elsewhere")] {
        assert!(matches!(
            store.find(&other, &id).await,
            Err(TaskStoreError::Unknown)
        ));
        let cancelled = store.request_cancel(&other, &id).await;
        assert!(matches!(cancelled, Err(TaskStoreError::Unknown)));
        let answered = store.answer(&other, &id, json("{}")).await;
        assert!(matches!(answered, Err(TaskStoreError::Unknown)));
    }
}

async fn of_many_who_claim_a_task_one_gets_it(store: &Arc<dyn TaskStore>) {
    let id = create(store, "many", "a").await;
    let claims = (0..16).map(|n| {
        let (store, id) = (Arc::clone(store), id.clone());
        tokio::spawn(async move { store.claim(&id, &format!("w{n}"), LEASE).await.is_ok() })
    });
    let mut winners = 0;
    for claim in claims.collect::<Vec<_>>() {
        winners += u32::from(claim.await.unwrap());
    }
    assert_eq!(winners, 1);
}

async fn a_worker_that_lost_its_lease_is_refused(store: &Arc<dyn TaskStore>) {
    let id = create(store, "lost", "a").await;
    // Longer than a busy machine needs for two statements.
    let short = Duration::from_millis(400);
    let old = store.claim(&id, "old", short).await.unwrap();
    assert_eq!((old.step, old.token), (TaskStep::Start, ClaimToken(1)));
    let early = store.claim(&id, "new", LEASE).await;
    assert!(matches!(early, Err(TaskStoreError::NotClaimable)), "{early:?}");
    tokio::time::sleep(short + short / 4).await;
    let new = store.claim(&id, "new", LEASE).await.unwrap();
    assert_eq!((new.step, new.token), (TaskStep::Resume, ClaimToken(2)));
    let end = || TaskChange::End(TaskOutcome::Completed(ToolResult::text("old")));
    let late = store.change(&id, old.token, end()).await;
    assert!(matches!(late, Err(TaskStoreError::LeaseLost)), "{late:?}");
    let late = store.renew(&id, old.token, LEASE).await;
    assert!(matches!(late, Err(TaskStoreError::LeaseLost)), "{late:?}");
    assert!(store.change(&id, new.token, end()).await.is_ok());
}

async fn a_lease_is_renewed(store: &Arc<dyn TaskStore>) {
    let id = create(store, "renewed", "a").await;
    let short = Duration::from_millis(40);
    let token = store.claim(&id, "w", short).await.unwrap().token;
    let renewed = store.renew(&id, token, LEASE).await.unwrap();
    assert!(!renewed.cancel_requested);
    tokio::time::sleep(short * 2).await;
    assert!(store.claim(&id, "other", LEASE).await.is_err());
    assert!(store.resumable("renewed", 9).await.unwrap().is_empty());
}

async fn what_is_asked_and_answered_comes_back(store: &Arc<dyn TaskStore>) {
    let id = create(store, "asked", "a").await;
    let token = claim(store, &id).await;
    let schema = json(r#"{"type":"object","properties":{"n":{"type":"number","minimum":0.10}}}"#);
    let message = "How many?\u{0}".to_owned();
    let form = InputRequest::Elicitation { message, schema };
    let input = InputRequired::one("n", form)
        .and("roots", InputRequest::Roots)
        .with_state("h");
    store
        .change(&id, token, TaskChange::Ask(input.clone()))
        .await
        .unwrap();
    let asking = store.find(&owner("asked"), &id).await.unwrap();
    assert_eq!(
        (asking.state, asking.lease),
        (TaskState::InputRequired(input), None)
    );
    assert!(store.resumable("asked", 9).await.unwrap().is_empty());
    let half = store
        .answer(&owner("asked"), &id, json(r#"{"n":1.50}"#))
        .await
        .unwrap();
    assert_eq!(half.outstanding().len(), 1);
    store
        .answer(&owner("asked"), &id, json(r#"{"roots":[]}"#))
        .await
        .unwrap();
    assert_eq!(
        store.resumable("asked", 9).await.unwrap(),
        std::slice::from_ref(&id)
    );
    let next = store.claim(&id, "w", LEASE).await.unwrap();
    assert_eq!(next.step, TaskStep::Answered);
    assert_eq!(
        next.task.answers_value().unwrap().to_text(),
        r#"{"n":1.50,"roots":[]}"#
    );
    assert_eq!(
        (next.task.handler_state.as_deref(), next.task.rounds),
        (Some("h"), 1)
    );
}

async fn every_end_is_kept_and_final(store: &Arc<dyn TaskStore>) {
    let failure = TaskFailure {
        code: "internal".into(),
        message: "The tool failed.".into(),
    };
    let result = ToolResult::error_text("no\u{0}").with_structured(json(r#"{"exact":1.10}"#));
    let structured_null = ToolResult::structured(Value::null());
    for (n, outcome) in [
        TaskOutcome::Completed(result),
        TaskOutcome::Completed(structured_null),
        TaskOutcome::Failed(failure),
        TaskOutcome::Cancelled,
    ]
    .into_iter()
    .enumerate()
    {
        let id = create(store, "ended", &n.to_string()).await;
        let token = claim(store, &id).await;
        store
            .change(&id, token, TaskChange::End(outcome.clone()))
            .await
            .unwrap();
        let ended = store.find(&owner("ended"), &id).await.unwrap();
        assert_eq!(ended.state, TaskState::Ended(outcome));
        let again = store.change(&id, token, TaskChange::Status("s".into())).await;
        assert!(matches!(again, Err(TaskStoreError::Ended)), "{again:?}");
        assert!(matches!(
            store.claim(&id, "w", LEASE).await,
            Err(TaskStoreError::Ended)
        ));
        assert_eq!(store.find(&owner("ended"), &id).await.unwrap(), ended);
    }
}

async fn cancelling_is_noted(store: &Arc<dyn TaskStore>) {
    let waiting = create(store, "cancelled", "a").await;
    let task = store.request_cancel(&owner("cancelled"), &waiting).await.unwrap();
    assert_eq!(task.state, TaskState::Ended(TaskOutcome::Cancelled));
    let working = create(store, "cancelled", "b").await;
    let token = claim(store, &working).await;
    store.request_cancel(&owner("cancelled"), &working).await.unwrap();
    assert!(
        store
            .renew(&working, token, LEASE)
            .await
            .unwrap()
            .cancel_requested
    );
}

async fn what_expired_is_gone(store: &Arc<dyn TaskStore>) {
    let short = NewTask {
        time_to_live: Some(Duration::from_millis(20)),
        ..new_task("expired", "expired-a")
    };
    let id = store.create(short).await.unwrap().id;
    let stays = create(store, "expired", "b").await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert!(matches!(store.load(&id).await, Err(TaskStoreError::Unknown)));
    assert!(matches!(
        store.claim(&id, "w", LEASE).await,
        Err(TaskStoreError::Unknown)
    ));
    assert_eq!(
        store.resumable("expired", 9).await.unwrap(),
        std::slice::from_ref(&stays)
    );
    assert_eq!(store.remove_expired().await.unwrap(), 1);
    assert_eq!(store.remove_expired().await.unwrap(), 0);
    assert!(store.load(&stays).await.is_ok());
}

async fn claimable_tasks_are_listed_within_the_limit(store: &Arc<dyn TaskStore>) {
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(create(store, "listed", &n.to_string()).await);
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    claim(store, &ids[0]).await;
    let listed = |limit| store.resumable("listed", limit);
    assert_eq!(listed(9).await.unwrap(), ids[1..]);
    assert_eq!(listed(3).await.unwrap(), ids[1..]);
    assert_eq!(listed(2).await.unwrap(), ids[1..3]);
    assert!(listed(0).await.unwrap().is_empty());
    assert!(store.resumable("nowhere", 9).await.unwrap().is_empty());
}

async fn no_write_is_lost_among_many(store: &Arc<dyn TaskStore>) {
    let id = create(store, "busy", "a").await;
    let token = claim(store, &id).await;
    let before = store.load(&id).await.unwrap().task.revision;
    let writers = (0..8).map(|n| {
        let (store, id) = (Arc::clone(store), id.clone());
        tokio::spawn(async move {
            let checkpoint = TaskChange::Checkpoint(n.to_string());
            store.change(&id, token, checkpoint).await.unwrap();
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let after = store.load(&id).await.unwrap().task.revision;
    assert_eq!(after - before, 8);
}

async fn a_checkpoint_of_any_text_is_kept(store: &Arc<dyn TaskStore>) {
    let id = create(store, "text", "a").await;
    let token = claim(store, &id).await;
    let text = "\u{0}'\"\\\u{10ffff}\n".repeat(1_000);
    store
        .change(&id, token, TaskChange::Checkpoint(text.clone()))
        .await
        .unwrap();
    assert_eq!(store.load(&id).await.unwrap().task.checkpoint, Some(text));
}
