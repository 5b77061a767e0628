//! Refused for what others, or this platform, cannot do. Read next: [`super`].

use super::Field;

/// Nobody here can do this now, or at all: neither the caller nor what it says is at fault. The
/// caller asks later, or another.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotAvailable {
    /// The executor is not there, or does not take anything on.
    #[error("agent '{name}' cannot be given anything now: {why}")]
    Agent {
        /// The agent.
        name: String,
        /// Why.
        why: String,
    },
    /// The card of an A2A agent cannot be had.
    #[error("the card at {url} cannot be had: {why}")]
    Card {
        /// Where it should be.
        url: String,
        /// Why.
        why: String,
    },
    /// This platform runs no simulated network.
    #[error("this platform runs no simulated network")]
    Network,
    /// Another comparison of days goes on.
    #[error("another comparison goes on: wait for it, or end it")]
    Comparing,
    /// This platform is no node of a cluster.
    #[error("this platform is no node of a cluster")]
    Cluster,
    /// The node cannot do now what is wanted of it.
    #[error("node '{node}' cannot be asked for this now: {why}")]
    Node {
        /// The node.
        node: String,
        /// Why.
        why: String,
    },
    /// What was wanted of the network cannot be done.
    #[error("{why}")]
    Impossible {
        /// Why.
        why: String,
    },
    /// What was wanted of the network, or of the cluster, was tried and failed; the same may succeed when tried again.
    #[error("{why}")]
    AttemptFailed {
        /// Why.
        why: String,
    },
    /// What was wanted of the network takes longer than its caller is kept waiting.
    #[error("{why}")]
    TooLong {
        /// After how long.
        why: String,
    },
    /// A part of draft-zhou §6.2 is off here.
    #[error("{what} is switched off here ({setting} of [schemas.evolution])")]
    SwitchedOff {
        /// What was asked for.
        what: &'static str,
        /// What switches it.
        setting: &'static str,
    },
}

impl NotAvailable {
    pub(super) fn field(&self) -> Option<Field> {
        match self {
            Self::Agent { .. } => Some(Field::Agent),
            Self::Card { .. } => Some(Field::CardUrl),
            Self::Node { .. } => Some(Field::Node),
            Self::Network
            | Self::Comparing
            | Self::Cluster
            | Self::Impossible { .. }
            | Self::AttemptFailed { .. }
            | Self::TooLong { .. }
            | Self::SwitchedOff { .. } => None,
        }
    }
}
