//! The time at which it happened: a span of time, as wide as the words are vague.
//!
//! "at 19:05" is meant to a quarter of an hour, "around 7 pm" to most of one, "yesterday morning" is
//! a morning. Read next: `english_time.rs`, `chinese_time.rs`.

use super::stated_time::{Clock, StatedTime, Time};
use super::{chinese_time, english_time, is_chinese};
use domain::calendar::{self, Date, Duration};
use domain::time::Timestamp;
use language::time::rfc3339;
use schema::steps::ReadingBudget;
use serde::{Deserialize, Serialize};

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSpan {
    /// From when.
    #[serde(with = "rfc3339")]
    pub from: Timestamp,
    /// Until when.
    #[serde(with = "rfc3339")]
    pub until: Timestamp,
}

impl TimeSpan {
    /// The middle of it.
    pub fn middle(self) -> Timestamp {
        Timestamp::from_ms((self.from.as_ms() + self.until.as_ms()) / 2)
    }

    /// Its length, in seconds.
    pub fn seconds(self) -> f64 {
        self.until.seconds_since(self.from)
    }

    fn around(middle: Timestamp, minutes: f64) -> Self {
        Self {
            from: middle.plus_s(-minutes * 60.0),
            until: middle.plus_s(minutes * 60.0),
        }
    }
}

/// The instant at which a text, written at an instant, says that it happened; never after that.
pub(super) fn read(text: &str, written: Timestamp, work: &ReadingBudget<'_>) -> Option<TimeSpan> {
    let time = match is_chinese(text) {
        true => chinese_time::read(text, work),
        false => english_time::read(text, work),
    };
    let span = span(time, written)?;
    let until = span.until.min(written);
    Some(TimeSpan {
        from: span.from.min(until),
        until,
    })
}

fn span(time: Time, written: Timestamp) -> Option<TimeSpan> {
    if let Some((minutes, more_or_less)) = time.ago {
        return Some(TimeSpan::around(
            written.plus_s(-minutes * 60.0),
            more_or_less,
        ));
    }
    let day = match (time.day, time.clock) {
        (None, None) => return None,
        (Some(said), _) => day_of(said, written)?,
        (None, Some(clock)) => latest_day_with(clock, written),
    };
    let hours = |from: u32, until: u32| TimeSpan {
        from: Timestamp::of(day, f64::from(from) * 3_600.0),
        until: Timestamp::of(day, f64::from(until) * 3_600.0),
    };
    let minute = |minutes: u32| Timestamp::of(day, f64::from(minutes) * 60.0);
    Some(match time.clock {
        None => hours(0, 24),
        Some(Clock::Part(from, until)) => hours(from, until),
        Some(Clock::Exact(hour, minutes)) => TimeSpan::around(minute(hour * 60 + minutes), 15.0),
        Some(Clock::About(minutes)) => TimeSpan::around(minute(minutes), 45.0),
    })
}

fn day_of(said: StatedTime, written: Timestamp) -> Option<Date> {
    let today = written.date();
    match said {
        StatedTime::DaysAgo(days) => Some(today.saturating_sub(Duration::days(days))),
        StatedTime::Weekday(weekday) => {
            let back = (today.weekday().number_days_from_monday() + 7 - weekday) % 7;
            Some(today.saturating_sub(Duration::days(back.into())))
        }
        StatedTime::Date(month, date) => {
            let year = i64::from(today.year());
            let fits = [year, year - 1].into_iter();
            let mut days = fits.filter_map(|year| calendar::date(year, month.into(), date.into()));
            days.find(|day| *day <= today)
        }
    }
}

/// Without a day, the time of day was today, or yesterday if that is still to come.
fn latest_day_with(clock: Clock, written: Timestamp) -> Date {
    let minute = match clock {
        Clock::Exact(hour, minute) => hour * 60 + minute,
        Clock::About(minutes) => minutes,
        Clock::Part(from, _) => from * 60,
    };
    let past = f64::from(minute) * 60.0 <= written.second_of_day() + 1_200.0;
    let today = written.date();
    match past {
        true => today,
        false => today.previous_day().unwrap_or(today),
    }
}
