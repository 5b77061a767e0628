//! Threads that make the rows of batches ready while the writer is busy with others.
//!
//! ```text
//! commit() ─┬─► queue of the writer, in the order of the calls ──► what is ready is taken, what nobody
//!           │        ▲                                             has begun is made ready there
//!           └─► queue of the preparers ─► rows
//! ```
//! Both queues hold the same [`Work`], which is at one stage for all: so a batch is made ready once,
//! by whoever comes first, and the order of commits is that of the writer's queue alone. A thread that
//! panics gives its work back. Read next: [`crate::prepared`], `writer`.

use crate::open::OpenError;
use crate::prepared::{Prepared, Rows, Wanted};
use crate::row_keys::{KeysInForce, RowKeys};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// The most batches that lie ready, and that wait to be: each is in memory once more.
const AHEAD_MAX: u64 = 1_024;

/// A batch on its way to the writer.
pub(crate) struct Work {
    stage: Mutex<Stage>,
    is_back: Condvar,
}

enum Stage {
    Waiting(Box<Wanted>),
    Ready(Prepared),
    /// A preparer has it, or the writer, who does not give it back.
    Away,
}

impl Work {
    pub(crate) fn new(wanted: Wanted) -> Self {
        Self {
            stage: Mutex::new(Stage::Waiting(Box::new(wanted))),
            is_back: Condvar::new(),
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, stage: Stage) {
        *self.stage() = stage;
        self.is_back.notify_one();
    }

    /// Has `prepare` make the rows ready, unless somebody came first.
    fn prepare_by(&self, prepare: impl FnOnce(&Wanted) -> Rows) {
        let mut stage = self.stage();
        let wanted = match std::mem::replace(&mut *stage, Stage::Away) {
            Stage::Waiting(wanted) => wanted,
            other => return *stage = other,
        };
        drop(stage);
        let mut borrowed = Borrowed {
            work: self,
            wanted: Some(wanted),
        };
        let rows = borrowed.wanted.as_deref().map(prepare).map(Box::new);
        if let Some(wanted) = borrowed.wanted.take() {
            self.give_back(Stage::Ready(Prepared { wanted, rows }));
        }
    }

    /// Takes what is wanted, with its rows if they are ready under these keys; none while a preparer has it.
    pub(crate) fn take(&self, keys: &RowKeys) -> Option<Prepared> {
        let taken = std::mem::replace(&mut *self.stage(), Stage::Away);
        match taken {
            Stage::Waiting(wanted) => Some(Prepared { wanted, rows: None }),
            // If the keys were changed meanwhile, nothing is written under the older ones: who encrypts rows anew
            // would not look there again, and then deletes them.
            Stage::Ready(Prepared { wanted, rows }) => Some(Prepared {
                wanted,
                rows: rows.filter(|rows| rows.are_under(keys)),
            }),
            Stage::Away => None,
        }
    }

    /// The same, waiting for the preparer who has it.
    pub(crate) fn wait(&self, keys: &RowKeys) -> Prepared {
        loop {
            let is_away = |stage: &mut Stage| matches!(stage, Stage::Away);
            drop(self.is_back.wait_while(self.stage(), is_away));
            if let Some(prepared) = self.take(keys) {
                return prepared;
            }
        }
    }
}

/// What a preparer has; given back as it was if that panics.
struct Borrowed<'w> {
    work: &'w Work,
    wanted: Option<Box<Wanted>>,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(wanted) = self.wanted.take() {
            self.work.give_back(Stage::Waiting(wanted));
        }
    }
}

/// The threads; dropping it ends them.
pub(crate) struct Preparers {
    /// None if there are no threads.
    queue: Option<SyncSender<Arc<Work>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Preparers {
    /// Starts so many threads, which make rows ready with the keys in force.
    pub(crate) fn start(threads: usize, keys: &Arc<KeysInForce>) -> Result<Self, OpenError> {
        let (queue, offered) = mpsc::sync_channel(AHEAD_MAX as usize);
        let offered = Arc::new(Mutex::new(offered));
        let mut preparers = Self {
            queue: (threads > 0).then_some(queue),
            threads: Vec::with_capacity(threads),
        };
        for _ in 0..threads {
            let (offered, keys) = (Arc::clone(&offered), Arc::clone(keys));
            let thread = thread::Builder::new().name("store-preparer".to_owned());
            let thread = thread.spawn(move || prepare_all(&offered, &keys));
            preparers.threads.push(thread.map_err(OpenError::Thread)?);
        }
        Ok(preparers)
    }

    /// Offers work behind which so many batches were queued. Where there were none the writer comes to
    /// it at once, and where there are too many nobody makes it ready ahead.
    pub(crate) fn offer(&self, work: &Arc<Work>, queued: u64) {
        let queue = self.queue.as_ref();
        if let Some(queue) = queue.filter(|_| (1..AHEAD_MAX).contains(&queued)) {
            // What finds no place is made ready by the writer.
            let _ = queue.try_send(Arc::clone(work));
        }
    }
}

impl Drop for Preparers {
    fn drop(&mut self) {
        drop(self.queue.take());
        for thread in self.threads.drain(..) {
            // One that panicked has said so, and has given its work back.
            let _ = thread.join();
        }
    }
}

fn prepare_all(offered: &Mutex<Receiver<Arc<Work>>>, keys: &KeysInForce) {
    let next = || {
        let offered = offered.lock().unwrap_or_else(PoisonError::into_inner);
        offered.recv().ok()
    };
    while let Some(work) = next() {
        work.prepare_by(|wanted| Rows::of(wanted, &keys.get()));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    fn rows(wanted: &Wanted) -> Rows {
        Rows::of(wanted, &RowKeys::default())
    }

    #[test]
    fn work_is_made_ready_once_by_whoever_comes_first() {
        let work = Work::new(Wanted::default());
        work.prepare_by(rows);
        work.prepare_by(|_| panic!("it is ready"));
        assert!(work.take(&RowKeys::default()).is_some());
        work.prepare_by(|_| panic!("the writer has it"));
        assert!(work.take(&RowKeys::default()).is_none());
    }

    #[test]
    fn who_panics_gives_its_work_back() {
        let work = Arc::new(Work::new(Wanted::default()));
        let (began, has_begun) = mpsc::channel();
        let (end, ends) = mpsc::channel();
        let preparer = thread::spawn({
            let work = Arc::clone(&work);
            move || {
                let broken = AssertUnwindSafe(|| {
                    work.prepare_by(|_| {
                        began.send(()).unwrap();
                        ends.recv().unwrap();
                        panic!("a preparer ends");
                    });
                });
                assert!(catch_unwind(broken).is_err());
            }
        });
        has_begun.recv().unwrap();
        assert!(work.take(&RowKeys::default()).is_none());
        let writer = thread::spawn({
            let work = Arc::clone(&work);
            move || work.wait(&RowKeys::default()).wanted.batch.tasks.len()
        });
        end.send(()).unwrap();
        assert_eq!(writer.join().unwrap(), 0);
        preparer.join().unwrap();
    }

    #[test]
    fn what_is_offered_is_made_ready_by_threads_that_end_with_the_store() {
        let keys = Arc::new(KeysInForce::new(RowKeys::default()));
        let preparers = Preparers::start(3, &keys).unwrap();
        let offered: Vec<_> = (0..50)
            .map(|_| Arc::new(Work::new(Wanted::default())))
            .collect();
        for work in &offered {
            // Where nothing is queued, and where too much is, the writer does it.
            preparers.offer(work, 0);
            preparers.offer(work, AHEAD_MAX);
        }
        assert!(offered.iter().all(|work| Arc::strong_count(work) == 1));
        offered.iter().for_each(|work| preparers.offer(work, 1));
        for work in &offered {
            while !matches!(*work.stage(), Stage::Ready(_)) {
                thread::sleep(Duration::from_millis(1));
            }
        }
        drop(preparers);
        assert!(offered.iter().all(|work| Arc::strong_count(work) == 1));
    }
}
