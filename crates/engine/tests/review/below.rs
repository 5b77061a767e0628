//! What hangs below a task: the store is asked once whether there is anything, and not again before
//! there may be.

use super::*;
use engine::query::PartsOf;
use engine::refusal::NotFound;

impl Stage {
    /// The parts of a task and how much was negotiated about it, as `who` sees them, and how often the
    /// store was read for that.
    fn below(&self, who: &str, id: &str) -> (Vec<String>, usize, u64) {
        self.flush();
        let reads = || self.engine.store().statistics().reads;
        let before = reads();
        let parts = PartsOf(TaskId::new(id));
        let parts = self.read(who, parts);
        let parts = parts.iter().map(TaskId::to_string).collect();
        let negotiated = self.read(who, NegotiationsOf(Some(TaskId::new(id))));
        (parts, negotiated.len(), reads() - before)
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

/// A task that ended before the platform was started is not in memory.
#[test]
fn a_task_that_is_read_from_the_store_tells_whether_anything_is_below_it() {
    let folder = tempfile::tempdir().unwrap();
    let stage = in_folder(folder.path(), Limits::default());
    stage.say("operator", assignment("whole", JOB)).unwrap();
    stage.say("operator", part("part", "whole")).unwrap();
    stage.say("operator", assignment("alone", JOB)).unwrap();
    for id in ["whole", "alone"] {
        let called_off = message(Verb::TaskCancel, id, "");
        stage.say("operator", called_off).unwrap();
    }
    stage.flush();
    drop(stage);
    let stage = in_folder(folder.path(), Limits::default());
    assert_eq!(stage.below("operator", "alone"), seen(&[], 0, 2));
    stage.task("alone");
    assert_eq!(stage.below("operator", "alone"), seen(&[], 0, 0));
    stage.task("whole");
    assert_eq!(stage.below("operator", "whole"), seen(&["part"], 0, 1));
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

/// Between whom an ended task is decides whether it is read at all: asked for by somebody else, it costs what
/// none costs, and cannot fail, be it as damaged as it may.
#[test]
fn what_is_another_s_is_not_read() {
    const MARK: &str = "a mark that is found in the file";
    let folder = tempfile::tempdir().unwrap();
    let stage = in_folder(folder.path(), Limits::default());
    stage.register("out");
    let text = format!("{JOB}; {MARK}");
    stage.say("noc", assignment("t1", &text)).unwrap();
    let called_off = message(Verb::TaskCancel, "t1", "");
    stage.say("noc", called_off).unwrap();
    stage.flush();
    drop(stage);
    let file = folder.path().join("convoke.db");
    let whole = std::fs::read(&file).unwrap();
    let places = whole.windows(MARK.len()).enumerate();
    let places = places.filter(|(_, window)| *window == MARK.as_bytes());
    let task = || TaskById(TaskId::new("t1"));
    let query = || message(Verb::TaskResultQuery, "t1", "");
    // It stands in the log as well, without which nothing opens.
    let damaged = places.map(|(place, _)| place).find_map(|place| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let now = Timestamp::from_ms(2_000_000);
        let store = store::Options::file(&file);
        let accepts = |_: &Ask| vec![answer(Verdict::Accepted)];
        let engine = Engine::open(setup("worker", store, Limits::default(), now, accepts)).ok()?;
        let stage = Stage { engine, now };
        stage.run("noc", task()).is_err().then_some(stage)
    });
    let stage = damaged.expect("its row is damaged in one of the places");
    for other in ["out", "outer"] {
        match stage.run(other, task()) {
            Ok(found) => assert!(found.is_none()),
            read => panic!("{other} reads it: {read:?}"),
        }
        let followed = stage
            .engine
            .followed(&stage.engine.principal(other), &TaskId::new("t1"));
        assert!(matches!(followed, Ok(None)), "{followed:?}");
    }
    let refused = stage.say("out", query()).unwrap_err();
    assert!(
        matches!(refused, Refusal::NotFound(NotFound::Task { .. })),
        "{refused:?}"
    );
}
