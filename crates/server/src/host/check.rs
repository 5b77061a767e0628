//! Checks of the files of a state folder, before anything is started.
//!
//! Unusable files are errors; allowed settings that may not have the intended effect are warnings,
//! at a start and in `convoke config check`. Read next: [`super::Host`], [`crate::access`].

use super::StartError;
use super::roster::{default_agent, profiles};
use crate::access;
use crate::config::Settings;
use crate::permissions::lets_nobody_in;
use crate::revocation;
use crate::roster::Roster;
use crate::state::StateFolder;
use crate::user_name::USER_NAME_RULE;
use crate::writable;
use domain::access::AccessRules;
use yang::{Generation, ModuleSet};

/// Checks settings, access rules, names and profiles without starting anything or writing a file.
/// Returns the warnings, each with its file.
///
/// # Errors
/// [`StartError`] for the first that cannot be used.
pub fn check_files(folder: &StateFolder, roster: &Roster) -> Result<Vec<String>, StartError> {
    writable::check(folder)?;
    let settings = Settings::load(folder)?;
    settings.check(folder)?;
    let access = match folder.access().exists() {
        true => access::load(&folder.access())?,
        false => access::parse("access.toml", access::SHIPPED)?,
    };
    revocation::register(folder)?;
    let generation = Generation::load(&ModuleSet::convoke())?;
    roster.check(&settings)?;
    let files = profiles(&settings, roster, &generation)?;
    default_agent(&files, roster)?;
    folder.check_agents(files.iter().map(|f| f.profile.name.as_str()))?;
    let advice = files.iter().flat_map(|f| {
        let advice = f.profile.advice().into_iter();
        advice.map(|advice| format!("{}: {advice}", f.file))
    });
    Ok(advice.chain(doubts(folder, &access)).collect())
}

/// Warnings about keys in a folder that admit nobody, and rules for nobody, for people.
pub(super) fn doubts(folder: &StateFolder, access: &AccessRules) -> Vec<String> {
    let keys = writable::keys_of_nobody(folder).into_iter();
    let keys = keys.map(|(path, others)| lets_nobody_in(&path, others));
    let names = folder.unusable_keys().into_iter().map(|path| {
        format!(
            "{}: nobody can have that name, so it lets nobody in; {}",
            path.display(),
            USER_NAME_RULE
        )
    });
    let rules = access::doubts(access).into_iter();
    let rules = rules.map(|doubt| format!("{}: {doubt}", folder.access().display()));
    keys.chain(names).chain(rules).collect()
}
