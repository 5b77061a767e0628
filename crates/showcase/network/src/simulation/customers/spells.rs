//! Periods of bad service: their cause, and whether one makes a driver complain.
//!
//! Knows the truth about what a driver feels; refuses to know words. Read next: [`super`], which
//! samples vehicles and writes the letters.

use super::{Brewing, Desk, Simulation, withheld};
use crate::chance::{between, happens, weighted};
use crate::customer_complaints::{ComplaintCause, ComplaintSymptom, Experience};
use crate::journeys::Position;
use crate::mobile::PlaceService;
use domain::inventory::ElementId;
use domain::radio::{POOR_MBPS, WEAK_DBM};
use domain::time::{SeededRng, Timestamp};

/// The time after which bad service is noticed, in seconds: while driving, while parked.
const FELT_S: (f64, f64) = (120.0, 900.0);
/// The probability of a complaint about a crowded cell, and about a place without coverage,
/// relative to that about a fault.
const OF_CROWDED: f64 = 0.3;
const OF_WEAK: f64 = 0.02;
/// The least time between complaints of one owner, in seconds.
const QUIET_S: f64 = 6.0 * 3_600.0;

/// A period of bad service.
#[derive(Clone, Debug)]
pub(super) struct Spell {
    since: Timestamp,
    nature: ComplaintCause,
    position: Position,
    driving: bool,
    felt: bool,
}

impl Simulation {
    /// The element to blame if a cell or its site does not serve as it should; none if both are in
    /// order.
    fn broken(&self, site: &ElementId) -> Option<ElementId> {
        if self.view.out.contains(site) {
            return Some(site.clone());
        }
        let ground = self.mobile.ground();
        let ails = |cell: &&ElementId| {
            ground.cells_failed.contains(*cell)
                || ground.losses_db.contains_key(*cell)
                || ground.interference_dbm.contains_key(*cell)
        };
        self.inventory.cells_of(site).find(ails).cloned()
    }

    /// The cause of bad service at a point; none if service is good.
    pub(super) fn trouble_at(
        &self,
        position: Position,
        served: Option<&PlaceService>,
    ) -> Option<ComplaintCause> {
        let strong = |rsrp_dbm: f64| rsrp_dbm >= WEAK_DBM;
        let good = |s: &PlaceService| strong(s.rsrp_dbm) && s.throughput_mbps >= POOR_MBPS;
        if served.is_some_and(good) {
            return None;
        }
        let province = |id: &ElementId| self.inventory.province_of(id).unwrap_or("").to_owned();
        // Who would serve here if all were well?
        let best = self.customers.sites.strongest(position);
        let usual = best.filter(|(ideal, _)| strong(*ideal));
        let usual = usual.map(|(_, site)| site);
        let serving = served.map(|s| self.inventory.node_of(&s.cell));
        let blamed = usual
            .into_iter()
            .chain(serving)
            .find_map(|s| self.broken(s));
        Some(match (blamed, served) {
            (Some(element), _) => ComplaintCause::Fault {
                province: province(&element),
                element,
            },
            (None, Some(s)) if strong(s.rsrp_dbm) => ComplaintCause::Crowded {
                province: province(&s.cell),
                cell: s.cell.clone(),
            },
            _ => ComplaintCause::WeakCoverage {
                province: self.province_at(position),
            },
        })
    }

    fn province_at(&self, position: Position) -> String {
        let town = self.customers.journeys.nearest_town(position);
        let province = town.and_then(|(town, _)| self.inventory.provinces.get(town));
        province.cloned().unwrap_or_default()
    }
}

impl Desk {
    /// Starts, continues, changes or ends a vehicle's period of bad service; returns the complaint
    /// that it causes, if any, and when that is written.
    pub(super) fn suffer(
        &mut self,
        vehicle: usize,
        nature: Option<ComplaintCause>,
        position: Position,
        driving: bool,
        at: Timestamp,
    ) -> Option<(Timestamp, Brewing)> {
        let spell = &mut self.spells[vehicle];
        let Some(nature) = nature else {
            *spell = None;
            return None;
        };
        let spell = match spell {
            Some(spell) if spell.nature == nature => spell,
            other => other.insert(Spell {
                since: at,
                nature,
                position,
                driving,
                felt: false,
            }),
        };
        let felt_s = if spell.driving { FELT_S.0 } else { FELT_S.1 };
        if spell.felt || at.seconds_since(spell.since) < felt_s {
            return None;
        }
        spell.felt = true;
        let spell = spell.clone();
        self.perhaps_complain(vehicle, spell, at)
    }

    fn perhaps_complain(
        &mut self,
        vehicle: usize,
        spell: Spell,
        at: Timestamp,
    ) -> Option<(Timestamp, Brewing)> {
        let quiet = |last: Timestamp| at.seconds_since(last) < QUIET_S;
        if self.complained[vehicle].is_some_and(quiet) {
            return None;
        }
        let mut rng = self.dice_of(vehicle, spell.since);
        let share = match spell.nature {
            ComplaintCause::Fault { .. } => 1.0,
            ComplaintCause::Crowded { .. } => OF_CROWDED,
            ComplaintCause::WeakCoverage { .. } | ComplaintCause::Outside(_) => OF_WEAK,
        };
        if !happens(&mut rng, share * self.temper.complains) {
            return None;
        }
        self.complained[vehicle] = Some(at);
        let (least, most) = self.temper.patience_s;
        let writes = spell.since.plus_s(between(&mut rng, least, most)).max(at);
        let plight = self.plight(vehicle, &spell, &mut rng);
        let brewing = Brewing {
            vehicle,
            nature: spell.nature,
            plight,
        };
        Some((writes, brewing))
    }

    fn plight(&self, vehicle: usize, spell: &Spell, rng: &mut SeededRng) -> Experience {
        let owner = &self.journeys.vehicles()[vehicle];
        let town = self.journeys.nearest_town(spell.position);
        let town = town.map_or_else(|| owner.home.clone(), |(town, _)| town.to_owned());
        let province = match &spell.nature {
            ComplaintCause::Fault { province, .. }
            | ComplaintCause::Crowded { province, .. }
            | ComplaintCause::WeakCoverage { province } => province,
            ComplaintCause::Outside(_) => &owner.province,
        };
        let away = *province != owner.province && town != owner.home;
        let withholds = self.temper.withholds;
        Experience {
            symptom: Some(symptom(&spell.nature, rng)),
            outside: None,
            left: away.then(|| owner.home.clone()),
            town,
            at: spell.since,
            vin: owner.vin.clone(),
            withheld: withheld(withholds, rng),
            chinese: happens(rng, self.temper.chinese),
        }
    }
}

/// A random symptom of such a cause.
fn symptom(nature: &ComplaintCause, rng: &mut SeededRng) -> ComplaintSymptom {
    use ComplaintSymptom::{CallDrop, HighLatency, Intermittent, NoService, SlowData, WeakSignal};
    let table: &[(ComplaintSymptom, f64)] = match nature {
        ComplaintCause::Crowded { .. } => &[(SlowData, 0.6), (HighLatency, 0.4)],
        ComplaintCause::WeakCoverage { .. } => &[
            (WeakSignal, 0.4),
            (Intermittent, 0.25),
            (NoService, 0.2),
            (CallDrop, 0.15),
        ],
        ComplaintCause::Fault { .. } | ComplaintCause::Outside(_) => &[
            (NoService, 0.65),
            (Intermittent, 0.1),
            (CallDrop, 0.15),
            (WeakSignal, 0.1),
        ],
    };
    let weights: Vec<f64> = table.iter().map(|(_, weight)| *weight).collect();
    table[weighted(rng, &weights)].0
}
