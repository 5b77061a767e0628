//! The place of what transmits on a carrier and should not.
//!
//! A source is received by several cells, and cells hear each other all the time. What each hears more
//! than usual is compared with what a source of some strength beside one of them would give: at a cell that
//! looks away a tenth, farther off by the usual law of distance. That all hear somewhat more, for their network
//! is busier than before, is allowed for. The source is beside the cell for which the squares of what is left
//! are least; and there is one only if that explains the measurements better than no source, by a margin.
//! Alarms alone are never enough. Knows nothing of users. Read next: [`super::cause`].

use super::Care;
use super::case::CareCase;
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
/// The error of what a cell hears, and of what all hear, in dB.
const ERROR_DB: f64 = 1.0;
const COMMON_ERROR_DB: f64 = 1.5;
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
}

impl Care {
    /// The cell beside which a source of foreign power explains best what all hear; none if none
    /// explains it better than chance does.
    pub(super) fn source(&self, base: &Base, case: &CareCase) -> Option<ElementId> {
        let inventory = base.topology().inventory();
        let ears = ears(inventory, case, &case.measured);
        let candidates = ears.iter().filter(|e| !case.refuted.contains(&e.cell));
        let misfits = candidates.map(|ear| (misfit_beside(ear, &ears), &ear.cell));
        let (least, cell) = misfits.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let none = misfit(ears.iter().map(|ear| ear.now_dbm - ear.usual_dbm));
        let alarmed = |c: &&ElementId| {
            let mut on = base.alarms().on(c);
            on.any(|(t, _)| t == AlarmType::InterferenceHigh)
        };
        let lies = self.trust.discount(AlarmType::InterferenceHigh);
        let margin = match case.cells.iter().filter(alarmed).count() {
            0 => MARGIN_UNTOLD,
            1 => MARGIN + lies,
            _ => MARGIN_SEVERAL + lies,
        };
        (none - least >= margin).then(|| cell.clone())
    }
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
        })
    });
    ears.collect()
}

/// The degree to which a source beside one cell fails to explain what all hear, at the strength that
/// explains it best.
fn misfit_beside(nearest: &Ear, ears: &[Ear]) -> f64 {
    let at_strength = |dbm: i32| -> f64 {
        misfit(ears.iter().map(|ear| {
            let source_mw = share_heard(nearest, ear) * milliwatts(f64::from(dbm));
            let heard_mw = milliwatts(ear.usual_dbm) + source_mw;
            ear.now_dbm - 10.0 * heard_mw.log10()
        }))
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

/// Half the sum of squared errors of what is left unexplained at each cell, in units of their spread, after
/// the error that is common to all has been set aside as far as that is likely.
fn misfit(left_db: impl Iterator<Item = f64>) -> f64 {
    let left: Vec<f64> = left_db.collect();
    let (own, common) = (ERROR_DB.powi(2), COMMON_ERROR_DB.powi(2));
    let shift = left.iter().sum::<f64>() / own / (left.len() as f64 / own + 1.0 / common);
    let squares: f64 = left.iter().map(|db| (db - shift).powi(2) / own).sum();
    (squares + shift.powi(2) / common) / 2.0
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
