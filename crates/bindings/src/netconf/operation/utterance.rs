//! `parse-utterance` of convoke-schema: what was understood of words, before anything is sent (draft-zhou §3.2 and
//! §6.1).
//!
//! The engine says among which scenarios and agents; what these say of themselves is made a text of, and the words are
//! read, beside the session, in their sender's turn, and the reply follows in its own. Read next: [`crate::words`], `engine::schemas::utterance`.

use super::beside::{asked, beside};
use super::validation::check;
use crate::netconf::answer::{Answer, Dispatch};
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::input::{self, Input, Text};
use crate::netconf::output::{self, Output};
use crate::netconf::request_context::RequestContext;
use crate::words::WordReader;
use ::netconf::error::{ErrorPath, RpcError};
use ::netconf::xml::XmlElement;
use engine::{OfferTexts, ParseUtterance, ScenarioOffer, Which};
use schema::semantics::{
    Circumstances, OfferedScenario, ParseFailure, Parsed, ScenarioFit, ScenarioReading,
};
use serde_json::Value;
use std::sync::Arc;

/// The most choices that are told.
const CHOICES_MAX: usize = 16;

pub(super) fn parse_utterance(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Dispatch, RpcError> {
    check(cx, operation)?;
    let input = input::ParseUtterance::of(operation);
    let path = ErrorPath::of(input.utterance()?.leaf());
    let circumstances = circumstances(cx, input)?;
    let wanted = decode(input)?;
    let (words, is_named) = (wanted.utterance.clone(), wanted.which.is_some());
    let offers = asked(cx, origin, &path, wanted)?;
    let reader = Arc::clone(&cx.platform.reader);
    let work = move |over: &dyn Fn() -> bool| {
        Understood::read(&*reader, &words, offers, is_named, &circumstances, over)
    };
    beside(cx, path, work, |read, path| match read {
        Ok(understood) => Ok(Answer::of(understood.encode(Output::begin()))),
        Err(failure) => Err(error::unread(&failure, path)),
    })
}

fn decode(input: input::ParseUtterance<'_>) -> Result<ParseUtterance, RpcError> {
    let schema_id = input.schema_id().map(|id| Which::Schema(id.owned()));
    let scenario = input.scenario().map(|name| Which::Scenario(name.owned()));
    Ok(ParseUtterance {
        utterance: input.utterance()?.owned(),
        which: schema_id.or(scenario),
        agent: input.agent().map(Text::owned),
        language: input.preferred_language().map(Text::owned),
    })
}

/// The moment and zone that were said, or now in UTC.
fn circumstances(
    cx: &RequestContext<'_>,
    input: input::ParseUtterance<'_>,
) -> Result<Circumstances, RpcError> {
    let said = input.at().map(|at| at.zoned()).transpose()?;
    let (now, zone_minutes) = said.unwrap_or((cx.now, 0));
    Ok(Circumstances {
        now,
        zone_minutes,
        language: None,
    })
}

/// What was understood, among what.
struct Understood {
    offers: Vec<ScenarioOffer>,
    best: Option<ScenarioReading>,
    /// The others, the better ones first; the nearest alone if nothing fits.
    others: Vec<ScenarioFit>,
    parser: String,
}

impl Understood {
    fn read(
        reader: &dyn WordReader,
        words: &str,
        offers: Vec<ScenarioOffer>,
        is_named: bool,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Self, ParseFailure> {
        let texts: Vec<OfferTexts> = offers.iter().map(ScenarioOffer::texts).collect();
        let scenarios = offers.iter().zip(&texts);
        let scenarios: Vec<_> = scenarios.map(|(it, texts)| offered(it, texts)).collect();
        let mut understood = reader.understand(words, &scenarios, is_named, circumstances, over)?;
        let best = understood.take_best();
        let near = understood.near.into_iter().map(|reading| reading.fit);
        Ok(Self {
            best,
            others: near.chain(understood.others).collect(),
            parser: reader.name().to_owned(),
            offers,
        })
    }

    fn encode<'a>(&'a self, output: output::ParseUtterance<'a>) -> output::ParseUtterance<'a> {
        let Some(ScenarioReading { fit, parsed, .. }) = &self.best else {
            let nearest = self.others.first().filter(|fit| fit.score > 0.0);
            return output
                .nearest(nearest, |node, fit| self.fit(node, fit))
                .parser(&self.parser);
        };
        let offer = &self.offers[fit.offer];
        let choices = std::iter::once(fit).chain(&self.others);
        output
            .choice(choices.take(CHOICES_MAX), |node, fit| self.fit(node, fit))
            .agent(offer.agent())
            .schema_id(&offer.template.schema_id)
            .payload(Value::Object(parsed.to_payload()).to_string())
            .confidence(&parsed.confidence, |node, (key, value)| {
                confidence(node, parsed, key, *value)
            })
            .other(&parsed.other)
            .missing(&parsed.missing)
            .parser(&self.parser)
    }

    fn fit<'a>(&'a self, node: output::Choice<'a>, fit: &'a ScenarioFit) -> output::Choice<'a> {
        let offer = &self.offers[fit.offer];
        node.agent(offer.agent())
            .schema_id(&offer.template.schema_id)
            .scenario(&offer.template.scenario)
            .title(offer.title.as_deref())
            .score(fit.score)
            .known(&fit.known)
    }
}

fn confidence<'a>(
    node: output::Confidence<'a>,
    parsed: &Parsed,
    key: &'a String,
    value: f64,
) -> output::Confidence<'a> {
    node.key(key)
        .value(value)
        .understood(parsed.payload.contains_key(key))
}

fn offered<'a>(offer: &'a ScenarioOffer, texts: &'a OfferTexts) -> OfferedScenario<'a> {
    OfferedScenario {
        agent: offer.agent(),
        scenario: &offer.template.scenario,
        description: &texts.description,
        examples: &texts.examples,
        template: Some(&offer.template),
    }
}
