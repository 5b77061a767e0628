//! The agents that this crate hosts, by role.
//!
//! Profiles are files beside the code (`profiles/*.toml`), read by whoever composes the platform;
//! the key `role` of a profile names the agent made here. Read next: [`crate::context`];
//! `docs/own-agent.md`, for who adds one.

use crate::bss_tickets::BssTickets;
use crate::business::ProfileOnly;
use crate::complaints::Complaints;
use crate::context::HostedExecutor;
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

/// The role of an agent of the roster, and how one is made.
#[derive(Clone, Copy, Debug)]
pub struct RosterRole {
    /// As the key `role` of profiles names it.
    pub name: &'static str,
    /// The text of its profile file (TOML).
    pub profile: &'static str,
    make: fn(&Arc<Knowledge>) -> Box<dyn Agent>,
}

/// The role of a [`crate::context::TaskExecutor`], with the profile file of that name.
macro_rules! role {
    ($name:literal, $worker:ty) => {
        RosterRole {
            name: $name,
            profile: include_str!(concat!("../profiles/", $name, ".toml")),
            make: |knowledge| Box::new(HostedExecutor::<$worker>::knowing(Arc::clone(knowledge))),
        }
    };
}

/// Every role, in roster order.
pub const ROSTER: &[RosterRole] = &[
    role!("oss-fault", OssFault),
    role!("wireless-fault", WirelessFault),
    role!("ip-fault", IpFault),
    // Before the copilot: whoever wants a repair finds the ticket system first.
    role!("trouble-ticket", TroubleTickets),
    role!("service-copilot", ServiceCopilot),
    role!("resource-copilot", ResourceCopilot),
    role!("service-intent", ServiceIntent),
    role!("optimisation", Optimisation),
    role!("energy-saving", EnergySaving),
    role!("bss-tickets", BssTickets),
    role!("billing", ProfileOnly),
    role!("sales", ProfileOnly),
    role!("complaint-north", Complaints),
    role!("complaint-south", Complaints),
    role!("mobile-north", MobileQuality),
    role!("mobile-south", MobileQuality),
    role!("transport-north", TransportQuality),
    role!("transport-south", TransportQuality),
];

/// The roles, in roster order.
pub fn roles() -> impl Iterator<Item = &'static str> {
    ROSTER.iter().map(|role| role.name)
}

/// A new agent for `role`, or none if the role is not hosted here. It does nothing before
/// [`domain::agent::Input::Started`].
pub fn hosted(role: &str) -> Option<Box<dyn Agent>> {
    hosted_knowing(role, &Arc::new(Knowledge::in_force()))
}

/// The same; where it weighs causes, by this knowledge.
pub fn hosted_knowing(role: &str, knowledge: &Arc<Knowledge>) -> Option<Box<dyn Agent>> {
    let known = ROSTER.iter().find(|known| known.name == role)?;
    Some((known.make)(knowledge))
}
