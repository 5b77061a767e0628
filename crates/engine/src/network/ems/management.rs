//! What each management system knows and tells, and what is wanted of the network through them.
//!
//! Read next: [`super::reports`], what one tells; [`crate::network::ems`], who is let in.

use super::reports::Reports;
use crate::Refusal;
use crate::network::operation::Acted;
use crate::refusal::NotAvailable;
use domain::ems::{Ems, View};
use domain::inventory::Inventory;
use domain::telemetry::Action;
use std::sync::{Arc, Mutex, RwLock};
use tokio::sync::oneshot;

/// What became of an action: its number and outcome, or why it could not be done.
pub type ActAnswer = Result<Acted, ActFailure>;

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActFailure {
    /// It cannot be done.
    #[error("{0}")]
    Impossible(String),
    /// The attempt failed; the same may succeed when tried again.
    #[error("{0}")]
    Failed(String),
    /// It takes longer than a caller is kept waiting.
    #[error("there is no outcome after {seconds} s")]
    TooLong {
        /// How long was waited.
        seconds: u64,
    },
}

/// Somebody wants something done to the network; whoever runs it answers.
#[derive(Debug)]
pub struct ActWanted {
    /// Who.
    pub by: String,
    /// The province that the agent is confined to, if it is.
    pub province: Option<String>,
    /// Through which management system.
    pub ems: Ems,
    /// What.
    pub action: Action,
    /// What became of it.
    pub answer: oneshot::Sender<ActAnswer>,
}

/// One management system.
pub(super) struct ManagementSystem {
    pub(super) view: RwLock<View>,
    pub(super) reports: Arc<Reports>,
}

/// All of them.
pub(crate) struct Management {
    desks: [ManagementSystem; Ems::ALL.len()],
    /// Actions wanted, while somebody runs a network.
    pub(super) wanted: Mutex<Option<Vec<ActWanted>>>,
}

impl Management {
    pub(crate) fn new(inventory: &Arc<Inventory>) -> Self {
        let desk = |ems| ManagementSystem {
            view: RwLock::new(View::new(ems, Arc::clone(inventory))),
            reports: Arc::default(),
        };
        Self {
            desks: Ems::ALL.map(desk),
            wanted: Mutex::default(),
        }
    }

    pub(super) fn desk(&self, ems: Ems) -> &ManagementSystem {
        &self.desks[ems as usize]
    }
}

impl From<ActFailure> for Refusal {
    fn from(failure: ActFailure) -> Self {
        match failure {
            ActFailure::Impossible(why) => NotAvailable::Impossible { why }.into(),
            ActFailure::Failed(why) => NotAvailable::AttemptFailed { why }.into(),
            ActFailure::TooLong { .. } => {
                let why = failure.to_string();
                NotAvailable::TooLong { why }.into()
            }
        }
    }
}
