//! What is special about a store in a file.

use std::sync::Arc;

use toolmesh_store::{OpenError, StoreLocation, open};
use toolmesh_tool::task::TaskId;

use crate::support::{new_task, opened};

fn location(folder: &tempfile::TempDir) -> String {
    format!("sqlite:{}", folder.path().join("odd name?#%.db").display())
}

#[tokio::test]
async fn a_file_keeps_its_tasks_from_one_opening_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let location = location(&folder);
    let created = opened(&location).await.create(new_task("e", "a")).await.unwrap();
    let found = opened(&location).await.load(&TaskId::new("a")).await.unwrap();
    assert_eq!(found.task, created);
}

#[tokio::test]
async fn many_open_one_new_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let location = Arc::new(location(&folder));
    let openings = (0..8).map(|n| {
        let location = Arc::clone(&location);
        tokio::spawn(async move {
            let store = opened(&location).await;
            store.create(new_task("e", &n.to_string())).await.unwrap();
        })
    });
    for opening in openings.collect::<Vec<_>>() {
        opening.await.unwrap();
    }
    assert_eq!(opened(&location).await.resumable("e", 99).await.unwrap().len(), 8);
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = opened(&location(&folder)).await;
    store.create(new_task("e", "a")).await.unwrap();
    let mut files = 0;
    for entry in folder.path().read_dir().unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
        files += 1;
    }
    assert!(files >= 2, "the file and its log");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let location = location(&folder);
    drop(opened(&location).await);
    let url = format!("sqlite://{}/odd%20name%3F%23%25.db", folder.path().display());
    let pool = sqlx::AnyPool::connect(&url).await.unwrap();
    sqlx::query("UPDATE toolmesh_schema SET version = 99")
        .execute(&pool)
        .await
        .unwrap();
    let refused = open(&StoreLocation::parse(&location).unwrap()).await;
    assert!(matches!(refused.err(), Some(OpenError::Newer { known: 1 })));
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_told_with_its_name() {
    let refused = open(&StoreLocation::parse("sqlite:/no/such/folder/tasks.db").unwrap()).await;
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("/no/such/folder/tasks.db"), "{error}");
}
