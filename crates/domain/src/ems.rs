//! Element-management systems (EMS): their domains, their admission rules, their reports.
//!
//! Works on the telemetry that reached a domain's agents, late, twice or never, and keeps it as a
//! management system does ([`View`]); knows neither the network itself nor the protocol. The
//! contract behind it is [`crate::telemetry`]. Read next: `engine::network::ems`, which serves it.

mod view;

pub use view::{ALARMS_KEPT, AlarmList, AlarmRecord, Change, STATUS_CHANGES, Tally, View};

use crate::event::Sequence;
use crate::inventory::{Domain, ElementId};
use crate::permit::Permit;
use crate::profile::{Layer, Profile};
use crate::telemetry::{Action, Alarm, Complaint, FieldReport, Telemetry, Ticket};
use crate::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The schema that entitles an agent to command the field force.
const REPAIRS: &str = "fault_repair_v1";

/// An element-management system.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ems {
    /// The wireless domain: sites, cells, power zones, and the traces of vehicles.
    Wireless,
    /// The IP domain: routers, cards, links, ducts.
    Ip,
    /// Customers: their complaints and tickets, and the field force.
    Customer,
}

crate::named! {
    /// The name, everywhere: `wireless`.
    Ems
}

impl Ems {
    /// The system that manages a domain.
    pub fn of_domain(domain: Domain) -> Self {
        match domain {
            Domain::Wireless => Self::Wireless,
            Domain::Ip => Self::Ip,
            Domain::Service | Domain::Business => Self::Customer,
        }
    }

    /// The domains whose telemetry it gets, and whose elements it reaches.
    pub fn domains(self) -> &'static [Domain] {
        match self {
            Self::Wireless => &[Domain::Wireless],
            Self::Ip => &[Domain::Ip],
            Self::Customer => &[Domain::Service, Domain::Business],
        }
    }

    /// True if an agent with this profile is admitted: at the systems of a domain, agents of the
    /// resource layer that manage the domain; at the customers' system, those of the layers above.
    pub fn admits(self, profile: &Profile) -> bool {
        let resource = profile.layer == Layer::Resource;
        match self {
            Self::Customer => !resource,
            Self::Wireless | Self::Ip => {
                resource && self.domains().iter().all(|d| manages(profile, *d))
            }
        }
    }

    /// What may be done through it, in a province or everywhere.
    pub fn permit(self, province: Option<String>) -> Permit {
        let (customers, radio) = (self == Self::Customer, self == Self::Wireless);
        let reached: BTreeSet<Domain> = match customers {
            true => BTreeSet::new(),
            false => self.domains().iter().copied().collect(),
        };
        Permit {
            configure: reached.clone(),
            probe: reached,
            radio,
            trace: radio,
            field: customers,
            customers,
            province,
        }
    }

    /// True if an agent with this profile may take this action here. Only an agent whose skill is
    /// repair may command the field force.
    pub fn entitles(self, profile: &Profile, action: &Action) -> bool {
        let repairs = || profile.schemas().any(|schema| schema == REPAIRS);
        let field = matches!(action, Action::Dispatch { .. } | Action::Guide { .. });
        self.admits(profile) && (!field || repairs())
    }
}

fn manages(profile: &Profile, domain: Domain) -> bool {
    let domains = profile.domain.as_deref().unwrap_or("");
    domains
        .split(',')
        .any(|name| name.trim() == domain.as_str())
}

/// The content of a report of a management system.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// An alarm changed, or is reported again.
    Alarm(Alarm),
    /// A period has ended; its figures are in the [`View`].
    Period {
        /// The time at which it began.
        from: Timestamp,
        /// The time at which it ended.
        until: Timestamp,
        /// The number of cells that reported.
        cells: usize,
        /// The number of links that reported.
        links: usize,
    },
    /// An engineer reports.
    Field(FieldReport),
    /// A customer complains.
    Complaint(Complaint),
    /// A customer's company has opened a ticket.
    Ticket(Ticket),
    /// A customer answers a question about a ticket.
    CustomerAnswered {
        /// The ticket's number.
        ticket: String,
        /// The customer's words.
        text: String,
    },
}

impl News {
    /// The element that it concerns, if any.
    pub fn element(&self) -> Option<&ElementId> {
        match self {
            Self::Alarm(alarm) => Some(&alarm.resource),
            Self::Complaint(complaint) => Some(&complaint.site),
            Self::Period { .. }
            | Self::Field(_)
            | Self::Ticket(_)
            | Self::CustomerAnswered { .. } => None,
        }
    }
}

impl From<&Telemetry> for News {
    fn from(telemetry: &Telemetry) -> Self {
        match telemetry.clone() {
            Telemetry::Alarm(alarm) => Self::Alarm(alarm),
            Telemetry::Performance(performance) => Self::Period {
                from: performance.from,
                until: performance.until,
                cells: performance.cells.len(),
                links: performance.links.len(),
            },
            Telemetry::Field(report) => Self::Field(report),
            Telemetry::Complaint(complaint) => Self::Complaint(complaint),
            Telemetry::Ticket(ticket) => Self::Ticket(ticket),
            Telemetry::CustomerAnswered { ticket, text } => Self::CustomerAnswered { ticket, text },
        }
    }
}

/// A report of a management system; reports come in the order in which the telemetry reached its
/// domain's agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its number among this system's reports, from 1, without gaps.
    pub sequence: Sequence,
    /// The time of its arrival.
    pub time: Timestamp,
    /// The content.
    pub news: News,
}

/// A report shared by all subscribers.
pub type Told = Arc<Report>;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::profile::{Capability, Skill};

    fn profile(layer: Layer, domain: &str, schema: &str) -> Profile {
        Profile {
            name: "a".to_owned(),
            alias: None,
            description: "a".to_owned(),
            agent_type: None,
            version: "1.0.0".to_owned(),
            provider: "p".to_owned(),
            domain: Some(domain.to_owned()),
            management_object: None,
            layer,
            province: None,
            capability: Capability::default(),
            skills: vec![Skill {
                name: "s".to_owned(),
                description: "s".to_owned(),
                tags: Vec::new(),
                input_modes: Vec::new(),
                output_modes: Vec::new(),
                examples: Vec::new(),
                schemas: vec![schema.to_owned()],
            }],
            authentication: Vec::new(),
        }
    }

    #[test]
    fn a_system_lets_its_own_domains_agents_in() {
        let admitted = |layer, domain| {
            let profile = profile(layer, domain, "fault_diagnosis_v1");
            let systems = Ems::ALL.into_iter().filter(|e| e.admits(&profile));
            systems.map(Ems::as_str).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(admitted(Layer::Resource, "IP"), "ip");
        assert_eq!(admitted(Layer::Resource, "Wireless, IP"), "wireless ip");
        assert_eq!(admitted(Layer::Resource, "Optical"), "");
        assert_eq!(admitted(Layer::Service, "Wireless, IP"), "customer");
        assert_eq!(admitted(Layer::Business, ""), "customer");
    }

    #[test]
    fn engineers_are_sent_by_who_repairs() {
        let dispatch = Action::Dispatch {
            element: ElementId::new("site:1"),
            work_order: None,
        };
        let tell = Action::TellCustomer {
            ticket: "1".to_owned(),
            text: "hello".to_owned(),
            question: false,
        };
        let repairs = profile(Layer::Service, "", REPAIRS);
        let listens = profile(Layer::Service, "", "other_v1");
        assert!(Ems::Customer.entitles(&repairs, &dispatch));
        assert!(!Ems::Customer.entitles(&listens, &dispatch));
        assert!(Ems::Customer.entitles(&listens, &tell));
        assert!(!Ems::Ip.entitles(&repairs, &dispatch));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for ems in Ems::ALL {
            assert_eq!(Ems::parse(ems.as_str()), Some(ems));
        }
        assert_eq!(Ems::parse("Wireless"), None);
    }
}
