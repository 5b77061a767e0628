//! What is said: messages and their parts, the same for both versions.
//!
//! Knows what a part holds and where its media type stands; refuses to know how either is written,
//! which is [`crate::wire`]'s. Read next: [`crate::task`], [`crate::media`].

use serde_json::{Map, Value};

/// Free members beside what the protocol names.
pub type Metadata = Map<String, Value>;

/// The member of `metadata` in which v0.3 tells a part's media type, and extension 002 in both
/// versions (002 §2, Q61).
pub const MIME_TYPE: &str = "mimeType";

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The client.
    User,
    /// The agent.
    Agent,
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Words.
    Text(String),
    /// A value; an object wherever extension 002 or a v0.3 peer reads it.
    Data(Value),
    /// A file, as its bytes.
    Raw(Vec<u8>),
    /// A file, as the place where it is.
    Url(String),
}

/// A part of a message or of an artifact.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it holds.
    pub content: Content,
    /// Its media type. In v0.3 a file has it as `mimeType`, anything else in `metadata.mimeType`.
    pub media_type: Option<String>,
    /// The name of a file. v0.3 has no place for that of other parts.
    pub filename: Option<String>,
    /// The rest of its metadata. A `mimeType` is here only where it contradicts `media_type`.
    pub metadata: Metadata,
}

impl Part {
    /// A part that says no more than its content.
    pub fn new(content: Content) -> Self {
        Self {
            content,
            media_type: None,
            filename: None,
            metadata: Metadata::new(),
        }
    }

    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Content::Text(text.into()))
    }

    /// A value.
    pub fn data(value: impl Into<Value>) -> Self {
        Self::new(Content::Data(value.into()))
    }

    /// The same with this media type.
    pub fn of_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The media types that it names: one, or two that contradict each other (Q61).
    pub fn media_types(&self) -> impl Iterator<Item = &str> {
        let second = self.metadata.get(MIME_TYPE).and_then(Value::as_str);
        self.media_type.as_deref().into_iter().chain(second)
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its identifier, made by who speaks.
    pub message_id: String,
    /// The conversation that it belongs to.
    pub context_id: Option<String>,
    /// The task that it continues.
    pub task_id: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// What is said; one part at least.
    pub parts: Vec<Part>,
    /// Free members.
    pub metadata: Metadata,
    /// The extensions that it makes use of, by URI.
    pub extensions: Vec<String>,
    /// Other tasks that it speaks of.
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// A message that begins something.
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

    /// All its words, a line for each part.
    pub fn words(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match &part.content {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
