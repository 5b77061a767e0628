//! A key as the rules see it: its words, what kind of thing it takes, its acceptable values and
//! its mapping examples, read out of the template once per utterance.
//!
//! Prose is a hint here and never a constraint. Read next: `kind`, `told`, `example`;
//! [`super::utterance`].

mod example;
mod kind;
mod told;
mod words;

use crate::lexicon;
use crate::moment::Calendar;
pub(crate) use example::ExampleRule;
use example::example_rules;
pub(crate) use kind::{Kind, Role};
use kind::{kinds, role};
use language::quantity::Unit;
use language::script::is_cjk;
use language::text::tokens;
use language::word::stem;
use regex::Regex;
use schema::template::{Annotation, KeyType, Shape, Template};
use serde_json::Value;
use std::collections::BTreeSet;
pub(crate) use told::Choice;
use told::{choices, prose_range, unit, writing};
use words::{Words, gist, name_stems, name_words, prose};
pub(crate) use words::{bigrams, contains_word, spoken};

/// A key, or a member of an object, as the rules see it.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The key's name, then the names of members down to this one.
    pub(crate) path: Vec<String>,
    /// The values that it takes.
    pub(crate) shape: Shape,
    /// Its pattern, held to the whole text (RFC 9485).
    pub(crate) whole: Option<Regex>,
    /// For a list, the pattern of its entries; else its own.
    pub(crate) entry: Option<Regex>,
    /// True if a payload must have it.
    pub(crate) required: bool,
    /// The kind of thing that is.
    pub(crate) kind: Kind,
    /// For a list, the kind of its entries.
    pub(crate) item: Kind,
    /// The end that it is.
    pub(crate) role: Role,
    /// The stems of its name that say something.
    pub(crate) name: Vec<String>,
    /// The stems of its description that say something.
    pub(crate) gist: BTreeSet<String>,
    /// Its description, without examples and acceptable values, in lower case.
    pub(crate) prose: String,
    /// Its acceptable values.
    pub(crate) choices: Vec<Choice>,
    /// True if nothing but the acceptable values is meant.
    pub(crate) closed: bool,
    /// The rules that its mapping examples teach.
    pub(crate) example_rules: Vec<ExampleRule>,
    /// The texts among its example values; of `kind:name` the name.
    pub(crate) exemplars: Vec<String>,
    /// Stems of its name that no other key's name has.
    pub(crate) own_name: Vec<String>,
    /// Pairs of Chinese characters of its description that no other key's description has.
    pub(crate) own_pairs: BTreeSet<String>,
    /// Its unit.
    pub(crate) unit: Option<&'static Unit>,
    /// The way in which it writes days and times; none if as they were said.
    pub(crate) writing: Option<String>,
}

impl Slot {
    /// The name of the key that it belongs to.
    pub(crate) fn key(&self) -> &str {
        &self.path[0]
    }

    /// The pairs of characters of its mapping examples.
    pub(crate) fn taught_pairs(&self) -> impl Iterator<Item = String> {
        let said = self.example_rules.iter().filter_map(|l| match l {
            ExampleRule::Whole { said, .. } => Some(said),
            _ => None,
        });
        said.flat_map(|said| said.windows(2))
            .map(|w| format!("{}{}", w[0].text, w[1].text))
    }

    /// The bounds of its numbers: declared ones, else those that the prose names.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        let constraint = &self.shape.constraint;
        match (&constraint.minimum, &constraint.maximum) {
            (None, None) => prose_range(&self.prose),
            (low, high) => Some((
                low.as_ref()
                    .and_then(serde_json::Number::as_f64)
                    .unwrap_or(f64::NEG_INFINITY),
                high.as_ref()
                    .and_then(serde_json::Number::as_f64)
                    .unwrap_or(f64::INFINITY),
            )),
        }
    }
}

/// The keys of a template, objects of declared members taken apart.
pub(crate) fn slots(template: &Template, calendar: &Calendar) -> Vec<Slot> {
    let mut slots = Vec::new();
    for key in template.own_keys() {
        let path = vec![key.key_name.clone()];
        collect(
            path,
            &key.shape,
            key.required,
            &key.annotation,
            calendar,
            &mut slots,
        );
    }
    for at in 0..slots.len() {
        let (name, pairs) = own(&slots, at);
        slots[at].own_name = name;
        slots[at].own_pairs = pairs;
    }
    slots
}

/// The parts that only one of some keys has: stems of its name, pairs of characters of its
/// description.
fn own(slots: &[Slot], at: usize) -> (Vec<String>, BTreeSet<String>) {
    let others = || {
        slots
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != at)
            .map(|(_, b)| b)
    };
    let name = slots[at]
        .name
        .iter()
        .filter(|n| !others().any(|b| b.name.contains(n)));
    let pairs = slots[at]
        .gist
        .iter()
        .filter(|g| !g.is_ascii() && !others().any(|b| b.gist.contains(*g)));
    (name.cloned().collect(), pairs.cloned().collect())
}

/// The members of the entries of a list, as keys of their own; none if they are no objects.
pub(crate) fn members(list: &Shape, calendar: &Calendar) -> Vec<Slot> {
    let mut slots = Vec::new();
    let entry = list.constraint.items.as_deref();
    for member in entry.into_iter().flat_map(|e| &e.constraint.properties) {
        let path = vec![member.name.clone()];
        collect(
            path,
            &member.shape,
            member.required,
            &member.annotation,
            calendar,
            &mut slots,
        );
    }
    slots
}

/// The texts among the example values of a key; of `kind:name` the name.
fn exemplars(annotation: &Annotation) -> Vec<String> {
    let examples = annotation.0.values().flat_map(|d| &d.examples);
    let texts = examples.flat_map(|e| match &e.value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    texts
        .map(|t| t.split_once(':').map_or(t, |(_, name)| name).to_owned())
        .collect()
}

/// The outline of an identifier: `A-9` for `BE-017`, `a-9` for `wireless-4`.
pub(crate) fn outline(code: &str) -> String {
    let mut outline = String::new();
    for c in code.chars() {
        let kind = match c {
            'A'..='Z' => 'A',
            'a'..='z' => 'a',
            '0'..='9' => '9',
            other => other,
        };
        if !outline.ends_with(kind) {
            outline.push(kind);
        }
    }
    outline
}

/// The degree to which an identifier looks like those of a key's examples: 1 if it begins with the
/// same letters, 0.5 if it has the same outline, 0 if neither; none if there are none to look like.
pub(crate) fn resemblance(exemplars: &[String], code: &str) -> Option<f64> {
    let coded = exemplars
        .iter()
        .filter(|e| e.contains(|c: char| c.is_ascii_digit()));
    let letters = |text: &str| {
        text.chars()
            .take_while(char::is_ascii_alphabetic)
            .collect::<String>()
    };
    let like = |e: &String| match (
        letters(e) == letters(code) && !letters(code).is_empty(),
        outline(e) == outline(code),
    ) {
        (true, _) => 1.0,
        (false, true) => 0.5,
        _ => 0.0,
    };
    coded.map(like).reduce(f64::max)
}

fn collect(
    path: Vec<String>,
    shape: &Shape,
    required: bool,
    annotation: &Annotation,
    calendar: &Calendar,
    into: &mut Vec<Slot>,
) {
    let members = &shape.constraint.properties;
    if shape.key_type != KeyType::Object || members.is_empty() || path.len() > 3 {
        into.push(slot(path, shape, required, annotation, calendar));
        return;
    }
    for member in members {
        let mut path = path.clone();
        path.push(member.name.clone());
        let required = required && member.required;
        collect(
            path,
            &member.shape,
            required,
            &member.annotation,
            calendar,
            into,
        );
    }
}

fn slot(
    path: Vec<String>,
    shape: &Shape,
    required: bool,
    annotation: &Annotation,
    calendar: &Calendar,
) -> Slot {
    let prose = prose(annotation);
    let name = name_stems(path.last().map_or("", String::as_str));
    let (choices, closed) = choices(shape, annotation);
    let named: Vec<String> = name_words(path.last().map_or("", String::as_str))
        .iter()
        .map(|w| stem(w))
        .collect();
    let words = Words {
        name: &named,
        prose: &prose,
    };
    let entry = shape.constraint.items.as_deref().unwrap_or(shape);
    let (kind, item) = kinds(shape, entry, &words, closed);
    let own = whole(shape);
    let mut slot = Slot {
        entry: match &shape.constraint.items {
            Some(items) => whole(items),
            None => own.clone(),
        },
        whole: own,
        role: role(&words, kind),
        unit: unit(&shape.constraint, &name, &prose),
        writing: writing(shape, annotation, kind),
        gist: gist(&prose),
        path,
        shape: shape.clone(),
        required,
        kind,
        item,
        name,
        prose,
        choices,
        closed,
        example_rules: Vec::new(),
        exemplars: exemplars(annotation),
        own_name: Vec::new(),
        own_pairs: BTreeSet::new(),
    };
    slot.example_rules = example_rules(&slot, annotation, calendar);
    learn_terms(&mut slot);
    slot
}

/// The other terms for what short examples say stand for their values too, in either language.
fn learn_terms(slot: &mut Slot) {
    for rule in &slot.example_rules {
        let ExampleRule::Whole { said, value } = rule else {
            continue;
        };
        let told = language::text::join(said);
        let short = said.len() <= 3 || told.chars().all(is_cjk);
        let Some(choice) = slot
            .choices
            .iter_mut()
            .find(|c| c.value == *value)
            .filter(|_| short)
        else {
            continue;
        };
        for term in lexicon::terms_like(&told) {
            let term = tokens(term);
            let text = language::text::join(&term);
            if !choice.alike.iter().any(|a| language::text::join(a) == text) {
                choice.alike.push(term);
            }
        }
    }
}

/// The pattern of a shape, held to the whole text.
fn whole(shape: &Shape) -> Option<Regex> {
    let pattern = shape.constraint.pattern.as_deref()?;
    Regex::new(&format!("^(?:{pattern})$")).ok()
}
