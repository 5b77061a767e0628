//! A pool of background threads for long work of users: interpreting text and long requests of A2A,
//! XPath searches.
//!
//! ```text
//!  ann ─► ▢▢▢ ─┐
//!  bob ─► ▢   ─┼─ one of each in turn ─► threads of crate::background
//!  eve ─► ▢▢▢▢─┘
//! ```
//!
//! Each user has a queue, and the threads take from them in turn, so that a user with many requests
//! delays only that user. A full queue refuses at once. Work has a time limit, waiting included;
//! after that it is not begun, or is told to stop. The work itself counts its steps to limit its
//! effort. Knows nothing of the work.

use crate::background;
use bindings::background::{Background, Busy, Job};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tracing::{error, warn};

/// The limits of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLimits {
    /// The most pieces of work of one user that wait.
    pub waiting_a_user: usize,
    /// The most pieces of work that wait in all.
    pub waiting: usize,
    /// The time limit of a piece of work, from its acceptance.
    pub time: Duration,
}

impl Default for PoolLimits {
    /// 32 for a user, 1,024 in all; 10 s.
    fn default() -> Self {
        Self {
            waiting_a_user: 32,
            waiting: 1_024,
            time: Duration::from_secs(10),
        }
    }
}

/// The pool. Its threads end when it is dropped, each after its present work, which is told to
/// stop.
pub struct WorkerPool {
    shared: Arc<Shared>,
}

struct Shared {
    limits: PoolLimits,
    queues: Mutex<Queues>,
    arrived: Condvar,
    /// Set under the lock of the queues, so that no waiting thread misses it; read without that
    /// lock by work that counts its steps.
    closed: AtomicBool,
}

#[derive(Default)]
struct Queues {
    /// The queues, by user; none is empty.
    jobs: BTreeMap<String, VecDeque<Waiting>>,
    /// Users with work, the next one first.
    turns: VecDeque<String>,
    waiting: usize,
}

struct Waiting {
    job: Job,
    until: Instant,
}

/// The pool of a platform: on all cores but one, with the default limits.
///
/// # Errors
/// If the system cannot start another thread.
pub fn workers() -> io::Result<Arc<dyn Background>> {
    let pool = WorkerPool::new(background::cores(), PoolLimits::default())?;
    Ok(Arc::new(pool))
}

impl WorkerPool {
    /// A pool of `threads` background threads.
    ///
    /// # Errors
    /// If the system cannot start another thread.
    pub fn new(threads: NonZeroUsize, limits: PoolLimits) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            limits,
            queues: Mutex::default(),
            arrived: Condvar::new(),
            closed: AtomicBool::new(false),
        });
        // Dropped if a thread cannot be started, which ends those that were.
        let pool = Self {
            shared: Arc::clone(&shared),
        };
        for number in 1..=threads.get() {
            let shared = Arc::clone(&shared);
            background::spawn(&format!("worker-{number}"), move || shared.work())?;
        }
        Ok(pool)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        let mut queues = self.shared.queues();
        self.shared.closed.store(true, Release);
        // Dropping them tells their waiting callers that they were not done.
        let dropped = std::mem::take(&mut queues.jobs);
        drop(queues);
        drop(dropped);
        self.shared.arrived.notify_all();
    }
}

impl Background for WorkerPool {
    fn has_room(&self, user: &str) -> bool {
        self.shared.has_room(&self.shared.queues(), user)
    }

    fn run(&self, user: &str, job: Job) -> Result<(), Busy> {
        let until = Instant::now() + self.shared.limits.time;
        let mut queues = self.shared.queues();
        if !self.shared.has_room(&queues, user) {
            return Err(Busy);
        }
        queues.push(user, Waiting { job, until });
        drop(queues);
        self.shared.arrived.notify_one();
        Ok(())
    }
}

impl Shared {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().expect("no holder panics")
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Acquire)
    }

    fn has_room(&self, queues: &Queues, user: &str) -> bool {
        !self.is_closed() && queues.have_room(user, &self.limits)
    }

    /// The loop of a thread until the pool is dropped.
    fn work(&self) {
        loop {
            let mut queues = self.queues();
            let Waiting { job, until } = loop {
                if self.is_closed() {
                    return;
                }
                match queues.pop() {
                    Some(waiting) => break waiting,
                    None => queues = self.arrived.wait(queues).expect("no holder panics"),
                }
            };
            drop(queues);
            if Instant::now() >= until {
                warn!("a piece of work waited for longer than it may take, and is not done");
                continue;
            }
            let over = || Instant::now() >= until || self.is_closed();
            // The waiting caller is told that it was not done; the thread goes on.
            if catch_unwind(AssertUnwindSafe(|| job(&over))).is_err() {
                error!("a piece of background work panicked");
            }
        }
    }
}

impl Queues {
    fn have_room(&self, user: &str, limits: &PoolLimits) -> bool {
        let own = self.jobs.get(user).map_or(0, VecDeque::len);
        own < limits.waiting_a_user && self.waiting < limits.waiting
    }

    fn push(&mut self, user: &str, waiting: Waiting) {
        self.waiting += 1;
        match self.jobs.get_mut(user) {
            Some(queue) => queue.push_back(waiting),
            None => {
                self.jobs.insert(user.to_owned(), VecDeque::from([waiting]));
                self.turns.push_back(user.to_owned());
            }
        }
    }

    /// The first piece of the user whose turn it is, who is moved to the end.
    fn pop(&mut self) -> Option<Waiting> {
        let user = self.turns.pop_front()?;
        let queue = self.jobs.get_mut(&user)?;
        let first = queue.pop_front()?;
        self.waiting -= 1;
        match queue.is_empty() {
            true => drop(self.jobs.remove(&user)),
            false => self.turns.push_back(user),
        }
        Some(first)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use bindings::background::{Abandoned, Later, later};
    use std::sync::mpsc;

    fn pool(waiting_a_user: usize, waiting: usize, time: Duration) -> WorkerPool {
        let limits = PoolLimits {
            waiting_a_user,
            waiting,
            time,
        };
        WorkerPool::new(NonZeroUsize::MIN, limits).unwrap()
    }

    const LONG: Duration = Duration::from_secs(3_600);

    /// Occupies the only thread until the sender is dropped.
    fn held(pool: &WorkerPool) -> mpsc::Sender<()> {
        let (release, held) = mpsc::channel::<()>();
        let (begun, wait) = mpsc::channel();
        let job = move |_: &dyn Fn() -> bool| {
            begun.send(()).unwrap();
            let _ = held.recv();
        };
        pool.run("holder", Box::new(job)).unwrap();
        wait.recv().unwrap();
        release
    }

    fn wait<T>(later: Later<T>) -> Result<T, Abandoned> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(later)
    }

    #[test]
    fn users_take_turns_however_much_one_of_them_asks_for() {
        let pool = pool(8, 64, LONG);
        let release = held(&pool);
        let (done, order) = mpsc::channel();
        for (user, number) in [("eve", 1), ("eve", 2), ("eve", 3), ("ann", 1), ("bob", 1)] {
            let done = done.clone();
            let job = move |_: &dyn Fn() -> bool| done.send((user, number)).unwrap();
            pool.run(user, Box::new(job)).unwrap();
        }
        drop((release, done));
        let order: Vec<_> = order.iter().collect();
        let expected = [("eve", 1), ("ann", 1), ("bob", 1), ("eve", 2), ("eve", 3)];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_full_queue_refuses_at_once_and_others_still_have_room() {
        let pool = pool(2, 3, LONG);
        let release = held(&pool);
        let job = || Box::new(|_: &dyn Fn() -> bool| ());
        assert_eq!(pool.run("eve", job()), Ok(()));
        assert_eq!(pool.run("eve", job()), Ok(()));
        assert_eq!(pool.run("eve", job()), Err(Busy));
        assert!(!pool.has_room("eve") && pool.has_room("ann"));
        assert_eq!(pool.run("ann", job()), Ok(()));
        assert_eq!(pool.run("bob", job()), Err(Busy));
        drop(release);
    }

    #[test]
    fn work_whose_time_is_over_is_not_begun() {
        let pool = pool(8, 64, Duration::ZERO);
        let waiting = later(&pool, "ann", |_| "done").unwrap();
        assert_eq!(wait(waiting), Err(Abandoned));
    }

    #[test]
    fn a_panic_is_told_to_who_waits_and_the_thread_goes_on() {
        let pool = pool(8, 64, LONG);
        let fails = later(&pool, "ann", |_| -> u8 { panic!("as the test wants") }).unwrap();
        let works = later(&pool, "ann", |_| 7).unwrap();
        assert_eq!(wait(fails), Err(Abandoned));
        assert_eq!(wait(works), Ok(7));
    }

    #[test]
    fn what_runs_is_told_when_nobody_waits_for_it() {
        let pool = pool(8, 64, LONG);
        let (told, stopped) = mpsc::channel();
        let (begun, running) = mpsc::channel();
        let work = move |over: &dyn Fn() -> bool| {
            begun.send(()).unwrap();
            while !over() {
                std::thread::yield_now();
            }
            told.send(()).unwrap();
        };
        let waiting = later(&pool, "ann", work).unwrap();
        running.recv().unwrap();
        drop(waiting);
        assert_eq!(stopped.recv(), Ok(()));
    }

    /// Work that counts its steps by the million checks for its end without a lock.
    #[test]
    fn what_runs_asks_whether_it_is_over_without_a_lock() {
        let pool = pool(8, 64, LONG);
        let (asked, answered) = mpsc::channel();
        let (begun, running) = mpsc::channel();
        let (go, wait) = mpsc::channel::<()>();
        let job = move |over: &dyn Fn() -> bool| {
            begun.send(()).unwrap();
            let _ = wait.recv();
            asked.send(over()).unwrap();
        };
        pool.run("ann", Box::new(job)).unwrap();
        running.recv().unwrap();
        let queues = pool.shared.queues();
        drop(go);
        assert_eq!(answered.recv(), Ok(false));
        drop(queues);
    }

    #[test]
    fn what_waits_when_the_pool_goes_is_told() {
        let pool = pool(8, 64, LONG);
        let release = held(&pool);
        let waiting = later(&pool, "ann", |_| ()).unwrap();
        drop(pool);
        assert_eq!(wait(waiting), Err(Abandoned));
        drop(release);
    }
}

#[cfg(test)]
mod orders;
