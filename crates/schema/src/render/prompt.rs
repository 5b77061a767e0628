//! A template as the prompt of a language model: in-context learning (§6.1).
//!
//! Knows how keys and annotations are told, and how a stranger's words are kept from being taken
//! for instructions (§7). What holds the output to the schema is in `gbnf.rs` and
//! `response_format.rs`.

use super::wording::{self, Words};
use crate::language::Language;
use crate::other::fenced;
use crate::template::{Annotation, KeyStatus, OTHER, Property, Shape, Template};
use std::fmt::Write as _;

/// The system prompt: the task, each key with type, meaning, acceptable values and examples, and
/// the rules, above all what goes to `other`.
///
/// Texts of the template are flattened to one line each, so that none can pass for a section of
/// the prompt; a template from a peer still deserves to be signed before it is put into one.
pub fn prompt(template: &Template, language: &Language) -> String {
    let words = Words::of(language);
    let teller = Teller {
        template,
        language,
        words,
    };
    let title = one_line(wording::title(template, language));
    let mut text = format!("{} {} ({title}).\n\n", words.task, template.scenario);
    for key in &template.keys {
        let mut marks = vec![teller.told_type(&key.key_name, &key.shape)];
        marks.push(
            if key.required {
                words.required
            } else {
                words.optional
            }
            .to_owned(),
        );
        match key.standing {
            KeyStatus::Stable => {}
            KeyStatus::Experimental => marks.push(words.experimental.to_owned()),
            KeyStatus::Deprecated => marks.push(words.deprecated.to_owned()),
        }
        if let Some(default) = wording::default(key) {
            marks.push(format!("{}: {default}", words.default));
        }
        teller.line(
            &mut text,
            0,
            &key.key_name,
            &marks,
            &key.shape,
            &key.annotation,
        );
    }
    text.push('\n');
    text.push_str(words.rules);
    text
}

/// The prompt with an utterance behind it, fenced as data that nobody vouches for.
///
/// The utterance is one JSON string without angle brackets and invisible characters, so that it
/// can neither close the fence nor begin a line of its own.
pub fn with_utterance(prompt: &str, utterance: &str, language: &Language) -> String {
    let words = Words::of(language);
    format!("{prompt}\n{}\n{}\n", words.utterance, fenced(utterance))
}

struct Teller<'a> {
    template: &'a Template,
    language: &'a Language,
    words: &'static Words,
}

impl Teller<'_> {
    fn told_type(&self, name: &str, shape: &Shape) -> String {
        match (name, &shape.constraint.items) {
            (OTHER, _) => "string | array of string".to_owned(),
            (_, Some(items)) => format!("array of {}", items.key_type.as_str()),
            _ => shape.key_type.as_str().to_owned(),
        }
    }

    fn line(
        &self,
        text: &mut String,
        depth: usize,
        name: &str,
        marks: &[String],
        shape: &Shape,
        annotation: &Annotation,
    ) {
        let indent = "  ".repeat(depth);
        let _ = write!(
            text,
            "{indent}- {}",
            one_line(&format!("{name} ({})", marks.join("; ")))
        );
        let told = wording::told(annotation, shape, self.language, &self.template.language);
        if !told.is_empty() {
            let _ = write!(text, ": {}", one_line(&told));
        }
        text.push('\n');
        self.below(text, depth + 1, shape);
    }

    /// Writes what an object or an array holds, indented.
    fn below(&self, text: &mut String, depth: usize, shape: &Shape) {
        for member in &shape.constraint.properties {
            self.member(text, depth, member);
        }
        if let Some(items) = &shape.constraint.items {
            self.below(text, depth, items);
        }
    }

    fn member(&self, text: &mut String, depth: usize, member: &Property) {
        let required = match member.required {
            true => self.words.required,
            false => self.words.optional,
        };
        let marks = [
            self.told_type(&member.name, &member.shape),
            required.to_owned(),
        ];
        self.line(
            text,
            depth,
            &member.name,
            &marks,
            &member.shape,
            &member.annotation,
        );
    }
}

/// The text on one line, without control characters.
fn one_line(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let spaced: String = spaced.collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}
