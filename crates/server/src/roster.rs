//! The agents that a process can host: by role, with the profile that ships for each.
//!
//! The caller that composes a platform supplies them; this crate has only the platform's own agent,
//! which takes tasks without an addressee if no other does. Read next: [`crate::profile`],
//! [`crate::host`].

use crate::config::{Settings, SettingsError};
use crate::post::Post;
use crate::profile::ProfileFile;
use domain::agent::{Agent, Input, Output};
use domain::profile::{Capability, Layer, Profile};
use domain::reply::Reply;
use domain::time::{SeededRng, Timestamp};

/// A role of agents.
pub struct Role {
    /// The name, as in the key `role` of profiles.
    pub name: &'static str,
    /// The text of the profile that ships for it (TOML).
    pub profile: &'static str,
    /// Creates an agent that has not been started.
    pub make: Box<dyn Fn() -> Box<dyn Agent> + Send + Sync>,
}

/// The agents that can be hosted; none at all by default.
#[derive(Default)]
pub struct Roster {
    /// The roles, in roster order.
    pub roles: Vec<Role>,
    /// The role whose agent takes tasks without an addressee; none: the platform's own agent does.
    pub default: Option<&'static str>,
}

impl Roster {
    /// The names of the roles, in roster order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.roles.iter().map(|role| role.name)
    }

    /// A new agent for the role, or none if there is no such role.
    pub fn make(&self, role: &str) -> Option<Box<dyn Agent>> {
        if role == PLATFORM_ROLE {
            return Some(Box::new(PlatformAgent));
        }
        let known = self.roles.iter().find(|known| known.name == role)?;
        Some((known.make)())
    }

    /// Checks that there is an agent for each role that the settings name.
    ///
    /// # Errors
    /// [`SettingsError::Role`] for the first role that does not exist.
    pub fn check(&self, settings: &Settings) -> Result<(), SettingsError> {
        let named = settings.roles.iter().flatten();
        let mut unknown = named.filter(|role| !self.names().any(|known| known == *role));
        unknown.next().map_or(Ok(()), |role| {
            Err(SettingsError::Role {
                role: role.clone(),
                known: self.known(),
            })
        })
    }

    /// The names of the roles in one line.
    pub(crate) fn known(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        names.join(", ")
    }
}

/// The role of the platform's own agent. No profile file can have it.
pub(crate) const PLATFORM_ROLE: &str = "platform";

/// The platform's own agent: it has a profile and executes no tasks.
struct PlatformAgent;

impl Agent for PlatformAgent {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => {
                let words =
                    "no agent takes what is addressed to nobody here: name one in task-sendTo";
                vec![Output::Answer(Reply::refused(
                    "no-addressee",
                    "task-sendTo",
                    words,
                ))]
            }
            _ => Vec::new(),
        }
    }
}

/// The profile of the platform's own agent.
pub(crate) fn platform_profile() -> ProfileFile {
    let profile = Profile {
        name: "TMF-Convoke-Platform-1.0.0".to_owned(),
        alias: None,
        description: "The platform itself: says who is here, and does no work of its own"
            .to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Business,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    ProfileFile {
        file: "the platform's own profile".to_owned(),
        profile,
        role: PLATFORM_ROLE.to_owned(),
        post: Post::default(),
    }
}
