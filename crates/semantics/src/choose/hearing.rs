//! What is heard of an offer, for one utterance: the weights of the terms that were said or mean the same, and
//! the nearest of the texts to what was said. Nothing else of an offer is kept, however much it says.
//!
//! Who speaks for long is heard for his share of the steps, and what no longer fits into it is passed over: nobody
//! spends what others are heard with. Read next: [`super`], which weighs what was heard.

use crate::lexicon;
use crate::ngrams::cosine;
use language::text::{Class, Token, tokens};
use schema::semantics::{Embedder, OfferedScenario};
use schema::steps::{GivenUp, ReadingBudget};
use schema::template::{Annotation, Template};
use std::collections::{BTreeMap, BTreeSet};

/// A term of an utterance: a word, or a pair of Chinese characters.
pub(super) struct Term {
    /// As it is compared.
    pub(super) stem: String,
    /// As it was said.
    pub(super) said: String,
    /// Begins with a capital, and not because a sentence does.
    pub(super) name: bool,
    /// Others that mean the same, as they are compared.
    pub(super) alike: Vec<String>,
}

/// An utterance, as offers are compared with it.
pub(super) struct Said {
    /// In the order of their stems, each once.
    pub(super) terms: Vec<Term>,
    /// The terms, and those that mean the same.
    wanted: BTreeSet<String>,
    vector: Vec<f32>,
}

impl Said {
    pub(super) fn of(
        utterance: &str,
        embedder: &dyn Embedder,
        work: &ReadingBudget<'_>,
    ) -> Result<Self, GivenUp> {
        work.take(1 + utterance.len());
        work.may_go_on()?;
        let terms = terms(utterance).into_iter().map(|(stem, said)| {
            let alike = lexicon::terms_like(&said.text).into_iter();
            let alike = alike.filter(|other| !other.contains(' '));
            Term {
                stem,
                alike: alike.map(language::word::stem).collect(),
                said: said.text,
                name: said.name,
            }
        });
        let terms: Vec<Term> = terms.collect();
        let stems = terms.iter().map(|it| &it.stem);
        let wanted = stems.chain(terms.iter().flat_map(|it| &it.alike));
        let wanted = wanted.cloned().collect();
        work.take(1 + utterance.len() + embedder.dimensions());
        work.may_go_on()?;
        Ok(Self {
            vector: embedder.embed(utterance),
            terms,
            wanted,
        })
    }
}

/// What was heard.
#[derive(Default)]
pub(super) struct Heard<'s> {
    /// The weights of those terms that are wanted.
    weights: BTreeMap<&'s str, f64>,
    /// The cosine of the nearest text with what was said; 0 if none is near.
    near: f64,
}

/// The same of an offer: of its agent's own words, and of its template, which others may take as well.
pub(super) struct OfferHeard<'h, 's> {
    pub(super) own: Heard<'s>,
    pub(super) template: Option<&'h Heard<'s>>,
}

impl OfferHeard<'_, '_> {
    /// The weight of a term itself; none if the offer does not know it.
    pub(super) fn weight(&self, term: &str) -> Option<f64> {
        let weight = |of: &Heard<'_>| of.weights.get(term).copied();
        let of_template = self.template.and_then(weight);
        weight(&self.own)
            .into_iter()
            .chain(of_template)
            .reduce(f64::max)
    }

    pub(super) fn near(&self) -> f64 {
        let of_template = self.template.map_or(0.0, |it| it.near);
        self.own.near.max(of_template)
    }
}

/// Hears somebody, for a share of the steps.
pub(super) struct Hearing<'s> {
    said: &'s Said,
    embedder: &'s dyn Embedder,
    over: &'s dyn Fn() -> bool,
    /// The steps that are left.
    left: u64,
    heard: Heard<'s>,
}

impl<'s> Hearing<'s> {
    pub(super) fn new(
        said: &'s Said,
        embedder: &'s dyn Embedder,
        over: &'s dyn Fn() -> bool,
        share: u64,
    ) -> Self {
        Self {
            said,
            embedder,
            over,
            left: share,
            heard: Heard::default(),
        }
    }

    /// What an agent says of itself, and the steps that are left.
    pub(super) fn offer(
        mut self,
        offer: &OfferedScenario<'_>,
    ) -> Result<(Heard<'s>, u64), GivenUp> {
        self.learn(&offer.scenario.replace(['_', '-'], " "), 1.0)?;
        self.learn(offer.description, 0.8)?;
        for example in offer.examples {
            self.learn(example, 0.9)?;
            self.compare(example)?;
        }
        Ok((self.heard, self.left))
    }

    /// What a template says, and the steps that are left.
    pub(super) fn template(mut self, template: &Template) -> Result<(Heard<'s>, u64), GivenUp> {
        for title in meanings(template.title.iter()) {
            self.learn(title, 1.0)?;
            self.compare(title)?;
        }
        for key in template.own_keys() {
            self.learn(&key.key_name.replace('_', " "), 0.7)?;
            let allowed = key.shape.constraint.allowed.iter();
            for value in allowed.filter_map(|value| value.as_str()) {
                self.learn(&crate::rules::spoken(value), 0.8)?;
            }
            for description in key.annotation.0.values() {
                self.learn(&description.meaning, 0.5)?;
                for example in &description.examples {
                    self.learn(&example.said, 0.8)?;
                    self.compare(&example.said)?;
                }
            }
        }
        Ok((self.heard, self.left))
    }

    /// Takes in the terms of a text that are wanted.
    fn learn(&mut self, text: &str, weight: f64) -> Result<(), GivenUp> {
        if !self.affords(1 + text.len())? {
            return Ok(());
        }
        for term in terms(text).into_keys() {
            if let Some(wanted) = self.said.wanted.get(&term) {
                let known = self.heard.weights.entry(wanted).or_insert(0.0);
                *known = known.max(weight);
            }
        }
        Ok(())
    }

    /// Compares a text as a whole with what was said; its vector is dropped.
    fn compare(&mut self, text: &str) -> Result<(), GivenUp> {
        if self.affords(1 + text.len() + self.embedder.dimensions())? {
            let vector = self.embedder.embed(text);
            let near = f64::from(cosine(&vector, &self.said.vector));
            self.heard.near = self.heard.near.max(near);
        }
        Ok(())
    }

    /// Takes so many steps, unless fewer are left.
    fn affords(&mut self, steps: usize) -> Result<bool, GivenUp> {
        if (self.over)() {
            return Err(GivenUp::Cancelled);
        }
        let left = self.left.checked_sub(steps as u64);
        self.left = left.unwrap_or(self.left);
        Ok(left.is_some())
    }
}

/// A term as it was said.
struct Word {
    text: String,
    name: bool,
}

/// The words that say something, by their stems.
fn terms(text: &str) -> BTreeMap<String, Word> {
    let all = tokens(text);
    let mut terms = BTreeMap::new();
    for (at, token) in all.iter().enumerate() {
        if token.class == Class::Word && says(token) {
            let word = Word {
                text: token.text.clone(),
                name: at > 0 && token.capital,
            };
            terms.insert(token.stem.clone(), word);
        }
    }
    for pair in all
        .windows(2)
        .filter(|w| w.iter().all(|t| t.class == Class::Cjk))
    {
        let text = format!("{}{}", pair[0].text, pair[1].text);
        let empty = |t: &Token| lexicon::is_chinese_filler(&t.text);
        if !pair.iter().any(empty) && !lexicon::is_chinese_filler(&text) {
            terms.insert(text.clone(), Word { text, name: false });
        }
    }
    terms
}

fn says(token: &Token) -> bool {
    token.text.len() > 1 && !lexicon::is_function(&token.text) && !lexicon::is_asking(&token.text)
}

fn meanings<'a>(
    annotations: impl Iterator<Item = &'a Annotation>,
) -> impl Iterator<Item = &'a str> {
    annotations
        .flat_map(|a| a.0.values())
        .map(|d| d.meaning.as_str())
}
