//! What the parameters of cells were before: a change is told from what has always been so.
//!
//! Parameters that are not as planned are many, and most do no harm; nobody has cleaned them up. A change
//! away from plan is rare, and what changed before a trouble is likelier its cause than anything that has stood
//! for days. So all cells are read in turn, an hour for each round, and each reading is compared with those
//! before. What is first read while alarms tell of trouble on the cell, or so soon before that they may
//! not have come yet, says nothing of before. In memory: after a restart all cells are read at once. Knows readings; refuses to know what they do to users
//! (`counters.rs`). Read next: `checking.rs`, `screening.rs`, which judge departures by it.

use domain::inventory::ElementId;
use domain::telemetry::Configuration;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The periods over which a round is spread, after the first.
const ROUND_PERIODS: usize = 4;
/// The most cells that are asked for their parameters at the same time: a management system takes so much of an
/// agent's beside everything else.
const ASKED_MAX: usize = 32;
/// Seconds for which a trouble may have gone on before it is noticed: a period of counters, and what
/// alarms of it take.
const UNNOTICED_S: f64 = 1_200.0;

/// The parameters that do not run as planned, with what is planned.
pub(super) fn departures(read: &Configuration) -> Vec<(&String, &String)> {
    let planned = read.planned.iter();
    let differs =
        |(parameter, value): &(&String, &String)| read.running.get(*parameter) != Some(*value);
    planned.filter(differs).collect()
}

/// Since when a parameter has the value that it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Since {
    /// It had another value at this instant.
    Changed(Timestamp),
    /// It had no other value whenever it was read, from before any trouble.
    Always,
    /// Nobody knows.
    Unknown,
}

/// A parameter that is not as planned.
#[derive(Clone, Debug)]
struct Departure {
    value: String,
    /// The last reading at which it had another value.
    otherwise_at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct CellReadings {
    first: Timestamp,
    last: Timestamp,
    departures: BTreeMap<String, Departure>,
}

/// All that was read of the parameters of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Audit {
    cells: BTreeMap<ElementId, CellReadings>,
    /// Values that turned out to do no harm: of a cell, of its parameter.
    harmless: BTreeSet<(ElementId, String, String)>,
    /// The last cell of the round so far.
    reached: Option<ElementId>,
    /// True once a round has begun: the first takes one period.
    has_begun: bool,
    /// The cells that are due and were not asked yet.
    due: VecDeque<ElementId>,
    /// How many were asked and have not answered.
    asked: usize,
}

impl Audit {
    /// Takes in which cells are to be read in the coming period. Where those of the last one could not all be
    /// asked in time, these are still due, and none comes to them.
    pub(super) fn plan<'a>(&mut self, cells: impl Iterator<Item = &'a ElementId>) {
        if !self.due.is_empty() {
            return;
        }
        let all: Vec<&ElementId> = cells.collect();
        let count = match std::mem::replace(&mut self.has_begun, true) {
            false => all.len(),
            true => all.len().div_ceil(ROUND_PERIODS),
        };
        let after = |c: &&&ElementId| self.reached.as_ref().is_none_or(|at| **c > at);
        let rest = all.iter().filter(after).take(count);
        self.due.extend(rest.map(|c| (*c).clone()));
        let is_over = self.due.back() == all.last().copied();
        self.reached = self.due.back().filter(|_| !is_over).cloned();
    }

    /// The cells to be asked now: as many as may be beside those that have not answered.
    pub(super) fn ask(&mut self) -> Vec<ElementId> {
        let free = ASKED_MAX.saturating_sub(self.asked).min(self.due.len());
        self.asked += free;
        self.due.drain(..free).collect()
    }

    /// Takes in that a cell which was asked has answered, or cannot.
    pub(super) fn answered(&mut self) {
        self.asked = self.asked.saturating_sub(1);
    }

    /// Takes down what was read of a cell; `is_troubled` if alarms tell of trouble there.
    pub(super) fn take(
        &mut self,
        cell: &ElementId,
        read: &Configuration,
        is_troubled: bool,
        now: Timestamp,
    ) {
        let departs = departures(read).into_iter().filter_map(|(parameter, _)| {
            let value = read.running.get(parameter)?;
            Some((parameter.clone(), value.clone()))
        });
        let known = match self.cells.get_mut(cell) {
            Some(known) => known,
            None if is_troubled => return,
            None => {
                let departure = |value| Departure {
                    value,
                    otherwise_at: None,
                };
                let departures = departs.map(|(name, value)| (name, departure(value)));
                let readings = CellReadings {
                    first: now,
                    last: now,
                    departures: departures.collect(),
                };
                self.cells.insert(cell.clone(), readings);
                return;
            }
        };
        let mut departures = BTreeMap::new();
        for (parameter, value) in departs {
            let before = known.departures.remove(&parameter);
            let departure = before.filter(|d| d.value == value).unwrap_or(Departure {
                value,
                otherwise_at: Some(known.last),
            });
            departures.insert(parameter, departure);
        }
        (known.last, known.departures) = (now, departures);
    }

    /// Takes down that a value of a parameter has turned out to do no harm.
    pub(super) fn spare(&mut self, cell: ElementId, parameter: String, value: String) {
        self.harmless.insert((cell, parameter, value));
    }

    /// Since when a parameter of a cell has not been as planned, where a trouble was noticed at `noticed`.
    pub(super) fn since(&self, cell: &ElementId, parameter: &str, noticed: Timestamp) -> Since {
        let Some(known) = self.cells.get(cell) else {
            return Since::Unknown;
        };
        let Some(departure) = known.departures.get(parameter) else {
            return Since::Unknown;
        };
        match departure.otherwise_at {
            _ if self.is_harmless(cell, parameter, &departure.value) => Since::Always,
            Some(at) => Since::Changed(at),
            None if known.first > noticed.plus_s(-UNNOTICED_S) => Since::Unknown,
            None => Since::Always,
        }
    }

    /// The instant at which a cell's parameters were last read before one of those that are not as planned
    /// now was changed; none if none was.
    pub(super) fn changed_after(&self, cell: &ElementId) -> Option<Timestamp> {
        let known = self.cells.get(cell)?;
        let departures = known.departures.iter();
        let harmful = departures.filter(|(p, d)| !self.is_harmless(cell, p, &d.value));
        harmful.filter_map(|(_, d)| d.otherwise_at).max()
    }

    fn is_harmless(&self, cell: &ElementId, parameter: &str, value: &str) -> bool {
        let key = (cell.clone(), parameter.to_owned(), value.to_owned());
        self.harmless.contains(&key)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bench::{at, id};

    fn read(tilt: &str) -> Configuration {
        let with = |value: &str| BTreeMap::from([("tilt".to_owned(), value.to_owned())]);
        Configuration {
            running: with(tilt),
            planned: with("4.0"),
        }
    }

    #[test]
    fn a_change_is_told_from_what_has_always_been_so() {
        let mut audit = Audit::default();
        let (drifted, changed) = (id("cell:A/1"), id("cell:B/1"));
        assert_eq!(audit.since(&drifted, "tilt", at(3_600)), Since::Unknown);
        audit.take(&drifted, &read("4.3"), false, at(0));
        audit.take(&changed, &read("4.0"), false, at(0));
        audit.take(&drifted, &read("4.3"), true, at(3_600));
        audit.take(&changed, &read("9.0"), true, at(3_600));
        assert_eq!(audit.since(&drifted, "tilt", at(3_600)), Since::Always);
        assert_eq!(
            audit.since(&changed, "tilt", at(3_600)),
            Since::Changed(at(0))
        );
        assert_eq!(audit.changed_after(&changed), Some(at(0)));
        assert_eq!(audit.changed_after(&drifted), None);
        // It is remembered when it was changed, however often it is read.
        audit.take(&changed, &read("9.0"), true, at(7_200));
        assert_eq!(
            audit.since(&changed, "tilt", at(3_600)),
            Since::Changed(at(0))
        );
        // Set right, and set back because it was not why.
        audit.take(&changed, &read("4.0"), false, at(7_300));
        assert_eq!(audit.changed_after(&changed), None);
        audit.spare(changed.clone(), "tilt".to_owned(), "9.0".to_owned());
        audit.take(&changed, &read("9.0"), false, at(7_400));
        assert_eq!(audit.since(&changed, "tilt", at(3_600)), Since::Always);
        assert_eq!(audit.changed_after(&changed), None);
    }

    #[test]
    fn a_first_reading_in_trouble_says_nothing_of_before() {
        let mut audit = Audit::default();
        audit.take(&id("cell:A/1"), &read("9.0"), true, at(0));
        assert_eq!(
            audit.since(&id("cell:A/1"), "tilt", at(3_600)),
            Since::Unknown
        );
    }

    #[test]
    fn a_first_reading_shortly_before_a_trouble_says_nothing_of_before() {
        let (mut audit, cell) = (Audit::default(), id("cell:A/1"));
        audit.take(&cell, &read("9.0"), false, at(1_000));
        assert_eq!(audit.since(&cell, "tilt", at(1_300)), Since::Unknown);
        assert_eq!(audit.since(&cell, "tilt", at(2_200)), Since::Always);
    }

    /// The cells of the coming period, each answered as soon as it was asked.
    fn read_in_turn(audit: &mut Audit, cells: &[ElementId]) -> Vec<ElementId> {
        audit.plan(cells.iter());
        let mut read = Vec::new();
        loop {
            let asked = audit.ask();
            assert!(asked.len() <= ASKED_MAX);
            if asked.is_empty() {
                return read;
            }
            asked.iter().for_each(|_| audit.answered());
            read.extend(asked);
        }
    }

    fn cells(count: usize) -> Vec<ElementId> {
        (0..count).map(|n| id(&format!("cell:{n:03}"))).collect()
    }

    #[test]
    fn every_cell_is_read_at_first_and_then_a_quarter_at_a_time() {
        let mut audit = Audit::default();
        let cells = cells(100);
        assert_eq!(read_in_turn(&mut audit, &cells), cells);
        for _ in 0..2 {
            let round = [(); ROUND_PERIODS].map(|()| read_in_turn(&mut audit, &cells));
            assert!(round.iter().all(|due| due.len() == 25), "{round:?}");
            assert_eq!(round.concat(), cells);
        }
    }

    #[test]
    fn a_system_that_is_slow_is_asked_for_no_more_than_it_has_answered() {
        let mut audit = Audit::default();
        let cells = cells(100);
        audit.plan(cells.iter());
        assert_eq!(audit.ask(), cells[..ASKED_MAX]);
        assert_eq!(audit.ask(), []);
        audit.answered();
        assert_eq!(audit.ask(), cells[ASKED_MAX..=ASKED_MAX]);
        // The next period finds most of them not asked yet, and adds none.
        audit.plan(cells.iter());
        (0..ASKED_MAX).for_each(|_| audit.answered());
        assert_eq!(audit.ask(), cells[ASKED_MAX + 1..=2 * ASKED_MAX]);
    }
}
