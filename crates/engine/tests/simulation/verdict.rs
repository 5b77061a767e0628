//! What comes of a trial: a law that is broken, or a tally of what happened; and the lies with which
//! `teeth` shows that each law can be broken.

use std::collections::BTreeMap;
use std::fmt;

/// A law that does not hold, and where.
#[derive(Clone, Debug)]
pub struct Broken {
    pub law: &'static str,
    pub why: String,
}

impl Broken {
    pub fn new(law: &'static str, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { law, why }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}': {}", self.law, self.why)
    }
}

/// What a trial may be told falsely, or an agent may do wrong, to show that a law can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// The platform starts again with an older state than was promised.
    LostCommit,
    /// An agent is asked twice to do the same.
    RunTwice,
    /// A task that has ended goes on.
    LeftTerminal,
    /// An entry of the log is missing.
    LogGap,
    /// A request that is sent again is answered differently.
    OtherReply,
    /// A result is finished before it was judged.
    Unjudged,
    /// Silence finishes a task.
    SilentlyFinished,
    /// A part stays open when its whole has ended.
    OpenPart,
    /// A result is held for nothing.
    StillHeld,
    /// One side speaks twice in a row.
    TwiceInARow,
    /// An agent reads what is not its own.
    Leak,
    /// An exchange left no record.
    NoRecord,
    /// What was agreed on is not what is assigned.
    Departed,
    /// A deadline passes unnoticed.
    Overslept,
}

/// What happened in a trial, to see that it is worth something.
#[derive(Clone, Debug, Default)]
pub struct Tally(pub BTreeMap<&'static str, u64>);

impl Tally {
    pub fn note(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    pub fn add(&mut self, other: &Tally) {
        for (what, count) in &other.0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// Everything that the laws speak of happened often enough.
    pub fn check(&self) {
        let least = [
            ("sent again", 10_000),
            ("tasks", 10_000),
            ("turns", 10_000),
            ("meddlers refused", 1_000),
            ("parts", 1_000),
            ("cancelled", 1_000),
            ("finished", 1_000),
            ("teams", 500),
            ("agreements binding", 300),
            ("judged", 100),
            ("trimmed", 100),
            ("deaths", 100),
            ("unconfirmed", 50),
            ("exhausted", 50),
            ("unpromised and lost", 50),
            ("released", 20),
            ("demanded and negotiated", 5),
        ];
        for (what, least) in least {
            let count = self.0.get(what).copied().unwrap_or(0);
            assert!(count >= least, "{what}: {count}, not {least}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<String> = self.0.iter().map(|(w, c)| format!("{w} {c}")).collect();
        f.write_str(&each.join(", "))
    }
}
