//! The hunt for a disturber: from the cells that complain of foreign power to the one beside it.
//!
//! As interference is hunted in the field (Anritsu, "RF Interference Hunting Techniques: Spot, Find,
//! Fix", application note; Rohde & Schwarz, "An introduction to interference hunting", white paper
//! 3607.9314.52): the cells that hear it are compared from afar, and an engineer with an analyser goes
//! where it is loudest. Refuses to know where the disturber is. Read next: `investigation.rs`.

use super::{AtWork, NocStep};
use crate::practice::Matter;
use crate::practice::durations::PracticeStep;
use crate::wireless_fault::expertise::{is_foreign, noise_dbm};
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::{Action, AlarmType, Measurement};
use std::collections::BTreeMap;

/// The reading of a cell's receiver that tells of foreign power, in dBm.
const HEARD: &str = "interference_dbm";

impl AtWork<'_> {
    /// Every cell of the case that complains of foreign power is measured.
    pub(super) fn listen(&mut self, case: usize) -> Vec<Output> {
        let own = &self.noc.cases[case];
        let complaining = own.keys.iter().filter(|key| {
            key.1 == AlarmType::InterferenceHigh
                && !own.tried.contains(&key.0)
                && self.noc.stands(key)
        });
        let heard: BTreeMap<ElementId, Option<f64>> =
            complaining.map(|(cell, _)| (cell.clone(), None)).collect();
        let matter = Matter::Case(case, NocStep::Heard);
        let cells: Vec<ElementId> = heard.keys().cloned().collect();
        if cells.is_empty() {
            return self.anew(case);
        }
        self.noc.cases[case].heard = heard;
        let measured = cells.into_iter().map(|element| {
            let action = Action::Probe { element };
            self.matters.act(matter.clone(), action)
        });
        measured.collect()
    }

    /// One cell was measured, or cannot be; once all are, the loudest is blamed and driven to, if it
    /// hears what is not its own.
    pub(super) fn heard(&mut self, case: usize, measured: Option<&Measurement>) -> Vec<Output> {
        let own = &mut self.noc.cases[case];
        if !own.open {
            return Vec::new();
        }
        // A cell that cannot be reached tells nothing: the last to be gone to.
        let reading = measured.and_then(|m| m.readings.get(HEARD).copied());
        let dbm = reading.unwrap_or(f64::NEG_INFINITY);
        match measured.map(|m| own.heard.get_mut(&m.element)) {
            Some(heard) => heard.into_iter().for_each(|heard| *heard = Some(dbm)),
            None => {
                let silent = own.heard.values_mut().filter(|heard| heard.is_none());
                silent.for_each(|heard| *heard = Some(dbm));
            }
        }
        let measured = own.heard.iter().map(|(cell, dbm)| Some((cell, (*dbm)?)));
        let Some(measured) = measured.collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let cells = &self.noc.inventory.cells;
        let usual = |cell| {
            cells
                .get(cell)
                .map_or(f64::MIN, |it| noise_dbm(it.bandwidth_mhz))
        };
        // Where no more is heard than a receiver's own noise nobody goes.
        let suspects = measured
            .into_iter()
            .filter(|(cell, dbm)| dbm.is_infinite() || is_foreign(*dbm, usual(*cell)));
        let loudest = suspects.max_by(|a, b| a.1.total_cmp(&b.1));
        let loudest = loudest.map(|(cell, _)| cell.clone());
        let own = &mut self.noc.cases[case];
        let heard = std::mem::take(&mut own.heard);
        let Some(cell) = loudest else {
            own.tried.extend(heard.into_keys());
            return self.work(case, PracticeStep::Rethink, NocStep::Rethought);
        };
        self.accuse(case, (cell, Cause::Interference));
        self.work(case, PracticeStep::Ticket, NocStep::Send)
    }
}
