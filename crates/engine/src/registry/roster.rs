//! The agents of the platform as decided, perhaps not yet on disk: their places and their
//! behaviour.
//!
//! Hosted agents are there from the start; others come and go. An agent's index stays its own for
//! as long as the process lives, also when it has left. What readers see follows: `places`. Read
//! next: [`crate::registry`], [`crate::registry::remote_stub`].

use crate::Limits;
use crate::hosting::instance::{AgentInstance, Behaviour, Factory};
use crate::registry::directory::Directory;
use crate::registry::remote_stub::RemoteStub;
use domain::agent::Agent;
use domain::profile::Profile;
use domain::registry::{Reach, Registration};
use domain::time::{SeededRng, Timestamp};
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock, RwLockReadGuard};
use tracing::warn;

/// An agent as it is handed to the engine.
pub struct Hosted {
    /// Its profile, checked.
    pub profile: Arc<Profile>,
    /// Its behaviour.
    pub agent: Box<dyn Agent>,
    /// Makes its behaviour anew when it failed; one that cannot be made anew is left alone then.
    pub again: Option<Factory>,
    /// The address of its endpoint, `host:port`; none if it has none.
    pub endpoint: Option<String>,
    /// When it was registered.
    pub registered_at: Timestamp,
}

struct Member {
    name: Arc<str>,
    registration: Arc<Registration>,
    left: bool,
}

#[derive(Default)]
struct Members {
    all: Vec<Member>,
    index: BTreeMap<Arc<str>, usize>,
    /// Whom an alias means; those of agents that are here.
    aliases: BTreeMap<String, usize>,
}

pub(crate) struct Roster {
    members: RwLock<Members>,
    default_agent: String,
    seed: u64,
}

impl Roster {
    /// The hosted agents in their order, each with its committed place.
    pub(crate) fn new(
        hosted: Vec<Hosted>,
        default_agent: String,
        seed: u64,
        places: &Directory,
        limits: &Limits,
    ) -> (Self, Vec<AgentInstance>) {
        let roster = Self {
            members: RwLock::default(),
            default_agent,
            seed,
        };
        let mut agents = Vec::new();
        for hosted in hosted {
            let registration = Registration::hosted(hosted.profile, hosted.registered_at);
            let registration = Arc::new(registration);
            places.host(Arc::clone(&registration), hosted.endpoint);
            let index = roster.put(registration);
            let behaviour = roster.behaviour(index, hosted.agent);
            agents.push(AgentInstance::new(behaviour, hosted.again, limits));
        }
        (roster, agents)
    }

    /// Takes up the agents that registered before, behind the hosted ones, with their committed places; the
    /// behaviour that stands for each. A name that is hosted now is not taken up.
    pub(crate) fn take_up(
        &self,
        mut registered: Vec<Arc<Registration>>,
        proxy: Option<&Proxy>,
        places: &Directory,
    ) -> Vec<(usize, Behaviour)> {
        let mut agents = Vec::new();
        registered.sort_by(|a, b| order(a).cmp(&order(b)));
        for registration in registered {
            let name = &registration.profile.name;
            if self.find(name).is_some() {
                warn!(
                    agent = name,
                    "agent '{name}' is hosted here now: its registration rests"
                );
                continue;
            }
            let agent = standing_for(&registration, proxy);
            places.put(Arc::clone(&registration));
            let index = self.put(registration);
            agents.push((index, self.behaviour(index, agent)));
        }
        agents
    }

    /// The behaviour of the agent at `index`, with the random numbers that it throws.
    pub(crate) fn behaviour(&self, index: usize, agent: Box<dyn Agent>) -> Behaviour {
        Behaviour {
            agent,
            rng: SeededRng::seed_from_u64(self.seed.wrapping_add(index as u64)),
        }
    }

    /// The index of an agent; none if there is none, or it left.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let members = self.read();
        let index = members.index.get(name).copied()?;
        (!members.all[index].left).then_some(index)
    }

    pub(crate) fn name(&self, index: usize) -> Arc<str> {
        Arc::clone(&self.read().all[index].name)
    }

    /// The agent's place; its last one if it has left.
    pub(crate) fn registration(&self, index: usize) -> Arc<Registration> {
        Arc::clone(&self.read().all[index].registration)
    }

    /// Every agent that is here: hosted ones in their order, then the others by when they came.
    pub(crate) fn registrations(&self) -> Vec<Arc<Registration>> {
        let members = self.read();
        let here = members.all.iter().filter(|m| !m.left);
        let mut here: Vec<_> = here.map(|m| Arc::clone(&m.registration)).collect();
        let others = here.partition_point(|r| r.reach == Reach::Hosted);
        here[others..].sort_by(|a, b| order(a).cmp(&order(b)));
        here
    }

    /// The indices of the agents hosted here.
    pub(crate) fn hosted(&self) -> Vec<usize> {
        let members = self.read();
        let all = members.all.iter().enumerate();
        let hosted = all.filter(|(_, m)| m.registration.reach == Reach::Hosted);
        hosted.map(|(index, _)| index).collect()
    }

    /// How many agents are here.
    pub(crate) fn count(&self) -> usize {
        self.read().all.iter().filter(|m| !m.left).count()
    }

    pub(crate) fn default_agent(&self) -> &str {
        &self.default_agent
    }

    /// Which name or alias of the profile means another agent already, if one does, and its leaf.
    pub(crate) fn taken<'a>(&self, profile: &'a Profile) -> Option<(&'static str, &'a str)> {
        let members = self.read();
        let own = members.index.get(profile.name.as_str());
        let means_another = |called: &str| {
            let named = members.index.get(called).filter(|i| !members.all[**i].left);
            let mut meant = named.into_iter().chain(members.aliases.get(called));
            meant.any(|index| Some(index) != own)
        };
        let alias = profile.alias.as_deref().map(|alias| ("alias", alias));
        let mut leaves = std::iter::once(("name", profile.name.as_str())).chain(alias);
        leaves.find(|(_, called)| means_another(called))
    }

    /// The agent is not here any more.
    pub(crate) fn leave(&self, name: &str) {
        let members = &mut *self.members.write().expect("no writer panics");
        if let Some(index) = members.index.get(name).copied() {
            let member = &mut members.all[index];
            member.left = true;
            if let Some(alias) = &member.registration.profile.alias {
                members.aliases.remove(alias);
            }
        }
    }

    /// Enters an agent, or what has changed of it; returns its index.
    pub(crate) fn put(&self, registration: Arc<Registration>) -> usize {
        let members = &mut *self.members.write().expect("no writer panics");
        let (name, alias) = (
            &registration.profile.name,
            registration.profile.alias.clone(),
        );
        let index = match members.index.get(name.as_str()).copied() {
            Some(index) => {
                let member = &mut members.all[index];
                member.left = false;
                let before = std::mem::replace(&mut member.registration, registration);
                if let Some(alias) = &before.profile.alias {
                    members.aliases.remove(alias);
                }
                index
            }
            None => {
                let (index, name) = (members.all.len(), Arc::<str>::from(name.as_str()));
                members.index.insert(Arc::clone(&name), index);
                members.all.push(Member {
                    name,
                    registration,
                    left: false,
                });
                index
            }
        };
        if let Some(alias) = alias {
            members.aliases.insert(alias, index);
        }
        index
    }

    fn read(&self) -> RwLockReadGuard<'_, Members> {
        self.members.read().expect("no writer panics")
    }
}

/// Registered agents stand by when they came.
fn order(registration: &Registration) -> (Timestamp, &str) {
    (registration.registered_at, &registration.profile.name)
}

/// The behaviour that stands for an agent that is not in here.
pub(crate) fn standing_for(registration: &Registration, proxy: Option<&Proxy>) -> Box<dyn Agent> {
    match (&registration.reach, proxy) {
        (Reach::Server { .. } | Reach::A2a { .. }, Some(proxy)) => proxy(registration),
        _ => Box::new(RemoteStub),
    }
}

/// Makes what stands for an agent elsewhere. Asked about a proposal, or told that a task has ended, that
/// speaks of nothing else at once: its other words it says when something reaches it.
pub type Proxy = Box<dyn Fn(&Registration) -> Box<dyn Agent> + Send + Sync>;
