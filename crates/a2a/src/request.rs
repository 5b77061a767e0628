//! All requests, as one closed enum, for every version and binding.
//!
//! Knows parameters and their ranges. Their JSON is in [`crate::wire`]; permissions are checked by
//! the caller. A server translates a [`A2aRequest`] with one `match`. Read next: [`crate::response`],
//! [`crate::jsonrpc`], [`crate::rest`].

use crate::error::{Error, ErrorKind};
use crate::message::{Message, Metadata};
use crate::method::Method;
use crate::push::PushNotificationConfig;
use crate::schema_request::SchemaRequest;
use crate::task::TaskState;
use schema::time::Timestamp;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub enum A2aRequest {
    /// [`Method::SendMessage`].
    SendMessage(SendMessage),
    /// [`Method::SendStreamingMessage`].
    SendStreamingMessage(SendMessage),
    /// [`Method::GetTask`].
    GetTask(GetTask),
    /// [`Method::ListTasks`].
    ListTasks(ListTasks),
    /// [`Method::CancelTask`].
    CancelTask(CancelTask),
    /// [`Method::SubscribeToTask`]: the task.
    SubscribeToTask(String),
    /// [`Method::CreatePushConfig`]; its task is set.
    CreatePushConfig(PushNotificationConfig),
    /// [`Method::GetPushConfig`].
    GetPushConfig(PushConfigKey),
    /// [`Method::ListPushConfigs`].
    ListPushConfigs(ListPushConfigs),
    /// [`Method::DeletePushConfig`].
    DeletePushConfig(PushConfigKey),
    /// [`Method::GetExtendedCard`].
    GetExtendedCard,
    /// One of the three methods of draft-zhou.
    Schema(SchemaRequest),
}

impl A2aRequest {
    /// The method that it calls.
    pub fn method(&self) -> Method {
        match self {
            Self::SendMessage(_) => Method::SendMessage,
            Self::SendStreamingMessage(_) => Method::SendStreamingMessage,
            Self::GetTask(_) => Method::GetTask,
            Self::ListTasks(_) => Method::ListTasks,
            Self::CancelTask(_) => Method::CancelTask,
            Self::SubscribeToTask(_) => Method::SubscribeToTask,
            Self::CreatePushConfig(_) => Method::CreatePushConfig,
            Self::GetPushConfig(_) => Method::GetPushConfig,
            Self::ListPushConfigs(_) => Method::ListPushConfigs,
            Self::DeletePushConfig(_) => Method::DeletePushConfig,
            Self::GetExtendedCard => Method::GetExtendedCard,
            Self::Schema(request) => request.method(),
        }
    }
}

/// The parameters of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct SendMessage {
    /// The message.
    pub message: Message,
    /// The form of the answer.
    pub configuration: SendMessageConfiguration,
    /// Metadata of the request.
    pub metadata: Metadata,
}

impl SendMessage {
    /// A message with the default configuration.
    pub fn new(message: Message) -> Self {
        Self {
            message,
            configuration: SendMessageConfiguration::default(),
            metadata: Metadata::new(),
        }
    }
}

/// The form in which the answer to a message is wanted (v1.0 §3.2.2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SendMessageConfiguration {
    /// Media types that the client can read; empty if not stated.
    pub accepted_output_modes: Vec<String>,
    /// The most messages of the history to return; none for all.
    pub history_length: Option<u32>,
    /// True if the answer does not wait for the task to settle; in v0.3 `blocking`, the opposite.
    pub return_immediately: bool,
    /// The push configuration for the task.
    pub push: Option<PushNotificationConfig>,
}

/// The parameters of reading a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetTask {
    /// The task.
    pub id: String,
    /// The most messages of the history to return; none for all.
    pub history_length: Option<u32>,
}

/// The parameters of cancelling a task.
#[derive(Clone, Debug, PartialEq)]
pub struct CancelTask {
    /// The task.
    pub id: String,
    /// Metadata, such as a reason.
    pub metadata: Metadata,
}

/// The parameters of listing tasks page by page, the last changed first (v1.0 §3.1.4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListTasks {
    /// Restricts it to a conversation.
    pub context_id: Option<String>,
    /// Restricts it to a state.
    pub status: Option<TaskState>,
    /// Restricts it to tasks that came into their state at or after an instant.
    pub changed_since: Option<Timestamp>,
    /// The size of a page; none for [`ListTasks::PAGE_SIZE`].
    pub page_size: Option<u32>,
    /// The page token, made by [`crate::page`]; none for the first page.
    pub page_token: Option<String>,
    /// The most messages of each history to return; none for all.
    pub history_length: Option<u32>,
    /// True to return artifacts.
    pub include_artifacts: bool,
}

impl ListTasks {
    /// The default size of a page.
    pub const PAGE_SIZE: u32 = 50;
    /// The largest size of a page.
    pub const PAGE_SIZE_MAX: u32 = 100;

    /// The size of a page, 1 to [`Self::PAGE_SIZE_MAX`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParams`] for any other size.
    pub fn tasks_per_page(&self) -> Result<u32, Error> {
        per_page(self.page_size, "tasks")
    }
}

fn per_page(asked: Option<u32>, what: &str) -> Result<u32, Error> {
    match asked {
        None => Ok(ListTasks::PAGE_SIZE),
        Some(size @ 1..=ListTasks::PAGE_SIZE_MAX) => Ok(size),
        Some(size) => Err(Error::new(
            ErrorKind::InvalidParams,
            format!("a page has 1 to 100 {what}"),
        )
        .at("pageSize", format!("1 to 100 is needed, not {size}"))),
    }
}

/// One push configuration of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConfigKey {
    /// The task.
    pub task_id: String,
    /// The configuration; none only where a v0.3 client reads the only one.
    pub id: Option<String>,
}

/// The parameters of listing the push configurations of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPushConfigs {
    /// The task.
    pub task_id: String,
    /// The size of a page; none for [`ListTasks::PAGE_SIZE`].
    pub page_size: Option<u32>,
    /// The page token, made by [`crate::page`].
    pub page_token: Option<String>,
}

impl ListPushConfigs {
    /// The size of a page, as in [`ListTasks::tasks_per_page`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParams`] for any other size.
    pub fn configs_per_page(&self) -> Result<u32, Error> {
        per_page(self.page_size, "configurations")
    }
}
