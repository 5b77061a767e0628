//! The keys that touch payment, identity or access by their name (§7).
//!
//! Changes of such keys want authentication and two approvals. The flag on the key decides where it
//! is set; the names catch what nobody flagged.

use crate::template::Key;
use ::language::word::listed;

/// Words that begin so.
const STEMS: [&str; 3] = ["pay", "card", "account"];
/// Words that begin so and mean something else.
const HARMLESS: [&str; 4] = ["payload", "payloads", "cardinal", "cardinality"];
/// Words that are so.
const WORDS: &str = " identity identities password passwords passwd token tokens role roles permission \
 permissions acl acls credential credentials ";

/// True if a name has a word of payment, identity or access control in it.
pub fn by_name(key_name: &str) -> bool {
    key_name.split('_').any(|word| {
        let stem = STEMS.iter().any(|s| word.starts_with(s)) && !HARMLESS.contains(&word);
        stem || listed(WORDS, word)
    })
}

/// True if a key is flagged as security-relevant, or would be by its name.
pub fn is_sensitive(key: &Key) -> bool {
    key.security_relevant || by_name(&key.key_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D113, Q51: the default list.
    #[test]
    fn names_of_payment_identity_and_access_are_sensitive() {
        for name in [
            "payment_method",
            "pay_by",
            "card_number",
            "loyalty_cards",
            "account",
            "accounting_code",
            "identity",
            "wifi_password",
            "access_token",
            "user_role",
            "permission",
            "acl",
        ] {
            assert!(by_name(name), "{name}");
        }
        for name in [
            "payload_mbit_s",
            "seat_preference",
            "cardinality",
            "discard",
            "controller",
        ] {
            assert!(!by_name(name), "{name}");
        }
    }
}
