//! From profiles to agents: who is hosted, and whose names are taken.
//!
//! Read next: `crate::profile`, which reads the files.

use super::StartError;
use crate::a2a::conformance;
use crate::profile::ProfileFile;
use agents::knowledge::Knowledge;
use domain::agent::Agent;
use domain::time::Timestamp;
use engine::Hosted;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The agent of a profile, with what agents weigh causes by.
pub(super) fn hosted(file: ProfileFile, knowledge: &Arc<Knowledge>, now: Timestamp) -> Hosted {
    let (role, knowledge) = (file.role, Arc::clone(knowledge));
    let make = move || -> Box<dyn Agent> {
        match role.as_str() {
            conformance::ROLE => Box::new(conformance::Conformance::default()),
            role => {
                let agent = agents::roster::hosted_knowing(role, &knowledge);
                agent.expect("roles are checked when read")
            }
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

/// Names and aliases are unique; the agent with the role `oss-fault` takes what is addressed to
/// nobody.
pub(super) fn check_roster(files: &[ProfileFile]) -> Result<String, StartError> {
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
    files
        .iter()
        .find(|f| f.role == "oss-fault")
        .map(|f| f.profile.name.clone())
        .ok_or_else(|| StartError::Roster("no profile has the role 'oss-fault'".to_owned()))
}
