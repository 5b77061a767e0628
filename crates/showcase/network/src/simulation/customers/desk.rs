//! The drivers: where each is, whose service is bad, and who complains of it.
//!
//! Knows the truth about what a driver feels; refuses to know words, and the network: it is told why
//! service is bad. Read next: [`super`], which samples vehicles and writes the letters.

use crate::chance::{between, happens, stream, weighted};
use crate::customer_complaints::{
    ComplaintCause, ComplaintSymptom, CustomerComplaint, Customers, Experience, WithheldFact,
};
use crate::journeys::coverage::Sites;
use crate::journeys::records::Records;
use crate::journeys::{Journeys, Position, Trip};
use domain::inventory::Inventory;
use domain::time::{SeededRng, Timestamp};
use rand::SeedableRng;
use std::collections::BTreeSet;

/// The purpose of the random stream of unrelated complaints; spells, letters and answers have their
/// own.
const STRAYS: u64 = 53;
const SPELLS: u64 = 55;
/// The time after which bad service is noticed, in seconds: while driving, while parked.
const FELT_S: (f64, f64) = (120.0, 900.0);
/// The probability of a complaint about a crowded cell, and about a place without coverage,
/// relative to that about a fault.
const OF_CROWDED: f64 = 0.3;
const OF_WEAK: f64 = 0.02;
/// The least time between complaints of one owner, in seconds.
const QUIET_S: f64 = 6.0 * 3_600.0;

/// A complaint that is due but not yet written.
#[derive(Clone, Debug)]
pub(crate) struct Brewing {
    pub(super) vehicle: usize,
    pub(super) nature: ComplaintCause,
    pub(super) plight: Experience,
}

/// The state of all drivers.
pub(crate) struct Desk {
    pub(super) temper: Customers,
    pub(super) journeys: Journeys,
    pub(super) sites: Sites,
    pub(super) records: Records,
    pub(super) surveyed: Timestamp,
    seed: u64,
    /// By vehicle: its trip on the day sampled last.
    today: Vec<Option<(i64, Option<Trip>)>>,
    /// By vehicle: its current period of bad service.
    spells: Vec<Option<Spell>>,
    /// By vehicle: the instant of its owner's last complaint.
    complained: Vec<Option<Timestamp>>,
    pub(super) grievances: Vec<CustomerComplaint>,
    pub(super) strays: SeededRng,
}

/// A period of bad service.
#[derive(Clone, Debug)]
struct Spell {
    since: Timestamp,
    nature: ComplaintCause,
    position: Position,
    driving: bool,
    felt: bool,
}

impl Desk {
    /// Drivers who have nothing to complain of yet.
    pub(crate) fn new(
        inventory: &Inventory,
        temper: &Customers,
        seed: u64,
        start: Timestamp,
    ) -> Self {
        let journeys = Journeys::new(inventory, temper.vehicles, seed);
        let count = journeys.vehicles().len();
        Self {
            temper: temper.clone(),
            journeys,
            sites: Sites::of(inventory),
            records: Records::default(),
            surveyed: start,
            seed,
            today: vec![None; count],
            spells: vec![None; count],
            complained: vec![None; count],
            grievances: Vec::new(),
            strays: stream(seed, STRAYS),
        }
    }

    /// The position of a vehicle and whether it drives; the day's trip is cached.
    pub(super) fn whereabouts(
        &mut self,
        vehicle: usize,
        at: Timestamp,
    ) -> Option<(Position, bool)> {
        let day = at.days();
        let known = self.today[vehicle].as_ref().is_some_and(|(d, _)| *d == day);
        if !known {
            self.today[vehicle] = Some((day, self.journeys.trip(vehicle, day)?));
        }
        match &self.today[vehicle] {
            Some((_, Some(trip))) => {
                let found = trip.whereabouts(at.second_of_day());
                Some((found.position, found.driving))
            }
            _ => {
                let found = self.journeys.whereabouts(vehicle, at)?;
                Some((found.position, found.driving))
            }
        }
    }

    /// The index of the grievance with this ticket.
    pub(super) fn numbered(&self, ticket: &str) -> Option<usize> {
        let number: usize = ticket.strip_prefix("C-")?.parse().ok()?;
        let index = number.checked_sub(1)?;
        let grievance = self.grievances.get(index)?;
        (grievance.ticket == ticket).then_some(index)
    }

    /// The random generator for one purpose of one vehicle at one instant.
    pub(super) fn dice_of(&self, vehicle: usize, at: Timestamp) -> SeededRng {
        let mixed = (vehicle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (at.as_ms() as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let mut rng = SeededRng::seed_from_u64(self.seed ^ mixed);
        rng.set_stream(SPELLS);
        rng
    }

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

/// Each fact that a writer can leave out, with this probability.
pub(super) fn withheld(chance: f64, rng: &mut SeededRng) -> BTreeSet<WithheldFact> {
    let all = WithheldFact::ALL.into_iter();
    all.filter(|_| happens(rng, chance)).collect()
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
