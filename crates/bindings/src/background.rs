//! Work that may take long and must keep nobody waiting: whose it is, how it is given up, and what
//! is said when there is no room.
//!
//! A binding never runs such work itself; it hands it to a [`Background`], which `server` is, and
//! waits for the [`Later`]. Whoever drops the `Later`, because the session or connection is gone,
//! cancels the work. Read next: `server::pool`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// A piece of work. It asks its argument now and then whether to stop, and then ends without a
/// result.
pub type Job = Box<dyn FnOnce(&dyn Fn() -> bool) + Send>;

/// Nobody takes the work now: too much of it waits, of this user or of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much work waits already; try again later")]
pub struct Busy;

/// The work was not done: its time was over, or it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was not done in its time; try again later")]
pub struct Abandoned;

/// Runs work beside the sessions, in turns for each user.
pub trait Background: Send + Sync {
    /// Whether work of this user would be taken now.
    fn has_room(&self, user: &str) -> bool;

    /// Takes a piece of work in the name of a user.
    ///
    /// # Errors
    /// [`Busy`] at once, and the work is not done.
    fn run(&self, user: &str, job: Job) -> Result<(), Busy>;
}

/// Runs all work at once on the thread of whoever asks, for what has no other users: tests, and
/// sessions within one process that are stepped by hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Background for Inline {
    fn has_room(&self, _user: &str) -> bool {
        true
    }

    fn run(&self, _user: &str, job: Job) -> Result<(), Busy> {
        job(&|| false);
        Ok(())
    }
}

/// The result of work under way.
#[derive(Debug)]
pub struct Later<T>(oneshot::Receiver<T>);

impl<T> Future for Later<T> {
    type Output = Result<T, Abandoned>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = Pin::new(&mut self.0).poll(context);
        polled.map(|outcome| outcome.map_err(|_| Abandoned))
    }
}

impl<T> Later<T> {
    /// The result, if it is there by now.
    pub fn now(&mut self) -> Option<Result<T, Abandoned>> {
        match self.0.try_recv() {
            Ok(result) => Some(Ok(result)),
            Err(oneshot::error::TryRecvError::Empty) => None,
            Err(oneshot::error::TryRecvError::Closed) => Some(Err(Abandoned)),
        }
    }
}

/// Hands work to a background in the name of a user. `work` is told when nobody waits for it any
/// more, or when its time is over; what it makes then is of no account.
///
/// # Errors
/// [`Busy`].
pub fn later<T: Send + 'static>(
    background: &dyn Background,
    user: &str,
    work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
) -> Result<Later<T>, Busy> {
    let (sender, receiver) = oneshot::channel();
    let job = move |over: &dyn Fn() -> bool| {
        if sender.is_closed() {
            return;
        }
        let made = work(&|| sender.is_closed() || over());
        // An error means that nobody waits any more.
        if !over() {
            let _ = sender.send(made);
        }
    };
    background.run(user, Box::new(job))?;
    Ok(Later(receiver))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Keeps work until the test runs it.
    #[derive(Default)]
    struct Kept(Mutex<Vec<Job>>);

    impl Background for Kept {
        fn has_room(&self, _user: &str) -> bool {
            true
        }

        fn run(&self, _user: &str, job: Job) -> Result<(), Busy> {
            self.0.lock().expect("no holder panics").push(job);
            Ok(())
        }
    }

    #[test]
    fn what_nobody_waits_for_is_not_begun() {
        let (kept, begun) = (Kept::default(), std::sync::Arc::new(Mutex::new(0)));
        let count = std::sync::Arc::clone(&begun);
        let waiting = later(&kept, "ann", move |_| *count.lock().expect("free") += 1);
        drop(waiting);
        kept.0
            .lock()
            .expect("free")
            .drain(..)
            .for_each(|job| job(&|| false));
        assert_eq!(*begun.lock().expect("free"), 0);
    }

    #[test]
    fn work_whose_time_is_over_is_told_so_and_its_result_is_not() {
        let kept = Kept::default();
        let mut waiting = later(&kept, "ann", |over| over()).expect("it is kept");
        assert_eq!(waiting.now(), None);
        kept.0
            .lock()
            .expect("free")
            .drain(..)
            .for_each(|job| job(&|| true));
        assert_eq!(waiting.now(), Some(Err(Abandoned)));
    }

    #[test]
    fn work_done_inline_is_there_at_once() {
        let mut waiting = later(&Inline, "ann", |over| over()).expect("it is taken");
        assert_eq!(waiting.now(), Some(Ok(false)));
    }
}
