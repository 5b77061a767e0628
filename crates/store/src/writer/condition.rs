//! What a failed write says of the store, and whether that is news.
//!
//! Read next: [`super`].

use crate::failure::{FailureKind, SqlFailure};
use crate::statistics::Condition;

/// True if a failure tells an operator what none before it has told. While a disk is full, a lock is
/// held or a database is away, every write fails alike.
pub(super) fn is_news(before: Condition, after: Condition) -> bool {
    after != before || after == Condition::Stopped
}

/// The condition of the store after a write failed so.
pub(super) fn condition_after(cause: &SqlFailure) -> Condition {
    match cause.kind() {
        FailureKind::Full => Condition::Full,
        // A transaction takes the lock before it writes anything.
        FailureKind::Busy => Condition::Locked,
        FailureKind::Unreachable => Condition::Unreachable,
        FailureKind::Rule
        | FailureKind::Damaged
        | FailureKind::Misfit
        | FailureKind::Interrupted
        | FailureKind::Unknown
        | FailureKind::Fenced
        | FailureKind::Other => Condition::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_is_told_once() {
        use Condition::{Full, Locked, Stopped, Unreachable, Working};
        for (before, after, told) in [
            (Working, Locked, true),
            (Locked, Locked, false),
            (Locked, Full, true),
            (Unreachable, Unreachable, false),
            (Full, Full, false),
            (Full, Stopped, true),
            (Stopped, Stopped, true),
        ] {
            assert_eq!(is_news(before, after), told, "{before:?}, {after:?}");
        }
    }
}
