//! The sections `[tasks]` and `[retention]`: time limits of tasks, and their retention.
//!
//! Read next: `engine::Limits`, `engine::Retention`.

use super::error::SettingsError;
use super::range::within;
use engine::{Limits, Retention};
use serde::Deserialize;

/// The default time limit of a synchronous task, in seconds of the platform's time; agents measure
/// for some minutes.
const SYNCHRONOUS_S: u64 = 15 * 60;

const DAY_MS: i64 = 86_400_000;

/// The section `[tasks]`, as far as it is given.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaskSettings {
    /// `synchronous-s`: the longest time that the caller of a synchronous task or a question waits,
    /// 1 to 86,400 s; 900 s by default.
    pub synchronous_s: Option<u64>,
    /// `answer-ms`: the longest time that the caller of an asynchronous task waits for the first
    /// answer of a hosted agent before the reply is `pending`, 1 to 60,000 ms; 2,000 ms by default.
    pub answer_ms: Option<u64>,
    /// `answer-within-s`: the longest time that a result, a decision or an offer waits for the
    /// other side, unless its publisher sets one, 1 to 31,536,000 s; a day by default.
    pub answer_within_s: Option<u64>,
    /// `answer-grace-s`: the least time that is left for such an answer after a start of the
    /// platform, 1 to 86,400 s; 60 s by default.
    pub answer_grace_s: Option<u64>,
    /// `round-limit`: the most rounds of a negotiation, unless its publisher sets them, 1 to 100;
    /// 10 by default.
    pub round_limit: Option<u64>,
}

impl TaskSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            synchronous_s: self.synchronous_s.or(below.synchronous_s),
            answer_ms: self.answer_ms.or(below.answer_ms),
            answer_within_s: self.answer_within_s.or(below.answer_within_s),
            answer_grace_s: self.answer_grace_s.or(below.answer_grace_s),
            round_limit: self.round_limit.or(below.round_limit),
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        within("synchronous-s", self.synchronous_s, 86_400, "1 to 86400")?;
        within("answer-ms", self.answer_ms, 60_000, "1 to 60000")?;
        let year = 31_536_000;
        within(
            "answer-within-s",
            self.answer_within_s,
            year,
            "1 to 31536000",
        )?;
        within("answer-grace-s", self.answer_grace_s, 86_400, "1 to 86400")?;
        within("round-limit", self.round_limit, 100, "1 to 100")
    }

    /// The limits of the engine.
    pub fn limits(&self) -> Limits {
        let usual = Limits::default();
        let ms = |seconds: u64| seconds as i64 * 1_000;
        Limits {
            synchronous_ms: ms(self.synchronous_s.unwrap_or(SYNCHRONOUS_S)),
            answer_ms: self.answer_ms.map_or(usual.answer_ms, |ms| ms as i64),
            answer_within_ms: self.answer_within_s.map_or(usual.answer_within_ms, ms),
            answer_grace_ms: self.answer_grace_s.map_or(usual.answer_grace_ms, ms),
            rounds: self.round_limit.map_or(usual.rounds, |r| r as u32),
            ..usual
        }
    }
}

/// The section `[retention]`, as far as it is given. Open tasks are always kept.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RetentionSettings {
    /// `max-age-days`: the age in days since their last change at which ended tasks and their
    /// records are removed, 1 to 36,500; never by default.
    pub max_age_days: Option<u64>,
    /// `max-size-mib`: the size of the store above which the oldest of them are removed, 16 to
    /// 16,777,216 MiB; unlimited by default.
    pub max_size_mib: Option<u64>,
}

impl RetentionSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            max_age_days: self.max_age_days.or(below.max_age_days),
            max_size_mib: self.max_size_mib.or(below.max_size_mib),
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        within("max-age-days", self.max_age_days, 36_500, "1 to 36500")?;
        match self.max_size_mib {
            Some(size) if !(16..=1 << 24).contains(&size) => Err(SettingsError::Range {
                name: "max-size-mib",
                value: size.to_string(),
                range: "16 to 16777216",
            }),
            _ => Ok(()),
        }
    }

    /// The retention policy of the engine.
    pub fn retention(&self) -> Retention {
        Retention {
            max_age_ms: self.max_age_days.map(|days| days as i64 * DAY_MS),
            max_bytes: self.max_size_mib.map(|size| size << 20),
            ..Retention::default()
        }
    }
}
