//! Days and times of day, said relative to a given clock, in English and Chinese.
//!
//! Knows calendars; refuses to know what time it is (see [`Calendar`]) and which key a day is for
//! (see [`crate::rules`]). How long something lasts is a quantity: [`crate::quantity`].

mod day;

use crate::lexicon::{month, weekday};
use crate::quantity::unit_named;
use crate::text::{Class, Gap, Text, Token};
use schema::semantics::Circumstances;
use std::ops::Range;
use time::{Date, Duration, Month, OffsetDateTime, UtcOffset};

/// The day and minute that "tomorrow" and "in two hours" are counted from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calendar {
    /// The day where the speaker is.
    pub(crate) today: Date,
    /// Minutes since midnight there.
    pub(crate) minute: u32,
    /// Minutes east of UTC.
    pub(crate) zone_minutes: i32,
}

impl Calendar {
    /// The calendar of a speaker.
    pub(crate) fn of(circumstances: &Circumstances) -> Self {
        let zone = circumstances.zone_minutes.clamp(-1439, 1439);
        let offset = UtcOffset::from_whole_seconds(zone * 60).unwrap_or(UtcOffset::UTC);
        let now = OffsetDateTime::from_unix_timestamp(circumstances.now.as_ms().div_euclid(1000))
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
            .to_offset(offset);
        Self {
            today: now.date(),
            minute: u32::from(now.hour()) * 60 + u32::from(now.minute()),
            zone_minutes: zone,
        }
    }

    /// The zone as RFC 3339 writes it: `Z`, `+08:00`.
    pub(crate) fn zone(&self) -> String {
        if self.zone_minutes == 0 {
            return "Z".to_owned();
        }
        let sign = if self.zone_minutes < 0 { '-' } else { '+' };
        let minutes = self.zone_minutes.unsigned_abs();
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// A day that was said.
#[derive(Clone, Debug)]
pub(crate) struct Day {
    /// Which.
    pub(crate) date: Date,
    /// Its tokens.
    pub(crate) run: Range<usize>,
}

/// A time of day that was said.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// Seconds since midnight.
    pub(crate) seconds: u32,
    /// Counted in UTC, wherever the speaker is.
    pub(crate) utc: bool,
    /// Its tokens.
    pub(crate) run: Range<usize>,
}

/// An instant that was said with its day and time together: "in two hours", RFC 3339.
#[derive(Clone, Debug)]
pub(crate) struct Instant {
    /// Its day.
    pub(crate) date: Date,
    /// Seconds since midnight.
    pub(crate) seconds: u32,
    /// Its tokens.
    pub(crate) run: Range<usize>,
}

/// All that a text says of days and times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    /// Days.
    pub(crate) days: Vec<Day>,
    /// Times of day.
    pub(crate) clocks: Vec<Clock>,
    /// Instants.
    pub(crate) instants: Vec<Instant>,
}

impl Moments {
    /// The runs of tokens that are days or times, and therefore no quantities.
    pub(crate) fn runs(&self) -> Vec<Range<usize>> {
        let days = self.days.iter().map(|d| d.run.clone());
        let clocks = self.clocks.iter().map(|c| c.run.clone());
        days.chain(clocks)
            .chain(self.instants.iter().map(|i| i.run.clone()))
            .collect()
    }
}

/// The days and times of a text.
pub(crate) fn moments(text: &Text, calendar: &Calendar) -> Moments {
    let mut moments = Moments::default();
    let reader = Reader { text, calendar };
    let mut at = 0;
    while at < text.tokens.len() {
        at = reader.step(at, &mut moments);
    }
    moments
}

struct Reader<'a> {
    text: &'a Text,
    calendar: &'a Calendar,
}

impl Reader<'_> {
    fn step(&self, at: usize, into: &mut Moments) -> usize {
        if let Some(instant) = self.instant(at) {
            let end = instant.run.end;
            into.instants.push(instant);
            return end;
        }
        if let Some((date, run)) = self.day(at) {
            let end = run.end;
            into.days.push(Day { date, run });
            return end;
        }
        let clock = self
            .clock(at)
            .or_else(|| self.second_hour(at, into.clocks.last()));
        if let Some((seconds, run)) = clock {
            let utc = matches!(self.word(run.end), "utc" | "gmt" | "z");
            let end = run.end + usize::from(utc);
            into.clocks.push(Clock {
                seconds,
                utc,
                run: run.start..end,
            });
            return end;
        }
        at + 1
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.text.tokens.get(at)
    }

    fn word(&self, at: usize) -> &str {
        self.token(at).map_or("", |t| t.text.as_str())
    }

    /// The characters from `at` on that stand tight, up to `n`.
    fn said(&self, at: usize, n: usize) -> String {
        let tokens = self.text.tokens.get(at..).unwrap_or_default();
        let tight = tokens
            .iter()
            .enumerate()
            .take_while(|(i, t)| *i == 0 || t.gap == Gap::Tight);
        tight.take(n).map(|(_, t)| t.text.as_str()).collect()
    }

    /// An integer written in digits or Chinese, and where it ends.
    fn integer(&self, at: usize) -> Option<(i64, usize)> {
        let token = self.token(at)?;
        match token.class {
            Class::Number => Some((token.text.parse().ok()?, at + 1)),
            Class::Cjk => self.chinese_integer(at),
            Class::Word => {
                let names = [
                    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
                    "eleven", "twelve",
                ];
                let at_name = names.iter().position(|n| *n == token.text);
                let article = matches!(token.text.as_str(), "a" | "an").then_some(0);
                at_name.or(article).map(|n| (n as i64 + 1, at + 1))
            }
            Class::Sign => None,
        }
    }

    fn chinese_integer(&self, at: usize) -> Option<(i64, usize)> {
        let digit = |c: &str| {
            "零一二三四五六七八九"
                .chars()
                .position(|d| c.starts_with(d))
                .or((c == "两").then_some(2))
        };
        let (mut value, mut end, mut last) = (0_i64, at, None);
        while let Some(token) = self.token(end).filter(|t| end == at || t.gap == Gap::Tight) {
            if let Some(d) = digit(&token.text) {
                last = Some(last.map_or(d as i64, |l: i64| l * 10 + d as i64));
            } else if token.text == "十" {
                value += last.take().unwrap_or(1) * 10;
            } else {
                break;
            }
            end += 1;
        }
        (end > at).then(|| (value + last.unwrap_or(0), end))
    }
}

// Instants.
impl Reader<'_> {
    fn instant(&self, at: usize) -> Option<Instant> {
        self.rfc3339(at).or_else(|| self.counted_from_now(at))
    }

    /// 2026-05-04T10:00:00Z, and the same with a space.
    fn rfc3339(&self, at: usize) -> Option<Instant> {
        let (date, day) = self.iso_day(at)?;
        let tight_t = self.word(day) == "t" && self.token(day)?.gap == Gap::Tight;
        let from = if tight_t { day + 1 } else { return None };
        let (seconds, mut end) = self.digital(from)?;
        let zone = self
            .token(end)
            .filter(|t| t.gap == Gap::Tight && t.text == "z");
        let rest = &self.text.raw[self.token(end - 1)?.end..];
        if zone.is_some() {
            end += 1;
        } else if rest.starts_with(['+', '-'])
            && self.token(end).is_some_and(|t| t.class == Class::Number)
        {
            let zone = self.offset(end)?;
            return Some(self.shifted(date, seconds, zone, at..end + 2));
        } else {
            return Some(Instant {
                date,
                seconds,
                run: at..end,
            });
        }
        Some(self.shifted(date, seconds, 0, at..end))
    }

    /// Minutes east of UTC, of the `08:00` at `at`.
    fn offset(&self, at: usize) -> Option<i32> {
        let sign = if self.text.raw[..self.token(at)?.start].ends_with('-') {
            -1
        } else {
            1
        };
        let hours: i32 = self.word(at).parse().ok()?;
        let minutes: i32 = self.word(at + 1).parse().ok()?;
        Some(sign * (hours * 60 + minutes))
    }

    /// An instant in another zone, where the speaker is.
    fn shifted(&self, date: Date, seconds: u32, zone: i32, run: Range<usize>) -> Instant {
        let shift = i64::from(self.calendar.zone_minutes - zone) * 60;
        let (date, seconds) = later(date, i64::from(seconds) + shift);
        Instant { date, seconds, run }
    }

    /// "in two hours", "30 minutes from now", 两小时后.
    fn counted_from_now(&self, at: usize) -> Option<Instant> {
        let leading = matches!(self.word(at), "in" | "after");
        let from = if leading { at + 1 } else { at };
        let half = self.half_hour(from);
        let (count, unit_start) =
            half.or_else(|| self.integer(from).map(|(n, e)| (n as f64, e)))?;
        let (seconds, end) = self.span_unit(unit_start)?;
        let (end, forward) = self.direction(end, leading)?;
        if seconds >= 86_400.0 {
            return None;
        }
        let total = i64::from(self.calendar.minute) * 60 + (forward * count * seconds) as i64;
        let (date, seconds) = later(self.calendar.today, total);
        Some(Instant {
            date,
            seconds,
            run: at..end,
        })
    }

    fn half_hour(&self, at: usize) -> Option<(f64, usize)> {
        match (self.word(at), self.word(at + 1)) {
            ("half", "an" | "a") => Some((0.5, at + 2)),
            ("半", "个" | "小") => Some((0.5, at + 1)),
            _ => None,
        }
    }

    /// How many seconds the unit at `at` has, and where it ends.
    fn span_unit(&self, at: usize) -> Option<(f64, usize)> {
        for n in [3, 2, 1] {
            let said = self.said(at, n);
            let chinese = said.chars().next().is_some_and(crate::text::is_cjk);
            if n > 1 && !chinese {
                continue;
            }
            let unit =
                unit_named(&said).filter(|u| u.dimension == crate::quantity::Dimension::Time);
            if let Some(unit) = unit.filter(|_| said.chars().count() > 1 || chinese) {
                return Some((
                    unit.factor,
                    at + if chinese { said.chars().count() } else { 1 },
                ));
            }
        }
        None
    }

    /// Whether a span counts forward or back, and where the word for it ends.
    fn direction(&self, at: usize, leading: bool) -> Option<(usize, f64)> {
        match (self.word(at), self.word(at + 1)) {
            ("from", "now") => Some((at + 2, 1.0)),
            ("ago", _) => Some((at + 1, -1.0)),
            ("later", _) => Some((at + 1, 1.0)),
            ("之" | "以", "后") => Some((at + 2, 1.0)),
            ("之" | "以", "前") => Some((at + 2, -1.0)),
            ("后", _) => Some((at + 1, 1.0)),
            ("前", _) => Some((at + 1, -1.0)),
            _ if leading => Some((at, 1.0)),
            _ => None,
        }
    }
}

// Times of day.
impl Reader<'_> {
    fn clock(&self, at: usize) -> Option<(u32, Range<usize>)> {
        let (seconds, end) = self
            .named_clock(at)
            .or_else(|| self.chinese_clock(at))
            .or_else(|| self.english_clock(at))?;
        Some((seconds, at..end))
    }

    fn named_clock(&self, at: usize) -> Option<(u32, usize)> {
        let english = match self.word(at) {
            "midnight" => Some((0, 1)),
            "noon" | "midday" => Some((12 * 3600, 1)),
            _ => None,
        };
        let chinese = match self.said(at, 2).as_str() {
            "午夜" | "零点" => Some((0, 2)),
            "正午" => Some((12 * 3600, 2)),
            _ => None,
        };
        english.or(chinese).map(|(s, n)| (s, at + n))
    }

    /// The 6 of "from 22:30 to 6".
    fn second_hour(&self, at: usize, last: Option<&Clock>) -> Option<(u32, Range<usize>)> {
        let joined = matches!(
            self.word(at.checked_sub(1)?),
            "to" | "until" | "till" | "到" | "至"
        );
        let range = last.is_some_and(|c| c.run.end + 1 == at);
        let (hour, end) = self
            .integer(at)
            .filter(|(h, _)| joined && range && (0..=24).contains(h))?;
        let alone = self.token(end).is_none_or(|t| t.gap > Gap::Tight);
        alone.then_some((hour as u32 * 3600, at..end))
    }

    /// HH:MM, HH:MM:SS.
    fn digital(&self, at: usize) -> Option<(u32, usize)> {
        let part = |i: usize, max: u32| -> Option<u32> {
            let token = self
                .token(i)
                .filter(|t| t.class == Class::Number && t.text.len() <= 2)?;
            token.text.parse().ok().filter(|n| *n <= max)
        };
        let colon = |i: usize| {
            let (a, b) = (self.token(i - 1)?, self.token(i)?);
            matches!(&self.text.raw[a.end..b.start], ":" | "：").then_some(())
        };
        let hours = part(at, 24)?;
        colon(at + 1)?;
        let minutes = part(at + 1, 59).filter(|_| self.word(at + 1).len() == 2)?;
        let base = hours * 3600 + minutes * 60;
        match colon(at + 2).and_then(|()| part(at + 2, 59)) {
            Some(seconds) => Some((base + seconds, at + 3)),
            None => Some((base, at + 2)),
        }
    }

    fn english_clock(&self, at: usize) -> Option<(u32, usize)> {
        if matches!(self.word(at), "morning" | "afternoon" | "evening") {
            let (seconds, end) = self.digital(at + 1).or_else(|| {
                let (hour, end) = self.integer(at + 1).filter(|(h, _)| (1..=12).contains(h))?;
                Some((hour as u32 * 3600, end))
            })?;
            return self.in_half(seconds, at + 1, end, true);
        }
        if matches!(self.word(at), "half") && self.word(at + 1) == "past" {
            let (hour, end) = self.integer(at + 2)?;
            return self.in_half(u32::try_from(hour).ok()? * 3600 + 1800, at, end, true);
        }
        if (self.word(at), self.word(at + 1)) == ("a", "quarter") {
            let (seconds, end) = self.english_clock(at + 1)?;
            return Some((seconds, end));
        }
        if matches!(self.word(at), "quarter") && matches!(self.word(at + 1), "past" | "to") {
            let (hour, end) = self.integer(at + 2)?;
            let shift: i64 = if self.word(at + 1) == "past" {
                900
            } else {
                -900
            };
            return self.in_half(u32::try_from(hour * 3600 + shift).ok()?, at, end, true);
        }
        if let Some((seconds, end)) = self.minutes_from(at) {
            return Some((seconds, end));
        }
        if let Some((seconds, end)) = self.digital(at) {
            return self.in_half(seconds, at, end, true);
        }
        let (hour, end) = self.integer(at).filter(|(h, _)| {
            (0..=24).contains(h) && self.word(at) != "a" && self.word(at) != "an"
        })?;
        self.in_half(hour as u32 * 3600, at, end, false)
    }

    /// "five to midnight", "ten past six".
    fn minutes_from(&self, at: usize) -> Option<(u32, usize)> {
        let (minutes, end) = self.integer(at).filter(|(m, _)| (1..60).contains(m))?;
        let end = end + usize::from(matches!(self.word(end), "minutes"));
        let forward = match self.word(end) {
            "past" => 1,
            "to" | "before" => -1,
            _ => return None,
        };
        let (hour, end) = self.named_clock(end + 1).or_else(|| {
            let (hour, end) = self
                .integer(end + 1)
                .filter(|(h, _)| forward == 1 && (1..=12).contains(h))?;
            Some((hour as u32 * 3600, end))
        })?;
        let seconds = (i64::from(hour) + forward * minutes * 60).rem_euclid(86_400);
        let (half, end) = self
            .half_of_day(end)
            .map_or((None, end), |(h, e)| (Some(h), e));
        Some((
            half.map_or(seconds as u32, |h| h.apply(seconds as u32)),
            end,
        ))
    }

    /// With "am", "pm", "o'clock" or a part of the day; without, only where it needs none.
    fn in_half(&self, seconds: u32, at: usize, end: usize, complete: bool) -> Option<(u32, usize)> {
        let clock_end = end + self.oclock(end);
        let half = self
            .half_of_day(clock_end)
            .or_else(|| self.half_before(at).map(|h| (h, clock_end)));
        match half {
            Some((half, end)) => Some((half.apply(seconds), end)),
            None if complete || clock_end > end => Some((seconds.min(86_400), clock_end)),
            None => None,
        }
    }

    /// How many tokens "o'clock" takes, however it is written.
    fn oclock(&self, at: usize) -> usize {
        match (self.word(at), self.word(at + 1)) {
            ("o'clock" | "oclock" | "hours", _) if self.word(at) != "hours" => 1,
            ("o", "clock") => 2,
            _ => 0,
        }
    }

    fn half_of_day(&self, at: usize) -> Option<(Half, usize)> {
        let tight = self.token(at).is_some_and(|t| t.gap <= Gap::Space);
        match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("am", _, _) if tight => Some((Half::Morning, at + 1)),
            ("pm", _, _) if tight => Some((Half::Evening, at + 1)),
            ("a", "m", _) if self.token(at + 1)?.gap == Gap::Joint => Some((Half::Morning, at + 2)),
            ("p", "m", _) if self.token(at + 1)?.gap == Gap::Joint => Some((Half::Evening, at + 2)),
            ("in", "the", "morning") => Some((Half::Morning, at + 3)),
            ("in", "the", "afternoon" | "evening") | ("at", "the", "night") => {
                Some((Half::Evening, at + 3))
            }
            ("at", "night", _) => Some((Half::Night, at + 2)),
            ("this", "morning", _) => Some((Half::Morning, at + 2)),
            ("this", "afternoon" | "evening", _) => Some((Half::Evening, at + 2)),
            _ => None,
        }
    }

    /// "morning 11:15", "tonight at 8".
    fn half_before(&self, at: usize) -> Option<Half> {
        let before = at.checked_sub(1)?;
        let from = if self.word(before) == "at" {
            before.checked_sub(1)?
        } else {
            before
        };
        match self.word(from) {
            "morning" => Some(Half::Morning),
            "afternoon" | "evening" | "tonight" => Some(Half::Evening),
            _ => None,
        }
    }

    /// 下午3点, 晚上八点半, 凌晨2点15分, 22点.
    fn chinese_clock(&self, at: usize) -> Option<(u32, usize)> {
        let part = match self.said(at, 2).as_str() {
            "上午" | "早上" | "早晨" | "清晨" => Some((Half::Morning, 2)),
            "凌晨" | "半夜" => Some((Half::Night, 2)),
            "中午" => Some((Half::Noon, 2)),
            "下午" | "傍晚" | "晚上" => Some((Half::Evening, 2)),
            "夜间" | "夜里" | "深夜" => Some((Half::Night, 2)),
            s if s.starts_with('晚') => Some((Half::Evening, 1)),
            s if s.starts_with('早') => Some((Half::Morning, 1)),
            _ => None,
        };
        let from = at + part.map_or(0, |p| p.1);
        let (seconds, end) = self
            .chinese_hour(from)
            .or_else(|| self.digital(from).filter(|_| part.is_some()))?;
        Some((part.map_or(seconds, |(half, _)| half.apply(seconds)), end))
    }

    fn chinese_hour(&self, at: usize) -> Option<(u32, usize)> {
        let (hour, end) = self.integer(at).filter(|(h, _)| (0..=24).contains(h))?;
        let mark = self
            .token(end)
            .filter(|t| t.gap == Gap::Tight && matches!(t.text.as_str(), "点" | "时"))?;
        let long = usize::from(self.word(end + 1) == "钟");
        let base = hour as u32 * 3600;
        if matches!(
            (mark.text.as_str(), self.word(end + 1)),
            ("点", "数") | ("时", "延" | "间" | "长" | "隙")
        ) {
            return None;
        }
        if self.word(end + 1) == "半" {
            return Some((base + 1800, end + 2));
        }
        match self.said(end + 1, 2).as_str() {
            "一刻" => return Some((base + 900, end + 3)),
            "三刻" => return Some((base + 2700, end + 3)),
            _ => {}
        }
        match self.integer(end + 1).filter(|(m, _)| (0..60).contains(m)) {
            Some((minute, e)) => Some((
                base + minute as u32 * 60,
                e + usize::from(self.word(e) == "分"),
            )),
            None => Some((base, end + 1 + long)),
        }
    }
}

/// The half of the day that a clock of twelve hours means.
#[derive(Clone, Copy)]
enum Half {
    Morning,
    Noon,
    Evening,
    /// After midnight for small hours, before it for large ones.
    Night,
}

impl Half {
    fn apply(self, seconds: u32) -> u32 {
        let noon = 12 * 3600;
        match self {
            Self::Morning if (noon..noon + 3600).contains(&seconds) => seconds - noon,
            Self::Noon if seconds < 6 * 3600 => seconds + noon,
            Self::Evening if seconds < noon => seconds + noon,
            Self::Night if seconds == noon => 0,
            Self::Night if (6 * 3600..noon).contains(&seconds) => seconds + noon,
            _ => seconds,
        }
    }
}

/// True for words that may follow "the 12th" without being what is counted.
fn ends_date(word: &str) -> bool {
    crate::lexicon::is_function(word) || crate::lexicon::is_asking(word)
}

/// A date, if that day exists.
fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

/// The day and second that is `seconds` after the midnight that begins `date`.
pub(crate) fn later(date: Date, seconds: i64) -> (Date, u32) {
    let days = seconds.div_euclid(86_400);
    let date = date.checked_add(Duration::days(days)).unwrap_or(date);
    (date, seconds.rem_euclid(86_400) as u32)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
