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

use super::lexicon::is_stop;
use super::numeral::{Quantity, quantity};
use super::words::{Words, words};
use super::{CandidateKey, Cluster, EvolutionSettings};
use crate::language::Language;
use crate::lint::sensitive::by_name;
use crate::other::Fragment;
use crate::template::{
    Annotation, Constraint, Description, Key, KeyStatus, KeyType, MappingExample, OTHER,
    SCHEMA_UPDATE_SUGGESTION, Shape,
};
use ::language::script::is_mostly_chinese;
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

/// One distinct fragment.
struct DistinctFragment<'a> {
    raw: &'a str,
    shown: Option<String>,
    /// Of what is shown.
    words: Words,
    /// Content words of what was said, to find what is sensitive.
    all_words: Vec<String>,
    quantity: Option<Quantity>,
    /// The number of times that it was said.
    weight: usize,
}

impl<'a> DistinctFragment<'a> {
    fn all(cluster: &'a Cluster, screen: Screen<'_>) -> Vec<Self> {
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

    fn has(&self, word: &str) -> bool {
        self.words.content.iter().any(|own| own == word)
    }

    fn is_sensitive(&self, settings: &EvolutionSettings) -> bool {
        let extra = &settings.patch.policy.sensitive_words;
        let said =
            |word: &String| by_name(word) || extra.iter().any(|e| word.starts_with(e.as_str()));
        self.all_words.iter().any(said)
    }
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

fn total(sayings: &[DistinctFragment<'_>]) -> usize {
    sayings.iter().map(|s| s.weight).sum()
}

/// In how many fragments each word stands.
fn frequencies(sayings: &[DistinctFragment<'_>]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for saying in sayings {
        for word in &saying.words.content {
            *counts.entry(word.clone()).or_default() += saying.weight;
        }
    }
    counts
}

/// Words that so many percent of the fragments have, in the order in which they are said.
fn shared(sayings: &[DistinctFragment<'_>], percent: usize) -> Vec<String> {
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

fn weight_of(
    sayings: &[DistinctFragment<'_>],
    holds: impl Fn(&DistinctFragment<'_>) -> bool,
) -> usize {
    sayings.iter().filter(|s| holds(s)).map(|s| s.weight).sum()
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

impl DistinctFragment<'_> {
    /// Its words beside these.
    fn rest(&self, heads: &[String]) -> Vec<&String> {
        self.words
            .content
            .iter()
            .filter(|word| !heads.contains(word))
            .collect()
    }
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
        let (key_type, constraint) = match self {
            Self::Amount { unit, whole, .. } => {
                let unit = unit.map(str::to_owned);
                let key_type = if *whole {
                    KeyType::Integer
                } else {
                    KeyType::Number
                };
                (
                    key_type,
                    Constraint {
                        unit,
                        ..Constraint::default()
                    },
                )
            }
            Self::Choice { variants, .. } => {
                let words = variants.iter().map(String::as_str).chain(["none"]);
                let allowed = words.map(Value::from).collect();
                (
                    KeyType::String,
                    Constraint {
                        allowed,
                        ..Constraint::default()
                    },
                )
            }
            Self::Text { .. } => {
                let max_length = Some(TEXT_MAX);
                (
                    KeyType::String,
                    Constraint {
                        max_length,
                        ..Constraint::default()
                    },
                )
            }
            Self::Switch { .. } => (KeyType::Boolean, Constraint::default()),
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

/// Descriptions in English and Chinese, each with the examples of its language; with all, if there
/// are none of its own.
fn annotation(kind: &Kind, key_name: &str, examples: &[MappingExample]) -> Annotation {
    let phrase = key_name.replace('_', " ");
    let (en, zh) = meanings(kind, &phrase, examples);
    let of = |chinese: bool| -> Vec<MappingExample> {
        let own = examples
            .iter()
            .filter(|e| is_mostly_chinese(&e.said) == chinese)
            .cloned();
        Some(own.collect::<Vec<_>>())
            .filter(|own| !own.is_empty())
            .unwrap_or(examples.to_vec())
    };
    let described = |meaning: String, chinese: bool| Description {
        meaning,
        verbatim: false,
        examples: of(chinese),
    };
    Annotation(BTreeMap::from([
        (Language::english(), described(en, false)),
        (Language::chinese(), described(zh, true)),
    ]))
}

fn meanings(kind: &Kind, phrase: &str, examples: &[MappingExample]) -> (String, String) {
    let chinese = examples
        .iter()
        .find(|e| is_mostly_chinese(&e.said))
        .map(|e| e.said.as_str());
    let zh = chinese.unwrap_or(phrase);
    match kind {
        Kind::Amount { .. } => (
            format!("The amount asked for: {phrase}."),
            format!("所要求的数量：{zh}。"),
        ),
        Kind::Choice { .. } => (
            format!("Which is wanted: {phrase}; none if it does not matter."),
            format!("所需的选项：{zh}；none 表示无要求。"),
        ),
        Kind::Text { .. } => (
            format!("What is wanted, in few words: {phrase}."),
            format!("简述所需内容：{zh}。"),
        ),
        Kind::Switch { .. } => (
            format!("Whether this is wanted: {phrase}."),
            format!("是否需要：{zh}。"),
        ),
    }
}
