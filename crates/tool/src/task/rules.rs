//! Who may change a task, and when: the same for every store.

use std::time::{Duration, SystemTime};

use toolmesh_json::View;

use super::{
    ClaimToken, Lease, Task, TaskChange, TaskClaim, TaskOutcome, TaskState, TaskStep, TaskStoreError,
};

/// Most bytes of a checkpoint: it is written often, and is a place to go on from, not the work itself.
pub const MAX_CHECKPOINT_BYTES: usize = 1_048_576;

/// Most bytes of a status message: one line for people.
pub const MAX_STATUS_BYTES: usize = 1_024;

/// How often a task is resumed without getting to its next checkpoint; then it fails, because it is probably what
/// kills its workers.
pub const MAX_RESUMES: u32 = 8;

impl Task {
    /// Makes the task `worker`'s own until `now + lease`.
    ///
    /// # Errors
    /// [`TaskStoreError::Ended`]; [`TaskStoreError::NotClaimable`] when it waits for answers, or somebody holds it.
    pub fn claim(
        &mut self,
        worker: &str,
        lease: Duration,
        now: SystemTime,
    ) -> Result<TaskClaim, TaskStoreError> {
        match &self.state {
            TaskState::Ended(_) => return Err(TaskStoreError::Ended),
            TaskState::InputRequired(_) => return Err(TaskStoreError::NotClaimable),
            TaskState::Working => {}
        }
        if !self.is_claimable(now) {
            return Err(TaskStoreError::NotClaimable);
        }
        let step = self.step;
        if step == TaskStep::Resume {
            self.resumes = self.resumes.saturating_add(1);
        }
        self.step = TaskStep::Resume;
        self.token = ClaimToken(self.token.0.saturating_add(1));
        self.lease = Some(Lease {
            worker: worker.to_owned(),
            until: now + lease,
        });
        Ok(TaskClaim {
            task: self.clone(),
            token: self.token,
            step,
        })
    }

    /// Whether somebody may claim it now.
    #[must_use]
    pub fn is_claimable(&self, now: SystemTime) -> bool {
        let free = self.lease.as_ref().is_none_or(|lease| lease.until <= now);
        self.state == TaskState::Working && free
    }

    /// Prolongs the lease of the claim `token`.
    ///
    /// # Errors
    /// [`TaskStoreError::Ended`], [`TaskStoreError::LeaseLost`].
    pub fn renew(
        &mut self,
        token: ClaimToken,
        lease: Duration,
        now: SystemTime,
    ) -> Result<(), TaskStoreError> {
        self.held(token)?.until = now + lease;
        Ok(())
    }

    /// Makes a worker's change. A lease that ended does no harm as long as nobody else claimed the task since.
    ///
    /// # Errors
    /// [`TaskStoreError::Ended`], [`TaskStoreError::LeaseLost`], [`TaskStoreError::TooLarge`].
    pub fn change(
        &mut self,
        token: ClaimToken,
        change: TaskChange,
        now: SystemTime,
    ) -> Result<(), TaskStoreError> {
        self.held(token)?;
        match change {
            TaskChange::Checkpoint(text) => {
                bounded("checkpoint", &text, MAX_CHECKPOINT_BYTES)?;
                self.checkpoint = Some(text);
                self.resumes = 0;
            }
            TaskChange::Status(text) => {
                bounded("status message", &text, MAX_STATUS_BYTES)?;
                self.status_message = Some(text);
            }
            // Nobody would answer any more.
            TaskChange::Ask(_) if self.cancel_requested => self.end(TaskOutcome::Cancelled),
            TaskChange::Ask(input) => {
                self.lease = None;
                self.rounds = self.rounds.saturating_add(1);
                self.answers.clear();
                self.handler_state.clone_from(&input.state);
                // With nothing asked there is nothing to wait for: the next worker calls the handler again.
                self.step = TaskStep::Answered;
                if !input.requests.is_empty() {
                    self.state = TaskState::InputRequired(input);
                }
            }
            TaskChange::End(outcome) => self.end(outcome),
            TaskChange::Release => {
                self.lease = None;
                // Stopping in good order is not the task's fault.
                self.resumes = self.resumes.saturating_sub(1);
            }
        }
        self.updated_at = now;
        Ok(())
    }

    /// Takes the client's answers: those that are asked for, once each. When all are there the work goes on. What
    /// nobody asked for, or asks for no more, is ignored.
    pub fn answer(&mut self, responses: View<'_>, now: SystemTime) {
        let TaskState::InputRequired(input) = &self.state else {
            return;
        };
        for key in input.requests.keys() {
            if let Some(answer) = responses.get(key)
                && !self.answers.contains_key(key)
            {
                self.answers.insert(key.clone(), answer.detach());
                self.updated_at = now;
            }
        }
        if self.answers.len() == input.requests.len() {
            self.state = TaskState::Working;
        }
    }

    /// Notes that the client wants it stopped. Nobody working on it means that it is over at once; a worker is told
    /// when it renews its lease, and stops when it can. Nothing happens when it is over already.
    pub fn request_cancel(&mut self, now: SystemTime) {
        if self.is_ended() || self.cancel_requested {
            return;
        }
        self.cancel_requested = true;
        self.updated_at = now;
        let worked_on = self.lease.as_ref().is_some_and(|lease| lease.until > now);
        if !worked_on {
            self.end(TaskOutcome::Cancelled);
        }
    }

    fn end(&mut self, outcome: TaskOutcome) {
        self.state = TaskState::Ended(outcome);
        self.lease = None;
        self.checkpoint = None;
        self.handler_state = None;
        self.answers.clear();
    }

    /// The lease of the claim `token`, if that is still the last one and was not given up.
    fn held(&mut self, token: ClaimToken) -> Result<&mut Lease, TaskStoreError> {
        if self.is_ended() {
            return Err(TaskStoreError::Ended);
        }
        let last = self.token == token;
        self.lease
            .as_mut()
            .filter(|_| last)
            .ok_or(TaskStoreError::LeaseLost)
    }
}

fn bounded(what: &'static str, text: &str, limit: usize) -> Result<(), TaskStoreError> {
    if text.len() > limit {
        return Err(TaskStoreError::TooLarge { what, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use toolmesh_json::Value;

    use super::*;
    use crate::{InputRequest, InputRequired, ToolResult, task::memory::tests::new_task};

    const LEASE: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn task() -> Task {
        Task::new(new_task("a"), at(0))
    }

    fn claimed() -> (Task, ClaimToken) {
        let mut task = task();
        let token = task.claim("w", LEASE, at(0)).unwrap().token;
        (task, token)
    }

    fn ask(keys: &[&str]) -> InputRequired {
        InputRequired {
            requests: keys
                .iter()
                .map(|key| ((*key).to_owned(), InputRequest::Roots))
                .collect(),
            state: Some("h".into()),
        }
    }

    fn json(text: &str) -> Value {
        toolmesh_json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_task_is_claimed_once_until_the_lease_ends() {
        let (mut task, token) = claimed();
        assert_eq!(token, ClaimToken(1));
        assert!(matches!(
            task.claim("v", LEASE, at(9)),
            Err(TaskStoreError::NotClaimable)
        ));
        let again = task.claim("v", LEASE, at(10)).unwrap();
        assert_eq!((again.token, again.step), (ClaimToken(2), TaskStep::Resume));
    }

    #[test]
    fn a_renewed_lease_lasts_from_the_renewal() {
        let (mut task, token) = claimed();
        task.renew(token, LEASE, at(9)).unwrap();
        assert!(!task.is_claimable(at(18)));
        assert!(task.is_claimable(at(19)));
    }

    #[test]
    fn the_writes_of_a_worker_that_lost_its_lease_are_refused() {
        let (mut task, old) = claimed();
        let new = task.claim("v", LEASE, at(10)).unwrap().token;
        let before = task.clone();
        for change in [
            TaskChange::Checkpoint("c".into()),
            TaskChange::Status("s".into()),
            TaskChange::Ask(ask(&["k"])),
            TaskChange::End(TaskOutcome::Cancelled),
            TaskChange::Release,
        ] {
            let refused = task.change(old, change, at(10));
            assert!(matches!(refused, Err(TaskStoreError::LeaseLost)));
        }
        assert!(matches!(
            task.renew(old, LEASE, at(10)),
            Err(TaskStoreError::LeaseLost)
        ));
        assert_eq!(task, before);
        task.change(new, TaskChange::Status("s".into()), at(11)).unwrap();
    }

    #[test]
    fn a_lease_that_ended_unclaimed_still_writes() {
        let (mut task, token) = claimed();
        let result = TaskOutcome::Completed(ToolResult::text("done"));
        task.change(token, TaskChange::End(result.clone()), at(99))
            .unwrap();
        assert_eq!(task.state, TaskState::Ended(result));
    }

    #[test]
    fn what_is_over_never_changes() {
        let (mut task, token) = claimed();
        task.change(token, TaskChange::End(TaskOutcome::Cancelled), at(1))
            .unwrap();
        let before = task.clone();
        assert!(matches!(
            task.change(token, TaskChange::Status("s".into()), at(2)),
            Err(TaskStoreError::Ended)
        ));
        assert!(matches!(
            task.claim("v", LEASE, at(2)),
            Err(TaskStoreError::Ended)
        ));
        task.request_cancel(at(2));
        task.answer(json(r#"{"k":{}}"#).view(), at(2));
        assert_eq!(task, before);
    }

    #[test]
    fn answers_are_taken_in_parts_and_unknown_ones_ignored() {
        let (mut task, token) = claimed();
        task.change(token, TaskChange::Ask(ask(&["a", "b"])), at(1))
            .unwrap();
        assert!(!task.is_claimable(at(99)));
        task.answer(json(r#"{"a":1,"z":9}"#).view(), at(2));
        assert_eq!(task.outstanding().keys().collect::<Vec<_>>(), ["b"]);
        task.answer(json(r#"{"a":2,"b":3}"#).view(), at(3));
        assert_eq!(task.answers_value().unwrap().to_text(), r#"{"a":1,"b":3}"#);
        let next = task.claim("v", LEASE, at(3)).unwrap();
        assert_eq!(next.step, TaskStep::Answered);
        assert_eq!(
            (next.task.handler_state.as_deref(), next.task.rounds),
            (Some("h"), 1)
        );
    }

    #[test]
    fn a_worker_that_dies_over_answers_leaves_them_to_the_next() {
        let (mut task, token) = claimed();
        task.change(token, TaskChange::Ask(ask(&["a"])), at(1)).unwrap();
        task.answer(json(r#"{"a":1}"#).view(), at(2));
        task.claim("v", LEASE, at(3)).unwrap();
        let next = task.claim("u", LEASE, at(13)).unwrap();
        assert_eq!(next.step, TaskStep::Resume);
        assert_eq!(next.task.answers_value().unwrap().to_text(), r#"{"a":1}"#);
    }

    #[test]
    fn asking_for_nothing_calls_the_handler_again() {
        let (mut task, token) = claimed();
        task.change(token, TaskChange::Ask(ask(&[])), at(1)).unwrap();
        assert_eq!(task.claim("v", LEASE, at(1)).unwrap().step, TaskStep::Answered);
    }

    #[test]
    fn cancelling_ends_what_nobody_works_on_and_tells_the_worker_otherwise() {
        let mut waiting = task();
        waiting.request_cancel(at(1));
        assert_eq!(waiting.state, TaskState::Ended(TaskOutcome::Cancelled));
        let (mut asking, token) = claimed();
        asking.change(token, TaskChange::Ask(ask(&["k"])), at(1)).unwrap();
        asking.request_cancel(at(2));
        assert_eq!(asking.state, TaskState::Ended(TaskOutcome::Cancelled));
        let (mut working, token) = claimed();
        working.request_cancel(at(1));
        assert_eq!(working.state, TaskState::Working);
        assert!(working.cancel_requested);
        working
            .change(token, TaskChange::Ask(ask(&["k"])), at(2))
            .unwrap();
        assert_eq!(working.state, TaskState::Ended(TaskOutcome::Cancelled));
    }

    #[test]
    fn a_released_task_is_free_at_once() {
        let (mut task, token) = claimed();
        task.change(token, TaskChange::Release, at(1)).unwrap();
        assert_eq!(task.claim("v", LEASE, at(1)).unwrap().step, TaskStep::Resume);
        assert_eq!(task.resumes, 1);
        let token = task.token;
        task.change(token, TaskChange::Release, at(1)).unwrap();
        assert_eq!(task.resumes, 0);
    }

    #[test]
    fn resumes_are_counted_from_checkpoint_to_checkpoint() {
        let (mut task, _) = claimed();
        for n in 1..=3 {
            task.claim("v", LEASE, at(n * 100)).unwrap();
        }
        assert_eq!(task.resumes, 3);
        let token = task.token;
        task.change(token, TaskChange::Checkpoint("c".into()), at(400))
            .unwrap();
        assert_eq!(task.resumes, 0);
    }

    #[test]
    fn checkpoints_and_status_messages_have_bounds() {
        let (mut task, token) = claimed();
        for (make, limit) in [
            (
                TaskChange::Checkpoint as fn(String) -> TaskChange,
                MAX_CHECKPOINT_BYTES,
            ),
            (TaskChange::Status as fn(String) -> TaskChange, MAX_STATUS_BYTES),
        ] {
            assert!(task.change(token, make("x".repeat(limit)), at(1)).is_ok());
            let refused = task.change(token, make("x".repeat(limit + 1)), at(1));
            assert!(matches!(refused, Err(TaskStoreError::TooLarge { .. })));
        }
    }

    #[test]
    fn a_task_expires_when_its_time_is_over() {
        let task = Task {
            time_to_live: Some(Duration::from_secs(5)),
            ..task()
        };
        assert!(!task.is_expired(at(4)));
        assert!(task.is_expired(at(5)));
        let forever = Task {
            time_to_live: None,
            ..task
        };
        assert!(!forever.is_expired(at(u64::MAX >> 2)));
    }
}
