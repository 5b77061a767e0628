//! How likely each name of an alarm is raised by whoever takes part in a failure, and by itself.
//!
//! Before anything is learnt this is a guess by topology alone: whoever is expected to speak says one
//! thing, and which name that has is as open as it can be. Refuses to know what names mean. Read next:
//! [`super::learning`], which estimates it from an unlabelled past; [`super::accounts`], which goes by it.

use super::roles::{Failing, Role, Roles, Slot};
use domain::inventory::ElementKind;
use std::collections::{BTreeMap, BTreeSet};

/// Seconds around an alarm within which others are of the same failure at once.
pub(super) const AROUND_S: f64 = 300.0;
/// The seconds of such a window: rates and priors are of one.
pub(super) const WINDOW_S: f64 = 2.0 * AROUND_S;
/// The logarithm of how likely more comes of a failure in a given window later: once in six hours.
pub(super) const LATER: f64 = -3.583_518_938_456_11;
/// Probabilities are kept this far from 0 and from 1.
const LEAST: f64 = 1e-6;
const MOST: f64 = 0.98;

/// How likely it is, by topology alone, that one who plays a part says anything.
pub(super) fn expected(slot: &Slot) -> f64 {
    use ElementKind::{Optic, PowerZone};
    let kind = match slot.failing {
        Failing::Element(kind) => Some(kind),
        Failing::Vicinity => None,
    };
    match slot.role {
        Role::Itself | Role::Fed => 0.9,
        // Batteries last for a while, and a module fades before it is dark.
        Role::Facing if kind != Some(PowerZone) => 0.9,
        Role::CutOff | Role::CutOffBehind if !matches!(kind, Some(PowerZone | Optic)) => 0.9,
        Role::Near if slot.failing == Failing::Vicinity => 0.5,
        Role::Part => 0.3,
        // What is cut off works.
        Role::CutOffPart => 0.02,
        _ => 0.1,
    }
}

/// A probability that is neither 0 nor 1.
pub(super) fn probability(share: f64) -> f64 {
    share.clamp(LEAST, MOST)
}

/// How often names are raised by themselves, in a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    /// By name.
    pub(super) any: Vec<f64>,
    /// By kind of element and name, where that is known.
    pub(super) of_kind: BTreeMap<(ElementKind, usize), f64>,
    /// By element and name, likewise.
    pub(super) own: BTreeMap<(usize, usize), f64>,
}

/// What one slot has its elements say.
#[derive(Clone, Debug)]
pub(super) struct SlotLikelihoods {
    /// By name: the probability that it is raised at once.
    pub(super) raised: Vec<f64>,
    /// How many elements of the slot speak if more comes of the failure later.
    pub(super) speak_later: f64,
    /// By name: the probability that one of these raises it.
    pub(super) later: Vec<f64>,
}

/// All likelihoods on one network.
#[derive(Clone, Debug)]
pub(super) struct Likelihoods {
    /// The names, in order: a name's number is its place.
    names: Vec<String>,
    /// By slot.
    pub(super) slots: Vec<SlotLikelihoods>,
    pub(super) rates: Rates,
    /// The logarithm of how often one fails in a window; 0 where that is not known.
    pub(super) priors: BTreeMap<Failing, f64>,
    /// The kinds of elements that raise alarms at all; none if that is not known.
    speaking: Option<BTreeSet<ElementKind>>,
    /// True once they were estimated.
    pub(super) is_learnt: bool,
    /// By slot: the logarithm of the probability that one says nothing.
    silent: Vec<f64>,
}

impl Likelihoods {
    /// By topology alone. `at` says which names which kinds of elements raise, if that is known.
    pub(super) fn structural(
        roles: &Roles,
        names: Vec<String>,
        rates: Rates,
        at: Option<&BTreeMap<ElementKind, BTreeSet<usize>>>,
    ) -> Self {
        let slots = roles.slots.iter().map(|slot| {
            let all = || (0..names.len()).collect();
            let said: BTreeSet<usize> =
                at.map_or_else(all, |at| at.get(&slot.kind).cloned().unwrap_or_default());
            let each = |speaks: f64| {
                let share = speaks / said.len().max(1) as f64;
                let of = |name| if said.contains(&name) { share } else { 0.0 };
                (0..names.len()).map(|name| probability(of(name))).collect()
            };
            SlotLikelihoods {
                raised: each(expected(slot)),
                speak_later: 0.1,
                later: each(1.0),
            }
        });
        let slots = slots.collect();
        let mut guessed = Self {
            names,
            slots,
            rates,
            priors: BTreeMap::new(),
            speaking: at.map(|at| at.keys().copied().collect()),
            is_learnt: false,
            silent: Vec::new(),
        };
        guessed.settle(roles);
        guessed
    }

    /// Works out what silence tells.
    pub(super) fn settle(&mut self, roles: &Roles) {
        let slots = roles.slots.iter().zip(&self.slots);
        let silent = slots.map(|(slot, known)| match self.is_learnt {
            true => known.raised.iter().map(|p| (1.0 - p).ln()).sum(),
            false => (1.0 - expected(slot)).ln(),
        });
        self.silent = silent.collect();
    }

    /// The number of a name; none if it was never heard.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        let found = self
            .names
            .binary_search_by(|known| known.as_str().cmp(name));
        found.ok()
    }

    /// The name with a number.
    pub(super) fn name(&self, number: usize) -> &str {
        &self.names[number]
    }

    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// How often an element raises a name by itself, in a window.
    pub(super) fn rate(&self, roles: &Roles, element: usize, name: usize) -> f64 {
        let own = self.rates.own.get(&(element, name));
        let of_kind = || self.rates.of_kind.get(&(roles.kinds[element], name));
        own.or_else(of_kind)
            .copied()
            .unwrap_or(self.rates.any[name])
    }

    /// How surely an alarm is of a failure that would raise it with some probability, 0 to 1.
    pub(super) fn surely(&self, roles: &Roles, element: usize, name: usize, raised: f64) -> f64 {
        raised / (raised + self.rate(roles, element, name))
    }

    /// The logarithm of how much likelier a name is if it has a probability of its own.
    fn gain(&self, roles: &Roles, element: usize, name: usize, raised: f64) -> f64 {
        let rate = self.rate(roles, element, name);
        ((raised + rate) / rate).ln()
    }

    /// What it tells of a failure, beside its silence, that an element says this; those of the names that
    /// are accounted for otherwise are neither said nor missed.
    pub(super) fn said(
        &self,
        roles: &Roles,
        slot: usize,
        element: usize,
        names: &[(usize, bool)],
    ) -> f64 {
        let raised = &self.slots[slot].raised;
        let open = names.iter().filter(|(_, open)| *open);
        let gains = open.map(|(name, _)| self.gain(roles, element, *name, raised[*name]));
        let missed = match self.is_learnt {
            true => names
                .iter()
                .map(|(name, _)| (1.0 - raised[*name]).ln())
                .sum(),
            false => self.silent[slot],
        };
        gains.sum::<f64>() - missed
    }

    /// What it tells of a failure that began before if an element says this now; nothing speaks against
    /// it.
    pub(super) fn said_later(
        &self,
        roles: &Roles,
        (suspect, slot): (usize, usize),
        element: usize,
        names: &[(usize, bool)],
    ) -> f64 {
        let known = &self.slots[slot];
        let open = names.iter().filter(|(_, open)| *open);
        let gains = open.map(|(name, _)| self.gain(roles, element, *name, known.later[*name]));
        let many = roles.many(suspect, slot) as f64;
        let speaks = (known.speak_later / many).min(MOST);
        (gains.sum::<f64>() + speaks.ln()).max(0.0)
    }

    /// The logarithm of how likely it is that something fails and nobody says anything. `heard` are the
    /// kinds that say something now: where it is not known who ever does, no others are missed.
    pub(super) fn silence(
        &self,
        roles: &Roles,
        suspect: usize,
        heard: &BTreeSet<ElementKind>,
    ) -> f64 {
        let suspect = &roles.suspects[suspect];
        let speaking = self.speaking.as_ref().unwrap_or(heard);
        let slots = suspect.many.iter();
        let missed = slots.filter(|(slot, _)| speaking.contains(&roles.slots[*slot].kind));
        let missed = missed.map(|(slot, many)| self.silent[*slot] * *many as f64);
        let prior = self.priors.get(&suspect.failing).copied().unwrap_or(0.0);
        prior + missed.sum::<f64>()
    }
}
