//! The place of what transmits on a carrier and should not.
//!
//! A source is received by several cells, and cells hear each other all the time. What each hears more
//! than usual is compared with what a source of some strength beside one of them would give: at a cell that
//! looks away a tenth, farther off by the usual law of distance. That all hear somewhat more, for their network
//! is busier than before, is allowed for, and so is what cells hear more by themselves (`hearing.rs`). The source
//! is beside the cell for which what is left is least surprising; and there is one only if that explains the
//! measurements better than no source, by a margin.
//! Alarms alone are never enough. Knows nothing of users. Read next: [`super::cause`].

use super::Care;
use super::case::CareCase;
use super::hearing::Hearing;
use crate::measurement_series::Measurements;
use crate::wireless_fault::expertise::Base;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::AlarmType;

/// The share that a sector hears of a source that it looks away from.
const LOOKS_AWAY: f64 = 0.1;
/// The law of distance: so many times ten dB per decade, beyond so many kilometres.
const DISTANCE_EXPONENT: f64 = 3.5;
const NEAR_KM: f64 = 0.3;
/// The strength with which sources may be heard, in dBm.
const STRENGTHS_DBM: std::ops::Range<i32> = -110..-50;
/// The error of what all hear, in dB; how surprising it is at most, for now and then a whole carrier is busier by
/// any amount; and how far it is looked for, in dB.
const COMMON_ERROR_DB: f64 = 1.5;
const COMMON_SURPRISE_MAX: f64 = 4.0;
const COMMON_DB: i32 = 20;
/// By how much better a source must explain what is heard, as the logarithm of a likelihood ratio, if one
/// cell is alarmed; if several are; and if none is, for neighbours that wake are loud as well. Where alarms err
/// there are some hundred false ones of this kind for each source, so one of them makes a source no likelier than
/// one in a hundred. A type of alarm that lies often raises the first two.
const MARGIN: f64 = 8.0;
const MARGIN_SEVERAL: f64 = 4.0;
const MARGIN_UNTOLD: f64 = 10.0;
/// A cell that usually hears more than this (dBm) cannot tell whether a source is there.
const DEAFENED_DBM: f64 = -80.0;
/// More than usual, in dB, that is within the error of counters and measurements.
const AS_USUAL_DB: f64 = 2.0;
/// Kilometres of one degree of latitude.
const KM_PER_DEGREE: f64 = 111.2;

/// The power that one cell hears on its carrier.
struct Ear {
    cell: ElementId,
    position: (f64, f64),
    now_dbm: f64,
    usual_dbm: f64,
    /// True if what is usual was counted, and is not its noise alone.
    was_counted: bool,
}

impl Care {
    /// The cell beside which a source of foreign power explains best what all on its carrier hear; none if
    /// none explains it better than chance does.
    pub(super) fn source(&self, base: &Base, case: &CareCase) -> Option<ElementId> {
        let inventory = base.topology().inventory();
        let ears = ears(inventory, case, &case.measured);
        let candidates = ears.iter().filter(|e| !case.refuted.contains(&e.cell));
        let explained = candidates.map(|ear| {
            let on_carrier = of_carrier(inventory, &ears, &ear.cell);
            (ear, self.better_by(ear, &on_carrier))
        });
        let (best, better) = explained.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let on_carrier = of_carrier(inventory, &ears, &best.cell);
        let alarmed = |e: &&&Ear| {
            let mut on = base.alarms().on(&e.cell);
            on.any(|(t, _)| t == AlarmType::InterferenceHigh)
        };
        let alarmed = on_carrier.iter().filter(alarmed).count();
        let counted = on_carrier.iter().all(|e| e.was_counted);
        let margin = self.margin(alarmed, counted)?;
        (better >= margin).then(|| best.cell.clone())
    }

    /// By how much better a source must explain what is heard than none where so many cells are alarmed; none if
    /// nothing would be enough: nobody knows what is usual, and one alarm alone says that it is more.
    fn margin(&self, alarmed: usize, counted: bool) -> Option<f64> {
        let lies = self.trust.discount(AlarmType::InterferenceHigh);
        match (alarmed, counted) {
            (0 | 1, false) => None,
            (0, true) => Some(MARGIN_UNTOLD),
            (1, true) | (_, false) => Some(MARGIN + lies),
            (_, true) => Some(MARGIN_SEVERAL + lies),
        }
    }

    /// By how much better a source beside one cell explains what all hear than none does.
    fn better_by(&self, nearest: &Ear, ears: &[&Ear]) -> f64 {
        let more = ears.iter().map(|ear| ear.now_dbm - ear.usual_dbm);
        let none = misfit(&self.hearing, more);
        none - misfit_beside(&self.hearing, nearest, ears)
    }
}

/// The cells on the carrier of one.
fn of_carrier<'a>(inventory: &Inventory, ears: &'a [Ear], cell: &ElementId) -> Vec<&'a Ear> {
    let carrier = |id: &ElementId| inventory.cells.get(id).map(|c| c.carrier_mhz);
    let own = carrier(cell);
    ears.iter().filter(|e| carrier(&e.cell) == own).collect()
}

/// By how many dB a cell stands out: hears more than usual, beyond what the others of its site do.
pub(super) fn stands_out_db(
    inventory: &Inventory,
    case: &CareCase,
    cell: &ElementId,
    measured: &Measurements,
) -> Option<f64> {
    let ears = ears(inventory, case, measured);
    let more = |e: &Ear| e.now_dbm - e.usual_dbm;
    let own = more(ears.iter().find(|e| e.cell == *cell)?);
    let site = inventory.node_of(cell);
    let beside = ears
        .iter()
        .filter(|e| e.cell != *cell && inventory.node_of(&e.cell) == site);
    let others: Vec<f64> = beside.map(more).collect();
    let mean = others.iter().sum::<f64>() / others.len().max(1) as f64;
    Some(own - mean)
}

/// True if a measured cell would hear a source that is worth an alarm, and hears nothing of it.
pub(super) fn hears_as_usual(
    inventory: &Inventory,
    case: &CareCase,
    cell: &ElementId,
    measured: &Measurements,
) -> bool {
    let ears = ears(inventory, case, measured);
    let own = ears.iter().find(|e| e.cell == *cell);
    own.is_some_and(|e| e.usual_dbm <= DEAFENED_DBM && e.now_dbm <= e.usual_dbm + AS_USUAL_DB)
}

/// The cells of a case, and those beside them that would hear what disturbs these: at the same sites, on
/// the same carriers. Those in trouble come first.
pub(super) fn cells_measured(inventory: &Inventory, case: &CareCase) -> Vec<ElementId> {
    let mut cells: Vec<ElementId> = case.cells.iter().cloned().collect();
    if case.symptoms.contains(&AlarmType::InterferenceHigh) {
        let carrier = |id: &ElementId| inventory.cells.get(id).map(|c| c.carrier_mhz);
        let carriers: Vec<f64> = case.cells.iter().filter_map(carrier).collect();
        let beside = case.sites.iter().flat_map(|s| inventory.cells_of(s));
        let hears = |id: &&ElementId| carrier(id).is_some_and(|mhz| carriers.contains(&mhz));
        cells.extend(beside.filter(hears).cloned());
    }
    cells
}

fn ears(inventory: &Inventory, case: &CareCase, measured: &Measurements) -> Vec<Ear> {
    let ears = measured.values().filter_map(|m| {
        Some(Ear {
            cell: m.element.clone(),
            position: inventory.element(&m.element)?.position,
            now_dbm: *m.readings.get("interference_dbm")?,
            usual_dbm: case.usual_dbm(inventory, &m.element),
            was_counted: case.counted_dbm(&m.element).is_some(),
        })
    });
    ears.collect()
}

/// The degree to which a source beside one cell fails to explain what all hear, at the strength that
/// explains it best.
fn misfit_beside(hearing: &Hearing, nearest: &Ear, ears: &[&Ear]) -> f64 {
    let at_strength = |dbm: i32| -> f64 {
        let left = ears.iter().map(|ear| {
            let source_mw = share_heard(nearest, ear) * milliwatts(f64::from(dbm));
            let heard_mw = milliwatts(ear.usual_dbm) + source_mw;
            ear.now_dbm - 10.0 * heard_mw.log10()
        });
        misfit(hearing, left)
    };
    STRENGTHS_DBM.map(at_strength).fold(f64::MAX, f64::min)
}

/// The share that a cell hears of a source beside another.
fn share_heard(nearest: &Ear, ear: &Ear) -> f64 {
    if ear.cell == nearest.cell {
        return 1.0;
    }
    let km = distance_km(nearest.position, ear.position).max(NEAR_KM);
    LOOKS_AWAY * (NEAR_KM / km).powf(DISTANCE_EXPONENT)
}

/// How surprising what is left unexplained at each cell is, after the error that is common to all has been set
/// aside as far as that is likely.
fn misfit(hearing: &Hearing, left_db: impl Iterator<Item = f64>) -> f64 {
    let left: Vec<f64> = left_db.collect();
    let with_common = |shift: i32| {
        let shift = f64::from(shift);
        let own: f64 = left.iter().map(|db| hearing.surprise(db - shift)).sum();
        own + ((shift / COMMON_ERROR_DB).powi(2) / 2.0).min(COMMON_SURPRISE_MAX)
    };
    let shifts = (-COMMON_DB..=COMMON_DB).map(with_common);
    shifts.fold(f64::MAX, f64::min)
}

fn milliwatts(dbm: f64) -> f64 {
    10f64.powf(dbm / 10.0)
}

/// Kilometres between two positions (degrees east and north); good enough for neighbours.
fn distance_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    let east = (b.0 - a.0) * a.1.to_radians().cos() * KM_PER_DEGREE;
    east.hypot((b.1 - a.1) * KM_PER_DEGREE)
}

#[cfg(test)]
mod tests;
