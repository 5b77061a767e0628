//! Notification-T: a subscription whose conditions are held against what we notify.
//!
//! ```text
//! prompt ──parse──► Subscription ──wants──► whether a notification is told
//!                       └─answer─► the outcome, as its prompt asks for it
//! ```
//! Topics and conditions are data: which result schemas a topic is about, and which of their keys a
//! condition looks at, in which words. A condition that cannot be evaluated is refused by name: what
//! is subscribed is what is told. Refuses to know who subscribes and how long. Read next:
//! [`phrases`](super::phrases), in which they are said.

mod condition;
mod incident;

pub use condition::SubscriptionCondition;
pub use incident::{Carriage, NotificationArtifact};

use super::extension::TemplateUri;
use super::labels::{Labels, unquoted};
use super::markdown::{Prompt, PromptError, Section};
use super::phrases::Phrases;
use super::text_language::TextLanguage;
use condition::Test;
use domain::content::Payload;
use domain::notification::Notification;
use schema::steps::{GivenUp, ReadingBudget};
use schema::template::{KeyType, Shape, Template};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The things that can be subscribed to under one template URI.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotificationTopic {
    /// Its name, e.g. `Notification-T/network-layer/subscribe-incident/v1`.
    pub template_uri: String,
    /// Its names; the first is written.
    pub names: Phrases,
    /// The name of what is sent, e.g. `faultManagement.Incident`.
    pub artifact: String,
    /// The schemas of the results that it is about.
    pub tells: BTreeSet<String>,
    /// The task that has an agent tell it.
    pub order: NotifyingTask,
    /// The conditions that subscriptions can ask for.
    pub conditions: Vec<SubscriptionCondition>,
    /// Titles of the sections.
    pub titles: Titles,
}

/// The task by which an agent is told to notify from now on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotifyingTask {
    /// The schema of its payload.
    pub schema_id: String,
    /// Its keys, each with the key of the results whose condition says its value.
    pub keys: BTreeMap<String, String>,
}

/// The titles of the sections of a subscription.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Titles {
    /// The name of the topic.
    pub topic: Phrases,
    /// The conditions.
    pub condition: Phrases,
    /// The way in which a notification is carried.
    pub format: Phrases,
    /// The outcome.
    pub output: Phrases,
}

/// A subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationSubscription {
    /// Its template.
    pub template_uri: TemplateUri,
    /// In which language it was made, and is answered.
    pub text_language: TextLanguage,
    /// The way in which notifications are carried.
    pub carriage: Carriage,
    artifact: String,
    tells: BTreeSet<String>,
    /// All must hold: one of the values stands under one of the keys.
    tests: Vec<Test>,
}

/// The reason why a subscription is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionError {
    /// It is no prompt.
    #[error(transparent)]
    Fault(#[from] PromptError),
    /// Something in it cannot be done; all of it.
    #[error("{}", told(.0))]
    Objections(Vec<Objection>),
    /// It is more work than it may be.
    #[error(transparent)]
    GivenUp(#[from] GivenUp),
}

impl SubscriptionError {
    /// The code of IG1453's closed catalogue that says the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fault(_) | Self::GivenUp(_) => "content.format_error",
            Self::Objections(_) => "content.value_not_allowed",
        }
    }
}

fn told(objections: &[Objection]) -> String {
    let all: Vec<String> = objections.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// A part of a subscription that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("section '{section}', line {line}: '{found}' {problem}")]
pub struct Objection {
    /// The section.
    pub section: String,
    /// The line, from 1; 0 if the section is not there.
    pub line: u32,
    /// The text found there.
    pub found: String,
    /// Its fault, and what could stand there.
    pub problem: String,
}

/// The topics that come with Convoke.
pub fn shipped() -> Vec<NotificationTopic> {
    let text = include_str!("templates/subscriptions.json");
    serde_json::from_str(text).expect("a test reads the shipped topics")
}

impl NotificationTopic {
    /// Reads a subscription to this topic, as part of some work.
    ///
    /// # Errors
    /// [`SubscriptionError`], with everything that cannot be done.
    pub fn parse(
        &self,
        prompt: &str,
        work: &ReadingBudget<'_>,
    ) -> Result<NotificationSubscription, SubscriptionError> {
        let document = Prompt::read(prompt, work)?;
        let mut objections = Vec::new();
        self.check_name(&document, &mut objections);
        let tests = self.tests(&document, &mut objections, work)?;
        let carriage = self.carriage(&document, &mut objections);
        if !objections.is_empty() {
            return Err(SubscriptionError::Objections(objections));
        }
        let uri = TemplateUri::parse(&self.template_uri);
        Ok(NotificationSubscription {
            template_uri: uri.expect("a test reads the URIs of the shipped topics"),
            text_language: self.text_language(&document),
            carriage,
            artifact: self.artifact.clone(),
            tells: self.tells.clone(),
            tests,
        })
    }

    /// The payload of the order, under its schema: what conditions say, and where none says the domain,
    /// that of who is ordered.
    ///
    /// # Errors
    /// [`SubscriptionError`]: the order needs a condition that the subscription does not have.
    pub fn ordered(
        &self,
        subscription: &NotificationSubscription,
        schema: &Template,
        domains: &[&str],
    ) -> Result<Payload, SubscriptionError> {
        let (mut values, mut lacking) = (Map::new(), Vec::new());
        for (name, result) in &self.order.keys {
            let Some(key) = schema.key(name) else {
                continue;
            };
            let told = subscription.values_of(result, key.shape.key_type == KeyType::Array);
            let own = || domains.iter().find(|it| allows(&key.shape, it));
            match told.or_else(|| own().map(|it| (*it).into())) {
                Some(value) => drop(values.insert(name.clone(), value)),
                None if key.required => {
                    lacking.push(self.needed(result, subscription.text_language))
                }
                None => {}
            }
        }
        match lacking.is_empty() {
            true => Ok(Payload {
                schema_id: schema.schema_id.clone(),
                values,
            }),
            false => Err(SubscriptionError::Objections(lacking)),
        }
    }

    /// A subscription in the place of an order, for who is ordered in A2A-T; none if the order is another
    /// one, or says what no condition can.
    pub fn ask(&self, order: &Payload, text_language: TextLanguage) -> Option<String> {
        if order.schema_id != self.order.schema_id {
            return None;
        }
        let said = order.values.iter().map(|(name, value)| {
            let result = self.order.keys.get(name)?;
            let mut conditions = self.conditions.iter();
            let condition = conditions.find(|it| it.keys.contains(result))?;
            condition.said(value, text_language)
        });
        let said: Option<Vec<String>> = said.collect();
        let topic = Section::new(self.titles.topic.first(text_language));
        let condition = Section::new(self.titles.condition.first(text_language));
        let document = Prompt {
            front: Vec::new(),
            sections: vec![
                topic.saying(self.names.first(text_language)),
                condition.saying(said?.join("\n")),
            ],
        };
        Some(document.to_string())
    }

    fn needed(&self, result: &str, text_language: TextLanguage) -> Objection {
        let holds = |it: &&SubscriptionCondition| it.keys.iter().any(|key| key == result);
        let condition = self.conditions.iter().find(holds);
        let label = condition.map_or(result, |it| it.labels.first(text_language));
        Objection {
            section: self.titles.condition.first(text_language).to_owned(),
            line: 0,
            found: label.to_owned(),
            problem: "is needed".to_owned(),
        }
    }

    /// The answer to a subscription that was declined: its outcome, with the reasons.
    pub fn decline(&self, declined: &SubscriptionError, text_language: TextLanguage) -> String {
        let reasons = match declined {
            SubscriptionError::Objections(all) => all.iter().map(ToString::to_string).collect(),
            other => vec![other.to_string()],
        };
        outcome(
            self.titles.output.first(text_language),
            &reasons,
            text_language,
        )
    }

    /// The answer to a subscription that was taken.
    pub fn accept(&self, text_language: TextLanguage) -> String {
        outcome(self.titles.output.first(text_language), &[], text_language)
    }

    /// True if a prompt names this topic.
    pub(super) fn is_of(&self, document: &Prompt) -> bool {
        let said = section(document, &self.titles.topic).map(Section::text);
        said.is_some_and(|said| self.is_called(&said))
    }

    fn is_called(&self, said: &str) -> bool {
        let name = unquoted(said.trim_end_matches(['.', '。']));
        self.names
            .all()
            .any(|known| known.eq_ignore_ascii_case(&name))
    }

    fn text_language(&self, document: &Prompt) -> TextLanguage {
        let chinese = self.titles.topic.in_tongue(TextLanguage::Chinese).iter();
        match chinese
            .into_iter()
            .any(|title| document.section(title).is_some())
        {
            true => TextLanguage::Chinese,
            false => TextLanguage::English,
        }
    }

    fn check_name(&self, document: &Prompt, objections: &mut Vec<Objection>) {
        let Some(section) = section(document, &self.titles.topic) else {
            return;
        };
        for (line, said) in section.lines() {
            if !self.is_called(&said) {
                let names: Vec<&str> = self.names.all().collect();
                let problem = format!(
                    "is no topic of {}; topics are {}",
                    self.template_uri,
                    names.join(", ")
                );
                objections.push(object(section, line.0, &said, problem));
            }
        }
    }

    fn tests(
        &self,
        document: &Prompt,
        objections: &mut Vec<Objection>,
        work: &ReadingBudget<'_>,
    ) -> Result<Vec<Test>, GivenUp> {
        let Some(section) = section(document, &self.titles.condition) else {
            return Ok(Vec::new());
        };
        let labels = self.conditions.iter().enumerate();
        let labels = labels.flat_map(|(at, c)| c.labels.all().map(move |label| (at, label)));
        let labels = Labels::new(labels);
        let mut tests = Vec::new();
        for (line, text) in section.lines() {
            work.may_go_on()?;
            let fields = labels.find(&text, work);
            if !fields.before.is_empty() {
                let problem = format!(
                    "is no condition that can be held; conditions are {}",
                    self.known()
                );
                objections.push(object(section, line.0, fields.before, problem));
            }
            for (at, said) in fields.said {
                match self.conditions[at].test(said) {
                    Ok(test) => tests.push(test),
                    Err((found, problem)) => {
                        objections.push(object(section, line.0, &found, problem))
                    }
                }
            }
        }
        Ok(tests)
    }

    fn known(&self) -> String {
        let labels = self
            .conditions
            .iter()
            .map(|c| c.labels.first(TextLanguage::English));
        labels.collect::<Vec<_>>().join(", ")
    }

    fn carriage(&self, document: &Prompt, objections: &mut Vec<Objection>) -> Carriage {
        let section = section(document, &self.titles.format);
        let text = section.map(|s| (s, s.text()));
        let Some((section, text)) = text else {
            return Carriage::default();
        };
        Carriage::find(&text).unwrap_or_else(|part| {
            let problem = "cannot carry it; DataPart and TextPart can".to_owned();
            objections.push(object(section, section.line.0, &part, problem));
            Carriage::default()
        })
    }
}

impl NotificationSubscription {
    /// The values that a condition on a key of the results names: all, or the only one.
    fn values_of(&self, key: &str, listed: bool) -> Option<Value> {
        let on_key = |test: &&Test| test.keys.iter().any(|it| it == key);
        let values = &self.tests.iter().find(on_key)?.values;
        Some(match (listed, values.first(), values.len()) {
            (false, Some(only), 1) => only.as_str().into(),
            _ => values.iter().cloned().collect(),
        })
    }

    /// True if a notification is told.
    pub fn wants(&self, notification: &Notification) -> bool {
        let payload = notification.content.payload.as_ref();
        payload.is_some_and(|payload| {
            self.tells.contains(&payload.schema_id)
                && self.tests.iter().all(|test| test.holds(payload))
        })
    }
}

/// True if a value is one of those that are listed.
fn allows(shape: &Shape, value: &str) -> bool {
    let allowed = &shape.constraint.allowed;
    allowed.iter().any(|it| it == value)
}

fn section<'d>(document: &'d Prompt, titles: &Phrases) -> Option<&'d Section> {
    titles.all().find_map(|title| document.section(title))
}

fn object(section: &Section, line: u32, found: &str, problem: String) -> Objection {
    Objection {
        section: section.title.clone(),
        line,
        found: found.chars().take(80).collect(),
        problem,
    }
}

fn outcome(title: &str, reasons: &[String], text_language: TextLanguage) -> String {
    let result = match reasons.is_empty() {
        true => text_language.either("Subscription result: success", "订阅结果：成功"),
        false => text_language.either("Subscription result: failure", "订阅结果：失败"),
    };
    let section = reasons
        .iter()
        .fold(Section::new(title).saying(result), Section::saying);
    let document = Prompt {
        front: Vec::new(),
        sections: vec![section],
    };
    document.to_string()
}

#[cfg(test)]
mod tests;
