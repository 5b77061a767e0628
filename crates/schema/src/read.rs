//! A template, a key or a patch from JSON, with all that is wrong with it and where.
//!
//! Knows the authored form, the form that is sent (draft-zhou §4.1) and what peers make of it;
//! [`crate::lint`] says what is wrong with what was read. Reading undoes [`crate::write`].
//! Read next: [`prose`], which finds examples and acceptable values in descriptions.

mod annotation;
mod key;
mod number;
mod patch;
pub mod prose;
mod reader;
mod shape;
mod source;
mod template;

pub use patch::Suggestion;
pub use prose::acceptable;
pub use source::{SOURCE_BYTES_MAX, SourceError, TemplateSource, json, json_within};

use crate::language::Language;
use crate::lint::{self, Findings, LintFinding, Place, TemplateOrigin};
use crate::patch::Patch;
use crate::template::{Key, Template};
use reader::Reader;
use serde_json::Value;

/// A template, and what is odd about it without being an error.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedTemplate {
    /// The template; its last key is `other`, put there if the author left it out.
    pub template: Template,
    /// Warnings.
    pub findings: Vec<LintFinding>,
}

/// Reads a template from text or from a value.
///
/// # Errors
/// All findings, if one of them is an error; each points into the source.
pub fn template<'a>(
    source: impl Into<TemplateSource<'a>>,
    audience: TemplateOrigin,
) -> Result<ParsedTemplate, Vec<LintFinding>> {
    let (template, findings) = read(source.into(), audience, template::read)?;
    Ok(ParsedTemplate { template, findings })
}

/// Reads one key definition, whose `semantic_description` is in a language, and what is odd about
/// it.
///
/// # Errors
/// All findings, if one of them is an error.
pub fn key<'a>(
    source: impl Into<TemplateSource<'a>>,
    language: &Language,
    audience: TemplateOrigin,
) -> Result<(Key, Vec<LintFinding>), Vec<LintFinding>> {
    read(source.into(), audience, |reader, value, at| {
        key::read(reader, value, language, at)
    })
}

/// Reads a whole patch (§6.2.2), and what is odd about it.
///
/// # Errors
/// All findings, if one of them is an error; a key that is required, and a refinement that is more
/// than a description, are.
pub fn patch<'a>(
    source: impl Into<TemplateSource<'a>>,
    audience: TemplateOrigin,
) -> Result<(Patch, Vec<LintFinding>), Vec<LintFinding>> {
    read(source.into(), audience, patch::read)
}

/// Reads a `schema_update_suggestion`: a whole patch, or the short form of Figure 9, which is
/// advice only.
///
/// # Errors
/// All findings, if one of them is an error.
pub fn suggestion<'a>(
    source: impl Into<TemplateSource<'a>>,
    audience: TemplateOrigin,
) -> Result<(Suggestion, Vec<LintFinding>), Vec<LintFinding>> {
    read(source.into(), audience, patch::suggestion)
}

/// Runs a reader over a source. What it reads counts only if no finding is an error; it reads
/// nothing only after noting an error.
fn read<T>(
    source: TemplateSource<'_>,
    audience: TemplateOrigin,
    how: impl FnOnce(&mut Reader, &Value, &Place) -> Option<T>,
) -> Result<(T, Vec<LintFinding>), Vec<LintFinding>> {
    let mut findings = Findings::new(audience);
    let value = source.value(&mut findings);
    let mut reader = Reader::new(findings);
    let read = value.and_then(|value| how(&mut reader, &value, &Place::root()));
    let findings = reader.findings.list;
    match read {
        Some(read) if lint::passes(&findings) => Ok((read, findings)),
        _ => Err(findings),
    }
}

#[cfg(test)]
mod tests;
