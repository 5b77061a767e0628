//! Conflict detection: what of a candidate is there already (draft-zhou §6.2.2).
//!
//! A candidate that has the name of a key, or that means what a key means and can be said as a value
//! of it, becomes a refinement of that key's description; only what is left becomes a key.

use super::nearest::{dot, unit};
use super::numeral::quantity;
use super::pool::threshold;
use super::words::words;
use super::{CandidateKey, EvolutionSettings};
use crate::language::Language;
use crate::lint::fits;
use crate::patch::Refinement;
use crate::semantics::Embedder;
use crate::template::{
    Annotation, Description, Key, KeyType, MappingExample, SCHEMA_UPDATE_SUGGESTION, Shape,
    Template,
};
use ::language::script::is_mostly_chinese;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Fragments of a cluster that are compared with the keys there are.
const COMPARED: usize = 4;
/// Examples that a description has after a refinement, at most.
const EXAMPLES_MAX: usize = 12;

/// The fate of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Resolved {
    /// A key that there was not.
    New(Key),
    /// A key that there is, better described.
    Refines {
        /// Its name and new description.
        refinement: Refinement,
        /// True if it touches payment, identity or access.
        sensitive: bool,
    },
}

/// Places a candidate among the keys of a template as it is with its patches, active and pending;
/// `taken` are names that stand for something else still (withdrawn and yet accepted). None if there
/// is nothing that could be shown.
pub fn resolve(
    candidate: &CandidateKey,
    template: &Template,
    taken: &[(String, Shape)],
    settings: &EvolutionSettings,
    embedder: &dyn Embedder,
) -> Option<Resolved> {
    let named = template
        .own_keys()
        .find(|key| key.key_name == candidate.key.key_name);
    let key = named.or_else(|| meant(candidate, template, settings, embedder));
    let Some(key) = key else {
        return Some(Resolved::New(renamed(&candidate.key, template, taken)));
    };
    let max = settings.induction.examples_max;
    Some(Resolved::Refines {
        refinement: refinement(key, candidate, max)?,
        sensitive: crate::lint::sensitive::is_sensitive(key) || candidate.sensitive,
    })
}

/// The key that means the same: nearest to the fragments, near enough, not the opposite, and with a
/// value for at least half of them.
fn meant<'t>(
    candidate: &CandidateKey,
    template: &'t Template,
    settings: &EvolutionSettings,
    embedder: &dyn Embedder,
) -> Option<&'t Key> {
    let said: Vec<_> = candidate.said.iter().take(COMPARED).collect();
    let vectors: Vec<_> = said
        .iter()
        .filter_map(|s| unit(&embedder.embed(s)))
        .collect();
    let near = |key: &Key| -> Option<f32> {
        let texts = texts(key);
        if said
            .iter()
            .any(|s| texts.iter().any(|t| embedder.opposes(s, t)))
        {
            return None;
        }
        let texts: Vec<_> = texts
            .iter()
            .filter_map(|t| unit(&embedder.embed(t)))
            .collect();
        let cosines = vectors
            .iter()
            .map(|v| texts.iter().map(|t| dot(v, t)).fold(-1.0f32, f32::max));
        Some(cosines.sum::<f32>() / vectors.len().max(1) as f32)
    };
    let sayable = |key: &Key| {
        let can = said.iter().filter(|s| value_said(key, s).is_some()).count();
        can > 0 && can * 2 >= said.len()
    };
    let floor = threshold(settings, embedder);
    let close = template
        .own_keys()
        .filter_map(|key| Some((near(key)?, key)));
    let close = close.filter(|(cosine, key)| *cosine >= floor && sayable(key));
    close.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, key)| key)
}

/// The texts of people who mean a key: its name in words, and its examples.
fn texts(key: &Key) -> Vec<String> {
    let examples = key
        .annotation
        .0
        .values()
        .flat_map(|d| &d.examples)
        .map(|e| e.said.clone());
    std::iter::once(key.key_name.replace('_', " "))
        .chain(examples)
        .collect()
}

/// The value of a key that a fragment means, if one can be told.
pub(super) fn value_said(key: &Key, said: &str) -> Option<Value> {
    let Shape {
        key_type,
        constraint,
    } = &key.shape;
    let spoken = words(said);
    let value = match key_type {
        KeyType::Boolean => json!(!spoken.negated),
        KeyType::Integer | KeyType::Number => {
            let whole = *key_type == KeyType::Integer;
            Value::Number(super::induce::number(quantity(said)?.value, whole)?)
        }
        KeyType::String if !constraint.allowed.is_empty() => {
            let named = |value: &&Value| {
                let meant = words(&value.as_str().unwrap_or_default().replace('_', " ")).content;
                !meant.is_empty() && meant.iter().all(|word| spoken.content.contains(word))
            };
            constraint.allowed.iter().find(named)?.clone()
        }
        KeyType::String if constraint.format.is_none() && constraint.pattern.is_none() => {
            let name = words(&key.key_name.replace('_', " ")).content;
            let rest: Vec<_> = spoken
                .content
                .iter()
                .filter(|w| !name.contains(w))
                .cloned()
                .collect();
            json!(Some(rest.join(" ")).filter(|rest| !rest.is_empty())?)
        }
        _ => return None,
    };
    fits(&key.shape, &value).is_ok().then_some(value)
}

/// The description with what clients say too. Without a value for it, it is told in prose.
fn refinement(key: &Key, candidate: &CandidateKey, examples_max: usize) -> Option<Refinement> {
    let shown: Vec<_> = candidate
        .said
        .iter()
        .zip(&candidate.shown)
        .filter_map(|(said, shown)| Some((said, shown.as_ref()?)))
        .collect();
    let examples: Vec<MappingExample> = shown
        .iter()
        .filter(|(_, shown)| !shown.contains('['))
        .filter_map(|(said, shown)| {
            Some(MappingExample {
                said: (*shown).clone(),
                value: value_said(key, said)?,
            })
        })
        .take(examples_max)
        .collect();
    let mut annotation = key.annotation.clone();
    for (language, description) in &mut annotation.0 {
        if examples.is_empty() {
            let (_, also) = shown.first()?;
            mention(description, language, also);
        } else {
            extend(description, language, &examples);
        }
    }
    (annotation != key.annotation).then(|| Refinement {
        key_name: key.key_name.clone(),
        annotation,
    })
}

fn mention(description: &mut Description, language: &Language, said: &str) {
    let said = match language.primary() {
        "zh" => format!("用户也说：“{said}”。"),
        _ => format!("Clients also say '{said}'."),
    };
    if !description.meaning.contains(&said) {
        description.meaning = format!("{} {said}", description.meaning.trim_end());
    }
}

fn extend(description: &mut Description, language: &Language, examples: &[MappingExample]) {
    let own: Vec<_> = examples
        .iter()
        .filter(|e| is_mostly_chinese(&e.said) == (language.primary() == "zh"))
        .cloned()
        .collect();
    let added = if own.is_empty() {
        examples.to_vec()
    } else {
        own
    };
    for example in added {
        let known = description.examples.iter().any(|e| e.said == example.said);
        if known || description.examples.len() >= EXAMPLES_MAX {
            continue;
        }
        if description.verbatim {
            let MappingExample { said, value } = &example;
            description.meaning = format!(
                "{} Example: '{said}' -> {value}.",
                description.meaning.trim_end()
            );
        }
        description.examples.push(example);
    }
}

/// Two descriptions of one key in one: the second one's words, the examples of both.
pub(super) fn merged(now: &Annotation, refined: &Annotation) -> Annotation {
    let mut merged = refined.clone();
    for (language, description) in &mut merged.0 {
        let before = now
            .0
            .get(language)
            .map(|d| d.examples.clone())
            .unwrap_or_default();
        if !description.verbatim {
            extend(description, language, &before);
        }
    }
    merged
}

/// A name that is free: neither a key's nor, in another shape, a withdrawn one's.
fn renamed(key: &Key, template: &Template, taken: &[(String, Shape)]) -> Key {
    let free = |name: &str| {
        name != SCHEMA_UPDATE_SUGGESTION
            && template.key(name).is_none()
            && !taken
                .iter()
                .any(|(other, shape)| other == name && *shape != key.shape)
    };
    let numbered = (2..).map(|n| format!("{}_{n}", key.key_name));
    let key_name = std::iter::once(key.key_name.clone())
        .chain(numbered)
        .find(|name| free(name));
    Key {
        key_name: key_name.expect("some number is free"),
        ..key.clone()
    }
}
