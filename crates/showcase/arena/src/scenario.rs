//! The scenarios: the use cases of draft-wang-nmrg-magent-im, each with its agents.
//!
//! Knows the agents that take part and the events in the network; the use cases are not scripted,
//! they emerge from the agents' behaviour. Read next: [`crate::stage`].

use crate::World;
use crate::referee;
use domain::cause::Cause;
use domain::inventory::{ElementId, Inventory};
use domain::time::SeededRng;
use std::fmt;

/// A use case of draft-wang-nmrg-magent-im (§2.1 to §2.3), or all of them at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Use case 1: a batch of base stations goes out of service.
    Fault,
    /// Use case 2: one base station goes out of service while its neighbours save energy.
    Experience,
    /// Use case 3: drivers complain, in their own words.
    Complaints,
    /// Everything at once, for a day.
    All,
}

/// The agents that find and repair faults across domains.
const FAULT: [&str; 6] = [
    "oss-fault",
    "wireless-fault",
    "ip-fault",
    "trouble-ticket",
    "service-copilot",
    "resource-copilot",
];

/// The agents that keep users served during a fault, at the least energy.
const EXPERIENCE: [&str; 3] = ["service-intent", "optimisation", "energy-saving"];

/// The agents that answer complaints.
const COMPLAINTS: [&str; 9] = [
    "bss-tickets",
    "billing",
    "sales",
    "complaint-north",
    "complaint-south",
    "mobile-north",
    "mobile-south",
    "transport-north",
    "transport-south",
];

impl Scenario {
    /// Every scenario.
    pub const ALL: [Self; 4] = [Self::Fault, Self::Experience, Self::Complaints, Self::All];

    /// The name, on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Experience => "experience",
            Self::Complaints => "complaints",
            Self::All => "all",
        }
    }

    /// The scenario called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == name)
    }

    /// The roles of the agents that take part; none means all agents.
    pub fn roles(self) -> Option<Vec<String>> {
        let roles: Vec<&str> = match self {
            Self::Fault => FAULT.to_vec(),
            Self::Experience => [&FAULT[..], &EXPERIENCE].concat(),
            Self::Complaints => [&FAULT[..], &COMPLAINTS].concat(),
            Self::All => return None,
        };
        Some(roles.into_iter().map(str::to_owned).collect())
    }
}

impl Scenario {
    /// True if the scenario is about one fault, which the referee knows in advance.
    pub fn breaks_one(self) -> bool {
        matches!(self, Self::Fault | Self::Experience)
    }

    /// The time before that fault, in seconds. Energy saving needs some time to settle.
    pub fn rest_s(self) -> f64 {
        match self {
            Self::Experience => 3_600.0 + 300.0,
            _ => 300.0,
        }
    }

    /// The time after which a scenario ends, completed or not, in seconds.
    pub fn horizon_s(self) -> f64 {
        match self {
            Self::Fault => 12.0 * 3_600.0,
            Self::Experience => 12.0 * 3_600.0,
            Self::Complaints => 18.0 * 3_600.0,
            Self::All => 24.0 * 3_600.0,
        }
    }

    /// The hour of the day (UTC) at which it begins, on which users' demand depends.
    pub fn begins_at_hour(self) -> u32 {
        match self {
            Self::Fault | Self::Complaints => 6,
            Self::Experience => 2,
            Self::All => 0,
        }
    }

    /// True if the scenario has been completed.
    pub fn is_over(self, world: &World) -> bool {
        match self {
            Self::Fault => referee::is_over(world),
            Self::Experience => {
                let truth = world.network().simulation().truth().first();
                let restored = truth.is_some_and(|t| t.restored_at.is_some());
                restored && !referee::is_compensating(world)
            }
            Self::Complaints | Self::All => false,
        }
    }
}

/// A fault of one site or cell: a cut of the fibre to a site without others behind it, or the
/// hardware or a parameter of a cell.
pub(crate) fn one_site(inventory: &Inventory, rng: &mut SeededRng) -> Option<(Cause, ElementId)> {
    let cuts = network::fault::candidates(inventory, Cause::FibreCut, 1);
    let alone = |link: &ElementId| inventory.sites_cut_off(&[link.clone()].into()).len() == 1;
    let fibres: Vec<ElementId> = cuts.into_iter().filter(alone).collect();
    let cells: Vec<ElementId> = inventory.cells.keys().cloned().collect();
    let (cause, from) = match network::chance::whole(rng, 0, 2) {
        0 if !fibres.is_empty() => (Cause::FibreCut, fibres),
        1 => (Cause::Misconfiguration, cells),
        _ => (Cause::CellHardwareFailure, cells),
    };
    let element = network::chance::choose(rng, &from)?;
    Some((cause, element.clone()))
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_role_of_a_scenario_has_an_agent() {
        for scenario in Scenario::ALL {
            assert_eq!(Scenario::parse(scenario.as_str()), Some(scenario));
            for role in scenario.roles().into_iter().flatten() {
                assert!(agents::roster::roles().any(|r| r == role), "{role}");
            }
        }
    }
}
