//! A time as words tell it, in any language: a while ago, a day, a time of day.
//!
//! Refuses to know which instants it means: that is [`super::when`]. Read next: `english_time`,
//! `chinese_time`.

/// The time of day, as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clock {
    /// To the minute.
    Exact(u32, u32),
    /// The hour, or half past: minutes of the day.
    About(u32),
    /// From an hour to another, of the same day; beyond 24 it is the next.
    Part(u32, u32),
}

/// The day, as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StatedTime {
    /// So many days before the day of writing.
    DaysAgo(i64),
    /// A day of the week, the last one; 0 is Monday.
    Weekday(u8),
    /// Month and day.
    Date(u32, u32),
}

/// The times that a text tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Time {
    /// So many minutes before writing, and how many more or less.
    pub(super) ago: Option<(f64, f64)>,
    pub(super) day: Option<StatedTime>,
    pub(super) clock: Option<Clock>,
}
