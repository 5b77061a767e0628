//! Loads that are under way: what is read from the store before the locks of decisions are taken, and relied
//! on under it.
//!
//! What is decided stays in memory until it is on disk, and as long as a load is under way that began before it
//! was: such a load may have missed it there. So whoever looks in memory first and then into what it loaded misses
//! nothing, whatever was committed in between, and need not load again. Read next: [`crate::tasks::lookup`], which
//! loads.

use crate::commit::observer::CommitObserver;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use store::Committed;

/// Loads that are under way, and how much was on disk when each began.
#[derive(Default)]
pub(crate) struct Loads(Mutex<State>);

#[derive(Default)]
struct State {
    /// How often the writer has told that something is on disk.
    commits: u64,
    /// How many loads are under way, by the number of commits when they began.
    under_way: BTreeMap<u64, usize>,
}

/// A load, from before it reads until what was read is relied on no more.
pub(crate) struct Loading {
    loads: Arc<Loads>,
    since: u64,
}

/// What is on disk and still in memory, in the order in which it got there.
pub(crate) struct Leaving<T>(VecDeque<(u64, T)>);

impl CommitObserver for Loads {
    /// Told before the others: what they hear of now has this number.
    fn on_commit(&self, _: &[Committed]) {
        self.lock().commits += 1;
    }
}

impl Loads {
    /// Begins a load: whatever is on disk by now, it finds there.
    pub(crate) fn begin(self: &Arc<Self>) -> Loading {
        let mut state = self.lock();
        let since = state.commits;
        *state.under_way.entry(since).or_default() += 1;
        drop(state);
        let loads = Arc::clone(self);
        Loading { loads, since }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no holder panics")
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        let mut state = self.loads.lock();
        if let Some(many) = state.under_way.get_mut(&self.since) {
            *many -= 1;
            if *many == 0 {
                state.under_way.remove(&self.since);
            }
        }
    }
}

impl<T> Default for Leaving<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Leaving<T> {
    /// Takes in what the last commit brought to the disk.
    pub(crate) fn extend(&mut self, loads: &Loads, on_disk: impl IntoIterator<Item = T>) {
        let mut on_disk = on_disk.into_iter().peekable();
        if on_disk.peek().is_some() {
            let commit = loads.lock().commits;
            self.0.extend(on_disk.map(|it| (commit, it)));
        }
    }

    /// Takes out what no load under way can have missed.
    pub(crate) fn take(&mut self, loads: &Loads) -> Vec<T> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let oldest = loads.lock().under_way.keys().next().copied();
        let is_seen = |commit: u64| oldest.is_none_or(|oldest| commit <= oldest);
        let many = self.0.partition_point(|(commit, _)| is_seen(*commit));
        self.0.drain(..many).map(|(_, it)| it).collect()
    }

    /// What is on disk and was not taken out.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, it)| it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_load_may_have_missed_stays_until_it_is_over() {
        let (loads, mut leaving) = (Arc::new(Loads::default()), Leaving::default());
        let commit = |leaving: &mut Leaving<u32>, it| {
            loads.on_commit(&[]);
            leaving.extend(&loads, [it]);
        };
        commit(&mut leaving, 1);
        let first = loads.begin();
        commit(&mut leaving, 2);
        let second = loads.begin();
        commit(&mut leaving, 3);
        assert_eq!(leaving.take(&loads), [1], "it was on disk before");
        assert!(leaving.take(&loads).is_empty());
        drop(first);
        assert_eq!(leaving.take(&loads), [2]);
        let third = loads.begin();
        drop(second);
        assert_eq!(leaving.take(&loads), [3]);
        commit(&mut leaving, 4);
        assert!(leaving.take(&loads).is_empty());
        drop(third);
        assert_eq!(leaving.take(&loads), [4]);
    }
}
