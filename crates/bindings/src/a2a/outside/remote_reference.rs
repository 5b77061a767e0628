//! A task as its agent has it: its identifiers there, and its last state.
//!
//! Told with everything that is said of the task here, so it is on record with the task and survives a
//! restart. Read next: [`super::remote_task`].

use domain::content::Content;
use domain::task::Status;
use serde_json::json;

/// The section of a content that says what the task is called at the agent, as JSON.
pub const REMOTE_SECTION: &str = "task there";

/// A task as the agent has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemoteReference {
    pub(super) id: String,
    pub(super) context_id: String,
    /// Its last state, as it is called here.
    pub(super) status: Status,
}

impl RemoteReference {
    /// The reference that a content holds.
    pub(super) fn of(content: &Content) -> Option<Self> {
        let place = schema::json::read(content.section(REMOTE_SECTION)?.as_bytes()).ok()?;
        let text = |name: &str| place.get(name)?.as_str();
        Some(Self {
            id: text("id")?.to_owned(),
            context_id: text("contextId")?.to_owned(),
            status: Status::parse(text("status")?)?,
        })
    }

    /// The section that says it.
    pub(super) fn section(&self) -> (String, String) {
        let place = json!({
            "id": self.id,
            "contextId": self.context_id,
            "status": self.status.as_str(),
        });
        (REMOTE_SECTION.to_owned(), place.to_string())
    }
}
