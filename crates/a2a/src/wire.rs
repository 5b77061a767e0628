//! Messages, tasks, events and cards as JSON, in each dialect, both ways.
//!
//! Writes and reads the one model in v0.3 and v1.0. Errors name the place and the value needed
//! ([`Malformed`]); unknown members are dropped, so that they are never echoed. Members are
//! accepted by their snake_case names too, as ProtoJSON parsers do.
//!
//! Property: decoding undoes encoding, in every dialect (`wire/tests.rs`). Read next:
//! [`crate::jsonrpc`], [`crate::rest`].

mod card;
mod message;
mod push;
mod read;
mod request;
mod response;
mod security;
mod task;
#[cfg(test)]
mod tests;
mod write;

pub use card::{card, read_card, v03_members};
pub use message::{message, part, read_message, read_part};
pub use push::push_body;
pub use read::Malformed;
pub use request::{params, read_params};
pub use response::{read_result, result};
pub use task::{artifact, event, read_artifact, read_event, read_task, sent, task, task_state};

pub(crate) use read::Object;
pub(crate) use write::Members;
