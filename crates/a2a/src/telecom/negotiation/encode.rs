//! A turn of ours, as a message of a negotiation.
//!
//! Knows which section says what; the words in them are the template's, and ours where it has none.
//! Of an offer that answers another only what is different is said. Read next:
//! [`super::vocabulary`].

use super::NegotiationTopic;
use super::context::{Context, Performative};
use super::offer::TO_CLARIFY;
use super::rounds::proposals;
use super::vocabulary::{self, Heading};
use crate::telecom::extension::{Family, TemplateUri};
use crate::telecom::labels::{json, quoted};
use crate::telecom::markdown::{BlockBody, Prompt, Section};
use crate::telecom::text_language::TextLanguage;
use crate::telecom::translator::{Question, Translator};
use domain::content::Content;
use domain::negotiation::{Negotiation, Side, Speech, Stance, Turn};
use domain::reply::Reason;
use serde_json::{Map, Value};

/// A message to be sent: under Negotiation-T, with the context.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedMessage {
    /// The template of the text.
    pub template_uri: TemplateUri,
    /// The text.
    pub text: String,
    /// The context.
    pub context: Context,
}

impl EncodedMessage {
    fn new(topic: Option<NegotiationTopic>, context: Context, sections: Vec<Section>) -> Self {
        let path = match (topic, context.performative) {
            (None, _) => "common/abort".to_owned(),
            (Some(topic), Some(Performative::Propose)) => format!("{}/propose", topic.as_str()),
            (Some(topic), _) => format!("{}/accept-reject", topic.as_str()),
        };
        let document = Prompt {
            front: Vec::new(),
            sections,
        };
        Self {
            template_uri: TemplateUri {
                family: Family::Negotiation,
                path,
                version: "v1".to_owned(),
            },
            text: document.to_string(),
            context,
        }
    }
}

/// The message of the last turn of a negotiation that is known by this id to its peer; none if
/// nothing was said, or if A2A-T does not negotiate such a thing.
pub fn say(
    negotiation: &Negotiation,
    id: &str,
    max_rounds: u32,
    translator: Option<&Translator>,
    text_language: TextLanguage,
) -> Option<EncodedMessage> {
    let topic = NegotiationTopic::of(negotiation.kind)?;
    let (turn, before) = negotiation.turns.split_last()?;
    let performative = match turn.speech.stance {
        Stance::Offer => Performative::Propose,
        Stance::Accept => Performative::Accept,
        Stance::Refuse => Performative::Reject,
    };
    let context = Context {
        id: id.to_owned(),
        round: proposals(negotiation),
        max_rounds,
        performative: Some(performative),
    };
    let earlier = before
        .iter()
        .rev()
        .filter(|t| t.round >= negotiation.opened);
    let earlier = earlier
        .map(|t| &t.speech)
        .find(|s| s.stance == Stance::Offer);
    let sections = match performative {
        Performative::Propose => offer(topic, turn, earlier, translator, text_language),
        _ => ending(topic, performative, &turn.speech, earlier, text_language),
    };
    Some(EncodedMessage::new(Some(topic), context, sections))
}

/// The message of who leaves a negotiation.
pub fn abort(context: &Context, reason: &str, text_language: TextLanguage) -> EncodedMessage {
    let context = Context {
        performative: Some(Performative::Abort),
        ..context.clone()
    };
    let sections = vec![
        Section::new(Heading::Aborted.title(text_language)).saying("Abort"),
        lines(
            Section::new(Heading::Termination.title(text_language)),
            reason,
        ),
    ];
    EncodedMessage::new(None, context, sections)
}

/// Asks for what lacks in a task: an information negotiation, whose answer is read by
/// [`Message::supply`](super::NegotiationMessage::supply).
pub fn ask(
    questions: &[Question],
    context: &Context,
    text_language: TextLanguage,
) -> EncodedMessage {
    let items = questions
        .iter()
        .map(|q| (q.label.clone(), q.words(text_language)));
    asking(items, context, text_language)
}

/// The same of a question that an agent puts in its own words: one item.
pub fn ask_in_words(
    question: &str,
    context: &Context,
    text_language: TextLanguage,
) -> EncodedMessage {
    let label = text_language.either("Answer", "回答").to_owned();
    asking(
        [(label, question.to_owned())].into_iter(),
        context,
        text_language,
    )
}

fn asking(
    items: impl Iterator<Item = (String, String)>,
    context: &Context,
    text_language: TextLanguage,
) -> EncodedMessage {
    let context = Context {
        performative: Some(Performative::Propose),
        ..context.clone()
    };
    let required = Heading::Required.title(text_language);
    let summary = text_language.either(
        format!("Please supply what <{required}> lists."),
        format!("请补充<{required}>中列出的内容。"),
    );
    let sections = vec![
        Section::new(Heading::Summary(NegotiationTopic::Information).title(text_language))
            .saying(summary),
        numbered(Section::new(required), items, text_language),
    ];
    EncodedMessage::new(Some(NegotiationTopic::Information), context, sections)
}

/// Answers such a question with what was asked for.
pub fn supply(
    items: &[(String, String)],
    context: &Context,
    text_language: TextLanguage,
) -> EncodedMessage {
    let quoted = items
        .iter()
        .map(|(name, value)| (name.clone(), quoted(value)));
    let section =
        Section::new(Heading::Outcome(NegotiationTopic::Information).title(text_language));
    let section = numbered(section, quoted, text_language);
    answer(Performative::Accept, section, context, text_language)
}

/// Answers such a question with the reason why it is not answered.
pub fn decline(reason: &str, context: &Context, text_language: TextLanguage) -> EncodedMessage {
    let section =
        Section::new(Heading::Outcome(NegotiationTopic::Information).title(text_language));
    let section = lines(section, reason);
    answer(Performative::Reject, section, context, text_language)
}

fn answer(
    performative: Performative,
    outcome: Section,
    context: &Context,
    text_language: TextLanguage,
) -> EncodedMessage {
    let context = Context {
        performative: Some(performative),
        ..context.clone()
    };
    let conclusion = conclusion(NegotiationTopic::Information, performative, text_language);
    EncodedMessage::new(
        Some(NegotiationTopic::Information),
        context,
        vec![conclusion, outcome],
    )
}

fn offer(
    topic: NegotiationTopic,
    turn: &Turn,
    earlier: Option<&Speech>,
    translator: Option<&Translator>,
    text_language: TextLanguage,
) -> Vec<Section> {
    let speech = &turn.speech;
    let first = earlier.is_none();
    // What is said again is offered back for confirmation by who executes it; a publisher who says
    // it again says all of it.
    let again = earlier.is_some_and(|e| e.contents == speech.contents);
    let confirms = again && turn.by == Side::Executor && speech.reasons.is_empty();
    let earlier = earlier.filter(|_| !again);
    let heading = match (topic, confirms) {
        (NegotiationTopic::Feasibility, true) => Heading::FeasibleConfirm,
        (_, true) => Heading::TargetConfirm,
        (NegotiationTopic::Feasibility, false) if turn.by == Side::Executor => Heading::Infeasible,
        (NegotiationTopic::Feasibility, false) => Heading::UnderEvaluation,
        (_, false) if first => Heading::Understanding,
        (_, false) => Heading::Alignment,
    };
    let title = heading.title(text_language);
    let summary = match speech.contents.first().filter(|_| first) {
        Some(content) => content.task_description.clone(),
        None => text_language.either(format!("See <{title}>."), format!("详见<{title}>。")),
    };
    let body = Section::new(title);
    let body = match confirms {
        true => body.saying(vocabulary::confirm(topic, text_language)),
        false => offered(body, speech, earlier, translator, text_language),
    };
    let mut sections = vec![
        lines(
            Section::new(Heading::Summary(topic).title(text_language)),
            &summary,
        ),
        body,
    ];
    sections.extend(to_clarify(&speech.reasons, text_language));
    sections
}

/// The alternatives, under a heading each if there are several.
fn offered(
    section: Section,
    speech: &Speech,
    earlier: Option<&Speech>,
    translator: Option<&Translator>,
    text_language: TextLanguage,
) -> Section {
    let base = earlier.and_then(|e| e.contents.first());
    let reasons = speech.reasons.iter().filter(|r| r.reason != TO_CLARIFY);
    let section = reasons.fold(section, |section, reason| {
        prose(section, &reason.message, translator)
    });
    let several = speech.contents.len() > 1;
    speech
        .contents
        .iter()
        .enumerate()
        .fold(section, |section, (place, content)| {
            let section = match several {
                true => section.with(BlockBody::Heading {
                    level: 3,
                    text: format!("{} {}", vocabulary::alternative(text_language), place + 1),
                }),
                false => section,
            };
            match (translator, &content.payload) {
                (Some(translator), Some(payload)) => {
                    let circumstances = content.environmental_information.as_deref();
                    let section =
                        prose(section, circumstances.unwrap_or_default(), Some(translator));
                    let before = base
                        .and_then(|base| base.payload.as_ref())
                        .map(|p| &p.values);
                    let items = changed(translator, &payload.values, before, text_language);
                    numbered(section, items.into_iter(), text_language)
                }
                _ => lines(section, &content.task_description),
            }
        })
}

/// The differences from the offer before, field by field; keys that no field says the same, by
/// their names in marks, as JSON.
fn changed(
    translator: &Translator,
    values: &Map<String, Value>,
    before: Option<&Map<String, Value>>,
    text_language: TextLanguage,
) -> Vec<(String, String)> {
    let differs = |key: &str| before.is_none_or(|before| before.get(key) != values.get(key));
    let mut told: Vec<(String, String)> = Vec::new();
    let mut covered = Vec::new();
    for item in translator.items(values, text_language) {
        if item.keys.iter().any(|key| differs(key)) {
            told.push((item.label, item.said));
        }
        covered.extend(item.keys);
    }
    let removed = before.into_iter().flatten().map(|(key, _)| key);
    let removed = removed.filter(|key| !values.contains_key(*key));
    let by_name = values
        .keys()
        .filter(|key| !covered.contains(key))
        .chain(removed);
    for key in by_name.filter(|key| differs(key)) {
        let value = values.get(key).unwrap_or(&Value::Null);
        told.push((format!("`{key}`"), json(value)));
    }
    told
}

fn to_clarify(reasons: &[Reason], text_language: TextLanguage) -> Option<Section> {
    let open = reasons.iter().filter(|r| r.reason == TO_CLARIFY);
    let section = open.fold(
        Section::new(Heading::ToClarify.title(text_language)),
        |section, reason| lines(section, &reason.message),
    );
    (!section.blocks.is_empty()).then_some(section)
}

fn ending(
    topic: NegotiationTopic,
    performative: Performative,
    speech: &Speech,
    earlier: Option<&Speech>,
    text_language: TextLanguage,
) -> Vec<Section> {
    let section = Section::new(Heading::Outcome(topic).title(text_language));
    let section = match (speech.alternative, earlier.map_or(0, |e| e.contents.len())) {
        (Some(number), 2..) => section.saying(format!(
            "{}: {number}",
            vocabulary::alternative(text_language)
        )),
        _ => section,
    };
    let words: Vec<&str> = match performative {
        Performative::Accept => {
            let said: Vec<&str> = speech.contents.iter().map(words_of).collect();
            if said.is_empty() {
                vec![agreed(text_language)]
            } else {
                said
            }
        }
        _ => speech.reasons.iter().map(|r| r.message.as_str()).collect(),
    };
    let outcome = words.into_iter().fold(section, lines);
    vec![conclusion(topic, performative, text_language), outcome]
}

fn words_of(content: &Content) -> &str {
    &content.task_description
}

fn agreed(text_language: TextLanguage) -> &'static str {
    text_language.either("It can be done as proposed.", "可按提议执行。")
}

fn conclusion(
    topic: NegotiationTopic,
    performative: Performative,
    text_language: TextLanguage,
) -> Section {
    let word = match performative {
        Performative::Accept => "Accept",
        _ => "Reject",
    };
    Section::new(Heading::Conclusion(topic).title(text_language)).saying(word)
}

fn lines(section: Section, text: &str) -> Section {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .fold(section, Section::saying)
}

/// Words beside items, which are not taken for items.
fn prose(section: Section, text: &str, translator: Option<&Translator>) -> Section {
    let said = text.lines().filter(|line| !line.trim().is_empty());
    said.fold(section, |section, line| match translator {
        Some(translator) => section.saying(translator.prose(line)),
        None => section.saying(line),
    })
}

fn numbered(
    section: Section,
    items: impl Iterator<Item = (String, String)>,
    text_language: TextLanguage,
) -> Section {
    let colon = text_language.either(": ", "：");
    items
        .zip(1..)
        .fold(section, |section, ((name, value), number)| {
            section.with(BlockBody::Entry {
                depth: 0,
                number: Some(number),
                text: format!("{name}{colon}{value}"),
            })
        })
}
