//! The section `[limits]`: limits of subscribers, of each user and of the process.
//!
//! Read next: `engine::accounts`, which counts the usage of each user, and [`crate::memory`].

use super::error::SettingsError;
use crate::session::Timeouts;
use crate::ssh::SshLimits;
use bindings::netconf::Backlog;
use engine::{Quotas, UserLimits};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The section `[limits]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitSettings {
    /// `subscription-events-max`: the most events that wait for a subscriber whose transport is
    /// stalled; 1,024 by default.
    pub subscription_events_max: Option<u64>,
    /// `subscription-bytes-max`: the same in bytes; 1 MiB by default.
    pub subscription_bytes_max: Option<u64>,
    /// `subscription-stall-s`: the longest time that its transport may be stalled once more than
    /// that waits, 1 to 3,600 s; 30 s by default.
    pub subscription_stall_s: Option<u64>,
    /// `keepalive-s`: the time of silence after which a keep-alive is sent to a peer, 1 to 3,600 s;
    /// after four times this without an answer it is disconnected. 15 s by default.
    pub keepalive_s: Option<u64>,
    /// `memory-mib`: the memory that the process may use, 64 to 16,777,216 MiB; the limit of its
    /// control group or address space if that is lower, or by default. At four fifths of it new
    /// work is refused.
    pub memory_mib: Option<u64>,
    /// `shards`: how many trees of tasks can be decided on beside each other, 1 to 64; 64 by default. What comes of
    /// it is the same.
    pub shards: Option<u64>,
    /// `[limits.user]`: the limits of each user.
    #[serde(default)]
    pub user: UserSettings,
    /// `[limits.users.NAME]`: other limits for one user.
    #[serde(default)]
    pub users: BTreeMap<String, UserSettings>,
}

/// The fraction of the process's memory, as a divisor, that the sessions of one user hold at most by
/// default.
const HELD_PART: u64 = 8;
/// The fraction of it, as a divisor, that a burst of writes takes at most by default.
const BURST_PART: u64 = 4;
/// The bytes of it allotted to each session, and to each connection, by default.
const SESSION_BYTES: u64 = 512 << 10;
/// The least that a session can work with: the largest message, and its overhead.
const HELD_LEAST: usize = 10 << 20;

/// The limits of a user, as far as they are given.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UserSettings {
    /// `sessions`: concurrent SSH sessions, 1 to 12,000; by default 1,000, or one for each 512 KiB
    /// of that memory.
    pub sessions: Option<u64>,
    /// `connections`: concurrent HTTP connections, 1 to 10,000; by default 1,000, or one for each
    /// 512 KiB of that memory.
    pub connections: Option<u64>,
    /// `held-mib`: the input not yet handled and the output not yet taken of all sessions and
    /// connections together, 10 to 65,536 MiB; by default 256, or an eighth of the memory that the
    /// process may use if that is less.
    pub held_mib: Option<u64>,
    /// `requests`: concurrent requests, 1 to 1,000,000; 4,096 by default.
    pub requests: Option<u64>,
    /// `tasks-open`: published tasks that have not ended, 1 to 10,000,000; 10,000 by default.
    pub tasks_open: Option<u64>,
    /// `data-mib`: data stored by `data-write`, 1 to 16,777,216 MiB; 4,096 by default. Each entry
    /// counts as 512 bytes more.
    pub data_mib: Option<u64>,
    /// `write-mib-s`: the sustained rate of writes, of data and of task contents, 1 to 65,536 MiB a
    /// second; 8 by default.
    pub write_mib_s: Option<u64>,
    /// `write-burst-mib`: the burst of writes before that rate applies, 1 to 16,777,216 MiB; by
    /// default 1,024, or a quarter of that memory.
    pub write_burst_mib: Option<u64>,
}

type Bound = (&'static str, Option<u64>, RangeInclusive<u64>, &'static str);

impl LimitSettings {
    pub(super) fn over(self, below: Self) -> Self {
        let mut users = below.users;
        for (name, own) in self.users {
            let under = users.remove(&name).unwrap_or_default();
            users.insert(name, own.over(under));
        }
        Self {
            subscription_events_max: self
                .subscription_events_max
                .or(below.subscription_events_max),
            subscription_bytes_max: self.subscription_bytes_max.or(below.subscription_bytes_max),
            subscription_stall_s: self.subscription_stall_s.or(below.subscription_stall_s),
            keepalive_s: self.keepalive_s.or(below.keepalive_s),
            memory_mib: self.memory_mib.or(below.memory_mib),
            shards: self.shards.or(below.shards),
            user: self.user.over(below.user),
            users,
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let seconds = || 1..=3_600;
        check([
            (
                "subscription-stall-s",
                self.subscription_stall_s,
                seconds(),
                "1 to 3600",
            ),
            ("keepalive-s", self.keepalive_s, seconds(), "1 to 3600"),
            (
                "memory-mib",
                self.memory_mib,
                64..=1 << 24,
                "64 to 16777216",
            ),
            ("shards", self.shards, 1..=64, "1 to 64"),
        ])?;
        self.user.check()?;
        self.users.values().try_for_each(UserSettings::check)
    }

    /// The limits of users for a process that may use `memory` bytes; none if memory is unlimited.
    pub fn users(&self, memory: Option<u64>) -> Quotas {
        let usual = self.user.limits(usual(memory));
        let named = self.users.iter();
        Quotas {
            named: named
                .map(|(n, own)| (n.clone(), own.limits(usual)))
                .collect(),
            usual,
        }
    }

    /// The time limits of subscribers.
    pub fn patience(&self) -> Timeouts {
        let usual = Timeouts::default();
        let Backlog { events, bytes } = usual.backlog;
        Timeouts {
            backlog: Backlog {
                events: self.subscription_events_max.unwrap_or(events),
                bytes: self.subscription_bytes_max.unwrap_or(bytes),
            },
            stall: self
                .subscription_stall_s
                .map_or(usual.stall, Duration::from_secs),
        }
    }

    /// The limits of the SSH listeners.
    pub fn limiter(&self) -> SshLimits {
        let usual = SshLimits::default();
        SshLimits {
            keepalive: self
                .keepalive_s
                .map_or(usual.keepalive, Duration::from_secs),
            ..usual
        }
    }
}

impl UserSettings {
    fn over(self, below: Self) -> Self {
        Self {
            sessions: self.sessions.or(below.sessions),
            connections: self.connections.or(below.connections),
            held_mib: self.held_mib.or(below.held_mib),
            requests: self.requests.or(below.requests),
            tasks_open: self.tasks_open.or(below.tasks_open),
            data_mib: self.data_mib.or(below.data_mib),
            write_mib_s: self.write_mib_s.or(below.write_mib_s),
            write_burst_mib: self.write_burst_mib.or(below.write_burst_mib),
        }
    }

    fn check(&self) -> Result<(), SettingsError> {
        let mib = || 1..=1 << 24;
        check([
            ("sessions", self.sessions, 1..=12_000, "1 to 12000"),
            ("connections", self.connections, 1..=10_000, "1 to 10000"),
            ("held-mib", self.held_mib, 10..=65_536, "10 to 65536"),
            ("requests", self.requests, 1..=1_000_000, "1 to 1000000"),
            (
                "tasks-open",
                self.tasks_open,
                1..=10_000_000,
                "1 to 10000000",
            ),
            ("data-mib", self.data_mib, mib(), "1 to 16777216"),
            ("write-mib-s", self.write_mib_s, 1..=65_536, "1 to 65536"),
            (
                "write-burst-mib",
                self.write_burst_mib,
                mib(),
                "1 to 16777216",
            ),
        ])
    }

    /// These limits, with missing ones taken from `usual`.
    fn limits(&self, usual: UserLimits) -> UserLimits {
        let count = |number: Option<u64>, usual| number.map_or(usual, |n| n as usize);
        let bytes = |mib: Option<u64>, usual| mib.map_or(usual, |mib| mib << 20);
        UserLimits {
            sessions: count(self.sessions, usual.sessions),
            connections: count(self.connections, usual.connections),
            held_bytes: bytes(self.held_mib, usual.held_bytes as u64) as usize,
            requests: count(self.requests, usual.requests),
            tasks_open: count(self.tasks_open, usual.tasks_open),
            data_bytes: bytes(self.data_mib, usual.data_bytes),
            write_bytes_s: bytes(self.write_mib_s, usual.write_bytes_s),
            write_burst_bytes: bytes(self.write_burst_mib, usual.write_burst_bytes),
        }
    }
}

/// The default limits of a user.
fn usual(memory: Option<u64>) -> UserLimits {
    let usual = UserLimits::default();
    let Some(memory) = memory else {
        return usual;
    };
    let held = usize::try_from(memory / HELD_PART).unwrap_or(usize::MAX);
    let sessions = usize::try_from(memory / SESSION_BYTES).unwrap_or(usize::MAX);
    UserLimits {
        held_bytes: usual.held_bytes.min(held.max(HELD_LEAST)),
        sessions: usual.sessions.min(sessions.max(1)),
        connections: usual.connections.min(sessions.max(1)),
        write_burst_bytes: usual.write_burst_bytes.min(memory / BURST_PART),
        ..usual
    }
}

fn check<const N: usize>(bounds: [Bound; N]) -> Result<(), SettingsError> {
    for (name, value, within, range) in bounds {
        if let Some(value) = value.filter(|value| !within.contains(value)) {
            return Err(SettingsError::Range {
                name,
                value: value.to_string(),
                range,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_user_may_have_more_than_the_others() {
        let text = "[user]\ntasks-open = 5\nheld-mib = 10\n[users.oss]\ntasks-open = 1000000\n";
        let settings: LimitSettings = toml::from_str(text).unwrap();
        settings.check().unwrap();
        let quotas = settings.users(None);
        let guest = *quotas.of("guest");
        assert_eq!((guest.tasks_open, guest.held_bytes), (5, 10 << 20));
        assert_eq!(guest.sessions, 1_000, "what is not said is usual");
        let oss = UserLimits {
            tasks_open: 1_000_000,
            ..guest
        };
        assert_eq!(quotas.of("oss"), &oss);
        let flags = "[user]\nheld-mib = 20\n[users.oss]\nsessions = 1\nconnections = 2\n";
        let flags: LimitSettings = toml::from_str(flags).unwrap();
        let quotas = flags.over(settings).users(None);
        assert_eq!(quotas.of("guest").held_bytes, 20 << 20);
        let oss = quotas.of("oss");
        assert_eq!((oss.sessions, oss.tasks_open), (1, 1_000_000));
        assert_eq!(oss.connections, 2);
        for wrong in [
            "[user]\nsessions = 0\n",
            "[user]\nconnections = 10001\n",
            "[users.oss]\nheld-mib = 9\n",
        ] {
            let wrong: LimitSettings = toml::from_str(wrong).unwrap();
            assert!(matches!(wrong.check(), Err(SettingsError::Range { .. })));
        }
    }

    /// On a small platform a user gets a part of the memory, unless the settings say otherwise.
    #[test]
    fn what_a_user_may_have_is_a_part_of_what_there_is() {
        let quotas = LimitSettings::default().users(Some(256 << 20));
        let guest = quotas.of("guest");
        assert_eq!(guest.held_bytes, 32 << 20);
        assert_eq!(guest.write_burst_bytes, 64 << 20);
        assert_eq!((guest.sessions, guest.connections), (512, 512));
        let small = LimitSettings::default().users(Some(64 << 20));
        assert_eq!(small.of("guest").held_bytes, 10 << 20, "a message has room");
        let large = LimitSettings::default().users(Some(8 << 30));
        assert_eq!(*large.of("guest"), UserLimits::default());
        let text = "[user]\nheld-mib = 100\n[users.oss]\nsessions = 2000\n";
        let said: LimitSettings = toml::from_str(text).unwrap();
        let quotas = said.users(Some(256 << 20));
        assert_eq!(quotas.of("guest").held_bytes, 100 << 20);
        let oss = quotas.of("oss");
        assert_eq!((oss.sessions, oss.held_bytes), (2_000, 100 << 20));
        assert_eq!(oss.write_burst_bytes, 64 << 20);
    }
}
