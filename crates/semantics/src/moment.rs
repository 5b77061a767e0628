//! Days and times of day, said relative to a given clock, in English and Chinese.
//!
//! Knows calendars; refuses to know what time it is (see [`Calendar`]) and which key a day is for
//! (see [`crate::rules`]). How long something lasts is a quantity: [`language::quantity`].

mod clock;
mod day;
#[cfg(test)]
mod tests;

use language::calendar::{Date, Duration};
use language::quantity::{number_word, unit_named};
use language::text::{Class, Gap, Text, Token};
use schema::semantics::Circumstances;
use std::ops::Range;

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
        let second = circumstances.now.second_of_day() as i64 + i64::from(zone) * 60;
        let (today, second) = later(circumstances.now.date(), second);
        Self {
            today,
            minute: second / 60,
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
    /// The day.
    pub(crate) date: Date,
    /// Said as the end of a span: "within two days", which is how long, too.
    pub(crate) span: bool,
    /// After how long such a day comes again, if it was said without saying which: "Tuesday".
    pub(crate) turn: Option<Turn>,
    /// Its tokens.
    pub(crate) run: Range<usize>,
}

/// The turn of a day that is told by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Tuesday, 周二.
    Week,
    /// 8 March, 3月8日.
    Year,
}

impl Day {
    /// The last such day before another, for who looks back: "since Tuesday" is the one before.
    pub(crate) fn before(&self, today: Date) -> Date {
        let back = match self.turn {
            Some(Turn::Week) => self.date.checked_sub(Duration::days(7)),
            Some(Turn::Year) => self.date.replace_year(self.date.year() - 1).ok(),
            None => None,
        };
        back.filter(|_| self.date > today).unwrap_or(self.date)
    }
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
    /// The runs of tokens that tell nothing but a day or a time, and are no quantities.
    pub(crate) fn pure_runs(&self) -> Vec<Range<usize>> {
        let days = self.days.iter().filter(|d| !d.span);
        let clocks = self.clocks.iter().map(|c| c.run.clone());
        let instants = self.instants.iter().map(|i| i.run.clone());
        let days = days.map(|d| d.run.clone());
        days.chain(clocks).chain(instants).collect()
    }

    /// The runs of tokens that are days or times.
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
        text.steps.take(1);
        at = reader.step(at, &mut moments);
    }
    moments
}

/// The most characters of a Chinese numeral: what stands behind them is another.
const NUMERAL_MOST: usize = 32;
/// The most days, weeks or hours that anybody counts by.
const COUNT_MAX: i64 = 100_000;

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
            let span = self.word(at) == "within" || self.word(run.end - 1) == "内";
            let turn = self.turn(&run);
            into.days.push(Day {
                date,
                span,
                turn,
                run,
            });
            return end;
        }
        let clock = self
            .first_hour(at)
            .or_else(|| self.clock(at))
            .or_else(|| self.second_hour(at, into.clocks.last()))
            .map(|(seconds, run)| (self.same_half(seconds, &run, into.clocks.last()), run));
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

    /// The turn of the day at a run, if nothing says which one is meant.
    fn turn(&self, run: &Range<usize>) -> Option<Turn> {
        let words = || run.clone().map(|i| self.word(i));
        let written = self.text.span(run).to_lowercase();
        let named = language::calendar::weekday(&written).is_some();
        if named || written.starts_with('周') || written.starts_with("星期") {
            return Some(Turn::Week);
        }
        let year = words().any(|w| w == "年" || w.len() == 4 && w.parse::<u32>().is_ok());
        let month = words().any(|w| w == "月" || language::calendar::month(w).is_some());
        let relative = words().any(|w| matches!(w, "下" | "next" | "this" | "of"));
        let iso = run.len() == 3 && words().all(|w| w.parse::<u32>().is_ok());
        (month
            && !year
            && !iso
            && (!relative || words().any(|w| language::calendar::month(w).is_some())))
        .then_some(Turn::Year)
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

    /// An integer written in digits or Chinese that days and hours may be counted by, and where it
    /// ends.
    fn integer(&self, at: usize) -> Option<(i64, usize)> {
        let token = self.token(at)?;
        let read = match token.class {
            Class::Number => Some((token.text.parse().ok()?, at + 1)),
            Class::Cjk => self.chinese_integer(at),
            Class::Word => {
                let hours = number_word(&token.text).filter(|n| (1..=12).contains(n));
                let article = matches!(token.text.as_str(), "a" | "an").then_some(1);
                hours.or(article).map(|n| (n.into(), at + 1))
            }
            Class::Sign => None,
        };
        read.filter(|(n, _)| *n <= COUNT_MAX)
    }

    fn chinese_integer(&self, at: usize) -> Option<(i64, usize)> {
        let digit = |c: &str| {
            "零一二三四五六七八九"
                .chars()
                .position(|d| c.starts_with(d))
                .or((c == "两").then_some(2))
        };
        let (mut value, mut end, mut last) = (0_i64, at, None);
        let within = |end: usize| end - at < NUMERAL_MOST;
        while let Some(token) = self
            .token(end)
            .filter(|t| within(end) && (end == at || t.gap == Gap::Tight))
        {
            self.text.steps.take(1);
            if let Some(d) = digit(&token.text) {
                last = Some(
                    last.map_or(d as i64, |l: i64| l.saturating_mul(10) + d as i64)
                        .min(COUNT_MAX + 1),
                );
            } else if token.text == "十" {
                value = (value + last.take().unwrap_or(1) * 10).min(COUNT_MAX + 1);
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
        let part = |at: usize, max: i32| {
            let part: i32 = self.word(at).parse().ok()?;
            (0..=max).contains(&part).then_some(part)
        };
        let (hours, minutes) = (part(at, 23)?, part(at + 1, 59)?);
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

    /// The seconds of the unit at `at`, and where it ends.
    fn span_unit(&self, at: usize) -> Option<(f64, usize)> {
        for n in [3, 2, 1] {
            let said = self.said(at, n);
            let chinese = said.chars().next().is_some_and(language::script::is_cjk);
            if n > 1 && !chinese {
                continue;
            }
            let unit =
                unit_named(&said).filter(|u| u.dimension == language::quantity::Dimension::Time);
            if let Some(unit) = unit.filter(|_| said.chars().count() > 1 || chinese) {
                return Some((
                    unit.factor,
                    at + if chinese { said.chars().count() } else { 1 },
                ));
            }
        }
        None
    }

    /// True if a span counts forward, false if back, and where the word for it ends.
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

/// True for words that may follow "the 12th" without being what is counted.
fn ends_date(word: &str) -> bool {
    crate::lexicon::is_function(word) || crate::lexicon::is_asking(word)
}

/// More days than any calendar here has.
const DAYS_MAX: i64 = 8_000_000;

/// The day and second that is `seconds` after the midnight that begins `date`.
pub(crate) fn later(date: Date, seconds: i64) -> (Date, u32) {
    let days = seconds.div_euclid(86_400).clamp(-DAYS_MAX, DAYS_MAX);
    let date = date.checked_add(Duration::days(days)).unwrap_or(date);
    (date, seconds.rem_euclid(86_400) as u32)
}
