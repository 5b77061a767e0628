//! The cause that the wireless network's own measurements and alarms speak for.
//!
//! Measurements decide: mains that are gone, a radio unit that is dead, foreign power (`source.rs`). Where
//! they speak for more than one cause, the alarms choose between these, by what was learnt of how causes show
//! ([`crate::knowledge`]) and how far their types have proved true ([`crate::alarm_trust`]); where they speak
//! for none, no alarm does. Knows nothing of transport. Read next: [`super::work`], which acts upon it.

use super::Care;
use super::case::CareCase;
use crate::domain_agent::job::{DiagnosisFinding, place_of};
use crate::knowledge::own_alarms;
use crate::wireless_fault::expertise::{Base, cell_causes, of_cell, zone_is_dark};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::telemetry::{AlarmType, Measurement};
use domain::time::Timestamp;
use std::collections::BTreeSet;

impl Care {
    /// The cause, as far as the wireless network's own measurements and alarms say.
    pub(super) fn own_cause(
        &self,
        base: &Base,
        case: &CareCase,
        now: Timestamp,
    ) -> Option<DiagnosisFinding> {
        match case.cells.is_empty() {
            true => dark_zone(base, case),
            false => self.ailing_cell(base, case, now),
        }
    }

    fn ailing_cell(
        &self,
        base: &Base,
        case: &CareCase,
        now: Timestamp,
    ) -> Option<DiagnosisFinding> {
        let inventory = base.topology().inventory();
        let causes = |m: &Measurement| cell_causes(m, case.usual_dbm(inventory, &m.element));
        let passed_s = now.seconds_since(case.opened_at);
        let weight = |cause: Cause| {
            let of_cell = |cell: &ElementId| {
                let stands = |t| base.alarms().on(cell).any(|(standing, _)| standing == t);
                let own = own_alarms(cause).iter().filter(|t| stands(**t));
                let discount: f64 = own.map(|t| self.trust.discount(*t)).sum();
                self.knowledge.weight(cause, stands, passed_s) - discount
            };
            case.cells.iter().map(of_cell).fold(f64::MIN, f64::max)
        };
        let fresh = |m: &&Measurement| !case.refuted.contains(&m.element);
        let mut shown: BTreeSet<Cause> = case
            .measured
            .values()
            .filter(fresh)
            .flat_map(causes)
            .collect();
        let source = match shown.contains(&Cause::Interference)
            || case.symptoms.contains(&AlarmType::InterferenceHigh)
        {
            true => self.source(base, case),
            false => None,
        };
        match source.is_some() {
            true => shown.insert(Cause::Interference),
            false => shown.remove(&Cause::Interference),
        };
        let heavier = |a: &Cause, b: &Cause| weight(*a).total_cmp(&weight(*b));
        let cause = shown.into_iter().max_by(heavier)?;
        let cell = match cause {
            Cause::Interference => source,
            _ => {
                let shows = |m: &&Measurement| causes(m).contains(&cause);
                let shows = case.measured.values().filter(fresh).find(shows);
                shows.map(|m| m.element.clone())
            }
        };
        cell.map(|cell| of_cell(inventory, &cell, cause))
    }
}

fn dark_zone(base: &Base, case: &CareCase) -> Option<DiagnosisFinding> {
    let inventory = base.topology().inventory();
    let is_zone = |m: &&Measurement| {
        let kind = inventory.element(&m.element).map(|e| e.kind);
        kind == Some(ElementKind::PowerZone)
    };
    let mut zones = case.measured.values().filter(is_zone);
    let dark = zones.find(|m| zone_is_dark(m) == Some(true))?;
    Some(DiagnosisFinding {
        root_cause: dark.element.clone(),
        cause: Cause::MainsFailure,
        location: place_of(inventory, &dark.element),
        proposal: format!("Restore the mains of {}", dark.element),
        automatic: false,
    })
}
