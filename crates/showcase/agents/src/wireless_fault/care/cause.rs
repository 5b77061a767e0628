//! The cause that the wireless network's own measurements and alarms speak for.
//!
//! Measurements come first: mains that are gone, a radio unit that is dead, foreign power. Where they
//! speak for more than one cause, the alarms decide, by what was learnt of how causes show
//! ([`crate::knowledge`]); where they speak for none, alarms that stand may still say enough. A source of
//! foreign power is heard by several cells, and cells hear each other all the time: blamed is the one
//! beside which a source explains best how much more than usual they hear. Knows nothing of
//! transport. Read next: [`super::work`], which acts upon it.

use super::Care;
use super::case::CareCase;
use crate::domain_agent::job::{DiagnosisFinding, place_of};
use crate::wireless_fault::expertise::{Base, cell_causes, noise_dbm, of_cell, zone_is_dark};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::Measurement;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The weight that alarms alone must have to be believed against measurements that show nothing.
const SURE: f64 = 4.0;
/// The share that a sector hears of a source that it looks away from.
const LOOKS_AWAY: f64 = 0.1;
/// The strength with which sources may be heard, in dBm.
const STRENGTHS_DBM: std::ops::Range<i32> = -110..-50;

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
        let causes = |m: &Measurement| cell_causes(m, self.usual_dbm(inventory, &m.element));
        let passed_s = now.seconds_since(case.opened_at);
        let weight = |cause: Cause| {
            let of_cell = |cell: &ElementId| {
                let stands = |t| base.alarms().on(cell).any(|(standing, _)| standing == t);
                self.knowledge.weight(cause, stands, passed_s)
            };
            case.cells.iter().map(of_cell).fold(f64::MIN, f64::max)
        };
        let shown: BTreeSet<Cause> = case.measured.values().flat_map(causes).collect();
        let heavier = |a: &Cause, b: &Cause| weight(*a).total_cmp(&weight(*b));
        // On wide carriers, noisy by themselves, what disturbs may not stand out.
        let told = || (weight(Cause::Interference) > SURE).then_some(Cause::Interference);
        let cause = shown.into_iter().max_by(heavier).or_else(told)?;
        let cell = match cause {
            Cause::Interference => self.disturbed(inventory, case),
            _ => {
                let shows = |m: &&Measurement| causes(m).contains(&cause);
                let shows = case.measured.values().find(shows);
                shows.map(|m| m.element.clone())
            }
        };
        cell.map(|cell| of_cell(inventory, &cell, cause))
    }

    /// The measured cell beside which a source of foreign power explains best what all of them hear;
    /// the first of the case if none was measured.
    fn disturbed(&self, inventory: &Inventory, case: &CareCase) -> Option<ElementId> {
        let heard = |m: &Measurement| {
            let now_dbm = *m.readings.get("interference_dbm")?;
            let usual_dbm = self.usual_dbm(inventory, &m.element);
            Some(Ear {
                cell: m.element.clone(),
                now_dbm,
                usual_mw: milliwatts(usual_dbm),
            })
        };
        let ears: Vec<Ear> = case.measured.values().filter_map(heard).collect();
        let misfits = ears
            .iter()
            .map(|ear| (misfit_beside(ear, &ears), &ear.cell));
        let nearest = misfits.min_by(|a, b| a.0.total_cmp(&b.0));
        let cell = nearest.map(|(_, cell)| cell);
        cell.or(case.cells.first()).cloned()
    }

    /// The power that a cell hears on its carrier while all is well, neighbours included, in dBm:
    /// as was counted, or its noise where nothing was.
    fn usual_dbm(&self, inventory: &Inventory, cell: &ElementId) -> f64 {
        let counted = self.healthy.get(cell).map(|c| c.interference_dbm);
        let plan = inventory.cells.get(cell);
        counted.unwrap_or_else(|| plan.map_or(f64::MAX, |plan| noise_dbm(plan.bandwidth_mhz)))
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

/// The power that one cell hears on its carrier.
struct Ear {
    cell: ElementId,
    now_dbm: f64,
    /// While all is well.
    usual_mw: f64,
}

/// The degree to which a source beside one cell explains what all hear, in square dB, at the
/// strength that explains it best. Sectors that look away hear a tenth of it.
fn misfit_beside(nearest: &Ear, ears: &[Ear]) -> f64 {
    let at_strength = |dbm: i32| -> f64 {
        let misfit = |ear: &Ear| {
            let share = if ear.cell == nearest.cell {
                1.0
            } else {
                LOOKS_AWAY
            };
            let heard_mw = ear.usual_mw + share * milliwatts(f64::from(dbm));
            (ear.now_dbm - 10.0 * heard_mw.log10()).powi(2)
        };
        ears.iter().map(misfit).sum()
    };
    STRENGTHS_DBM.map(at_strength).fold(f64::MAX, f64::min)
}

fn milliwatts(dbm: f64) -> f64 {
    10f64.powf(dbm / 10.0)
}

/// The cells beside those of a case that hear what disturbs these: at the same site, on the same
/// carrier.
pub(super) fn within_earshot(inventory: &Inventory, case: &CareCase) -> Vec<ElementId> {
    let carrier = |id: &ElementId| inventory.cells.get(id).map(|c| c.carrier_mhz);
    let carriers: Vec<f64> = case.cells.iter().filter_map(carrier).collect();
    let beside = case.sites.iter().flat_map(|s| inventory.cells_of(s));
    let hears = |id: &&ElementId| carrier(id).is_some_and(|mhz| carriers.contains(&mhz));
    beside.filter(hears).cloned().collect()
}
