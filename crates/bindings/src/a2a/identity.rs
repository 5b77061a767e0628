//! The identifier of a task that a message begins.
//!
//! The same message sent again names the same task, so that it is done once, and no chance is
//! needed. Read next: [`super::message`].

use a2a::message::Message;
use a2a::version::Dialect;
use a2a::wire;
use domain::task::TaskId;
use domain::time::Timestamp;
use schema::canonical;
use serde_json::json;

/// The task of a message that a caller sends to an agent: a UUID of version 8 (RFC 9562 §5.8), made
/// of the digest of caller, agent, conversation, identifier and parts.
pub(super) fn task_of(caller: &str, agent: &str, message: &Message) -> TaskId {
    let parts: Vec<_> = message
        .parts
        .iter()
        .map(|part| wire::part(Dialect::V10, part))
        .collect();
    let (context_id, message_id) = (&message.context_id, &message.message_id);
    let said = json!([caller, agent, context_id, message_id, parts]);
    TaskId::new(uuid_8(canonical::hash(&said)))
}

/// Another task of the same message: the one of this count at this instant.
pub(super) fn another(id: &TaskId, now: Timestamp, count: u64) -> TaskId {
    TaskId::new(uuid_8(canonical::hash(&json!([
        id.as_str(),
        now.as_ms(),
        count
    ]))))
}

/// A UUID of version 8 (RFC 9562 §5.8) by a digest.
pub(super) fn uuid_8(digest: [u8; 32]) -> String {
    let mut bytes: [u8; 16] = digest[..16].try_into().expect("half of it");
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = canonical::hex(&bytes);
    let (a, b, c, d, e) = (
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    );
    format!("{a}-{b}-{c}-{d}-{e}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use a2a::message::{Part, Role};

    fn message(id: &str, context: Option<&str>, words: &str) -> Message {
        Message {
            context_id: context.map(str::to_owned),
            ..Message::new(id, Role::User, vec![Part::text(words)])
        }
    }

    /// A message sent again is another task where nobody remembers it.
    #[test]
    fn a_message_can_name_several() {
        let id = task_of("ann", "ip", &message("m", None, "look"));
        let at = |ms, count| another(&id, Timestamp::from_ms(ms), count);
        assert_eq!(at(1, 0), at(1, 0));
        assert!(![id.clone(), at(1, 1), at(2, 0)].contains(&at(1, 0)));
    }

    /// A8: whatever differs, the task differs; nothing else does.
    #[test]
    fn a_message_names_its_task() {
        let id = task_of("ann", "ip", &message("m", None, "look"));
        assert_eq!(id, task_of("ann", "ip", &message("m", None, "look")));
        let others = [
            task_of("ben", "ip", &message("m", None, "look")),
            task_of("ann", "oss", &message("m", None, "look")),
            task_of("ann", "ip", &message("n", None, "look")),
            task_of("ann", "ip", &message("m", Some("c"), "look")),
            task_of("ann", "ip", &message("m", None, "do")),
        ];
        assert!(!others.contains(&id));
        let text = id.as_str();
        assert_eq!((text.len(), &text[14..15]), (36, "8"));
        assert!("89ab".contains(&text[19..20]));
    }
}
