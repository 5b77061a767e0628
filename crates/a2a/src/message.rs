//! Messages and their parts, the same for both versions.
//!
//! Their JSON is in [`crate::wire`]. Read next: [`crate::task`], [`crate::media`].

use serde_json::{Map, Value};

/// Metadata: free members beside those of the protocol.
pub type Metadata = Map<String, Value>;

/// The member of `metadata` that holds a part's media type in v0.3, and in both versions with the
/// object-schemas extension (§2).
pub const MIME_TYPE: &str = "mimeType";

/// The sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The client.
    User,
    /// The agent.
    Agent,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// Text.
    Text(String),
    /// A JSON value; an object for the object-schemas extension and for peers of v0.3.
    Data(Value),
    /// A file, as its bytes.
    Raw(Vec<u8>),
    /// A file, as its URL.
    Url(String),
}

/// A part of a message or of an artifact.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The content.
    pub content: PartContent,
    /// Its media type. In v0.3 a file has it as `mimeType`, anything else in `metadata.mimeType`.
    pub media_type: Option<String>,
    /// The name of a file. v0.3 has no member for that of other parts.
    pub filename: Option<String>,
    /// Further metadata. A `mimeType` is here only where it contradicts `media_type`.
    pub metadata: Metadata,
}

impl Part {
    /// A part with this content and nothing else.
    pub fn new(content: PartContent) -> Self {
        Self {
            content,
            media_type: None,
            filename: None,
            metadata: Metadata::new(),
        }
    }

    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(PartContent::Text(text.into()))
    }

    /// A data part.
    pub fn data(value: impl Into<Value>) -> Self {
        Self::new(PartContent::Data(value.into()))
    }

    /// The same part, with this media type.
    pub fn of_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The media types that it names: one, or two that contradict each other.
    pub fn media_types(&self) -> impl Iterator<Item = &str> {
        let second = self.metadata.get(MIME_TYPE).and_then(Value::as_str);
        self.media_type.as_deref().into_iter().chain(second)
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The identifier, made by the sender.
    pub message_id: String,
    /// The conversation that it belongs to.
    pub context_id: Option<String>,
    /// The task that it continues.
    pub task_id: Option<String>,
    /// The sender.
    pub role: Role,
    /// The parts; one at least.
    pub parts: Vec<Part>,
    /// Metadata.
    pub metadata: Metadata,
    /// The extensions that it makes use of, by URI.
    pub extensions: Vec<String>,
    /// Other tasks that it refers to.
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// A message outside of any task and conversation.
    pub fn new(message_id: impl Into<String>, role: Role, parts: Vec<Part>) -> Self {
        Self {
            message_id: message_id.into(),
            context_id: None,
            task_id: None,
            role,
            parts,
            metadata: Metadata::new(),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    /// All its text, a line for each part.
    pub fn words(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match &part.content {
            PartContent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
