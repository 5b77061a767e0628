//! How long a group is written again and again that finds no database.
//!
//! Read next: [`super`].

use crate::failure::{FailureKind, SqlFailure};
use std::thread;
use std::time::{Duration, Instant};

/// How long a group is written again whose predecessor found the database, after its first try. A
/// lock of a file is waited for as long.
const TRIED: Duration = Duration::from_secs(5);

/// The pauses between two tries: the first, from which they double, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// How often a database that is away is looked for while nothing is to be written.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The patience with one group.
pub(super) struct Patience {
    /// None for a group that is tried once.
    until: Option<Instant>,
    pause: Duration,
}

impl Patience {
    /// None if the database is known to be away: what is queued behind would wait for each.
    pub(super) fn of(is_away: bool) -> Self {
        Self {
            until: (!is_away).then(|| Instant::now() + TRIED),
            pause: PAUSES.0,
        }
    }

    /// Waits a while, if the group is to be written once more.
    ///
    /// Once more in any case, for the first time: to have found out what became of a commit that was not
    /// answered may have taken long, and the database is back.
    pub(super) fn lasts(&mut self, cause: &SqlFailure) -> bool {
        let Some(until) = self.until else {
            return false;
        };
        let is_first = self.pause == PAUSES.0;
        let lasts =
            cause.kind() == FailureKind::Unreachable && (is_first || Instant::now() < until);
        if lasts {
            thread::sleep(self.pause);
            self.pause = (self.pause * 2).min(PAUSES.1);
        }
        lasts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(kind: FailureKind) -> SqlFailure {
        SqlFailure::of(kind, "for a test")
    }

    #[test]
    fn a_group_is_written_again_only_if_nothing_was_stored_and_the_one_before_was() {
        let unreachable = failed(FailureKind::Unreachable);
        assert!(Patience::of(false).lasts(&unreachable));
        assert!(!Patience::of(true).lasts(&unreachable));
        let others = [FailureKind::Unknown, FailureKind::Fenced, FailureKind::Busy];
        for kind in others {
            assert!(!Patience::of(false).lasts(&failed(kind)), "{kind:?}");
        }
    }

    #[test]
    fn a_group_is_not_written_again_for_ever() {
        let mut patience = Patience {
            until: Some(Instant::now()),
            pause: PAUSES.0,
        };
        assert!(patience.lasts(&failed(FailureKind::Unreachable)));
        assert!(!patience.lasts(&failed(FailureKind::Unreachable)));
    }
}
