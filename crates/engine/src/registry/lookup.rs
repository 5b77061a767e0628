//! Places of agents, as decided for who speaks to them, as committed for who reads of them.
//!
//! Read next: [`super::directory`], [`super::roster`].

use crate::Engine;
use domain::registry::Registration;
use std::sync::Arc;

impl Engine {
    /// Every agent's place as committed: those hosted here in roster order, then the others.
    pub fn registrations(&self) -> Vec<Arc<Registration>> {
        self.registry.directory.all()
    }

    /// An agent's place as decided, perhaps not on disk yet: for the road on which it is spoken to,
    /// since what is said to it is committed behind that. None if it is not here.
    pub fn registration(&self, agent: &str) -> Option<Arc<Registration>> {
        let index = self.registry.roster.find(agent)?;
        Some(self.registry.roster.registration(index))
    }

    /// An agent's place as committed, for who reads of it. None if it is not here.
    pub fn place(&self, agent: &str) -> Option<Arc<Registration>> {
        self.registry.directory.find(agent)
    }

    /// The address of an agent's own NETCONF server, here or elsewhere, or where an A2A agent has its
    /// card; none if it has none.
    pub fn endpoint_of(&self, agent: &str) -> Option<String> {
        self.registry.directory.endpoint(agent)
    }

    /// The agent that takes tasks addressed to nobody.
    pub fn default_agent(&self) -> &str {
        self.registry.roster.default_agent()
    }
}
