//! An instant in everyday terms, for letters in any language.
//!
//! Knows calendar and clock; the words are each language's own: `english`, `chinese`. Read next:
//! `composition`.

use domain::calendar::{Month, Weekday};
use domain::time::Timestamp;

/// An instant in everyday terms, relative to the time of writing.
pub(super) struct Moment {
    /// Calendar days before the time of writing.
    pub(super) days: i64,
    /// The hour, 0 to 23, and the minute.
    pub(super) hour: u32,
    pub(super) minute: u32,
    /// The weekday; month and day of the month.
    pub(super) weekday: Weekday,
    pub(super) month: Month,
    pub(super) date: u8,
    /// Hours before the time of writing.
    pub(super) ago_h: f64,
}

impl Moment {
    pub(super) fn of(at: Timestamp, written: Timestamp) -> Self {
        let minutes = (at.second_of_day() / 60.0) as u32;
        let date = at.date();
        Self {
            days: written.days() - at.days(),
            hour: minutes / 60,
            minute: minutes % 60,
            weekday: date.weekday(),
            month: date.month(),
            date: date.day(),
            ago_h: written.seconds_since(at) / 3_600.0,
        }
    }

    /// The nearest full hour, if it is on the same day.
    pub(super) fn round_hour(&self) -> u32 {
        (self.hour + u32::from(self.minute >= 30)).min(23)
    }
}
