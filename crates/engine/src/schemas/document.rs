//! Documents of the store: how what schemas keep is written, and read again.
//!
//! Knows names and JSON; which kinds there are, who keeps them says. Read next: `store::Document`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{Document, ReadError, Store};

/// A document of a kind, under a name.
pub(super) fn document(kind: &'static str, name: String, body: &impl Serialize) -> Document {
    let body = serde_json::to_string(body).expect("documents are JSON with string keys");
    Document {
        kind: kind.into(),
        name,
        body: Some(body),
    }
}

/// The end of a document.
pub(super) fn removal(kind: &'static str, name: String) -> Document {
    Document {
        kind: kind.into(),
        name,
        body: None,
    }
}

/// The sole document of a kind, if it is there.
pub(super) fn one<T: DeserializeOwned>(
    store: &Store,
    kind: &'static str,
) -> Result<Option<T>, ReadError> {
    Ok(all(store, kind)?.pop().map(|(_, body)| body))
}

/// All documents of a kind, with the name of each.
pub(super) fn all<T: DeserializeOwned>(
    store: &Store,
    kind: &'static str,
) -> Result<Vec<(String, T)>, ReadError> {
    let documents = store.documents(kind)?.into_iter();
    documents
        .map(
            |document| match serde_json::from_str(&document.body.unwrap_or_default()) {
                Ok(body) => Ok((document.name, body)),
                Err(cause) => Err(unreadable(kind, &document.name, &cause)),
            },
        )
        .collect()
}

/// The error for a document that is not what its kind says.
pub(super) fn unreadable(kind: &str, name: &str, cause: &dyn std::fmt::Display) -> ReadError {
    ReadError::Corrupt {
        table: format!("schema document {kind}"),
        key: format!("{name}: {cause}"),
    }
}
