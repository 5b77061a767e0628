//! A message of Negotiation-T: what its template, its context and its text say together.
//!
//! Knows the phases of templates and the words of conclusions; refuses to know what was said
//! before. Read next: [`super::decode`].

use super::NegotiationTopic;
use super::context::{Context, Performative};
use super::refusal::NegotiationError;
use super::vocabulary::{self, Heading};
use crate::telecom::extension::{Family, TemplateUri};
use crate::telecom::labels::unquoted;
use crate::telecom::markdown::{Prompt, Section};
use crate::telecom::text_language::TextLanguage;
use crate::telecom::translator::PromptReading;
use schema::steps::{GivenUp, ReadingBudget};

/// A message of Negotiation-T, its performative and topic known.
#[derive(Clone, Debug, PartialEq)]
pub struct NegotiationMessage {
    /// The topic; none if somebody leaves, whatever was negotiated.
    pub topic: Option<NegotiationTopic>,
    /// The act of the message.
    pub performative: Performative,
    /// Its place in the negotiation.
    pub context: Context,
    /// In which language it is written.
    pub text_language: TextLanguage,
    pub(super) document: Prompt,
}

impl NegotiationMessage {
    /// Reads a message: its template says the topic and the phase, and where the context leaves it
    /// open, its conclusion the performative.
    ///
    /// # Errors
    /// [`NegotiationError`]: no prompt, no such template, or they contradict each other.
    pub fn read(
        uri: &TemplateUri,
        context: &Context,
        text: &str,
    ) -> Result<Self, NegotiationError> {
        let document = Prompt::parse(text)?;
        let (topic, phase) =
            phase(uri).ok_or_else(|| NegotiationError::NoTemplate(uri.to_string()))?;
        let concluded = conclusion(topic, &document);
        let performative = match (context.performative, phase, concluded) {
            (Some(performative), _, _) | (None, Some(performative), _) => performative,
            (None, None, Some(concluded)) => concluded,
            (None, None, None) => return Err(NegotiationError::Empty(result_title(topic))),
        };
        suits(uri, phase, performative)?;
        agrees(performative, concluded)?;
        Ok(Self {
            topic,
            performative,
            context: context.clone(),
            text_language: vocabulary::text_language(&document),
            document,
        })
    }

    /// The items asked for, or supplied, in an information negotiation: names, and what is said of
    /// each, which may be nothing. How items that lack depend on each other is none of them.
    pub fn items(&self) -> Vec<(String, String)> {
        let heading = match self.performative {
            Performative::Propose => Heading::Required,
            _ => Heading::Outcome(NegotiationTopic::Information),
        };
        let lines = heading
            .of(&self.document)
            .map(Section::lines)
            .unwrap_or_default();
        let pair = |(_, line): (_, String)| match line.split_once([':', '：']) {
            Some((name, value)) => (name.trim().to_owned(), unquoted(value)),
            None => (line.trim().to_owned(), String::new()),
        };
        let items = lines.into_iter().map(pair);
        items
            .filter(|(name, _)| !vocabulary::is_relationship(name))
            .collect()
    }

    /// Takes what an information negotiation supplies into what was read of the task; hands back the
    /// lines that no field of its template is called in.
    ///
    /// # Errors
    /// [`GivenUp`]: it is more work than it may be.
    pub fn supply(
        &self,
        reading: &mut PromptReading<'_>,
        work: &ReadingBudget<'_>,
    ) -> Result<Vec<String>, GivenUp> {
        match Heading::Outcome(NegotiationTopic::Information).of(&self.document) {
            Some(section) => reading.supplement(section, work),
            None => Ok(Vec::new()),
        }
    }

    /// The reason for which somebody leaves, or does not agree; empty if nothing is said.
    pub fn reason(&self) -> String {
        match self.topic {
            None => Heading::Termination.text(&self.document),
            Some(topic) => Heading::Outcome(topic).text(&self.document),
        }
    }
}

/// The topic and the performative that a template stands for; an ending stands for two.
fn phase(uri: &TemplateUri) -> Option<(Option<NegotiationTopic>, Option<Performative>)> {
    if uri.family != Family::Negotiation {
        return None;
    }
    match uri.path.split_once('/')? {
        ("common", "abort") => Some((None, Some(Performative::Abort))),
        (topic, "propose") => Some((
            Some(NegotiationTopic::parse(topic)?),
            Some(Performative::Propose),
        )),
        (topic, "accept-reject") => Some((Some(NegotiationTopic::parse(topic)?), None)),
        _ => None,
    }
}

/// True if a template is for what a message does.
fn suits(
    uri: &TemplateUri,
    phase: Option<Performative>,
    said: Performative,
) -> Result<(), NegotiationError> {
    let suits = match phase {
        Some(phase) => phase == said,
        None => matches!(said, Performative::Accept | Performative::Reject),
    };
    match suits {
        true => Ok(()),
        false => Err(NegotiationError::Contradiction {
            place: "template",
            expected: said.as_str().to_owned(),
            found: uri.to_string(),
        }),
    }
}

fn conclusion(topic: Option<NegotiationTopic>, document: &Prompt) -> Option<Performative> {
    let heading = topic.map_or(Heading::Aborted, Heading::Conclusion);
    match heading.text(document).trim().to_lowercase().as_str() {
        "accept" => Some(Performative::Accept),
        "reject" => Some(Performative::Reject),
        "abort" => Some(Performative::Abort),
        _ => None,
    }
}

fn result_title(topic: Option<NegotiationTopic>) -> &'static str {
    topic
        .map_or(Heading::Aborted, Heading::Conclusion)
        .title(TextLanguage::English)
}

fn agrees(said: Performative, concluded: Option<Performative>) -> Result<(), NegotiationError> {
    match concluded.filter(|concluded| *concluded != said) {
        None => Ok(()),
        Some(concluded) => Err(NegotiationError::Contradiction {
            place: "conclusion",
            expected: said.as_str().to_owned(),
            found: concluded.as_str().to_owned(),
        }),
    }
}
