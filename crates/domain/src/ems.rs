//! Element-management systems (EMS): which there are, who is let in, what each knows and tells.
//!
//! Knows what reached a domain's agents, late, twice or never, and keeps it as a management system
//! does ([`View`]); refuses to know the network itself, and the protocol. The contract that it is a
//! form of is [`crate::telemetry`]. Read next: `engine::ems`, which serves it.

mod view;

pub use view::{AlarmList, AlarmRecord, Change, STATUS_CHANGES, Tally, View};

use crate::event::Sequence;
use crate::inventory::{Domain, ElementId};
use crate::profile::{Layer, Profile};
use crate::telemetry::{Action, Alarm, Complaint, FieldReport, Telemetry, Ticket};
use crate::time::Timestamp;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The schema of whoever commands the field force.
const REPAIRS: &str = "fault_repair_v1";

/// An element-management system.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ems {
    /// Of the wireless domain: sites, cells, power zones, and where vehicles were.
    Wireless,
    /// Of the IP domain: routers, cards, links, ducts.
    Ip,
    /// Of customers: their complaints and tickets, and the field force.
    Customer,
}

crate::named! {
    /// The name, everywhere: `wireless`.
    Ems
}

impl Ems {
    /// The domains whose telemetry it gets, and whose elements it reaches.
    pub fn domains(self) -> &'static [Domain] {
        match self {
            Self::Wireless => &[Domain::Wireless],
            Self::Ip => &[Domain::Ip],
            Self::Customer => &[Domain::Service, Domain::Business],
        }
    }

    /// True if an agent with this profile is let in: at a domain's own system agents of the resource
    /// layer that manage the domain, at the customers' those of the layers above.
    pub fn admits(self, profile: &Profile) -> bool {
        let resource = profile.layer == Layer::Resource;
        match self {
            Self::Customer => !resource,
            Self::Wireless | Self::Ip => {
                resource && self.domains().iter().all(|d| manages(profile, *d))
            }
        }
    }

    /// True if an agent with this profile may do this here. The field force is commanded by those
    /// whose skill repair is.
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

/// What a management system has to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// An alarm changed, or is told again.
    Alarm(Alarm),
    /// A period has ended; its figures are in the [`View`].
    Period {
        /// When it began.
        from: Timestamp,
        /// When it ended.
        until: Timestamp,
        /// How many cells reported.
        cells: usize,
        /// How many links reported.
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
    /// The element that it is about, if it is about one.
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

/// Something that a management system tells: what reached its domain's agents, in the order in which
/// it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its place among what this system told, from 1, without gaps.
    pub sequence: Sequence,
    /// When it arrived.
    pub time: Timestamp,
    /// What it is.
    pub news: News,
}

/// A report that is shared by all who want it.
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
