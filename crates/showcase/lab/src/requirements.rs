//! What this machine must have before a laboratory can stand on it.
//!
//! Says what is missing in plain words; installs nothing. Read next: [`crate::bring_up`].

use std::fmt;
use std::path::{Path, PathBuf};

/// The daemons of a router, in the order in which they are started.
pub(crate) const DAEMONS: [&str; 3] = ["zebra", "ospfd", "bfdd"];

/// The folder of FRR's daemons, where Debian puts them.
pub(crate) const FRR_FOLDER: &str = "/usr/lib/frr";

/// Everything that is missing; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Lacking(Vec<String>);

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no laboratory here: {}", self.0.join("; "))
    }
}

/// Checks that a laboratory can be brought up here.
///
/// # Errors
/// [`Lacking`] with all that is missing.
pub fn check() -> Result<(), Lacking> {
    let mut lacking = Vec::new();
    if !cfg!(target_os = "linux") {
        lacking.push("it needs Linux, for network namespaces".to_owned());
    }
    if !rustix::process::geteuid().is_root() {
        lacking.push("it needs root, to make network namespaces".to_owned());
    }
    let missing = |program: &&str| program_path(program).is_none();
    for (program, package) in [("ip", "iproute2"), ("tc", "iproute2"), ("nft", "nftables")] {
        if missing(&program) {
            lacking.push(format!("'{program}' is not there (apt install {package})"));
        }
    }
    let daemon = |name: &str| Path::new(FRR_FOLDER).join(name).is_file();
    if !DAEMONS.iter().all(|name| daemon(name)) {
        lacking.push(format!(
            "FRR is not in {FRR_FOLDER} (apt install frr; 8.4 was tried)"
        ));
    }
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(Lacking(lacking)),
    }
}

fn program_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Where Debian has them, whether or not the caller's path names it.
    folders.push(PathBuf::from("/usr/sbin"));
    let candidates = folders.into_iter().map(|folder| folder.join(name));
    candidates.into_iter().find(|file| file.is_file())
}
