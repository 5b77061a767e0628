//! The shipped agents as a platform hosts them.
//!
//! Read next: [`agents::roster`], which has them; [`server::roster`].

use agents::knowledge::Knowledge;
use agents::learnt_causes::LearntCauses;
use server::config::{Settings, SettingsError};
use server::file::FileError;
use server::roster::{Role, Roster};
use std::path::Path;
use std::sync::Arc;

/// The role of the agent that receives messages without an addressee.
const DEFAULT: &str = "oss-fault";

/// The shipped agents, with weights of causes from the file in the settings, or the shipped ones; a
/// document of `convoke learn history` adds to these.
///
/// # Errors
/// [`SettingsError::File`] with file and line.
pub fn roster(settings: &Settings) -> Result<Roster, SettingsError> {
    Ok(knowing(causal_knowledge(settings)?))
}

/// The shipped agents, with the shipped weights of causes.
pub fn shipped() -> Roster {
    knowing(Arc::new(Knowledge::in_force()))
}

fn knowing(knowledge: Arc<Knowledge>) -> Roster {
    let role = |role: &agents::roster::RosterRole| {
        let (name, knowledge) = (role.name, Arc::clone(&knowledge));
        Role {
            name,
            profile: role.profile,
            make: Box::new(move || {
                let agent = agents::roster::hosted_knowing(name, &knowledge);
                agent.expect("the roster has its own roles")
            }),
        }
    };
    Roster {
        roles: agents::roster::ROSTER.iter().map(role).collect(),
        default: Some(DEFAULT),
    }
}

fn causal_knowledge(settings: &Settings) -> Result<Arc<Knowledge>, SettingsError> {
    let Some(file) = &settings.knowledge else {
        return Ok(Arc::new(Knowledge::in_force()));
    };
    let text = std::fs::read_to_string(file).map_err(|e| FileError::unreadable(file, e))?;
    if text.starts_with('{') {
        return learnt_causes(file, &text).map(Arc::new);
    }
    let read = Knowledge::parse(&text).map_err(|wrong| FileError::Wrong {
        file: file.display().to_string(),
        line: wrong.line,
        message: wrong.why,
    })?;
    Ok(Arc::new(read))
}

/// The shipped weights, with what a history taught of alarm types that have no name here.
fn learnt_causes(file: &Path, text: &str) -> Result<Knowledge, SettingsError> {
    let learnt = LearntCauses::parse(text).map_err(|wrong| FileError::Wrong {
        file: file.display().to_string(),
        line: wrong.line(),
        message: wrong.to_string(),
    })?;
    Ok(Knowledge::in_force_with(learnt))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use server::profile;
    use yang::{Generation, ModuleSet};

    #[test]
    fn the_shipped_profiles_pass() {
        let (roster, schema) = (shipped(), Generation::load(&ModuleSet::convoke()).unwrap());
        let files = profile::shipped(&roster, &schema).unwrap();
        let roles = files.iter().map(|file| file.role.as_str());
        assert!(roles.eq(roster.names()), "each file names its role");
    }

    /// A mistyped role is refused, as an agent would silently be missing otherwise.
    #[test]
    fn a_role_that_no_agent_has_is_refused() {
        let with = |roles: &[&str]| Settings {
            roles: Some(roles.iter().map(|role| (*role).to_owned()).collect()),
            ..Settings::default()
        };
        let roster = shipped();
        assert!(roster.check(&with(&["oss-fault", "ip-fault"])).is_ok());
        let refused = roster.check(&with(&["oss-fault", "ip-fualt"]));
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.starts_with("roles: no agent has the role 'ip-fualt'; known are "),
            "{refused}"
        );
    }

    /// Knowledge learnt from another network is read from a file, and its errors are reported with
    /// the line.
    #[test]
    fn knowledge_is_read_from_the_file_that_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own.txt");
        let settings = Settings {
            knowledge: Some(file.clone()),
            ..Settings::default()
        };
        std::fs::write(&file, "# mine\nwindow-s 77\n").unwrap();
        assert_eq!(causal_knowledge(&settings).unwrap().window_s, 77.0);
        std::fs::write(&file, "# mine\nwindow-s no\n").unwrap();
        let wrong = roster(&settings).map(drop).unwrap_err();
        let wrong = wrong.to_string();
        assert!(
            wrong.ends_with("own.txt:2: 'no' is no number above 0"),
            "{wrong}"
        );
        std::fs::remove_file(&file).unwrap();
        assert!(roster(&settings).is_err());
    }
}
