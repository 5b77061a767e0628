//! Drivers' complaints through their car maker, with the true cause of each.
//!
//! A [`CustomerComplaint`] holds the truth and never leaves the simulation; agents receive a letter: text
//! in English or Chinese ([`words`]), from a grammar with variation and noise or written by hand,
//! with the facts it states as [`GoldFacts`] for scoring readers.
//! Refuses to know when complaints arise: that is `simulation/customers.rs`. Read next: [`words`].

mod chinese;
mod composition;
pub mod corpus;
mod english;
mod handwritten;
mod moment;
mod noise;
pub mod words;

use domain::inventory::ElementId;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The symptom of a complaint; the names are those of `service_complaint_v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComplaintSymptom {
    /// No service at all.
    NoService,
    /// Slow data.
    SlowData,
    /// Dropped calls.
    CallDrop,
    /// High latency.
    HighLatency,
    /// Weak signal.
    WeakSignal,
    /// Intermittent service.
    Intermittent,
}

impl ComplaintSymptom {
    /// Every symptom.
    pub const ALL: [Self; 6] = [
        Self::NoService,
        Self::SlowData,
        Self::CallDrop,
        Self::HighLatency,
        Self::WeakSignal,
        Self::Intermittent,
    ];

    /// The name in payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoService => "no_service",
            Self::SlowData => "slow_data",
            Self::CallDrop => "call_drop",
            Self::HighLatency => "high_latency",
            Self::WeakSignal => "weak_signal",
            Self::Intermittent => "intermittent",
        }
    }
}

/// The subject of a complaint that is not about the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnrelatedSubject {
    /// The account of the maker's app is locked, or its password forgotten.
    Account,
    /// The bill is wrong.
    Bill,
    /// The data volume of the tariff is used up.
    Quota,
    /// The car's own modem or SIM is broken.
    Modem,
}

impl UnrelatedSubject {
    /// Every subject.
    pub const ALL: [Self; 4] = [Self::Account, Self::Bill, Self::Quota, Self::Modem];

    /// The name in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Bill => "bill",
            Self::Quota => "quota",
            Self::Modem => "modem",
        }
    }
}

/// A fact that a letter may omit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WithheldFact {
    /// The time.
    Time,
    /// The place.
    Place,
    /// The vehicle.
    Vehicle,
}

impl WithheldFact {
    /// Every fact.
    pub const ALL: [Self; 3] = [Self::Time, Self::Place, Self::Vehicle];
}

/// The true cause of a complaint; for the referee only.
#[derive(Clone, Debug, PartialEq)]
pub enum ComplaintCause {
    /// An element of the network was broken at the vehicle's location.
    Fault {
        /// The site or cell that failed to serve.
        element: ElementId,
        /// The province of the element.
        province: String,
    },
    /// A cell was overloaded.
    Crowded {
        /// The cell.
        cell: ElementId,
        /// The province of the cell.
        province: String,
    },
    /// There is no coverage at the place, without any fault.
    WeakCoverage {
        /// The province of the place.
        province: String,
    },
    /// It is not about the network.
    Outside(UnrelatedSubject),
}

/// The correct classification of a complaint by responsibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrueBoundary {
    /// In the network of the complainant's home province.
    OwnDomain,
    /// In the network of another province.
    OtherDomain,
    /// A place without coverage, without a fault.
    Coverage,
    /// The customer's own equipment.
    Customer,
    /// Billing, or the maker's app.
    Outside,
}

impl TrueBoundary {
    /// The name in payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OwnDomain => "own_domain",
            Self::OtherDomain => "other_domain",
            Self::Coverage => "coverage",
            Self::Customer => "customer",
            Self::Outside => "outside",
        }
    }
}

impl ComplaintCause {
    /// The correct classification for a complainant of this home province.
    pub fn boundary(&self, home: &str) -> TrueBoundary {
        match self {
            Self::Fault { province, .. } | Self::Crowded { province, .. } if province == home => {
                TrueBoundary::OwnDomain
            }
            Self::Fault { .. } | Self::Crowded { .. } => TrueBoundary::OtherDomain,
            Self::WeakCoverage { .. } => TrueBoundary::Coverage,
            Self::Outside(UnrelatedSubject::Modem) => TrueBoundary::Customer,
            Self::Outside(_) => TrueBoundary::Outside,
        }
    }
}

/// The experience that a letter tells: its content before it is put into words.
#[derive(Clone, Debug, PartialEq)]
pub struct Experience {
    /// The symptom; none if it is not about the network.
    pub symptom: Option<ComplaintSymptom>,
    /// The subject if it is not about the network.
    pub outside: Option<UnrelatedSubject>,
    /// The town nearest to the event.
    pub town: String,
    /// The town of departure, if the vehicle had left its own province.
    pub left: Option<String>,
    /// The instant of the event.
    pub at: Timestamp,
    /// The vehicle identification number.
    pub vin: String,
    /// The facts that the letter omits.
    pub withheld: BTreeSet<WithheldFact>,
    /// True if the letter is in Chinese, false for English.
    pub chinese: bool,
}

/// The facts that a letter states: the reference for scoring readers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoldFacts {
    /// The symptom.
    pub symptom: Option<ComplaintSymptom>,
    /// The subject if it is not about the network.
    pub outside: Option<UnrelatedSubject>,
    /// The town of the event.
    pub place: Option<String>,
    /// The instant of the event.
    pub at: Option<Timestamp>,
    /// The vehicle identification number.
    pub vehicle: Option<String>,
    /// The town into whose province the vehicle had moved.
    pub moved_to: Option<String>,
}

/// A letter with the facts that it states.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplaintText {
    /// The text.
    pub text: String,
    /// The facts that the text states.
    pub gold: GoldFacts,
    /// True if it was written by hand, false if the grammar generated it.
    pub handwritten: bool,
}

/// The truth about one ticket, and its handling; for the referee only.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomerComplaint {
    /// The ticket's number.
    pub ticket: String,
    /// The instant at which it was opened.
    pub opened_at: Timestamp,
    /// The true cause.
    pub nature: ComplaintCause,
    /// The writer's experience.
    pub plight: Experience,
    /// The home province of the vehicle's fleet.
    pub home: String,
    /// The facts that the text states.
    pub gold: GoldFacts,
    /// The handling of the ticket.
    pub outcome: TicketHandling,
}

impl CustomerComplaint {
    /// The correct classification.
    pub fn boundary(&self) -> TrueBoundary {
        self.nature.boundary(&self.home)
    }
}

/// The handling of a ticket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TicketHandling {
    /// The instant of the final reply.
    pub replied_at: Option<Timestamp>,
    /// The number of attempted final replies; one is correct.
    pub replies: u32,
    /// The text of the reply.
    pub reply: String,
    /// The number of questions to the customer.
    pub questions: u32,
    /// The number of questions that the customer answered.
    pub answers: u32,
}

/// The number of drivers and their behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct Customers {
    /// Connected vehicles, 0 to 200; at 0 there are no complaints through makers.
    pub vehicles: usize,
    /// Complaints per day that are not about the network.
    pub strays_per_day: f64,
    /// The share of drivers affected by a fault who complain, 0 to 1.
    pub complains: f64,
    /// The probability that a letter omits the time, the place, the vehicle: each, 0 to 1.
    pub withholds: f64,
    /// The share of questions that are answered, 0 to 1.
    pub answers: f64,
    /// The share of drivers who write Chinese, 0 to 1.
    pub chinese: f64,
    /// Delay between the event and the complaint, in seconds: shortest and longest.
    pub patience_s: (f64, f64),
}

impl Default for Customers {
    /// No vehicles; the other values are assumptions.
    fn default() -> Self {
        Self {
            vehicles: 0,
            strays_per_day: 8.0,
            complains: 0.4,
            withholds: 0.12,
            answers: 0.8,
            chinese: 0.4,
            patience_s: (1_200.0, 6.0 * 3_600.0),
        }
    }
}

#[cfg(test)]
mod tests;
