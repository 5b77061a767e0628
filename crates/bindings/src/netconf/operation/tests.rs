//! Which rpcs of the loaded modules are offered: no compiler asks for a name that is not looked for.
#![allow(clippy::unwrap_used)]

use super::{RPCS, rpc_of};
use ::netconf::xml::{Limits, XmlDocument};
use yang::{Generation, ModuleSet};

/// The rpcs that are not offered, with their modules.
const NOT_OFFERED: [(&str, &str); 4] = [
    ("ietf-netconf", "edit-config"),
    ("ietf-netconf", "copy-config"),
    ("ietf-netconf", "delete-config"),
    ("ietf-netconf-nmda", "edit-data"),
];

#[test]
fn every_rpc_is_offered_or_is_named_as_one_that_is_not() {
    let schema = Generation::load(&ModuleSet::convoke()).unwrap();
    let mut not_offered = Vec::new();
    let mut offered = 0;
    for rpc in schema.rpcs() {
        let empty = format!("<{} xmlns='{}'/>", rpc.name, rpc.namespace);
        let empty = XmlDocument::parse(empty, &Limits::client()).unwrap();
        match rpc_of(empty.root()) {
            Some(known) => {
                assert_eq!(known.origin.module.name, rpc.module, "{}", rpc.name);
                offered += 1;
            }
            None => not_offered.push((rpc.module.as_str(), rpc.name.as_str())),
        }
    }
    assert_eq!(not_offered, NOT_OFFERED);
    assert_eq!(offered, RPCS.len(), "no row without an rpc, and none twice");
}
