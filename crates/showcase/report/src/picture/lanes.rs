//! The timeline of a run, lane below lane: alarms, true faults, sites out, cases, compensation,
//! power, and the share of traffic that was carried.
//!
//! All lanes share one time axis, so that related events are aligned. Read next:
//! [`super::sequence`].

use super::{Scale, label, line, opened, rectangle};
use crate::record::{Record, RecordedEvent};
use crate::story::{self, Ending, StoryPeriod};
use language::time::Timestamp;
use markup::words::{count, cut, number};
use markup::{Markup, Px};
use std::fmt::Write;

const WIDTH: f64 = 1_160.0;
const LEFT: f64 = 172.0;
const RIGHT: f64 = 44.0;
const TOP: f64 = 30.0;
const GAP: f64 = 16.0;
/// Height of a lane with a curve, and of one row of spans, in pixels.
const CURVE: f64 = 58.0;
const ROW: f64 = 15.0;
/// The number of columns of the alarm lane, and the most rows of a lane of spans.
const BINS: usize = 164;
const ROWS: usize = 12;
/// The width of a character of small text, in pixels.
const LETTER: f64 = 6.2;

/// Draws the lanes of a record; a lane without data is left out.
pub fn draw(record: &Record) -> Markup {
    let time = Time::of(record);
    let mut sheet = Sheet {
        body: Markup::new(),
        y: TOP,
        time,
    };
    let before = sheet.y;
    sheet.alarms(record);
    let broken = story::faults(record).into_iter().map(|fault| fault.span);
    let broken: Vec<StoryPeriod> = broken.collect();
    if !broken.is_empty() {
        sheet.spans(&["Truly broken"], "fault", &broken);
    }
    sheet.readings(record);
    let cases: Vec<StoryPeriod> = story::cases(record)
        .into_iter()
        .map(|case| case.span)
        .collect();
    sheet.spans(&["Cases", "tasks with their parts"], "case", &cases);
    sheet.spans(
        &["Compensation"],
        "compensation",
        &story::compensations(record),
    );
    sheet.finish(before)
}

/// A bar of that ending, for a legend.
pub fn swatch(ending: Ending) -> Markup {
    let mut svg = opened(&"A bar", &ending.as_str(), [34.0, ROW]);
    outline(&mut svg, "case", ending, [1.0, 20.0], 0.0);
    svg.close();
    svg
}

/// The scale from instants to pixels.
struct Time {
    began: Timestamp,
    scale: Scale,
}

impl Time {
    fn of(record: &Record) -> Self {
        let began = record.run.began;
        let seconds = record.ended().seconds_since(began).max(60.0);
        let scale = Scale {
            values: [0.0, seconds],
            pixels: [LEFT, WIDTH - RIGHT],
        };
        Self { began, scale }
    }

    fn at(&self, at: Timestamp) -> f64 {
        self.scale.at(at.seconds_since(self.began)).0
    }

    fn ends(&self) -> f64 {
        self.scale.values[1]
    }

    /// Instants at round times of day in UTC, with their labels.
    fn ticks(&self) -> Vec<(Timestamp, String)> {
        const STEPS: [i64; 11] = [
            60, 300, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800,
        ];
        let step = STEPS
            .into_iter()
            .find(|s| self.ends() / (*s as f64) <= 13.0)
            .unwrap_or(2_592_000)
            * 1_000;
        let end = self.began.plus_s(self.ends());
        let first = (self.began.as_ms() + step - 1) / step * step;
        let mut day = String::new();
        let instants = (0..40)
            .map(|n| Timestamp::from_ms(first + n * step))
            .take_while(|at| *at <= end);
        instants
            .map(|at| {
                let whole = at.day_and_clock();
                let same = whole[..5] == day;
                day = whole[..5].to_owned();
                (at, if same { at.clock() } else { whole })
            })
            .collect()
    }
}

/// A picture that grows downwards, lane by lane.
struct Sheet {
    body: Markup,
    y: f64,
    time: Time,
}

impl Sheet {
    fn lane(&mut self, names: &[&str], height: f64) -> f64 {
        let y = self.y;
        for (place, name) in names.iter().enumerate() {
            let class = if place == 0 { "lane" } else { "small" };
            label(
                &mut self.body,
                class,
                [8.0, y + 12.0 + 14.0 * place as f64],
                name,
            );
        }
        line(
            &mut self.body,
            "floor",
            [LEFT, y + height],
            [WIDTH - RIGHT, y + height],
        );
        self.y += height + GAP;
        y
    }

    /// Draws the alarms raised in each column of time, those about lost service at the bottom.
    fn alarms(&mut self, record: &Record) {
        let mut bins = vec![[0usize; 2]; BINS];
        for moment in &record.moments {
            let RecordedEvent::Alarm {
                severity,
                cleared: false,
                ..
            } = &moment.what
            else {
                continue;
            };
            let share = moment.at.seconds_since(record.run.began) / self.time.ends();
            let place = (share * BINS as f64).clamp(0.0, BINS as f64 - 1.0) as usize;
            let grave = matches!(severity.as_str(), "critical" | "major");
            bins[place][usize::from(!grave)] += 1;
        }
        let most = bins.iter().map(|b| b[0] + b[1]).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let every = self.time.ends() / BINS as f64;
        let scale = format!(
            "most {} in {}",
            markup::words::decimal(most as f64, 0),
            markup::words::span(every)
        );
        let y = self.lane(
            &["Alarms raised", "critical and major ■", "others ▨", &scale],
            CURVE,
        );
        for (place, [grave, others]) in bins.into_iter().enumerate() {
            self.column(place, [grave, others], [y + CURVE, CURVE / most as f64]);
        }
    }

    fn column(&mut self, place: usize, [grave, others]: [usize; 2], [floor, each]: [f64; 2]) {
        if grave + others == 0 {
            return;
        }
        let [left, right] = self.time.scale.pixels;
        let wide = (right - left) / BINS as f64;
        let x = left + wide * place as f64;
        let heights = [grave, others].map(|n| n as f64 * each);
        self.body.open("g", &[]);
        self.body.leaf(
            "title",
            &[],
            &format!("{grave} critical or major, {others} others"),
        );
        rectangle(
            &mut self.body,
            "grave",
            [x, floor - heights[0]],
            [wide - 0.6, heights[0]],
        );
        let top = floor - heights[0] - heights[1];
        rectangle(&mut self.body, "other", [x, top], [wide - 0.6, heights[1]]);
        self.body.close();
    }

    /// Draws the network's readings: sites out, the share served, and power.
    fn readings(&mut self, record: &Record) {
        let mut out = Vec::new();
        let mut served = Vec::new();
        let mut energy = Vec::new();
        for moment in &record.moments {
            let RecordedEvent::Network {
                sites_out,
                served_share,
                energy_kwh_so_far,
                ..
            } = &moment.what
            else {
                continue;
            };
            let at = moment.at.seconds_since(self.time.began);
            out.push([at, *sites_out as f64]);
            served.extend(served_share.map(|share| [at, share * 100.0]));
            energy.extend(energy_kwh_so_far.map(|kwh| [at, kwh]));
        }
        self.curve("Sites out", "", &out, [0.0, 1.0]);
        self.curve("Served", "%", &served, [f64::INFINITY, 100.0]);
        self.curve("Power", "kW", &power(&energy), [0.0, 0.0]);
    }

    /// Draws a step curve; each value holds until the next. The axis includes the values and
    /// `around`.
    fn curve(&mut self, name: &str, unit: &str, points: &[[f64; 2]], around: [f64; 2]) {
        if points.len() < 2 {
            return;
        }
        let all = points.iter().map(|p| p[1]);
        let low = all.clone().fold(around[0], f64::min);
        let high = all.fold(around[1], f64::max);
        let high = if high > low { high } else { low + 1.0 };
        let ends = [high, low].map(|v| format!("{} {unit}", number(v)));
        let y = self.lane(&[name], CURVE);
        let scale = Scale {
            values: [low, high],
            pixels: [y + CURVE, y + 4.0],
        };
        for (text, at) in ends.iter().zip([y + 10.0, y + CURVE]) {
            label(&mut self.body, "small end", [LEFT - 6.0, at], text);
        }
        let path = self.steps(points, &scale);
        let told = format!("{name}: {} to {}", ends[1].trim(), ends[0].trim());
        self.body
            .open("path", &[("class", &"reading"), ("d", &path)]);
        self.body.leaf("title", &[], &told).close();
    }

    fn steps(&self, points: &[[f64; 2]], scale: &Scale) -> String {
        let mut path = String::new();
        let mut before: Option<Px> = None;
        for [at, value] in points {
            let (x, y) = (self.time.scale.at(*at), scale.at(*value));
            let _ = match before {
                None => write!(path, "M{x} {y}"),
                Some(_) => write!(path, "H{x}V{y}"),
            };
            before = Some(y);
        }
        let _ = write!(path, "H{}", self.time.scale.at(self.time.ends()));
        path
    }

    /// Draws bars, packed into as few rows as possible.
    fn spans(&mut self, names: &[&str], class: &str, spans: &[StoryPeriod]) {
        if spans.is_empty() {
            return;
        }
        let ends: Vec<[f64; 2]> = spans.iter().map(|span| self.ends_of(span)).collect();
        let rows = packed(&ends);
        let used = rows.iter().flatten().max().map_or(1, |row| row + 1);
        let missing = rows.iter().filter(|row| row.is_none()).count();
        let told = match missing {
            0 => count(spans.len(), "in all", "in all"),
            _ => format!("{} of {} drawn", spans.len() - missing, spans.len()),
        };
        let mut names = names.to_vec();
        names.push(&told);
        let height = (used as f64 * ROW).max(14.0 * names.len() as f64);
        let y = self.lane(&names, height);
        for ((span, ends), row) in spans.iter().zip(ends).zip(rows) {
            if let Some(row) = row {
                self.bar(class, span, ends, y + ROW * row as f64);
            }
        }
    }

    fn ends_of(&self, span: &StoryPeriod) -> [f64; 2] {
        let from = self.time.at(span.from);
        let until = span
            .until
            .map_or(self.time.scale.pixels[1], |until| self.time.at(until));
        [from, until.max(from + 3.0)]
    }

    fn bar(&mut self, class: &str, span: &StoryPeriod, [from, until]: [f64; 2], y: f64) {
        self.body.open("g", &[]);
        self.body.leaf(
            "title",
            &[],
            &format!(
                "{} {}: {}",
                span.from.day_and_clock(),
                span.title,
                span.ended()
            ),
        );
        outline(&mut self.body, class, span.ending, [from, until], y);
        let room = ((until - from - 6.0) / LETTER).max(0.0) as usize;
        if room >= 4 {
            label(
                &mut self.body,
                "small inside",
                [from + 4.0, y + 10.0],
                &cut(&span.title, room),
            );
        }
        self.body.close();
    }

    fn finish(self, before: f64) -> Markup {
        let bottom = self.y.max(before + 20.0);
        let what = format!(
            "From {} for {}.",
            self.time.began,
            markup::words::span(self.time.ends())
        );
        let mut svg = opened(&"The run from beginning to end", &what, [WIDTH, bottom]);
        for (at, name) in self.time.ticks() {
            let x = self.time.at(at);
            line(&mut svg, "grid", [x, TOP - 8.0], [x, bottom - GAP]);
            label(&mut svg, "small mid", [x, TOP - 14.0], &name);
        }
        label(&mut svg, "small", [8.0, TOP - 14.0], &"UTC");
        svg.markup(&self.body).close();
        svg
    }
}

/// Draws the bar itself; a bad ending is marked by shape as well as colour.
fn outline(svg: &mut Markup, class: &str, ending: Ending, [from, until]: [f64; 2], y: f64) {
    let class = format!("bar {class} {}", ending.as_str());
    rectangle(svg, &class, [from, y + 1.0], [until - from, ROW - 3.0]);
    if ending == Ending::Badly {
        label(svg, "small fail", [until + 2.0, y + 10.5], &"✕");
    }
}

/// The first row in which each bar fits; none beyond [`ROWS`].
fn packed(ends: &[[f64; 2]]) -> Vec<Option<usize>> {
    let mut free = [f64::NEG_INFINITY; ROWS];
    let place = |[from, until]: &[f64; 2]| {
        let row = free.iter().position(|end| *end <= *from)?;
        free[row] = until + 2.0;
        Some(row)
    };
    ends.iter().map(place).collect()
}

/// Mean power between meter readings, in kW; readings less than a minute apart are merged.
fn power(energy: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    let mut last: Option<[f64; 2]> = None;
    for reading in energy {
        match last {
            Some([at, kwh]) if reading[0] - at >= 60.0 => {
                points.push([at, (reading[1] - kwh) / (reading[0] - at) * 3_600.0]);
                last = Some(*reading);
            }
            Some(_) => {}
            None => last = Some(*reading),
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_what_the_meter_gained_in_the_time() {
        let meter = [[0.0, 0.0], [900.0, 25.0], [930.0, 26.0], [1_800.0, 75.0]];
        assert_eq!(power(&meter), [[0.0, 100.0], [900.0, 200.0]]);
    }

    #[test]
    fn bars_share_a_row_where_they_do_not_touch() {
        let rows = packed(&[[0.0, 10.0], [5.0, 9.0], [12.0, 20.0], [13.0, 20.0]]);
        assert_eq!(rows, [Some(0), Some(1), Some(0), Some(1)]);
        assert_eq!(packed(&[[0.0, 9.0]; ROWS + 1]).last(), Some(&None));
    }
}
