//! The agents hosted here: their profiles, and their minds.
//!
//! Read next: [`crate::work`].

use domain::agent::Agent;
use domain::profile::Profile;
use domain::time::{Dice, Timestamp};
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An agent as it is handed to the engine.
pub struct Hosted {
    /// Its profile, checked.
    pub profile: Arc<Profile>,
    /// Its behaviour.
    pub agent: Box<dyn Agent>,
    /// The address of its endpoint, `host:port`; none if it has none.
    pub endpoint: Option<String>,
    /// When it was registered.
    pub registered_at: Timestamp,
}

/// An agent as readers see it.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its profile.
    pub profile: Arc<Profile>,
    /// The address of its endpoint.
    pub endpoint: Option<String>,
    /// When it was registered.
    pub registered_at: Timestamp,
}

/// The behaviour of an agent, with the dice it throws.
pub(crate) struct Mind {
    pub(crate) agent: Box<dyn Agent>,
    pub(crate) dice: Dice,
}

pub(crate) struct Roster {
    members: Vec<Member>,
    index: BTreeMap<String, usize>,
    default_agent: String,
}

impl Roster {
    pub(crate) fn new(agents: Vec<Hosted>, default_agent: String, seed: u64) -> (Self, Vec<Mind>) {
        let (mut members, mut minds, mut index) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (place, hosted) in agents.into_iter().enumerate() {
            index.insert(hosted.profile.name.clone(), place);
            minds.push(Mind {
                agent: hosted.agent,
                dice: Dice::seed_from_u64(seed.wrapping_add(place as u64)),
            });
            members.push(Member {
                profile: hosted.profile,
                endpoint: hosted.endpoint,
                registered_at: hosted.registered_at,
            });
        }
        (
            Self {
                members,
                index,
                default_agent,
            },
            minds,
        )
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(crate) fn default_agent(&self) -> &str {
        &self.default_agent
    }
}
