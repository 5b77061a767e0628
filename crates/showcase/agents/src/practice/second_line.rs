//! The second line: people who look a vehicle up in the signalling records and say where it lies.
//!
//! They have what the agents of all provinces have together, alarms, performance and records, and
//! judge by the same rules ([`crate::quality`]): a person with these tools does no worse. Refuses to
//! know how long it takes ([`super::durations`]) and who complained. Read next: [`super::complaints`].

use super::journal::RecordedBoundary;
use crate::complaints::reader::ComplaintReading;
use crate::complaints::reader::when::TimeSpan;
use crate::payloads::quality::{Quality, QualityCheck, QualityResult};
use crate::quality::history::DomainHistory;
use crate::quality::mobile::MobileDomain;
use crate::quality::transport::TransportDomain;
use crate::quality::{QualityContext, QualityDomain, Trace};
use crate::topology::Topology;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Action, Alarm, Outcome, Performance, Visit};
use domain::time::Timestamp;
use std::sync::Arc;

/// Records are looked up from so long before the time in question, and until so long after it, in
/// seconds.
const TRACED_S: (f64, f64) = (12.0 * 3_600.0, 4.0 * 3_600.0);
/// Without a time, what happened is looked for in so many seconds before the ticket.
const UNTIMED_S: f64 = 12.0 * 3_600.0;

/// The records of a vehicle as they come, province by province.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    answers: usize,
    visits: Vec<Visit>,
}

impl Records {
    /// Takes the records of one province down; returns how many have answered.
    pub(super) fn take(&mut self, outcome: Outcome) -> usize {
        self.answers += 1;
        if let Outcome::Traced { visits, .. } = outcome {
            self.visits.extend(visits);
        }
        self.answers
    }
}

/// The second line, with all that its screens show.
#[derive(Debug)]
pub(super) struct SecondLine {
    inventory: Arc<Inventory>,
    topology: Arc<Topology>,
    history: DomainHistory,
}

impl SecondLine {
    pub(super) fn new(inventory: Arc<Inventory>) -> Self {
        Self {
            topology: Topology::of(&inventory),
            inventory,
            history: DomainHistory::default(),
        }
    }

    pub(super) fn alarm(&mut self, alarm: &Alarm, now: Timestamp) {
        self.history.alarm(alarm, now);
    }

    pub(super) fn performance(&mut self, told: Arc<Performance>, now: Timestamp) {
        self.history.performance(told, now);
    }

    /// The look-up of the vehicle that a complaint names; none if it names none.
    pub(super) fn lookup(
        &self,
        account: &ComplaintReading,
        received: Timestamp,
        now: Timestamp,
    ) -> Option<Action> {
        let when = span(account, received, now);
        Some(Action::Trace {
            vehicle: account.vehicle.clone()?,
            from: when.from.plus_s(-TRACED_S.0),
            until: when.until.plus_s(TRACED_S.1).min(now),
        })
    }

    /// Where it lies, as far as the records show it.
    pub(super) fn boundary(
        &self,
        account: &ComplaintReading,
        received: Timestamp,
        records: Records,
        now: Timestamp,
    ) -> Option<RecordedBoundary> {
        let when = span(account, received, now);
        let mut visits = records.visits;
        visits.sort_by_key(|visit| visit.from);
        let trace = Trace {
            visits,
            until: when.until.plus_s(TRACED_S.1).min(now),
            ..Trace::default()
        };
        let ground = QualityContext {
            inventory: &self.inventory,
            topology: &self.topology,
            history: &self.history,
            province: None,
        };
        let check = QualityCheck {
            ticket_id: String::new(),
            vehicle: account.vehicle.clone(),
            place: account.place.clone(),
            sites: Default::default(),
            when,
            symptom: account.symptom,
        };
        let mobile = MobileDomain::judge(&ground, &check, Some(&trace));
        if let Some(blamed) = blamed(&mobile).filter(|_| !mobile.weak_coverage) {
            return self.in_province_of(blamed);
        }
        let felt = mobile.since.map_or(when, |from| TimeSpan {
            from,
            until: mobile.until.unwrap_or(when.until).max(from),
        });
        let behind = QualityCheck {
            vehicle: None,
            sites: mobile.sites.clone(),
            when: felt,
            ..check
        };
        let transport = TransportDomain::judge(&ground, &behind, None);
        match blamed(&transport).filter(|_| transport.quality == Quality::Failed) {
            Some(element) => self.in_province_of(element),
            None if mobile.weak_coverage => Some(RecordedBoundary::Coverage),
            None if mobile.present => Some(RecordedBoundary::Customer),
            None => None,
        }
    }

    fn in_province_of(&self, element: &ElementId) -> Option<RecordedBoundary> {
        let province = self.inventory.province_of(element)?;
        Some(RecordedBoundary::Province(province.to_owned()))
    }
}

/// The element that was out or impaired; of several that served, the first.
fn blamed(found: &QualityResult) -> Option<&ElementId> {
    let bad = found.quality >= Quality::Degraded;
    let element = found.element.as_ref().or_else(|| found.sites.first());
    element.filter(|_| bad)
}

/// The time in question.
fn span(account: &ComplaintReading, received: Timestamp, now: Timestamp) -> TimeSpan {
    let untimed = TimeSpan {
        from: received.plus_s(-UNTIMED_S),
        until: received,
    };
    let when = account.when.unwrap_or(untimed);
    TimeSpan {
        from: when.from,
        until: when.until.min(now).max(when.from),
    }
}
