//! Values of the domain as the JSON text of one column, in the forms that serde derives for them.
//!
//! Not the text of messages: a later release may read a message differently, and state must be read
//! back exactly. `tests::forms` holds the bytes. Read next: [`super::task`].

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The value as JSON.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    // Growing a string step by step costs more than the letters.
    let mut text = Vec::with_capacity(1_024);
    serde_json::to_writer(&mut text, value)
        .expect("a stored value has text keys and finite numbers only");
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// The value; none if the JSON does not have its form.
pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok()
}
