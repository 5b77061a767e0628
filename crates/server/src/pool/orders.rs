//! Every order in which work of three users comes and is taken, held against what is promised of turns.
//!
//! The queues are data under one lock, so that threads can do no more to them than one operation after the
//! other; here all orders of those there are, up to a length. What the threads themselves do, waiting,
//! giving up and ending, is tested beside the pool. A model checker (`loom`, `shuttle`) would need the
//! pool's locks, its clock and the priorities of its threads to be others under test, and nothing here
//! behaves otherwise under test than it does when shipped.
#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many operations follow one another.
const LENGTH: u32 = 8;
const USERS: [&str; 3] = ["ann", "bob", "eve"];
const LIMITS: PoolLimits = PoolLimits {
    waiting_a_user: 2,
    waiting: 4,
    time: Duration::from_secs(3_600),
};

/// What a run of operations has come to.
#[derive(Default)]
struct Expected {
    /// Numbers of what waits, by user.
    waiting: [VecDeque<usize>; 3],
    /// Who waited when this user was served last, and has not been served since.
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

/// Whoever has work is served before anybody else is twice, each user's work in its order; nothing is lost,
/// and there is as much room as is said: in every order.
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

/// Work of a user comes, if it has room.
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

/// The next piece of work is taken and done.
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
