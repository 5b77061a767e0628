//! Templates of A2A-T as data: which section says which key of which schema, in which words.
//!
//! A file under `templates/` holds one template in both languages. Bound to a schema it is a
//! [`Translator`](super::translator::Translator). Keys that a template does not know, such as those
//! a schema has learnt since, go under a heading of their own; so every payload has a prompt.
//! Refuses to know wire members. Read next: [`form`](super::form), [`translator`](super::translator).

use super::extension::TemplateUri;
use super::form::ValueForm;
use super::markdown::{Prompt, same_title};
use super::phrases::Phrases;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A template.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelecomTemplate {
    /// Its name, e.g. `Task-T/network-layer/ran-energy-saving/v1`.
    pub template_uri: String,
    /// The schema of the payloads, e.g. `energy_saving_v1`.
    pub schema_id: String,
    /// The key whose value says what a task is about.
    pub target: String,
    /// The values that the template gives every payload; a payload may say otherwise.
    #[serde(default)]
    pub constants: Map<String, Value>,
    /// The sections, in the order in which they are written.
    pub sections: Vec<TemplateSection>,
}

/// A section of a template.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSection {
    /// Its titles: the first is written, all are understood.
    pub title: Phrases,
    /// The name of its slot; none if it always says the same.
    #[serde(default)]
    pub slot: Option<Phrases>,
    /// Its purpose.
    pub holds: SectionContent,
}

/// The purpose of a section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionContent {
    /// The type of task, which tells templates apart: the first is written, another is an error.
    TaskType(Phrases),
    /// The thing to do, in words that point to other sections as `<Title>`. Lines that do so say
    /// nothing of their own; others go to `other`.
    Statement(Phrases),
    /// Requirements for the answer and explanations of terms: what is written, and never read.
    Guidance(Phrases),
    /// Values.
    Fields(Vec<TemplateField>),
}

/// A value in a section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateField {
    /// The key of the schema.
    pub key: String,
    /// Its names; the first is written, all are understood.
    pub labels: Phrases,
    /// True if it may stand in its section without a label; of one field of a section.
    #[serde(default)]
    pub bare: bool,
    /// The form of its value.
    pub form: ValueForm,
}

/// The reason why a text is no template.
#[derive(Debug, thiserror::Error)]
pub enum MalformedTemplate {
    /// Not JSON of this form.
    #[error("a template of A2A-T is not read")]
    Unread(#[from] serde_json::Error),
    /// Its URI is none.
    #[error(transparent)]
    Uri(#[from] super::extension::NotATemplateUri),
    /// Something in it has no words in one of the languages.
    #[error("'{0}' has no words in one of the languages")]
    Speechless(String),
}

impl TelecomTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`MalformedTemplate`]: the first thing that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, MalformedTemplate> {
        let template: Self = serde_json::from_str(text)?;
        TemplateUri::parse(&template.template_uri)?;
        match template.speechless() {
            Some(name) => Err(MalformedTemplate::Speechless(name)),
            None => Ok(template),
        }
    }

    /// True if a prompt says that it is of this template's type of task.
    pub(super) fn is_of(&self, document: &Prompt) -> bool {
        let says = |part: &TemplateSection| match &part.holds {
            SectionContent::TaskType(known) => {
                let sections = part.title.all().filter_map(|title| document.section(title));
                let said: Vec<String> = sections.map(|section| section.text()).collect();
                known
                    .all()
                    .any(|phrase| said.iter().any(|said| same_title(phrase, said)))
            }
            _ => false,
        };
        self.sections.iter().any(says)
    }

    fn speechless(&self) -> Option<String> {
        let titles = self.sections.iter().map(|part| ("a title", &part.title));
        let labels = self
            .fields()
            .map(|(_, field)| (field.key.as_str(), &field.labels));
        let mute = |phrases: &Phrases| phrases.en.is_empty() || phrases.zh.is_empty();
        let found = titles.chain(labels).find(|(_, phrases)| mute(phrases));
        found.map(|(name, _)| name.to_owned())
    }

    /// Its fields, in order, each with the place of its section.
    pub fn fields(&self) -> impl Iterator<Item = (usize, &TemplateField)> {
        self.sections
            .iter()
            .enumerate()
            .flat_map(|(place, part)| part.fields().iter().map(move |field| (place, field)))
    }
}

impl TemplateSection {
    /// The fields of the section; none if it holds no values.
    pub fn fields(&self) -> &[TemplateField] {
        match &self.holds {
            SectionContent::Fields(fields) => fields,
            _ => &[],
        }
    }
}

impl TemplateField {
    /// The keys that its value is of, in order: one, of a span two.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let until = match &self.form {
            ValueForm::Span { until } => Some(until.as_str()),
            _ => None,
        };
        std::iter::once(self.key.as_str()).chain(until)
    }
}
