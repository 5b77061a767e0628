//! Times of day as people say them: "half past six", 23h30, 晚上十点.
//!
//! Read next: [`super::day`].

use super::{Clock, Reader};
use language::text::{Class, Gap};
use std::ops::Range;

impl Reader<'_> {
    pub(super) fn clock(&self, at: usize) -> Option<(u32, Range<usize>)> {
        let (seconds, end) = self
            .chinese_clock(at)
            .or_else(|| self.named_clock(at))
            .or_else(|| self.english_clock(at))?;
        Some((seconds, at..end))
    }

    pub(super) fn named_clock(&self, at: usize) -> Option<(u32, usize)> {
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

    /// The 1 of "between 1 and 5 am": the half of the day is told behind the second.
    pub(super) fn first_hour(&self, at: usize) -> Option<(u32, Range<usize>)> {
        let leads = at
            .checked_sub(1)
            .is_some_and(|i| matches!(self.word(i), "from" | "between" | "for"));
        let (hour, end) = self
            .integer(at)
            .filter(|(h, _)| leads && (1..=12).contains(h))?;
        let joint = matches!(self.word(end), "to" | "and" | "till" | "until");
        let (second, last) = self.english_clock(end + 1).filter(|_| joint)?;
        let told = (end + 2..last).find_map(|i| self.half_of_day(i));
        let half = match told {
            Some((half, _)) => half,
            // "every night from ten until five thirty".
            None if self.nightly(at) => Half::Night,
            None => return None,
        };
        let first = half.apply(hour as u32 * 3600);
        // "from 11 to 5 am" begins in the evening before.
        let first = if first > second {
            (hour as u32 * 3600 + 43_200) % 86_400
        } else {
            first
        };
        Some((first, at..end))
    }

    /// True if the clause says that it is about nights.
    fn nightly(&self, at: usize) -> bool {
        let night = |i: usize| matches!(self.word(i), "night" | "nights" | "nightly" | "overnight");
        let mut clause = self.text.clause_of(at);
        self.text.steps.take(clause.len());
        clause.any(night)
    }

    /// 晚上十点到十一点: a second hour without its part of the day has that of the first.
    pub(super) fn same_half(&self, seconds: u32, run: &Range<usize>, last: Option<&Clock>) -> u32 {
        let Some(last) = last else { return seconds };
        let joint = run.start == last.run.end + 1 && matches!(self.word(last.run.end), "到" | "至");
        let bare = self.token(run.start).is_some_and(|t| {
            t.class == Class::Number || "一二三四五六七八九十两".contains(t.text.as_str())
        });
        let digital = self.text.span(run).contains([':', '：']);
        let later = seconds + 43_200;
        match joint
            && bare
            && !digital
            && last.seconds >= 43_200
            && seconds < 43_200
            && later > last.seconds
        {
            true => later,
            false => seconds,
        }
    }

    /// The 6 of "from 22:30 to 6".
    pub(super) fn second_hour(
        &self,
        at: usize,
        last: Option<&Clock>,
    ) -> Option<(u32, Range<usize>)> {
        let word = self.word(at.checked_sub(1)?);
        let between =
            last.is_some_and(|c| c.run.start > 0 && self.word(c.run.start - 1) == "between");
        let joined =
            matches!(word, "to" | "until" | "till" | "到" | "至") || between && word == "and";
        let range = last.is_some_and(|c| c.run.end + 1 == at);
        let (hour, end) = self
            .integer(at)
            .filter(|(h, _)| joined && range && (0..=24).contains(h))?;
        // "to five thirty".
        let thirty = ["thirty", "fifteen"]
            .iter()
            .position(|w| *w == self.word(end));
        if let Some(which) = thirty {
            return Some((hour as u32 * 3600 + [1800, 900][which], at..end + 1));
        }
        let alone = self.token(end).is_none_or(|t| t.gap > Gap::Tight);
        alone.then_some((hour as u32 * 3600, at..end))
    }

    /// HH:MM, HH:MM:SS.
    pub(super) fn digital(&self, at: usize) -> Option<(u32, usize)> {
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

    pub(super) fn english_clock(&self, at: usize) -> Option<(u32, usize)> {
        let tight = self.token(at + 1).is_some_and(|t| t.gap <= Gap::Space);
        if tight && matches!(self.word(at), "morning" | "afternoon" | "evening") {
            let (seconds, end) = self.digital(at + 1).or_else(|| {
                let (hour, end) = self.integer(at + 1).filter(|(h, _)| (1..=12).contains(h))?;
                Some((hour as u32 * 3600, end))
            })?;
            return self.in_half(seconds, at + 1, end, true);
        }
        if matches!(self.word(at), "half") && self.word(at + 1) == "past" {
            if let Some((seconds, end)) = self.named_clock(at + 2) {
                return Some((seconds + 1800, end));
            }
            let (hour, end) = self.integer(at + 2).filter(|(h, _)| (0..24).contains(h))?;
            return self.in_half(hour as u32 * 3600 + 1800, at, end, true);
        }
        // "half five" is half an hour past it; "half five hours" is none.
        if self.word(at) == "half"
            && let Some((hour, end)) = self.integer(at + 1).filter(|(h, _)| (1..=12).contains(h))
            && self
                .token(at + 1)
                .is_some_and(|t| !matches!(t.text.as_str(), "a" | "an"))
            && (self.token(end).is_none_or(|t| t.gap >= Gap::Comma)
                || self.span_unit(end).is_none())
        {
            return self.in_half(hour as u32 * 3600 + 1800, at, end, true);
        }
        if (self.word(at), self.word(at + 1)) == ("a", "quarter") {
            let (seconds, end) = self.english_clock(at + 1)?;
            return Some((seconds, end));
        }
        if matches!(self.word(at), "quarter") && matches!(self.word(at + 1), "past" | "to") {
            let (hour, end) = self.integer(at + 2).filter(|(h, _)| (1..24).contains(h))?;
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
    pub(super) fn minutes_from(&self, at: usize) -> Option<(u32, usize)> {
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
    pub(super) fn in_half(
        &self,
        seconds: u32,
        at: usize,
        end: usize,
        complete: bool,
    ) -> Option<(u32, usize)> {
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

    /// The number of tokens that "o'clock" takes, however it is written.
    pub(super) fn oclock(&self, at: usize) -> usize {
        match (self.word(at), self.word(at + 1)) {
            ("o'clock" | "oclock" | "hours", _) if self.word(at) != "hours" => 1,
            ("o", "clock") => 2,
            _ => 0,
        }
    }

    pub(super) fn half_of_day(&self, at: usize) -> Option<(Half, usize)> {
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
    pub(super) fn half_before(&self, at: usize) -> Option<Half> {
        let near = self.token(at).is_some_and(|t| t.gap < Gap::Comma);
        let before = at.checked_sub(1).filter(|_| near)?;
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
    pub(super) fn chinese_clock(&self, at: usize) -> Option<(u32, usize)> {
        let part = match self.said(at, 2).as_str() {
            "上午" | "早上" | "早晨" | "清晨" => Some((Half::Morning, 2)),
            "凌晨" | "半夜" => Some((Half::Night, 2)),
            "中午" => Some((Half::Noon, 2)),
            "下午" | "傍晚" => Some((Half::Evening, 2)),
            "晚上" => Some((Half::Midnight, 2)),
            "夜间" | "夜里" | "深夜" => Some((Half::Night, 2)),
            s if s.starts_with('晚') => Some((Half::Midnight, 1)),
            s if s.starts_with('早') => Some((Half::Morning, 1)),
            _ => None,
        };
        let from = at + part.map_or(0, |p| p.1);
        let (seconds, end) = self
            .chinese_hour(from)
            .or_else(|| self.digital(from).filter(|_| part.is_some()))?;
        Some((part.map_or(seconds, |(half, _)| half.apply(seconds)), end))
    }

    pub(super) fn chinese_hour(&self, at: usize) -> Option<(u32, usize)> {
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
pub(super) enum Half {
    Morning,
    Noon,
    Evening,
    /// After midnight for small hours, before it for large ones.
    Night,
    /// As night, and twelve is midnight: 晚上12点.
    Midnight,
}

impl Half {
    pub(super) fn apply(self, seconds: u32) -> u32 {
        let noon = 12 * 3600;
        match self {
            Self::Morning if (noon..noon + 3600).contains(&seconds) => seconds - noon,
            Self::Noon if seconds < 6 * 3600 => seconds + noon,
            Self::Evening if seconds < noon => seconds + noon,
            Self::Midnight if (noon..noon + 3600).contains(&seconds) => seconds - noon,
            Self::Midnight if (5 * 3600..noon).contains(&seconds) => seconds + noon,
            Self::Night if seconds == noon => 0,
            Self::Night if (6 * 3600..noon).contains(&seconds) => seconds + noon,
            _ => seconds,
        }
    }
}
