//! Calls that become tasks, through the dispatcher, over the memory store.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use toolmesh_tool::{
    CallError, CallRequest, Caller, ClientCapabilities, Dispatcher, FrontInfo, InputDeclaration, InputKind,
    InputRequest, InputRequired, MemoryTaskStore, Outcome, TASKS_EXTENSION, Task, TaskFailure, TaskId,
    TaskMode, TaskOutcome, TaskSettings, TaskState, TaskStore, Tool, ToolBuildError, ToolResult, Transport,
    dispatcher::{Sanitizer, TaskRequest},
    json::Value,
    schema::Profile,
    task::TaskChange,
};

use crate::support::{builder, caller, code, json};

/// Leases of a hundredth of the usual length: what dies is missed within a tenth of a second.
fn quick() -> TaskSettings {
    TaskSettings {
        lease: Duration::from_millis(200),
        cancel_grace: Duration::from_millis(200),
        ..TaskSettings::default()
    }
}

fn front() -> FrontInfo {
    FrontInfo {
        capabilities: ClientCapabilities {
            elicitation_form: true,
            extensions: vec![TASKS_EXTENSION.to_owned()],
            ..ClientCapabilities::default()
        },
        ..FrontInfo::default()
    }
}

fn call(tool: &str) -> CallRequest {
    CallRequest::new(tool, json("{}"), caller()).front(front())
}

fn ask(id: &TaskId) -> TaskRequest {
    TaskRequest::new(id.as_str(), caller())
}

fn created(outcome: Outcome) -> TaskId {
    match outcome {
        Outcome::TaskCreated(id) => id,
        other => panic!("no task was created: {other:?}"),
    }
}

/// Waits until the task is where `stop` wants it.
async fn until(dispatcher: &Dispatcher, id: &TaskId, stop: impl Fn(&Task) -> bool) -> Task {
    for _ in 0..1_000 {
        let task = dispatcher.task(ask(id)).await.unwrap();
        if stop(&task) {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the task is stuck: {:?}", dispatcher.task(ask(id)).await);
}

async fn outcome(dispatcher: &Dispatcher, id: &TaskId) -> TaskOutcome {
    match until(dispatcher, id, Task::is_ended).await.state {
        TaskState::Ended(outcome) => outcome,
        other => panic!("it is not over: {other:?}"),
    }
}

fn text(outcome: &TaskOutcome) -> String {
    match outcome {
        TaskOutcome::Completed(result) => result.joined_text(),
        other => panic!("it did not complete: {other:?}"),
    }
}

fn failure(outcome: TaskOutcome) -> TaskFailure {
    match outcome {
        TaskOutcome::Failed(failure) => failure,
        other => panic!("it did not fail: {other:?}"),
    }
}

fn required<F, Fut>(name: &str, run: F) -> Tool
where
    F: Fn(toolmesh_tool::CallContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    Tool::with_name(name)
        .json_object_arguments()
        .handler(run)
        .tasks(TaskMode::Required)
        .input_request(InputDeclaration::conditional(InputKind::ElicitationForm))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_call_of_a_task_required_tool_becomes_a_task_that_completes() {
    let tool = required("slow", |context, _| async move {
        assert!(context.task().is_some());
        ToolResult::text("done")
    });
    let dispatcher = builder(vec![tool]).build();
    let id = created(dispatcher.call(call("slow")).await);
    assert_eq!(text(&outcome(&dispatcher, &id).await), "done");
}

#[tokio::test]
async fn a_client_that_does_not_know_tasks_cannot_call_it() {
    let dispatcher = builder(vec![required("slow", |_, _| async { ToolResult::text("x") })]).build();
    let plain = CallRequest::new("slow", json("{}"), caller());
    assert_eq!(code(&dispatcher.call(plain).await), "missing_capability");
}

#[tokio::test]
async fn arguments_are_checked_before_a_task_is_made() {
    let tool = Tool::with_name("slow")
        .input_schema(
            json(r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#),
            Profile::Profile1,
        )
        .handler(|_, _| async { ToolResult::text("x") })
        .tasks(TaskMode::Required)
        .build()
        .unwrap();
    let dispatcher = builder(vec![tool]).build();
    assert_eq!(code(&dispatcher.call(call("slow")).await), "invalid_arguments");
}

fn allowed() -> Tool {
    Tool::with_name("maybe")
        .json_object_arguments()
        .handler(|context, _| async move {
            if !context.can_create_task() {
                return Ok(Outcome::from(ToolResult::text("at once")));
            }
            let id = context.create_task(Some("half".into())).await?;
            Ok::<_, CallError>(Outcome::TaskCreated(id))
        })
        .resume(|_, resumption| async move {
            ToolResult::text(format!(
                "resumed from {}",
                resumption.checkpoint.unwrap_or_default()
            ))
        })
        .tasks(TaskMode::Allowed)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_handler_that_may_goes_on_in_a_task_from_where_it_is() {
    let dispatcher = builder(vec![allowed()]).build();
    let id = created(dispatcher.call(call("maybe")).await);
    assert_eq!(text(&outcome(&dispatcher, &id).await), "resumed from half");
    let plain = CallRequest::new("maybe", json("{}"), caller());
    let done = dispatcher.call(plain).await.completed().unwrap();
    assert_eq!(done.joined_text(), "at once");
}

#[test]
fn a_tool_whose_calls_may_become_tasks_needs_something_that_goes_on_with_them() {
    let built = Tool::with_name("maybe")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("x") })
        .tasks(TaskMode::Allowed)
        .build();
    assert!(matches!(built, Err(ToolBuildError::NoResumeHandler { .. })));
}

#[tokio::test]
async fn another_partitions_task_is_not_there() {
    let dispatcher = builder(vec![required("slow", |_, _| async { ToolResult::text("x") })]).build();
    let id = created(dispatcher.call(call("slow")).await);
    outcome(&dispatcher, &id).await;
    let eve = || TaskRequest::new(id.as_str(), Caller::authenticated("eve", Transport::Http));
    let answers = [
        dispatcher.task(eve()).await.map(drop),
        dispatcher.answer_task(eve(), json("{}")).await,
        dispatcher.cancel_task(eve()).await,
        dispatcher
            .task(TaskRequest::new("nothing", caller()))
            .await
            .map(drop),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(CallError::NotFound("task"))), "{answer:?}");
    }
}

#[tokio::test]
async fn a_task_asks_waits_and_goes_on_with_the_answers() {
    let tool = required("ask", |context, _| async move {
        let answer = context
            .input_responses()
            .and_then(|answers| answers.get("name")?.as_str().map(str::to_owned));
        match answer {
            Some(name) => Outcome::from(ToolResult::text(format!(
                "{name}, {}",
                context.state().unwrap_or_default()
            ))),
            None => {
                let schema = json(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#);
                let message = "?".into();
                InputRequired::one("name", InputRequest::Elicitation { message, schema })
                    .with_state("remembered")
                    .into()
            }
        }
    });
    let dispatcher = builder(vec![tool]).build();
    let id = created(dispatcher.call(call("ask")).await);
    let asking = until(&dispatcher, &id, |task| !task.outstanding().is_empty()).await;
    assert_eq!(asking.outstanding().keys().collect::<Vec<_>>(), ["name"]);
    dispatcher
        .answer_task(ask(&id), json(r#"{"other":1}"#))
        .await
        .unwrap();
    assert!(!dispatcher.task(ask(&id)).await.unwrap().outstanding().is_empty());
    dispatcher
        .answer_task(ask(&id), json(r#"{"name":"Ada"}"#))
        .await
        .unwrap();
    assert_eq!(text(&outcome(&dispatcher, &id).await), "Ada, remembered");
}

#[tokio::test]
async fn a_task_asks_in_ten_rounds_at_most() {
    let tool = required("ask", |_, _| async {
        InputRequired {
            state: Some("again".into()),
            ..InputRequired::default()
        }
    });
    let dispatcher = builder(vec![tool]).task_settings(quick()).build();
    let _service = dispatcher.serve_tasks();
    let id = created(dispatcher.call(call("ask")).await);
    let ended = until(&dispatcher, &id, Task::is_ended).await;
    assert_eq!(ended.rounds, 10);
    let TaskState::Ended(outcome) = ended.state else {
        panic!()
    };
    assert_eq!(failure(outcome).code, "too_many_rounds");
}

#[tokio::test]
async fn a_task_that_asks_for_what_its_client_cannot_give_fails() {
    let tool = required("ask", |_, _| async {
        let schema = json(r#"{"type":"object","properties":{}}"#);
        let message = "?".into();
        InputRequired::one("name", InputRequest::Elicitation { message, schema })
    });
    let dispatcher = builder(vec![tool]).build();
    let mut front = front();
    front.capabilities.elicitation_form = false;
    let id = created(dispatcher.call(call("ask").front(front)).await);
    let outcome = outcome(&dispatcher, &id).await;
    assert_eq!(failure(outcome).code, "missing_capability");
}

#[tokio::test]
async fn cancelling_reaches_the_handler_which_may_still_complete() {
    for (says, expected) in [(true, None), (false, Some(TaskOutcome::Cancelled))] {
        let tool = required("wait", move |context, _| async move {
            context.cancellation().cancelled().await;
            if says {
                Outcome::from(ToolResult::text("what there is"))
            } else {
                CallError::Cancelled.into()
            }
        });
        let dispatcher = builder(vec![tool]).build();
        let id = created(dispatcher.call(call("wait")).await);
        dispatcher.cancel_task(ask(&id)).await.unwrap();
        dispatcher.cancel_task(ask(&id)).await.unwrap();
        let outcome = outcome(&dispatcher, &id).await;
        match expected {
            Some(expected) => assert_eq!(outcome, expected),
            None => assert_eq!(text(&outcome), "what there is"),
        }
        dispatcher.cancel_task(ask(&id)).await.unwrap();
    }
}

#[tokio::test]
async fn a_handler_that_does_not_stop_is_stopped() {
    let tool = required("deaf", |_, _| std::future::pending::<Outcome>());
    let dispatcher = builder(vec![tool]).task_settings(quick()).build();
    let id = created(dispatcher.call(call("deaf")).await);
    dispatcher.cancel_task(ask(&id)).await.unwrap();
    assert_eq!(outcome(&dispatcher, &id).await, TaskOutcome::Cancelled);
}

#[tokio::test]
async fn cancelling_on_one_server_reaches_the_handler_on_another() {
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let server = || {
        let tool = required("wait", |context, _| async move {
            context.cancellation().cancelled().await;
            Outcome::from(CallError::Cancelled)
        });
        builder(vec![tool])
            .task_settings(quick())
            .task_store(Arc::clone(&store))
            .build()
    };
    let (here, there) = (server(), server());
    let id = created(here.call(call("wait")).await);
    there.cancel_task(ask(&id)).await.unwrap();
    assert_eq!(outcome(&there, &id).await, TaskOutcome::Cancelled);
}

#[tokio::test]
async fn a_panic_and_a_broken_promise_are_that_tasks_failure() {
    let panics = required("panics", |_, _| async {
        assert!(std::hint::black_box(false), "secret");
        ToolResult::text("x")
    });
    let breaks = Tool::with_name("breaks")
        .json_object_arguments()
        .output_schema(json(r#"{"type":"integer"}"#), Profile::Draft2020_12)
        .handler(|_, _| async { ToolResult::structured(Value::from("text")) })
        .tasks(TaskMode::Required)
        .build()
        .unwrap();
    let dispatcher = builder(vec![panics, breaks]).build();
    for (tool, code) in [("panics", "internal"), ("breaks", "invalid_output")] {
        let id = created(dispatcher.call(call(tool)).await);
        let failure = failure(outcome(&dispatcher, &id).await);
        assert_eq!(
            (failure.code.as_str(), failure.message.as_str()),
            (code, "The tool failed.")
        );
    }
}

#[tokio::test]
async fn a_completed_result_is_sanitized_and_mirrored_on_every_reading() {
    struct Count(AtomicU32);
    impl Sanitizer for Count {
        fn sanitize(
            &self,
            _: &toolmesh_tool::CallContext,
            _: &toolmesh_tool::CatalogueTool,
            result: ToolResult,
        ) -> ToolResult {
            let seen = self.0.fetch_add(1, Ordering::Relaxed);
            result.with_structured(Value::from(i64::from(seen)))
        }
    }
    let tool = required("slow", |_, _| async { ToolResult::structured(Value::from(99)) });
    let dispatcher = builder(vec![tool])
        .sanitizer(Arc::new(Count(AtomicU32::new(0))))
        .build();
    let id = created(dispatcher.call(call("slow")).await);
    let first = text(&outcome(&dispatcher, &id).await);
    let second = text(&outcome(&dispatcher, &id).await);
    let number = |text: &str| text.parse::<u32>().unwrap();
    assert_eq!(number(&second), number(&first) + 1);
}

#[tokio::test]
async fn a_task_whose_tool_is_gone_can_not_be_read_and_is_not_changed() {
    let toolbox = toolmesh_tool::Toolbox::new();
    let mount = toolbox.mount("test", toolmesh_tool::Prefix::None).unwrap();
    let tool = required("slow", |_, _| async { ToolResult::text("x") });
    mount.replace(vec![tool.clone()]).unwrap();
    let dispatcher = Dispatcher::builder(toolbox).build();
    let id = created(dispatcher.call(call("slow")).await);
    outcome(&dispatcher, &id).await;
    mount.replace(Vec::<Tool>::new()).unwrap();
    let gone = dispatcher.task(ask(&id)).await;
    assert!(matches!(gone, Err(CallError::Internal(_))), "{gone:?}");
    mount.replace(vec![tool]).unwrap();
    assert_eq!(text(&outcome(&dispatcher, &id).await), "x");
}

#[tokio::test]
async fn more_tasks_than_slots_wait_and_all_complete() {
    static RUNNING: AtomicU32 = AtomicU32::new(0);
    static MOST: AtomicU32 = AtomicU32::new(0);
    let tool = required("slow", |_, _| async {
        let now = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
        MOST.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2)).await;
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        ToolResult::text("x")
    });
    let settings = TaskSettings {
        running: 3,
        ..TaskSettings::default()
    };
    let dispatcher = builder(vec![tool]).task_settings(settings).build();
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(created(dispatcher.call(call("slow")).await));
    }
    for id in &ids {
        assert_eq!(text(&outcome(&dispatcher, id).await), "x");
    }
    assert_eq!(MOST.load(Ordering::SeqCst), 3);
}

/// Two servers on one store; the first one's work never ends and is let go of when `first` is dropped with its
/// runtime.
fn on_a_dying_server(store: &Arc<dyn TaskStore>, tool: Tool) -> TaskId {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let dispatcher = builder(vec![tool])
        .task_settings(quick())
        .task_store(Arc::clone(store))
        .build();
    let id = runtime.block_on(async {
        let id = created(dispatcher.call(call("work")).await);
        until(&dispatcher, &id, |task| task.status_message.is_some()).await;
        id
    });
    // As when a process dies: nothing is written any more, and the lease stands.
    runtime.shutdown_background();
    id
}

fn hanging() -> Tool {
    required("work", |context, _| async move {
        let task = context.task().unwrap();
        task.checkpoint("half").await.unwrap();
        task.status("working").await.unwrap();
        std::future::pending::<Outcome>().await
    })
}

fn resuming() -> Tool {
    Tool::with_name("work")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("from the start") })
        .resume(|context, resumption| async move {
            let token = context.task().unwrap().token().0;
            ToolResult::text(format!("{} {token}", resumption.checkpoint.unwrap_or_default()))
        })
        .tasks(TaskMode::Required)
        .build()
        .unwrap()
}

/// The death happens on a thread of its own: a runtime cannot be dropped within another one.
async fn die(store: &Arc<dyn TaskStore>, tool: Tool) -> TaskId {
    let store = Arc::clone(store);
    let died = std::thread::spawn(move || on_a_dying_server(&store, tool));
    tokio::task::spawn_blocking(move || died.join().unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_task_whose_worker_died_is_resumed_from_its_checkpoint() {
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let id = die(&store, hanging()).await;
    let other = builder(vec![resuming()])
        .task_settings(quick())
        .task_store(Arc::clone(&store))
        .build();
    let _service = other.serve_tasks();
    assert_eq!(text(&outcome(&other, &id).await), "half 2");
}

#[tokio::test]
async fn a_task_whose_worker_died_and_whose_tool_cannot_resume_fails_within_one_lease() {
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let id = die(&store, hanging()).await;
    let other = builder(vec![hanging()])
        .task_settings(quick())
        .task_store(Arc::clone(&store))
        .build();
    let began = std::time::Instant::now();
    let _service = other.serve_tasks();
    let outcome = outcome(&other, &id).await;
    assert_eq!(failure(outcome).code, "worker_lost");
    // One lease, and what a busy machine adds.
    assert!(began.elapsed() < quick().lease * 10, "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_server_that_ends_in_good_order_hands_its_tasks_over_at_once() {
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let server = |tool| builder(vec![tool]).task_store(Arc::clone(&store)).build();
    let first = server(hanging());
    let service = first.serve_tasks();
    let id = created(first.call(call("work")).await);
    until(&first, &id, |task| task.status_message.is_some()).await;
    service.shut_down().await;
    assert!(store.load(&id).await.unwrap().task.lease.is_none());
    let second = server(resuming());
    let _service = second.serve_tasks();
    assert_eq!(text(&outcome(&second, &id).await), "half 2");
}

#[tokio::test]
async fn a_worker_that_was_overtaken_stops_and_writes_nothing() {
    let dropped = Arc::new(AtomicBool::new(false));
    struct Tell(Arc<AtomicBool>);
    impl Drop for Tell {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let store: Arc<dyn TaskStore> = Arc::new(MemoryTaskStore::new());
    let tell = Arc::clone(&dropped);
    let tool = required("work", move |_, _| {
        let tell = Tell(Arc::clone(&tell));
        async move {
            let _tell = tell;
            std::future::pending::<Outcome>().await
        }
    });
    let dispatcher = builder(vec![tool])
        .task_settings(quick())
        .task_store(Arc::clone(&store))
        .build();
    let id = created(dispatcher.call(call("work")).await);
    // Somebody else takes it, as if this server had slept longer than its lease.
    let mut stored = store.load(&id).await.unwrap();
    let now = stored.now + Duration::from_secs(60);
    let claim = stored.task.claim("other", Duration::from_secs(60), now).unwrap();
    let mut replaced = false;
    for _ in 0..100 {
        let mut fresh = store.load(&id).await.unwrap().task;
        fresh.token = claim.token;
        fresh.lease = claim.task.lease.clone();
        replaced = store.replace(&fresh).await.unwrap();
        if replaced {
            break;
        }
    }
    assert!(replaced);
    for _ in 0..1_000 {
        if dropped.load(Ordering::SeqCst) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(dropped.load(Ordering::SeqCst));
    let end = TaskChange::End(TaskOutcome::Completed(ToolResult::text("other")));
    store.change(&id, claim.token, end).await.unwrap();
    assert_eq!(text(&outcome(&dispatcher, &id).await), "other");
}

#[tokio::test]
async fn changes_of_tasks_are_told_on_the_server_where_they_happen() {
    let dispatcher = builder(vec![required("slow", |_, _| async { ToolResult::text("x") })]).build();
    let mut changes = dispatcher.task_changes();
    let id = created(dispatcher.call(call("slow")).await);
    assert_eq!(changes.recv().await.unwrap(), id);
    assert!(dispatcher.task(ask(&id)).await.unwrap().is_ended());
}
