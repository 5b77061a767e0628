//! The platform under trial: it is opened, flushed, stopped, and killed.
//!
//! The writer of the store is held until [`Platform::flush`], so that what is on disk when the
//! platform dies depends on the seed alone. Dying is a copy of the files as they are: a power cut
//! between two commits. In a database it is to be fenced: what was not committed by then never is. Whether
//! the disk keeps what it was given is `store`'s own test. Read next: [`crate::trial`].

use crate::behaviour::{Behaviour, Book, Errands};
use crate::verdict::Lie;
use domain::profile::{Capability, Profile};
use domain::task::TaskId;
use domain::time::Timestamp;
use engine::{Credential, Engine, Hosted, Limits, Retention, Setup, Stepping};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::CommitError;
use tempfile::TempDir;
use testkit::postgres::{self, Database};
use testkit::{hosted, setup, skill};

/// How long an ended task is kept, in milliseconds.
pub const KEPT_MS: i64 = 10_000;
/// How long a caller may wait, in milliseconds.
pub const SYNCHRONOUS_MS: i64 = 5_000;
/// How long a publisher may be silent where it does not say, in milliseconds.
pub const ANSWER_WITHIN_MS: i64 = 20_000;
/// How many rounds a negotiation has where its publisher does not say.
pub const ROUNDS: u32 = 3;

/// Where the state of a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory: it never dies.
    Memory,
    /// In a file.
    File,
    /// In a database of PostgreSQL; in a file where there is no PostgreSQL.
    Database,
}

/// The place, as it is there.
enum Home {
    Memory,
    /// A file for each life that began with a copy.
    Folder(TempDir),
    Database(Database<'static>),
}

impl Home {
    fn at(place: Place) -> Self {
        let folder = || Self::Folder(tempfile::tempdir().unwrap());
        match place {
            Place::Memory => Self::Memory,
            Place::File => folder(),
            Place::Database => match postgres::shared() {
                Some(server) => Self::Database(server.database()),
                None => folder(),
            },
        }
    }
}

pub struct Platform {
    engine: Option<Engine>,
    seed: u64,
    shards: usize,
    book: Arc<Mutex<Book>>,
    lie: Option<Lie>,
    home: Home,
    lives: u32,
    /// A life that was copied earlier than it died; only a lie uses it.
    stale: Option<u32>,
    turns: usize,
}

impl Platform {
    pub fn new(
        (seed, shards): (u64, usize),
        place: Place,
        book: Arc<Mutex<Book>>,
        lie: Option<Lie>,
        now: Timestamp,
    ) -> Self {
        let mut platform = Self {
            seed,
            shards,
            book,
            lie,
            home: Home::at(place),
            lives: 0,
            stale: None,
            engine: None,
            turns: 0,
        };
        platform.open(0, now);
        platform
    }

    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    /// True if the state outlives the platform.
    pub fn is_on_disk(&self) -> bool {
        !matches!(self.home, Home::Memory)
    }

    /// True if agents step beside the decisions, when the trial lets them, and not in turn.
    pub fn is_beside(&self) -> bool {
        self.lie.is_none() && self.seed % 4 < 2
    }

    /// The tasks about which an agent in here was asked something that it has not answered.
    pub fn open_questions(&self) -> BTreeSet<TaskId> {
        let rows = self.engine().store().documents("question").unwrap();
        let about = rows.iter().filter_map(|row| {
            let body: serde_json::Value = serde_json::from_str(row.body.as_ref().unwrap()).unwrap();
            let is_asked = body["verb"] != domain::verb::Verb::TaskResultNotify.as_str();
            is_asked.then(|| TaskId::new(body["task"].as_str().unwrap()))
        });
        about.collect()
    }

    /// Lets an agent have a turn, if one can; false if none can. The turns have one step, two or
    /// three, and what came of the first is known when the last was taken.
    pub fn step(&mut self, now: Timestamp) -> bool {
        self.turns += 1;
        let most = (self.turns % 3) + 1;
        let mut rest = self.engine().next_turn(most, now);
        let mut steps = Vec::new();
        while let Some(turn) = rest {
            let (stepped, more) = turn.step(|| true);
            steps.push(stepped);
            rest = more;
        }
        let any = !steps.is_empty();
        let taken = steps.into_iter().map(|s| self.engine().finish(s, now));
        taken.fold(any, |all, taken| all && taken)
    }

    /// Everything that is queued is on disk, and whatever agents have to do because of it is done.
    pub fn settle(&mut self, now: Timestamp) {
        self.flush(now);
        while self.is_beside() && self.step(now) {
            while self.step(now) {}
            self.flush(now);
        }
    }

    /// Everything that is queued is on disk, or nothing was queued.
    pub fn flush(&self, now: Timestamp) {
        // What was asked for before a job is committed before it; this one finds nothing to do.
        let nothing = TaskId::new("nothing");
        let flushed = self.engine().store().erase(&nothing, now).wait();
        assert!(
            matches!(flushed, Err(CommitError::UnknownTask { .. })),
            "{flushed:?}"
        );
    }

    /// Stops in order, and starts again.
    pub fn reopen(&mut self, now: Timestamp) {
        drop(self.engine.take());
        self.open(self.lives, now);
    }

    /// Dies, and starts again with what was on disk.
    pub fn die(&mut self, now: Timestamp) {
        let life = match (&self.home, self.stale.take()) {
            (Home::Database(database), _) => {
                database.say("UPDATE owner SET epoch = epoch + 1, until = 0");
                self.lives + 1
            }
            (_, Some(stale)) => stale,
            (_, None) => self.copy(),
        };
        drop(self.engine.take());
        self.open(life, now);
    }

    /// Keeps what is in the file for the next death.
    pub fn remember(&mut self) {
        if self.stale.is_none() {
            self.stale = Some(self.copy());
        }
    }

    fn file(&self, life: u32) -> PathBuf {
        let Home::Folder(folder) = &self.home else {
            panic!("it is in no file");
        };
        folder.path().join(format!("{life}.db"))
    }

    fn copy(&mut self) -> u32 {
        let from = self.file(self.lives);
        self.lives += 1;
        let to = self.file(self.lives);
        for part in ["", "-wal"] {
            let named = |path: &PathBuf| PathBuf::from(format!("{}{part}", path.display()));
            if named(&from).exists() {
                std::fs::copy(named(&from), named(&to)).unwrap();
            }
        }
        self.lives
    }

    fn open(&mut self, life: u32, now: Timestamp) {
        self.lives = self.lives.max(life);
        let options = match &self.home {
            Home::Memory => store::Options::memory(),
            Home::Folder(_) => store::Options::file(self.file(life)),
            Home::Database(database) => {
                let address = database.by_socket().parse().unwrap();
                store::Options::postgres(address, "platform")
            }
        };
        let engine = Engine::open(Setup {
            store: store::Options {
                synchronous_full: false,
                batch_wait: Duration::from_secs(3_600),
                readers: 1,
                ..options
            },
            seed: self.seed,
            limits: Limits {
                synchronous_ms: SYNCHRONOUS_MS,
                answer_within_ms: ANSWER_WITHIN_MS,
                rounds: ROUNDS,
                shards: self.shards,
                parts: 3,
                depth: 3,
                ..Limits::default()
            },
            retention: Retention {
                max_age_ms: Some(KEPT_MS),
                ..Retention::default()
            },
            credentials: Box::new(|name| match name {
                "watcher" => Some(Credential::User),
                "field" | "tower" => Some(Credential::Agent),
                _ => None,
            }),
            ..setup(["worker", "planner"].map(|name| self.hosted(name, now)))
        });
        let engine = engine.unwrap();
        if self.is_beside() {
            engine.set_stepping(Stepping::Beside, now);
        }
        engine.start(now);
        self.engine = Some(engine);
    }

    fn hosted(&self, name: &str, now: Timestamp) -> Hosted {
        let behaviour = Behaviour {
            name: name.to_owned(),
            seed: self.seed,
            book: Arc::clone(&self.book),
            lie: self.lie,
            errands: Errands::default(),
            next: u64::from(self.lives) << 32,
        };
        hosted(profile(name), behaviour, now)
    }
}

pub fn profile(name: &str) -> Profile {
    Profile {
        capability: Capability {
            streaming: false,
            push_notifications: true,
            negotiate: Some("acp-task-fulfillment-negotiation-v1.0".to_owned()),
        },
        skills: vec![skill("work", &[])],
        ..testkit::profile(name)
    }
}
