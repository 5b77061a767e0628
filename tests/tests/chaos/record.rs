//! What clients were told: what was acknowledged with which reply, for how long nobody was answered, and what
//! should not have been.
//!
//! Knows nothing of how it was asked. Read next: [`super::load`], who writes it; [`super::check`], who reads it.

use super::support::within;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A time without an answer that counts as one.
const NOTICED: Duration = Duration::from_millis(500);

/// What is kept of a text.
pub(crate) fn digest(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Times without an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Silence {
    pub(crate) longest: Duration,
    /// The sum of those of half a second or more.
    pub(crate) total: Duration,
}

impl Silence {
    fn lasted(&mut self, time: Duration) {
        self.longest = self.longest.max(time);
        if time >= NOTICED {
            self.total += time;
        }
    }

    /// Both, one after the other.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            longest: self.longest.max(other.longest),
            total: self.total + other.total,
        }
    }
}

/// Tasks by which everybody can be sure of something.
#[derive(Default)]
struct Acknowledged {
    replies: HashMap<String, u64>,
    order: Vec<String>,
}

/// What clients were told.
pub(crate) struct Record {
    acknowledged: Mutex<Acknowledged>,
    /// How many are acknowledged.
    count: watch::Sender<usize>,
    silence: Mutex<(Instant, Silence)>,
    /// What was refused, which the same request may get done later, and how often.
    refused: Mutex<BTreeMap<String, u64>>,
    wrong: Mutex<Vec<String>>,
    again: AtomicU64,
    read: AtomicU64,
    over: AtomicBool,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self {
            acknowledged: Mutex::default(),
            count: watch::Sender::new(0),
            silence: Mutex::new((Instant::now(), Silence::default())),
            refused: Mutex::default(),
            wrong: Mutex::default(),
            again: AtomicU64::new(0),
            read: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// A request about this task has this reply, now and whenever it is sent again.
    pub(crate) fn acknowledged(&self, task: &str, reply: u64) {
        self.answered();
        let mut all = locked(&self.acknowledged);
        match all.replies.insert(task.to_owned(), reply) {
            None => {
                all.order.push(task.to_owned());
                self.count.send_replace(all.order.len());
            }
            Some(before) => {
                self.again.fetch_add(1, Relaxed);
                if before != reply {
                    self.wrong(format!("{task}: another reply when it was sent again"));
                }
            }
        }
    }

    /// Somebody was answered.
    fn answered(&self) {
        let now = Instant::now();
        let mut silence = locked(&self.silence);
        let time = now.duration_since(silence.0);
        silence.1.lasted(time);
        silence.0 = now;
    }

    /// The times without an answer since this was asked last.
    pub(crate) fn silence(&self) -> Silence {
        self.answered();
        std::mem::take(&mut locked(&self.silence).1)
    }

    /// A request was refused for this reason.
    pub(crate) fn refused(&self, why: &str) {
        *locked(&self.refused).entry(why.to_owned()).or_default() += 1;
    }

    /// What was acknowledged was read, as it should be.
    pub(crate) fn read(&self) {
        self.read.fetch_add(1, Relaxed);
    }

    /// Something that should not be.
    pub(crate) fn wrong(&self, what: String) {
        locked(&self.wrong).push(what);
    }

    /// Nothing new is to be asked for.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    pub(crate) fn end(&self) {
        self.over.store(true, Relaxed);
    }

    /// The task that was acknowledged as the `number`th, of any number.
    pub(crate) fn some(&self, number: u64) -> Option<String> {
        let all = locked(&self.acknowledged);
        let number = number.checked_rem(all.order.len() as u64)?;
        all.order.get(number as usize).cloned()
    }

    /// All tasks that were acknowledged, in that order.
    pub(crate) fn tasks(&self) -> Vec<String> {
        locked(&self.acknowledged).order.clone()
    }

    pub(crate) fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// Waits until so many more are acknowledged.
    pub(crate) async fn goes_on(&self, by: usize) {
        let mut count = self.count.subscribe();
        let wanted = *count.borrow() + by;
        let reached = count.wait_for(|now| *now >= wanted);
        within("acknowledgements", reached).await.unwrap();
    }

    /// How many requests were sent again and had the same reply or another, and how many reads there were.
    pub(crate) fn repeated(&self) -> (u64, u64) {
        (self.again.load(Relaxed), self.read.load(Relaxed))
    }

    pub(crate) fn refusals(&self) -> BTreeMap<String, u64> {
        locked(&self.refused).clone()
    }

    pub(crate) fn wrongs(&self) -> Vec<String> {
        locked(&self.wrong).clone()
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap()
}
