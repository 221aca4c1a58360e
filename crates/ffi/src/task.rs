//! What takes time: begun here, told to a callback exactly once.

use std::future::Future;

use toolmesh_embed::{CancellationToken, Fault, FaultKind, runtime};

use crate::{
    answer::{Failure, Outcome, ToolmeshAnswer},
    boundary::guarded,
};

/// Is told how something ended: exactly once, on a thread of the library or before the function that began it returns. It
/// must not wait. The answer is the program's to free.
pub type ToolmeshDone = Option<unsafe extern "C" fn(context: u64, answer: ToolmeshAnswer)>;

/// What tells how something ended.
type Tell<T> = Box<dyn FnOnce(Result<T, Failure>) + Send>;

/// Whoever is to be told. It is told that the library failed when it is let go without a word, so that nobody waits for ever.
pub(crate) struct Told<T>(Option<Tell<T>>);

impl<T> Told<T> {
    pub(crate) fn new(told: impl FnOnce(Result<T, Failure>) + Send + 'static) -> Self {
        Self(Some(Box::new(told)))
    }

    pub(crate) fn tell(mut self, outcome: Result<T, Failure>) {
        if let Some(told) = self.0.take() {
            told(outcome);
        }
    }
}

impl<T> Drop for Told<T> {
    fn drop(&mut self) {
        if let Some(told) = self.0.take() {
            told(Err(Failure::Panicked));
        }
    }
}

/// Whoever is told with a plain answer.
pub(crate) fn told(done: ToolmeshDone, context: u64) -> Told<String> {
    Told::new(move |outcome: Outcome| {
        if let Some(done) = done {
            // SAFETY: the program owes a callback that follows the rules at the head of the header.
            unsafe { done(context, outcome.into()) };
        }
    })
}

/// Begins something. `prepare` looks at what the program handed in, on its thread; what it gives runs on the library's, and is
/// dropped, which cancels it, with the token.
pub(crate) fn start<T: Send + 'static, W>(
    told: Told<T>,
    token: Option<CancellationToken>,
    prepare: impl FnOnce() -> Result<W, Failure>,
) where
    W: Future<Output = Result<T, Failure>> + Send + 'static,
{
    let prepared = guarded(
        || Err(Failure::Panicked),
        || Ok((prepare()?, runtime().map_err(Failure::Fault)?)),
    );
    match prepared {
        Err(failure) => told.tell(Err(failure)),
        Ok((work, runtime)) => {
            runtime.spawn(async move { told.tell(ended(work, token).await) });
        }
    }
}

async fn ended<T>(
    work: impl Future<Output = Result<T, Failure>>,
    token: Option<CancellationToken>,
) -> Result<T, Failure> {
    let Some(token) = token else { return work.await };
    tokio::select! {
        biased;
        () = token.cancelled() => Err(Fault::new(FaultKind::Cancelled, "the caller gave up").into()),
        outcome = work => outcome,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn outcome(
        token: Option<CancellationToken>,
        work: impl Future<Output = Outcome> + Send + 'static,
    ) -> Vec<String> {
        let (sender, told) = mpsc::channel();
        start(
            Told::new(move |outcome: Outcome| sender.send(format!("{outcome:?}")).unwrap()),
            token,
            || Ok(work),
        );
        // It ends when the sender is gone, so that a second word would be seen.
        told.iter().collect()
    }

    #[test]
    fn whoever_waits_is_told_once_also_when_the_work_panics() {
        assert_eq!(outcome(None, async { Ok("x".to_owned()) }), [r#"Ok("x")"#]);
        assert_eq!(outcome(None, async { panic!("a defect") }), ["Err(Panicked)"]);
    }

    #[test]
    fn a_token_ends_what_would_never_end() {
        let token = CancellationToken::new();
        token.cancel();
        let told = outcome(Some(token), std::future::pending());
        assert!(told.len() == 1 && told[0].contains("Cancelled"), "{told:?}");
    }

    #[test]
    fn a_panic_while_arguments_are_read_is_told_too() {
        let (sender, told) = mpsc::channel();
        let waiting = Told::new(move |outcome: Outcome| sender.send(format!("{outcome:?}")).unwrap());
        start(
            waiting,
            None,
            || -> Result<std::future::Ready<Outcome>, Failure> { panic!("a defect") },
        );
        assert_eq!(told.iter().collect::<Vec<_>>(), ["Err(Panicked)"]);
    }
}
