//! Which end of a span a moment is, by the words beside it, and by the order of moments where no
//! word tells.
//!
//! Read next: [`super`].

use super::super::super::slot::{Kind, Role, Slot};
use super::super::Keys;
use crate::lexicon;
use std::ops::Range;

/// Words before a moment at which something begins, and at which it ends.
const BEGINS: &str = " from since starting beginning leaving departing begin start starts after between departure depart leave pickup pick 从 自 起 ";
const ENDS: &str = " until till to by through ending end ends before and returning return back dropoff 到 至 止 前 ";

impl Keys<'_> {
    /// Tells whether the words before a moment tell that it is this end (true) or the other
    /// (false).
    pub(super) fn side_of(&self, slot: &Slot, run: &Range<usize>) -> Option<bool> {
        let mut at = run.start;
        for _ in 0..4 {
            let word = self.utterance.word_before(at);
            let begins = lexicon::listed(BEGINS, word);
            let ends = lexicon::listed(ENDS, word);
            match (begins, ends, slot.role) {
                (true, _, Role::From) | (_, true, Role::To) => return Some(true),
                (true, _, Role::To) | (_, true, Role::From) => return Some(false),
                _ => {}
            }
            if !lexicon::listed(
                " the on at around about be me up off this coming will it ",
                word,
            ) {
                break;
            }
            at = at.saturating_sub(1);
        }
        let since = (run.start.saturating_sub(6)..run.start).any(|i| {
            self.utterance.word(i) == "since" && self.utterance.clause(i).contains(&run.start)
        });
        match (since, slot.role) {
            (true, Role::From) => Some(true),
            (true, Role::To) => Some(false),
            _ => self.range_side(slot, run),
        }
    }

    /// "23:30-05:30", "01:00 to 05:00": the first of two that "to" joins begins.
    fn range_side(&self, slot: &Slot, run: &Range<usize>) -> Option<bool> {
        let next = self.utterance.word(run.end);
        let ends = matches!(next, "前" | "止")
            || matches!(
                (next, self.utterance.word(run.end + 1)),
                ("之" | "以", "前")
            );
        let begins = next == "起"
            || matches!(
                (next, self.utterance.word(run.end + 1)),
                ("开", "始") | ("以", "来")
            );
        match (begins, ends, slot.role) {
            (true, _, Role::From) | (_, true, Role::To) => return Some(true),
            (true, _, Role::To) | (_, true, Role::From) => return Some(false),
            _ => {}
        }
        let moments = &self.utterance.at_moments;
        let then = |from: usize| (from..=from + 2).any(|at| moments.from(at).is_some());
        let joint = |at: usize| {
            let token = self.utterance.token(at);
            token.is_some_and(|t| t.gap == language::text::Gap::Joint)
        };
        let joined = matches!(next, "to" | "until" | "till" | "and" | "至" | "到")
            && then(run.end + 1)
            || moments.from(run.end).is_some() && joint(run.end);
        let first = joined && self.utterance.word_before(run.start) != "to";
        let second = moments.until(run.start).is_some() && joint(run.start);
        match (first, second, slot.role) {
            (true, false, Role::From) | (false, true, Role::To) => Some(true),
            (true, false, Role::To) | (false, true, Role::From) => Some(false),
            _ => None,
        }
    }

    /// The ranks that the order of moments tells, where no word joins them to a key: of those and
    /// of the keys that no word joins to one, the first go together.
    pub(super) fn ranks<'r>(
        &self,
        at: usize,
        runs: impl Iterator<Item = &'r Range<usize>> + Clone,
    ) -> Ranks {
        let kind = self.slots[at].kind;
        let kin = self.slots.iter().enumerate();
        let kin: Vec<usize> = kin
            .filter(|(_, b)| kin_of(b.kind, kind))
            .map(|(i, _)| i)
            .collect();
        let mut told = vec![false; kin.len()];
        let mut ranks = Ranks::default();
        for run in runs {
            self.utterance.text.steps.take(kin.len());
            let mut claimed = false;
            for (place, slot) in kin.iter().enumerate() {
                let side = self.side_of(&self.slots[*slot], run);
                told[place] |= side == Some(true);
                claimed |= side == Some(true);
            }
            match claimed {
                true => ranks.claimed.push((run.start, run.end)),
                false => ranks.free.push(run.start),
            }
        }
        let free = kin.iter().zip(told).filter(|(_, told)| !told);
        let mut free = free.map(|(slot, _)| *slot);
        ranks.mine = free.position(|slot| slot == at);
        ranks.free.sort_unstable();
        ranks.claimed.sort_unstable();
        ranks
    }
}

/// The moments that no word joins to a key, and the key's place among those that none is joined to.
#[derive(Default)]
pub(super) struct Ranks {
    mine: Option<usize>,
    free: Vec<usize>,
    claimed: Vec<(usize, usize)>,
}

impl Ranks {
    /// The confidence with which the moment at a run is for the key.
    pub(super) fn of(&self, run: &Range<usize>) -> f64 {
        let claimed = self.claimed.binary_search(&(run.start, run.end)).is_ok();
        let place = self.free.partition_point(|start| *start < run.start);
        match self.mine {
            Some(0) if place == 0 && !claimed => 0.76,
            Some(mine) if place == mine && !claimed => 0.72,
            _ => 0.4,
        }
    }
}

/// True if keys of two kinds take the same moments.
pub(super) fn kin_of(one: Kind, other: Kind) -> bool {
    one == other && matches!(one, Kind::Day | Kind::Clock | Kind::Instant)
}
