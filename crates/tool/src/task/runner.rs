//! Running tasks: leases kept, idle tasks taken over, a bounded number at once.

use std::{
    collections::HashMap,
    fmt,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, broadcast},
    time::{sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    MAX_RESUMES, TaskChange, TaskClaim, TaskControl, TaskFailure, TaskId, TaskOutcome, TaskSettings,
    TaskStep, TaskStore, TaskStoreError,
};
use crate::InputRequired;

/// Changes of tasks that wait for a slow listener, who then learns how many it missed.
const CHANGE_QUEUE: usize = 1_024;

/// How often expired tasks are forgotten, in sweeps.
const SWEEPS_BETWEEN_REMOVALS: u32 = 60;

/// How long a write that failed waits until it is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Idle tasks that are looked at for each free slot: servers that share a store begin at different ones, so that they
/// rarely want the same.
const IDLE_CHOICE: usize = 4;

/// How far apart the servers' and the sweeps' beginnings are; a prime number, to meet every place.
const IDLE_STRIDE: usize = 7;

/// How a run of a task ends.
#[derive(Debug)]
pub(crate) enum TaskEnd {
    /// It is over.
    Ended(TaskOutcome),
    /// It waits for answers.
    Ask(InputRequired),
}

/// What a task does; the dispatcher knows.
pub(crate) trait TaskWork: Send + Sync + 'static {
    /// Does what the claim says. Dropped when the lease is lost.
    fn work(
        self: Arc<Self>,
        claim: TaskClaim,
        control: TaskControl,
        cancellation: CancellationToken,
    ) -> BoxFuture<'static, TaskEnd>;
}

/// Runs the tasks of one endpoint in this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TaskRunner(Arc<Inner>);

struct Inner {
    store: Arc<dyn TaskStore>,
    endpoint: String,
    /// This process, in leases.
    worker: String,
    settings: TaskSettings,
    slots: Arc<Semaphore>,
    /// Where the next look at idle tasks begins; another place in every process.
    turn: AtomicUsize,
    /// The tasks that run here, and what tells their handlers to stop.
    running: Mutex<HashMap<TaskId, CancellationToken>>,
    closing: CancellationToken,
    changes: broadcast::Sender<TaskId>,
    work: Weak<dyn TaskWork>,
}

/// Why a run ends before its work does.
enum Stop {
    /// Somebody else has the task, or it is gone.
    Lost,
    /// The handler did not stop in time when it was told to.
    Cancelled,
}

impl TaskRunner {
    pub(crate) fn new(
        store: Arc<dyn TaskStore>,
        endpoint: String,
        settings: TaskSettings,
        work: Weak<dyn TaskWork>,
    ) -> Self {
        let running = settings.running.clamp(1, Semaphore::MAX_PERMITS);
        let worker = TaskId::random().map_or_else(String::new, |id| id.to_string());
        Self(Arc::new(Inner {
            store,
            endpoint,
            worker: format!("{}:{worker}", std::process::id()),
            settings,
            slots: Arc::new(Semaphore::new(running)),
            turn: AtomicUsize::new(worker.bytes().map(usize::from).sum()),
            running: Mutex::new(HashMap::new()),
            closing: CancellationToken::new(),
            changes: broadcast::Sender::new(CHANGE_QUEUE),
            work,
        }))
    }

    pub(crate) fn store(&self) -> &Arc<dyn TaskStore> {
        &self.0.store
    }

    pub(crate) fn settings(&self) -> &TaskSettings {
        &self.0.settings
    }

    pub(crate) fn changes(&self) -> broadcast::Receiver<TaskId> {
        self.0.changes.subscribe()
    }

    /// Tells listeners that a task changed.
    pub(crate) fn changed(&self, id: &TaskId) {
        // Nobody listening is no failure.
        let _ = self.0.changes.send(id.clone());
    }

    /// Tells the handler of a task that runs here to stop.
    pub(crate) fn cancel(&self, id: &TaskId) {
        if let Some(token) = self.running().get(id) {
            token.cancel();
        }
    }

    /// Runs a task here if there is a free slot and nobody else has it; otherwise it waits its turn.
    pub(crate) async fn start(&self, id: &TaskId) {
        if let Some(slot) = self.free_slot() {
            self.claim_and_run(id, slot).await;
        }
    }

    /// Looks for idle tasks until the runner closes.
    pub(crate) async fn serve(&self) {
        let mut sweeps = 0_u32;
        while !self.0.closing.is_cancelled() {
            if sweeps.is_multiple_of(SWEEPS_BETWEEN_REMOVALS)
                && let Err(error) = self.0.store.remove_expired().await
            {
                tracing::warn!(%error, "expired tasks could not be removed");
            }
            sweeps = sweeps.wrapping_add(1);
            self.take_idle().await;
            tokio::select! {
                () = self.0.closing.cancelled() => {}
                () = sleep(self.0.settings.sweep()) => {}
            }
        }
    }

    /// Stops taking tasks, lets go of those that run here, and waits until all are let go of.
    pub(crate) async fn close(&self) {
        self.0.closing.cancel();
        let all = u32::try_from(self.0.settings.running.max(1)).unwrap_or(u32::MAX);
        // A semaphore that nobody closes gives its permits.
        let _ = self.0.slots.acquire_many(all).await;
    }

    /// Takes as many idle tasks as there are free slots.
    fn take_idle(&self) -> BoxFuture<'_, ()> {
        // Boxed, because a task that ends takes the next one.
        Box::pin(async move {
            let free = self.0.slots.available_permits();
            if free == 0 {
                return;
            }
            let listed = self
                .0
                .store
                .resumable(&self.0.endpoint, free.saturating_mul(IDLE_CHOICE));
            let mut idle = match listed.await {
                Ok(idle) => idle,
                Err(error) => {
                    tracing::warn!(%error, "the task store cannot be asked for idle tasks");
                    return;
                }
            };
            let begin = self.0.turn.fetch_add(IDLE_STRIDE, Ordering::Relaxed);
            let begin = begin.checked_rem(idle.len()).unwrap_or(0);
            idle.rotate_left(begin);
            for id in idle {
                let Some(slot) = self.free_slot() else { return };
                self.claim_and_run(&id, slot).await;
            }
        })
    }

    fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        if self.0.closing.is_cancelled() {
            return None;
        }
        Arc::clone(&self.0.slots).try_acquire_owned().ok()
    }

    async fn claim_and_run(&self, id: &TaskId, slot: OwnedSemaphorePermit) {
        let asked = Instant::now();
        let lease = self.0.settings.claim();
        match self.0.store.claim(id, &self.0.worker, lease).await {
            Ok(claim) => {
                let runner = self.clone();
                tokio::spawn(async move {
                    runner.run(claim, asked + lease).await;
                    drop(slot);
                    runner.take_idle().await;
                });
            }
            // Another server was quicker, or there is nothing to do any more.
            Err(TaskStoreError::NotClaimable | TaskStoreError::Ended | TaskStoreError::Unknown) => {}
            Err(error) => tracing::warn!(task = %id, %error, "a task cannot be claimed"),
        }
    }

    /// Runs a claimed task. `safe_until` is when the claim ends at the earliest, by this process's clock.
    async fn run(&self, claim: TaskClaim, mut safe_until: Instant) {
        let (id, token) = (claim.task.id.clone(), claim.token);
        let cancellation = CancellationToken::new();
        self.running().insert(id.clone(), cancellation.clone());
        let end = tokio::select! {
            // First of all: a process that slept must not go on with what another one has taken over.
            biased;
            stop = self.keep(&claim, &cancellation, &mut safe_until) => match stop {
                Stop::Lost => None,
                Stop::Cancelled => Some(TaskChange::End(TaskOutcome::Cancelled)),
            },
            () = self.0.closing.cancelled() => Some(TaskChange::Release),
            end = self.work(&claim, &cancellation) => Some(match end {
                TaskEnd::Ended(outcome) => TaskChange::End(outcome),
                TaskEnd::Ask(input) => TaskChange::Ask(input),
            }),
        };
        // Whatever the handler had started elsewhere is told.
        cancellation.cancel();
        self.running().remove(&id);
        match end {
            None => tracing::warn!(task = %id, "the lease on a task was lost: its run here is dropped"),
            Some(change) => {
                self.write_end(&id, token, change, safe_until).await;
                self.changed(&id);
            }
        }
    }

    /// The work itself; what speaks against doing it comes first.
    async fn work(&self, claim: &TaskClaim, cancellation: &CancellationToken) -> TaskEnd {
        if claim.task.cancel_requested {
            return TaskEnd::Ended(TaskOutcome::Cancelled);
        }
        if claim.step == TaskStep::Resume && claim.task.resumes > MAX_RESUMES {
            return worker_lost();
        }
        let Some(work) = self.0.work.upgrade() else {
            return worker_lost();
        };
        let control = TaskControl::new(claim.task.id.clone(), claim.token, Arc::clone(&self.0.store));
        let work = AssertUnwindSafe(work.work(claim.clone(), control, cancellation.clone()));
        work.catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(task = %claim.task.id, tool = claim.task.call.tool, "the handler of a task panicked");
            failed("internal", "The tool failed.")
        })
    }

    /// Keeps the lease and hands on cancellation; ends only when the run must.
    async fn keep(
        &self,
        claim: &TaskClaim,
        cancellation: &CancellationToken,
        safe_until: &mut Instant,
    ) -> Stop {
        let settings = &self.0.settings;
        let mut give_up = None;
        loop {
            let next = Instant::now() + settings.renewal();
            let wake = give_up.map_or(next, |at| next.min(at)).min(*safe_until);
            tokio::select! {
                () = cancellation.cancelled(), if give_up.is_none() => {
                    give_up = Some(Instant::now() + settings.cancel_grace);
                    continue;
                }
                () = tokio::time::sleep_until(wake.into()) => {}
            }
            let asked = Instant::now();
            if asked >= *safe_until {
                return Stop::Lost;
            }
            if give_up.is_some_and(|at| asked >= at) {
                return Stop::Cancelled;
            }
            let renewal = self.0.store.renew(&claim.task.id, claim.token, settings.claim());
            match timeout_at((*safe_until).into(), renewal).await {
                Ok(Ok(task)) => {
                    *safe_until = asked + settings.claim();
                    if task.cancel_requested {
                        cancellation.cancel();
                    }
                }
                Ok(Err(TaskStoreError::LeaseLost | TaskStoreError::Ended | TaskStoreError::Unknown))
                | Err(_) => return Stop::Lost,
                Ok(Err(error)) => {
                    tracing::warn!(task = %claim.task.id, %error, "a lease could not be renewed");
                }
            }
        }
    }

    /// Writes how a run ended; tries again while the task is surely still ours.
    async fn write_end(
        &self,
        id: &TaskId,
        token: super::ClaimToken,
        mut change: TaskChange,
        safe_until: Instant,
    ) {
        loop {
            match self.0.store.change(id, token, change.clone()).await {
                Ok(_) => return,
                // Cancelled, expired, or taken over in the meantime.
                Err(TaskStoreError::LeaseLost | TaskStoreError::Ended | TaskStoreError::Unknown) => {
                    tracing::warn!(task = %id, "the end of a task came too late to be written");
                    return;
                }
                Err(error @ (TaskStoreError::Record(_) | TaskStoreError::TooLarge { .. })) => {
                    tracing::error!(task = %id, %error, "the result of a task cannot be kept");
                    let end = failed("invalid_output", "The tool failed.");
                    let TaskEnd::Ended(outcome) = end else { return };
                    change = TaskChange::End(outcome);
                }
                Err(error) if Instant::now() + RETRY < safe_until => {
                    tracing::warn!(task = %id, %error, "the end of a task could not be written yet");
                    sleep(RETRY).await;
                }
                Err(error) => {
                    tracing::error!(task = %id, %error, "the end of a task could not be written");
                    return;
                }
            }
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<TaskId, CancellationToken>> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a task that nobody can go on with.
pub(crate) fn worker_lost() -> TaskEnd {
    failed("worker_lost", "The work was interrupted and cannot be resumed.")
}

/// A failure told by a code and a fixed sentence.
pub(crate) fn failed(code: &str, message: &str) -> TaskEnd {
    TaskEnd::Ended(TaskOutcome::Failed(TaskFailure {
        code: code.to_owned(),
        message: message.to_owned(),
    }))
}

impl fmt::Debug for TaskRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskRunner")
            .field("endpoint", &self.0.endpoint)
            .field("worker", &self.0.worker)
            .finish_non_exhaustive()
    }
}

/// The looking for idle tasks: those of workers that died, those that got their answers elsewhere, those that found
/// no free slot. Without it, tasks still run where they were created. It stops when this is dropped.
#[derive(Debug)]
#[must_use = "idle tasks are taken over only while this is held"]
pub struct TaskService {
    runner: TaskRunner,
    serving: tokio::task::JoinHandle<()>,
}

impl TaskService {
    /// Serves with `runner` on the current runtime.
    pub(crate) fn start(runner: TaskRunner) -> Self {
        let serving = tokio::spawn({
            let runner = runner.clone();
            async move { runner.serve().await }
        });
        Self { runner, serving }
    }

    /// Ends in good order: takes no more tasks, lets go of those that run here so that other servers may go on with
    /// them at once, and waits for that. No task of the dispatcher runs any more afterwards.
    pub async fn shut_down(self) {
        self.runner.close().await;
    }
}

impl Drop for TaskService {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
