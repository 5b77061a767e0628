//! A fair share of the runtime for each user: the work of one user runs on some of the threads,
//! never on all.
//!
//! ```text
//!  eve's 50 sessions ─► one turn after the other ─┐
//!  ann's session     ─► her own turn ─────────────┴─► threads of the runtime
//! ```
//!
//! A single request is short, but a user with many sessions may send many at a time, and a runtime
//! runs tasks in the order in which they become ready: against fifty busy sessions everyone else
//! gets a fifty-first part. So the tasks of a user are polled in turns: at most a fixed number of
//! them at a time, the others waiting in order. A turn lasts a poll, which sessions and the
//! runtime's own budget bound; a task that waits for bytes, a commit or an agent holds none. The
//! work of a transport on bytes before there is a request has turns of its own ([`LastingTurns`]
//! where a library polls it): those of its user, or of the source before authentication. Knows
//! nothing of the work. Read next: [`crate::session`], [`crate::http`]; long work runs in
//! [`crate::pool`].

use crate::background;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::sync::PollSemaphore;

/// The duration from which a poll counts as long, as it delays others if no other thread polls the
/// sockets.
const LONG: Duration = Duration::from_millis(1);
/// The number of polls after a long one that wake another thread.
const WARY: u32 = 1_000;

/// The polls left that wake another thread.
static WARY_FOR: AtomicU32 = AtomicU32::new(0);

/// Makes another thread of the runtime wait for the sockets while this one works.
///
/// A runtime wakes no second thread for a single ready task: while the thread that took it from a
/// socket works on it, no thread polls the sockets, however many sleep. Two empty tasks wake one,
/// which then waits in this one's place.
pub fn leave_a_thread() {
    if let Ok(runtime) = Handle::try_current() {
        for _ in 0..2 {
            drop(runtime.spawn(async {}));
        }
    }
}

/// The turns of all users.
#[derive(Debug)]
pub struct FairShares {
    at_once: usize,
    users: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl FairShares {
    /// Shares for this machine: one thread fewer than there are cores, so that one is always left
    /// to others; at least one.
    pub fn of_this_machine() -> Self {
        Self::new(background::cores().get())
    }

    /// Shares in which at most `at_once` of a user's tasks are polled at a time.
    pub fn new(at_once: usize) -> Self {
        Self {
            at_once,
            users: Mutex::default(),
        }
    }

    /// The share of a user.
    pub fn of(&self, user: &str) -> Share {
        let mut users = self.users.lock().expect("no holder panics");
        if let Some(turns) = users.get(user).and_then(Weak::upgrade) {
            return Share(turns);
        }
        // Removes the turns of users without work first.
        users.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Semaphore::new(self.at_once));
        users.insert(user.to_owned(), Arc::downgrade(&turns));
        Share(turns)
    }
}

/// The turns of one user.
#[derive(Clone, Debug)]
pub struct Share(Arc<Semaphore>);

impl Share {
    /// The same work, polled in the user's turns.
    pub fn run<F: Future>(self, work: F) -> Fair<F> {
        Fair {
            turns: self.turns(),
            work: Box::pin(work),
        }
    }

    /// Turns for something else that is polled.
    pub fn turns(self) -> Turns {
        Turns(PollSemaphore::new(self.0))
    }

    /// Turns for something that is polled elsewhere than where its turn is awaited.
    pub fn lasting(self) -> LastingTurns {
        LastingTurns {
            turns: self.0,
            wanted: None,
        }
    }
}

/// The turns of one piece of a user's work.
#[derive(Debug)]
pub struct Turns(PollSemaphore);

impl Turns {
    /// Polls in a turn of the user: pending until it comes; the turn ends on return.
    pub fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        work: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let turn = ready!(self.0.poll_acquire(context));
        let polled = work(context);
        drop(turn);
        polled
    }
}

/// The turns of work that a library polls, of which only its start is visible here. A turn then
/// lasts until every other ready task has been polled once: so always-ready work has one place
/// among all others, whatever its amount. A task that waits holds no turn.
#[derive(Debug)]
pub struct LastingTurns {
    turns: Arc<Semaphore>,
    /// Receives the turn that is awaited.
    wanted: Option<oneshot::Receiver<()>>,
}

impl LastingTurns {
    /// Ready when the turn has come. Must be polled on a runtime.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let wanted = match &mut self.wanted {
            Some(wanted) => wanted,
            // No other task holds these turns.
            None if Arc::strong_count(&self.turns) == 1 => return Poll::Ready(()),
            None => match Arc::clone(&self.turns).try_acquire_owned() {
                Ok(turn) => {
                    tokio::spawn(last(turn));
                    return Poll::Ready(());
                }
                Err(_) => self.wanted.insert(want(&self.turns)),
            },
        };
        // It is told unless the runtime ends.
        let _ = ready!(Pin::new(wanted).poll(context));
        self.wanted = None;
        Poll::Ready(())
    }
}

/// Awaits a turn in a task of its own, as the one that wants it may be delayed when it comes.
fn want(turns: &Arc<Semaphore>) -> oneshot::Receiver<()> {
    let (come, wanted) = oneshot::channel();
    let turns = Arc::clone(turns);
    tokio::spawn(async move {
        if let Ok(turn) = turns.acquire_owned().await
            && come.send(()).is_ok()
        {
            last(turn).await;
        }
    });
    wanted
}

/// Ends a turn once every other ready task has been polled.
async fn last(turn: OwnedSemaphorePermit) {
    tokio::task::yield_now().await;
    drop(turn);
}

/// Work that is polled in its user's turns.
#[must_use = "futures do nothing unless polled"]
pub struct Fair<F> {
    turns: Turns,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for Fair<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { turns, work } = &mut *self;
        turns.poll(context, |context| {
            let wary = WARY_FOR.load(Relaxed);
            if wary > 0 {
                WARY_FOR.store(wary - 1, Relaxed);
                leave_a_thread();
            }
            let begun = Instant::now();
            let polled = work.as_mut().poll(context);
            if begun.elapsed() >= LONG {
                WARY_FOR.store(WARY, Relaxed);
            }
            polled
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls once; the second value tells whether it was woken.
    fn poll<F: Future + Unpin>(work: &mut F) -> (Poll<F::Output>, Arc<Woken>) {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let polled = Pin::new(work).poll(&mut Context::from_waker(&waker));
        (polled, woken)
    }

    #[test]
    fn a_user_waits_behind_himself_and_nobody_else_does() {
        let shares = FairShares::new(1);
        let mut second = shares.of("eve").run(std::future::ready("eve's second"));
        let mut other = shares.of("ann").run(std::future::ready("ann's"));
        let mut woken = None;
        let mut first = shares.of("eve").run(poll_fn(|_| {
            // While this is polled, eve has had her turn.
            let (polled, by) = poll(&mut second);
            assert!(polled.is_pending());
            woken = Some(by);
            Poll::Ready(poll(&mut other).0)
        }));
        assert_eq!(poll(&mut first).0, Poll::Ready(Poll::Ready("ann's")));
        drop(first);
        assert_eq!(woken.unwrap().0.load(Ordering::Relaxed), 1, "her next turn");
        assert_eq!(poll(&mut second).0, Poll::Ready("eve's second"));
    }

    #[test]
    fn who_waits_for_something_holds_no_turn() {
        let shares = FairShares::new(1);
        let mut idle = shares.of("eve").run(std::future::pending::<()>());
        assert!(poll(&mut idle).0.is_pending());
        let mut second = shares.of("eve").run(std::future::ready(()));
        assert!(poll(&mut second).0.is_ready());
    }

    #[test]
    fn who_is_gone_in_the_queue_leaves_the_turn_to_the_next() {
        let shares = FairShares::new(1);
        let mut third = shares.of("eve").run(std::future::ready(()));
        let mut woken = None;
        let mut first = shares.of("eve").run(poll_fn(|_| {
            let mut second = shares.of("eve").run(std::future::ready(()));
            assert!(poll(&mut second).0.is_pending());
            woken = Some(poll(&mut third).1);
            drop(second);
            Poll::Ready(())
        }));
        assert!(poll(&mut first).0.is_ready());
        drop(first);
        assert_eq!(woken.unwrap().0.load(Ordering::Relaxed), 1);
        assert!(poll(&mut third).0.is_ready());
    }

    /// Polls once on a runtime.
    async fn poll_lasting(turns: &mut LastingTurns) -> Poll<()> {
        poll_fn(|context| Poll::Ready(turns.poll(context))).await
    }

    #[tokio::test]
    async fn a_lasting_turn_ends_when_all_else_was_polled_whoever_is_held_up() {
        let shares = FairShares::new(1);
        let mut eves: Vec<_> = (0..3).map(|_| shares.of("eve").lasting()).collect();
        let mut anns = shares.of("ann").lasting();
        assert!(poll_lasting(&mut eves[0]).await.is_ready());
        assert!(poll_lasting(&mut eves[1]).await.is_pending());
        assert!(poll_lasting(&mut eves[2]).await.is_pending());
        assert!(poll_lasting(&mut anns).await.is_ready());
        // The second is not polled when its turn comes, and the third has its own all the same.
        poll_fn(|context| eves[2].poll(context)).await;
        assert!(poll_lasting(&mut eves[1]).await.is_ready(), "it came");
        // A task that is dropped in the queue leaves its turn to the next.
        let mut gone = eves.remove(1);
        while poll_lasting(&mut gone).await.is_ready() {}
        drop(gone);
        poll_fn(|context| eves[1].poll(context)).await;
    }

    #[tokio::test]
    async fn who_is_alone_waits_for_no_turn() {
        let shares = FairShares::new(1);
        let mut only = shares.of("eve").lasting();
        for _ in 0..10 {
            assert!(poll_lasting(&mut only).await.is_ready());
        }
        let second = shares.of("eve").lasting();
        assert!(poll_lasting(&mut only).await.is_ready());
        assert!(poll_lasting(&mut only).await.is_pending());
        drop(second);
    }

    #[test]
    fn users_who_are_gone_take_no_room() {
        let shares = FairShares::new(1);
        for number in 0..1_000 {
            drop(shares.of(&format!("user-{number}")));
        }
        assert!(shares.users.lock().unwrap().len() <= 1);
    }
}
