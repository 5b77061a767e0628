//! The template that a text is of: by its URI, or by what it says where a message names none.
//!
//! Older builds send the text alone; a message with an answer in a negotiation names the template
//! of one of its two texts. A text says itself what it is: a task by its task type, a subscription
//! by its topic. Refuses to guess: a text that says neither is refused with what is known. Read
//! next: [`translator`](super::translator), [`subscription`].

use super::extension::{Family, TemplateUri};
use super::markdown::{Prompt, PromptError};
use super::subscription::{self, NotificationTopic};
use super::template::TelecomTemplate;
use super::translator::{TemplateMismatch, Translator};
use schema::steps::{GivenUp, ReadingBudget};
use schema::template::Template;
use std::sync::LazyLock;

/// The templates that are understood.
#[derive(Clone, Debug, Default)]
pub struct TemplateCatalogue {
    translators: Vec<Translator>,
    topics: Vec<NotificationTopic>,
}

/// The reason why nobody knows what a text is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownTemplate {
    /// It is no prompt.
    #[error(transparent)]
    Fault(#[from] PromptError),
    /// It is more work than it may be.
    #[error(transparent)]
    GivenUp(#[from] GivenUp),
    /// It names another template, or none and says nothing that one is known by.
    #[error("template {named} is not known here; {}", told(.known))]
    Template {
        /// The template that the message names; `none` if nothing.
        named: String,
        /// The templates known.
        known: Vec<String>,
        /// The schema that an agent takes who knows it; none if it is no shipped template.
        schema_id: Option<String>,
    },
}

impl UnknownTemplate {
    /// The code of IG1453's closed catalogue that says the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fault(_) | Self::GivenUp(_) => "content.format_error",
            Self::Template { .. } => "template.not_found",
        }
    }
}

impl TemplateCatalogue {
    /// The shipped templates whose schemas are taken, bound to them, and the shipped topics whose
    /// orders are.
    ///
    /// # Errors
    /// [`TemplateMismatch`] if a schema lacks a key that its template names.
    pub fn new<'a>(
        schemas: impl Fn(&str) -> Option<&'a Template>,
    ) -> Result<Self, TemplateMismatch> {
        let mut topics = subscription::shipped();
        topics.retain(|topic| schemas(&topic.order.schema_id).is_some());
        let bound = super::shipped::shipped()
            .into_iter()
            .filter_map(|template| {
                let schema = schemas(&template.schema_id)?.clone();
                Some(Translator::new(template, schema))
            });
        Ok(Self {
            translators: bound.collect::<Result<_, _>>()?,
            topics,
        })
    }

    /// True if nothing is understood.
    pub fn is_empty(&self) -> bool {
        self.translators.is_empty() && self.topics.is_empty()
    }

    /// The templates of tasks.
    pub fn translators(&self) -> &[Translator] {
        &self.translators
    }

    /// The topics of subscriptions.
    pub fn topics(&self) -> &[NotificationTopic] {
        &self.topics
    }

    /// The template of payloads of a schema, for what is sent to a peer.
    pub fn for_schema(&self, schema_id: &str) -> Option<&Translator> {
        self.translators
            .iter()
            .find(|t| t.schema().schema_id == schema_id)
    }

    /// The template of a task's text, found as part of some work.
    ///
    /// # Errors
    /// [`UnknownTemplate`], with the templates that are known.
    pub fn task(
        &self,
        named: Option<&TemplateUri>,
        prompt: &str,
        work: &ReadingBudget<'_>,
    ) -> Result<&Translator, UnknownTemplate> {
        let named = named.filter(|uri| uri.family == Family::Task);
        let said = Said::of(named, prompt, work)?;
        for translator in &self.translators {
            if said.is(&translator.uri().to_string(), |it| translator.is_of(it))? {
                return Ok(translator);
            }
        }
        let known = self.translators.iter().map(|it| it.uri().to_string());
        let known = known.collect();
        for template in &SHIPPED.0 {
            if said.is(&template.template_uri, |it| template.is_of(it))? {
                return Err(unknown(named, known, Some(template.schema_id.clone())));
            }
        }
        Err(unknown(named, known, None))
    }

    /// The topic of a subscription's text, found as part of some work.
    ///
    /// # Errors
    /// [`UnknownTemplate`], with the topics that are known.
    pub fn subscription(
        &self,
        named: Option<&TemplateUri>,
        prompt: &str,
        work: &ReadingBudget<'_>,
    ) -> Result<&NotificationTopic, UnknownTemplate> {
        let named = named.filter(|uri| uri.family == Family::Notification);
        let said = Said::of(named, prompt, work)?;
        for topic in &self.topics {
            if said.is(&topic.template_uri, |it| topic.is_of(it))? {
                return Ok(topic);
            }
        }
        let known = self.topics.iter().map(|it| it.template_uri.clone());
        let known = known.collect();
        for topic in &SHIPPED.1 {
            if said.is(&topic.template_uri, |it| topic.is_of(it))? {
                return Err(unknown(named, known, Some(topic.order.schema_id.clone())));
            }
        }
        Err(unknown(named, known, None))
    }
}

/// The hint at a text's template: the URI that comes with it, or the text.
enum Said<'w> {
    Uri(String),
    Text(Prompt, usize, &'w ReadingBudget<'w>),
}

impl<'w> Said<'w> {
    fn of(
        named: Option<&TemplateUri>,
        prompt: &str,
        work: &'w ReadingBudget<'w>,
    ) -> Result<Self, UnknownTemplate> {
        Ok(match named {
            Some(uri) => Self::Uri(uri.to_string()),
            None => Self::Text(Prompt::read(prompt, work)?, prompt.len(), work),
        })
    }

    /// True if it is the template of this URI, which is known by what a text says.
    fn is(&self, uri: &str, is_of: impl Fn(&Prompt) -> bool) -> Result<bool, GivenUp> {
        match self {
            Self::Uri(named) => Ok(named == uri),
            Self::Text(document, bytes, work) => {
                work.may_go_on()?;
                work.take(*bytes);
                Ok(is_of(document))
            }
        }
    }
}

/// All templates that there are, for who asks the wrong agent.
static SHIPPED: LazyLock<(Vec<TelecomTemplate>, Vec<NotificationTopic>)> =
    LazyLock::new(|| (super::shipped::shipped(), subscription::shipped()));

fn unknown(
    named: Option<&TemplateUri>,
    known: Vec<String>,
    schema_id: Option<String>,
) -> UnknownTemplate {
    UnknownTemplate::Template {
        named: named.map_or_else(|| "none".to_owned(), ToString::to_string),
        known,
        schema_id,
    }
}

fn told(known: &[String]) -> String {
    match known.is_empty() {
        true => "none of its kind is".to_owned(),
        false => format!("known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use schema::steps::Effort;

    fn any() -> ReadingBudget<'static> {
        ReadingBudget::within(Effort::any())
    }

    fn repertoire() -> TemplateCatalogue {
        let schemas = schema::shipped::shipped();
        let find = |id: &str| schemas.iter().find(|s| s.schema_id == id);
        TemplateCatalogue::new(find).expect("shipped templates fit shipped schemas")
    }

    /// A2A-T: older builds send no template URI; the text says itself what it is.
    #[test]
    fn texts_are_known_by_what_they_say() {
        let repertoire = repertoire();
        let uri = |text: &str| TemplateUri::parse(text).expect("a URI");
        let negotiation = uri("Negotiation-T/information-negotiation/accept-reject/v1");
        for named in [None, Some(&negotiation)] {
            let task = repertoire.task(
                named,
                "## 任务类型(Task Type)\n传输专线业务投诉诊断",
                &any(),
            );
            assert_eq!(
                task.expect("known").schema().schema_id,
                "service_complaint_v1"
            );
        }
        let topic = repertoire
            .subscription(None, "## Notification Topic\nFault", &any())
            .expect("known");
        assert!(topic.template_uri.ends_with("subscribe-incident/v1"));
        let named = uri("Task-T/network-layer/fault-diagnosis/v1");
        let task = repertoire.task(Some(&named), "", &any()).expect("known");
        assert_eq!(task.schema().schema_id, "fault_diagnosis_v1");
        assert!(repertoire.for_schema("energy_saving_v1").is_some());
    }

    /// A peer of whom nobody takes the task is told so, and by which schema to find somebody who
    /// does.
    #[test]
    fn what_nobody_here_knows_is_told_with_the_schema_of_who_does() {
        let none = TemplateCatalogue::default();
        let energy = TemplateUri::parse("Task-T/network-layer/ran-energy-saving/v1").ok();
        let text = "## Task Type\nWireless network energy saving";
        let topic = "## Notification Topic\nFault";
        let told = [
            none.task(energy.as_ref(), "", &any()).expect_err("unknown"),
            none.task(None, text, &any()).expect_err("unknown"),
            none.task(None, "## Task Type\nx", &any())
                .expect_err("unknown"),
            none.subscription(None, topic, &any()).expect_err("unknown"),
        ];
        let told = told.map(|unknown| match &unknown {
            UnknownTemplate::Template { schema_id, .. } => format!("{unknown}: {schema_id:?}"),
            other => other.to_string(),
        });
        assert_snapshot!(told.join("\n"), @r#"
        template Task-T/network-layer/ran-energy-saving/v1 is not known here; none of its kind is: Some("energy_saving_v1")
        template none is not known here; none of its kind is: Some("energy_saving_v1")
        template none is not known here; none of its kind is: None
        template none is not known here; none of its kind is: Some("fault_incident_v1")
        "#);
    }

    #[test]
    fn what_is_not_known_is_told_with_what_is() {
        let repertoire = repertoire();
        let battery =
            TemplateUri::parse("Task-T/network-layer/ran-intelligent-backup-battery-endurance/v1");
        let told = [
            repertoire
                .task(battery.ok().as_ref(), "", &any())
                .expect_err("unknown"),
            repertoire
                .task(None, "## Task Object\nHaidian", &any())
                .expect_err("unknown"),
            repertoire
                .task(None, "Haidian", &any())
                .expect_err("no prompt"),
            repertoire
                .subscription(None, "## Notification Topic\nWeather", &any())
                .expect_err("unknown"),
        ];
        let told = told.map(|unknown| format!("{}: {unknown}", unknown.code()));
        assert_snapshot!(told.join("\n"), @r"
        template.not_found: template Task-T/network-layer/ran-intelligent-backup-battery-endurance/v1 is not known here; known: Task-T/network-layer/fault-diagnosis/v1, Task-T/network-layer/ran-experience-compensation/v1, Task-T/network-layer/ran-energy-saving/v1, Task-T/network-layer/private-line-complaint/v1
        template.not_found: template none is not known here; known: Task-T/network-layer/fault-diagnosis/v1, Task-T/network-layer/ran-experience-compensation/v1, Task-T/network-layer/ran-energy-saving/v1, Task-T/network-layer/private-line-complaint/v1
        content.format_error: line 1: text before the first section
        template.not_found: template none is not known here; known: Notification-T/network-layer/subscribe-incident/v1, Notification-T/network-layer/service-recovery/v1
        ");
    }
}
