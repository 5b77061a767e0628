//! `data-write` and `data-read` of module convoke-data: data in pieces (draft §5.2).
//!
//! Read next: [`crate::data`], which carries them out.

use crate::Refusal;
use crate::access::exec;
use crate::operation::{Call, Cost, Execution, Operation, Query, Reader};
use domain::access::Request;
use domain::context::DataType;
use domain::task::TaskId;

/// Data entered, or a piece of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteData {
    /// The entry; its first writer alone may write on.
    pub id: String,
    /// The task it belongs to, if any; the writer must be party to it.
    pub task: Option<TaskId>,
    /// Who may read it beside the writer: an agent or user; none for the writer alone, or both
    /// parties of the task.
    pub reader: Option<String>,
    /// `dataType`; text if not given.
    pub data_type: Option<DataType>,
    /// `description`.
    pub description: Option<String>,
    /// `format`.
    pub format: Option<String>,
    /// `url`: the data are elsewhere.
    pub url: Option<String>,
    /// Where the piece begins, in bytes.
    pub offset: u64,
    /// The piece.
    pub bytes: Vec<u8>,
    /// How long the whole is, in bytes.
    pub size: Option<u64>,
    /// SHA-256 of the whole.
    pub sha256: Option<[u8; 32]>,
    /// No piece follows: the whole is to be verified.
    pub finished: bool,
}

/// `data-read`: read a piece of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadData {
    /// The entry of `/data-params`.
    pub id: String,
    /// Where the piece begins, in bytes.
    pub offset: u64,
    /// How long it is at most, in bytes; up to [`Body::CHUNK_MOST`](domain::context::Body::CHUNK_MOST).
    pub length: usize,
}

/// How much of some data is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Bytes that are there.
    pub received: u64,
    /// True once the whole was verified.
    pub finished: bool,
}

/// A piece of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPiece {
    /// The piece; shorter than asked for at the end of the data.
    pub bytes: Vec<u8>,
    /// How long the whole is, in bytes.
    pub size: u64,
    /// SHA-256 of the whole; none of data that were finished before it was kept.
    pub sha256: Option<[u8; 32]>,
    /// True if the piece reaches the end.
    pub last: bool,
}

impl Operation for WriteData {
    type Output = Written;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-data", "data-write", false))
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost::of_new(self.bytes.len() as u64))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Written>, Refusal> {
        call.engine.write_data(call.who, self, call.now)
    }
}

impl Query for ReadData {
    type Output = DataPiece;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-data", "data-read", false))
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<DataPiece, Refusal> {
        reader.engine.read_data(reader.who, &self)
    }
}
