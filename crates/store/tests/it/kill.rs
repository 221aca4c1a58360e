//! A thousand tasks, two worker processes that are killed again and again, one database: none lost, none twice.
//!
//! The worker processes are this test program itself, started for the one test [`worker_process`].

use std::{
    collections::HashMap,
    env,
    fs::{File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use sqlx::{AnyPool, Row};
use toolmesh_testkit::Postgres;
use toolmesh_tool::{
    CallContext, Dispatcher, Outcome, Prefix, TaskMode, TaskOutcome, TaskSettings, TaskState, TaskStore,
    Tool, ToolResult, Toolbox, json::Value, task::TaskId,
};

use crate::{
    random::Random,
    support::{new_task, opened},
};

const TASKS: u64 = 1_000;

const ENDPOINT: &str = "kill";

/// Checkpoints on the way of each task.
const STEPS: u64 = 3;

/// How soon a dead worker is missed: longer than a busy machine makes a living one wait.
const LEASE: Duration = Duration::from_secs(3);

/// The killing lasts this long.
const KILLING: Duration = Duration::from_secs(9);

/// Everything must be over at that time: far longer than it takes, because machines that test are busy.
const ALL: Duration = Duration::from_secs(120);

/// Fewer kills would prove nothing.
const MIN_KILLS: usize = 8;

const STORE: &str = "TOOLMESH_TEST_STORE";
const LOG: &str = "TOOLMESH_TEST_LOG";
const WORKER: &str = "TOOLMESH_TEST_WORKER";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tasks_on_one_sqlite_file_survive_random_kills() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let location = format!("sqlite:{}", file.display());
    let url = format!("sqlite://{}", file.display());
    let trigger = "CREATE TABLE ends (id TEXT NOT NULL); CREATE TRIGGER ended AFTER UPDATE ON toolmesh_tasks \
                   WHEN NEW.state NOT IN ('working', 'input_required') \
                   BEGIN INSERT INTO ends VALUES (NEW.id); END;";
    survive(&location, &url, trigger, folder.path(), 7).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tasks_on_one_postgres_survive_random_kills() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start();
    let trigger = "CREATE TABLE ends (id TEXT NOT NULL); \
                   CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS \
                   'BEGIN INSERT INTO ends VALUES (NEW.id); RETURN NEW; END'; \
                   CREATE TRIGGER ended AFTER UPDATE ON toolmesh_tasks FOR EACH ROW \
                   WHEN (NEW.state NOT IN ('working', 'input_required')) EXECUTE FUNCTION note_end();";
    survive(&server.url(), &server.url(), trigger, folder.path(), 11).await;
}

/// The whole experiment; `trigger` notes every write that leaves a task ended.
async fn survive(location: &str, url: &str, trigger: &'static str, folder: &Path, seed: u64) {
    let store = opened(location).await;
    let pool = AnyPool::connect(url).await.unwrap();
    sqlx::raw_sql(trigger).execute(&pool).await.unwrap();
    let log = folder.join("runs.log");
    let creating = tokio::spawn(create_all(Arc::clone(&store)));
    let deaths = kill_again_and_again(location, &log, &pool, seed).await;
    creating.await.unwrap();
    assert!(deaths.len() >= MIN_KILLS, "only {} kills", deaths.len());
    nothing_is_lost(&store).await;
    nothing_ended_twice(&pool).await;
    nothing_ran_twice_at_once(&log, &deaths);
}

async fn create_all(store: Arc<dyn TaskStore>) {
    for n in 0..TASKS {
        let mut new = new_task(ENDPOINT, &format!("task-{n}"));
        new.call.arguments = Value::object().put("n", n).build();
        store.create(new).await.unwrap();
    }
}

/// Kills a random worker at random moments and starts another in its place, until all is done; tells who died when.
async fn kill_again_and_again(
    location: &str,
    log: &Path,
    pool: &AnyPool,
    seed: u64,
) -> HashMap<String, u128> {
    let mut random = Random::seeded(seed);
    let mut deaths = HashMap::new();
    let mut count = 0..;
    let mut next = || Worker::start(location, log, count.next().unwrap_or(u64::MAX));
    let mut workers = [next(), next()];
    let began = Instant::now();
    while working(pool).await {
        assert!(began.elapsed() < ALL, "the tasks do not end");
        tokio::time::sleep(Duration::from_millis(random.between(300, 900))).await;
        if began.elapsed() < KILLING {
            let victim = usize::try_from(random.between(0, 2)).unwrap();
            workers[victim].kill();
            deaths.insert(workers[victim].name.clone(), now());
            workers[victim] = next();
        }
    }
    deaths
}

async fn working(pool: &AnyPool) -> bool {
    let ended = "SELECT COUNT(*) FROM toolmesh_tasks WHERE state NOT IN ('working', 'input_required')";
    let row = sqlx::query(ended).fetch_one(pool).await.unwrap();
    u64::try_from(row.get::<i64, _>(0)).unwrap() < TASKS
}

async fn nothing_is_lost(store: &Arc<dyn TaskStore>) {
    for n in 0..TASKS {
        let task = store.load(&TaskId::new(format!("task-{n}"))).await.unwrap().task;
        match task.state {
            TaskState::Ended(TaskOutcome::Completed(result)) => {
                assert_eq!(result.joined_text(), n.to_string())
            }
            other => panic!("task {n} ended in another way: {other:?}"),
        }
    }
}

async fn nothing_ended_twice(pool: &AnyPool) {
    let counted = "SELECT COUNT(*), COUNT(DISTINCT id) FROM ends";
    let row = sqlx::query(counted).fetch_one(pool).await.unwrap();
    let (ends, tasks): (i64, i64) = (row.get(0), row.get(1));
    assert_eq!(
        (ends, tasks),
        (i64::try_from(TASKS).unwrap(), i64::try_from(TASKS).unwrap())
    );
}

/// A run begins after the run before it has ended, or its worker has died.
fn nothing_ran_twice_at_once(log: &Path, deaths: &HashMap<String, u128>) {
    let mut runs: HashMap<String, Vec<Run>> = HashMap::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap().to_owned();
        let (task, token, what, time, worker) = (word(), word(), word(), word(), word());
        let (token, time): (u64, u128) = (token.parse().unwrap(), time.parse().unwrap());
        let runs = runs.entry(task).or_default();
        match what.as_str() {
            "begin" => runs.push(Run {
                token,
                begin: time,
                end: None,
                worker,
            }),
            _ => runs.iter_mut().find(|run| run.token == token).unwrap().end = Some(time),
        }
    }
    assert_eq!(runs.len(), usize::try_from(TASKS).unwrap());
    let mut resumed = 0;
    for (task, mut runs) in runs {
        runs.sort_by_key(|run| run.token);
        for pair in runs.windows(2) {
            let [before, after] = pair else {
                unreachable!("a window of two")
            };
            resumed += 1;
            assert!(before.token < after.token, "{task}: one token for two runs");
            let over = before.end.or_else(|| deaths.get(&before.worker).copied());
            let over = over.unwrap_or_else(|| panic!("{task}: {before:?} never ended and nobody killed it"));
            assert!(over <= after.begin, "{task}: {before:?} and {after:?} overlap");
        }
    }
    assert!(resumed > 0, "no kill hit a task at work");
}

#[derive(Debug)]
struct Run {
    token: u64,
    begin: u128,
    end: Option<u128>,
    worker: String,
}

/// A worker process, killed without warning when dropped.
struct Worker {
    name: String,
    child: Child,
}

impl Worker {
    fn start(location: &str, log: &Path, number: u64) -> Self {
        let name = format!("worker-{number}");
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kill::worker_process", "--ignored", "--nocapture"])
            .env(STORE, location)
            .env(LOG, log)
            .env(WORKER, &name)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { name, child }
    }

    /// Kills it; it is dead when this returns.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that was killed before is dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The worker itself: serves tasks until it is killed.
#[test]
#[ignore = "a process that the tests above start and kill"]
fn worker_process() {
    let variable = |name: &str| {
        env::var(name).unwrap_or_else(|_| panic!("{name} is not set: this is started by other tests only"))
    };
    let (location, worker) = (variable(STORE), variable(WORKER));
    let log = Arc::new(Log::open(PathBuf::from(variable(LOG)), worker));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("worker", Prefix::None).unwrap();
        mount.replace(vec![tool(&log)]).unwrap();
        let settings = TaskSettings {
            lease: LEASE,
            running: 16,
            ..TaskSettings::default()
        };
        let dispatcher = Dispatcher::builder(toolbox)
            .endpoint(ENDPOINT)
            .task_store(opened(&location).await)
            .task_settings(settings)
            .build();
        let _service = dispatcher.serve_tasks();
        // A worker whose parent died without killing it does not live on for ever.
        tokio::time::sleep(ALL * 2).await;
    });
}

fn tool(log: &Arc<Log>) -> Tool {
    let (begins, resumes) = (Arc::clone(log), Arc::clone(log));
    Tool::with_name("work")
        .json_object_arguments()
        .handler(move |context, arguments| work(Arc::clone(&begins), context, arguments, 0))
        .resume(move |context, resumption| {
            let done = resumption
                .checkpoint
                .map_or(0, |checkpoint| checkpoint.parse().unwrap());
            work(Arc::clone(&resumes), context, resumption.arguments, done)
        })
        .tasks(TaskMode::Required)
        .build()
        .unwrap()
}

/// The steps from `done` on, each followed by a checkpoint.
async fn work(log: Arc<Log>, context: CallContext, arguments: Value, done: u64) -> Outcome {
    let task = context.task().unwrap();
    let _run = LoggedRun::begin(&log, task.id(), task.token().0);
    for step in done..STEPS {
        tokio::time::sleep(Duration::from_millis(25)).await;
        if let Err(error) = task.checkpoint((step + 1).to_string()).await {
            return Outcome::Failed(error.into());
        }
    }
    ToolResult::text(arguments.get("n").unwrap().as_u64().unwrap().to_string()).into()
}

/// A file to which several processes append lines.
struct Log {
    file: File,
    worker: String,
}

impl Log {
    fn open(path: PathBuf, worker: String) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        Self { file, worker }
    }

    fn line(&self, task: &TaskId, token: u64, what: &str) {
        let line = format!("{task} {token} {what} {} {}\n", now(), self.worker);
        (&self.file).write_all(line.as_bytes()).unwrap();
    }
}

/// A run in the log from its begin to its end, however it ends short of a kill.
struct LoggedRun<'a> {
    log: &'a Log,
    task: TaskId,
    token: u64,
}

impl<'a> LoggedRun<'a> {
    fn begin(log: &'a Log, task: &TaskId, token: u64) -> Self {
        log.line(task, token, "begin");
        Self {
            log,
            task: task.clone(),
            token,
        }
    }
}

impl Drop for LoggedRun<'_> {
    fn drop(&mut self) {
        self.log.line(&self.task, self.token, "end");
    }
}

/// Microseconds since 1970; one machine, one clock.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}
