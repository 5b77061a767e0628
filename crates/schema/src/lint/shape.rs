//! Types and what narrows them: members that fit the type, bounds that can be met.

use super::description::described;
use super::number::{objection, objection_to};
use super::value::Judge;
use super::{DEPTH_MAX, Findings, KEYS_MAX, LintRule, Place, names};
use crate::canonical;
use crate::contract::check_pattern;
use crate::template::{Constraint, KeyType, Property, Shape};
use serde_json::Value;
use std::collections::BTreeSet;

/// Checks that the types are known, and the items and properties of a shape, however deep.
pub(super) fn nested(shape: &Shape, at: &Place, findings: &mut Findings) {
    walk(shape, at, 1, findings);
}

fn walk(shape: &Shape, at: &Place, depth: usize, findings: &mut Findings) {
    if shape.key_type == KeyType::Any {
        let known = KeyType::ALL.map(KeyType::as_str).join(", ");
        findings.note(
            LintRule::KeyType,
            &at.member("key_type"),
            format!("the types are {known}"),
        );
    }
    let inner = |shape: &Shape, at: &Place, findings: &mut Findings| {
        if depth == DEPTH_MAX {
            findings.note(
                LintRule::Limit,
                at,
                format!("shapes nest deeper than {DEPTH_MAX}"),
            );
        } else {
            one_level(shape, at, findings);
            walk(shape, at, depth + 1, findings);
        }
    };
    if let Some(items) = &shape.constraint.items {
        inner(items, &at.member("items"), findings);
    }
    for (i, property) in shape.constraint.properties.iter().enumerate() {
        let at = at.member("properties").index(i);
        described(&property.annotation, &property.shape, &at, findings);
        inner(&property.shape, &at, findings);
    }
}

/// Checks a type and its own members, not what is nested in it.
pub(crate) fn one_level(shape: &Shape, at: &Place, findings: &mut Findings) {
    misfits(shape, at, findings);
    bounds(shape, at, findings);
    acceptable(shape, at, findings);
    pattern(&shape.constraint, at, findings);
    properties(&shape.constraint.properties, at, findings);
}

/// Checks which member narrows which types.
fn misfits(shape: &Shape, at: &Place, findings: &mut Findings) {
    use KeyType::{Array, Integer, Number, Object, String};
    let rule = &shape.constraint;
    let numeric: &[KeyType] = &[Integer, Number];
    let given: [(&str, bool, &[KeyType]); 9] = [
        ("enum", !rule.allowed.is_empty(), &[String, Integer, Number]),
        ("minimum", rule.minimum.is_some(), numeric),
        ("maximum", rule.maximum.is_some(), numeric),
        ("format", rule.format.is_some(), &[String]),
        ("pattern", rule.pattern.is_some(), &[String]),
        ("maxLength", rule.max_length.is_some(), &[String]),
        ("maxItems", rule.max_items.is_some(), &[Array]),
        ("items", rule.items.is_some(), &[Array]),
        ("properties", !rule.properties.is_empty(), &[Object]),
    ];
    for (member, _, _) in given
        .iter()
        .filter(|(_, there, of)| *there && !of.contains(&shape.key_type))
    {
        let message = format!(
            "'{member}' says nothing of the type {}",
            shape.key_type.as_str()
        );
        findings.note(LintRule::Misfit, &at.member(member), message);
    }
}

fn bounds(shape: &Shape, at: &Place, findings: &mut Findings) {
    let rule = &shape.constraint;
    for (member, bound) in [("minimum", &rule.minimum), ("maximum", &rule.maximum)] {
        if let Some(objection) = bound.as_ref().and_then(|b| objection(b, shape.key_type)) {
            findings.note(LintRule::Number, &at.member(member), objection);
        }
    }
    if let (Some(least), Some(most)) = (&rule.minimum, &rule.maximum)
        && least.as_f64() > most.as_f64()
    {
        let message = format!("the minimum {least} is above the maximum {most}");
        findings.note(LintRule::Bounds, &at.member("minimum"), message);
    }
    for (member, size) in [("maxLength", rule.max_length), ("maxItems", rule.max_items)] {
        if size == Some(0) {
            findings.note(
                LintRule::Bounds,
                &at.member(member),
                "only an empty value fits",
            );
        }
    }
}

fn acceptable(shape: &Shape, at: &Place, findings: &mut Findings) {
    if shape.constraint.allowed.is_empty() {
        return;
    }
    let at = at.member("enum");
    // The values are held against all the other members.
    let mut rest = shape.clone();
    let allowed = std::mem::take(&mut rest.constraint.allowed);
    let judge = Judge::of(&rest);
    let mut seen = BTreeSet::new();
    for (i, value) in allowed.iter().enumerate() {
        let at = at.index(i);
        if !seen.insert(canonical::text(value)) {
            findings.note(LintRule::Enum, &at, format!("{value} stands there twice"));
        }
        match judge.judge(value) {
            Err(unfit) => findings.note(LintRule::Enum, &at, unfit.to_string()),
            Ok(()) => spelled(shape.key_type, value, &at, findings),
        }
    }
}

/// RFC 7950 §9.6.4: the name of an enum is not empty and has no space around it.
fn spelled(key_type: KeyType, value: &Value, at: &Place, findings: &mut Findings) {
    if let Some(objection) = objection_to(value, key_type) {
        findings.note(LintRule::Number, at, objection);
    }
    let Some(text) = value.as_str() else {
        return;
    };
    if text.trim() != text || text.is_empty() {
        findings.note(
            LintRule::Enum,
            at,
            format!("{value} is empty or has space around it"),
        );
    } else if text.chars().any(char::is_control) {
        findings.note(
            LintRule::Enum,
            at,
            format!("{value} has control characters"),
        );
    }
}

fn pattern(rule: &Constraint, at: &Place, findings: &mut Findings) {
    if let Some(Err(fault)) = rule.pattern.as_deref().map(check_pattern) {
        findings.note(LintRule::Pattern, &at.member("pattern"), fault.to_string());
    }
}

fn properties(properties: &[Property], at: &Place, findings: &mut Findings) {
    let at = at.member("properties");
    if properties.len() > KEYS_MAX {
        let message = format!("{} properties; {KEYS_MAX} are the most", properties.len());
        findings.note(LintRule::Limit, &at, message);
    }
    let mut seen = BTreeSet::new();
    for (i, property) in properties.iter().enumerate() {
        let at = at.index(i).member("name");
        names::member_name(&property.name, &at, findings);
        if !seen.insert(&property.name) {
            let message = format!("'{}' is a property already", property.name);
            findings.note(LintRule::DuplicateKey, &at, message);
        }
    }
}
