//! Tasks and their negotiations: what is decided about them, and what readers see.
//!
//! Read next: [`work`], what is decided; [`negotiate`], what is said; [`life`] and [`dispatch`], what
//! follows from it.

pub(crate) mod answer;
pub(crate) mod awaited;
pub(crate) mod dispatch;
pub(crate) mod forming;
pub(crate) mod life;
pub(crate) mod loaded;
pub(crate) mod lookup;
pub(crate) mod message;
pub(crate) mod negotiate;
pub(crate) mod negotiation;
pub(crate) mod operation;
pub(crate) mod outputs;
pub(crate) mod placement;
pub(crate) mod plan;
pub(crate) mod proposal;
pub(crate) mod publishers;
pub(crate) mod push;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod team;
pub(crate) mod timers;
pub(crate) mod view;
pub(crate) mod visible;
pub(crate) mod work;

use crate::commit::broken::Broken;
use crate::commit::loads::Loads;
use crate::refusal::Field;
use domain::task::Subscription;
use push::unstored::Unstored;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use view::View;
use work::{Settled, Shard, Shared};

/// Whether reports can go where a subscription wants them; if not, what of it is wrong, and why.
pub type Deliverable = Box<dyn Fn(&Subscription) -> Result<(), (Field, String)> + Send + Sync>;

/// Tasks and their negotiations: as decided, in shards that each have a lock, and as committed.
pub(crate) struct Tasks {
    /// What is decided, by shard.
    pub(crate) shards: Vec<Mutex<Shard>>,
    /// What the shards share.
    pub(crate) shared: Arc<Shared>,
    /// What has ended and is on disk.
    pub(crate) settled: Arc<Settled>,
    /// What is read beside the decisions, for one of them.
    pub(crate) loads: Arc<Loads>,
    /// Whether a decision panicked.
    pub(crate) broken: Arc<Broken>,
    /// What is committed.
    pub(crate) view: Arc<View>,
    /// Configurations for pushing that are decided and not committed.
    pub(crate) pushes: Arc<Unstored>,
    /// Whether reports can go to an address.
    pub(crate) deliverable: Deliverable,
}

impl Tasks {
    /// The numbers of all shards.
    pub(crate) fn all_shards(&self) -> BTreeSet<usize> {
        (0..self.shards.len()).collect()
    }
}
