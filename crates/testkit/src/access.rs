//! Access rules that are in nobody's way.
//!
//! What rules do is tested with rules of the test's own. Read next: `domain::access`.

use domain::access::{AccessRules, Action};
use std::collections::BTreeMap;

/// Rules that are off: everybody may read and execute; the group `admin` has these members.
pub fn access(admins: &[&str]) -> AccessRules {
    let admins = admins.iter().map(|&name| name.to_owned()).collect();
    AccessRules {
        enabled: false,
        read_default: Action::Permit,
        write_default: Action::Deny,
        exec_default: Action::Permit,
        groups: BTreeMap::from([("admin".to_owned(), admins)]),
        lists: Vec::new(),
    }
}
