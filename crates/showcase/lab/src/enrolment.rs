//! How agents are let in at the management system: a key on either side, and the rules for them.
//!
//! Keys are made while the laboratory is brought up and are nobody's before, so that neither side
//! learns the other's by itself. Agents are given a file of management systems as `convoke serve
//! --ems` takes it; who may do what there is said in the words of NACM (`enrolment/access.toml`).
//! Read next: [`crate::hosted`].

use crate::error::LabError;
use crate::files;
use crate::run_folder::RunFolder;
use crate::user::{agents_user, management_user};
use server::config::{EmsSettings, SettingsError, ems};
use server::ssh::keys::{StateKeys, load_or_generate, write_public};
use server::state::StateFolder;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The name of the agents' platform at the management system.
const AGENTS: &str = "agents";
/// The file of its private key.
const KEY: &str = "agents_ed25519";
/// What it may do there, beside what everyone may.
const ACCESS: &str = include_str!("enrolment/access.toml");

/// Makes the keys of both sides and the rules for agents, each with its owner. Nobody else may enter
/// the run folder meanwhile.
///
/// # Errors
/// [`LabError::File`], [`LabError::Key`]
pub(crate) fn enrol(folder: &RunFolder, prefix: &str) -> Result<(), LabError> {
    let agents = folder.agents();
    files::make_folder(&agents, 0o755).map_err(|e| LabError::file(&agents, e))?;
    let key = load_or_generate(&key_file(folder), AGENTS)?;
    let management = folder.management();
    let keys = StateKeys::open(&management)?;
    write_public(&host_key_file(folder), keys.host()?.public_key())?;
    let own = keys.users().join(format!("{AGENTS}.pub"));
    write_public(&own, key.public_key())?;
    let access = StateFolder::new(&management).access();
    files::replace(&access, &access_rules(), 0o600).map_err(|e| LabError::file(&access, e))?;
    for (path, user) in [
        (management, management_user(prefix)?),
        (key_file(folder), agents_user(prefix)?),
    ] {
        files::give(&path, user).map_err(|e| LabError::file(&path, e))?;
    }
    Ok(())
}

/// Tells agents where the management system listens.
///
/// # Errors
/// [`LabError::File`]
pub(crate) fn tell_address(folder: &RunFolder, address: SocketAddr) -> Result<(), LabError> {
    let host_key = host_key_file(folder);
    let host_key = fs::read_to_string(&host_key).map_err(|e| LabError::file(&host_key, e))?;
    let system = format!(
        "[[ems]]\nname = \"laboratory\"\naddress = \"{address}\"\nuser = \"{AGENTS}\"\nkey = \
         \"{KEY}\"\nhost-key = \"{}\"\ndomain = \"IP\"\n# They are documented in this domain, too.\n\
         sites = [\"site:\"]\n",
        host_key.trim_end()
    );
    let file = systems_file(folder);
    files::replace(&file, &system, 0o644).map_err(|e| LabError::file(&file, e))
}

/// The management system as agents were told of it.
///
/// # Errors
/// [`SettingsError`] if they were told nothing, or may not read it.
pub(crate) fn systems(folder: &RunFolder) -> Result<Vec<EmsSettings>, SettingsError> {
    ems::load(&systems_file(folder))
}

/// The rules of a management system.
fn access_rules() -> String {
    format!("{}\n{ACCESS}", server::access::SHIPPED)
}

fn key_file(folder: &RunFolder) -> PathBuf {
    folder.agents().join(KEY)
}

fn host_key_file(folder: &RunFolder) -> PathBuf {
    folder.agents().join("management_ed25519.pub")
}

fn systems_file(folder: &RunFolder) -> PathBuf {
    folder.agents().join("ems.toml")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::access::Request;

    #[test]
    fn agents_may_do_at_the_management_system_what_it_offers_and_nothing_else() {
        let rules = server::access::parse("access.toml", &access_rules()).unwrap();
        let agents = rules.principal(AGENTS, false);
        let may = |module, rpc| {
            let request = Request::Exec {
                module,
                rpc,
                guarded: false,
            };
            rules.permits(&agents, request)
        };
        let granted = ["probe", "read-configuration", "configure", "restart"];
        assert!(granted.iter().all(|rpc| may("convoke-ems", rpc)));
        let others = ["dispatch", "trace", "set-power"];
        assert!(!others.iter().any(|rpc| may("convoke-ems", rpc)));
        assert!(may("notifications", "create-subscription"));
        assert!(!may("irtf-agent", "task-negotiate"));
        assert!(!may("convoke-registry", "register"));
    }
}
