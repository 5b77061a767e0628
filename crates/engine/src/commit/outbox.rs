//! What waits for the disk: what agents want of the world leaves once the commit it rests on is durable.
//!
//! A batch for which something waits has a mark; the writer of the store says which marks are on
//! disk. What rests on a batch that was not stored is handed back to whoever takes decisions back. Inputs of
//! agents wait likewise: [`crate::hosting::agents`]. Read next: [`crate::commit::recovery`].

use crate::commit::observer::CommitObserver;
use domain::agent::Output;
use domain::telemetry::Token;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};
use store::Committed;
use tokio::sync::Notify;

#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    /// There may be something to take, or a new deadline.
    filled: Notify,
}

#[derive(Default)]
struct State {
    leaving: VecDeque<Outgoing>,
    held: BTreeMap<u64, Vec<Outgoing>>,
}

impl CommitObserver for Outbox {
    /// These batches are on disk.
    fn on_commit(&self, committed: &[Committed]) {
        let marks: Vec<u64> = committed.iter().filter_map(|c| c.mark).collect();
        if marks.is_empty() {
            return;
        }
        let mut state = self.lock();
        for mark in marks {
            let outgoing = state.held.remove(&mark).unwrap_or_default();
            state.leaving.extend(outgoing);
        }
        drop(state);
        self.filled.notify_one();
    }
}

impl Outbox {
    /// What leaves at once.
    pub(crate) fn leave(&self, outgoing: Vec<Outgoing>) {
        self.lock().leaving.extend(outgoing);
    }

    /// What leaves once the batch with this mark is on disk.
    pub(crate) fn hold(&self, mark: u64, outgoing: Vec<Outgoing>) {
        if !outgoing.is_empty() {
            self.lock().held.insert(mark, outgoing);
        }
    }

    /// What waits for batches of which none is on disk.
    pub(crate) fn take_held(&self) -> Vec<Outgoing> {
        let held = std::mem::take(&mut self.lock().held);
        held.into_values().flatten().collect()
    }

    pub(crate) fn drain(&self) -> Vec<Outgoing> {
        self.lock().leaving.drain(..).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().leaving.is_empty()
    }

    pub(crate) fn notify(&self) {
        self.filled.notify_one();
    }

    pub(crate) async fn filled(&self) {
        self.filled.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}

/// Something an agent wants of the world.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The agent's name.
    pub agent: String,
    /// What it wants: [`Output::Send`], [`Output::Act`] or [`Output::Note`].
    pub output: Output,
}

impl Outgoing {
    /// Under which token something comes back; none for a note.
    pub(crate) fn token(&self) -> Option<Token> {
        match &self.output {
            Output::Send { token, .. } | Output::Act { token, .. } => Some(*token),
            _ => None,
        }
    }
}
