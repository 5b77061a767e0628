//! The names of days, months and weekdays, in English and Chinese.
//!
//! The calendar itself is the crate `time`'s, whose types stand here for those who name no other
//! crate; it writes the names in English, and here they are read. Refuses to know what day it is.
//! Read next: [`crate::time`].

pub use time::{Date, Duration, Month, Weekday};

/// The months in English, in lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The weekdays in English, in lower case; the week begins on Monday.
pub const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The month that a word in lower case is, 1 to 12: `march`, `mar`.
pub fn month(word: &str) -> Option<u8> {
    let at = called(&MONTHS, word).or((word == "sept").then_some(8));
    at.map(|at| at as u8 + 1)
}

/// The weekday that a word in lower case is, Monday 0 to Sunday 6: `monday`, `mondays`, `mon`.
pub fn weekday(word: &str) -> Option<u8> {
    let at = called(&WEEKDAYS, word).or(match word {
        "tues" => Some(1),
        "thur" | "thurs" => Some(3),
        _ => word.strip_suffix('s').and_then(|one| whole(&WEEKDAYS, one)),
    });
    at.map(|at| at as u8)
}

/// The weekday that a character behind 周 or 星期 is, Monday 0 to Sunday 6: 一, 日, 天.
pub fn chinese_weekday(character: char) -> Option<u8> {
    match character {
        '日' | '天' => Some(6),
        other => "一二三四五六"
            .chars()
            .position(|day| day == other)
            .map(|at| at as u8),
    }
}

/// The date, if there is such a day.
pub fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

fn whole(names: &[&str], word: &str) -> Option<usize> {
    names.iter().position(|name| *name == word)
}

/// The name among some that a word is, whole or by its first three letters.
fn called(names: &[&str], word: &str) -> Option<usize> {
    whole(names, word).or_else(|| names.iter().position(|name| name[..3] == *word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_whole_and_short() {
        assert_eq!(
            (month("sept"), month("may"), month("ma")),
            (Some(9), Some(5), None)
        );
        assert_eq!(
            (
                weekday("mondays"),
                weekday("thurs"),
                weekday("sun"),
                weekday("suns")
            ),
            (Some(0), Some(3), Some(6), None)
        );
        assert_eq!(
            (chinese_weekday('六'), chinese_weekday('天')),
            (Some(5), Some(6))
        );
    }

    #[test]
    fn a_day_that_never_was_is_none() {
        for (year, month, day) in [(2025, 2, 29), (2025, 13, 1), (2025, 4, 0)] {
            assert_eq!(date(year, month, day), None);
        }
    }

    #[test]
    fn the_names_are_those_that_are_written() {
        for (at, name) in MONTHS.iter().enumerate() {
            let month = Month::try_from(at as u8 + 1).map(|month| month.to_string());
            assert_eq!(month.map(|it| it.to_lowercase()).as_deref(), Ok(*name));
        }
    }
}
