//! The clock that a lease goes by on this machine.
//!
//! It is monotonic, and runs on while the process is stopped and while the machine sleeps. Read next:
//! [`super::lease`].

use rustix::time::{ClockId, clock_gettime};

#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;

/// Elsewhere the nearest that there is.
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Milliseconds since the machine was started.
pub(crate) fn boottime_ms() -> u64 {
    let now = clock_gettime(CLOCK);
    // Neither is negative.
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds * 1_000 + nanoseconds / 1_000_000
}

/// Is told of each time at which the state was still ours.
pub(crate) trait Renewal: Send + Sync {
    /// The state was ours for its whole time after this instant, in milliseconds of [`boottime_ms`].
    fn renewed(&self, asked_ms: u64);
}
