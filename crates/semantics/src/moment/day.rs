//! Days as people say them: dates, weekdays, "in three days".
//!
//! Read next: [`super::clock`].

use super::{Reader, ends_date};
use language::calendar::{Date, Duration, chinese_weekday, date, month, weekday};
use language::text::{Class, Gap};
use std::ops::Range;

/// The most times that 下 is said before a week or a month.
const WEEKS_MOST: i64 = 8;

impl Reader<'_> {
    pub(super) fn day(&self, at: usize) -> Option<(Date, Range<usize>)> {
        // "the 9th of March" is told without its article, "the 9th" alone with it.
        if self.word(at) == "the" && self.day_first(at).is_some() {
            return None;
        }
        let readings = [
            self.iso_day(at),
            self.slashed(at),
            self.named_month(at),
            self.chinese_day(at),
            self.relative_word(at),
            self.relative_weekday(at),
            self.chinese_weekday(at),
            self.in_days(at),
            self.day_of_month(at),
        ];
        let (date, end) = readings.into_iter().flatten().next()?;
        Some((date, at..end))
    }

    /// 2026-05-04, 2026/5/4.
    pub(super) fn iso_day(&self, at: usize) -> Option<(Date, usize)> {
        let [year, month, day] = self.three(at)?;
        (year >= 1000)
            .then(|| date(year, month, day))
            .flatten()
            .map(|d| (d, at + 3))
    }

    /// Three numbers parted by `-`, `/` or `.`.
    pub(super) fn three(&self, at: usize) -> Option<[i64; 3]> {
        let tokens = self.text.tokens.get(at..at + 3)?;
        let joined = tokens[1..].iter().all(|t| t.gap == Gap::Joint);
        let numbers = tokens.iter().all(|t| t.class == Class::Number);
        (joined && numbers).then(|| {
            let n = |i: usize| tokens[i].text.parse().unwrap_or(0);
            [n(0), n(1), n(2)]
        })
    }

    /// 15/03/2024 and 03/15/2024; where both could be, the month first.
    pub(super) fn slashed(&self, at: usize) -> Option<(Date, usize)> {
        let [one, two, year] = self.three(at)?;
        let (month, day) = if one > 12 { (two, one) } else { (one, two) };
        (year >= 1000)
            .then(|| date(year, month, day))
            .flatten()
            .map(|d| (d, at + 3))
    }

    /// March 9th, 9 March 2026, the 2nd of April.
    pub(super) fn named_month(&self, at: usize) -> Option<(Date, usize)> {
        self.month_first(at).or_else(|| self.day_first(at))
    }

    pub(super) fn month_first(&self, at: usize) -> Option<(Date, usize)> {
        let month = self.month(at)?;
        let from = at + 1 + usize::from(self.word(at + 1) == "the");
        match self.day_number(from) {
            Some((day, end)) => self.with_year(month, day, end),
            None => {
                let year: i64 = self
                    .token(at + 1)
                    .filter(|t| t.text.len() == 4)?
                    .text
                    .parse()
                    .ok()?;
                Some((date(year, i64::from(month), 1)?, at + 2))
            }
        }
    }

    pub(super) fn day_first(&self, at: usize) -> Option<(Date, usize)> {
        let from = at + usize::from(self.word(at) == "the");
        let (day, end) = self.day_number(from)?;
        let of = end + usize::from(self.word(end) == "of");
        if (self.word(of), self.word(of + 1)) == ("this", "month") {
            return Some((self.in_month(0, day)?, of + 2));
        }
        if (self.word(of), self.word(of + 1)) == ("next", "month") {
            return Some((self.in_month(1, day)?, of + 2));
        }
        let month = self.month(of)?;
        self.with_year(month, day, of + 1)
    }

    /// A month by name; "may" and "march" only with a capital, for they are words too.
    pub(super) fn month(&self, at: usize) -> Option<u8> {
        let token = self.token(at)?;
        let word = matches!(token.text.as_str(), "may" | "march" | "mar");
        month(&token.text).filter(|_| !word || token.capital)
    }

    /// 9, 9th.
    pub(super) fn day_number(&self, at: usize) -> Option<(i64, usize)> {
        let token = self.token(at).filter(|t| t.class == Class::Number)?;
        let day: i64 = token.text.parse().ok().filter(|d| (1..=31).contains(d))?;
        let ordinal = matches!(self.word(at + 1), "st" | "nd" | "rd" | "th");
        Some((day, at + 1 + usize::from(ordinal)))
    }

    /// A day of a month: of the year that is said behind it, or of the next such day.
    pub(super) fn with_year(&self, month: u8, day: i64, end: usize) -> Option<(Date, usize)> {
        let said: Option<i64> = self
            .token(end)
            .filter(|t| t.class == Class::Number && t.text.len() == 4 && t.gap <= Gap::Comma)
            .and_then(|t| t.text.parse().ok())
            .filter(|y| (1900..2200).contains(y));
        match said {
            Some(year) => Some((date(year, month.into(), day)?, end + 1)),
            None => Some((self.coming(month, day)?, end)),
        }
    }

    pub(super) fn coming(&self, month: u8, day: i64) -> Option<Date> {
        let year = i64::from(self.calendar.today.year());
        let this = date(year, month.into(), day);
        this.filter(|d| *d >= self.calendar.today)
            .or_else(|| date(year + 1, month.into(), day))
    }

    /// 2026年5月4日, 5月4号.
    pub(super) fn chinese_day(&self, at: usize) -> Option<(Date, usize)> {
        let (first, after) = self
            .integer(at)
            .filter(|_| self.token(at).is_some_and(|t| t.class != Class::Word))?;
        if self.word(after) == "年" && first >= 1000 {
            let (month, m_end) = self.integer(after + 1)?;
            let (day, d_end) = self.chinese_month_day(m_end)?;
            return Some((date(first, month, day)?, d_end));
        }
        let (day, end) = self.chinese_month_day(after)?;
        let month = u8::try_from(first).ok().filter(|m| (1..=12).contains(m))?;
        Some((self.coming(month, day)?, end))
    }

    /// 月4日 or 月4号, from the 月 on.
    pub(super) fn chinese_month_day(&self, at: usize) -> Option<(i64, usize)> {
        (self.word(at) == "月").then_some(())?;
        let (day, end) = self.integer(at + 1)?;
        matches!(self.word(end), "日" | "号").then_some((day, end + 1))
    }

    /// today, the day after tomorrow, 后天.
    pub(super) fn relative_word(&self, at: usize) -> Option<(Date, usize)> {
        let (days, n) = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("day", "after", "tomorrow") => (2, 3),
            ("day", "before", "yesterday") => (-2, 3),
            ("later", "today", _) => (0, 2),
            ("today" | "tonight", _, _) => (0, 1),
            ("tomorrow", _, _) => (1, 1),
            ("yesterday", _, _) => (-1, 1),
            ("this", "evening" | "morning" | "afternoon", _) => (0, 1),
            ("within", "the", "day") => (0, 3),
            ("end", "of", "month") => return Some((self.last_of_month()?, at + 3)),
            _ => return self.chinese_relative(at),
        };
        Some((self.today_plus(days)?, at + n))
    }

    pub(super) fn chinese_relative(&self, at: usize) -> Option<(Date, usize)> {
        if self.said(at, 3) == "大后天" {
            return Some((self.today_plus(3)?, at + 3));
        }
        // Of 今晚 only the day: 晚 is part of the time behind it.
        let (days, n) = match self.said(at, 2).as_str() {
            "今天" | "今日" | "当天" => (0, 2),
            "今晚" | "今早" | "今夜" => (0, 1),
            "明天" | "明日" => (1, 2),
            "明晚" | "明早" => (1, 1),
            "后天" => (2, 2),
            "后晚" => (2, 1),
            "昨天" | "昨日" => (-1, 2),
            "昨晚" | "昨夜" => (-1, 1),
            "前天" => (-2, 2),
            "月底" => return Some((self.last_of_month()?, at + 2)),
            _ => return None,
        };
        Some((self.today_plus(days)?, at + n))
    }

    pub(super) fn last_of_month(&self) -> Option<Date> {
        self.in_month(1, 1)?.previous_day()
    }

    /// Monday, next Monday, Tuesday next week.
    pub(super) fn relative_weekday(&self, at: usize) -> Option<(Date, usize)> {
        let (weeks, from) = match self.word(at) {
            "next" => (Some(1), at + 1),
            "this" | "coming" => (None, at + 1),
            "last" => (Some(-1), at + 1),
            _ => (None, at),
        };
        let Some(day) = weekday(self.word(from))
            .filter(|_| from == at || self.token(from).is_some_and(|t| t.gap <= Gap::Joint))
        else {
            return self.relative_week(at);
        };
        let short = self.word(from).len() <= 4 && !self.token(from)?.capital;
        if short {
            return None;
        }
        match (self.word(from + 1), self.word(from + 2)) {
            ("next", "week") => Some((self.weekday_in(1, day)?, from + 3)),
            ("this", "week") => Some((self.weekday_in(0, day)?, from + 3)),
            _ => Some((
                weeks.map_or_else(|| self.next_weekday(day), |w| self.weekday_in(w, day))?,
                from + 1,
            )),
        }
    }

    /// next week, next month: their first day; this weekend: its Saturday.
    pub(super) fn relative_week(&self, at: usize) -> Option<(Date, usize)> {
        let date = match (self.word(at), self.word(at + 1)) {
            ("next", "week") => self.weekday_in(1, 0)?,
            ("next", "month") => self.in_month(1, 1)?,
            ("this" | "coming", "weekend") => self.weekday_in(0, 5)?,
            ("next", "weekend") => self.weekday_in(1, 5)?,
            _ => return None,
        };
        Some((date, at + 2))
    }

    /// 周一, 下周一, 下下周一, 本周五, 下星期天.
    pub(super) fn chinese_weekday(&self, at: usize) -> Option<(Date, usize)> {
        let mut from = at;
        let mut weeks = 0;
        while self.word(from) == "下" && weeks < WEEKS_MOST {
            weeks += 1;
            from += 1;
        }
        let this = matches!(self.word(from), "这" | "本");
        let back = self.word(from) == "上";
        from += usize::from((this || back) && weeks == 0);
        from += usize::from(self.word(from) == "个");
        let week = match self.said(from, 2).as_str() {
            s if s.starts_with('周') => 1,
            "星期" | "礼拜" => 2,
            _ => return self.chinese_month(at, weeks, from),
        };
        let day = match self.word(from + week) {
            "末" => Some(5),
            day => day.chars().next().and_then(chinese_weekday),
        };
        let end = from + week + usize::from(day.is_some());
        let relative = weeks > 0 || this || back;
        match day {
            Some(day) if back => Some((self.weekday_in(-1, day)?, end)),
            Some(day) if weeks > 0 || this => Some((self.weekday_in(weeks, day)?, end)),
            Some(day) => Some((self.next_weekday(day)?, end)),
            None => (relative && weeks > 0)
                .then(|| self.weekday_in(weeks, 0))
                .flatten()
                .map(|d| (d, end)),
        }
    }

    /// 下个月1号.
    pub(super) fn chinese_month(
        &self,
        at: usize,
        months: i64,
        from: usize,
    ) -> Option<(Date, usize)> {
        (self.word(from) == "月" && months > 0 && from > at).then_some(())?;
        match self
            .integer(from + 1)
            .filter(|(_, e)| matches!(self.word(*e), "号" | "日"))
        {
            Some((day, end)) => Some((self.in_month(months, day)?, end + 1)),
            None => Some((self.in_month(months, 1)?, from + 1)),
        }
    }

    /// in 3 days, two weeks from now, 3天后.
    pub(super) fn in_days(&self, at: usize) -> Option<(Date, usize)> {
        let leading = matches!(self.word(at), "in" | "after" | "within");
        let (count, unit) = self.integer(if leading { at + 1 } else { at })?;
        let (seconds, end) = self.span_unit(unit).filter(|(s, _)| *s >= 86_400.0)?;
        let within = match (self.word(end), self.word(end + 1)) {
            ("内", _) => Some((end + 1, 1.0)),
            ("之" | "以", "内") => Some((end + 2, 1.0)),
            _ => None,
        };
        let (end, forward) = within.or_else(|| self.direction(end, leading))?;
        let days = count * (seconds / 86_400.0) as i64;
        Some((self.today_plus(days * forward as i64)?, end))
    }

    /// the 12th; 15号.
    pub(super) fn day_of_month(&self, at: usize) -> Option<(Date, usize)> {
        if self.word(at) == "the" {
            let (day, end) = self.day_number(at + 1)?;
            let ordinal = end == at + 3;
            let counted = self
                .token(end)
                .is_some_and(|t| t.gap == Gap::Space && !ends_date(&t.text));
            return (ordinal && !counted)
                .then(|| self.coming_day(day))
                .flatten()
                .map(|d| (d, end));
        }
        let (day, end) = self.integer(at).filter(|_| {
            self.word(at)
                .chars()
                .all(|c| !c.is_alphabetic() || language::script::is_cjk(c))
        })?;
        let road = at.checked_sub(1).is_some_and(|i| {
            matches!(
                self.word(i),
                "路" | "街" | "道" | "巷" | "弄" | "里" | "村" | "线" | "楼" | "院" | "区"
            )
        });
        (self.word(end) == "号"
            && !road
            && !matches!(
                self.word(end + 1),
                "站" | "楼" | "线" | "机" | "基" | "小" | "链" | "路" | "局"
            ))
        .then(|| self.coming_day(day))
        .flatten()
        .map(|d| (d, end + 1))
    }

    pub(super) fn coming_day(&self, day: i64) -> Option<Date> {
        self.in_month(0, day)
            .filter(|d| *d >= self.calendar.today)
            .or_else(|| self.in_month(1, day))
    }

    pub(super) fn today_plus(&self, days: i64) -> Option<Date> {
        self.calendar.today.checked_add(Duration::days(days))
    }

    /// A day of the month that is `months` after this one.
    pub(super) fn in_month(&self, months: i64, day: i64) -> Option<Date> {
        let today = self.calendar.today;
        let month = i64::from(today.year()) * 12 + i64::from(u8::from(today.month())) - 1 + months;
        date(month.div_euclid(12), month.rem_euclid(12) + 1, day)
    }

    /// A weekday of the week that is `weeks` after this one; weeks begin on Monday.
    pub(super) fn weekday_in(&self, weeks: i64, day: u8) -> Option<Date> {
        let since_monday = i64::from(self.calendar.today.weekday().number_days_from_monday());
        self.today_plus(weeks * 7 + i64::from(day) - since_monday)
    }

    /// The next such weekday after today.
    pub(super) fn next_weekday(&self, day: u8) -> Option<Date> {
        let since_monday = i64::from(self.calendar.today.weekday().number_days_from_monday());
        let days = (i64::from(day) - since_monday + 6).rem_euclid(7) + 1;
        self.today_plus(days)
    }
}
