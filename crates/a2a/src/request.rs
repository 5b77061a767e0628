//! Everything that can be asked, as one closed enum, whatever version and binding it came by.
//!
//! Knows parameters and their ranges; refuses to know how they are written ([`crate::wire`]) and
//! who may ask. A server translates a [`Request`] with one `match`. Read next:
//! [`crate::response`], [`crate::jsonrpc`], [`crate::rest`].

use crate::error::{Error, ErrorKind};
use crate::message::{Message, Metadata};
use crate::method::Method;
use crate::push::PushConfig;
use crate::schema_talk::SchemaRequest;
use crate::task::TaskState;
use schema::time::Timestamp;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
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
    /// [`Method::CreatePushConfig`]; its task is said.
    CreatePushConfig(PushConfig),
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

impl Request {
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

/// Say something.
#[derive(Clone, Debug, PartialEq)]
pub struct SendMessage {
    /// What.
    pub message: Message,
    /// How the answer is wanted.
    pub configuration: Configuration,
    /// Free members of the request.
    pub metadata: Metadata,
}

impl SendMessage {
    /// A message, to be answered as usual.
    pub fn new(message: Message) -> Self {
        Self {
            message,
            configuration: Configuration::default(),
            metadata: Metadata::new(),
        }
    }
}

/// How the answer to a message is wanted (v1.0 §3.2.2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// Media types that the client can read; empty if it says none.
    pub accepted_output_modes: Vec<String>,
    /// Messages of the history that it wants, at most; none for all.
    pub history_length: Option<u32>,
    /// True if it does not wait for the task to settle; v0.3 says `blocking`, the contrary.
    pub return_immediately: bool,
    /// Where to tell it what happens to the task.
    pub push: Option<PushConfig>,
}

/// Read a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetTask {
    /// The task.
    pub id: String,
    /// Messages of the history that are wanted, at most; none for all.
    pub history_length: Option<u32>,
}

/// End a task.
#[derive(Clone, Debug, PartialEq)]
pub struct CancelTask {
    /// The task.
    pub id: String,
    /// Free members, such as a reason.
    pub metadata: Metadata,
}

/// Read tasks page by page, those that changed last first (v1.0 §3.1.4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListTasks {
    /// Only those of a conversation.
    pub context_id: Option<String>,
    /// Only those in a state.
    pub status: Option<TaskState>,
    /// Only those that came into their state at or after an instant.
    pub changed_since: Option<Timestamp>,
    /// How many a page has; none for [`ListTasks::PAGE_SIZE`].
    pub page_size: Option<u32>,
    /// Where the page begins, as [`crate::page`] wrote it; none for the first.
    pub page_token: Option<String>,
    /// Messages of each history that are wanted, at most; none for all.
    pub history_length: Option<u32>,
    /// True if artifacts are wanted.
    pub include_artifacts: bool,
}

impl ListTasks {
    /// The size of a page where none is asked for.
    pub const PAGE_SIZE: u32 = 50;
    /// The size of a page at most.
    pub const PAGE_SIZE_MAX: u32 = 100;

    /// How many tasks a page has, 1 to [`Self::PAGE_SIZE_MAX`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParams`] where another size is asked for (A10).
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
    /// The configuration; none only where a v0.3 client reads the one that there is.
    pub id: Option<String>,
}

/// Read the push configurations of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPushConfigs {
    /// The task.
    pub task_id: String,
    /// How many a page has; none for [`ListTasks::PAGE_SIZE`].
    pub page_size: Option<u32>,
    /// Where to go on, as [`crate::page`] wrote it.
    pub page_token: Option<String>,
}

impl ListPushConfigs {
    /// How many configurations a page has, as of [`ListTasks::tasks_per_page`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParams`] where another size is asked for.
    pub fn configs_per_page(&self) -> Result<u32, Error> {
        per_page(self.page_size, "configurations")
    }
}
