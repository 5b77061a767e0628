//! An engine in memory, and what is said to it.
//!
//! Time is the test's, and agents step in turn: the same seed is the same run. Read next: `engine`.

use crate::{access, wait};
use domain::agent::Agent;
use domain::inventory::Inventory;
use domain::profile::Profile;
use domain::task::TaskId;
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::{
    Endpoint, Execution, Hosted, Limits, Negotiate, Refusal, Retention, SchemaSetup, Setup,
};
use std::path::Path;
use std::sync::Arc;

/// An engine in memory with these agents, the first of which takes tasks addressed to nobody.
///
/// Access rules are off and the operator is an administrator; nobody else is known, nothing is
/// published, reports may go anywhere.
pub fn setup(agents: impl IntoIterator<Item = Hosted>) -> Setup {
    let agents: Vec<_> = agents.into_iter().collect();
    let first = agents.first().map(|agent| agent.profile.name.clone());
    Setup {
        store: store::Options::memory(),
        access: access(&["operator"]),
        agents,
        default_agent: first.unwrap_or_default(),
        inventory: Arc::new(Inventory::default()),
        seed: 7,
        limits: Limits::default(),
        retention: Retention::default(),
        deliverable: Box::new(|_| Ok(())),
        credentials: Box::new(|_| None),
        key_digests: Box::new(|_| None),
        proxy: None,
        schemas: SchemaSetup::fixed(Vec::new()),
    }
}

/// An agent hosted here, which cannot be made anew.
pub fn hosted(profile: Profile, agent: impl Agent + 'static, now: Timestamp) -> Hosted {
    Hosted {
        profile: Arc::new(profile),
        agent: Box::new(agent),
        again: None,
        endpoint: None,
        registered_at: now,
    }
}

/// A store in a file that does not wait for the disk, for tests that take no power away.
pub fn on_disk(folder: &Path) -> store::Options {
    store::Options {
        synchronous_full: false,
        ..store::Options::file(folder.join("convoke.db"))
    }
}

/// What somebody says about a task at the platform's endpoint, to whoever has it.
pub fn message(verb: Verb, task: &str, text: &str) -> Negotiate {
    Negotiate {
        task: Some(TaskId::new(task)),
        texts: vec![text.to_owned()],
        ..Negotiate::new(Endpoint::Platform, verb)
    }
}

/// An assignment to an agent, whose result is not waited for.
pub fn assignment(to: &str, task: &str, text: &str) -> Negotiate {
    Negotiate {
        to: Some(to.to_owned()),
        asynchronous: Some(true),
        ..message(Verb::TaskAssign, task, text)
    }
}

/// What an operation comes to.
#[track_caller]
pub fn outcome<T: Send + 'static>(execution: Execution<T>) -> Result<T, Refusal> {
    wait(execution.outcome())
}
