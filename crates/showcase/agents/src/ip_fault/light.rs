//! Modules that send less and less light: measured at a warning and again, to know how long they
//! last.
//!
//! A module that has been warned of is measured every ten minutes, at most six times. Once it is
//! dark it often takes its own end of the network with it and cannot be measured any more: then
//! what was measured before decides, together with a fibre that is whole. Read next:
//! [`super::expertise`].

use super::expertise::{aged, has_aged, is_dark_and_whole};
use crate::measurement_series::median;
use crate::payloads::diagnosis::DiagnosisResult;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::Measurement;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Seconds between two measurements of a module.
pub const AGAIN_S: f64 = 600.0;
/// The number of times that a module is measured after a warning.
const TIMES_MAX: usize = 6;
/// A warning later than this after the last measurement (seconds) begins anew.
const ANEW_S: f64 = 3_600.0;
/// A module that sends less than this (dBm) is held to be about to go dark: five dB of margin are
/// what links are planned with (assumed).
const LAST_DBM: f64 = -4.0;

/// All that was measured of modules and of links that they serve.
#[derive(Clone, Debug, Default)]
pub struct Lights {
    sent: BTreeMap<ElementId, Vec<(Timestamp, f64)>>,
    times: BTreeMap<ElementId, (Timestamp, usize)>,
    links: BTreeMap<ElementId, Measurement>,
}

impl Lights {
    /// Takes a measurement down, of whatever kind.
    pub fn measured(&mut self, m: &Measurement, now: Timestamp) {
        if let Some(dbm) = m.readings.get("tx_dbm") {
            let sent = self.sent.entry(m.element.clone()).or_default();
            sent.push((now, *dbm));
            let surplus = sent.len().saturating_sub(2 * TIMES_MAX);
            sent.drain(..surplus);
        } else if m.element.as_str().starts_with(ElementKind::Link.as_str()) {
            self.links.insert(m.element.clone(), m.clone());
        }
    }

    /// Decides whether a module is to be measured at `now`, and when again; none if that is
    /// arranged, or it was measured often enough.
    pub fn due(&mut self, optic: &ElementId, now: Timestamp) -> Option<Option<Timestamp>> {
        let (last, times) = self.times.entry(optic.clone()).or_insert((now, 0));
        let since = now.seconds_since(*last);
        if *times > 0 && since >= ANEW_S {
            *times = 0;
        }
        let arranged = *times > 0 && since < AGAIN_S;
        if arranged || *times >= TIMES_MAX {
            return None;
        }
        *times += 1;
        *last = now;
        Some((*times < TIMES_MAX).then(|| now.plus_s(AGAIN_S)))
    }

    /// By how many dB an hour a module's light falls; none before ten minutes of measurements.
    fn falls_db_per_hour(&self, optic: &ElementId) -> Option<f64> {
        let sent = self.sent.get(optic)?;
        let ((from, first), (until, last)) = (sent.first()?, sent.last()?);
        let hours = until.seconds_since(*from) / 3_600.0;
        (hours * 3_600.0 >= AGAIN_S - 120.0).then(|| (first - last) / hours)
    }

    /// All that is known of a module, in words.
    pub fn says(&self, optic: &ElementId) -> Option<String> {
        let (_, dbm) = self.sent.get(optic)?.last()?;
        let falls = self.falls_db_per_hour(optic).filter(|falls| *falls > 0.1);
        Some(match falls {
            Some(falls) if *dbm > LAST_DBM => format!(
                "{optic} sends {dbm:.1} dBm, {falls:.1} dB less every hour: about {:.1} h are left",
                (dbm - LAST_DBM) / falls
            ),
            Some(falls) => format!(
                "{optic} sends {dbm:.1} dBm, {falls:.1} dB less every hour: it may be dark at any time"
            ),
            None => format!("{optic} sends {dbm:.1} dBm"),
        })
    }

    /// True if a module sent too little when it could last be measured: the middle of its last three
    /// measurements, for one may be wrong.
    pub fn was_low(&self, optic: &ElementId) -> bool {
        let Some(sent) = self.sent.get(optic) else {
            return false;
        };
        let last = sent.iter().rev().take(3).map(|(_, dbm)| *dbm);
        let mut last: Vec<f64> = last.collect();
        let dbm = median(&mut last);
        let readings = BTreeMap::from([("tx_dbm".to_owned(), dbm)]);
        !last.is_empty()
            && has_aged(&Measurement {
                element: optic.clone(),
                condition: domain::telemetry::Condition::Good,
                readings,
            })
    }

    /// Adds to a result what was measured before: the trend of a module that is to blame; or the
    /// module itself, where it is out of reach now, was low before, and its link is dark and whole.
    pub fn complete(&self, result: &mut DiagnosisResult, inventory: &Inventory) {
        let asked = ElementId::new(result.target.clone());
        let blamed = result.root_cause.clone().unwrap_or(asked);
        let is_optic = inventory
            .element(&blamed)
            .is_some_and(|e| e.kind == ElementKind::Optic);
        if !is_optic {
            return;
        }
        if !result.confirmed && self.was_low(&blamed) && self.link_is_dark(&blamed, inventory) {
            let finding = aged(inventory, &blamed);
            result.confirmed = true;
            result.root_cause = Some(finding.root_cause);
            result.cause = Some(finding.cause);
            result.location = finding.location;
            result.proposal = finding.proposal;
        }
        if result.confirmed {
            result.evidence.extend(self.says(&blamed));
        }
    }

    fn link_is_dark(&self, optic: &ElementId, inventory: &Inventory) -> bool {
        let own = inventory
            .links
            .iter()
            .find(|(_, l)| l.optic_a == *optic || l.optic_b == *optic);
        let measured = own.and_then(|(link, _)| self.links.get(link));
        measured.is_some_and(is_dark_and_whole)
    }
}
