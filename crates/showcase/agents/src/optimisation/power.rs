//! The transmit power of cells: what is wanted is brought about, and kept so.
//!
//! What several compensations want of one cell is the highest of it; what none wants is 0 dB. A
//! command that is lost, or refused, is given again; an offset that counters show and nobody wants,
//! from before a restart say, is taken back. Read next: [`super`].

use crate::context::AgentContext;
use domain::agent::Output;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Outcome, Performance, Token};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Seconds after which a command whose end nobody told is given again.
pub const LOST_S: f64 = 120.0;
/// Seconds after which a command that was refused is given again.
pub const REFUSED_S: f64 = 300.0;
/// Offsets closer together than this are the same, in dB.
const SAME_DB: f64 = 0.05;

#[derive(Clone, Debug)]
struct Command {
    cell: ElementId,
    offset_db: f64,
    since: Timestamp,
}

/// The power of cells, as far as it is this agent's business.
#[derive(Clone, Debug, Default)]
pub struct Power {
    wanted: BTreeMap<ElementId, f64>,
    /// Offsets as they are, those that are not 0.
    applied: BTreeMap<ElementId, f64>,
    commands: BTreeMap<Token, Command>,
    /// Cells that refused, and when.
    refused: BTreeMap<ElementId, Timestamp>,
}

impl Power {
    /// Sets the offsets wanted from now on; cells that are not named are wanted at 0 dB.
    pub fn want(&mut self, wanted: BTreeMap<ElementId, f64>) {
        let loud = wanted.into_iter().filter(|(_, db)| *db > SAME_DB);
        self.wanted = loud.collect();
    }

    /// The offset of a cell, in dB, as it is.
    pub fn of(&self, cell: &ElementId) -> f64 {
        self.applied.get(cell).copied().unwrap_or(0.0)
    }

    /// True if every cell is as wanted.
    pub fn is_settled(&self) -> bool {
        self.commands.is_empty() && self.differing().is_empty()
    }

    /// Takes in what counters show.
    pub fn observed(&mut self, performance: &Performance) {
        for (id, cell) in &performance.cells {
            if self.commands.values().any(|c| c.cell == *id) {
                continue;
            }
            match cell.power_offset_db > SAME_DB {
                true => self.applied.insert(id.clone(), cell.power_offset_db),
                false => self.applied.remove(id),
            };
        }
    }

    /// Commands what is not as wanted and not on its way.
    pub fn bring_about(&mut self, context: &mut AgentContext, now: Timestamp) -> Vec<Output> {
        self.commands
            .retain(|_, c| now.seconds_since(c.since) < LOST_S);
        self.refused
            .retain(|_, at| now.seconds_since(*at) < REFUSED_S);
        let mut outputs = Vec::new();
        for (cell, offset_db) in self.differing() {
            let busy = self.commands.values().any(|c| c.cell == cell);
            if busy || self.refused.contains_key(&cell) {
                continue;
            }
            let token = context.token();
            let command = Command {
                cell: cell.clone(),
                offset_db,
                since: now,
            };
            self.commands.insert(token, command);
            let action = Action::SetPower { cell, offset_db };
            outputs.push(Output::Act { token, action });
        }
        outputs
    }

    /// A command has ended; says what could not be done. None if it is no command of power.
    pub fn acted(
        &mut self,
        token: Token,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Option<Vec<Output>> {
        let command = self.commands.remove(&token)?;
        let Command {
            cell, offset_db, ..
        } = command;
        Some(match outcome {
            Outcome::Impossible(why) => {
                let first = self.refused.insert(cell.clone(), now).is_none();
                let words =
                    format!("The power of {cell} cannot be set to {offset_db:+.0} dB: {why}");
                first.then_some(Output::Note(words)).into_iter().collect()
            }
            _ => {
                match offset_db > SAME_DB {
                    true => self.applied.insert(cell, offset_db),
                    false => self.applied.remove(&cell),
                };
                Vec::new()
            }
        })
    }

    fn differing(&self) -> BTreeMap<ElementId, f64> {
        let cells = self.wanted.keys().chain(self.applied.keys());
        let want = |cell: &ElementId| self.wanted.get(cell).copied().unwrap_or(0.0);
        let differs = |cell: &&ElementId| (want(cell) - self.of(cell)).abs() > SAME_DB;
        let differing = cells.filter(differs);
        differing.map(|c| (c.clone(), want(c))).collect()
    }
}
