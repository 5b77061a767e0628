//! The reading of a prompt, key by key.
//!
//! Knows how sections become values; what a value may be is the form's and the contract's to say.
//! A field said twice with different values is asked back. Read next: [`super::writing`].

use super::{PromptMismatch, Question, Translator, titles};
use crate::telecom::form::ValueForm;
use crate::telecom::labels::unquoted;
use crate::telecom::markdown::{LineNumber, Prompt, Section, same_title};
use crate::telecom::template::{SectionContent, TemplateField};
use crate::telecom::text_language::TextLanguage;
use domain::content::{Content, Payload};
use schema::contract::{Accepted, Unknown};
use schema::steps::{GivenUp, ReadingBudget};
use schema::template::OTHER;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The content of a prompt, as far as it was understood.
#[derive(Clone, Debug)]
pub struct PromptReading<'t> {
    translator: &'t Translator,
    text_language: TextLanguage,
    values: Map<String, Value>,
    /// The fragments that no key holds, in the order in which it was said.
    other: Vec<String>,
    wrong: BTreeMap<String, Question>,
    lines: BTreeMap<String, u32>,
}

/// The values that a reading has understood, without the translator that it was read by: so that
/// one thread reads and another goes on.
#[derive(Clone, Debug)]
pub struct Understood {
    text_language: TextLanguage,
    values: Map<String, Value>,
    other: Vec<String>,
    wrong: BTreeMap<String, Question>,
    lines: BTreeMap<String, u32>,
}

impl<'t> PromptReading<'t> {
    /// The values understood, to go on with by [`PromptReading::going_on`].
    pub fn understood(self) -> Understood {
        Understood {
            text_language: self.text_language,
            values: self.values,
            other: self.other,
            wrong: self.wrong,
            lines: self.lines,
        }
    }

    /// A reading that goes on from what was understood by the same translator.
    pub fn going_on(translator: &'t Translator, understood: Understood) -> Self {
        Self {
            translator,
            text_language: understood.text_language,
            values: understood.values,
            other: understood.other,
            wrong: understood.wrong,
            lines: understood.lines,
        }
    }

    pub(super) fn of(
        translator: &'t Translator,
        document: &Prompt,
        work: &ReadingBudget<'_>,
    ) -> Result<Self, PromptMismatch> {
        let mut reading = Self::upon(
            translator,
            &translator.template.constants,
            TextLanguage::default(),
        );
        reading.text_language = reading.tongue_of(document, work);
        for section in &document.sections {
            work.may_go_on()?;
            reading.take(section, work)?;
        }
        Ok(reading)
    }

    /// A reading that goes on from these values, as an offer goes on from the one before.
    pub fn upon(
        translator: &'t Translator,
        values: &Map<String, Value>,
        text_language: TextLanguage,
    ) -> Self {
        let mut values = values.clone();
        let other = values.remove(OTHER).map(entries).unwrap_or_default();
        Self {
            translator,
            text_language,
            values,
            other,
            wrong: BTreeMap::new(),
            lines: BTreeMap::new(),
        }
    }

    /// The language of the prompt; questions are put in it.
    pub fn text_language(&self) -> TextLanguage {
        self.text_language
    }

    fn tongue_of(&self, document: &Prompt, work: &ReadingBudget<'_>) -> TextLanguage {
        let titles = document.sections.iter();
        let known = titles.filter_map(|s| self.translator.section(&s.title, work));
        known
            .map(|(_, text_language)| text_language)
            .next()
            .unwrap_or_default()
    }

    /// Takes what a section says that is not of the template, such as the items of a negotiation:
    /// labelled fields of any section, which replace what was said of them before. The rest is
    /// handed back, line by line; [`Translator::prose`] writes such lines.
    ///
    /// # Errors
    /// [`GivenUp`]: it is more work than it may be; that is asked before each line.
    pub fn supplement(
        &mut self,
        section: &Section,
        work: &ReadingBudget<'_>,
    ) -> Result<Vec<String>, GivenUp> {
        let mut rest = Vec::new();
        for (line, text) in section.lines() {
            work.may_go_on()?;
            let translator = self.translator;
            let fields = translator.every.find(&text, work);
            if !fields.before.is_empty() && !self.supplement_by_name(fields.before, line, work) {
                rest.push(unquoted(fields.before));
            }
            for (at, said) in fields.said {
                let (section, field) = translator.places[at];
                let field = translator.field(section, field);
                self.forget(field);
                let behind = self.say(field, said, line, work);
                rest.extend(behind.into_iter().map(unquoted));
            }
        }
        Ok(rest)
    }

    /// `` `key`: JSON ``, in the marks in which no label stands.
    fn supplement_by_name(
        &mut self,
        text: &str,
        line: LineNumber,
        work: &ReadingBudget<'_>,
    ) -> bool {
        if !text.starts_with('`') {
            return false;
        }
        work.take(text.len());
        match by_name(text) {
            Some((OTHER, value)) => {
                self.other = entries(value);
                true
            }
            Some((key, value)) => {
                self.values.remove(key);
                self.wrong.remove(key);
                self.set(key, value, line, work);
                true
            }
            None => false,
        }
    }

    /// The values understood so far, which may lack something.
    pub fn said(&self) -> Map<String, Value> {
        let mut values = self.values.clone();
        if !self.other.is_empty() {
            values.insert(OTHER.to_owned(), self.other.clone().into());
        }
        values
    }

    /// The payload, in canonical form, with what is odd about it.
    ///
    /// # Errors
    /// What has to be asked back, all at once.
    pub fn settle(&self) -> Result<Accepted, Vec<Question>> {
        let mut questions: Vec<Question> = self.wrong.values().cloned().collect();
        match self
            .translator
            .contract
            .accept(self.said(), Unknown::ToOther)
        {
            Ok(accepted) if questions.is_empty() => return Ok(accepted),
            Ok(_) => {}
            Err(violations) => {
                let asked = violations
                    .iter()
                    .map(|v| self.placed(Question::of(self.translator, v, self.text_language)));
                questions.extend(asked.filter(|q| !self.wrong.contains_key(&q.key)));
            }
        }
        Err(questions)
    }

    /// The same as the payload of a message.
    ///
    /// # Errors
    /// As of [`PromptReading::settle`].
    pub fn payload(&self) -> Result<Payload, Vec<Question>> {
        let accepted = self.settle()?;
        Ok(Payload {
            schema_id: self.translator.schema.schema_id.clone(),
            values: accepted.values,
        })
    }

    /// The same as the content of an assignment: what it is about, its type of task, the payload.
    ///
    /// # Errors
    /// As of [`PromptReading::settle`].
    pub fn content(&self) -> Result<Content, Vec<Question>> {
        let payload = self.payload()?;
        let target = self.translator.target_object(&payload);
        let task_type = self.translator.task_type(self.text_language);
        Ok(Content::new(target, task_type).with_payload(payload))
    }

    fn placed(&self, question: Question) -> Question {
        let line = question
            .found
            .as_ref()
            .and_then(|_| self.lines.get(&question.key).copied());
        Question { line, ..question }
    }

    fn take(&mut self, section: &Section, work: &ReadingBudget<'_>) -> Result<(), PromptMismatch> {
        let Some((place, _)) = self.translator.section(&section.title, work) else {
            return Ok(self.take_unknown(section, work)?);
        };
        let part = &self.translator.template.sections[place];
        match &part.holds {
            SectionContent::TaskType(phrases) => self.check_type(section, phrases.all(), work),
            SectionContent::Guidance(_) => Ok(()),
            SectionContent::Statement(_) => Ok(self.take_statement(section, work)?),
            SectionContent::Fields(fields) => Ok(self.take_fields(section, place, fields, work)?),
        }
    }

    fn check_type<'p>(
        &self,
        section: &Section,
        mut known: impl Iterator<Item = &'p str>,
        work: &ReadingBudget<'_>,
    ) -> Result<(), PromptMismatch> {
        let found = section.text();
        let mut is_found = |phrase: &str| {
            work.take(1 + found.len());
            same_title(phrase, &found)
        };
        if found.is_empty() || known.any(&mut is_found) {
            return Ok(());
        }
        Err(PromptMismatch::OtherTask {
            section: section.title.clone(),
            line: section.line.0,
            template: self.translator.template.template_uri.clone(),
            expected: self.translator.task_type(self.text_language).to_owned(),
            found: found.chars().take(80).collect(),
        })
    }

    /// A line that points to other sections says nothing of its own.
    fn take_statement(
        &mut self,
        section: &Section,
        work: &ReadingBudget<'_>,
    ) -> Result<(), GivenUp> {
        for (_, line) in section.lines() {
            work.may_go_on()?;
            if !self.points(&line, work) {
                self.other.push(line);
            }
        }
        Ok(())
    }

    fn points(&self, line: &str, work: &ReadingBudget<'_>) -> bool {
        work.take(line.len());
        let mut named = line
            .split('<')
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('>')?.0));
        named.any(|title| self.translator.section(title, work).is_some())
    }

    fn take_unknown(&mut self, section: &Section, work: &ReadingBudget<'_>) -> Result<(), GivenUp> {
        let is = |title: fn(TextLanguage) -> &'static str| {
            work.take(section.title.len());
            TextLanguage::ALL
                .into_iter()
                .any(|text_language| same_title(title(text_language), &section.title))
        };
        if is(titles::further) {
            for (line, text) in section.lines() {
                work.may_go_on()?;
                self.take_further(line, &text, work);
            }
        } else if is(titles::other) {
            self.other
                .extend(section.lines().iter().map(|(_, text)| unquoted(text)));
        } else {
            self.other
                .push(format!("{}: {}", section.title, section.text()));
        }
        Ok(())
    }

    /// `key: JSON`.
    fn take_further(&mut self, line: LineNumber, text: &str, work: &ReadingBudget<'_>) {
        work.take(text.len());
        match by_name(text) {
            Some((key, value)) => {
                // What the template says of every payload, this one says otherwise.
                if self.translator.template.constants.contains_key(key) {
                    self.values.remove(key);
                }
                self.set(key, value, line, work);
            }
            None => self.other.push(text.to_owned()),
        }
    }

    fn take_fields(
        &mut self,
        section: &Section,
        place: usize,
        fields: &'t [TemplateField],
        work: &ReadingBudget<'_>,
    ) -> Result<(), GivenUp> {
        let mut bare = fields.iter().find(|f| f.bare);
        for (line, text) in section.lines() {
            work.may_go_on()?;
            let found = self.translator.labels[place].find(&text, work);
            if !found.before.is_empty() {
                match bare {
                    Some(field) => self.say_all(field, found.before, line, work),
                    None => self.other.push(found.before.to_owned()),
                }
                bare = bare.filter(|f| matches!(f.form, ValueForm::List { .. }));
            }
            for (at, said) in found.said {
                // What a label announces stands in the lines below it.
                bare = match said.is_empty() {
                    true => Some(&fields[at]),
                    false => None,
                };
                self.say_all(&fields[at], said, line, work);
            }
        }
        Ok(())
    }

    /// The text behind the value is no key's.
    fn say_all(
        &mut self,
        field: &TemplateField,
        said: &str,
        line: LineNumber,
        work: &ReadingBudget<'_>,
    ) {
        let behind = self.say(field, said, line, work);
        self.other.extend(behind.into_iter().map(str::to_owned));
    }

    /// Takes what is said of a field; gives the items behind its value. Another value among them is
    /// asked back.
    fn say<'a>(
        &mut self,
        field: &TemplateField,
        said: &'a str,
        line: LineNumber,
        work: &ReadingBudget<'_>,
    ) -> Vec<&'a str> {
        if said.is_empty() {
            return Vec::new();
        }
        if field.form == ValueForm::Other {
            let label = field.labels.first(self.text_language);
            self.other.push(format!("{label}: {said}"));
            return Vec::new();
        }
        let (shape, text_language) = (self.translator.shape(&field.key), self.text_language);
        match field.form.read_first(said, shape, text_language, work) {
            Ok((values, mut behind)) => {
                for (key, value) in field.keys().zip(values) {
                    self.set(key, value, line, work);
                }
                behind.retain(
                    |item| match field.form.read(item, shape, text_language, work) {
                        Ok(values) => {
                            for (key, value) in field.keys().zip(values) {
                                self.set(key, value, line, work);
                            }
                            false
                        }
                        Err(_) => true,
                    },
                );
                behind
            }
            Err(expected) => {
                self.blame(&field.key, &expected, said, line);
                Vec::new()
            }
        }
    }

    fn set(&mut self, key: &str, value: Value, line: LineNumber, work: &ReadingBudget<'_>) {
        match self.values.get_mut(key) {
            None => {
                self.values.insert(key.to_owned(), value);
            }
            Some(Value::Array(said)) => match value {
                Value::Array(more) => said.extend(more),
                one => said.push(one),
            },
            Some(said) if *said == value => {}
            // Asked back already: the first value is not written again for each that differs.
            Some(_) if self.wrong.contains_key(key) => {}
            Some(said) => {
                let both = format!("{} and {}", told(said, work), told(&value, work));
                self.blame(key, "one value", &both, line);
            }
        }
        self.lines.insert(key.to_owned(), line.0);
    }

    fn blame(&mut self, key: &str, expected: &str, found: &str, line: LineNumber) {
        let question = Question {
            line: Some(line.0),
            found: Some(found.chars().take(FOUND_MOST).collect()),
            ..Question::new(self.translator, key, expected, self.text_language)
        };
        self.wrong.insert(key.to_owned(), question);
    }

    fn forget(&mut self, field: &TemplateField) {
        for key in field.keys() {
            self.values.remove(key);
            self.wrong.remove(key);
        }
    }
}

/// The most characters of what is found wrong that are told.
const FOUND_MOST: usize = 200;

/// A value, of a long text its beginning.
fn told(value: &Value, work: &ReadingBudget<'_>) -> String {
    let told = match value {
        Value::String(text) if text.len() > FOUND_MOST => {
            let beginning: String = text.chars().take(FOUND_MOST).collect();
            Value::from(beginning).to_string()
        }
        value => value.to_string(),
    };
    work.take(told.len());
    told
}

/// `key: JSON`, the key in marks or not.
fn by_name(text: &str) -> Option<(&str, Value)> {
    let (key, value) = text.split_once([':', '：'])?;
    let key = key.trim().trim_matches('`');
    Some((key, schema::json::read(value.trim().as_bytes()).ok()?))
}

/// The content of `other`, entry by entry.
fn entries(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(texts) => {
            let texts = texts.into_iter();
            texts
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect()
        }
        _ => Vec::new(),
    }
}
