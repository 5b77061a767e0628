//! What can be read, by whom, as committed; and all of it, to be compared with all of it later.

use crate::laws::Laws;
use crate::platform::Platform;
use crate::trial::principal;
use crate::verdict::Broken;
use domain::context::{DataParam, Exchange};
use domain::negotiation::Negotiation;
use domain::task::Task;
use domain::team::Team;
use domain::time::Timestamp;
use engine::Engine;
use engine::query::{AllTasks, DataParamsOf, ExchangesOf, NegotiationsOf, Query, TeamsOf};
use std::sync::Arc;

/// Whatever is promised and cannot be found.
pub const LOST: &str = "what was acknowledged is there";

/// Everything that an administrator can read.
#[derive(PartialEq)]
pub struct Everything {
    tasks: Vec<Arc<Task>>,
    exchanges: Vec<Exchange>,
    data: Vec<DataParam>,
    teams: Vec<Arc<Team>>,
    negotiations: Vec<Vec<Arc<Negotiation>>>,
    /// All tasks, and the open ones.
    counts: (u64, u64),
    last: u64,
}

impl Everything {
    pub fn of(platform: &Platform, laws: &Laws) -> Self {
        let engine = platform.engine();
        let negotiations = laws.negotiated().into_iter();
        let negotiations =
            negotiations.map(|id| read(engine, "operator", NegotiationsOf(Some(id))));
        Self {
            tasks: tasks(engine, "operator"),
            exchanges: read(engine, "operator", ExchangesOf::default()),
            data: read(engine, "operator", DataParamsOf::default()),
            teams: read(engine, "operator", TeamsOf(None)),
            negotiations: negotiations.collect(),
            counts: (engine.counts().tasks, engine.counts().open),
            last: engine.last_sequence(),
        }
    }

    pub fn is(&self, other: &Self, law: &'static str) -> Result<(), Broken> {
        if self == other {
            return Ok(());
        }
        let brief = |all: &Self| {
            let tasks: Vec<String> = all
                .tasks
                .iter()
                .map(|t| format!("{} {} v{}", t.id, t.status, t.version))
                .collect();
            format!("{tasks:?}, {:?} tasks, log to {}", all.counts, all.last)
        };
        Err(Broken::new(
            law,
            format!("before {}; after {}", brief(self), brief(other)),
        ))
    }
}

pub fn read<Q: Query>(engine: &Engine, who: &str, query: Q) -> Q::Output {
    let found = engine.read(&principal(who), query, Timestamp::from_ms(0));
    found.unwrap()
}

pub fn tasks(engine: &Engine, who: &str) -> Vec<Arc<Task>> {
    read(engine, who, AllTasks)
}
