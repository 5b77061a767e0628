//! Units, their forms in English and Chinese, and what they are worth.
//!
//! Knows which units convert; refuses to know how much. Read next: [`super::number`].

use crate::text::{Token, tokens};
use std::sync::LazyLock;

/// The dimension that a unit measures; units of one dimension convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Watts.
    Power,
    /// Watt hours.
    Energy,
    /// Decibels, from one level to another.
    Level,
    /// Decibels above a milliwatt.
    AbsoluteLevel,
    /// Bits per second.
    Rate,
    /// Seconds.
    Time,
    /// Months, which no number of seconds are.
    Months,
    /// Hundredths.
    Percent,
    /// Metres.
    Length,
    /// Grams.
    Mass,
    /// Hertz.
    Frequency,
    /// Volts.
    Voltage,
    /// Amperes.
    Current,
    /// Bytes.
    Bytes,
    /// Degrees of an angle.
    Angle,
    /// Degrees Celsius.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
    /// US dollars.
    Dollar,
    /// Euros.
    Euro,
    /// Pounds sterling.
    Pound,
    /// Yuan.
    Yuan,
}

/// A unit: how many of its dimension's base it is, and how it is written.
#[derive(Debug)]
pub struct Unit {
    /// The dimension that it measures.
    pub dimension: Dimension,
    /// Its worth in the dimension's base unit.
    pub factor: f64,
    pub(super) forms: &'static str,
}

pub(super) const fn unit(dimension: Dimension, factor: f64, forms: &'static str) -> Unit {
    Unit {
        dimension,
        factor,
        forms,
    }
}

/// Units; the first form as engineers write it. Where two differ in case alone (`mW`, `MW`), the
/// writing decides.
pub(super) static UNITS: &[Unit] = &[
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
    unit(Dimension::AbsoluteLevel, 1.0, "dBm"),
    unit(Dimension::Level, 1.0, "dB|decibel|decibels|分贝"),
    unit(Dimension::Rate, 1.0, "bit/s|bps"),
    unit(Dimension::Rate, 1e3, "kbit/s|kbps|kb/s"),
    unit(
        Dimension::Rate,
        1e6,
        "Mbit/s|Mbps|Mb/s|Mbit|M|megabit per second|megabits per second|megabits|megabit|兆比特每秒|兆每秒|兆",
    ),
    unit(
        Dimension::Rate,
        1e9,
        "Gbit/s|Gbps|Gb/s|Gbit|gigabit per second|gigabits per second|gigabits|gigabit|吉比特每秒",
    ),
    unit(
        Dimension::Time,
        1e-3,
        "ms|msec|millisecond|milliseconds|毫秒",
    ),
    unit(Dimension::Time, 1.0, "s|sec|secs|second|seconds|秒钟|秒"),
    unit(Dimension::Time, 60.0, "min|mins|minute|minutes|分钟|分"),
    unit(Dimension::Time, 900.0, "quarters of an hour|刻钟"),
    unit(
        Dimension::Time,
        3600.0,
        "h|hr|hrs|hour|hours|个小时|小时|个钟头|钟头|个钟",
    ),
    unit(Dimension::Time, 86400.0, "d|day|days|night|nights|天|日|晚"),
    unit(Dimension::Time, 604_800.0, "wk|week|weeks|个星期|星期|周"),
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

impl Unit {
    /// The symbol by which engineers write it: `kWh`, `min`, `%`.
    pub fn symbol(&self) -> &'static str {
        self.forms.split('|').next().unwrap_or_default()
    }
}

/// A unit's form, as tokens.
pub(super) struct Form {
    pub(super) tokens: Vec<Token>,
    pub(super) written: &'static str,
    pub(super) unit: &'static Unit,
}

/// Every form, the longest first.
pub(super) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
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
pub fn unit_named(name: &str) -> Option<&'static Unit> {
    let exact = FORMS.iter().find(|f| f.written == name);
    exact
        .or_else(|| FORMS.iter().find(|f| f.written.eq_ignore_ascii_case(name)))
        .map(|f| f.unit)
}

/// The currency of a sign in front of a number.
pub(super) fn currency(sign: &str) -> Option<&'static Unit> {
    matches!(sign, "$" | "€" | "£" | "¥" | "￥")
        .then(|| unit_named(sign))
        .flatten()
}
