//! `data-write` and `data-read` (module convoke-data): data in pieces (draft §5.2).
//!
//! Pieces travel in base64 (RFC 7950 §9.8). Read next: `engine::operation`.

use super::input::{child, flag, number, text, word};
use super::{Answer, Dispatch, ask, check, output};
use crate::netconf::DATA_NAMESPACE;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use base64ct::{Base64, Encoding};
use domain::context::{Body, DataType};
use domain::task::TaskId;
use engine::{Bytes, Operation, WriteData, Written};

pub(super) fn data_write(cx: &RequestContext<'_>, operation: Element<'_>) -> Dispatch {
    let read = || {
        check(cx, operation)?;
        Ok(Operation::WriteData(WriteData {
            id: needed(operation, "id")?,
            task: text(operation, "task-id").map(TaskId::new),
            reader: text(operation, "reader"),
            data_type: word(operation, "dataType").and_then(DataType::parse),
            description: text(operation, "description"),
            format: text(operation, "format"),
            url: text(operation, "url"),
            offset: number(operation, "offset").unwrap_or(0),
            bytes: bytes(operation)?,
            size: number(operation, "size"),
            sha256: word(operation, "sha256").and_then(digest),
            finished: flag(operation, "finished"),
        }))
    };
    ask(cx, read(), RpcOrigin::Data("data-write"))
}

pub(super) fn data_read(cx: &RequestContext<'_>, operation: Element<'_>) -> Dispatch {
    let read = || {
        check(cx, operation)?;
        Ok(Operation::ReadData {
            id: needed(operation, "id")?,
            offset: number(operation, "offset").unwrap_or(0),
            length: number(operation, "length").unwrap_or(Body::CHUNK_MOST),
        })
    };
    ask(cx, read(), RpcOrigin::Data("data-read"))
}

/// The output of `data-write`.
pub(super) fn written(written: Written) -> Answer {
    output([
        Node::value(DATA_NAMESPACE, "received", written.received),
        Node::value(DATA_NAMESPACE, "finished", written.finished),
    ])
}

/// The output of `data-read`.
pub(super) fn piece(piece: &Bytes) -> Answer {
    output(
        [
            Node::value(DATA_NAMESPACE, "data", Base64::encode_string(&piece.bytes)),
            Node::value(DATA_NAMESPACE, "size", piece.size),
            Node::value(DATA_NAMESPACE, "last", piece.last),
        ]
        .into_iter()
        .chain(
            piece
                .sha256
                .map(|sum| Node::value(DATA_NAMESPACE, "sha256", digits(&sum))),
        ),
    )
}

fn needed(operation: Element<'_>, name: &str) -> Result<String, RpcError> {
    text(operation, name).ok_or_else(|| error::missing(operation, name))
}

fn bytes(operation: Element<'_>) -> Result<Vec<u8>, RpcError> {
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
