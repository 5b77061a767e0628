//! What accounts best for an alarm: the failure that makes it and all else that stands likeliest, silence
//! included.
//!
//! What is surer to be behind other alarms takes these first. An alarm may also be what comes later of a
//! failure whose first alarms still stand: then no second failure need be supposed. Read next:
//! [`super::likelihoods`].

use super::likelihoods::{AROUND_S, LATER, Likelihoods};
use super::roles::Roles;
use domain::inventory::ElementKind;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The most failures that are supposed to be surer than what accounts for an alarm: whoever floods the scene
/// with alarms that have nothing to do with each other is not gone after further.
const SURER_MAX: usize = 32;

/// An alarm: the numbers of its element and of its name.
pub(super) type AlarmNumber = (usize, usize);

/// The alarms that stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    noticed: BTreeMap<AlarmNumber, Timestamp>,
    by_time: BTreeSet<(Timestamp, AlarmNumber)>,
    /// Those that something accounts for already.
    spoken_for: BTreeSet<AlarmNumber>,
    /// By alarm: what may have begun with it, once that was asked for. It is asked for again with each
    /// later alarm.
    beginnings: BTreeMap<AlarmNumber, Vec<(usize, Begun)>>,
}

impl Scene {
    pub(super) fn insert(&mut self, alarm: AlarmNumber, noticed: Timestamp) {
        self.remove(alarm);
        self.noticed.insert(alarm, noticed);
        self.by_time.insert((noticed, alarm));
        self.changed(noticed);
    }

    pub(super) fn remove(&mut self, alarm: AlarmNumber) {
        if let Some(noticed) = self.noticed.remove(&alarm) {
            self.changed(noticed);
            self.by_time.remove(&(noticed, alarm));
            self.spoken_for.remove(&alarm);
        }
    }

    /// Forgets what was found for alarms around an instant.
    fn changed(&mut self, at: Timestamp) {
        for (_, alarm) in self.by_time.range(around(at)) {
            self.beginnings.remove(alarm);
        }
    }

    pub(super) fn noticed(&self, alarm: AlarmNumber) -> Option<Timestamp> {
        self.noticed.get(&alarm).copied()
    }

    pub(super) fn speak_for(&mut self, alarm: AlarmNumber) {
        self.spoken_for.insert(alarm);
    }

    pub(super) fn is_spoken_for(&self, alarm: AlarmNumber) -> bool {
        self.spoken_for.contains(&alarm)
    }

    /// The alarms, latest first.
    pub(super) fn latest(&self) -> impl Iterator<Item = AlarmNumber> {
        self.by_time.iter().rev().map(|(_, alarm)| *alarm)
    }

    /// Those around an instant, each with whether it is still to be accounted for.
    fn around(&self, at: Timestamp) -> impl Iterator<Item = (AlarmNumber, bool)> {
        let around = self.by_time.range(around(at));
        around.map(|(_, alarm)| (*alarm, !self.is_spoken_for(*alarm)))
    }
}

/// The alarms around an instant, whichever they are.
fn around(at: Timestamp) -> RangeInclusive<(Timestamp, AlarmNumber)> {
    let first = (at.plus_s(-AROUND_S), (0, 0));
    let last = (at.plus_s(AROUND_S), (usize::MAX, usize::MAX));
    first..=last
}

/// An alarm with how surely it is of a failure.
pub(super) type Told = Vec<(AlarmNumber, f64)>;

/// What accounts for an alarm.
#[derive(Clone, Debug)]
pub(super) struct Account {
    /// Whatever may account for it, each with how much likelier it makes what stands, in logarithms;
    /// likeliest first.
    pub(super) ranked: Vec<(usize, f64)>,
    /// The alarms that the likeliest accounts for.
    pub(super) told: Told,
    /// If they come of a failure that began before: its first alarms.
    pub(super) before: Option<Told>,
}

/// A failure that may have begun before.
#[derive(Clone, Debug)]
struct Begun {
    likelier: f64,
    told: Told,
}

/// What is to be accounted for together.
type Open = BTreeMap<AlarmNumber, bool>;

/// A network with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accounting<'a> {
    pub(super) roles: &'a Roles,
    pub(super) known: &'a Likelihoods,
}

impl Accounting<'_> {
    /// What accounts best for an alarm that stands, if it is more than `least` likelier than chance.
    pub(super) fn account(
        &self,
        scene: &mut Scene,
        alarm: AlarmNumber,
        least: f64,
    ) -> Option<Account> {
        let at = scene.noticed(alarm)?;
        let begun = self.begun(scene, alarm, at);
        self.best(scene.around(at).collect(), alarm, least, &begun)
    }

    /// What took place before that may go on in an alarm: what accounts for earlier ones, and where
    /// nothing does, what raised one itself.
    fn begun(
        &self,
        scene: &mut Scene,
        alarm: AlarmNumber,
        at: Timestamp,
    ) -> BTreeMap<usize, Begun> {
        let parts = |of: AlarmNumber| self.roles.takes_part[of.0].iter().map(|part| part.0);
        let suspects: BTreeSet<usize> = parts(alarm).collect();
        let mut begun: BTreeMap<usize, Begun> = BTreeMap::new();
        let mut begins = |suspect: usize, it: Begun| {
            let known = begun.get(&suspect);
            if known.is_none_or(|known| it.likelier > known.likelier) {
                begun.insert(suspect, it);
            }
        };
        let mut seen: BTreeSet<AlarmNumber> = BTreeSet::new();
        let until = (at.plus_s(-AROUND_S), (0, 0));
        let before: Vec<(Timestamp, AlarmNumber)> = scene.by_time.range(..until).copied().collect();
        for (noticed, earlier) in before {
            if seen.contains(&earlier) || !parts(earlier).any(|it| suspects.contains(&it)) {
                continue;
            }
            for (suspect, it) in self.beginnings(scene, earlier, noticed) {
                seen.extend(it.told.iter().map(|(told, _)| *told));
                if suspects.contains(&suspect) {
                    begins(suspect, it);
                }
            }
        }
        begun
    }

    /// What may have begun with an alarm: what accounts for it if nothing began before, of all that stands
    /// around it; where nothing does, the failures of its own element.
    fn beginnings(
        &self,
        scene: &mut Scene,
        alarm: AlarmNumber,
        noticed: Timestamp,
    ) -> Vec<(usize, Begun)> {
        if let Some(known) = scene.beginnings.get(&alarm) {
            return known.clone();
        }
        let open: Open = scene.around(noticed).map(|(it, _)| (it, true)).collect();
        let found = match self.best(open.clone(), alarm, 0.0, &BTreeMap::new()) {
            Some(Account { ranked, told, .. }) => {
                let (suspect, likelier) = ranked[0];
                vec![(suspect, Begun { likelier, told })]
            }
            None => self.own_failures(alarm, &open),
        };
        scene.beginnings.insert(alarm, found.clone());
        found
    }

    /// The failures of an alarm's own element, as far as they have a cause of a name.
    fn own_failures(&self, alarm: AlarmNumber, open: &Open) -> Vec<(usize, Begun)> {
        let fresh = self.fresh(&by_element(open));
        let parts = self.roles.takes_part[alarm.0].iter().map(|part| part.0);
        let own = parts.filter(|it| {
            let suspect = &self.roles.suspects[*it];
            suspect.element == alarm.0 && suspect.cause.is_some()
        });
        own.map(|suspect| {
            let likelier = fresh.get(&suspect).copied();
            let it = Begun {
                likelier: likelier.unwrap_or(f64::NEG_INFINITY),
                told: vec![(alarm, 1.0)],
            };
            (suspect, it)
        })
        .collect()
    }

    fn best(
        &self,
        open: Open,
        alarm: AlarmNumber,
        least: f64,
        begun: &BTreeMap<usize, Begun>,
    ) -> Option<Account> {
        let mut window = Window::new(*self, open, begun);
        for _ in 0..SURER_MAX {
            let (suspect, score, is_later) = window.likeliest()?;
            if score <= least {
                return None;
            }
            let told = window.told(suspect, is_later);
            if told.is_empty() {
                return None;
            }
            if told.iter().any(|(it, _)| *it == alarm) {
                return Some(Account {
                    ranked: window.ranked(suspect, &told),
                    before: is_later.then(|| begun[&suspect].told.clone()),
                    told,
                });
            }
            window.take(&told);
        }
        None
    }

    /// How much likelier each failure makes what stands, if it happened now.
    fn fresh(&self, said: &SaidByElement) -> BTreeMap<usize, f64> {
        let heard: BTreeSet<ElementKind> = said.keys().map(|e| self.roles.kinds[*e]).collect();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for (element, names) in said {
            for &(suspect, slot) in &self.roles.takes_part[*element] {
                let score = scores
                    .entry(suspect)
                    .or_insert_with(|| self.known.silence(self.roles, suspect, &heard));
                *score += self.known.said(self.roles, slot, *element, names);
            }
        }
        scores
    }

    /// The same if it began before.
    fn later(&self, said: &SaidByElement, begun: &BTreeMap<usize, Begun>) -> BTreeMap<usize, f64> {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for (element, names) in said {
            for &(suspect, slot) in &self.roles.takes_part[*element] {
                let Some(begun) = begun.get(&suspect) else {
                    continue;
                };
                let begun = LATER - (1.0 + (-begun.likelier).exp()).ln();
                let part = (suspect, slot);
                *scores.entry(suspect).or_insert(begun) +=
                    self.known.said_later(self.roles, part, *element, names);
            }
        }
        scores
    }
}

/// What stands around an instant, with how much likelier each failure makes it.
struct Window<'a> {
    accounting: Accounting<'a>,
    said: SaidByElement,
    fresh: BTreeMap<usize, f64>,
    later: BTreeMap<usize, f64>,
}

impl<'a> Window<'a> {
    fn new(accounting: Accounting<'a>, open: Open, begun: &BTreeMap<usize, Begun>) -> Self {
        let said = by_element(&open);
        Self {
            fresh: accounting.fresh(&said),
            later: accounting.later(&said, begun),
            accounting,
            said,
        }
    }

    /// How much likelier a failure makes what stands, whether it happened now or before; none if it has no part
    /// in it.
    fn score(&self, suspect: usize) -> Option<f64> {
        let fresh = self.fresh.get(&suspect).copied()?;
        let later = self.later.get(&suspect).copied();
        Some(later.map_or(fresh, |later| fresh.max(later)))
    }

    /// The likeliest failure, how much likelier it makes what stands, and whether it began before.
    fn likeliest(&self) -> Option<(usize, f64, bool)> {
        let scored = self
            .fresh
            .keys()
            .filter_map(|it| Some((*it, self.score(*it)?)));
        let (suspect, score) =
            scored.max_by(|x, y| x.1.total_cmp(&y.1).then_with(|| y.0.cmp(&x.0)))?;
        Some((suspect, score, self.later.get(&suspect) == Some(&score)))
    }

    /// Accounts for these: they tell of nothing else.
    fn take(&mut self, told: &Told) {
        let Accounting { roles, known } = self.accounting;
        let mut taken: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for ((element, name), _) in told {
            taken.entry(*element).or_default().insert(*name);
        }
        for (element, taken) in taken {
            let Some(names) = self.said.get_mut(&element) else {
                continue;
            };
            let before = names.clone();
            names
                .iter_mut()
                .for_each(|(name, open)| *open &= !taken.contains(name));
            for &(suspect, slot) in &roles.takes_part[element] {
                let told = |names: &[(usize, bool)]| known.said(roles, slot, element, names);
                if let Some(score) = self.fresh.get_mut(&suspect) {
                    *score += told(names) - told(&before);
                }
                let part = (suspect, slot);
                let told = |names: &[(usize, bool)]| known.said_later(roles, part, element, names);
                if let Some(score) = self.later.get_mut(&suspect) {
                    *score += told(names) - told(&before);
                }
            }
        }
    }

    /// The alarms that a failure accounts for: those that are likelier of it than by themselves.
    fn told(&self, suspect: usize, is_later: bool) -> Told {
        let Accounting { roles, known } = self.accounting;
        let mut told = Told::new();
        for (&element, names) in &self.said {
            let Some(slot) = roles.slot(element, suspect) else {
                continue;
            };
            let likelihoods = &known.slots[slot];
            let raised = match is_later {
                false => &likelihoods.raised,
                true if known.said_later(roles, (suspect, slot), element, names) > 0.0 => {
                    &likelihoods.later
                }
                true => continue,
            };
            for (name, _) in names.iter().filter(|(_, open)| *open) {
                let surely = known.surely(roles, element, *name, raised[*name]);
                if surely > 0.5 {
                    told.push(((element, *name), surely));
                }
            }
        }
        told
    }

    /// The likeliest, and whatever else those alarms may speak of.
    fn ranked(&self, best: usize, told: &Told) -> Vec<(usize, f64)> {
        let takes_part = &self.accounting.roles.takes_part;
        let parts = told.iter().flat_map(|(it, _)| &takes_part[it.0]);
        let rivals: BTreeSet<usize> = parts.map(|(suspect, _)| *suspect).collect();
        let scored = rivals
            .into_iter()
            .filter_map(|it| Some((it, self.score(it)?)));
        let mut ranked: Vec<(usize, f64)> = scored.collect();
        ranked.sort_by(|x, y| {
            let is_best = (y.0 == best).cmp(&(x.0 == best));
            is_best
                .then_with(|| y.1.total_cmp(&x.1))
                .then_with(|| x.0.cmp(&y.0))
        });
        ranked
    }
}

/// By element: its names, each with whether it is still to be accounted for.
type SaidByElement = BTreeMap<usize, Vec<(usize, bool)>>;

fn by_element(open: &Open) -> SaidByElement {
    let mut said = SaidByElement::new();
    for (&(element, name), &is_open) in open {
        said.entry(element).or_default().push((name, is_open));
    }
    said
}
