//! What a name in a standing rule names: a scenario, or a number of what is offered, as served templates have them.
//!
//! A client's own view is not asked: what others may not see is not told. Read next: [`super::published`];
//! `crate::policy`, which asks.

use super::Schemas;
use super::published::Published;
use domain::policy::DecisionKind;
use schema::template::{KeyType, Template};
use std::collections::BTreeSet;

/// The numbers of a patch that a rule may bound: how many keys are new and changed, how many have approved it, and how
/// many are to.
pub(super) const PATCH_NUMBERS: [&str; 4] =
    ["new_keys", "modified_keys", "approvals", "approvals_needed"];

/// Whether a patch is security-relevant.
pub(super) const PATCH_FLAG: &str = "sensitive";

/// What a key names in what is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamedKey {
    /// Nothing.
    Nothing,
    /// Something that is no number.
    NoNumber,
    /// A number.
    Number,
}

impl Schemas {
    /// True if a task, or a schema of which there may be patches, can be of this scenario.
    pub(crate) fn has_scenario(&self, scenario: &str, of: DecisionKind) -> bool {
        let published = self.published();
        let responses = match of {
            DecisionKind::Patch => BTreeSet::new(),
            _ => responses(&published, None),
        };
        let mut served = published.catalogue().served();
        served.any(|it| it.scenario == scenario && !responses.contains(&*it.schema_id))
    }

    /// What a key names in what is offered in decisions of this kind: of results, in those of this scenario or of any.
    pub(crate) fn named_key(
        &self,
        key: &str,
        scenario: Option<&str>,
        of: DecisionKind,
    ) -> NamedKey {
        if of == DecisionKind::Patch {
            return match key {
                _ if PATCH_NUMBERS.contains(&key) => NamedKey::Number,
                PATCH_FLAG => NamedKey::NoNumber,
                _ => NamedKey::Nothing,
            };
        }
        let published = self.published();
        let responses = responses(&published, scenario);
        // What is proposed and offered for a task may be of any schema.
        let is_meant = |template: &&Template| {
            of != DecisionKind::Result || responses.contains(&*template.schema_id)
        };
        let named = |template: &Template| {
            let mut keys = template.own_keys();
            let shape = &keys.find(|it| it.key_name == key)?.shape;
            Some(match shape.key_type {
                KeyType::Integer | KeyType::Number | KeyType::Any => NamedKey::Number,
                _ => NamedKey::NoNumber,
            })
        };
        let found = published.templates().filter(is_meant).filter_map(named);
        found.max().unwrap_or(NamedKey::Nothing)
    }
}

/// The templates of the results of a scenario, or of any, by identifier.
fn responses<'p>(published: &'p Published, scenario: Option<&str>) -> BTreeSet<&'p str> {
    let served = published.catalogue().served();
    let of = served.filter(|it| scenario.is_none_or(|scenario| it.scenario == scenario));
    of.filter_map(|it| it.response_schema_id.as_deref())
        .collect()
}
