//! A message as a speech: offers with their alternatives, acceptances, refusals.
//!
//! Knows which section holds what; what its lines say is read by the template of the task, from the
//! offer before on. Refuses to know rounds. Read next: [`super::encode`], the other way round.

use super::NegotiationTopic;
use super::message::NegotiationMessage;
use super::refusal::NegotiationError;
use super::vocabulary::{self, Heading};
use crate::telecom::labels::Labels;
use crate::telecom::markdown::{BlockBody, Prompt, Section};
use crate::telecom::text_language::TextLanguage;
use crate::telecom::translator::{PromptReading, Translator};
use domain::content::Content;
use domain::negotiation::{Negotiation, Speech};
use domain::reply::Reason;
use schema::steps::{Effort, ReadingBudget};
use serde_json::Map;

/// The offer of a proposal: one alternative for each heading `Alternative N`, or one in all. What
/// an alternative leaves out stays as it stood in the first of the offer before.
pub(super) fn offer(
    message: &NegotiationMessage,
    earlier: Option<&Speech>,
    translator: Option<&Translator>,
    work: &ReadingBudget<'_>,
) -> Result<Speech, NegotiationError> {
    let document = &message.document;
    let asks = Heading::FeasibleConfirm
        .of(document)
        .or(Heading::TargetConfirm.of(document));
    let offered: Vec<&Section> = Heading::OFFERED
        .iter()
        .filter_map(|h| h.of(document))
        .collect();
    let topic = message.topic.unwrap_or(NegotiationTopic::Feasibility);
    let mut contents = match (asks, offered.is_empty(), earlier) {
        // What stands is offered back for confirmation.
        (Some(_), true, Some(earlier)) => earlier.contents.clone(),
        (_, true, _) => {
            return Err(NegotiationError::Empty(
                missing(topic).title(message.text_language),
            ));
        }
        _ => {
            let base = earlier.and_then(|speech| speech.contents.first());
            let each = alternatives(&offered)?.into_iter();
            let each = each.map(|section| content(message, &section, base, translator, work));
            each.collect::<Result<Vec<_>, _>>()?
        }
    };
    Ok(Speech {
        reasons: reasons(document, &mut contents),
        ..Speech::offer(contents)
    })
}

fn missing(topic: NegotiationTopic) -> Heading {
    match topic {
        NegotiationTopic::Feasibility => Heading::UnderEvaluation,
        NegotiationTopic::Target => Heading::Understanding,
        NegotiationTopic::Information => Heading::Required,
    }
}

/// The most alternatives of an offer: each is read with all that stands before the first.
const ALTERNATIVES_MAX: usize = 16;

/// The sections of an offer as one section for each alternative; what stands before the first
/// heading belongs to all.
fn alternatives(sections: &[&Section]) -> Result<Vec<Section>, NegotiationError> {
    let mut common = Section::default();
    let mut each: Vec<Section> = Vec::new();
    for block in sections.iter().flat_map(|section| &section.blocks) {
        match (&block.body, each.last_mut()) {
            (BlockBody::Heading { text, .. }, _) if vocabulary::is_alternative(text) => {
                if each.len() == ALTERNATIVES_MAX {
                    return Err(NegotiationError::TooMany(ALTERNATIVES_MAX));
                }
                each.push(common.clone());
            }
            (_, Some(alternative)) => alternative.blocks.push(block.clone()),
            (_, None) => common.blocks.push(block.clone()),
        }
    }
    Ok(match each.is_empty() {
        true => vec![common],
        false => each,
    })
}

fn content(
    message: &NegotiationMessage,
    section: &Section,
    base: Option<&Content>,
    translator: Option<&Translator>,
    work: &ReadingBudget<'_>,
) -> Result<Content, NegotiationError> {
    let topic = message.topic.unwrap_or(NegotiationTopic::Feasibility);
    let summary = Heading::Summary(topic).text(&message.document);
    let Some(translator) = translator else {
        return Ok(prose(section.text(), summary, base));
    };
    let empty = Map::new();
    let values = base
        .and_then(|base| base.payload.as_ref())
        .map_or(&empty, |p| &p.values);
    let mut reading = PromptReading::upon(translator, values, message.text_language);
    let rest = reading.supplement(section, work)?;
    let payload = reading.payload().map_err(NegotiationError::Unclear)?;
    let target = base.map(|base| base.target_object.clone());
    let target = target.unwrap_or_else(|| translator.target_object(&payload));
    let mut content = Content::new(target, filled(summary, topic)).with_payload(payload);
    content.environmental_information = Some(rest.join("\n")).filter(|rest| !rest.is_empty());
    Ok(content)
}

fn prose(text: String, summary: String, base: Option<&Content>) -> Content {
    let target = base.map_or(summary, |base| base.target_object.clone());
    let target = if target.is_empty() {
        text.clone()
    } else {
        target
    };
    Content::new(target, text)
}

fn filled(summary: String, topic: NegotiationTopic) -> String {
    match summary.is_empty() {
        true => topic.as_str().to_owned(),
        false => summary,
    }
}

/// The reason why an offer is not an acceptance: the details of what is not feasible, which are
/// then no circumstances of what is offered instead, and what is not clear.
fn reasons(document: &Prompt, contents: &mut [Content]) -> Vec<Reason> {
    let mut details = Vec::new();
    if Heading::Infeasible.of(document).is_some() {
        details.extend(
            contents
                .iter_mut()
                .filter_map(|c| c.environmental_information.take()),
        );
        details.dedup();
    }
    let unclear = Heading::ToClarify.text(document);
    let all = [(INFEASIBLE, details.join("\n")), (TO_CLARIFY, unclear)];
    let said = all.into_iter().filter(|(_, message)| !message.is_empty());
    said.map(|(reason, message)| Reason {
        reason: reason.to_owned(),
        path: String::new(),
        message,
    })
    .collect()
}

/// Reasons of an offer that is made instead of an acceptance.
const INFEASIBLE: &str = "infeasible";
pub(super) const TO_CLARIFY: &str = "to-clarify";

pub(super) fn acceptance(message: &NegotiationMessage, negotiation: &Negotiation) -> Speech {
    let text = message.reason();
    let labels = TextLanguage::ALL.map(vocabulary::alternative);
    let labels = Labels::new(labels.map(|label| (0, label)));
    let work = ReadingBudget::within(Effort::any());
    let said = text
        .lines()
        .find_map(|line| labels.find(line, &work).said.first().map(|(_, n)| *n));
    let base = negotiation
        .standing()
        .and_then(|turn| turn.speech.contents.first());
    let words = base.filter(|_| !text.is_empty());
    let words = words.map(|base| Content::new(base.target_object.clone(), text.clone()));
    Speech {
        alternative: said.and_then(|number| number.trim().parse().ok()),
        contents: words.into_iter().collect(),
        ..Speech::accept()
    }
}

pub(super) fn refusal(message: &NegotiationMessage) -> Speech {
    Speech::refuse(vec![Reason {
        reason: "rejected".to_owned(),
        path: String::new(),
        message: message.reason(),
    }])
}
