//! A payload as a prompt.
//!
//! Knows the order of sections; what no field says the same goes under [`titles::further`] as JSON,
//! so that every payload has a prompt that reads as itself.

use super::{Translator, titles};
use crate::telecom::labels::{json, quoted};
use crate::telecom::markdown::{BlockBody, Prompt, Section};
use crate::telecom::template::{SectionContent, TemplateField, TemplateSection};
use crate::telecom::text_language::TextLanguage;
use schema::steps::{Effort, ReadingBudget};
use schema::template::OTHER;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The statement of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name of the field.
    pub label: String,
    /// The value said.
    pub said: String,
    /// The keys that it holds: one, of a span two.
    pub keys: Vec<String>,
}

impl Translator {
    /// The prompt of a payload; it reads as the same payload, the default of a field that always
    /// stands in its section being said. `values` are held to be accepted by the schema.
    pub fn write(&self, values: &Map<String, Value>, text_language: TextLanguage) -> String {
        self.document(values, text_language).to_string()
    }

    /// The same, not yet written.
    pub fn document(&self, values: &Map<String, Value>, text_language: TextLanguage) -> Prompt {
        let values = self.with_bare_defaults(values);
        let mut told = BTreeSet::new();
        let parts = self.template.sections.iter();
        let sections = parts.filter_map(|part| self.part(part, &values, text_language, &mut told));
        let mut sections: Vec<Section> = sections.collect();
        sections.extend(self.further(&values, &told, text_language));
        sections.extend(other(&values, text_language));
        Prompt {
            front: Vec::new(),
            sections,
        }
    }

    /// The fields that state these values, in the order of the template.
    pub fn items(&self, values: &Map<String, Value>, text_language: TextLanguage) -> Vec<Item> {
        let fields = self.template.fields().map(|(_, field)| field);
        let told = fields.filter_map(|field| {
            Some(Item {
                said: self.said(field, values, text_language)?,
                label: field.labels.first(text_language).to_owned(),
                keys: field.keys().map(str::to_owned).collect(),
            })
        });
        told.collect()
    }

    /// A line of words beside items: as it stands, or in quotes if it could be taken for one.
    pub fn prose(&self, line: &str) -> String {
        let work = ReadingBudget::within(Effort::any());
        match self.every.find(line, &work).said.is_empty() && !line.starts_with(['`', '"']) {
            true => line.to_owned(),
            false => json(&line.into()),
        }
    }

    fn with_bare_defaults(&self, values: &Map<String, Value>) -> Map<String, Value> {
        let mut values = values.clone();
        for (_, field) in self.template.fields().filter(|(_, field)| field.bare) {
            let default = self
                .schema
                .key(&field.key)
                .and_then(|key| key.default_value.clone());
            if let Some(default) = default {
                values.entry(field.key.as_str()).or_insert(default);
            }
        }
        values
    }

    fn part(
        &self,
        part: &TemplateSection,
        values: &Map<String, Value>,
        text_language: TextLanguage,
        told: &mut BTreeSet<String>,
    ) -> Option<Section> {
        let section = Section::new(part.title.first(text_language));
        match &part.holds {
            SectionContent::TaskType(phrases) => Some(section.saying(phrases.first(text_language))),
            SectionContent::Statement(lines) => {
                let lines = lines.in_tongue(text_language).iter();
                Some(lines.fold(section, Section::saying))
            }
            SectionContent::Guidance(lines) => {
                let lines = lines.in_tongue(text_language).iter().cloned();
                Some(lines.map(entry).fold(section, Section::with))
            }
            SectionContent::Fields(fields) => {
                let section = fields.iter().fold(section, |section, field| {
                    let Some(said) = self.said(field, values, text_language) else {
                        return section;
                    };
                    told.extend(field.keys().map(str::to_owned));
                    section.with(line(field, &said, text_language))
                });
                (!section.blocks.is_empty()).then_some(section)
            }
        }
    }

    /// The statement of a field; none if its keys are not there, or its form has no words for them.
    fn said(
        &self,
        field: &TemplateField,
        values: &Map<String, Value>,
        text_language: TextLanguage,
    ) -> Option<String> {
        let values: Option<Vec<&Value>> = field.keys().map(|key| values.get(key)).collect();
        let shape = &self.schema.key(&field.key)?.shape;
        field
            .form
            .write(&values?, shape, text_language)
            .filter(|said| !said.is_empty())
    }

    fn further(
        &self,
        values: &Map<String, Value>,
        told: &BTreeSet<String>,
        text_language: TextLanguage,
    ) -> Option<Section> {
        let constants = &self.template.constants;
        let untold = |key: &str, value: &Value| {
            key != OTHER && !told.contains(key) && constants.get(key) != Some(value)
        };
        let further = values.iter().filter(|(key, value)| untold(key, value));
        let lacking = constants.keys().filter(|key| !values.contains_key(*key));
        let all = further.chain(lacking.map(|key| (key, &Value::Null)));
        let section = all.fold(
            Section::new(titles::further(text_language)),
            |section, (key, value)| section.with(entry(format!("{key}: {}", json(value)))),
        );
        (!section.blocks.is_empty()).then_some(section)
    }
}

fn line(field: &TemplateField, said: &str, text_language: TextLanguage) -> BlockBody {
    match field.bare {
        true => BlockBody::Text(said.to_owned()),
        false => {
            let colon = text_language.either(": ", "：");
            entry(format!(
                "{}{colon}{said}",
                field.labels.first(text_language)
            ))
        }
    }
}

fn entry(text: String) -> BlockBody {
    BlockBody::Entry {
        depth: 0,
        number: None,
        text,
    }
}

fn other(values: &Map<String, Value>, text_language: TextLanguage) -> Option<Section> {
    let texts: Vec<&str> = match values.get(OTHER)? {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let section = texts.into_iter().fold(
        Section::new(titles::other(text_language)),
        |section, text| section.with(entry(quoted(text))),
    );
    (!section.blocks.is_empty()).then_some(section)
}
