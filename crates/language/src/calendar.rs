//! Days as people name them: dates, weekdays and hours, all in UTC.
//!
//! Complaints say "yesterday around 7 pm": whoever writes and whoever reads such words counts days
//! alike. Refuses to know zones and what day it is. Read next: [`crate::time`].

use crate::time::Timestamp;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// The day that `at` lies in.
    pub fn of(at: Timestamp) -> Self {
        Self(at.as_ms().div_euclid(DAY_MS))
    }

    /// The day of a date of the Gregorian calendar, from 1970 on; none if there is no such day.
    pub fn of_date(year: i64, month: u32, day: u32) -> Option<Self> {
        let fits = (1970..=9999).contains(&year) && (1..=12).contains(&month);
        let found = Self(days_of(year, i64::from(month), i64::from(day)));
        (fits && found.date() == (year, month, day)).then_some(found)
    }

    /// When it begins.
    pub fn begins(self) -> Timestamp {
        Timestamp::from_ms(self.0 * DAY_MS)
    }

    /// The instant so many seconds after it begins.
    pub fn at_s(self, seconds: f64) -> Timestamp {
        self.begins().plus_s(seconds)
    }

    /// The day so many days later, or earlier where negative.
    pub fn plus(self, days: i64) -> Self {
        Self(self.0 + days)
    }

    /// The day of the week: 0 is Monday, 6 is Sunday.
    pub fn weekday(self) -> usize {
        // 1970 began on a Thursday.
        (self.0 + 3).rem_euclid(7) as usize
    }

    /// Year, month (1 to 12) and day (1 to 31).
    pub fn date(self) -> (i64, u32, u32) {
        // Years that begin in March have their leap day at the end; an era has 400 of them.
        let shifted = self.0 + 719_468;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let months = (5 * of_year + 2) / 153;
        let day = of_year - (153 * months + 2) / 5 + 1;
        let month = if months < 10 { months + 3 } else { months - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month as u32, day as u32)
    }
}

fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let months = (month + 9) % 12;
    let of_year = (153 * months + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds since the day began.
pub fn second_of_day(at: Timestamp) -> f64 {
    at.as_ms().rem_euclid(DAY_MS) as f64 / 1_000.0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
            let day = Day::of(at);
            let (year, month, date) = day.date();
            assert_eq!(format!("{year:04}-{month:02}-{date:02}"), text);
            assert_eq!(Day::of_date(year, month, date), Some(day));
            assert_eq!(day.weekday(), weekday, "{text}");
            assert_eq!(day.at_s(second_of_day(at)), at);
        }
    }

    #[test]
    fn a_day_that_never_was_is_none() {
        assert_eq!(Day::of_date(2025, 2, 29), None);
        assert_eq!(Day::of_date(2025, 13, 1), None);
        assert_eq!(Day::of_date(2025, 4, 0), None);
    }
}
