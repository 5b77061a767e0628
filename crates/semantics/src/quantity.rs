//! Numbers with their units, in digits and in words, in English and Chinese.
//!
//! Knows how much is said and in what; refuses to know of what (see [`crate::rules`]). Days and
//! times of day are in [`crate::moment`].

mod number;

use number::{Number, chinese_digit, number_at};

use crate::text::{Class, Gap, Text, Token, tokens};
use std::ops::Range;
use std::sync::LazyLock;

/// What a unit measures; units of one dimension convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    Power,
    Energy,
    Level,
    Rate,
    Time,
    Months,
    Percent,
    Length,
    Mass,
    Frequency,
    Voltage,
    Current,
    Bytes,
    Angle,
    Celsius,
    Fahrenheit,
    Dollar,
    Euro,
    Pound,
    Yuan,
}

/// A unit: how many of its dimension's base it is, and how it is written.
#[derive(Debug)]
pub(crate) struct Unit {
    /// What it measures.
    pub(crate) dimension: Dimension,
    /// How many of the dimension's base unit it is.
    pub(crate) factor: f64,
    forms: &'static str,
}

const fn unit(dimension: Dimension, factor: f64, forms: &'static str) -> Unit {
    Unit {
        dimension,
        factor,
        forms,
    }
}

/// Units; the first form as engineers write it. Where two differ in case alone (`mW`, `MW`), the
/// writing decides.
static UNITS: &[Unit] = &[
    unit(Dimension::Power, 1.0, "W|watt|watts|瓦特|瓦"),
    unit(Dimension::Power, 1e3, "kW|kilowatt|kilowatts|千瓦"),
    unit(Dimension::Power, 1e6, "MW|megawatt|megawatts|兆瓦"),
    unit(Dimension::Power, 1e-3, "mW|milliwatt|milliwatts|毫瓦"),
    unit(Dimension::Energy, 1.0, "Wh|瓦时"),
    unit(
        Dimension::Energy,
        1e3,
        "kWh|kilowatt hour|kilowatt hours|千瓦时|度电",
    ),
    unit(Dimension::Energy, 1e6, "MWh|兆瓦时"),
    unit(Dimension::Level, 1.0, "dBm"),
    unit(Dimension::Level, 1.0, "dB|decibel|decibels|分贝"),
    unit(Dimension::Rate, 1.0, "bit/s|bps"),
    unit(Dimension::Rate, 1e3, "kbit/s|kbps|kb/s"),
    unit(
        Dimension::Rate,
        1e6,
        "Mbit/s|Mbps|Mb/s|megabit per second|megabits per second|megabits|megabit|兆比特每秒|兆每秒|兆",
    ),
    unit(
        Dimension::Rate,
        1e9,
        "Gbit/s|Gbps|Gb/s|gigabit per second|gigabits per second|gigabits|gigabit|吉比特每秒",
    ),
    unit(
        Dimension::Time,
        1e-3,
        "ms|msec|millisecond|milliseconds|毫秒",
    ),
    unit(Dimension::Time, 1.0, "s|sec|secs|second|seconds|秒钟|秒"),
    unit(Dimension::Time, 60.0, "min|mins|minute|minutes|分钟"),
    unit(
        Dimension::Time,
        3600.0,
        "h|hr|hrs|hour|hours|个小时|小时|钟头|个钟",
    ),
    unit(Dimension::Time, 86400.0, "d|day|days|night|nights|天|日|晚"),
    unit(Dimension::Time, 604_800.0, "week|weeks|wk|个星期|星期|周"),
    unit(Dimension::Months, 1.0, "month|months|个月"),
    unit(Dimension::Months, 12.0, "year|years|yr|yrs|年"),
    unit(
        Dimension::Percent,
        1.0,
        "%|percent|per cent|pct|percentage points|个百分点|％",
    ),
    unit(Dimension::Length, 1.0, "m|meter|meters|metre|metres|米"),
    unit(
        Dimension::Length,
        1e3,
        "km|kms|kilometer|kilometers|kilometre|kilometres|公里|千米",
    ),
    unit(Dimension::Length, 1e-2, "cm|centimeter|centimeters|厘米"),
    unit(Dimension::Length, 1e-3, "mm|millimeter|millimeters|毫米"),
    unit(Dimension::Length, 1609.344, "mile|miles|英里"),
    unit(Dimension::Length, 0.3048, "feet|foot|ft|英尺"),
    unit(Dimension::Length, 0.0254, "inch|inches|英寸"),
    unit(
        Dimension::Mass,
        1e3,
        "kg|kilogram|kilograms|kilos|公斤|千克",
    ),
    unit(Dimension::Mass, 1.0, "g|gram|grams|克"),
    unit(Dimension::Mass, 453.592, "lb|lbs|pounds|磅"),
    unit(Dimension::Mass, 28.349_5, "oz|ounce|ounces"),
    unit(Dimension::Frequency, 1.0, "Hz|hertz|赫兹"),
    unit(Dimension::Frequency, 1e3, "kHz|千赫"),
    unit(Dimension::Frequency, 1e6, "MHz|megahertz|兆赫"),
    unit(Dimension::Frequency, 1e9, "GHz|gigahertz|吉赫"),
    unit(Dimension::Voltage, 1.0, "V|volt|volts|伏特|伏"),
    unit(Dimension::Voltage, 1e-3, "mV|millivolts|毫伏"),
    unit(Dimension::Voltage, 1e3, "kV|kilovolts|千伏"),
    unit(Dimension::Current, 1.0, "A|amp|amps|ampere|amperes|安培|安"),
    unit(Dimension::Bytes, 1.0, "B|byte|bytes|字节"),
    unit(Dimension::Bytes, 1e3, "kB|kilobyte|kilobytes"),
    unit(Dimension::Bytes, 1e6, "MB|megabyte|megabytes"),
    unit(Dimension::Bytes, 1e9, "GB|gigabyte|gigabytes"),
    unit(Dimension::Bytes, 1e12, "TB|terabyte|terabytes"),
    unit(
        Dimension::Celsius,
        1.0,
        "℃|°C|celsius|degrees celsius|degree celsius|摄氏度",
    ),
    unit(
        Dimension::Fahrenheit,
        1.0,
        "℉|°F|fahrenheit|degrees fahrenheit|华氏度",
    ),
    unit(Dimension::Angle, 1.0, "°|degree|degrees|度"),
    unit(Dimension::Dollar, 1.0, "$|dollar|dollars|usd|美元"),
    unit(Dimension::Euro, 1.0, "€|euro|euros|eur|欧元"),
    unit(Dimension::Pound, 1.0, "£|pound sterling|gbp|英镑"),
    unit(Dimension::Yuan, 1.0, "¥|￥|yuan|cny|rmb|元|块钱|块|人民币"),
];

/// A unit's form, as tokens.
struct Form {
    tokens: Vec<Token>,
    written: &'static str,
    unit: &'static Unit,
}

/// Every form, the longest first.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let mut forms: Vec<Form> = UNITS
        .iter()
        .flat_map(|unit| {
            unit.forms.split('|').map(move |written| Form {
                tokens: tokens(written),
                written,
                unit,
            })
        })
        .collect();
    forms.sort_by_key(|f| std::cmp::Reverse(f.tokens.len()));
    forms
});

/// The unit written so: `Mbit/s`, `minutes`, `%`.
pub(crate) fn unit_named(name: &str) -> Option<&'static Unit> {
    let exact = FORMS.iter().find(|f| f.written == name);
    exact
        .or_else(|| FORMS.iter().find(|f| f.written.eq_ignore_ascii_case(name)))
        .map(|f| f.unit)
}

/// The currency of a sign in front of a number.
fn currency(sign: &str) -> Option<&'static Unit> {
    matches!(sign, "$" | "€" | "£" | "¥" | "￥")
        .then(|| unit_named(sign))
        .flatten()
}

/// How much, and in what.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    /// The number, in its own unit.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: Option<&'static Unit>,
    /// "third": a place in a row, not how many.
    pub(crate) ordinal: bool,
    /// Written in digits.
    pub(crate) digits: bool,
    /// The number's tokens.
    pub(crate) number: Range<usize>,
    /// The tokens of number and unit.
    pub(crate) run: Range<usize>,
}

impl Quantity {
    /// The value in another unit; none if the dimensions differ.
    pub(crate) fn in_unit(&self, wanted: &Unit) -> Option<f64> {
        let unit = self.unit?;
        (unit.dimension == wanted.dimension).then(|| tidy(self.value * unit.factor / wanted.factor))
    }
}

impl Quantity {
    /// True if the quantity is a number, in its own unit or in another of its dimension.
    pub(crate) fn comes_to(&self, number: f64) -> bool {
        let near = |value: f64| (value - number).abs() <= number.abs() * 1e-9;
        let unit = self.unit.filter(|u| u.dimension != Dimension::Percent);
        let percent = self.unit.is_some_and(|u| u.dimension == Dimension::Percent);
        near(self.value)
            || (percent && near(tidy(self.value / 100.0)))
            || unit.is_some_and(|_| UNITS.iter().filter_map(|u| self.in_unit(u)).any(near))
    }
}

/// Without what the binary point adds: 0.30000000000000004 is 0.3.
pub(crate) fn tidy(value: f64) -> f64 {
    let near = (value * 1e9).round() / 1e9;
    if (value - near).abs() <= value.abs() * 1e-12 {
        near
    } else {
        value
    }
}

/// The quantities of a text, from left to right, outside the runs that are something else.
pub(crate) fn quantities(text: &Text, taken: &[Range<usize>]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        let free = !taken.iter().any(|r| r.contains(&at));
        match free.then(|| quantity_at(text, at)).flatten() {
            Some(quantity) => {
                at = quantity.run.end.max(at + 1);
                found.push(quantity);
            }
            None => at += 1,
        }
    }
    found
}

/// 三成五, 四分之一: shares of a whole, in percent.
fn share(tokens: &[Token], at: usize) -> Option<Quantity> {
    let word = |i: usize| {
        tokens
            .get(i)
            .filter(|t| t.gap == Gap::Tight)
            .map_or("", |t| t.text.as_str())
    };
    let one = chinese_digit(&tokens[at].text)?;
    let percent = |value: f64, end: usize| Quantity {
        value,
        unit: unit_named("%"),
        ordinal: false,
        digits: false,
        number: at..end,
        run: at..end,
    };
    match (word(at + 1), word(at + 2)) {
        ("成", next) if !matches!(next, "为" | "功" | "立" | "本" | "员" | "都" | "分") => {
            match chinese_digit(next) {
                Some(five) => Some(percent(one * 10.0 + five, at + 3)),
                None => Some(percent(one * 10.0, at + 2)),
            }
        }
        ("分", "之") => {
            let part = chinese_digit(word(at + 3))?;
            Some(percent(tidy(part / one * 100.0), at + 4))
        }
        _ => None,
    }
}

fn quantity_at(text: &Text, at: usize) -> Option<Quantity> {
    let tokens = &text.tokens;
    if let Some(share) = share(tokens, at) {
        return Some(share);
    }
    let number = number_at(text, at)?;
    let before = at.checked_sub(1).and_then(|i| tokens.get(i));
    let money = before
        .filter(|t| t.class == Class::Sign && tokens[at].gap <= Gap::Space)
        .and_then(|t| currency(&t.text));
    let (unit, end) = match (money, unit_at(text, number.end)) {
        (Some(unit), _) => (Some(unit), number.end),
        (None, Some((unit, end))) => (Some(unit), end),
        (None, None) => {
            percent_before(tokens, at).map_or((None, number.end), |u| (Some(u), number.end))
        }
    };
    let value = number.value + half_behind(tokens, &number, unit);
    Some(Quantity {
        value: if negative(text, at) { -value } else { value },
        unit: if number.ordinal { None } else { unit },
        ordinal: number.ordinal,
        digits: tokens[at].class == Class::Number,
        number: at..number.end,
        run: at..if number.ordinal { number.end } else { end },
    })
}

/// "个半": one and a half hours.
fn half_behind(tokens: &[Token], number: &Number, unit: Option<&Unit>) -> f64 {
    let at = number.end + usize::from(tokens.get(number.end).is_some_and(|t| t.text == "个"));
    let half = tokens.get(at).is_some_and(|t| t.text == "半") && unit.is_some()
        || (number.end..number.end + 4).any(|i| {
            let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
            i > number.end
                && (word(i), word(i + 1), word(i + 2)) == ("and", "a", "half")
                && unit.is_some()
        });
    if half { 0.5 } else { 0.0 }
}

/// 百分之十五.
fn percent_before(tokens: &[Token], at: usize) -> Option<&'static Unit> {
    let before = tokens.get(at.checked_sub(3)?..at)?;
    let said: String = before.iter().map(|t| t.text.as_str()).collect();
    (said == "百分之").then(|| unit_named("%")).flatten()
}

fn negative(text: &Text, at: usize) -> bool {
    let before = &text.raw[..text.tokens[at].start];
    let Some(rest) = before.strip_suffix(['-', '−']) else {
        return matches!(
            at.checked_sub(1).map(|i| text.tokens[i].text.as_str()),
            Some("minus" | "负")
        );
    };
    rest.chars().next_back().is_none_or(|c| {
        c.is_whitespace() || crate::text::is_cjk(c) || matches!(c, '=' | '(' | '[' | ',' | ':')
    })
}

fn unit_at(text: &Text, at: usize) -> Option<(&'static Unit, usize)> {
    let word = |at: usize| text.tokens.get(at).map_or("", |t| t.text.as_str());
    let skipped = match (word(at), word(at + 1)) {
        ("半", _) => 1,
        ("个", "半") => 2,
        _ => 0,
    };
    let (unit, end) = form_at(text, at + skipped).or_else(|| form_at(text, at))?;
    // "an hour and a half".
    let half = (word(end), word(end + 1), word(end + 2)) == ("and", "a", "half");
    Some((unit, if half { end + 3 } else { end }))
}

fn form_at(text: &Text, at: usize) -> Option<(&'static Unit, usize)> {
    let fits = |form: &&Form| {
        let n = form.tokens.len();
        let here = text.tokens.get(at..at + n);
        here.is_some_and(|here| {
            here.iter().zip(&form.tokens).all(|(a, b)| a.text == b.text)
                && here.iter().all(|t| t.gap < Gap::Quote)
                && ends_word(text, at + n, form)
        })
    };
    let longest = FORMS.iter().find(fits)?;
    let n = longest.tokens.len();
    let written = text.span(&(at..at + n));
    // Of forms that differ in case alone, the one that is written so.
    let exact = FORMS
        .iter()
        .filter(fits)
        .find(|f| f.tokens.len() == n && f.written == written);
    Some((exact.unwrap_or(longest).unit, at + n))
}

/// A unit is not the beginning of something longer: "5 m" is metres, "5 m-s" is not; 天 is days,
/// 天津 is not.
fn ends_word(text: &Text, at: usize, form: &Form) -> bool {
    let Some(next) = text.tokens.get(at) else {
        return true;
    };
    let letters = form.tokens.last().is_some_and(|t| t.class == Class::Word);
    let single = form.written.chars().count() == 1 && letters;
    match next.gap {
        Gap::Tight if letters => next.class == Class::Cjk || next.class == Class::Sign,
        Gap::Tight => !matches!(
            (form.written, next.text.as_str()),
            ("天", "津")
                | ("日", "常" | "志" | "期")
                | ("周", "边" | "围")
                | ("年", "级")
                | ("度", "假")
                | ("元", "件")
                | ("安", "装" | "全")
                | ("米", "波")
        ),
        Gap::Joint => !single,
        _ => true,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
