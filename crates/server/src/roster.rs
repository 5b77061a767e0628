//! The agents that a process can host: by role, with the profile that ships for each.
//!
//! The caller that composes a platform supplies them. Read next: [`crate::profile`],
//! [`crate::host`].

use crate::config::{Settings, SettingsError};
use domain::agent::Agent;

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
