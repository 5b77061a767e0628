//! Energy saving by the clock: the same cells every night, whatever happens.
//!
//! Every cell rests between symbols from the beginning and for good, as where agents save energy: it
//! is switched on once and wants no one's care. Of the cells that add capacity and can sleep deeply, as
//! many sleep at night as make up a quarter of all cells: first those whose sleep is measured to save
//! most, each in the order of their names. So the clock saves as much as a clock can. Refuses to
//! know loads, faults and users. Read next: [`domain::radio::energy`].

use domain::inventory::{ElementId, Inventory, RadioUnit};
use domain::radio::energy::{EnergyFit, can};
use domain::telemetry::{Action, Saving};
use std::collections::BTreeSet;

/// The hour at which cells go to sleep (UTC).
pub const ASLEEP_H: i64 = 2;
/// The hour at which they wake.
pub const AWAKE_H: i64 = 6;
/// The share of all cells that sleeps: one in so many.
const ONE_IN: usize = 4;

/// The cells that rest, and those that sleep at night.
#[derive(Clone, Debug, Default)]
pub struct Timer {
    cells: BTreeSet<ElementId>,
    sleepers: BTreeSet<ElementId>,
}

impl Timer {
    /// Chooses the cells once and for all.
    pub fn new(inventory: &Inventory) -> Self {
        let most = inventory.cells.len() / ONE_IN;
        let capacity = inventory.cells.iter().filter(|(_, c)| c.capacity_layer);
        let mut sleepers: Vec<(f64, &ElementId)> = capacity
            .filter(|(_, c)| can(c.radio_unit, Saving::DeepSleep))
            .map(|(id, cell)| (saved(cell.radio_unit), id))
            .collect();
        sleepers.sort_by(|x, y| y.0.total_cmp(&x.0).then_with(|| x.1.cmp(y.1)));
        let sleepers = sleepers.into_iter().take(most);
        Self {
            cells: inventory.cells.keys().cloned().collect(),
            sleepers: sleepers.map(|(_, id)| id.clone()).collect(),
        }
    }

    /// Lets every cell rest between symbols: each has a timer of its own, so one that cannot be reached
    /// holds no other back.
    pub fn resting(&self) -> Vec<Action> {
        set(&self.cells, Saving::SymbolShutdown)
    }

    /// Puts the sleepers to sleep.
    pub fn asleep(&self) -> Vec<Action> {
        set(&self.sleepers, Saving::DeepSleep)
    }

    /// Wakes them; they rest between symbols again.
    pub fn awake(&self) -> Vec<Action> {
        set(&self.sleepers, Saving::SymbolShutdown)
    }
}

fn set(cells: &BTreeSet<ElementId>, saving: Saving) -> Vec<Action> {
    let each = cells.iter().map(|cell| Action::SetSaving {
        cells: BTreeSet::from([cell.clone()]),
        saving,
    });
    each.collect()
}

/// What the unit's deep sleep is measured to save at no load, in units of the energy set.
fn saved(unit: RadioUnit) -> f64 {
    EnergyFit::of(unit).saved(0.0, Saving::DeepSleep).low
}
