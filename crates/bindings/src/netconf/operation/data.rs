//! `data-write` and `data-read` (module convoke-data): data in pieces (draft §5.2).
//!
//! Pieces travel in base64 (RFC 7950 §9.8). Read next: `engine::data::operation`.

use super::codec::Codec;
use crate::netconf::error;
use crate::netconf::input::{self, Text};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use base16ct::lower::encode_string;
use base16ct::mixed::decode_vec;
use base64ct::{Base64, Encoding};
use domain::context::DataType;
use domain::task::TaskId;
use engine::{DataPiece, ReadData, WriteData, Written};

impl Codec for WriteData {
    type Input = input::DataWrite<'static>;

    fn decode(_: &RequestContext<'_>, input: input::DataWrite<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            id: input.id()?.owned(),
            task: input.task_id().map(Text::as_str).map(TaskId::new),
            reader: input.reader().map(Text::owned),
            data_type: DataType::parse(input.data_type()),
            description: input.description().map(Text::owned),
            format: input.format().map(Text::owned),
            url: input.url().map(Text::owned),
            offset: input.offset(),
            bytes: input.data().map(bytes).transpose()?.unwrap_or_default(),
            size: input.size().given(),
            sha256: input.sha256().given().and_then(|sum| digest(sum.as_str())),
            finished: input.finished(),
        })
    }

    fn encode<'a>(written: &'a Written, output: output::DataWrite<'a>) -> output::DataWrite<'a> {
        output.received(written.received).finished(written.finished)
    }
}

impl Codec for ReadData {
    type Input = input::DataRead<'static>;

    fn decode(_: &RequestContext<'_>, input: input::DataRead<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            id: input.id()?.owned(),
            offset: input.offset(),
            length: input.length() as usize,
        })
    }

    fn encode<'a>(piece: &'a DataPiece, output: output::DataRead<'a>) -> output::DataRead<'a> {
        output
            .data(Base64::encode_string(&piece.bytes))
            .size(piece.size)
            .last(piece.last)
            .sha256(piece.sha256.as_ref().map(|sum| encode_string(sum)))
    }
}

fn bytes(data: Text<'_>) -> Result<Vec<u8>, RpcError> {
    // Base64 may be broken into lines (RFC 4648 §3.1, RFC 7950 §9.8.2).
    let digits: String = data.as_str().split_ascii_whitespace().collect();
    Base64::decode_vec(&digits).map_err(|_| error::invalid(data.leaf(), "this is not base64"))
}

/// 64 hexadecimal digits as the 32 bytes they mean.
fn digest(text: &str) -> Option<[u8; 32]> {
    decode_vec(text).ok()?.try_into().ok()
}
