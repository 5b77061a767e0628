//! Instants, as arguments.
//!
//! Knows how an instant is written (RFC 3339, the `timestamptz` of draft-wang-nmrg-magent-im-00);
//! refuses to know what time it is. Read next: [`crate::calendar`].

use crate::excerpt::excerpt;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::num::NonZeroU8;
use std::ops::{Add, Sub};
use time::format_description::well_known::iso8601::{Config, EncodedConfig, TimePrecision};
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, OffsetDateTime};

/// An instant in milliseconds since 1970-01-01T00:00:00Z.
///
/// Written as RFC 3339 in UTC with milliseconds, which is a `timestamptz` of `irtf-agent` and a
/// `date-and-time` of RFC 6991.
///
/// For serde it is the number of milliseconds, see [`rfc3339`] for the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Timestamp(i64);

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::from_ms)
    }
}

/// The latest instant that RFC 3339 can write: the end of the year 9999.
const LATEST_MS: i64 = 253_402_300_799_999;
/// RFC 3339 with milliseconds, whether they are zero or not.
const MILLISECONDS: EncodedConfig = Config::DEFAULT
    .set_time_precision(TimePrecision::Second {
        decimal_digits: NonZeroU8::new(3),
    })
    .encode();
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// The Julian day that 1970 began with.
const EPOCH: i64 = OffsetDateTime::UNIX_EPOCH.date().to_julian_day() as i64;

/// The text is not an RFC 3339 date and time with zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a date and time with zone, such as 2025-04-21T14:19:00Z", excerpt(.0))]
pub struct NotATimestamp(pub String);

impl Timestamp {
    /// The instant `ms` milliseconds after 1970 began, held within the years 1970 to 9999.
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(0, LATEST_MS))
    }

    /// Milliseconds since 1970 began.
    pub fn as_ms(self) -> i64 {
        self.0
    }

    /// This instant, `seconds` later (or earlier, when negative).
    pub fn plus_s(self, seconds: f64) -> Self {
        Self::from_ms(self.0.saturating_add((seconds * 1000.0).round() as i64))
    }

    /// Seconds from `earlier` to this instant; negative if it lies before.
    pub fn seconds_since(self, earlier: Timestamp) -> f64 {
        (self.0 - earlier.0) as f64 / 1000.0
    }

    /// The instant so many seconds after a day begins in UTC.
    pub fn of(day: Date, seconds: f64) -> Self {
        Self::from_ms((i64::from(day.to_julian_day()) - EPOCH) * DAY_MS).plus_s(seconds)
    }

    /// The day that it lies in, in UTC.
    pub fn date(self) -> Date {
        let day = i32::try_from(EPOCH + self.days()).expect("clamped to the years 1970 to 9999");
        Date::from_julian_day(day).expect("clamped to the years 1970 to 9999")
    }

    /// Whole days since 1970 began.
    pub fn days(self) -> i64 {
        self.0 / DAY_MS
    }

    /// Seconds since its day began.
    pub fn second_of_day(self) -> f64 {
        (self.0 % DAY_MS) as f64 / 1000.0
    }

    /// Hours and minutes of the day in UTC: `14:19`.
    pub fn clock(self) -> String {
        let minutes = self.0 % DAY_MS / 60_000;
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// Month and day with the clock in UTC: `04-21 14:19`.
    pub fn day_and_clock(self) -> String {
        let date = self.date();
        let month = u8::from(date.month());
        format!("{month:02}-{:02} {}", date.day(), self.clock())
    }

    /// Reads an RFC 3339 date and time with any zone.
    ///
    /// # Errors
    /// [`NotATimestamp`] for anything else, a missing zone included.
    pub fn parse(text: &str) -> Result<Self, NotATimestamp> {
        Self::parse_zoned(text).map(|(at, _)| at)
    }

    /// Reads an RFC 3339 date and time, with the minutes east of UTC that it names.
    ///
    /// # Errors
    /// [`NotATimestamp`] as of [`Self::parse`].
    pub fn parse_zoned(text: &str) -> Result<(Self, i32), NotATimestamp> {
        let at = OffsetDateTime::parse(text.trim(), &Rfc3339);
        let at = at.map_err(|_| NotATimestamp(text.to_owned()))?;
        let instant = Self::from_ms((at.unix_timestamp_nanos() / 1_000_000) as i64);
        Ok((instant, i32::from(at.offset().whole_minutes())))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000);
        let at = at.expect("clamped to the years 1970 to 9999 when made");
        let mut text = [0; "0000-00-00T00:00:00.000Z".len()];
        at.format_into(&mut &mut text[..], &Iso8601::<MILLISECONDS>)
            .expect("years of four digits fit");
        f.write_str(std::str::from_utf8(&text).expect("digits and marks are ASCII"))
    }
}

impl Add<i64> for Timestamp {
    type Output = Timestamp;
    /// The instant `ms` milliseconds later.
    fn add(self, ms: i64) -> Timestamp {
        Self::from_ms(self.0.saturating_add(ms))
    }
}

impl Sub for Timestamp {
    type Output = i64;
    /// Milliseconds between two instants.
    fn sub(self, earlier: Timestamp) -> i64 {
        self.0 - earlier.0
    }
}

/// An instant as a text, for `#[serde(with = "language::time::rfc3339")]`.
pub mod rfc3339 {
    use super::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de};

    /// Writes it in UTC with milliseconds.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(at)
    }

    /// Reads it with any zone.
    ///
    /// # Errors
    /// As of [`Timestamp::parse`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zones_are_honoured_and_missing_zones_refused() {
        let at = Timestamp::parse("2025-04-21T16:19:00.250+02:00").unwrap();
        assert_eq!(at.to_string(), "2025-04-21T14:19:00.250Z");
        assert!(Timestamp::parse("2025-04-21T16:19:00").is_err());
        for (text, east) in [("+02:00", 120), ("-03:30", -210), ("Z", 0)] {
            let zoned = Timestamp::parse_zoned(&format!("2025-04-21T16:19:00{text}"));
            assert_eq!(zoned.unwrap().1, east, "{text}");
        }
    }

    /// Whatever a file says, an instant can be written.
    #[test]
    fn an_instant_out_of_reach_is_held_within_reach() {
        type Number = serde::de::value::I64Deserializer<serde::de::value::Error>;
        for (ms, held) in [(-1, 0), (5, 5), (i64::MAX, LATEST_MS)] {
            assert_eq!(
                Timestamp::deserialize(Number::new(ms)).unwrap().as_ms(),
                held
            );
        }
    }

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

    #[test]
    fn dates_are_those_of_rfc_3339() {
        for (text, weekday) in [
            ("1970-01-01", 3),
            ("2024-02-29", 3),
            ("2025-04-21", 0),
            ("2025-12-31", 2),
            ("2100-02-28", 6),
        ] {
            let at = Timestamp::parse(&format!("{text}T19:30:00Z")).unwrap();
            let day = at.date();
            assert_eq!(day.to_string(), text);
            assert_eq!(day.weekday().number_days_from_monday(), weekday, "{text}");
            assert_eq!(Timestamp::of(day, at.second_of_day()), at);
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
