//! Chinese words for days and hours.

use super::stated_time::{Clock, StatedTime, Time};
use domain::calendar::chinese_weekday;
use language::quantity::{chinese_number, is_chinese_numeral};
use schema::steps::ReadingBudget;

/// Parts of the day: name, from hour, until hour, and whether its hours are counted from noon.
const PARTS: [(&str, u32, u32, bool); 12] = [
    ("凌晨", 0, 5, false),
    ("清晨", 5, 8, false),
    ("早上", 5, 9, false),
    ("今早", 5, 9, false),
    ("早晨", 5, 9, false),
    ("上午", 8, 12, false),
    ("中午", 11, 14, true),
    ("下午", 12, 18, true),
    ("傍晚", 16, 20, true),
    ("晚上", 17, 24, true),
    ("夜里", 20, 24, true),
    ("深夜", 21, 24, true),
];

/// The number of times that a text is gone through, at the most, beside the numbers in it.
const PASSES: usize = 60;

pub(super) fn read(text: &str, work: &ReadingBudget<'_>) -> Time {
    work.take(PASSES * text.len());
    let part = part(text);
    let evening = [("今晚", 0), ("昨晚", 1), ("前晚", 2)];
    let evening = evening.iter().find(|(word, _)| text.contains(word));
    let afternoon = evening.is_some() || part.is_some_and(|p| p.3);
    let vague = match (evening, part) {
        (Some(_), _) => Some(Clock::Part(17, 25)),
        (None, Some((_, from, until, _))) => Some(Clock::Part(from, until)),
        (None, None) => None,
    };
    let noon = part.is_some_and(|p| p.0 == "中午");
    Time {
        ago: ago(text, work),
        day: evening
            .map(|(_, days)| StatedTime::DaysAgo(*days))
            .or_else(|| day(text, work)),
        clock: clock(text, afternoon, noon, work).or(vague),
    }
}

fn part(text: &str) -> Option<(&'static str, u32, u32, bool)> {
    let found = PARTS.iter().filter_map(|p| Some((text.find(p.0)?, p)));
    // "晚上好" is a greeting.
    let said = found.filter(|(at, p)| !text[at + p.0.len()..].starts_with('好'));
    said.min_by_key(|(at, _)| *at).map(|(_, p)| *p)
}

/// "两个小时前", "半小时前", "20分钟前": minutes, and more or less.
fn ago(text: &str, work: &ReadingBudget<'_>) -> Option<(f64, f64)> {
    if text.contains("半小时前") || text.contains("半个小时前") {
        return Some((30.0, 20.0));
    }
    if text.contains("一个半小时前") {
        return Some((90.0, 30.0));
    }
    for (unit, minutes) in [("个小时前", 60.0), ("小时前", 60.0), ("分钟前", 1.0)] {
        if let Some(count) = text
            .find(unit)
            .and_then(|at| number_before(&text[..at], work))
        {
            let count = f64::from(count);
            let more_or_less = if minutes > 1.0 {
                30.0 + 10.0 * count
            } else {
                15.0
            };
            return Some((count * minutes, more_or_less));
        }
    }
    text.contains("刚才").then_some((20.0, 20.0))
}

fn day(text: &str, work: &ReadingBudget<'_>) -> Option<StatedTime> {
    if let Some(date) = date(text, work) {
        return Some(date);
    }
    if let Some(days) = days_ago(text) {
        return Some(StatedTime::DaysAgo(days));
    }
    for week in ["星期", "周", "礼拜"] {
        let named = text
            .match_indices(week)
            .find_map(|(at, _)| chinese_weekday(text[at + week.len()..].chars().next()?));
        if let Some(weekday) = named {
            return Some(StatedTime::Weekday(weekday));
        }
    }
    let today = ["今天", "今早", "今日", "今晨"];
    let said = today.iter().any(|word| text.contains(word));
    said.then_some(StatedTime::DaysAgo(0))
}

/// Of several days, the last one before the hour: "昨天还好好的，今天六点…".
fn days_ago(text: &str) -> Option<i64> {
    let words = [
        ("大前天", 3),
        ("前天", 2),
        ("昨天", 1),
        ("昨日", 1),
        ("今天", 0),
    ];
    let hour = text.find(['点', ':', '：']).unwrap_or(text.len());
    let named = words.iter().filter_map(|(word, days)| {
        Some((text[..hour].rfind(word)? + word.len(), word.len(), *days))
    });
    let last = named.max_by_key(|(end, length, _)| (*end, *length));
    let anywhere = words.iter().find(|(word, _)| text.contains(word));
    last.map(|(.., days)| days)
        .or(anywhere.map(|(_, days)| *days))
}

/// "4月21日", "四月二十一号".
fn date(text: &str, work: &ReadingBudget<'_>) -> Option<StatedTime> {
    text.match_indices('月').find_map(|(at, mark)| {
        let month = number_before(&text[..at], work)?;
        let (date, rest) = number_after(&text[at + mark.len()..], work)?;
        let ends = rest.starts_with('日') || rest.starts_with('号');
        let fits = (1..=12).contains(&month) && (1..=31).contains(&date);
        (ends && fits).then_some(StatedTime::Date(month, date))
    })
}

/// "19:05", "晚上七点半", "15点左右".
fn clock(text: &str, afternoon: bool, noon: bool, work: &ReadingBudget<'_>) -> Option<Clock> {
    let colon = text.match_indices([':', '：']).find_map(|(at, mark)| {
        let hour = number_before(&text[..at], work)?;
        let (minute, _) = digits_after(&text[at + mark.len()..], work)?;
        (hour < 24 && minute < 60).then_some(Clock::Exact(hour, minute))
    });
    colon.or_else(|| {
        text.match_indices('点').find_map(|(at, mark)| {
            let hour = number_before(&text[..at], work).filter(|h| *h <= 24)?;
            let rest = &text[at + mark.len()..];
            // 一点信号都没有 is "not a bit of signal".
            let bit = hour == 1
                && !afternoon
                && !["左右", "半", "多", "钟", "前后"]
                    .iter()
                    .any(|w| rest.starts_with(w));
            let bit = bit
                && !PARTS
                    .iter()
                    .any(|p| text[..at].ends_with(&format!("{}一", p.0)));
            if bit {
                return None;
            }
            // Half the hours of noon are before it: 中午十一点 is 11, 中午一点 is 13.
            let later = afternoon && hour < 12 && !(noon && hour >= 10);
            let hour = (if later { hour + 12 } else { hour }) % 24;
            for (quarter, minutes) in [("半", 30), ("一刻", 15), ("三刻", 45)] {
                if rest.starts_with(quarter) {
                    return Some(Clock::About(hour * 60 + minutes));
                }
            }
            match number_after(rest, work) {
                Some((minute, rest)) if rest.starts_with('分') && minute < 60 => {
                    Some(Clock::Exact(hour, minute))
                }
                _ => Some(Clock::About(hour * 60)),
            }
        })
    })
}

/// The number that a text ends with, in digits or characters, 0 to 99.
fn number_before(text: &str, work: &ReadingBudget<'_>) -> Option<u32> {
    let digits: Vec<char> = text
        .chars()
        .rev()
        .take_while(char::is_ascii_digit)
        .collect();
    work.take(1 + digits.len());
    if !digits.is_empty() {
        let digits: String = digits.into_iter().rev().collect();
        return digits.parse().ok().filter(|n| *n < 10_000);
    }
    let numerals: Vec<char> = text
        .chars()
        .rev()
        .take_while(|c| is_chinese_numeral(*c))
        .collect();
    let numerals: Vec<char> = numerals.into_iter().rev().collect();
    work.take(numerals.len());
    chinese_number(&numerals)
}

/// The number that a text begins with, and what follows.
fn number_after<'a>(text: &'a str, work: &ReadingBudget<'_>) -> Option<(u32, &'a str)> {
    if let Some(found) = digits_after(text, work) {
        return Some(found);
    }
    let numerals: Vec<char> = text
        .chars()
        .take_while(|c| is_chinese_numeral(*c))
        .collect();
    let length: usize = numerals.iter().map(|c| c.len_utf8()).sum();
    work.take(numerals.len());
    Some((chinese_number(&numerals)?, &text[length..]))
}

fn digits_after<'a>(text: &'a str, work: &ReadingBudget<'_>) -> Option<(u32, &'a str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    work.take(1 + end);
    Some((text[..end].parse().ok()?, &text[end..]))
}
