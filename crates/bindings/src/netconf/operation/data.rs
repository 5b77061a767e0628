//! `data-write` and `data-read` (module convoke-data): data in pieces (draft §5.2).
//!
//! Pieces travel in base64 (RFC 7950 §9.8). Read next: `engine::operation`.

use super::input::{child, flag, needed, number, text, word};
use super::{Answer, Codec, output};
use crate::netconf::DATA_NAMESPACE;
use crate::netconf::error;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use base64ct::{Base64, Encoding};
use domain::context::{Body, DataType};
use domain::task::TaskId;
use engine::{DataPiece, ReadData, WriteData, Written};

impl Codec for WriteData {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            id: needed(input, "id")?,
            task: text(input, "task-id").map(TaskId::new),
            reader: text(input, "reader"),
            data_type: word(input, "dataType").and_then(DataType::parse),
            description: text(input, "description"),
            format: text(input, "format"),
            url: text(input, "url"),
            offset: number(input, "offset").unwrap_or(0),
            bytes: bytes(input)?,
            size: number(input, "size"),
            sha256: word(input, "sha256").and_then(digest),
            finished: flag(input, "finished"),
        })
    }

    fn encode(written: Written) -> Answer {
        output([
            Node::value(DATA_NAMESPACE, "received", written.received),
            Node::value(DATA_NAMESPACE, "finished", written.finished),
        ])
    }
}

impl Codec for ReadData {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            id: needed(input, "id")?,
            offset: number(input, "offset").unwrap_or(0),
            length: number(input, "length").unwrap_or(Body::CHUNK_MOST),
        })
    }

    fn encode(piece: DataPiece) -> Answer {
        let sha256 = piece.sha256;
        let leaves = [
            Node::value(DATA_NAMESPACE, "data", Base64::encode_string(&piece.bytes)),
            Node::value(DATA_NAMESPACE, "size", piece.size),
            Node::value(DATA_NAMESPACE, "last", piece.last),
        ];
        let sum = sha256.map(|sum| Node::value(DATA_NAMESPACE, "sha256", digits(&sum)));
        output(leaves.into_iter().chain(sum))
    }
}

fn bytes(operation: XmlElement<'_>) -> Result<Vec<u8>, RpcError> {
    let Some(leaf) = child(operation, "data") else {
        return Ok(Vec::new());
    };
    // Base64 may be broken into lines (RFC 4648 §3.1, RFC 7950 §9.8.2).
    let digits: String = leaf.text().split_ascii_whitespace().collect();
    Base64::decode_vec(&digits).map_err(|_| error::invalid(leaf, "this is not base64"))
}

fn digits(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 64 hexadecimal digits as the 32 bytes they mean.
fn digest(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}
