//! The section `[cluster]`: a platform of several nodes.
//!
//! Read next: [`crate::cluster`].

use super::error::SettingsError;
use serde::Deserialize;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// The default address of the channel between nodes.
pub const CHANNEL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8840);

/// The longest name of a node.
const NAME_MAX: usize = 64;

/// The section `[cluster]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeSettings {
    /// `node`: the name of this node; without one the platform is one process alone. Letters, digits and
    /// `.`, `_`, `-` in between, at most 64.
    pub node: Option<String>,
    /// `listen`: the address of the channel between nodes; 127.0.0.1:8840 by default.
    pub listen: Option<SocketAddr>,
    /// `advertise`: where other nodes reach that, a name or address with a port; by default the address
    /// that it has.
    pub advertise: Option<String>,
    /// `ttl-s`: the time after which another node may take the lead of one that is not heard of, 3 to 60 s;
    /// 6 by default. The same on all nodes.
    pub ttl_s: Option<u64>,
    /// `join`: the address of any node's channel, `host:port`, of which this node learns what the folders of all have
    /// alike before it starts; by default they are put there by hand.
    pub join: Option<String>,
    /// The file of the key of the cluster, if the folder has none: said by a flag alone.
    #[serde(skip)]
    pub key_file: Option<PathBuf>,
    /// True to lead with other rules than those last in force, or to join with a folder that has others: said by a
    /// flag alone, for one start.
    #[serde(skip)]
    pub accept_rules: bool,
}

impl NodeSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            node: self.node.or(below.node),
            listen: self.listen.or(below.listen),
            advertise: self.advertise.or(below.advertise),
            ttl_s: self.ttl_s.or(below.ttl_s),
            join: self.join.or(below.join),
            key_file: self.key_file.or(below.key_file),
            accept_rules: self.accept_rules || below.accept_rules,
        }
    }

    /// The address of the channel.
    pub fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or(CHANNEL)
    }

    /// Where others reach the channel that has this address.
    pub fn advertised(&self, listening: SocketAddr) -> String {
        let given = self.advertise.clone();
        given.unwrap_or_else(|| listening.to_string())
    }

    /// The time of the lease.
    pub fn ttl(&self) -> Duration {
        Duration::from_secs(self.ttl_s.unwrap_or(6))
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let seconds = self.ttl_s.unwrap_or(6);
        if !(3..=60).contains(&seconds) {
            return Err(SettingsError::Range {
                name: "ttl-s of [cluster]",
                value: seconds.to_string(),
                range: "3 to 60",
            });
        }
        match self.node.as_deref() {
            Some(name) if !is_node_name(name) => Err(SettingsError::NodeName(name.to_owned())),
            _ => Ok(()),
        }
    }
}

/// True if a node can have this name.
fn is_node_name(name: &str) -> bool {
    let ends = |at: Option<char>| at.is_some_and(|it| it.is_ascii_alphanumeric());
    let inside = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
    name.len() <= NAME_MAX
        && name.chars().all(inside)
        && ends(name.chars().next())
        && ends(name.chars().last())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::refused;

    #[test]
    fn a_node_has_a_name_a_database_and_no_network_of_its_own() {
        let store = "[store]\nurl = 'postgres://u@db/state'\n";
        for good in ["a", "a1.site-2_x", "A"] {
            let text = format!("{store}[cluster]\nnode = '{good}'\nttl-s = 3");
            assert_eq!(refused(&text), None, "{good}");
        }
        for bad in ["", "-a", "a.", "a b", "ä", &"a".repeat(65)] {
            let told = refused(&format!("{store}[cluster]\nnode = '{bad}'")).unwrap();
            assert!(told.contains("is no name of a node"), "{bad}: {told}");
        }
        let told = refused("[cluster]\nnode = 'a'").unwrap();
        assert!(told.contains("--store"), "{told}");
        let told = refused(&format!("network = 'city'\n{store}[cluster]\nnode = 'a'")).unwrap();
        assert!(told.contains("--network none"), "{told}");
        let none = format!("network = 'none'\n{store}[cluster]\nnode = 'a'");
        assert_eq!(refused(&none), None);
        for seconds in [2, 61] {
            let told = refused(&format!("[cluster]\nttl-s = {seconds}")).unwrap();
            assert!(told.ends_with("it must be 3 to 60"), "{told}");
        }
    }
}
