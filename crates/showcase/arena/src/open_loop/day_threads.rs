//! Days that are worked on beside each other, on as many threads as there are processors.
//!
//! Which thread takes which day is left to chance; results stand in the order of days. Read next:
//! [`yardsticks::workers`].

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use yardsticks::DayWorkers;

/// As many days at once as there are processors.
#[derive(Clone, Copy, Debug, Default)]
pub struct DayThreads;

impl DayWorkers for DayThreads {
    fn map<T: Send>(&self, days: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let next = AtomicUsize::new(0);
        let take = || {
            let mut done = Vec::new();
            loop {
                let day = next.fetch_add(1, Ordering::Relaxed);
                if day >= days {
                    return done;
                }
                done.push((day, work(day)));
            }
        };
        let mut all: Vec<(usize, T)> = thread::scope(|scope| {
            let started: Vec<_> = (0..threads.min(days)).map(|_| scope.spawn(take)).collect();
            let done = started.into_iter();
            done.flat_map(|thread| thread.join().expect("work on a day does not panic"))
                .collect()
        });
        all.sort_by_key(|(day, _)| *day);
        all.into_iter().map(|(_, done)| done).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_days_each_once() {
        let squares = DayThreads.map(100, |day| day * day);
        assert_eq!(squares, (0..100).map(|day| day * day).collect::<Vec<_>>());
        assert!(DayThreads.map(0, |day| day).is_empty());
    }
}
