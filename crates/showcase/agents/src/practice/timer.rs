//! Energy saving by the clock: the same cells every night, whatever happens.
//!
//! Of the cells that add capacity, as many sleep as make up a quarter of all cells: first those
//! whose radio unit can sleep deeply, then those that can only rest between symbols, each in the
//! order of their names. So the clock saves as much as a clock can.

use domain::inventory::{ElementId, Inventory, RadioUnit};
use domain::telemetry::{Action, Saving};
use std::collections::{BTreeMap, BTreeSet};

/// The hour at which cells go to sleep (UTC).
pub const ASLEEP_H: i64 = 2;
/// The hour at which they wake.
pub const AWAKE_H: i64 = 6;
/// The share of all cells that sleeps: one in so many.
const ONE_IN: usize = 4;

/// The cells that sleep at night, by how deeply.
#[derive(Clone, Debug, Default)]
pub struct Timer {
    cells: BTreeMap<Saving, BTreeSet<ElementId>>,
}

impl Timer {
    /// Chooses the cells once and for all.
    pub fn new(inventory: &Inventory) -> Self {
        let most = inventory.cells.len() / ONE_IN;
        let capacity = inventory.cells.iter().filter(|(_, c)| c.capacity_layer);
        let mut cells: BTreeMap<Saving, BTreeSet<_>> = BTreeMap::new();
        let depths = capacity.map(|(id, cell)| (depth_of(cell.radio_unit), id));
        let mut depths: Vec<(Saving, &ElementId)> = depths.collect();
        depths.sort_by(|x, y| y.0.cmp(&x.0).then_with(|| x.1.cmp(y.1)));
        for (depth, id) in depths.into_iter().take(most) {
            cells.entry(depth).or_default().insert(id.clone());
        }
        Self { cells }
    }

    /// Puts them to sleep: each cell has a timer of its own, so one that cannot be reached holds no
    /// other back.
    pub fn asleep(&self) -> Vec<Action> {
        self.set(|planned| planned)
    }

    /// Wakes them.
    pub fn awake(&self) -> Vec<Action> {
        self.set(|_| Saving::Off)
    }

    fn set(&self, mode: impl Fn(Saving) -> Saving) -> Vec<Action> {
        let each = self.cells.iter();
        let each = each.flat_map(|(planned, cells)| cells.iter().map(|cell| (*planned, cell)));
        each.map(|(planned, cell)| Action::SetSaving {
            cells: BTreeSet::from([cell.clone()]),
            saving: mode(planned),
        })
        .collect()
    }
}

fn depth_of(unit: RadioUnit) -> Saving {
    match unit {
        RadioUnit::Type9 | RadioUnit::Type10 => Saving::DeepSleep,
        _ => Saving::SymbolShutdown,
    }
}
