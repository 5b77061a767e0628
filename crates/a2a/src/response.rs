//! All responses, as one closed enum, for every version and binding.
//!
//! Their JSON is in [`crate::wire`], errors are in [`crate::error`]. A stream is a sequence of
//! [`crate::event::StreamResponse`]s instead. Read next: [`crate::page`].

use crate::card::Card;
use crate::event::SendMessageResponse;
use crate::push::PushNotificationConfig;
use crate::task::Task;
use serde_json::Value;

/// One response.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// The response to [`crate::method::Method::SendMessage`].
    Sent(SendMessageResponse),
    /// The response to [`crate::method::Method::GetTask`] and
    /// [`crate::method::Method::CancelTask`].
    Task(Task),
    /// The response to [`crate::method::Method::ListTasks`].
    Tasks(ListTasksResponse),
    /// The response to [`crate::method::Method::CreatePushConfig`] and
    /// [`crate::method::Method::GetPushConfig`].
    PushConfig(PushNotificationConfig),
    /// The response to [`crate::method::Method::ListPushConfigs`].
    PushConfigs(PushConfigPage),
    /// The response to [`crate::method::Method::DeletePushConfig`].
    Deleted,
    /// The response to [`crate::method::Method::GetExtendedCard`].
    Card(Box<Card>),
    /// The response to the methods of draft-zhou: the document itself ([`crate::schema_request`]).
    Schema(Value),
}

/// A page of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct ListTasksResponse {
    /// The tasks, the last changed first.
    pub tasks: Vec<Task>,
    /// The token of the next page; none behind the last.
    pub next_page_token: Option<String>,
    /// The size of a page.
    pub page_size: u32,
    /// The number of tasks on all pages.
    pub total_size: u32,
}

/// A page of push configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushConfigPage {
    /// The configurations.
    pub configs: Vec<PushNotificationConfig>,
    /// The token of the next page; none behind the last. v0.3 has no pages.
    pub next_page_token: Option<String>,
}
