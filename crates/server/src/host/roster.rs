//! From profiles to hosted agents, with unique names.
//!
//! Read next: `crate::profile`, which reads the files.

use super::StartError;
use super::platform_agent::{self, PlatformAgent};
use crate::a2a::conformance;
use crate::config::Settings;
use crate::file::FileError;
use crate::profile::{self, ProfileFile};
use crate::roster::Roster;
use domain::agent::Agent;
use domain::time::Timestamp;
use engine::Hosted;
use std::collections::BTreeSet;
use std::sync::Arc;
use yang::Generation;

/// The agent of a profile.
pub(super) fn hosted(file: ProfileFile, roster: &Arc<Roster>, now: Timestamp) -> Hosted {
    let (role, roster) = (file.role, Arc::clone(roster));
    let make = move || -> Box<dyn Agent> {
        match role.as_str() {
            platform_agent::ROLE => Box::new(PlatformAgent),
            conformance::ROLE => Box::new(conformance::Conformance::default()),
            role => roster.make(role).expect("roles are checked when read"),
        }
    };
    Hosted {
        agent: make(),
        profile: Arc::new(file.profile),
        again: Some(Box::new(make)),
        endpoint: None,
        registered_at: now,
    }
}

/// The profiles of the agents to be hosted: those in the folder of the settings, or those that ship,
/// as far as their roles run; the conformance agent's if it is enabled; and the platform's own if the
/// roster has no agent for tasks without an addressee.
///
/// # Errors
/// [`FileError`] for the first file that cannot be used.
pub(super) fn profiles(
    settings: &Settings,
    roster: &Roster,
    schema: &Generation,
) -> Result<Vec<ProfileFile>, FileError> {
    let files = match &settings.profiles {
        Some(folder) => profile::in_folder(folder, roster, schema)?,
        None => profile::shipped(roster, schema)?,
    };
    let runs = |file: &ProfileFile| match &settings.roles {
        Some(roles) => roles.contains(&file.role),
        None => true,
    };
    let suites = settings.a2a.conformance_agent().then(conformance::profile);
    let own = roster.default.is_none().then(platform_agent::profile);
    let files = files.into_iter().filter(runs);
    Ok(files.chain(suites).chain(own).collect())
}

/// Checks that names and aliases are unique. Returns the name of the agent that takes tasks without
/// an addressee.
pub(super) fn default_agent(files: &[ProfileFile], roster: &Roster) -> Result<String, StartError> {
    let mut taken = BTreeSet::new();
    for name in files
        .iter()
        .flat_map(|f| std::iter::once(&f.profile.name).chain(&f.profile.alias))
    {
        if !taken.insert(name) {
            return Err(StartError::Roster(format!(
                "the name or alias '{name}' is taken twice"
            )));
        }
    }
    if taken.iter().any(|name| *name == "operator") {
        return Err(StartError::Roster(
            "no agent may be called 'operator'".to_owned(),
        ));
    }
    let role = roster.default.unwrap_or(platform_agent::ROLE);
    let found = files.iter().find(|file| file.role == role);
    found
        .map(|file| file.profile.name.clone())
        .ok_or_else(|| StartError::Roster(format!("no profile has the role '{role}'")))
}
