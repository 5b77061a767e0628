//! What this machine must have before a laboratory can stand on it.
//!
//! Says what is missing in plain words; installs nothing. Read next: [`crate::bring_up`].

use crate::process_hiding::unshare_arguments;
use crate::shell::{program_path, run};
use crate::user::USERS;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

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
    let programs = [
        ("ip", "iproute2"),
        ("tc", "iproute2"),
        ("nft", "nftables"),
        ("setsid", "util-linux"),
        ("setpriv", "util-linux"),
        ("unshare", "util-linux"),
        ("mount", "mount"),
        ("sysctl", "procps"),
    ];
    for (program, package) in programs {
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
    for map in ["/proc/self/uid_map", "/proc/self/gid_map"] {
        if std::fs::read_to_string(map).is_ok_and(|map| !has_users(&map, &USERS)) {
            let (first, last) = USERS.into_inner();
            lacking.push(format!(
                "{map} has no numbers {first} to {last}, for management systems and agents"
            ));
        }
    }
    // Of what is missing so far, nothing can be tried.
    if lacking.is_empty() {
        let hidden = [&unshare_arguments("mount")[..], &["true"]].concat();
        if let Err(cause) = run("unshare", &hidden) {
            lacking.push(format!(
                "processes cannot be hidden from management systems and agents, which needs Linux 5.8 \
                 and the right to mount 'proc' ({cause})"
            ));
        }
    }
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(Lacking(lacking)),
    }
}

/// True if the users of laboratories exist here: in some containers not all numbers do.
fn has_users(map: &str, users: &RangeInclusive<u32>) -> bool {
    let (first, last) = (u64::from(*users.start()), u64::from(*users.end()));
    let covers = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(Ok(from)), Some(Ok(_)), Some(Ok(count))) => {
                from <= first && last < from.saturating_add(count)
            }
            _ => false,
        }
    };
    map.lines().any(covers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_may_lack_the_users() {
        let users = 2_100_000_000..=2_100_000_009;
        let maps = [
            "         0          0 4294967295\n",
            "0 100000 65536\n",
            "0 100000 65536\n2100000000 500000 10\n",
            "2100000000 500000 9\n",
            "2100000001 500000 100\n",
            "",
        ];
        let has = maps.map(|map| has_users(map, &users));
        assert_eq!(has, [true, false, true, false, false, false]);
    }
}
