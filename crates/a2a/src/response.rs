//! Everything that is answered, as one closed enum, whatever version and binding it goes by.
//!
//! Knows what belongs to which method; refuses to know how it is written ([`crate::wire`]) and
//! what is refused ([`crate::error`]). A stream is a row of [`crate::event::Event`]s instead. Read
//! next: [`crate::page`].

use crate::card::Card;
use crate::event::Sent;
use crate::push::PushConfig;
use crate::task::Task;
use serde_json::Value;

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// To [`crate::method::Method::SendMessage`].
    Sent(Sent),
    /// To [`crate::method::Method::GetTask`] and [`crate::method::Method::CancelTask`].
    Task(Task),
    /// To [`crate::method::Method::ListTasks`].
    Tasks(TaskPage),
    /// To [`crate::method::Method::CreatePushConfig`] and
    /// [`crate::method::Method::GetPushConfig`].
    PushConfig(PushConfig),
    /// To [`crate::method::Method::ListPushConfigs`].
    PushConfigs(PushConfigPage),
    /// To [`crate::method::Method::DeletePushConfig`].
    Deleted,
    /// To [`crate::method::Method::GetExtendedCard`].
    Card(Box<Card>),
    /// To the methods of draft-zhou: the document itself ([`crate::schema_talk`]).
    Schema(Value),
}

/// A page of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskPage {
    /// The tasks, that which changed last first.
    pub tasks: Vec<Task>,
    /// Where the next page begins; none behind the last.
    pub next_page_token: Option<String>,
    /// How many tasks a page has at most.
    pub page_size: u32,
    /// How many tasks there are on all pages.
    pub total_size: u32,
}

/// A page of push configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushConfigPage {
    /// The configurations.
    pub configs: Vec<PushConfig>,
    /// Where the next page begins; none behind the last. v0.3 has no pages.
    pub next_page_token: Option<String>,
}
