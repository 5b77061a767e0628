//! What drivers complain about through their car maker, and what is really behind it.
//!
//! A [`Grievance`] holds what happened and never leaves the simulation; what agents get is a letter:
//! words in English or Chinese ([`words`]), from a grammar with variation and noise or written by
//! hand, with what the writer says of it as [`Gold`] for scoring readers.
//! Refuses to know when somebody complains: that is `simulation/customers.rs`. Read next:
//! [`words`].

mod chinese;
mod composition;
pub mod corpus;
mod english;
mod handwritten;
mod noise;
pub mod words;

use domain::inventory::ElementId;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// What somebody suffers from; the names are those of `service_complaint_v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symptom {
    /// Nothing works.
    NoService,
    /// Data is slow.
    SlowData,
    /// Calls end by themselves.
    CallDrop,
    /// What is asked for comes late.
    HighLatency,
    /// Little signal.
    WeakSignal,
    /// It comes and goes.
    Intermittent,
}

impl Symptom {
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

/// What a complaint is about when it is not about the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outside {
    /// The account of the maker's app is locked, or the password forgotten.
    Account,
    /// The bill is wrong.
    Bill,
    /// The data volume of the tariff is used up.
    Quota,
    /// The car's own modem or SIM is broken.
    Modem,
}

impl Outside {
    /// Every matter.
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

/// What a complaint may fail to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Datum {
    /// When.
    Time,
    /// Where.
    Place,
    /// Which vehicle.
    Vehicle,
}

impl Datum {
    /// Every datum.
    pub const ALL: [Self; 3] = [Self::Time, Self::Place, Self::Vehicle];
}

/// What is really behind a complaint; for the referee only.
#[derive(Clone, Debug, PartialEq)]
pub enum Nature {
    /// Something of the network was broken where the vehicle was.
    Fault {
        /// The site or cell that did not serve.
        element: ElementId,
        /// The province it stands in.
        province: String,
    },
    /// The network had no room for all who wanted it.
    Crowded {
        /// The cell.
        cell: ElementId,
        /// The province it stands in.
        province: String,
    },
    /// Nothing was broken: there is no coverage there.
    WeakCoverage {
        /// The province the place lies in.
        province: String,
    },
    /// It is not about the network at all.
    Outside(Outside),
}

/// Where a right answer puts a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Boundary {
    /// In the network of the complainant's home province.
    OwnDomain,
    /// In the network of another province.
    OtherDomain,
    /// There is no coverage, and no fault.
    Coverage,
    /// With the customer's own equipment.
    Customer,
    /// With billing or the maker's app.
    Outside,
}

impl Boundary {
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

impl Nature {
    /// Where a right answer puts it, for a complainant of this home province.
    pub fn boundary(&self, home: &str) -> Boundary {
        match self {
            Self::Fault { province, .. } | Self::Crowded { province, .. } if province == home => {
                Boundary::OwnDomain
            }
            Self::Fault { .. } | Self::Crowded { .. } => Boundary::OtherDomain,
            Self::WeakCoverage { .. } => Boundary::Coverage,
            Self::Outside(Outside::Modem) => Boundary::Customer,
            Self::Outside(_) => Boundary::Outside,
        }
    }
}

/// What somebody went through and tells: the material of a letter.
#[derive(Clone, Debug, PartialEq)]
pub struct Plight {
    /// What it felt like; none where it is not about the network.
    pub symptom: Option<Symptom>,
    /// What it is about instead.
    pub outside: Option<Outside>,
    /// The town nearest to where it happened.
    pub town: String,
    /// The town from which the vehicle had come, if it had left its own province.
    pub left: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// The vehicle.
    pub vin: String,
    /// What the letter does not say.
    pub withheld: BTreeSet<Datum>,
    /// True if the writer writes Chinese, else English.
    pub chinese: bool,
}

/// What a letter says, as its writer meant it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gold {
    /// The symptom.
    pub symptom: Option<Symptom>,
    /// What it is about instead of the network.
    pub outside: Option<Outside>,
    /// The town where it happened.
    pub place: Option<String>,
    /// When it happened.
    pub at: Option<Timestamp>,
    /// The vehicle.
    pub vehicle: Option<String>,
    /// The town into whose province the vehicle had moved.
    pub moved_to: Option<String>,
}

/// Words, and what they say.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// The words.
    pub text: String,
    /// What they say.
    pub gold: Gold,
    /// True if a person wrote the sentences, false if the grammar did.
    pub handwritten: bool,
}

/// The truth about one ticket, and what became of it; for the referee only.
#[derive(Clone, Debug, PartialEq)]
pub struct Grievance {
    /// The ticket's number.
    pub ticket: String,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// What is really behind it.
    pub nature: Nature,
    /// What the writer went through.
    pub plight: Plight,
    /// The home province of the vehicle's fleet.
    pub home: String,
    /// What the words say.
    pub gold: Gold,
    /// What became of it.
    pub outcome: Aftermath,
}

impl Grievance {
    /// Where a right answer puts it.
    pub fn boundary(&self) -> Boundary {
        self.nature.boundary(&self.home)
    }
}

/// What became of a ticket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aftermath {
    /// When the reply that ended it was given.
    pub replied_at: Option<Timestamp>,
    /// How many such replies were attempted: one is right.
    pub replies: u32,
    /// The reply.
    pub reply: String,
    /// How many questions were asked.
    pub questions: u32,
    /// How many of them were answered.
    pub answers: u32,
}

/// How many drivers there are, and how they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Customers {
    /// Connected vehicles, 0 to 200; without any nobody complains through a maker.
    pub vehicles: usize,
    /// Complaints per day that are not about the network.
    pub strays_per_day: f64,
    /// The share of those a fault hits who complain, 0 to 1.
    pub complains: f64,
    /// The chance that a letter withholds the time, the place, the vehicle: each, 0 to 1.
    pub withholds: f64,
    /// The share of questions that are answered, 0 to 1.
    pub answers: f64,
    /// The share of those who write Chinese, 0 to 1.
    pub chinese: f64,
    /// How long after the event somebody complains, in seconds: at least and at most.
    pub patience_s: (f64, f64),
}

impl Default for Customers {
    /// Nobody; what the others would be like is assumed.
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
