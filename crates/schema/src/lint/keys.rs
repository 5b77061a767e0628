//! Keys: one by one, and all together.

use super::description::described;
use super::number::objection_to;
use super::value::fits;
use super::{Findings, KEYS_MAX, LintRule, Place, names, sensitive, shape};
use crate::language::{Language, lookup};
use crate::template::{Key, KeyType, OTHER, SCHEMA_UPDATE_SUGGESTION, Shape, Template};
use std::collections::BTreeSet;

/// A key and where it stands.
pub(crate) struct Placed<'a> {
    pub(crate) at: Place,
    pub(crate) key: &'a Key,
}

/// Checks one key by itself, without what is nested in its shape.
pub(crate) fn key(key: &Key, at: &Place, findings: &mut Findings) {
    name(key, at, findings);
    shape::one_level(&key.shape, at, findings);
    if key.key_name == OTHER {
        other(key, at, findings);
    } else {
        default(key, at, findings);
    }
    flag(key, at, findings);
    described(&key.annotation, &key.shape, at, findings);
}

/// Checks what only all keys of a template together can break.
pub(crate) fn keys(
    template: &Template,
    placed: &[Placed<'_>],
    at: &Place,
    findings: &mut Findings,
) {
    if placed.len() > KEYS_MAX {
        findings.note(
            LintRule::Limit,
            at,
            format!("{} keys; {KEYS_MAX} are the most", placed.len()),
        );
    }
    if placed.iter().all(|p| p.key.key_name != OTHER) {
        findings.note(LintRule::Other, at, "the key 'other' is not there");
    }
    duplicates(placed, findings);
    languages(template, placed, findings);
}

fn name(key: &Key, at: &Place, findings: &mut Findings) {
    let at = at.member("key_name");
    if key.key_name == SCHEMA_UPDATE_SUGGESTION {
        let message = format!("'{SCHEMA_UPDATE_SUGGESTION}' is a member of every result");
        findings.note(LintRule::Reserved, &at, message);
    }
    names::member_name(&key.key_name, &at, findings);
}

/// §4.3: optional, a string, nothing that could refuse it, and nothing that stands in for it.
fn other(key: &Key, at: &Place, findings: &mut Findings) {
    if key.required {
        findings.note(
            LintRule::Other,
            &at.member("required"),
            "'other' is never required",
        );
    }
    if key.shape != Shape::of(KeyType::String) {
        let message = "'other' is a string that nothing narrows";
        findings.note(LintRule::Other, &at.member("key_type"), message);
    }
    if key.default_value.is_some() {
        findings.note(
            LintRule::Other,
            &at.member("default_value"),
            "'other' has no default",
        );
    }
}

fn default(key: &Key, at: &Place, findings: &mut Findings) {
    let Some(value) = &key.default_value else {
        return;
    };
    let at = at.member("default_value");
    if key.required {
        let message = "the key is required: its default never applies";
        findings.note(LintRule::DefaultOnRequired, &at, message);
    }
    if let Err(unfit) = fits(&key.shape, value) {
        findings.note(LintRule::Default, &at, unfit.to_string());
    } else if let Some(objection) = objection_to(value, key.shape.key_type) {
        findings.note(LintRule::Number, &at, objection);
    }
}

fn flag(key: &Key, at: &Place, findings: &mut Findings) {
    if !key.security_relevant && sensitive::by_name(&key.key_name) {
        let message = format!(
            "'{}' sounds security-relevant and is not flagged",
            key.key_name
        );
        findings.note(LintRule::Sensitive, &at.member("key_name"), message);
    }
}

fn duplicates(placed: &[Placed<'_>], findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for Placed { at, key } in placed {
        if !seen.insert(&key.key_name) {
            let message = format!("'{}' is a key already", key.key_name);
            findings.note(LintRule::DuplicateKey, &at.member("key_name"), message);
        }
    }
}

/// Every key speaks the template's language, and every language that another key speaks.
fn languages(template: &Template, placed: &[Placed<'_>], findings: &mut Findings) {
    let spoken: BTreeSet<&Language> = placed
        .iter()
        .flat_map(|p| p.key.annotation.0.keys())
        .collect();
    for Placed { at, key } in placed.iter().filter(|p| !p.key.annotation.0.is_empty()) {
        let annotation = &key.annotation.0;
        if lookup(&template.language, annotation.keys()).is_none() {
            let message = format!(
                "'{}' has no description in {}",
                key.key_name, template.language
            );
            findings.note(LintRule::Undescribed, at, message);
        }
        let missing: Vec<&str> = spoken
            .iter()
            .filter(|l| !annotation.contains_key(l) && ***l != template.language)
            .map(|l| l.as_str())
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let message = format!(
                "'{}' has no description in {missing}, others have",
                key.key_name
            );
            findings.note(LintRule::Untranslated, at, message);
        }
    }
}
