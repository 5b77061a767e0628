//! Messages and parts in each dialect (v1.0 §4.1.4, §4.1.6; v0.3 §6.4, §6.5).
//!
//! The kind of a part is its `kind` in v0.3, its member in v1.0. Its media type is in `mediaType`,
//! in `file.mimeType` or in `metadata.mimeType`; typed data have it in both possible places, so
//! that readers of either find it.

use super::read::{Malformed, Object, text};
use super::write::Members;
use crate::message::{MIME_TYPE, Message, Metadata, Part, PartContent, Role};
use crate::number;
use crate::version::Dialect;
use base64ct::{Base64, Base64Url, Base64UrlUnpadded, Encoding};
use serde_json::{Value, json};

/// Metadata that tell a v0.3 peer that data were not an object: v0.3 has only objects.
const WRAPPED: &str = "data_part_compat";

/// A message as JSON.
pub fn message(dialect: Dialect, message: &Message) -> Value {
    let parts = if dialect == Dialect::V03Proto {
        "content"
    } else {
        "parts"
    };
    let references = match dialect {
        Dialect::V03Proto => &[],
        _ => message.reference_task_ids.as_slice(),
    };
    let written = Members::new()
        .maybe("kind", (dialect == Dialect::V03).then_some("message"))
        .with("messageId", message.message_id.as_str())
        .text("contextId", message.context_id.as_ref())
        .text("taskId", message.task_id.as_ref())
        .with("role", role(dialect, message.role))
        .with(
            parts,
            message
                .parts
                .iter()
                .map(|it| part(dialect, it))
                .collect::<Value>(),
        )
        .free("metadata", &message.metadata)
        .texts("extensions", &message.extensions)
        .texts("referenceTaskIds", references);
    written.into()
}

/// A message from JSON.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn read_message(dialect: Dialect, value: &Value) -> Result<Message, Malformed> {
    let object = Object::of(value)?;
    let parts = if dialect == Dialect::V03Proto {
        "content"
    } else {
        "parts"
    };
    let message = Message {
        message_id: message_id(dialect, object)?,
        context_id: object.text("contextId")?,
        task_id: object.text("taskId")?,
        role: object.needed("role", |value| read_role(dialect, value))?,
        parts: object.each(parts, |value| read_part(dialect, value))?,
        metadata: object.free("metadata")?,
        extensions: object.texts("extensions")?,
        reference_task_ids: object.texts("referenceTaskIds")?,
    };
    match message.parts.is_empty() {
        true => Err(Malformed::member(parts, "one part at least is needed")),
        false => Ok(message),
    }
}

/// The identifier of a message; a v0.3 client may write a number, as in the example of object
/// schemas §2.
fn message_id(dialect: Dialect, object: Object<'_>) -> Result<String, Malformed> {
    let number = |value: &Value| match (value, dialect) {
        (Value::Number(number), Dialect::V03) => Ok(Some(number.to_string())),
        _ => Ok(None),
    };
    match object.at("messageId", number)?.flatten() {
        Some(number) => Ok(number),
        None => object.needed_text("messageId"),
    }
}

fn role(dialect: Dialect, role: Role) -> &'static str {
    match (dialect.is_proto(), role) {
        (true, Role::User) => "ROLE_USER",
        (true, Role::Agent) => "ROLE_AGENT",
        (false, Role::User) => "user",
        (false, Role::Agent) => "agent",
    }
}

fn read_role(dialect: Dialect, value: &Value) -> Result<Role, Malformed> {
    let all = [Role::User, Role::Agent];
    let found = all.into_iter().find(|it| value == role(dialect, *it));
    found.ok_or_else(|| {
        let [one, other] = all.map(|it| role(dialect, it));
        Malformed::whole(format!("'{one}' or '{other}' is needed"))
    })
}

/// A part as JSON.
pub fn part(dialect: Dialect, part: &Part) -> Value {
    match dialect {
        Dialect::V10 => part_v10(part),
        Dialect::V03 => part_v03(part),
        Dialect::V03Proto => part_v03_proto(part),
    }
}

fn part_v10(part: &Part) -> Value {
    let members = match &part.content {
        PartContent::Text(text) => Members::new().with("text", text.as_str()),
        PartContent::Data(data) => Members::new().with("data", number::portable(data)),
        PartContent::Raw(bytes) => Members::new().with("raw", Base64::encode_string(bytes)),
        PartContent::Url(url) => Members::new().with("url", url.as_str()),
    };
    let metadata = match &part.content {
        PartContent::Data(_) => typed_metadata(part),
        _ => part.metadata.clone(),
    };
    let members = members
        .text("filename", part.filename.as_ref())
        .text("mediaType", part.media_type.as_ref())
        .free("metadata", &metadata);
    members.into()
}

fn part_v03(part: &Part) -> Value {
    let members = match &part.content {
        PartContent::Text(text) => Members::new()
            .with("kind", "text")
            .with("text", text.as_str()),
        PartContent::Data(data) => Members::new()
            .with("kind", "data")
            .with("data", as_object(data)),
        PartContent::Raw(bytes) => {
            let file = file(part).with("bytes", Base64::encode_string(bytes));
            Members::new().with("kind", "file").with("file", file)
        }
        PartContent::Url(url) => {
            let file = file(part).with("uri", url.as_str());
            Members::new().with("kind", "file").with("file", file)
        }
    };
    members.free("metadata", &v03_metadata(part)).into()
}

fn part_v03_proto(part: &Part) -> Value {
    let members = match &part.content {
        PartContent::Text(text) => Members::new().with("text", text.as_str()),
        PartContent::Data(data) => Members::new().with("data", json!({"data": as_object(data)})),
        PartContent::Raw(bytes) => {
            let file = file(part).with("fileWithBytes", Base64::encode_string(bytes));
            Members::new().with("file", file)
        }
        PartContent::Url(url) => {
            let file = file(part).with("fileWithUri", url.as_str());
            Members::new().with("file", file)
        }
    };
    members.free("metadata", &v03_metadata(part)).into()
}

fn file(part: &Part) -> Members {
    Members::new()
        .text("mimeType", part.media_type.as_ref())
        .text("name", part.filename.as_ref())
}

fn as_object(data: &Value) -> Value {
    match data {
        Value::Object(_) => number::portable(data),
        other => json!({"value": number::portable(other)}),
    }
}

fn v03_metadata(part: &Part) -> Metadata {
    match &part.content {
        PartContent::Raw(_) | PartContent::Url(_) => part.metadata.clone(),
        PartContent::Text(_) | PartContent::Data(Value::Object(_)) => typed_metadata(part),
        PartContent::Data(_) => {
            let mut metadata = typed_metadata(part);
            metadata.insert(WRAPPED.to_owned(), true.into());
            metadata
        }
    }
}

/// The metadata, with the media type unless there is another one already.
fn typed_metadata(part: &Part) -> Metadata {
    let mut metadata = part.metadata.clone();
    if let Some(media_type) = &part.media_type {
        let place = metadata.entry(MIME_TYPE);
        place.or_insert_with(|| media_type.as_str().into());
    }
    metadata
}

/// A part from JSON.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn read_part(dialect: Dialect, value: &Value) -> Result<Part, Malformed> {
    let object = Object::of(value)?;
    let part = match dialect {
        Dialect::V10 => read_v10(object)?,
        Dialect::V03 => read_v03(object)?,
        Dialect::V03Proto => read_v03_proto(object)?,
    };
    Ok(with_one_media_type(part))
}

fn read_v10(object: Object<'_>) -> Result<Part, Malformed> {
    // Data may be null, which elsewhere counts as absent.
    let data = object.members().get("data").cloned();
    let contents = [
        object.at("text", text)?.map(PartContent::Text),
        object.at("raw", bytes)?.map(PartContent::Raw),
        object.at("url", text)?.map(PartContent::Url),
        data.map(PartContent::Data),
    ];
    Ok(Part {
        content: only(contents, "one of text, raw, url and data is needed")?,
        media_type: object.text("mediaType")?,
        filename: object.text("filename")?,
        metadata: object.free("metadata")?,
    })
}

fn read_v03(object: Object<'_>) -> Result<Part, Malformed> {
    let content = match object.said_text("kind")?.as_str() {
        "text" => PartContent::Text(object.said_text("text")?),
        "data" => PartContent::Data(object.needed("data", an_object)?),
        "file" => return object.needed("file", |file| read_file(object, file, "bytes", "uri")),
        _ => {
            return Err(Malformed::member(
                "kind",
                "'text', 'file' or 'data' is needed",
            ));
        }
    };
    unwrapped(content, object)
}

fn read_v03_proto(object: Object<'_>) -> Result<Part, Malformed> {
    let (bytes, uri) = ("fileWithBytes", "fileWithUri");
    if let Some(part) = object.at("file", |file| read_file(object, file, bytes, uri))? {
        return Ok(part);
    }
    let data = object.at("data", |data| Object::of(data)?.needed("data", an_object))?;
    let contents = [
        object.at("text", text)?.map(PartContent::Text),
        data.map(PartContent::Data),
    ];
    unwrapped(
        only(contents, "one of text, file and data is needed")?,
        object,
    )
}

fn read_file(
    part: Object<'_>,
    file: &Value,
    bytes_name: &str,
    uri_name: &str,
) -> Result<Part, Malformed> {
    let file = Object::of(file)?;
    let contents = [
        file.at(bytes_name, bytes)?.map(PartContent::Raw),
        file.at(uri_name, text)?.map(PartContent::Url),
    ];
    Ok(Part {
        content: only(contents, &format!("{bytes_name} or {uri_name} is needed"))?,
        media_type: file.text("mimeType")?,
        filename: file.text("name")?,
        metadata: part.free("metadata")?,
    })
}

fn unwrapped(content: PartContent, part: Object<'_>) -> Result<Part, Malformed> {
    let mut metadata = part.free("metadata")?;
    let content = match content {
        PartContent::Data(Value::Object(mut data))
            if metadata.get(WRAPPED) == Some(&true.into()) =>
        {
            metadata.remove(WRAPPED);
            PartContent::Data(data.remove("value").unwrap_or_default())
        }
        content => content,
    };
    let part = Part::new(content);
    Ok(Part { metadata, ..part })
}

/// Takes the media type out of the metadata, where it is the same as that of the part.
fn with_one_media_type(mut part: Part) -> Part {
    if matches!(part.content, PartContent::Raw(_) | PartContent::Url(_)) {
        return part;
    }
    let second = part.metadata.get(MIME_TYPE).and_then(Value::as_str);
    let second = second.map(str::to_owned);
    let contradicts =
        matches!((&part.media_type, &second), (Some(one), Some(other)) if one != other);
    if second.is_some() && !contradicts {
        part.metadata.remove(MIME_TYPE);
        part.media_type = second;
    }
    part
}

fn only<const N: usize>(
    contents: [Option<PartContent>; N],
    needed: &str,
) -> Result<PartContent, Malformed> {
    let mut said = contents.into_iter().flatten();
    match (said.next(), said.next()) {
        (Some(content), None) => Ok(content),
        (None, _) => Err(Malformed::whole(needed)),
        (Some(_), Some(_)) => Err(Malformed::whole(format!("only {needed}"))),
    }
}

fn an_object(value: &Value) -> Result<Value, Malformed> {
    Object::of(value).map(|_| value.clone())
}

/// Decodes base64 of both alphabets, padded or not, as ProtoJSON readers do (RFC 4648 §4, §5).
fn bytes(value: &Value) -> Result<Vec<u8>, Malformed> {
    let said = text(value)?;
    let decoded = Base64::decode_vec(&said)
        .or_else(|_| Base64UrlUnpadded::decode_vec(&said))
        .or_else(|_| Base64Url::decode_vec(&said))
        .or_else(|_| base64ct::Base64Unpadded::decode_vec(&said));
    decoded.map_err(|_| Malformed::whole("base64 is needed"))
}
