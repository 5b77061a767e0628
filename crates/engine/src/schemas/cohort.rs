//! For whom something evolves: a scenario, for everyone or for one client.
//!
//! Read next: [`super::evolving`].

/// A scenario, for everyone or for one client.
pub(super) type Cohort = (String, Option<String>);

/// A cohort as a name; JSON, so that no name is taken for another.
pub(super) fn name(cohort: &Cohort) -> String {
    serde_json::to_string(cohort).expect("two strings are JSON")
}
