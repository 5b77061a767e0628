//! Instants in a record: RFC 3339.
//!
//! The same instant as `schema::Timestamp`, in milliseconds, without a dependency for it. Refuses
//! to know the current time. Read next: [`crate::record`].

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// An instant in milliseconds since 1970-01-01T00:00:00Z, within the years 1970 to 9999.
///
/// Written as RFC 3339 in UTC with milliseconds; read with any zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The latest instant that RFC 3339 can write: the end of the year 9999.
const LATEST_MS: i64 = 253_402_300_799_999;
const DAY_MS: i64 = 86_400_000;

/// The text is not an RFC 3339 date and time with zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotATimestamp(pub String);

impl fmt::Display for NotATimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        write!(
            f,
            "'{text}' is not a date and time with zone, such as 2025-04-21T14:19:00Z"
        )
    }
}

impl std::error::Error for NotATimestamp {}

impl Timestamp {
    /// The instant `ms` milliseconds after 1970 began, held within the years 1970 to 9999.
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(0, LATEST_MS))
    }

    /// Milliseconds since 1970 began.
    pub fn as_ms(self) -> i64 {
        self.0
    }

    /// This instant plus `seconds`, which may be negative.
    pub fn plus_s(self, seconds: f64) -> Self {
        Self::from_ms(self.0.saturating_add((seconds * 1000.0).round() as i64))
    }

    /// Seconds from `earlier` to this instant; negative if it lies before.
    pub fn seconds_since(self, earlier: Self) -> f64 {
        (self.0 - earlier.0) as f64 / 1000.0
    }

    /// Hours and minutes of the day in UTC: `14:19`.
    pub fn clock(self) -> String {
        let minutes = self.0 % DAY_MS / 60_000;
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// Month and day with the clock in UTC: `04-21 14:19`.
    pub fn day_and_clock(self) -> String {
        let (_, month, day) = date(self.0 / DAY_MS);
        format!("{month:02}-{day:02} {}", self.clock())
    }

    /// Reads an RFC 3339 date and time with any zone; a fraction is cut to milliseconds.
    ///
    /// # Errors
    /// [`NotATimestamp`] for anything else, a missing zone and a day that does not exist included.
    pub fn parse(text: &str) -> Result<Self, NotATimestamp> {
        read(text.trim().as_bytes()).ok_or_else(|| NotATimestamp(text.to_owned()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0 / DAY_MS);
        let seconds = self.0 % DAY_MS / 1_000;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{}:{:02}.{:03}Z",
            self.clock(),
            seconds % 60,
            self.0 % 1_000
        )
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// Year, month and day of a day counted from 1970. Years begin in March here, so that the leap day
/// is the last of its year; all eras of 400 years have the same length.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = (march_month + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// The number of a day, counted from 1970; the inverse of [`date`].
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

/// Parses `2025-04-21T14:19:00`, a fraction if there is one, and a zone.
fn read(text: &[u8]) -> Option<Timestamp> {
    let marks = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let marked = marks.iter().all(|(at, mark)| text.get(*at) == Some(mark));
    let parted = matches!(text.get(10), Some(b'T' | b't' | b' '));
    let [year, month, day] = [
        number(text, 0, 4)?,
        number(text, 5, 2)?,
        number(text, 8, 2)?,
    ];
    let [hour, minute, second] = [11, 14, 17].map(|at| number(text, at, 2));
    let (hour, minute, second) = (hour?, minute?, second?);
    let exists =
        (1..=12).contains(&month) && date(day_number(year, month, day)) == (year, month, day);
    // RFC 3339 §5.7: a second 60 is a leap second, which we count as the one after.
    if !(marked && parted && exists && hour < 24 && minute < 60 && second < 61) {
        return None;
    }
    let (fraction_ms, zone) = fraction(text.get(19..)?)?;
    let of_day = (hour * 3_600 + minute * 60 + second) * 1_000 + fraction_ms;
    let east = minutes_east(zone)? * 60_000;
    Some(Timestamp::from_ms(
        day_number(year, month, day) * DAY_MS + of_day - east,
    ))
}

fn number(text: &[u8], at: usize, digits: usize) -> Option<i64> {
    let part = text.get(at..at + digits)?;
    part.iter().try_fold(0, |sum, digit| {
        digit
            .is_ascii_digit()
            .then(|| sum * 10 + i64::from(digit - b'0'))
    })
}

/// Parses the fraction into milliseconds; returns the rest.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(rest) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    let ms = (0..3).fold(0, |sum, place| {
        let digit = rest[..digits].get(place).map_or(0, |c| i64::from(c - b'0'));
        sum * 10 + digit
    });
    (digits > 0).then(|| (ms, &rest[digits..]))
}

fn minutes_east(zone: &[u8]) -> Option<i64> {
    if matches!(zone, b"Z" | b"z") {
        return Some(0);
    }
    let sign = match zone.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = (number(zone, 1, 2)?, number(zone, 4, 2)?);
    let right = zone.len() == 6 && zone[3] == b':' && hours < 24 && minutes < 60;
    right.then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instants_that_are_known() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2025-04-21T16:19:00.250+02:00", 1_745_245_140_250),
            ("2025-04-21T14:19:00.2509-00:00", 1_745_245_140_250),
            ("2025-04-21T10:49:00.25-03:30", 1_745_245_140_250),
            ("9999-12-31T23:59:59.999Z", LATEST_MS),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().as_ms(), ms, "{text}");
        }
        let at = Timestamp::from_ms(1_745_245_140_250);
        assert_eq!(at.to_string(), "2025-04-21T14:19:00.250Z");
        assert_eq!(at.day_and_clock(), "04-21 14:19");
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "",
            "2025-04-21",
            "2025-04-21T14:19:00",
            "2025-02-29T14:19:00Z",
            "2025-13-01T14:19:00Z",
            "2025-00-01T14:19:00Z",
            "2025-04-21T24:00:00Z",
            "2025-04-21T14:19:00.Z",
            "2025-04-21T14:19:00+0200",
            "2025-04-21T14:19:00Zz",
            "2025-04-21T14:1é:00Z",
        ] {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn parsing_undoes_writing(ms in 0..=LATEST_MS) {
            let at = Timestamp::from_ms(ms);
            prop_assert_eq!(Timestamp::parse(&at.to_string()).unwrap(), at);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
