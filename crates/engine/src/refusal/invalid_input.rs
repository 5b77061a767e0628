//! Refused for what is said, whoever says it and when. Read next: [`super`].

use super::{Field, list};
use domain::content::ContentError;
use domain::profile::ProfileError;
use domain::verb::Verb;
use schema::lint::LintFinding;
use schema::violation::PayloadViolation;

/// What is said is wrong in itself: it is refused until it is said otherwise.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidInput {
    /// A field that this verb needs is missing.
    #[error("'{verb}' needs the leaf '{field}'")]
    Missing {
        /// The verb.
        verb: Verb,
        /// The field.
        field: Field,
    },
    /// A field is missing that is needed as things stand.
    #[error("the leaf '{field}' is missing: {why}")]
    Absent {
        /// The field.
        field: Field,
        /// Why it is needed.
        why: &'static str,
    },
    /// A field says one thing, the sections another, or the value is out of range.
    #[error("the leaf '{field}' is not usable: {why}")]
    Unusable {
        /// The field.
        field: Field,
        /// Why.
        why: String,
    },
    /// The sections are not ones.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The profile cannot be registered.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// Reports cannot go to this address.
    #[error("no report can go to '{url}': {why}")]
    Undeliverable {
        /// What of the subscription says so.
        field: Field,
        /// The address.
        url: String,
        /// Why.
        why: String,
    },
    /// A payload does not keep to its schema.
    #[error(
        "the payload{} does not keep to {schema_id}: {}",
        which(alternative),
        list(violations)
    )]
    Payload {
        /// The template.
        schema_id: String,
        /// Of which alternative of an offer, from 1, if there are several.
        alternative: Option<usize>,
        /// All that is wrong with it.
        violations: Vec<PayloadViolation>,
    },
    /// A text is no template that could be published.
    #[error("the template breaks rules: {}", list(.0))]
    Template(Vec<LintFinding>),
    /// A fault cannot be like this.
    #[error("{why}")]
    Fault {
        /// What of it.
        field: Field,
        /// Why.
        why: String,
    },
}

impl InvalidInput {
    /// What it is about. None for what is missing, which has no place, and for a profile, whose error says
    /// itself which part is wrong.
    pub(super) fn field(&self) -> Option<Field> {
        match self {
            Self::Unusable { field, .. }
            | Self::Fault { field, .. }
            | Self::Undeliverable { field, .. } => Some(*field),
            Self::Content(_) => Some(Field::Content),
            Self::Payload { .. } => Some(Field::Payload),
            Self::Template(_) => Some(Field::Template),
            Self::Missing { .. } | Self::Absent { .. } | Self::Profile(_) => None,
        }
    }
}

fn which(alternative: &Option<usize>) -> String {
    alternative.map_or_else(String::new, |place| format!(" of alternative {place}"))
}
