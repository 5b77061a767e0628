//! Intent induction by rule: from a cluster's fragments to a candidate key (draft-zhou §6.2.2).
//!
//! ```text
//! most fragments have a number          ─► integer, or number with its unit
//! they share a word and fall into few
//!   variants ("window seat", "aisle…")  ─► string with enum, `seat_preference`, default "none"
//! they share one word, the rest varies  ─► string
//! they say the same                     ─► boolean, `quiet_cabin`, default false
//! ```
//! Names are made of the words that fragments share, in English; where no word is known the key is
//! `request_<n>` after its cluster. Only what [`Screen`] lets through reaches a name, a value or a
//! description (§7): numbers are shown as the cluster's median, never as one client's.

mod annotation;
mod fragment;

use super::lexicon::is_stop;
use super::numeral::Quantity;
use super::{CandidateKey, Cluster, EvolutionSettings};
use crate::lint::sensitive::by_name;
use crate::template::{
    Constraint, Key, KeyStatus, KeyType, MappingExample, OTHER, SCHEMA_UPDATE_SUGGESTION, Shape,
};
use annotation::annotation;
use fragment::{DistinctFragment, frequencies, shared, total, weight_of};
use serde_json::{Number, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Clears a fragment for publication, none if nothing can be shown; see
/// [`crate::other::Fragment::screened`].
pub type Screen<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The mark by which a number is veiled by [`crate::other`].
const VEILED_NUMBER: &str = "[number]";
/// Shares of fragments, in percent: what all have in common, what most have, what a variant has.
const SHARED: usize = 90;
const MOST: usize = 60;
const VARIANT: usize = 10;
/// Words of a name at most.
const NAME_WORDS: usize = 3;
/// Longest free text.
const TEXT_MAX: usize = 256;
/// Whole numbers beyond this cannot be told from their neighbours.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// The candidate of a cluster; none if it has no fragments that may be shown in any form.
pub fn induce(
    cluster: &Cluster,
    settings: &EvolutionSettings,
    screen: Screen<'_>,
) -> Option<CandidateKey> {
    let sayings = DistinctFragment::all(cluster, screen);
    let shape = kind(&sayings, settings);
    let examples = shape.examples(&sayings, settings.induction.examples_max);
    if examples.is_empty() {
        return None;
    }
    let key_name = shape
        .name(&sayings)
        .unwrap_or_else(|| format!("request_{}", cluster.id));
    let sensitive = by_name(&key_name) || sayings.iter().any(|s| s.is_sensitive(settings));
    let key = Key {
        annotation: annotation(&shape, &key_name, &examples),
        shape: shape.as_shape(),
        default_value: shape.default_value(),
        required: false,
        security_relevant: sensitive,
        standing: KeyStatus::Experimental,
        key_name,
    };
    Some(CandidateKey {
        key,
        said: sayings.iter().map(|s| s.raw.to_owned()).collect(),
        shown: sayings.iter().map(|s| s.shown.clone()).collect(),
        sensitive,
    })
}

/// The kind of key.
enum Kind {
    Amount {
        heads: Vec<String>,
        unit: Option<&'static str>,
        whole: bool,
        median: f64,
    },
    Choice {
        heads: Vec<String>,
        variants: Vec<String>,
    },
    Text {
        head: String,
    },
    Switch {
        heads: Vec<String>,
        negated: bool,
    },
}

fn kind(sayings: &[DistinctFragment<'_>], settings: &EvolutionSettings) -> Kind {
    let heads = shared(sayings, MOST);
    amount(sayings, &heads)
        .or_else(|| choice(sayings, settings.induction.variants_max))
        .or_else(|| text(sayings, &heads))
        .unwrap_or_else(|| switch(sayings, heads))
}

fn amount(sayings: &[DistinctFragment<'_>], heads: &[String]) -> Option<Kind> {
    let counted: Vec<_> = sayings
        .iter()
        .filter_map(|s| Some((s.quantity.as_ref()?, s.weight)))
        .collect();
    let with: usize = counted.iter().map(|(_, weight)| weight).sum();
    if with * 100 < MOST * total(sayings) {
        return None;
    }
    let unit = most_common(counted.iter().map(|(q, weight)| (q.unit, *weight)))?;
    let mut values: Vec<f64> = counted
        .iter()
        .flat_map(|(q, weight)| std::iter::repeat_n(q.value, *weight))
        .collect();
    values.sort_by(f64::total_cmp);
    Some(Kind::Amount {
        heads: heads.to_vec(),
        unit,
        whole: unit.is_none() && values.iter().all(|v| v.fract() == 0.0),
        median: values[values.len() / 2],
    })
}

fn most_common<T: Ord + Copy>(counted: impl Iterator<Item = (T, usize)>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for (value, weight) in counted {
        *counts.entry(value).or_default() += weight;
    }
    counts
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map(|(value, _)| value)
}

/// Few variants that hardly ever stand together and cover most fragments, beside a shared word.
fn choice(sayings: &[DistinctFragment<'_>], variants_max: usize) -> Option<Kind> {
    let heads = shared(sayings, SHARED);
    let all = total(sayings);
    let least = (all * VARIANT / 100).max(2);
    let mut words: Vec<_> = frequencies(sayings)
        .into_iter()
        .filter(|(w, _)| !heads.contains(w))
        .collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut variants: Vec<String> = Vec::new();
    for (word, n) in words.into_iter().filter(|(_, n)| *n >= least) {
        let together = weight_of(sayings, |s| {
            s.has(&word) && variants.iter().any(|v| s.has(v))
        });
        if together * 5 <= n {
            variants.push(word);
        }
    }
    let covered = weight_of(sayings, |s| variants.iter().any(|v| s.has(v)));
    let few = (2..=variants_max).contains(&variants.len());
    (few && !heads.is_empty() && covered * 100 >= MOST * all)
        .then_some(Kind::Choice { heads, variants })
}

/// One shared word, and beside it three other things or more.
fn text(sayings: &[DistinctFragment<'_>], heads: &[String]) -> Option<Kind> {
    let [head] = heads else { return None };
    let rests: BTreeSet<Vec<&String>> = sayings
        .iter()
        .map(|s| s.rest(std::slice::from_ref(head)))
        .collect();
    let varied = weight_of(sayings, |s| s.words.content.len() > 1) * 100 >= MOST * total(sayings);
    let told = rests.iter().filter(|rest| !rest.is_empty()).count() >= 3;
    (varied && told).then(|| Kind::Text { head: head.clone() })
}

fn switch(sayings: &[DistinctFragment<'_>], heads: Vec<String>) -> Kind {
    let negated = weight_of(sayings, |s| s.words.negated) * 2 > total(sayings);
    let heads = match heads.is_empty() {
        true => shared(sayings, MOST / 2),
        false => heads,
    };
    Kind::Switch { heads, negated }
}

impl Kind {
    /// In snake_case and ASCII; none if no word is known.
    fn name(&self, sayings: &[DistinctFragment<'_>]) -> Option<String> {
        let name = match self {
            Self::Amount { heads, .. } => joined(heads),
            Self::Choice { heads, .. } => joined(heads).map(|name| format!("{name}_preference")),
            Self::Text { head } => Some(format!("{head}_preference")),
            Self::Switch { heads, negated } => joined(heads).map(|name| match negated {
                true => format!("no_{name}"),
                false => name,
            }),
        }?;
        let reserved = name == OTHER || name == SCHEMA_UPDATE_SUGGESTION || is_stop(&name);
        let alone = matches!(self, Self::Switch { .. }) && !name.contains('_') && sayings.len() > 1;
        Some(if reserved || alone {
            format!("{name}_requested")
        } else {
            name
        })
    }

    fn as_shape(&self) -> Shape {
        let mut constraint = Constraint::default();
        let key_type = match self {
            Self::Amount { unit, whole, .. } => {
                constraint.unit = unit.map(str::to_owned);
                match whole {
                    true => KeyType::Integer,
                    false => KeyType::Number,
                }
            }
            Self::Choice { variants, .. } => {
                let words = variants.iter().map(String::as_str).chain(["none"]);
                constraint.allowed = words.map(Value::from).collect();
                KeyType::String
            }
            Self::Text { .. } => {
                constraint.max_length = Some(TEXT_MAX);
                KeyType::String
            }
            Self::Switch { .. } => KeyType::Boolean,
        };
        Shape {
            key_type,
            constraint,
        }
    }

    fn default_value(&self) -> Option<Value> {
        match self {
            Self::Choice { .. } => Some(json!("none")),
            Self::Switch { .. } => Some(json!(false)),
            Self::Amount { .. } | Self::Text { .. } => None,
        }
    }

    /// Screened fragments with the value they mean, one of each value first, then the most frequent.
    fn examples(
        &self,
        sayings: &[DistinctFragment<'_>],
        examples_max: usize,
    ) -> Vec<MappingExample> {
        let mut examples: Vec<MappingExample> = Vec::new();
        for example in sayings.iter().filter_map(|s| self.example(s)) {
            if !examples
                .iter()
                .any(|e| e.said.to_lowercase() == example.said.to_lowercase())
            {
                examples.push(example);
            }
        }
        let mut seen: Vec<Value> = Vec::new();
        let again = |e: &MappingExample| {
            let again = seen.contains(&e.value);
            seen.push(e.value.clone());
            again
        };
        let mut ranked: Vec<_> = examples
            .iter()
            .map(again)
            .zip(examples.iter().cloned())
            .collect();
        // Veils tell little; stable, so that the most frequent stay in front.
        ranked.sort_by_key(|(again, e)| (e.said.contains('['), *again));
        ranked.truncate(examples_max);
        ranked.into_iter().map(|(_, example)| example).collect()
    }

    fn example(&self, saying: &DistinctFragment<'_>) -> Option<MappingExample> {
        let shown = saying.shown.clone()?;
        let (said, value) = match self {
            Self::Amount { whole, median, .. } => {
                let quantity = saying.quantity.as_ref()?;
                let value = if quantity.digits {
                    *median
                } else {
                    quantity.value
                };
                let told = number(value, *whole)?;
                (with_number(shown, quantity, &told)?, Value::Number(told))
            }
            Self::Choice { variants, .. } => {
                let mut said = variants.iter().filter(|v| saying.has(v));
                let variant = said.next().filter(|_| said.next().is_none())?;
                let value = if saying.words.negated {
                    "none"
                } else {
                    variant
                };
                (shown, json!(value))
            }
            Self::Text { head } => {
                let rest = saying.rest(std::slice::from_ref(head));
                let words: Vec<_> = rest.iter().map(|w| w.replace('_', " ")).collect();
                (
                    shown,
                    json!(Some(words.join(" ")).filter(|w| !w.is_empty())?),
                )
            }
            Self::Switch { heads, negated } => {
                let whole = heads.iter().all(|head| saying.has(head));
                (
                    whole.then_some(shown)?,
                    json!(saying.words.negated == *negated),
                )
            }
        };
        Some(MappingExample { said, value })
    }
}

fn joined(heads: &[String]) -> Option<String> {
    let words: Vec<&str> = heads.iter().take(NAME_WORDS).map(String::as_str).collect();
    (!words.is_empty()).then(|| words.join("_"))
}

/// A number as people write it; none if it has a fraction and must not.
pub(super) fn number(value: f64, whole: bool) -> Option<Number> {
    match value.fract() == 0.0 && value.abs() <= WHOLE_MAX {
        true => Some(Number::from(value as i64)),
        false if whole => None,
        false => Number::from_f64(value),
    }
}

/// The median in place of what someone said.
fn with_number(shown: String, quantity: &Quantity, told: &Number) -> Option<String> {
    match (quantity.digits, shown.matches(VEILED_NUMBER).count()) {
        (true, 1) => Some(shown.replace(VEILED_NUMBER, &told.to_string())),
        (false, 0) => Some(shown),
        _ => None,
    }
}
