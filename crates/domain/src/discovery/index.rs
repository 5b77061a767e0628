//! An inverted index of registered agents, so that a search among ten thousand does not read ten
//! thousand profiles.
//!
//! Each agent has a slot; each facet and word lists the slots of the agents that have it. The
//! rarest facet asked for gives the candidates, which are then checked against their cards. Read
//! next: [`crate::registry`].

use super::{Card, Criteria, Match, domains, folded, reasons, words};
use crate::profile::Profile;
use crate::registry::{Health, Registration};
use language::word::singular;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The highest score.
const SCORE_MOST: u32 = 1_000;

/// The unit of weights and of shares: whole numbers, in 1,024ths.
const UNIT: u64 = 1_024;

/// The weight of a word in a name, tag, domain or managed object, where one in a description weighs
/// 1.
const NAMED: u16 = 3;

/// The facets by which agents are indexed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Facet {
    Skill,
    Tag,
    InputMode,
    OutputMode,
    Domain,
    Schema,
    Word,
}

/// An agent that has something, and how much of it: the weight of a word, 1 of anything else.
#[derive(Clone, Copy)]
struct Posting {
    slot: usize,
    weight: u16,
}

struct Entry {
    registration: Arc<Registration>,
    card: Card,
    /// The weight of all words of the agent.
    length: u64,
}

/// A candidate with its score.
struct Candidate {
    slot: usize,
    score: u32,
}

/// Agents, to be searched.
#[derive(Default)]
pub struct Index {
    slots: Vec<Option<Entry>>,
    free: Vec<usize>,
    names: BTreeMap<String, usize>,
    postings: BTreeMap<(Facet, String), Vec<Posting>>,
    /// The weight of all words of all agents.
    length: u64,
}

impl Index {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Enters an agent, or replaces its entry.
    pub fn put(&mut self, registration: Arc<Registration>) {
        let name = &registration.profile.name;
        if let Some(slot) = self.names.get(name)
            && let Some(entry) = &mut self.slots[*slot]
            && entry.registration.profile == registration.profile
        {
            entry.registration = registration;
            return;
        }
        self.remove(name);
        let slot = self.free.pop().unwrap_or(self.slots.len());
        if slot == self.slots.len() {
            self.slots.push(None);
        }
        let (keys, length) = keys(&registration.profile);
        for (key, weight) in keys {
            let list = self.postings.entry(key).or_default();
            let place = list.partition_point(|p| p.slot < slot);
            list.insert(place, Posting { slot, weight });
        }
        self.length += length;
        self.names.insert(name.clone(), slot);
        self.slots[slot] = Some(Entry {
            card: Card::of(&registration.profile),
            registration,
            length,
        });
    }

    /// Takes an agent out; nothing happens if it is not there.
    pub fn remove(&mut self, name: &str) {
        let Some(slot) = self.names.remove(name) else {
            return;
        };
        let entry = self.slots[slot]
            .take()
            .expect("a name has an entry in its slot");
        for (key, _) in keys(&entry.registration.profile).0 {
            let list = self
                .postings
                .get_mut(&key)
                .expect("what was entered is there");
            let place = list.partition_point(|p| p.slot < slot);
            list.remove(place);
            if list.is_empty() {
                self.postings.remove(&key);
            }
        }
        self.length -= entry.length;
        self.free.push(slot);
    }

    /// The available agents that satisfy every criterion, best first, equals by name; at most
    /// `limit`. An agent whose lease has expired, or which is failing, is not found; the score of
    /// a degraded one is halved.
    pub fn search(&self, criteria: &Criteria, limit: usize) -> Vec<Match> {
        let wanted = criteria.folded();
        let asked = words::asked(wanted.text.as_deref().unwrap_or_default());
        let spoken: Vec<&[Posting]> = asked
            .iter()
            .map(|word| self.having(Facet::Word, &singular(word)))
            .collect();
        let shares = (!asked.is_empty()).then(|| self.shares(&spoken));
        let rarest = facets(&wanted)
            .map(|(facet, text)| self.having(facet, text))
            .min_by_key(|list| list.len());
        let fits = |slot: usize| self.candidate(slot, &wanted, shares.as_deref());
        let mut found: Vec<Candidate> = match rarest {
            Some(list) => list
                .iter()
                .filter_map(|posting| fits(posting.slot))
                .collect(),
            None => (0..self.slots.len()).filter_map(fits).collect(),
        };
        let rank = |c: &Candidate| (Reverse(c.score), self.entry(c.slot).name());
        if (1..found.len()).contains(&limit) {
            found.select_nth_unstable_by(limit, |a, b| rank(a).cmp(&rank(b)));
        }
        found.truncate(limit);
        found.sort_unstable_by(|a, b| rank(a).cmp(&rank(b)));
        let told = |candidate: Candidate| {
            let entry = self.entry(candidate.slot);
            let skills = &entry.registration.profile.skills;
            let skill = entry.card.skill(&wanted).map(|place| &skills[place]);
            let said = asked.iter().zip(&spoken);
            let said = said.filter(|(_, list)| holds(list, candidate.slot));
            let said: Vec<&str> = said.map(|(word, _)| word.as_str()).collect();
            Match {
                name: entry.name().to_owned(),
                score: candidate.score,
                reasons: reasons(&entry.registration, skill, criteria, &said),
            }
        };
        found.into_iter().map(told).collect()
    }

    /// The agent in the slot with its score, if it is available and meets every criterion.
    fn candidate(
        &self,
        slot: usize,
        wanted: &Criteria,
        shares: Option<&[u64]>,
    ) -> Option<Candidate> {
        let entry = self.slots[slot].as_ref()?;
        let share = shares.map_or(UNIT, |shares| shares[slot]);
        let fits = share > 0 && entry.registration.is_available() && entry.card.fits(wanted);
        let score = (share * u64::from(SCORE_MOST) / UNIT).max(1) as u32;
        fits.then(|| Candidate {
            slot,
            score: match entry.registration.health {
                Health::Ok => score,
                Health::Degraded | Health::Failing => score.div_ceil(2),
            },
        })
    }

    /// For each slot, the share of the asked words that it covers, from 0 to [`UNIT`]: BM25 with k₁
    /// = 1.2 and b = 0.75, divided by the highest possible value.
    fn shares(&self, spoken: &[&[Posting]]) -> Vec<u64> {
        let mut sums = vec![0; self.slots.len()];
        let mut most = 0;
        let mean = (self.length / self.len().max(1) as u64).max(1);
        for list in spoken {
            let rarity = self.rarity(list.len());
            most += rarity * UNIT;
            for posting in *list {
                let weight = u64::from(posting.weight) * UNIT;
                let ballast = 307 + 922 * self.entry(posting.slot).length / mean;
                // At least 1: whoever has the word fits, however long its profile.
                sums[posting.slot] += (rarity * weight * UNIT / (weight + ballast)).max(1);
            }
        }
        let share = |sum: u64| (sum * UNIT).div_ceil(most.max(1));
        sums.into_iter().map(share).collect()
    }

    /// The weight of a word that `having` agents have: log₂(1 + N/n), in [`UNIT`]s.
    fn rarity(&self, having: usize) -> u64 {
        let having = having.max(1) as u64;
        log2((self.len() as u64 + having) * UNIT / having) - log2(UNIT)
    }

    fn having(&self, facet: Facet, text: &str) -> &[Posting] {
        let key = (facet, text.to_owned());
        self.postings.get(&key).map_or(&[], Vec::as_slice)
    }

    fn entry(&self, slot: usize) -> &Entry {
        self.slots[slot]
            .as_ref()
            .expect("a posting has an entry in its slot")
    }
}

impl Entry {
    fn name(&self) -> &str {
        &self.registration.profile.name
    }
}

/// The logarithm to base 2, in [`UNIT`]s, linearly interpolated between powers of two.
fn log2(x: u64) -> u64 {
    let whole = u64::from(x.ilog2());
    whole * UNIT + ((x * UNIT) >> whole) - UNIT
}

fn holds(list: &[Posting], slot: usize) -> bool {
    list.binary_search_by_key(&slot, |posting| posting.slot)
        .is_ok()
}

/// The facets under which the stated criteria are looked up.
fn facets(wanted: &Criteria) -> impl Iterator<Item = (Facet, &str)> {
    let stated = [
        (Facet::Skill, &wanted.skill),
        (Facet::InputMode, &wanted.input_mode),
        (Facet::OutputMode, &wanted.output_mode),
        (Facet::Domain, &wanted.domain),
        (Facet::Schema, &wanted.schema),
    ];
    let stated = stated
        .into_iter()
        .filter_map(|(facet, text)| Some((facet, text.as_deref()?)));
    stated.chain(wanted.tags.iter().map(|tag| (Facet::Tag, tag.as_str())))
}

/// The keys under which a profile is entered with their weights, and the weight of all its words.
fn keys(profile: &Profile) -> (BTreeMap<(Facet, String), u16>, u64) {
    let mut keys = BTreeMap::new();
    let mut length = 0;
    let mut facet = |facet, texts: &[String]| {
        keys.extend(texts.iter().map(|text| ((facet, folded(text)), 1)));
    };
    for skill in &profile.skills {
        facet(Facet::Skill, std::slice::from_ref(&skill.name));
        facet(Facet::Tag, &skill.tags);
        facet(Facet::InputMode, &skill.input_modes);
        facet(Facet::OutputMode, &skill.output_modes);
        facet(Facet::Schema, &skill.schemas);
    }
    keys.extend(domains(profile).map(|domain| ((Facet::Domain, domain), 1)));
    for (text, weight) in texts(profile) {
        for word in words::words(text) {
            let sum: &mut u16 = keys
                .entry((Facet::Word, singular(&word).into_owned()))
                .or_default();
            *sum = sum.saturating_add(weight);
            length += u64::from(weight);
        }
    }
    (keys, length)
}

/// The texts whose words are searched, with the weight of each.
fn texts(profile: &Profile) -> impl Iterator<Item = (&str, u16)> {
    let named = [
        Some(&profile.name),
        profile.alias.as_ref(),
        profile.agent_type.as_ref(),
        profile.domain.as_ref(),
        profile.management_object.as_ref(),
    ];
    let named = named
        .into_iter()
        .flatten()
        .map(|text| (text.as_str(), NAMED));
    let skills = profile.skills.iter().flat_map(|skill| {
        let named = std::iter::once(&skill.name)
            .chain(&skill.tags)
            .chain(&skill.schemas);
        let told = std::iter::once(&skill.description).chain(&skill.examples);
        let named = named.map(|text| (text.as_str(), NAMED));
        named.chain(told.map(|text| (text.as_str(), 1)))
    });
    named
        .chain(std::iter::once((profile.description.as_str(), 1)))
        .chain(skills)
}
