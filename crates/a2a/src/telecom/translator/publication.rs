//! A template in the form in which IG1453 publishes them: markdown with slots, and their JSON
//! Schema. Peers that keep such files can be given ours.
//!
//! Knows that form; what a slot holds is told from the keys of the schema.

use super::Translator;
use crate::telecom::form::ValueForm;
use crate::telecom::markdown::{Prompt, Section};
use crate::telecom::template::{SectionContent, TemplateField, TemplateSection};
use crate::telecom::text_language::TextLanguage;
use serde_json::{Map, Value, json};

impl Translator {
    /// The template as markdown: `{{slot}}` where a prompt has values, and what belongs there.
    pub fn markdown(&self, text_language: TextLanguage) -> String {
        let section = |part: &TemplateSection| {
            let section = Section::new(part.title.first(text_language));
            match (&part.holds, &part.slot) {
                (SectionContent::TaskType(phrases), _) => {
                    section.saying(phrases.first(text_language))
                }
                (SectionContent::Statement(lines) | SectionContent::Guidance(lines), _) => lines
                    .in_tongue(text_language)
                    .iter()
                    .fold(section, Section::saying),
                (SectionContent::Fields(fields), slot) => {
                    let slot = slot.as_ref().map_or("", |slot| slot.first(text_language));
                    let needed = match fields.iter().any(|field| self.is_required(field)) {
                        true => text_language.either(" (required)", "（必填）"),
                        false => text_language.either(" (optional)", "（选填）"),
                    };
                    let section = section.saying(format!("{{{{{slot}}}}}{needed}"));
                    self.requirements(fields, text_language)
                        .into_iter()
                        .fold(section, Section::saying)
                }
            }
        };
        let document = Prompt {
            front: Vec::new(),
            sections: self.template.sections.iter().map(section).collect(),
        };
        document.to_string()
    }

    /// The JSON Schema of the slots: each a string, for people and models to fill.
    pub fn slots(&self, text_language: TextLanguage) -> Value {
        let holds = |part: &'_ TemplateSection| matches!(part.holds, SectionContent::Fields(_));
        let parts = || self.template.sections.iter().filter(|part| holds(part));
        let named =
            || parts().filter_map(|part| Some((part.slot.as_ref()?.first(text_language), part)));
        let slot = |(name, part): (&str, &TemplateSection)| {
            let lines = self.requirements(part.fields(), text_language);
            (
                name.to_owned(),
                json!({ "type": "string", "description": lines.join("\n") }),
            )
        };
        let required =
            named().filter(|(_, part)| part.fields().iter().any(|f| self.is_required(f)));
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "additionalProperties": false,
            "properties": named().map(slot).collect::<Map<_, _>>(),
            "required": required.map(|(name, _)| name).collect::<Vec<_>>(),
        })
    }

    /// A field without which a prompt of this template is not complete: its key is required, or it
    /// always stands there.
    fn is_required(&self, field: &TemplateField) -> bool {
        let key = self.schema.key(&field.key);
        key.is_some_and(|key| key.required || (field.bare && key.default_value.is_some()))
    }

    fn requirements(&self, fields: &[TemplateField], text_language: TextLanguage) -> Vec<String> {
        let told = fields
            .iter()
            .filter(|field| field.form != ValueForm::Other)
            .map(|field| {
                let question = super::Question::new(self, &field.key, "", text_language);
                let colon = text_language.either(": ", "：");
                format!(
                    "{}{colon}{}",
                    field.labels.first(text_language),
                    question.meaning
                )
            });
        told.collect()
    }
}
