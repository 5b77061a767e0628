//! The entries in memory by the agent at whose own endpoint they are told.
//!
//! Who follows one agent is woken by that agent's entries alone. Read next: [`super::of_agent`], who reads
//! them.

use domain::event::{Entry, LogEvent, Sequence};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::watch;

/// The agent at whose endpoint an entry is told; none if it is told at the platform's alone.
pub(super) fn teller(entry: &Entry) -> Option<&str> {
    match &entry.happening {
        LogEvent::Task(n) => Some(&n.from),
        LogEvent::Negotiation(n) => Some(&n.executor),
        LogEvent::Agent(_)
        | LogEvent::Schema(_)
        | LogEvent::Lead(_)
        | LogEvent::Policy(_)
        | LogEvent::Audit(_)
        | LogEvent::SessionStarted { .. }
        | LogEvent::SessionEnded { .. } => None,
    }
}

/// What is in memory of one agent's entries.
pub(super) struct AgentEntries {
    pub(super) entries: VecDeque<Arc<Entry>>,
    /// The last of those that are not: it is in the store, or was cut off.
    pub(super) gone: Sequence,
    pub(super) last: watch::Sender<Sequence>,
}

/// The entries in memory by who tells them.
#[derive(Default)]
pub(super) struct Tellers {
    pub(super) of: HashMap<String, AgentEntries>,
    /// Where the log ended when it was opened: what stands before is anybody's.
    pub(super) opened: Sequence,
    /// Those whose entries nobody was woken for yet.
    news_of: BTreeSet<String>,
}

impl Tellers {
    /// The log ends there now; everything so far is in the store.
    pub(super) fn begin_after(&mut self, last: Sequence) {
        self.opened = last;
        self.of.clear();
    }

    pub(super) fn told_by(&mut self, agent: &str) -> &mut AgentEntries {
        if !self.of.contains_key(agent) {
            let told = AgentEntries {
                entries: VecDeque::new(),
                gone: self.opened,
                last: watch::Sender::new(self.opened),
            };
            self.of.insert(agent.to_owned(), told);
        }
        self.of.get_mut(agent).expect("it was put there")
    }

    /// Takes in the newest entry.
    pub(super) fn take(&mut self, entry: &Arc<Entry>) {
        if let Some(agent) = teller(entry) {
            self.told_by(agent).entries.push_back(Arc::clone(entry));
            self.news_of.insert(agent.to_owned());
        }
    }

    /// The oldest entry leaves memory.
    pub(super) fn forget(&mut self, entry: &Entry) {
        if let Some(agent) = teller(entry) {
            let told = self.told_by(agent);
            told.entries.pop_front();
            told.gone = entry.sequence;
        }
    }

    /// All entries leave memory.
    pub(super) fn clear(&mut self) {
        for told in self.of.values_mut() {
            told.entries.clear();
            told.gone = *told.last.borrow();
        }
    }

    /// Wakes those who follow agents that have news.
    pub(super) fn tell(&mut self) {
        for agent in std::mem::take(&mut self.news_of) {
            let told = self.told_by(&agent);
            if let Some(newest) = told.entries.back() {
                told.last.send_replace(newest.sequence);
            }
        }
    }
}
