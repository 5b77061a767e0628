//! The agent and the scenario that an utterance is for: steps 1 and 2 of draft-zhou §3.2.
//!
//! What each scenario says of itself (title, description, keys, mapping examples) is weighed
//! against the words of the utterance, rare words more than common ones; an embedder has a say of
//! its own. Where too little of what is said is known to any, nothing fits, and the end user is told
//! so. Those that fit nearly as well as the best are read ([`read_near`]), since what was said of their keys
//! tells them apart. Read next: `hearing` (what is heard of an offer), [`crate::rules`], which fills the scenario's
//! template.

mod hearing;

use hearing::{Hearing, OfferHeard, Said, Term};
use schema::semantics::{
    Embedder, OfferedScenario, ParseFailure, Parsed, ScenarioFit, ScenarioReading, Understanding,
};
use schema::steps::{Effort, GivenUp, ReadingBudget, STEPS_MOST};
use schema::template::Template;
use std::collections::BTreeMap;

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

/// The weight of a word that means the same, beside the word itself.
const ALIKE: f64 = 0.8;

/// The most steps in which the templates of offers are heard, all together, and what their agents say of
/// themselves: each template and each agent an equal share.
pub const OFFERED_STEPS_MOST: u64 = 2 * STEPS_MOST;

/// Chooses among offers, however much work it is: for utterances and offers of one's own. Deterministic;
/// of equals the first.
pub fn choose(
    utterance: &str,
    offers: &[OfferedScenario<'_>],
    embedder: &dyn Embedder,
) -> ScenarioChoice {
    let chosen = within(utterance, offers, embedder, Effort::any(), u64::MAX);
    chosen.expect("nothing ends a choice without a limit").0
}

/// The same for somebody who may not wait to the end; `over` is asked before each text and each offer.
///
/// Of what is offered, each is heard for its share of [`OFFERED_STEPS_MOST`]: what an agent says beyond that is passed
/// over, and nobody else is heard less for it.
///
/// # Errors
/// [`FailureKind::TooMuch`](schema::semantics::FailureKind::TooMuch) if what is said takes more than [`STEPS_MOST`],
/// to which a step for each of its words and each offer counts; `Cancelled` when `over` says so.
pub fn choose_until(
    utterance: &str,
    offers: &[OfferedScenario<'_>],
    embedder: &dyn Embedder,
    over: &dyn Fn() -> bool,
) -> Result<ScenarioChoice, ParseFailure> {
    let effort = Effort::until(over);
    let chosen = within(utterance, offers, embedder, effort, OFFERED_STEPS_MOST);
    let chosen = chosen.map_err(|why| ParseFailure::given_up(why, "choose"))?;
    Ok(chosen.0)
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
                // What requires nothing would lack nothing, whatever was said.
                let requires = template.own_keys().any(|key| key.required);
                understanding.near.push(ScenarioReading {
                    is_full: requires && parsed.missing.is_empty(),
                    fit,
                    parsed,
                });
            }
        }
    }
    Ok(understanding)
}

/// The number of steps that [`choose`] takes: bytes, dimensions and terms that it looks at.
pub fn steps(utterance: &str, offers: &[OfferedScenario<'_>], embedder: &dyn Embedder) -> u64 {
    let chosen = within(utterance, offers, embedder, Effort::any(), u64::MAX);
    chosen.map_or(0, |(_, steps)| steps)
}

/// The choice and its steps. What is said may be the `effort`; all templates together `offered` steps, and so
/// many what all agents say, in equal shares.
fn within(
    utterance: &str,
    offers: &[OfferedScenario<'_>],
    embedder: &dyn Embedder,
    effort: Effort<'_>,
    offered: u64,
) -> Result<(ScenarioChoice, u64), GivenUp> {
    let work = ReadingBudget::within(effort);
    let said = Said::of(utterance, embedder, &work)?;
    let mut steps = 0;
    let mut hear = |of: Subject<'_>, among: usize| {
        let share = offered / among.max(1) as u64;
        let hearing = Hearing::new(&said, embedder, effort.over, share);
        let (heard, left) = match of {
            Subject::Template(template) => hearing.template(template),
            Subject::Agent(offer) => hearing.offer(offer),
        }?;
        steps += share - left;
        Ok(heard)
    };
    // Several agents take one template: it is heard once.
    let templates = offers.iter().filter_map(|offer| offer.template);
    let templates: BTreeMap<*const Template, &Template> =
        templates.map(|it| (std::ptr::from_ref(it), it)).collect();
    let mut of_templates = BTreeMap::new();
    for (place, template) in &templates {
        let heard = hear(Subject::Template(template), templates.len())?;
        of_templates.insert(*place, heard);
    }
    let mut all = Vec::new();
    for offer in offers {
        let template = offer.template.map(std::ptr::from_ref);
        all.push(OfferHeard {
            own: hear(Subject::Agent(offer), offers.len())?,
            template: template.and_then(|place| of_templates.get(&place)),
        });
    }
    let rarity = said.terms.iter().map(|term| rarity(&term.stem, &all));
    let rarity: Vec<f64> = rarity.collect();
    let mut fits = Vec::new();
    for (at, heard) in all.iter().enumerate() {
        work.take(1 + 2 * said.terms.len());
        work.may_go_on()?;
        fits.push(fit(at, &offers[at], heard, &said.terms, &rarity));
    }
    fits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.offer.cmp(&b.offer)));
    let mut fits = fits.into_iter();
    let choice = match fits.next() {
        Some(best) if best.score >= THRESHOLD => ScenarioChoice::Fits(best, fits.collect()),
        nearest => ScenarioChoice::Nothing(nearest),
    };
    Ok((choice, work.taken().saturating_add(steps)))
}

/// Who is heard.
enum Subject<'a> {
    Template(&'a Template),
    Agent(&'a OfferedScenario<'a>),
}

/// How well an offer fits; `rarity` is that of each term.
fn fit(
    at: usize,
    offer: &OfferedScenario<'_>,
    heard: &OfferHeard<'_, '_>,
    terms: &[Term],
    rarity: &[f64],
) -> ScenarioFit {
    let mut known: Vec<String> = Vec::new();
    let (mut held, mut all) = (0.0, 0.0);
    for (term, rarity) in terms.iter().zip(rarity) {
        let weight = weight(term, heard);
        let strange = term.name && weight == 0.0;
        let rare = rarity * if strange { STRANGE } else { 1.0 };
        all += rare;
        if weight > 0.0 {
            known.push(term.said.clone());
        }
        held += rare * weight;
    }
    let coverage = if all > 0.0 { held / all } else { 0.0 };
    ScenarioFit {
        offer: at,
        agent: offer.agent.to_owned(),
        scenario: offer.scenario.to_owned(),
        score: (0.75 * coverage + 0.25 * heard.near()).min(1.0),
        known,
    }
}

/// The weight of a term in an offer, by itself or by a word that means the same.
fn weight(term: &Term, heard: &OfferHeard<'_, '_>) -> f64 {
    let alike = || {
        let others = term.alike.iter().filter_map(|other| heard.weight(other));
        others.fold(0.0, f64::max) * ALIKE
    };
    heard.weight(&term.stem).unwrap_or_else(alike)
}

/// The rarity of a term among the offers, as of BM25, never below a tenth: a term that all know tells little, one
/// that none knows tells that nobody is asked.
fn rarity(term: &str, offers: &[OfferHeard<'_, '_>]) -> f64 {
    let held = offers.iter().filter(|it| it.weight(term).is_some()).count() as f64;
    let all = offers.len() as f64;
    ((all - held + 0.5) / (held + 0.5) + 1.0).ln().max(LEAST)
}
