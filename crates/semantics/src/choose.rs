//! The agent and the scenario that an utterance is for: steps 1 and 2 of draft-zhou §3.2.
//!
//! What each scenario says of itself (title, description, keys, mapping examples) is weighed
//! against the words of the utterance, rare words more than common ones; an embedder has a say of
//! its own. Where too little of what is said is known to any, nothing fits, and the end user is told
//! so. Those that fit nearly as well as the best are read ([`read_near`]), since what was said of their keys
//! tells them apart. Read next: [`crate::rules`], which fills the scenario's template.

use crate::lexicon;
use crate::ngrams::cosine;
use language::text::{Class, Token, tokens};
use schema::semantics::{
    Embedder, OfferedScenario, ParseFailure, Parsed, ScenarioFit, ScenarioReading, Understanding,
};
use schema::steps::{Effort, GivenUp, ReadingBudget};
use schema::template::{Annotation, Template};
use std::collections::{BTreeMap, BTreeSet};

/// The choice.
#[derive(Clone, Debug, PartialEq)]
pub enum ScenarioChoice {
    /// The scenario that fits best, then the others, the better first.
    Fits(ScenarioFit, Vec<ScenarioFit>),
    /// None fits; the nearest, for the record.
    Nothing(Option<ScenarioFit>),
}

/// The score from which a scenario fits.
pub const THRESHOLD: f64 = 0.3;

/// The share of the best score from which a scenario fits nearly as well: the scores of two
/// scenarios that share most of their words differ by less.
pub const NEAR: f64 = 0.8;

/// The most scenarios for which an utterance is parsed.
const READ_MAX: usize = 6;

/// The weight of a name that nobody knows, beside another word that nobody knows: whom or where
/// somebody names says little of what is wanted.
const STRANGE: f64 = 0.5;

/// The least that a term weighs.
const LEAST: f64 = 0.1;

/// Chooses among offers, however much work it is: for utterances and offers of one's own. Deterministic;
/// of equals the first.
pub fn choose(
    utterance: &str,
    offers: &[OfferedScenario<'_>],
    embedder: &dyn Embedder,
) -> ScenarioChoice {
    let work = ReadingBudget::within(Effort::any());
    let chosen = within(utterance, offers, embedder, &work);
    chosen.expect("nothing ends a choice without a limit")
}

/// The same for somebody who may not wait to the end; `over` is asked before each text and each offer.
///
/// # Errors
/// [`FailureKind::TooMuch`](schema::semantics::FailureKind::TooMuch) beyond
/// [`STEPS_MOST`](schema::steps::STEPS_MOST), which what is offered counts to; `Cancelled` when `over`
/// says so.
pub fn choose_until(
    utterance: &str,
    offers: &[OfferedScenario<'_>],
    embedder: &dyn Embedder,
    over: &dyn Fn() -> bool,
) -> Result<ScenarioChoice, ParseFailure> {
    let work = ReadingBudget::within(Effort::until(over));
    within(utterance, offers, embedder, &work).map_err(|why| ParseFailure::given_up(why, "choose"))
}

/// Reads an utterance by the templates of those that fit nearly as well as the best, 6 at most; `read` reads it by
/// one. If the scenario `is_named`, it is read whether it fits or not: left to choose is the agent.
///
/// # Errors
/// The first of `read`.
pub fn read_near<E>(
    choice: ScenarioChoice,
    offers: &[OfferedScenario<'_>],
    is_named: bool,
    mut read: impl FnMut(&Template) -> Result<Parsed, E>,
) -> Result<Understanding, E> {
    let (best, others) = match choice {
        ScenarioChoice::Fits(best, others) => (best, others),
        ScenarioChoice::Nothing(Some(best)) if is_named => (best, Vec::new()),
        ScenarioChoice::Nothing(nearest) => {
            return Ok(Understanding {
                near: Vec::new(),
                others: nearest.into_iter().collect(),
            });
        }
    };
    let near = best.score * NEAR;
    let mut understanding = Understanding::default();
    for fit in std::iter::once(best).chain(others) {
        let template = offers[fit.offer].template;
        let is_near = fit.score >= near && understanding.near.len() < READ_MAX;
        match template.filter(|_| is_near) {
            None => understanding.others.push(fit),
            Some(template) => {
                // Several agents that take one template are told the same.
                let before = understanding.near.iter().find(|reading| {
                    let its = offers[reading.fit.offer].template;
                    its.is_some_and(|its| std::ptr::eq(its, template))
                });
                let parsed = match before {
                    Some(before) => before.parsed.clone(),
                    None => read(template)?,
                };
                let required = template.own_keys().filter(|key| key.required).count();
                understanding.near.push(ScenarioReading {
                    lacks: parsed.missing.len() as f64 / required.max(1) as f64,
                    fit,
                    parsed,
                });
            }
        }
    }
    Ok(understanding)
}

/// The number of steps that [`choose`] takes: bytes and terms that it looks at.
pub fn steps(utterance: &str, offers: &[OfferedScenario<'_>], embedder: &dyn Embedder) -> u64 {
    let work = ReadingBudget::within(Effort::any());
    // The choice is of no account.
    let _ = within(utterance, offers, embedder, &work);
    work.taken()
}

fn within(
    utterance: &str,
    offers: &[OfferedScenario<'_>],
    embedder: &dyn Embedder,
    work: &ReadingBudget<'_>,
) -> Result<ScenarioChoice, GivenUp> {
    let embedder = Counted { embedder, work };
    let query = terms(utterance, work)?;
    let said = embedder.embed(utterance)?;
    let profiles = offers.iter().map(|offer| Profile::of(offer, &embedder));
    let profiles = profiles.collect::<Result<Vec<_>, _>>()?;
    let rarity = Rarity::of(&profiles);
    let mut fits = Vec::new();
    for (at, profile) in profiles.iter().enumerate() {
        work.may_go_on()?;
        fits.push(profile.fit(at, &offers[at], &query, &rarity, &said, work));
    }
    fits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.offer.cmp(&b.offer)));
    let mut fits = fits.into_iter();
    Ok(match fits.next() {
        Some(best) if best.score >= THRESHOLD => ScenarioChoice::Fits(best, fits.collect()),
        nearest => ScenarioChoice::Nothing(nearest),
    })
}

/// An embedder whose texts are counted.
#[derive(Clone, Copy)]
struct Counted<'c> {
    embedder: &'c dyn Embedder,
    work: &'c ReadingBudget<'c>,
}

impl Counted<'_> {
    fn embed(&self, text: &str) -> Result<Vec<f32>, GivenUp> {
        self.work.take(1 + text.len());
        self.work.may_go_on()?;
        Ok(self.embedder.embed(text))
    }
}

/// A word of an utterance or a pair of Chinese characters, as it is compared.
type Terms = BTreeMap<String, Term>;

/// A term as it was said.
struct Term {
    said: String,
    /// Begins with a capital, and not because a sentence does.
    name: bool,
}

/// The words that say something.
fn terms(text: &str, work: &ReadingBudget<'_>) -> Result<Terms, GivenUp> {
    work.take(1 + text.len());
    work.may_go_on()?;
    let all = tokens(text);
    let mut terms = Terms::new();
    for (at, token) in all.iter().enumerate() {
        if token.class == Class::Word && says(token) {
            let term = Term {
                said: token.text.clone(),
                name: at > 0 && token.capital,
            };
            terms.insert(token.stem.clone(), term);
        }
    }
    for pair in all
        .windows(2)
        .filter(|w| w.iter().all(|t| t.class == Class::Cjk))
    {
        let said = format!("{}{}", pair[0].text, pair[1].text);
        let empty = |t: &Token| lexicon::is_chinese_filler(&t.text);
        if !pair.iter().any(empty) && !lexicon::is_chinese_filler(&said) {
            terms.insert(said.clone(), Term { said, name: false });
        }
    }
    Ok(terms)
}

fn says(token: &Token) -> bool {
    token.text.len() > 1 && !lexicon::is_function(&token.text) && !lexicon::is_asking(&token.text)
}

/// The terms that a scenario knows, each with its weight, and the vectors of what people say for
/// it.
struct Profile {
    weights: BTreeMap<String, f64>,
    vectors: Vec<Vec<f32>>,
}

impl Profile {
    fn of(offer: &OfferedScenario<'_>, embedder: &Counted<'_>) -> Result<Self, GivenUp> {
        let mut profile = Self {
            weights: BTreeMap::new(),
            vectors: Vec::new(),
        };
        let work = embedder.work;
        profile.learn(&offer.scenario.replace(['_', '-'], " "), 1.0, work)?;
        profile.learn(offer.description, 0.8, work)?;
        for example in offer.examples {
            profile.learn(example, 0.9, work)?;
            profile.vectors.push(embedder.embed(example)?);
        }
        if let Some(template) = offer.template {
            profile.study(template, embedder)?;
        }
        Ok(profile)
    }

    fn study(&mut self, template: &Template, embedder: &Counted<'_>) -> Result<(), GivenUp> {
        let work = embedder.work;
        for title in meanings(template.title.iter()) {
            self.learn(title, 1.0, work)?;
            self.vectors.push(embedder.embed(title)?);
        }
        for key in template.own_keys() {
            self.learn(&key.key_name.replace('_', " "), 0.7, work)?;
            for value in key
                .shape
                .constraint
                .allowed
                .iter()
                .filter_map(|v| v.as_str())
            {
                self.learn(&crate::rules::spoken(value), 0.8, work)?;
            }
            for description in key.annotation.0.values() {
                self.learn(&description.meaning, 0.5, work)?;
                for example in &description.examples {
                    self.learn(&example.said, 0.8, work)?;
                    self.vectors.push(embedder.embed(&example.said)?);
                }
            }
        }
        Ok(())
    }

    fn learn(&mut self, text: &str, weight: f64, work: &ReadingBudget<'_>) -> Result<(), GivenUp> {
        for term in terms(text, work)?.into_keys() {
            let known = self.weights.entry(term).or_insert(0.0);
            *known = known.max(weight);
        }
        Ok(())
    }

    fn fit(
        &self,
        at: usize,
        offer: &OfferedScenario<'_>,
        query: &Terms,
        rarity: &Rarity,
        said: &[f32],
        work: &ReadingBudget<'_>,
    ) -> ScenarioFit {
        work.take(1 + query.len() + self.vectors.len());
        let mut known: Vec<String> = Vec::new();
        let (mut held, mut all) = (0.0, 0.0);
        for (term, Term { said, name }) in query {
            let weight = self.weight(term, said);
            let strange = *name && weight == 0.0;
            let rare = rarity.of_term(term) * if strange { STRANGE } else { 1.0 };
            all += rare;
            if weight > 0.0 {
                known.push(said.clone());
            }
            held += rare * weight;
        }
        let coverage = if all > 0.0 { held / all } else { 0.0 };
        let near = self
            .vectors
            .iter()
            .map(|v| f64::from(cosine(v, said)))
            .fold(0.0, f64::max);
        ScenarioFit {
            offer: at,
            agent: offer.agent.to_owned(),
            scenario: offer.scenario.to_owned(),
            score: (0.75 * coverage + 0.25 * near).min(1.0),
            known,
        }
    }

    /// The weight of a term in a scenario, by itself or by a word that means the same.
    fn weight(&self, term: &str, word: &str) -> f64 {
        let itself = self.weights.get(term).copied();
        let alike = || {
            let others = lexicon::terms_like(word)
                .into_iter()
                .filter(|t| !t.contains(' '));
            others
                .filter_map(|t| self.weights.get(&language::word::stem(t)))
                .copied()
                .fold(0.0, f64::max)
                * 0.8
        };
        itself.unwrap_or_else(alike)
    }
}

fn meanings<'a>(
    annotations: impl Iterator<Item = &'a Annotation>,
) -> impl Iterator<Item = &'a str> {
    annotations
        .flat_map(|a| a.0.values())
        .map(|d| d.meaning.as_str())
}

/// The rarity of terms among the offers.
struct Rarity {
    holders: BTreeMap<String, usize>,
    offers: usize,
}

impl Rarity {
    fn of(profiles: &[Profile]) -> Self {
        let mut holders: BTreeMap<String, usize> = BTreeMap::new();
        for profile in profiles {
            let terms: BTreeSet<&String> = profile.weights.keys().collect();
            for term in terms {
                *holders.entry(term.clone()).or_default() += 1;
            }
        }
        Self {
            holders,
            offers: profiles.len(),
        }
    }

    /// As of BM25, never below a tenth: a term that all know tells little, one that none knows
    /// tells that nobody is asked.
    fn of_term(&self, term: &str) -> f64 {
        let held = self.holders.get(term).copied().unwrap_or(0) as f64;
        let all = self.offers as f64;
        ((all - held + 0.5) / (held + 0.5) + 1.0).ln().max(LEAST)
    }
}
