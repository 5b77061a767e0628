//! From a prompt to a payload and back, by a template and the schema it is bound to.
//!
//! ```text
//! prompt ──read──► Reading: values, questions ──payload──► Payload
//!                     ▲                └─ what lacks or is wrong, to be asked
//!                     └─ supplement ─── answers, from a negotiation
//! payload ──write──► prompt, which reads as the same payload
//! ```
//! No language model: words are those of the template, values are checked by the schema's contract,
//! and what nobody understands is kept in `other`. Refuses to know tasks. Read next:
//! [`template`](super::template), [`negotiation`](super::negotiation).

mod outcome;
mod publication;
mod question;
mod reading;
mod writing;

pub use outcome::outcome;
pub use question::Question;
pub use reading::{PromptReading, Understood};
pub use writing::Item;

use super::extension::TemplateUri;
use super::labels::Labels;
use super::markdown::{Prompt, PromptError, same_title};
use super::template::{SectionContent, TelecomTemplate, TemplateField, TemplateSection};
use super::text_language::TextLanguage;
use domain::content::Payload;
use schema::contract::{Contract, Unusable};
use schema::steps::{Effort, GivenUp, ReadingBudget};
use schema::template::{OTHER, Shape, Template};
use serde_json::Value;

/// The titles of what no section of a template holds.
pub(super) mod titles {
    use super::TextLanguage;

    /// Keys that the template does not know, by name, as JSON.
    pub(crate) fn further(text_language: TextLanguage) -> &'static str {
        text_language.either("Further Parameters", "更多参数(Further Parameters)")
    }

    /// The title of what no key covers.
    pub(crate) fn other(text_language: TextLanguage) -> &'static str {
        text_language.either("Other", "其他(Other)")
    }
}

/// A template bound to a schema.
#[derive(Clone, Debug)]
pub struct Translator {
    uri: TemplateUri,
    template: TelecomTemplate,
    schema: Template,
    contract: Contract,
    /// The labels of each section.
    labels: Vec<Labels>,
    /// The labels of all sections, each with the place of its section and of its field.
    every: Labels,
    places: Vec<(usize, usize)>,
}

/// The reason why a template does not fit a schema.
#[derive(Debug, thiserror::Error)]
pub enum TemplateMismatch {
    /// It is for another.
    #[error("template {template} is for {wanted}, not for {found}")]
    OtherSchema {
        /// The template.
        template: String,
        /// The schema that it is for.
        wanted: String,
        /// The schema found.
        found: String,
    },
    /// It names a key that the schema does not have.
    #[error("template {template} names the key '{key}', which {schema} does not have")]
    UnknownKey {
        /// The template.
        template: String,
        /// The schema.
        schema: String,
        /// The key.
        key: String,
    },
    /// Its URI is none.
    #[error(transparent)]
    Uri(#[from] super::extension::NotATemplateUri),
    /// The schema has a pattern that is none.
    #[error(transparent)]
    Unusable(#[from] Unusable),
}

/// The reason why a prompt is not one of this template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptMismatch {
    /// It is no markdown of this kind.
    #[error(transparent)]
    Fault(#[from] PromptError),
    /// Its task type is another.
    #[error(
        "section '{section}', line {line}: the task type of {template} is '{expected}', not '{found}'"
    )]
    OtherTask {
        /// The section.
        section: String,
        /// The line, from 1.
        line: u32,
        /// The template.
        template: String,
        /// The task type of the template.
        expected: String,
        /// The text found there.
        found: String,
    },
    /// It is more work than it may be.
    #[error(transparent)]
    GivenUp(#[from] GivenUp),
}

impl Translator {
    /// Binds a template to the schema it is for, in the version that is in force.
    ///
    /// # Errors
    /// [`TemplateMismatch`]: it is for another, or names a key that is not there.
    pub fn new(template: TelecomTemplate, schema: Template) -> Result<Self, TemplateMismatch> {
        let uri = TemplateUri::parse(&template.template_uri)?;
        if schema.schema_id != template.schema_id {
            return Err(TemplateMismatch::OtherSchema {
                template: template.template_uri,
                wanted: template.schema_id,
                found: schema.schema_id,
            });
        }
        if let Some(key) = unknown_key(&template, &schema) {
            return Err(TemplateMismatch::UnknownKey {
                template: template.template_uri,
                schema: schema.schema_id,
                key,
            });
        }
        let places: Vec<(usize, usize)> = places(&template).collect();
        let every = places
            .iter()
            .enumerate()
            .flat_map(|(at, (section, field))| {
                let field = &template.sections[*section].fields()[*field];
                field.labels.all().map(move |label| (at, label))
            });
        Ok(Self {
            contract: Contract::new(&schema)?,
            labels: template.sections.iter().map(labels_of).collect(),
            every: Labels::new(every),
            places,
            uri,
            template,
            schema,
        })
    }

    /// The template.
    pub fn uri(&self) -> &TemplateUri {
        &self.uri
    }

    /// The schema of its payloads.
    pub fn schema(&self) -> &Template {
        &self.schema
    }

    /// Reads a prompt of one's own, however much work it is; those of others are read by
    /// [`Translator::read_within`].
    ///
    /// # Errors
    /// [`PromptMismatch`] if it is no prompt of this template. What merely lacks or is wrong in it is told
    /// by the [`PromptReading`].
    pub fn read(&self, prompt: &str) -> Result<PromptReading<'_>, PromptMismatch> {
        self.read_within(prompt, &ReadingBudget::within(Effort::any()))
    }

    /// Reads a prompt as part of some work. It takes as many steps as the prompt is long, times a constant
    /// of the template; whether it may go on is asked before each line of a section.
    ///
    /// # Errors
    /// As of [`Translator::read`]; [`PromptMismatch::GivenUp`].
    pub fn read_within(
        &self,
        prompt: &str,
        work: &ReadingBudget<'_>,
    ) -> Result<PromptReading<'_>, PromptMismatch> {
        let document = Prompt::read(prompt, work)?;
        PromptReading::of(self, &document, work)
    }

    /// The subject of a payload, in words.
    pub fn target_object(&self, payload: &Payload) -> String {
        match payload.values.get(&self.template.target) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(items)) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                items.join(", ")
            }
            Some(value) => value.to_string(),
            None => self.schema.scenario.clone(),
        }
    }

    /// The name of the task type; empty if the template has none.
    pub fn task_type(&self, text_language: TextLanguage) -> &str {
        let types = self
            .template
            .sections
            .iter()
            .find_map(|part| match &part.holds {
                SectionContent::TaskType(phrases) => Some(phrases.first(text_language)),
                _ => None,
            });
        types.unwrap_or_default()
    }

    /// True if a prompt says that it is of this template's type of task.
    pub(super) fn is_of(&self, document: &Prompt) -> bool {
        self.template.is_of(document)
    }

    fn shape(&self, key: &str) -> &Shape {
        let key = self.schema.key(key);
        &key.expect("keys of a template are those of its schema, which binding checks")
            .shape
    }

    fn field(&self, section: usize, field: usize) -> &TemplateField {
        &self.template.sections[section].fields()[field]
    }

    /// The first field of a key, with its section.
    fn field_of(&self, key: &str) -> Option<(&TemplateSection, &TemplateField)> {
        let holds = |part: &'_ TemplateSection| {
            let fields = part.fields().iter();
            fields
                .into_iter()
                .position(|f| f.keys().any(|held| held == key))
        };
        let parts = self.template.sections.iter();
        let (part, at) = parts
            .into_iter()
            .find_map(|part| Some((part, holds(part)?)))?;
        Some((part, &part.fields()[at]))
    }

    /// The section of the template with this title, and the language of the title.
    fn section(&self, title: &str, work: &ReadingBudget<'_>) -> Option<(usize, TextLanguage)> {
        let same = |part: &TemplateSection, text_language| {
            let mut titles = part.title.in_tongue(text_language).iter();
            titles.any(|known| {
                work.take(1 + title.len());
                same_title(known, title)
            })
        };
        let sections = self.template.sections.iter().enumerate();
        sections.into_iter().find_map(|(place, part)| {
            let text_language = TextLanguage::ALL
                .into_iter()
                .find(|text_language| same(part, *text_language))?;
            Some((place, text_language))
        })
    }
}

fn unknown_key(template: &TelecomTemplate, schema: &Template) -> Option<String> {
    let named = template
        .fields()
        .flat_map(|(_, field)| field.keys().map(str::to_owned));
    let constants = template.constants.keys().cloned();
    let mut all = named.chain(constants).chain([template.target.clone()]);
    all.find(|key| key != OTHER && schema.key(key).is_none())
}

fn places(template: &TelecomTemplate) -> impl Iterator<Item = (usize, usize)> {
    let sections = template.sections.iter().enumerate();
    sections.flat_map(|(section, part)| (0..part.fields().len()).map(move |field| (section, field)))
}

fn labels_of(part: &TemplateSection) -> Labels {
    let fields = part.fields().iter().enumerate();
    Labels::new(
        fields.flat_map(|(place, field)| field.labels.all().map(move |label| (place, label))),
    )
}

#[cfg(test)]
pub(super) mod tests;
