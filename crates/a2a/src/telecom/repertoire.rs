//! Which template a text is of: by its URI, or by what it says where a message names none.
//!
//! Older builds send the text alone; a message with an answer in a negotiation names the template
//! of one of its two texts. A text says itself what it is: a task by its task type, a subscription
//! by its topic. Refuses to guess: a text that says neither is refused with what is known. Read
//! next: [`translator`](super::translator), [`subscription`].

use super::extension::{Family, TemplateUri};
use super::markdown::{Document, Fault};
use super::subscription::{self, Topic};
use super::template::TelecomTemplate;
use super::translator::{Misfit, Translator};
use schema::template::Template;
use std::sync::LazyLock;

/// The templates that are understood.
#[derive(Clone, Debug, Default)]
pub struct Repertoire {
    translators: Vec<Translator>,
    topics: Vec<Topic>,
}

/// Why nobody knows what a text is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// It is no prompt.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// It names another template, or none and says nothing that one is known by.
    #[error("template {named} is not known here; {}", told(.known))]
    Template {
        /// What the message names; `none` if nothing.
        named: String,
        /// What is known.
        known: Vec<String>,
        /// The schema that an agent takes who knows it; none if it is no shipped template.
        schema_id: Option<String>,
    },
}

impl Unknown {
    /// The code of IG1453's closed catalogue that says the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fault(_) => "content.format_error",
            Self::Template { .. } => "template.not_found",
        }
    }
}

impl Repertoire {
    /// The shipped templates whose schemas are taken, bound to them, and the shipped topics whose
    /// orders are.
    ///
    /// # Errors
    /// [`Misfit`] if a schema lacks a key that its template names.
    pub fn new<'a>(schemas: impl Fn(&str) -> Option<&'a Template>) -> Result<Self, Misfit> {
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
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// The template of payloads of a schema, for what is sent to a peer.
    pub fn for_schema(&self, schema_id: &str) -> Option<&Translator> {
        self.translators
            .iter()
            .find(|t| t.schema().schema_id == schema_id)
    }

    /// The template of a task's text.
    ///
    /// # Errors
    /// [`Unknown`], with the templates that are known.
    pub fn task(&self, named: Option<&TemplateUri>, prompt: &str) -> Result<&Translator, Unknown> {
        let named = named.filter(|uri| uri.family == Family::Task);
        let found = match named {
            Some(uri) => self.translators.iter().find(|t| t.uri() == uri),
            None => {
                let document = Document::parse(prompt)?;
                self.translators.iter().find(|t| t.is_of(&document))
            }
        };
        let known = || {
            self.translators
                .iter()
                .map(|t| t.uri().to_string())
                .collect()
        };
        let schema_id = || {
            let is_it = |it: &&TelecomTemplate| match named {
                Some(uri) => it.template_uri == uri.to_string(),
                None => Document::parse(prompt).is_ok_and(|document| it.is_of(&document)),
            };
            let template = SHIPPED.0.iter().find(is_it);
            template.map(|it| it.schema_id.clone())
        };
        found.ok_or_else(|| unknown(named, known(), schema_id()))
    }

    /// The topic of a subscription's text.
    ///
    /// # Errors
    /// [`Unknown`], with the topics that are known.
    pub fn subscription(
        &self,
        named: Option<&TemplateUri>,
        prompt: &str,
    ) -> Result<&Topic, Unknown> {
        let named = named.filter(|uri| uri.family == Family::Notification);
        let found = match named.map(ToString::to_string) {
            Some(uri) => self.topics.iter().find(|t| t.template_uri == uri),
            None => {
                let document = Document::parse(prompt)?;
                self.topics.iter().find(|t| t.is_of(&document))
            }
        };
        let known = || self.topics.iter().map(|t| t.template_uri.clone()).collect();
        let schema_id = || {
            let is_it = |it: &&Topic| match named {
                Some(uri) => it.template_uri == uri.to_string(),
                None => Document::parse(prompt).is_ok_and(|document| it.is_of(&document)),
            };
            let topic = SHIPPED.1.iter().find(is_it);
            topic.map(|it| it.order.schema_id.clone())
        };
        found.ok_or_else(|| unknown(named, known(), schema_id()))
    }
}

/// What there is to know, for who asks the wrong agent.
static SHIPPED: LazyLock<(Vec<TelecomTemplate>, Vec<Topic>)> =
    LazyLock::new(|| (super::shipped::shipped(), subscription::shipped()));

fn unknown(named: Option<&TemplateUri>, known: Vec<String>, schema_id: Option<String>) -> Unknown {
    Unknown::Template {
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

    fn repertoire() -> Repertoire {
        let schemas = schema::shipped::shipped();
        let find = |id: &str| schemas.iter().find(|s| s.schema_id == id);
        Repertoire::new(find).expect("shipped templates fit shipped schemas")
    }

    /// A2A-T: older builds send no template URI; the text says itself what it is.
    #[test]
    fn texts_are_known_by_what_they_say() {
        let repertoire = repertoire();
        let uri = |text: &str| TemplateUri::parse(text).expect("a URI");
        let negotiation = uri("Negotiation-T/information-negotiation/accept-reject/v1");
        for named in [None, Some(&negotiation)] {
            let task = repertoire.task(named, "## 任务类型(Task Type)\n传输专线业务投诉诊断");
            assert_eq!(
                task.expect("known").schema().schema_id,
                "service_complaint_v1"
            );
        }
        let topic = repertoire
            .subscription(None, "## Notification Topic\nFault")
            .expect("known");
        assert!(topic.template_uri.ends_with("subscribe-incident/v1"));
        let named = uri("Task-T/network-layer/fault-diagnosis/v1");
        let task = repertoire.task(Some(&named), "").expect("known");
        assert_eq!(task.schema().schema_id, "fault_diagnosis_v1");
        assert!(repertoire.for_schema("energy_saving_v1").is_some());
    }

    /// Whoever takes no task is told so, and by which schema to find somebody who does.
    #[test]
    fn what_nobody_here_knows_is_told_with_the_schema_of_who_does() {
        let none = Repertoire::default();
        let energy = TemplateUri::parse("Task-T/network-layer/ran-energy-saving/v1").ok();
        let text = "## Task Type\nWireless network energy saving";
        let topic = "## Notification Topic\nFault";
        let told = [
            none.task(energy.as_ref(), "").expect_err("unknown"),
            none.task(None, text).expect_err("unknown"),
            none.task(None, "## Task Type\nx").expect_err("unknown"),
            none.subscription(None, topic).expect_err("unknown"),
        ];
        let told = told.map(|unknown| match &unknown {
            Unknown::Template { schema_id, .. } => format!("{unknown}: {schema_id:?}"),
            Unknown::Fault(fault) => fault.to_string(),
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
                .task(battery.ok().as_ref(), "")
                .expect_err("unknown"),
            repertoire
                .task(None, "## Task Object\nHaidian")
                .expect_err("unknown"),
            repertoire.task(None, "Haidian").expect_err("no prompt"),
            repertoire
                .subscription(None, "## Notification Topic\nWeather")
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
