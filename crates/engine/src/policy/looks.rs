//! When standing rules look at which decision: whoever commits says so, and whoever has a clock takes out what is due.
//!
//! In the order of time, and at the same time of what is decided; so it is the same whoever commits first. Read
//! next: [`super`], which fills it; [`super::acting`], which looks.

use domain::policy::DecisionSubject;
use domain::time::Timestamp;
use std::collections::{BTreeSet, HashMap};

#[derive(Default)]
pub(super) struct Looks {
    due: BTreeSet<(Timestamp, DecisionSubject)>,
    /// When each is due.
    at: HashMap<DecisionSubject, Timestamp>,
    anew: Anew,
}

/// Of which decisions rules may say something else than when they looked last.
#[derive(Default, PartialEq)]
pub(super) struct Anew {
    /// All: rights or keys are others.
    pub(super) all: bool,
    /// All, after a while: what was decided may have been taken back.
    pub(super) after_a_while: bool,
    /// Those of these users: a rule about them came or went.
    pub(super) deciders: BTreeSet<String>,
    /// Those whose other side is one of these: it came or went.
    pub(super) agents: BTreeSet<String>,
}

impl Looks {
    /// Has rules look at one decision by then.
    pub(super) fn by(&mut self, subject: DecisionSubject, at: Timestamp) {
        if self.at.get(&subject).is_some_and(|known| *known <= at) {
            return;
        }
        if let Some(known) = self.at.insert(subject.clone(), at) {
            self.due.remove(&(known, subject.clone()));
        }
        self.due.insert((at, subject));
    }

    /// True if rules would have looked at it.
    pub(super) fn is_due(&self, subject: &DecisionSubject) -> bool {
        self.at.contains_key(subject)
    }

    /// Whatever rules are to look at anew once somebody has a clock.
    pub(super) fn anew(&mut self) -> &mut Anew {
        &mut self.anew
    }

    /// The same, which is then seen to.
    pub(super) fn take_anew(&mut self) -> Option<Anew> {
        let anew = std::mem::take(&mut self.anew);
        (anew != Anew::default()).then_some(anew)
    }

    /// When somebody with a clock is to come: at once if something is looked at anew.
    pub(super) fn first(&self) -> Option<Timestamp> {
        if self.anew != Anew::default() {
            return Some(Timestamp::default());
        }
        self.due.first().map(|(at, _)| *at)
    }

    /// Takes out what is due first by now.
    pub(super) fn take(&mut self, now: Timestamp) -> Option<DecisionSubject> {
        if self.due.first()?.0 > now {
            return None;
        }
        let (_, subject) = self.due.pop_first()?;
        self.at.remove(&subject);
        Some(subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::policy::DecisionKind;

    #[test]
    fn each_is_looked_at_once_by_the_earliest_time_that_anybody_asked_for() {
        let subject = |id: &str| DecisionSubject {
            kind: DecisionKind::Result,
            id: id.to_owned(),
        };
        let (at, mut looks) = (Timestamp::from_ms, Looks::default());
        looks.by(subject("late"), at(9));
        looks.by(subject("late"), at(7));
        looks.by(subject("early"), at(5));
        looks.by(subject("early"), at(8));
        assert_eq!(looks.first(), Some(at(5)));
        assert_eq!(looks.take(at(4)), None);
        let all: Vec<_> = std::iter::from_fn(|| looks.take(at(7))).collect();
        assert_eq!(all, [subject("early"), subject("late")]);
        assert!(!looks.is_due(&subject("late")) && looks.first().is_none());
    }
}
