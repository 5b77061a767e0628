//! Likelihoods learnt from an unlabelled past: what is explained by what is known so far teaches more.
//!
//! Hard expectation maximisation. The past is heard again as it was delivered; what accounts for its
//! alarms, as far as at least two speak for it, is taken for true; from these failures follow the
//! likelihoods of the next round, each shrunk towards what failures of all kinds have in common, and that
//! towards the guess by topology. What no failure accounts for is what elements raise by themselves.
//! Refuses to know labels: none can be passed. Read next: [`super::accounts`].

use super::accounts::{Accounting, AlarmNumber, Scene, Told};
use super::likelihoods::{Likelihoods, Rates, WINDOW_S, probability};
use super::roles::{Failing, Role, Roles};
use domain::inventory::ElementKind;
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Seconds for which an alarm stands before it is accounted for.
const STANDS_S: f64 = 300.0;
/// How many failures a guess counts for beside those that were found.
const GUESSED: f64 = 2.0;
/// Seconds after which anything fails once, before that was learnt: two years.
const FAILS_AFTER_S: f64 = 2.0 * 365.0 * 86_400.0;
/// Rounds of learning: later ones change hardly anything.
const ROUNDS: usize = 4;

/// A past by number.
struct Past {
    /// As it was delivered: when, what, when it was noticed or had gone, and whether it had gone.
    heard: Vec<(Timestamp, AlarmNumber, Timestamp, bool)>,
    windows: f64,
    /// How often each was raised.
    onsets: BTreeMap<AlarmNumber, f64>,
}

/// A failure that was found in the past, or what came of one later.
struct FoundFailure {
    suspect: usize,
    is_later: bool,
    /// True if at least two alarms speak for it.
    is_sure: bool,
    told: Told,
}

/// Learns from alarms, each with the instant of its delivery; none if there are none of this network.
pub(super) fn learn<'a>(
    roles: &Roles,
    past: impl IntoIterator<Item = (Timestamp, &'a Alarm)>,
) -> Option<Likelihoods> {
    let past: Vec<(Timestamp, &Alarm)> = past.into_iter().collect();
    let names: BTreeSet<&str> = past.iter().map(|(_, alarm)| alarm.type_name()).collect();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let past = Past::of(roles, &names, &past)?;
    let mut at: BTreeMap<ElementKind, BTreeSet<usize>> = BTreeMap::new();
    for (element, name) in past.onsets.keys() {
        at.entry(roles.kinds[*element]).or_default().insert(*name);
    }
    let rates = past.rates(roles, names.len(), &BTreeMap::new());
    let mut guess = Likelihoods::structural(roles, names, rates, Some(&at));
    let each = WINDOW_S / FAILS_AFTER_S;
    let kinds = roles.suspects.iter().map(|suspect| suspect.failing);
    guess.priors = kinds.map(|failing| (failing, each.ln())).collect();
    let mut known = guess.clone();
    for _ in 0..ROUNDS {
        let accounting = Accounting {
            roles,
            known: &known,
        };
        let found = past.failures(accounting);
        known = estimated(roles, &guess, &past, &found);
    }
    Some(known)
}

impl Past {
    fn of(roles: &Roles, names: &[String], past: &[(Timestamp, &Alarm)]) -> Option<Self> {
        let mut seen: BTreeSet<(AlarmNumber, Timestamp)> = BTreeSet::new();
        let mut onsets: BTreeMap<AlarmNumber, f64> = BTreeMap::new();
        let mut heard = Vec::new();
        for (at, alarm) in past {
            let name = names.binary_search_by(|it| it.as_str().cmp(alarm.type_name()));
            let (Some(element), Ok(name)) = (roles.number(&alarm.resource), name) else {
                continue;
            };
            let key = (element, name);
            heard.push((*at, key, alarm.time, alarm.cleared));
            // What is delivered again was raised once.
            if !alarm.cleared && seen.insert((key, alarm.time)) {
                *onsets.entry(key).or_default() += 1.0;
            }
        }
        heard.sort_by_key(|it| it.0);
        let lasted_s = heard.last()?.0.seconds_since(heard.first()?.0);
        Some(Self {
            windows: (lasted_s / WINDOW_S).max(1.0),
            heard,
            onsets,
        })
    }

    /// What is raised by itself: all that was, less what failures account for.
    fn rates(&self, roles: &Roles, names: usize, told: &BTreeMap<AlarmNumber, f64>) -> Rates {
        let mut many: BTreeMap<ElementKind, f64> = BTreeMap::new();
        for kind in &roles.kinds {
            *many.entry(*kind).or_default() += 1.0;
        }
        let left = |key: &AlarmNumber, all: f64| {
            let told = told.get(key).copied().unwrap_or_default();
            (all - told).max(0.0)
        };
        let mut of_kind: BTreeMap<(ElementKind, usize), f64> = BTreeMap::new();
        for (key, all) in &self.onsets {
            *of_kind.entry((roles.kinds[key.0], key.1)).or_default() += left(key, *all);
        }
        // Half an alarm more than was seen: what was not seen may be yet.
        for ((kind, _), all) in &mut of_kind {
            *all = (*all + 0.5) / (self.windows * many[kind]);
        }
        // An element that did it again and again does so more often than its kind; once is what is to be
        // explained.
        let own = self.onsets.iter().map(|(key, all)| {
            let again = (left(key, *all) - 1.0).max(0.0) / self.windows;
            let kind = of_kind[&(roles.kinds[key.0], key.1)];
            (*key, (again + kind) / 2.0)
        });
        let unseen = 0.5 / (self.windows * roles.ids.len() as f64);
        Rates {
            own: own.collect(),
            of_kind,
            any: vec![unseen; names],
        }
    }

    /// What accounts for the past, by what could be known at each instant.
    fn failures(&self, accounting: Accounting<'_>) -> Vec<FoundFailure> {
        let mut scene = Scene::default();
        let mut cleared: BTreeMap<AlarmNumber, Timestamp> = BTreeMap::new();
        let mut ripe: BTreeSet<(Timestamp, AlarmNumber)> = BTreeSet::new();
        let mut found: Vec<FoundFailure> = Vec::new();
        for &(at, key, time, has_gone) in &self.heard {
            while let Some((due, alarm)) = ripe.first().copied().filter(|(due, _)| *due <= at) {
                ripe.remove(&(due, alarm));
                if !scene.is_spoken_for(alarm) {
                    account(accounting, &mut scene, alarm, &mut found);
                }
            }
            if has_gone {
                let latest = cleared.entry(key).or_insert(time);
                *latest = time.max(*latest);
                if scene.noticed(key).is_some_and(|noticed| noticed <= time) {
                    scene.remove(key);
                    ripe.retain(|(_, alarm)| *alarm != key);
                }
            } else if cleared.get(&key).is_none_or(|gone| time > *gone)
                && scene.noticed(key).is_none()
            {
                scene.insert(key, time);
                ripe.insert((at.plus_s(STANDS_S), key));
            }
        }
        found.retain(|failure| failure.is_sure);
        found
    }
}

/// Takes what accounts for an alarm for true.
fn account(
    accounting: Accounting<'_>,
    scene: &mut Scene,
    alarm: AlarmNumber,
    found: &mut Vec<FoundFailure>,
) {
    let Some(account) = accounting.account(scene, alarm, 0.0) else {
        return;
    };
    let (suspect, _) = account.ranked[0];
    let told = account.told;
    told.iter().for_each(|(it, _)| scene.speak_for(*it));
    let is_later = account.before.is_some();
    if let Some(before) = account.before {
        // What was too little by itself is confirmed by what came of it.
        let same = |it: &&mut FoundFailure| {
            let begins = |(x, _): &(AlarmNumber, f64)| before.iter().any(|(y, _)| x == y);
            it.suspect == suspect && !it.is_later && it.told.iter().any(begins)
        };
        match found.iter_mut().rev().find(same) {
            Some(known) => known.is_sure = true,
            None => found.push(FoundFailure {
                suspect,
                is_later: false,
                is_sure: true,
                told: before,
            }),
        }
    }
    let own = accounting.roles.suspects[suspect].element;
    let [first, others @ ..] = &told[..] else {
        return;
    };
    let elsewhere = others.iter().any(|(it, _)| it.0 != first.0.0);
    let by_itself = !others.is_empty() && first.0.0 == own;
    found.push(FoundFailure {
        suspect,
        is_later,
        is_sure: is_later || elsewhere || by_itself,
        told,
    });
}

/// Counts of one slot.
#[derive(Clone, Default)]
struct SlotCounts {
    /// Failures in which elements have the slot, and by name the shares of these that raised it, summed.
    failures: f64,
    raised: Vec<f64>,
    /// Times that more came later, elements that spoke then, and by name how many of these raised it.
    later: f64,
    spoke: f64,
    said: Vec<f64>,
}

/// The likelihoods that follow from failures.
fn estimated(
    roles: &Roles,
    guess: &Likelihoods,
    past: &Past,
    found: &[FoundFailure],
) -> Likelihoods {
    let none = SlotCounts {
        raised: vec![0.0; guess.len()],
        said: vec![0.0; guess.len()],
        ..SlotCounts::default()
    };
    let mut counts = vec![none; roles.slots.len()];
    let mut failed: BTreeMap<Failing, f64> = BTreeMap::new();
    let mut told: BTreeMap<AlarmNumber, f64> = BTreeMap::new();
    for failure in found {
        count(roles, failure, &mut counts);
        for (alarm, surely) in &failure.told {
            *told.entry(*alarm).or_default() += surely;
        }
        if !failure.is_later {
            let suspect = &roles.suspects[failure.suspect];
            *failed.entry(suspect.failing).or_default() += 1.0;
        }
    }
    let mut known = guess.clone();
    known.is_learnt = true;
    known.rates = past.rates(roles, guess.len(), &told);
    // What failures of all kinds have in common, by role and by the kind of who speaks.
    let mut common: BTreeMap<(Role, ElementKind), (f64, Vec<f64>)> = BTreeMap::new();
    for (slot, counts) in roles.slots.iter().zip(&counts) {
        let pooled = common.entry((slot.role, slot.kind)).or_default();
        pooled.0 += counts.failures;
        pooled.1.resize(guess.len(), 0.0);
        let sums = pooled.1.iter_mut().zip(&counts.raised);
        sums.for_each(|(sum, share)| *sum += share);
    }
    let shrunk = |sum: f64, of: f64, towards: f64| (sum + GUESSED * towards) / (of + GUESSED);
    for (place, slot) in roles.slots.iter().enumerate() {
        let (counts, guessed) = (&counts[place], &guess.slots[place]);
        let (pooled, sums) = &common[&(slot.role, slot.kind)];
        let known = &mut known.slots[place];
        for (name, sum) in sums.iter().enumerate() {
            let first = guessed.raised[name];
            let shared = match slot.role {
                // What fails says different things by kind.
                Role::Itself => first,
                _ => shrunk(*sum, *pooled, first),
            };
            let raised = shrunk(counts.raised[name], counts.failures, shared);
            known.raised[name] = probability(raised);
            let later = shrunk(counts.said[name], counts.spoke, guessed.later[name]);
            known.later[name] = probability(later);
        }
        known.speak_later = shrunk(counts.spoke, counts.later, guessed.speak_later);
    }
    for (failing, prior) in &mut known.priors {
        let many = roles.suspects.iter().filter(|it| it.failing == *failing);
        let tries = past.windows * many.count() as f64;
        let failed = failed.get(failing).copied().unwrap_or_default();
        *prior = ((failed + GUESSED) / (tries + GUESSED / prior.exp())).ln();
    }
    known.settle(roles);
    known
}

fn count(roles: &Roles, failure: &FoundFailure, counts: &mut [SlotCounts]) {
    for (slot, _) in &roles.suspects[failure.suspect].many {
        match failure.is_later {
            true => counts[*slot].later += 1.0,
            false => counts[*slot].failures += 1.0,
        }
    }
    let mut spoke: BTreeSet<usize> = BTreeSet::new();
    for ((element, name), surely) in &failure.told {
        let Some(slot) = roles.slot(*element, failure.suspect) else {
            continue;
        };
        let counts = &mut counts[slot];
        if !failure.is_later {
            counts.raised[*name] += surely / roles.many(failure.suspect, slot) as f64;
            continue;
        }
        counts.said[*name] += surely;
        if spoke.insert(*element) {
            counts.spoke += 1.0;
        }
    }
}
