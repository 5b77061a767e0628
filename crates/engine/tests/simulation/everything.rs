//! What can be read, by whom, as committed; and all of it, to be compared with all of it later.

use crate::laws::Laws;
use crate::platform::Platform;
use crate::trial::principal;
use crate::verdict::Broken;
use domain::task::Task;
use domain::time::Timestamp;
use engine::{Engine, Execution, Operation, Outcome, Query, Records};
use std::sync::Arc;

/// Whatever is promised and cannot be found.
pub const LOST: &str = "what was acknowledged is there";

/// Everything that an administrator can read.
#[derive(PartialEq)]
pub struct Everything {
    tasks: Vec<Arc<Task>>,
    rest: Vec<Records>,
    /// All tasks, and the open ones.
    counts: (u64, u64),
    last: u64,
}

impl Everything {
    pub fn of(platform: &Platform, laws: &Laws) -> Self {
        let engine = platform.engine();
        let read = |query| read(engine, "operator", query);
        let mut rest = vec![
            read(Query::Exchanges {
                party: None,
                id: None,
                task: None,
            }),
            read(Query::Data {
                party: None,
                id: None,
            }),
            read(Query::Teams(None)),
        ];
        rest.extend(
            laws.negotiated()
                .into_iter()
                .map(|id| read(Query::Negotiations(Some(id)))),
        );
        Self {
            tasks: tasks(engine, "operator"),
            rest,
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

pub fn read(engine: &Engine, who: &str, query: Query) -> Records {
    match engine.execute(
        &principal(who),
        Operation::Read(query),
        Timestamp::from_ms(0),
    ) {
        Execution::Done(Ok(Outcome::Records(records))) => records,
        other => panic!("{other:?}"),
    }
}

pub fn tasks(engine: &Engine, who: &str) -> Vec<Arc<Task>> {
    match read(engine, who, Query::Tasks) {
        Records::Tasks(tasks) => tasks,
        other => panic!("{other:?}"),
    }
}
