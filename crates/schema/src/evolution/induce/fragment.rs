//! The distinct fragments of a cluster, and the words that they share.
//!
//! Refuses to know what key follows from them. Read next: [`super`].

use super::super::numeral::{Quantity, quantity};
use super::super::words::{Words, words};
use super::super::{Cluster, EvolutionSettings};
use super::{Screen, WHOLE_MAX};
use crate::lint::sensitive::by_name;
use crate::other::Fragment;
use std::collections::BTreeMap;

/// One distinct fragment.
pub(super) struct DistinctFragment<'a> {
    pub(super) raw: &'a str,
    pub(super) shown: Option<String>,
    /// Of what is shown.
    pub(super) words: Words,
    /// Content words of what was said, to find what is sensitive.
    all_words: Vec<String>,
    pub(super) quantity: Option<Quantity>,
    /// The number of times that it was said.
    pub(super) weight: usize,
}

impl<'a> DistinctFragment<'a> {
    pub(super) fn all(cluster: &'a Cluster, screen: Screen<'_>) -> Vec<Self> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for member in &cluster.members {
            *counts.entry(&member.text).or_default() += 1;
        }
        let mut sayings: Vec<_> = counts
            .into_iter()
            .map(|(raw, weight)| Self::new(raw, weight, screen))
            .collect();
        sayings.sort_by(|a, b| b.weight.cmp(&a.weight).then(a.raw.cmp(b.raw)));
        sayings
    }

    fn new(raw: &'a str, weight: usize, screen: Screen<'_>) -> Self {
        // What talks to a machine is no example for machines (§7).
        let alarming = Fragment::new(raw).is_some_and(|fragment| fragment.alarming());
        let shown = screen(raw).filter(|_| !alarming);
        Self {
            words: shown
                .as_deref()
                .map(words)
                .unwrap_or_default()
                .without_quantities(),
            all_words: words(raw).content,
            quantity: quantity(raw).filter(|q| q.value.abs() <= WHOLE_MAX),
            raw,
            shown,
            weight,
        }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.words.content.iter().any(|own| own == word)
    }

    pub(super) fn is_sensitive(&self, settings: &EvolutionSettings) -> bool {
        let extra = &settings.patch.policy.sensitive_words;
        let said =
            |word: &String| by_name(word) || extra.iter().any(|e| word.starts_with(e.as_str()));
        self.all_words.iter().any(said)
    }

    /// Its words beside these.
    pub(super) fn rest(&self, heads: &[String]) -> Vec<&String> {
        self.words
            .content
            .iter()
            .filter(|word| !heads.contains(word))
            .collect()
    }
}

pub(super) fn total(sayings: &[DistinctFragment<'_>]) -> usize {
    sayings.iter().map(|s| s.weight).sum()
}

/// In how many fragments each word stands.
pub(super) fn frequencies(sayings: &[DistinctFragment<'_>]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for saying in sayings {
        for word in &saying.words.content {
            *counts.entry(word.clone()).or_default() += saying.weight;
        }
    }
    counts
}

/// Words that so many percent of the fragments have, in the order in which they are said.
pub(super) fn shared(sayings: &[DistinctFragment<'_>], percent: usize) -> Vec<String> {
    let all = total(sayings);
    let mut heads: Vec<_> = frequencies(sayings)
        .into_iter()
        .filter(|(_, n)| n * 100 >= percent * all)
        .map(|(word, n)| (place(sayings, &word), std::cmp::Reverse(n), word))
        .collect();
    heads.sort();
    heads.into_iter().map(|(.., word)| word).collect()
}

/// The average place of a word, in hundredths of a word.
fn place(sayings: &[DistinctFragment<'_>], word: &str) -> usize {
    let at = |s: &DistinctFragment<'_>| {
        s.words
            .content
            .iter()
            .position(|w| w == word)
            .map(|i| (i, s.weight))
    };
    let (sum, n) = sayings
        .iter()
        .filter_map(at)
        .fold((0, 0), |(s, n), (i, w)| (s + i * w, n + w));
    sum * 100 / n.max(1)
}

pub(super) fn weight_of(
    sayings: &[DistinctFragment<'_>],
    holds: impl Fn(&DistinctFragment<'_>) -> bool,
) -> usize {
    sayings.iter().filter(|s| holds(s)).map(|s| s.weight).sum()
}
