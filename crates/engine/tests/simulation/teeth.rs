//! Each law can fail: a trial that is lied to, or whose agents misbehave, breaks the law that it
//! should, within a few seeds.

use crate::step::steps;
use crate::verdict::Lie;
use crate::{shortest, take};

const LIES: [(Lie, &str); 14] = [
    (Lie::LostCommit, "what was acknowledged is there"),
    (Lie::RunTwice, "what is asked twice is done once"),
    (Lie::LeftTerminal, "a terminal state is never left"),
    (Lie::LogGap, "the log has no gap and its times never fall"),
    (Lie::OtherReply, "what is asked twice is answered alike"),
    (Lie::Unjudged, "only acceptance finishes what was expected"),
    (
        Lie::SilentlyFinished,
        "only acceptance finishes what was expected",
    ),
    (Lie::OpenPart, "what has ended has no open part"),
    (Lie::StillHeld, "a held result is released"),
    (Lie::TwiceInARow, "sides alternate and rounds are bounded"),
    (Lie::Leak, "nobody reads what he is no party to"),
    (Lie::NoRecord, "every exchange left its record"),
    (Lie::Departed, "an agreement binds"),
    (Lie::Overslept, "time ends what is late"),
];

/// Seeds that a lie is tried on.
const TRIED: u64 = 300;

#[test]
fn each_law_fails_when_it_should() {
    for (lie, law) in LIES {
        let found = (0..TRIED).find_map(|seed| {
            let broken = take(seed, &steps(seed), Some(lie)).err()?;
            assert_eq!(broken.law, law, "{lie:?}, seed {seed}: {}", broken.why);
            Some(seed)
        });
        assert!(found.is_some(), "{lie:?} went unnoticed in {TRIED} seeds");
    }
}

#[test]
fn a_history_is_cut_to_what_matters() {
    let broken = |seed| {
        take(seed, &steps(seed), Some(Lie::RunTwice))
            .err()
            .map(|b| (seed, b))
    };
    let (seed, broken) = (0..TRIED).find_map(broken).unwrap();
    let steps = shortest(seed, steps(seed), broken.law, Some(Lie::RunTwice));
    // An assignment is enough; the last tick is taken anyway.
    assert_eq!(steps.len(), 1, "{steps:?}");
}
