//! Work on days, one after the other or beside each other, as whoever tunes provides.
//!
//! This crate starts no threads: who may hands in something that does. Results stand in the order of
//! days, so that nothing depends on who was done first. Read next: [`crate::tuning`].

/// Does work on each of several days.
pub trait DayWorkers: Sync {
    /// What `work` gives for each day from 0 on, in their order.
    fn map<T: Send>(&self, days: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T>;
}

/// One day after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneByOne;

impl DayWorkers for OneByOne {
    fn map<T: Send>(&self, days: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        (0..days).map(work).collect()
    }
}
