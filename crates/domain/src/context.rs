//! The record of conversations: one entry per exchange, and the data that travelled with it (draft
//! §5.2).
//!
//! Read next: [`crate::task`].

use crate::task::TaskId;
use crate::time::Timestamp;
use crate::verb::Verb;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A record of `/context`: one request and its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// `id`, unique on the platform.
    pub id: String,
    /// The task that it concerns; none for a capability request without one.
    pub task: Option<TaskId>,
    /// `sendFrom`.
    pub from: String,
    /// `sendTo`.
    pub to: String,
    /// The verb of the request.
    pub verb: Verb,
    /// `request-info/content`.
    pub request: String,
    /// `request-info/time`.
    pub request_time: Timestamp,
    /// `response-info/dataParam`: the entry of `/data-params` that holds the response; none while
    /// there is no response.
    pub response: Option<String>,
    /// `response-info/time`.
    pub response_time: Option<Timestamp>,
}

/// The kind of data in an entry of `/data-params`.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataType {
    /// Text, structured data included.
    Text,
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A film.
    Video,
}

crate::named! {
    /// The name in `irtf-agent`.
    DataType
}

/// An entry of `/data-params`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataParam {
    /// `id`, unique on the platform.
    pub id: String,
    /// The task it belongs to; who may read the task may read the data.
    pub task: Option<TaskId>,
    /// The two parties of the exchange it came with.
    pub parties: [String; 2],
    /// `dataType`.
    pub data_type: DataType,
    /// `description`.
    pub description: String,
    /// `format`, e.g. `text/plain`.
    pub format: String,
    /// The data, or their address.
    pub body: Body,
    /// The time of its creation or of the last write to it.
    pub changed_at: Timestamp,
}

/// The location of an entry's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Here: `data`, at most [`Body::INLINE_MOST`] bytes from outside; its length is `dataSize`.
    Inline(String),
    /// Elsewhere: `url`. The platform never fetches it.
    Elsewhere(String),
    /// Written and read in pieces: `chunked`.
    Chunked(Chunked),
}

impl Body {
    /// The most bytes that a client may write inline.
    pub const INLINE_MOST: usize = 64 * 1024;
    /// The most bytes of one piece.
    pub const CHUNK_MOST: usize = 256 * 1024;
}

/// Data written in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunked {
    /// `dataSize`: the number of bytes in all, as announced by the writer.
    pub size: u64,
    /// SHA-256 of the whole: as announced by the writer, and once finished as computed.
    pub sha256: Option<[u8; 32]>,
    /// `finished`: every byte is there, and size and digest were verified.
    pub finished: bool,
}

impl DataParam {
    /// An entry whose data are here.
    pub fn inline(
        id: String,
        parties: [String; 2],
        description: &str,
        format: &str,
        data: String,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            task: None,
            parties,
            data_type: DataType::Text,
            description: description.to_owned(),
            format: format.to_owned(),
            body: Body::Inline(data),
            changed_at: at,
        }
    }

    /// The data, if they are here.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Inline(data) => Some(data),
            Body::Elsewhere(_) | Body::Chunked(_) => None,
        }
    }
}
