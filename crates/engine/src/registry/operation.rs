//! The rpcs of module convoke-registry that change or search the registry: agents come, stay, go and
//! are found (draft §4.1).
//!
//! Read next: [`crate::registry::membership`] and [`crate::registry::introduction`], which say whose right each
//! is and carry them out.

use crate::access::exec;
use domain::access::Request;
use domain::discovery::Criteria;
use domain::profile::{Advice, Layer, Profile};
use domain::registry::{Health, Reach, Registration};
use std::sync::Arc;

/// `register-agent`: an agent takes its place, or comes back with another profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterAgent {
    /// Who it is; the name must be the principal's own, unless an administrator registers it.
    pub profile: Profile,
    /// How it is spoken to: as a client, or at its own server.
    pub reach: Reach,
    /// How long a renewal lasts, in milliseconds.
    pub lease_ms: i64,
}

/// `register-agent` with `reach` `a2a`: an agent takes its place that says who it is in its card. This
/// is said of it beside the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntroduceAgent {
    /// Where its card is.
    pub card_url: String,
    /// What it is called here; if nothing is said, as in its card.
    pub name: Option<String>,
    /// A short name.
    pub alias: Option<String>,
    /// What kind of agent it is.
    pub agent_type: Option<String>,
    /// In which domains it works.
    pub domain: Option<String>,
    /// The part of the network that it manages.
    pub management_object: Option<String>,
    /// The layer it works in.
    pub layer: Layer,
    /// The province that it answers for.
    pub province: Option<String>,
    /// How long it keeps its place after its card was seen, in milliseconds.
    pub lease_ms: i64,
}

/// An agent's place, and advice on its profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Registered {
    /// The place.
    pub registration: Arc<Registration>,
    /// The parts of the profile that should be mended.
    pub advice: Vec<Advice>,
}

/// `renew-lease`: an agent is still there, and says how it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewLease {
    /// The agent; none for the principal itself.
    pub name: Option<String>,
    /// How it is.
    pub health: Health,
    /// Its words to that; empty if there are none.
    pub note: String,
}

/// `deregister-agent`: an agent leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeregisterAgent {
    /// The agent; none for the principal itself.
    pub name: Option<String>,
}

/// `discover-agents`: the agents that fit, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscoverAgents {
    /// What is needed.
    pub criteria: Criteria,
    /// At most so many.
    pub limit: usize,
}

pub(crate) fn rpc(name: &'static str) -> Option<Request<'static>> {
    Some(exec("convoke-registry", name, false))
}
