//! A router's filters of what it forwards: a table of nftables with a rule for each prefix.
//!
//! A rule is removed by its handle, so that the others stay. Read next: [`super::parameters`].

use crate::error::LabError;
use crate::shell::{fed, within};
use std::collections::BTreeSet;
use std::net::Ipv4Addr;

/// The table of a router's own filters.
const TABLE: &str = "acl";

/// What a rule drops, and the handle that it is removed by.
#[derive(Debug, PartialEq, Eq)]
struct FilterRule {
    prefix: String,
    handle: u64,
}

/// The prefixes to which nothing is forwarded.
pub(crate) fn dropped(namespace: &str) -> BTreeSet<String> {
    let rules = rules(namespace).into_iter();
    rules.map(|rule| rule.prefix).collect()
}

/// Adds a filter of what is forwarded to a prefix, or removes it; one that is there already is not
/// added, and of others nothing changes.
///
/// # Errors
/// [`LabError::Shell`]
pub(crate) fn set(namespace: &str, prefix: &str, add: bool) -> Result<(), LabError> {
    let rules = rules(namespace);
    match changes(&rules, &network_of(prefix), add) {
        lines if lines.is_empty() => Ok(()),
        lines => {
            let arguments = ["netns", "exec", namespace, "nft", "-f", "-"];
            Ok(fed("ip", &arguments, &lines).map(drop)?)
        }
    }
}

fn rules(namespace: &str) -> Vec<FilterRule> {
    // A router without filters has no such table.
    let said = within(namespace, &["nft", "-a", "list", "table", "ip", TABLE]);
    said.map_or_else(|_| Vec::new(), |said| listed(&said))
}

/// The rules as `nft -a` lists them.
fn listed(said: &str) -> Vec<FilterRule> {
    let rule = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ip", "daddr", prefix, "drop", "#", "handle", handle] => Some(FilterRule {
                prefix: network_of(prefix),
                handle: handle.parse().ok()?,
            }),
            _ => None,
        }
    };
    said.lines().filter_map(rule).collect()
}

/// The lines for `nft` after which exactly this prefix is dropped besides what was, or no longer.
fn changes(rules: &[FilterRule], prefix: &str, add: bool) -> String {
    let own = rules.iter().filter(|rule| rule.prefix == prefix);
    let handles: Vec<u64> = own.map(|rule| rule.handle).collect();
    match (add, handles.is_empty()) {
        (true, true) => format!(
            "table ip {TABLE} {{ chain forward {{ type filter hook forward priority 0; policy accept; }}; }}\n\
             add rule ip {TABLE} forward ip daddr {prefix} drop\n"
        ),
        (true, false) => String::new(),
        (false, _) => {
            let line = |handle| format!("delete rule ip {TABLE} forward handle {handle}\n");
            handles.into_iter().map(line).collect()
        }
    }
}

/// A prefix in the form of its network, with its length: `nft` writes an address alone without.
fn network_of(prefix: &str) -> String {
    let (address, length) = prefix.split_once('/').unwrap_or((prefix, "32"));
    match (address.parse::<Ipv4Addr>(), length.parse::<u32>()) {
        (Ok(address), Ok(length)) if length <= 32 => {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
            format!("{}/{length}", Ipv4Addr::from_bits(address.to_bits() & mask))
        }
        _ => prefix.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "table ip acl { # handle 1\n\tchain forward { # handle 1\n\t\t\
        type filter hook forward priority filter; policy accept;\n\t\t\
        ip daddr 10.2.7.0/24 drop # handle 2\n\t\tip daddr 10.2.7.1 drop # handle 3\n\t\t\
        ip daddr 10.2.70.0/24 drop # handle 4\n\t\tip daddr 10.2.7.0/24 drop # handle 12\n\t}\n}\n";

    #[test]
    fn only_the_filter_of_the_prefix_is_removed() {
        let rules = listed(LISTED);
        assert_eq!(rules.len(), 4, "{rules:?}");
        let removed = |prefix: &str| changes(&rules, prefix, false);
        let line = |handle: u64| format!("delete rule ip acl forward handle {handle}\n");
        assert_eq!(removed("10.2.7.0/24"), line(2) + &line(12));
        assert_eq!(removed("10.2.7.1/32"), line(3));
        assert_eq!(removed("10.2.0.0/16"), "");
    }

    #[test]
    fn a_filter_is_added_once_and_beside_the_others() {
        let rules = listed(LISTED);
        assert_eq!(changes(&rules, "10.2.70.0/24", true), "");
        let added = changes(&rules, "10.2.8.0/24", true);
        assert!(
            added.ends_with("forward ip daddr 10.2.8.0/24 drop\n"),
            "{added}"
        );
        assert!(!added.contains("delete"), "{added}");
    }

    #[test]
    fn a_prefix_is_that_of_its_network() {
        let prefixes = ["10.2.7.5/24", "10.2.7.1", "10.2.7.1/32", "1.2.3.4/0"];
        let networks = ["10.2.7.0/24", "10.2.7.1/32", "10.2.7.1/32", "0.0.0.0/0"];
        assert_eq!(prefixes.map(network_of), networks);
    }
}
