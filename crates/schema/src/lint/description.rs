//! Descriptions of keys and properties: in each language one, not too long, with examples that fit.
//!
//! Read next: [`super::prose`], what is wrong with a text by itself.

use super::number::objection_to;
use super::value::Judge;
use super::{Findings, LANGUAGES_MAX, LintRule, Place, prose};
use crate::language::Language;
use crate::template::{Annotation, Description, Shape};
use crate::write;

/// Checks the descriptions of a key or a property.
pub(crate) fn described(annotation: &Annotation, of: &Shape, at: &Place, findings: &mut Findings) {
    let place = |language: &Language| place(annotation, language, at);
    if annotation.0.is_empty() {
        findings.note(LintRule::Undescribed, at, "no description");
    }
    if annotation.0.len() > LANGUAGES_MAX {
        let message = format!(
            "{} languages; {LANGUAGES_MAX} are the most",
            annotation.0.len()
        );
        findings.note(LintRule::Limit, at, message);
        return;
    }
    for (language, description) in &annotation.0 {
        let at = place(language);
        if description.meaning.trim().is_empty() {
            findings.note(
                LintRule::Undescribed,
                &at,
                format!("no description in {language}"),
            );
        }
        prose::text(&description.meaning, &at, findings);
        if !description.verbatim {
            prose::length(
                write::composed(of, description, language).len(),
                &at,
                findings,
            );
        }
        examples(description, of, &at, findings);
    }
}

fn examples(description: &Description, of: &Shape, at: &Place, findings: &mut Findings) {
    if description.examples.is_empty() {
        return;
    }
    let judge = Judge::of(of);
    for (i, example) in description.examples.iter().enumerate() {
        let at = match description.verbatim {
            true => at.clone(),
            false => at.member("examples").index(i),
        };
        prose::text(&example.said, &at, findings);
        if let Err(unfit) = judge.judge(&example.value) {
            findings.note(
                LintRule::Example,
                &at,
                format!("'{}': {unfit}", example.said),
            );
        } else if let Some(objection) = objection_to(&example.value, of.key_type) {
            findings.note(LintRule::Number, &at, objection);
        }
    }
}

/// The place at which the authored form holds a description.
fn place(annotation: &Annotation, language: &Language, at: &Place) -> Place {
    let sole = annotation.0.len() == 1 && annotation.0.values().all(|d| d.verbatim);
    match sole {
        true => at.member("semantic_description"),
        false => at.member("annotations").member(language.as_str()),
    }
}
