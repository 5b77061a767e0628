//! Which agents this crate hosts, by role.
//!
//! Profiles are files beside the code (`profiles/*.toml`), read by whoever composes the platform;
//! the key `role` of a profile names the agent made here. Read next: [`crate::desk`].

use crate::desk::Hosted;
use crate::ip_fault::IpFault;
use crate::oss_fault::OssFault;
use crate::resource_copilot::ResourceCopilot;
use crate::service_copilot::ServiceCopilot;
use crate::wireless_fault::WirelessFault;
use domain::agent::Agent;

/// Every role, in roster order, with the text of its profile file (TOML).
pub const PROFILES: [(&str, &str); 5] = [
    ("oss-fault", include_str!("../profiles/oss-fault.toml")),
    (
        "wireless-fault",
        include_str!("../profiles/wireless-fault.toml"),
    ),
    ("ip-fault", include_str!("../profiles/ip-fault.toml")),
    (
        "service-copilot",
        include_str!("../profiles/service-copilot.toml"),
    ),
    (
        "resource-copilot",
        include_str!("../profiles/resource-copilot.toml"),
    ),
];

/// The roles, in roster order.
pub fn roles() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|(role, _)| *role)
}

/// A new agent for `role`, or none if the role is not hosted here. It does nothing before
/// [`domain::agent::Input::Started`].
pub fn hosted(role: &str) -> Option<Box<dyn Agent>> {
    match role {
        "oss-fault" => Some(Box::new(Hosted::<OssFault>::default())),
        "wireless-fault" => Some(Box::new(Hosted::<WirelessFault>::default())),
        "ip-fault" => Some(Box::new(Hosted::<IpFault>::default())),
        "service-copilot" => Some(Box::new(Hosted::<ServiceCopilot>::default())),
        "resource-copilot" => Some(Box::new(Hosted::<ResourceCopilot>::default())),
        _ => None,
    }
}
