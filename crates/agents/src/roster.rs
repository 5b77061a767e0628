//! Which agents this crate hosts, by role.
//!
//! Profiles are files beside the code (`profiles/*.toml`), read by whoever composes the platform;
//! the key `role` of a profile names the agent made here. Read next: [`crate::desk`].

use crate::bss_tickets::BssTickets;
use crate::business::ProfileOnly;
use crate::complaints::Complaints;
use crate::desk::Hosted;
use crate::energy_saving::EnergySaving;
use crate::ip_fault::IpFault;
use crate::knowledge::Knowledge;
use crate::optimisation::Optimisation;
use crate::oss_fault::OssFault;
use crate::quality::mobile::MobileQuality;
use crate::quality::transport::TransportQuality;
use crate::resource_copilot::ResourceCopilot;
use crate::service_copilot::ServiceCopilot;
use crate::service_intent::ServiceIntent;
use crate::trouble_ticket::TroubleTickets;
use crate::wireless_fault::WirelessFault;
use domain::agent::Agent;
use std::sync::Arc;

/// Every role, in roster order, with the text of its profile file (TOML).
pub const PROFILES: [(&str, &str); 18] = [
    ("oss-fault", include_str!("../profiles/oss-fault.toml")),
    (
        "wireless-fault",
        include_str!("../profiles/wireless-fault.toml"),
    ),
    ("ip-fault", include_str!("../profiles/ip-fault.toml")),
    // Before the copilot: whoever wants a repair finds the ticket system first.
    (
        "trouble-ticket",
        include_str!("../profiles/trouble-ticket.toml"),
    ),
    (
        "service-copilot",
        include_str!("../profiles/service-copilot.toml"),
    ),
    (
        "resource-copilot",
        include_str!("../profiles/resource-copilot.toml"),
    ),
    (
        "service-intent",
        include_str!("../profiles/service-intent.toml"),
    ),
    (
        "optimisation",
        include_str!("../profiles/optimisation.toml"),
    ),
    (
        "energy-saving",
        include_str!("../profiles/energy-saving.toml"),
    ),
    ("bss-tickets", include_str!("../profiles/bss-tickets.toml")),
    ("billing", include_str!("../profiles/billing.toml")),
    ("sales", include_str!("../profiles/sales.toml")),
    (
        "complaint-north",
        include_str!("../profiles/complaint-north.toml"),
    ),
    (
        "complaint-south",
        include_str!("../profiles/complaint-south.toml"),
    ),
    (
        "mobile-north",
        include_str!("../profiles/mobile-north.toml"),
    ),
    (
        "mobile-south",
        include_str!("../profiles/mobile-south.toml"),
    ),
    (
        "transport-north",
        include_str!("../profiles/transport-north.toml"),
    ),
    (
        "transport-south",
        include_str!("../profiles/transport-south.toml"),
    ),
];

/// The roles, in roster order.
pub fn roles() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|(role, _)| *role)
}

/// A new agent for `role`, or none if the role is not hosted here. It does nothing before
/// [`domain::agent::Input::Started`].
pub fn hosted(role: &str) -> Option<Box<dyn Agent>> {
    hosted_knowing(role, &Arc::new(Knowledge::in_force()))
}

/// The same; where it weighs causes, by this knowledge.
pub fn hosted_knowing(role: &str, knowledge: &Arc<Knowledge>) -> Option<Box<dyn Agent>> {
    let knowledge = || Arc::clone(knowledge);
    match role {
        "oss-fault" => Some(Box::new(Hosted::<OssFault>::knowing(knowledge()))),
        "wireless-fault" => Some(Box::new(Hosted::<WirelessFault>::knowing(knowledge()))),
        "ip-fault" => Some(Box::new(Hosted::<IpFault>::default())),
        "trouble-ticket" => Some(Box::new(Hosted::<TroubleTickets>::default())),
        "service-copilot" => Some(Box::new(Hosted::<ServiceCopilot>::default())),
        "resource-copilot" => Some(Box::new(Hosted::<ResourceCopilot>::default())),
        "service-intent" => Some(Box::new(Hosted::<ServiceIntent>::default())),
        "optimisation" => Some(Box::new(Hosted::<Optimisation>::default())),
        "energy-saving" => Some(Box::new(Hosted::<EnergySaving>::default())),
        "bss-tickets" => Some(Box::new(Hosted::<BssTickets>::default())),
        "billing" | "sales" => Some(Box::new(Hosted::<ProfileOnly>::default())),
        "complaint-north" | "complaint-south" => Some(Box::new(Hosted::<Complaints>::default())),
        "mobile-north" | "mobile-south" => Some(Box::new(Hosted::<MobileQuality>::default())),
        "transport-north" | "transport-south" => {
            Some(Box::new(Hosted::<TransportQuality>::default()))
        }
        _ => None,
    }
}
