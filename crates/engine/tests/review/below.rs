//! What hangs below a task: the store is asked once whether there is anything, and not again before
//! there may be.

use super::*;

impl Stage {
    /// The parts of a task and how much was negotiated about it, as `who` sees them, and how often the
    /// store was read for that.
    fn below(&self, who: &str, id: &str) -> (Vec<String>, usize, u64) {
        self.flush();
        let reads = || self.engine.store().statistics().reads;
        let before = reads();
        let parts = Query::Parts(TaskId::new(id));
        let parts = match self.read(who, parts) {
            Records::Parts(found) => found.iter().map(TaskId::to_string).collect(),
            other => panic!("{other:?}"),
        };
        let negotiated = match self.read(who, Query::Negotiations(Some(TaskId::new(id)))) {
            Records::Negotiations(found) => found.len(),
            other => panic!("{other:?}"),
        };
        (parts, negotiated, reads() - before)
    }
}

fn seen(parts: &[&str], negotiated: usize, reads: u64) -> (Vec<String>, usize, u64) {
    (
        parts.iter().map(|p| (*p).to_owned()).collect(),
        negotiated,
        reads,
    )
}

#[test]
fn a_task_with_nothing_below_it_is_read_from_memory_until_something_is() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.say("operator", assignment("whole", JOB)).unwrap();
    assert_eq!(stage.below("operator", "whole"), seen(&[], 0, 1));
    assert_eq!(stage.below("operator", "whole"), seen(&[], 0, 0));
    // Who sees less has it from the same place.
    assert_eq!(stage.below("out", "whole"), seen(&[], 0, 0));
    stage.say("operator", part("part", "whole")).unwrap();
    assert_eq!(stage.below("operator", "whole"), seen(&["part"], 0, 1));
    assert_eq!(stage.below("operator", "part"), seen(&[], 0, 1));
}

#[test]
fn what_is_negotiated_about_a_task_is_seen_whenever_it_was_looked_at() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    // Before there is a task, its negotiation is in the store alone.
    let proposal = message(Verb::FeasibilityNegotiate, "t", JOB);
    stage.say("operator", proposal).unwrap();
    assert_eq!(stage.below("operator", "t"), seen(&[], 1, 2));
    stage.say("operator", assignment("t", JOB)).unwrap();
    assert_eq!(stage.below("operator", "t"), seen(&[], 1, 2));
    assert_eq!(stage.below("operator", "t"), seen(&[], 1, 1));
}
