//! The refusals of a [`super::Lineage`]: why a command leads to nothing. Read next: `decide.rs`.

use crate::evolution::ClusterId;

/// The reason why nothing happens; the caller's to mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineageRefusal {
    /// Patches are switched off.
    #[error("schemas do not evolve here")]
    Off,
    /// The cluster waits already, has its patch or key, or rests after a rejection.
    #[error("cluster {cluster} has been dealt with")]
    Settled {
        /// The cluster.
        cluster: ClusterId,
    },
    /// As many triggers wait as may.
    #[error("{waiting} triggers wait already")]
    QueueFull {
        /// The number of triggers.
        waiting: usize,
    },
    /// It is not the cluster's turn: another is first, or none waits.
    #[error("it is not the turn of cluster {cluster}")]
    OutOfTurn {
        /// The cluster.
        cluster: ClusterId,
    },
    /// As many keys are on trial as may; the trigger stays in the queue.
    #[error("{experimental} keys are on trial already")]
    Full {
        /// The number of keys, those waiting for approval included.
        experimental: usize,
    },
    /// The name is a key's already.
    #[error("there is a key '{key_name}' already")]
    Collides {
        /// The name.
        key_name: String,
    },
    /// No patch called so waits for approval.
    #[error("no patch '{patch_id}' waits for approval")]
    NotPending {
        /// The name given.
        patch_id: String,
    },
    /// No patch called so is active.
    #[error("no patch '{patch_id}' is active")]
    NotActive {
        /// The name given.
        patch_id: String,
    },
    /// Nobody is two approvers.
    #[error("'{principal}' approved '{patch_id}' already")]
    SamePrincipal {
        /// The patch.
        patch_id: String,
        /// The principal.
        principal: String,
    },
    /// No key called so came from a patch.
    #[error("no key '{key_name}' came from a patch")]
    UnknownKey {
        /// The name given.
        key_name: String,
    },
    /// The key is on its way out, or gone.
    #[error("'{key_name}' is {state} already")]
    OnItsWayOut {
        /// The key.
        key_name: String,
        /// Its stage.
        state: &'static str,
    },
    /// Everyone's lineage makes its own base.
    #[error("only a client's own lineage stands on another's base")]
    NotPersonal,
}
