//! The account of the bytes of responses that are not taken: of a user, or of an unauthenticated
//! connection.
//!
//! Knows no responses; those are counted by `delivery`.

use super::share::Share;
use engine::accounts::Held;

/// The account of bytes that are not taken.
#[derive(Debug)]
pub(super) enum Untaken {
    /// A user.
    OfUser(Held),
    /// An unauthenticated connection.
    OfConnection(Share),
}

impl Untaken {
    /// The user of the account, if it has one.
    pub(super) fn user(&self) -> Option<&str> {
        match self {
            Self::OfUser(held) => Some(held.user()),
            Self::OfConnection(_) => None,
        }
    }

    /// True if there is no room for another response: an unauthenticated connection has
    /// `of_connection` bytes.
    pub(super) fn is_full(&self, of_connection: usize) -> bool {
        match self {
            Self::OfUser(held) => held.is_full(),
            Self::OfConnection(share) => share.of_all() >= of_connection,
        }
    }

    /// Sets the number of bytes that are not taken.
    pub(super) fn note(&mut self, bytes: usize) {
        match self {
            Self::OfUser(held) => held.note(bytes),
            Self::OfConnection(share) => share.note(bytes),
        }
    }
}
