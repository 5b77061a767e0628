//! Cells that are in trouble though no alarm says so: alarms get lost, counters do not.
//!
//! A cell that serves fewer users than a quarter of an hour ago, while its site does not, or serves them
//! worse, is looked at: its parameters are read and it is measured. Mostly its users sleep, went elsewhere, or a
//! neighbour woke up, and that is all; where a parameter is not as planned or hardware is dead it is a
//! trouble as if an alarm had said so. Knows counters and what they are compared with; refuses to know
//! what is done about it. Parameters drift without harm: one that has always been so is no reason, and unless a
//! cell does far worse, one of which nobody knows must go with users served worse for a second period; but one
//! that was changed (`audit.rs`) need only go with users served less well than before.
//! Read next: [`super::trouble`].

use super::audit::{Since, departures};
use super::{Care, Errand, Suspect};
use crate::wireless_fault::expertise::{Base, is_broken};
use domain::agent::Output;
use domain::inventory::ElementId;
use domain::telemetry::{Action, CellPerformance, Configuration, Outcome, Performance};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A cell that had fewer users than this is not missed.
const USERS_LEAST: f64 = 2.0;
/// It serves fewer, as a share of what the other cells of its site let one expect.
const FEWER: f64 = 0.75;
/// It serves them worse, as a share of what its slowest users got before.
const WORSE: f64 = 0.6;
/// The periods for which a cell is watched of which a parameter was changed: an hour and a half.
const WATCHED_MAX: u32 = 6;
/// The most cells that are looked at after one period.
const LOOKS_MAX: usize = 24;

impl Care {
    /// Looks at the cells that do far worse than in the period before.
    pub(super) fn screen(
        &mut self,
        base: &mut Base,
        now: &Performance,
        at: Timestamp,
    ) -> Vec<Output> {
        let mut outputs = self.judge_suspects(base, now, at);
        let Some(before) = self.performance.clone() else {
            return outputs;
        };
        let inventory = base.topology().inventory();
        let mut fallen: Vec<(f64, ElementId)> = Vec::new();
        for (id, cell) in &now.cells {
            let beside = inventory
                .cells_of(inventory.node_of(id))
                .filter(|c| *c != id);
            let trend = trend(beside, &before, now);
            let fell = before.cells.get(id).and_then(|b| fallen_to(b, cell, trend));
            if let Some(share) = fell.filter(|_| !self.is_known(base, id)) {
                fallen.push((share, id.clone()));
            }
        }
        fallen.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        for (_, element) in fallen.into_iter().take(LOOKS_MAX) {
            outputs.extend(self.look_into(base, &element));
        }
        outputs
    }

    /// Looks at a cell on which an alarm of an unknown type stands.
    pub(super) fn screen_strange(&mut self, base: &mut Base, cell: &ElementId) -> Vec<Output> {
        let is_cell = base.topology().inventory().cells.contains_key(cell);
        match is_cell && !self.is_known(base, cell) {
            true => self.look_into(base, cell),
            false => Vec::new(),
        }
    }

    fn look_into(&mut self, base: &mut Base, cell: &ElementId) -> Vec<Output> {
        let read = Action::ReadConfiguration {
            element: cell.clone(),
        };
        let probe = Action::Probe {
            element: cell.clone(),
        };
        let errand = || Errand::Screen(cell.clone());
        [read, probe]
            .map(|action| self.act(base, errand(), action))
            .into()
    }

    /// Opens cases for the suspects that do worse for a second period, or of which a parameter was changed and
    /// that do not do as well as before.
    fn judge_suspects(&mut self, base: &mut Base, now: &Performance, at: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (cell, mut suspect) in std::mem::take(&mut self.suspects) {
            let inventory = base.topology().inventory();
            if self.is_known(base, &cell) {
                continue;
            }
            let (before, changed) = (Arc::clone(&suspect.before), suspect.changed);
            let harmed = match changed {
                true => Self::does_not_as_well(inventory, &before, now, &cell),
                false => Self::still_worse(inventory, &before, now, &cell),
            };
            if !harmed {
                suspect.watched += 1;
                if changed && suspect.watched < WATCHED_MAX {
                    self.suspects.insert(cell, suspect);
                }
                continue;
            }
            let cells = BTreeSet::from([cell.clone()]);
            let configurations = BTreeMap::from([(cell, suspect.read)]);
            outputs.extend(self.open_for_cells(base, cells, BTreeSet::new(), configurations, at));
            if let Some(case) = self.cases.last_mut() {
                case.before = vec![before];
            }
        }
        outputs
    }

    /// Takes in what was read of a cell in its turn: one of which a parameter was changed away from its plan is
    /// watched, one that does not answer is looked at.
    pub(super) fn audited(
        &mut self,
        base: &mut Base,
        cell: ElementId,
        outcome: &Outcome,
    ) -> Vec<Output> {
        match outcome {
            _ if self.is_known(base, &cell) => Vec::new(),
            Outcome::Configuration(read) => {
                self.suspect_changed(cell, read);
                Vec::new()
            }
            Outcome::Impossible(_) => {
                let errand = Errand::Screen(cell.clone());
                vec![self.act(base, errand, Action::Probe { element: cell })]
            }
            _ => Vec::new(),
        }
    }

    /// Watches a cell of which a parameter was changed away from its plan; says if it was.
    fn suspect_changed(&mut self, cell: ElementId, read: &Configuration) -> bool {
        let Some(after) = self.audit.changed_after(&cell) else {
            return false;
        };
        let early = self.periods.iter().rev().find(|p| p.until <= after);
        let Some(before) = early.or(self.periods.first()).cloned() else {
            return false;
        };
        self.suspects.entry(cell).or_insert(Suspect {
            read: read.clone(),
            before,
            changed: true,
            watched: 0,
        });
        true
    }

    /// True if alarms or a case tell of the cell, or of its site, already.
    fn is_known(&self, base: &Base, cell: &ElementId) -> bool {
        let site = base.topology().inventory().node_of(cell);
        let has = |c: &super::case::CareCase| c.cells.contains(cell) || c.sites.contains(site);
        base.alarms().site_is_out(site) || self.cases.iter().any(has)
    }

    /// True if a parameter is not as planned that has not always been so.
    fn may_be_why(&self, cell: &ElementId, read: &Configuration, now: Timestamp) -> bool {
        let always = |parameter: &str| self.audit.since(cell, parameter, now) == Since::Always;
        let mut departs = departures(read).into_iter();
        departs.any(|(parameter, _)| !always(parameter))
    }

    /// Takes in what a look at a cell has shown.
    pub(super) fn screened(
        &mut self,
        base: &mut Base,
        cell: ElementId,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Vec<Output> {
        let configurations = match outcome {
            Outcome::Configuration(read) if self.may_be_why(&cell, read, now) => {
                let far_worse = self.does_far_worse(base.topology().inventory(), &cell);
                if !far_worse && self.suspect_changed(cell.clone(), read) {
                    return Vec::new();
                }
                // Many a parameter is not as planned and does no harm.
                if !far_worse {
                    if let [.., before, _] = &self.periods[..] {
                        let suspect = Suspect {
                            read: read.clone(),
                            before: Arc::clone(before),
                            changed: false,
                            watched: 0,
                        };
                        self.suspects.insert(cell, suspect);
                    }
                    return Vec::new();
                }
                BTreeMap::from([(cell.clone(), read.clone())])
            }
            Outcome::Measured(m) if is_broken(m) => BTreeMap::new(),
            _ => return Vec::new(),
        };
        if self.is_known(base, &cell) {
            return Vec::new();
        }
        let cells = BTreeSet::from([cell]);
        self.open_for_cells(base, cells, BTreeSet::new(), configurations, now)
    }
}

/// The number of users of cells as a share of those that they had; 1 where none had any.
fn trend<'a>(
    cells: impl Iterator<Item = &'a ElementId>,
    before: &Performance,
    now: &Performance,
) -> f64 {
    let both = cells.filter_map(|c| Some((before.cells.get(c)?.users, now.cells.get(c)?.users)));
    let (before, now) = both.fold((0.0, 0.0), |sum, (b, n)| (sum.0 + b, sum.1 + n));
    if before > 0.0 { now / before } else { 1.0 }
}

/// To which share of what was to be expected a cell has fallen, if far enough to be looked at.
fn fallen_to(before: &CellPerformance, now: &CellPerformance, trend: f64) -> Option<f64> {
    let serves = before.saving.serves() && now.saving.serves();
    let share = now.users / (before.users * trend.max(0.1));
    let worse = now.edge_throughput_mbps < WORSE * before.edge_throughput_mbps;
    let missed = serves && before.users >= USERS_LEAST && (share < FEWER || worse);
    missed.then_some(share)
}
