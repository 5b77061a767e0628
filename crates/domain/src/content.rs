//! The sections of `content`: the draft's prompt with `##` headings, read and written.
//!
//! Figure 7 of draft-wang-nmrg-magent-im-00 puts bodies into tags with stray quotes and misspells
//! "information"; both are read. What is written is the plain form: heading, newline, body. A
//! structured payload is one JSON object `{"schema_id": …, "payload": …}` under its own heading.
//! Read next: `section`, `payload`; then [`crate::task`].

mod payload;
mod section;

pub use payload::Payload;
pub use section::Heading;

use crate::task::Awaits;
use language::excerpt::excerpt;
use schema::json::{Budget, Excess};
use section::sections;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The error for a content that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// `target object` or `task description` is missing or empty.
    #[error("the content has no section '## {0}' with a body")]
    Missing(&'static str),
    /// There are two structured payloads.
    #[error("the content has more than one structured payload")]
    SecondPayload,
    /// The structured payload is not JSON, or has a member twice in one object (RFC 8259 §4).
    #[error("the structured payload is not JSON: {cause}")]
    NotJson {
        /// The message of the JSON parser.
        cause: String,
    },
    /// There are more sections, terms and values of the structured payload than are read, or the
    /// payload is too deep.
    #[error("the content is too large: {0}")]
    TooBig(#[from] Excess),
    /// It is JSON, but not a payload.
    #[error(r#"the structured payload is not one object {{"schema_id": "…", "payload": {{…}}}}"#)]
    NotAPayload,
    /// `asynchronous` is neither true nor false.
    #[error("the section '## asynchronous' says '{}', not true or false", excerpt(.0))]
    NotABoolean(String),
}

/// The sections of one message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// The subject of the task.
    pub target_object: String,
    /// The work to do, or the news.
    pub task_description: String,
    /// Circumstances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environmental_information: Option<String>,
    /// The criteria by which the publisher will judge the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_response: Option<String>,
    /// True to answer at once and report by notification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asynchronous: Option<bool>,
    /// Terms and their explanations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<(String, String)>,
    /// The structured payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// A percentage, with words if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// The outcome of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Sections under unknown headings: heading and body, kept as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(String, String)>,
}

impl Content {
    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let told = [
            &self.environmental_information,
            &self.expected_response,
            &self.progress,
            &self.result,
        ];
        let told = told.into_iter().flatten().map(String::len);
        let pairs = self.terms.iter().chain(&self.others);
        let pairs = pairs.map(|(one, other)| one.len() + other.len());
        let payload = self.payload.as_ref().map_or(0, Payload::bytes);
        let named = self.target_object.len() + self.task_description.len() + payload;
        told.chain(pairs).fold(named, usize::saturating_add)
    }

    /// The same with at most so many bytes of each section, of which an ellipsis ends those that had more; with an
    /// ellipsis in place of a payload that has more, and terms and unknown sections up to so many in all. None if that is all of it.
    pub fn shortened(&self, most: usize) -> Option<Self> {
        if self.bytes() <= most {
            return None;
        }
        let mut left = most;
        let mut kept = |pairs: &[(String, String)]| {
            let fits = |(one, other): &&(String, String)| {
                let rest = left.checked_sub(one.len() + other.len());
                left = rest.unwrap_or(0);
                rest.is_some()
            };
            pairs.iter().take_while(fits).cloned().collect()
        };
        let (terms, mut others): (Vec<_>, Vec<_>) = (kept(&self.terms), kept(&self.others));
        let cut = |text: &String| shortened(text, most);
        let is_short = |it: &Payload| it.schema_id.len() + it.bytes() <= most;
        let payload = self.payload.clone().filter(is_short);
        if payload.is_none() && self.payload.is_some() {
            // What was left out is not taken for nothing.
            let heading = Heading::StructuredPayload.as_str().to_owned();
            others.push((heading, "…".to_owned()));
        }
        Some(Self {
            target_object: cut(&self.target_object),
            task_description: cut(&self.task_description),
            environmental_information: self.environmental_information.as_ref().map(cut),
            expected_response: self.expected_response.as_ref().map(cut),
            asynchronous: self.asynchronous,
            terms,
            payload,
            progress: self.progress.as_ref().map(cut),
            result: self.result.as_ref().map(cut),
            others,
        })
    }

    /// A content with the two sections that every content has.
    pub fn new(target_object: impl Into<String>, task_description: impl Into<String>) -> Self {
        Self {
            target_object: target_object.into(),
            task_description: task_description.into(),
            ..Self::default()
        }
    }

    /// The same with a structured payload.
    pub fn with_payload(mut self, payload: Payload) -> Self {
        self.payload = Some(payload);
        self
    }

    /// The same with an expected response.
    pub fn expecting(mut self, expected_response: impl Into<String>) -> Self {
        self.expected_response = Some(expected_response.into());
        self
    }

    /// The same with a result.
    pub fn with_result(mut self, result: impl Into<String>) -> Self {
        self.result = Some(result.into());
        self
    }

    /// The same, marked as the answer to what a task awaits, so that one which arrives late or
    /// twice is not taken for the answer to something else.
    pub fn in_reply_to(mut self, awaited: Awaits) -> Self {
        let section = ("in reply to".to_owned(), awaited.as_str().to_owned());
        self.others.push(section);
        self
    }

    /// The body of the first section under a heading that [`Heading`] does not know; case and
    /// spaces of the heading do not matter.
    pub fn section(&self, heading: &str) -> Option<&str> {
        let same = |text: &str| text.split_whitespace().eq(heading.split_whitespace());
        let found = self
            .others
            .iter()
            .find(|(h, _)| same(&h.trim_end_matches(':').to_lowercase()));
        found.map(|(_, body)| body.as_str())
    }

    /// Reads the sections of a message; several texts (the leaf-list `content`) are read as one.
    ///
    /// # Errors
    /// [`ContentError`]: a section that every content has is missing, or a payload is not one.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, ContentError> {
        Self::parse_within(&mut Budget::default(), texts)
    }

    /// Reads one of several contents of a message, within the message's remaining budget.
    ///
    /// # Errors
    /// As of [`Content::parse`].
    pub fn parse_within<'a>(
        budget: &mut Budget,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ContentError> {
        let mut content = Self::default();
        for text in texts {
            for (heading, body) in sections(budget, text)? {
                content.take(budget, heading, &body)?;
            }
        }
        for (text, heading) in [
            (&content.target_object, Heading::TargetObject),
            (&content.task_description, Heading::TaskDescription),
        ] {
            if text.is_empty() {
                return Err(ContentError::Missing(heading.as_str()));
            }
        }
        Ok(content)
    }

    fn take(
        &mut self,
        budget: &mut Budget,
        heading: Result<Heading, String>,
        body: &str,
    ) -> Result<(), ContentError> {
        match heading {
            Ok(Heading::TargetObject) => append(&mut self.target_object, body),
            Ok(Heading::TaskDescription) => append(&mut self.task_description, body),
            Ok(Heading::EnvironmentalInformation) => {
                append(self.environmental_information.get_or_insert_default(), body);
            }
            Ok(Heading::ExpectedResponse) => {
                append(self.expected_response.get_or_insert_default(), body);
            }
            Ok(Heading::Asynchronous) => match body.to_lowercase().as_str() {
                "true" => self.asynchronous = Some(true),
                "false" => self.asynchronous = Some(false),
                _ => return Err(ContentError::NotABoolean(body.to_owned())),
            },
            Ok(Heading::Terms) => {
                for (term, explanation) in body.lines().filter_map(|line| line.split_once(':')) {
                    budget.spend_one()?;
                    let term = term.trim().to_owned();
                    self.terms.push((term, explanation.trim().to_owned()));
                }
            }
            Ok(Heading::StructuredPayload) => {
                if self.payload.is_some() {
                    return Err(ContentError::SecondPayload);
                }
                self.payload = Some(Payload::parse(budget, body)?);
            }
            Ok(Heading::Progress) => append(self.progress.get_or_insert_default(), body),
            Ok(Heading::Result) => append(self.result.get_or_insert_default(), body),
            Err(unknown) => self.others.push((unknown, body.to_owned())),
        }
        Ok(())
    }

    /// Writes the sections, known ones first; satisfies the patterns of `irtf-agent`.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(256);
        let terms: Vec<String> = self
            .terms
            .iter()
            .map(|(t, e)| format!("{t}: {e}"))
            .collect();
        section(&mut text, Heading::TargetObject, Some(&self.target_object));
        section(
            &mut text,
            Heading::TaskDescription,
            Some(&self.task_description),
        );
        section(
            &mut text,
            Heading::EnvironmentalInformation,
            self.environmental_information.as_deref(),
        );
        section(
            &mut text,
            Heading::ExpectedResponse,
            self.expected_response.as_deref(),
        );
        let asynchronous = self.asynchronous.map(|a| a.to_string());
        section(&mut text, Heading::Asynchronous, asynchronous.as_deref());
        section(
            &mut text,
            Heading::Terms,
            (!terms.is_empty()).then(|| terms.join("\n")).as_deref(),
        );
        let payload = self.payload.as_ref().map(Payload::to_json);
        section(&mut text, Heading::StructuredPayload, payload.as_deref());
        section(&mut text, Heading::Progress, self.progress.as_deref());
        section(&mut text, Heading::Result, self.result.as_deref());
        for (heading, body) in &self.others {
            // A heading that begins with the sign of one would be none behind it.
            let apart = if heading.starts_with('#') { " " } else { "" };
            let _ = write!(text, "##{apart}{heading}\n{body}\n");
        }
        text.truncate(text.trim_end().len());
        text
    }
}

fn section(text: &mut String, heading: Heading, body: Option<&str>) {
    if let Some(body) = body {
        let _ = write!(text, "##{}\n{body}\n", heading.as_str());
    }
}

fn append(section: &mut String, body: &str) {
    if !section.is_empty() && !body.is_empty() {
        section.push('\n');
    }
    section.push_str(body);
}

/// A text of at most so many bytes, behind which an ellipsis stands for the rest.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let whole = (0..=most).rev().find(|&at| text.is_char_boundary(at));
    format!("{}…", &text[..whole.unwrap_or(0)])
}

#[cfg(test)]
mod tests;
