//! Model checking of the queues: every order in which work of three users is queued and taken.
//!
//! The queues are data under one lock, so that threads execute one operation after the other; here
//! all orders of operations are tried, up to a length. Waiting, time limits and the end of threads
//! are tested beside the pool. A model checker (`loom`, `shuttle`) would need replacements of the
//! pool's locks, clock and thread priorities, and shipped code has no variants for tests.
#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of operations in a run.
const LENGTH: u32 = 8;
const USERS: [&str; 3] = ["ann", "bob", "eve"];
const LIMITS: PoolLimits = PoolLimits {
    waiting_a_user: 2,
    waiting: 4,
    time: Duration::from_secs(3_600),
};

/// The expected state after a run of operations.
#[derive(Default)]
struct Expected {
    /// The numbers of waiting work, by user.
    waiting: [VecDeque<usize>; 3],
    /// For each user, the others who waited when it was served last, and have not been served
    /// since.
    owed: [BTreeSet<usize>; 3],
}

impl Expected {
    fn all(&self) -> usize {
        self.waiting.iter().map(VecDeque::len).sum()
    }

    fn served(&mut self, user: usize) -> usize {
        assert!(self.owed[user].is_empty(), "others were to be served first");
        for owed in &mut self.owed {
            owed.remove(&user);
        }
        let number = self.waiting[user].pop_front().unwrap();
        let others = (0..USERS.len()).filter(|other| *other != user);
        self.owed[user] = others
            .filter(|other| !self.waiting[*other].is_empty())
            .collect();
        number
    }
}

/// In every order: a user with work is served before any other is served twice, each user's work in
/// its order; nothing is lost, and the queues have exactly the stated capacity.
#[test]
fn turns_are_kept_in_every_order_of_coming_and_going() {
    for number in 0..4_usize.pow(LENGTH) {
        let (mut queues, mut expected) = (Queues::default(), Expected::default());
        let run = Arc::new(AtomicUsize::new(usize::MAX));
        for place in 0..LENGTH as usize {
            match (number >> (2 * place)) & 3 {
                3 => take(&mut queues, &mut expected, &run),
                user => put(&mut queues, &mut expected, &run, user, place),
            }
            assert_eq!(queues.waiting, expected.all());
        }
        while expected.all() > 0 {
            take(&mut queues, &mut expected, &run);
        }
        assert!(queues.pop().is_none() && queues.turns.is_empty() && queues.jobs.is_empty());
    }
}

/// Queues work of a user, if there is room.
fn put(
    queues: &mut Queues,
    expected: &mut Expected,
    run: &Arc<AtomicUsize>,
    user: usize,
    number: usize,
) {
    let has_room = expected.waiting[user].len() < 2 && expected.all() < 4;
    assert_eq!(queues.have_room(USERS[user], &LIMITS), has_room);
    if !has_room {
        return;
    }
    let run = Arc::clone(run);
    let waiting = Waiting {
        job: Box::new(move |_| run.store(number, Ordering::Relaxed)),
        until: Instant::now() + LIMITS.time,
    };
    queues.push(USERS[user], waiting);
    expected.waiting[user].push_back(number);
}

/// Takes the next piece of work and does it.
fn take(queues: &mut Queues, expected: &mut Expected, run: &AtomicUsize) {
    let Some(waiting) = queues.pop() else {
        assert_eq!(expected.all(), 0, "it is taken if there is any");
        return;
    };
    (waiting.job)(&|| false);
    let number = run.load(Ordering::Relaxed);
    let of = expected
        .waiting
        .iter()
        .position(|all| all.contains(&number));
    assert_eq!(expected.served(of.unwrap()), number, "in its order");
}
