//! How telemetry, measurements and documents err: the parameters, their names and their ranges.
//!
//! Knows which errors there are and how often each happens; refuses to know how a network uses them
//! ([`crate::simulation`]). Each kind draws from a random stream of its own, so that the faults,
//! users and complaints of a seed stay the same, and each draws alike whatever its rate, so that
//! what a low rate strikes a higher one strikes too. A tour:
//! - [`false_alarms`]: alarms of conditions that do not exist;
//! - [`transmission`]: alarms that flap, come late, elsewhere, under a strange name, or never;
//! - [`misreadings`]: measurements that show something else;
//! - [`documents`]: the inventory as documented, and parameters that differ harmlessly from plan.
//!
//! Rates are those of a network as a whole and of the shares of what happens in it. No public record
//! labels its alarms as true or false, so these are not measured but swept over the stated ranges;
//! the bursts, the durations and the flapping of false alarms are fitted to a real record
//! ([`false_alarms`], [`transmission`]).

pub mod documents;
pub mod false_alarms;
pub mod misreadings;
pub mod transmission;

use std::fmt;

/// The errors of management systems, instruments and documents. Shares are 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TelemetryErrors {
    /// False alarms per hour in the whole network, 0 to 10 000.
    pub false_alarms: f64,
    /// The share of false alarms that are of cells.
    pub cell_share: f64,
    /// The mean number of false alarms of one device within a minute of each other, 1 to 50.
    pub burst_size: f64,
    /// The longest time that a false alarm stands, in minutes, 0 to 1 440; the shortest is a sixth of
    /// it. 0 means as in the record ([`false_alarms`]).
    pub standing: f64,
    /// The share of alarms, true or false, that are cleared and raised again several times.
    pub flapping: f64,
    /// The share of alarms that are late.
    pub late: f64,
    /// The mean delay of late alarms, in seconds, 1 to 86 400.
    pub late_s: f64,
    /// The share of alarms that never arrive; of clearings, that arrive with the next comparison of
    /// alarm lists.
    pub lost: f64,
    /// The share of alarms that are raised on a neighbouring element of the same kind.
    pub misattributed: f64,
    /// The share of messages about alarms that are overtaken by later ones.
    pub disorder: f64,
    /// The share of alarms whose type has no known name.
    pub unknown: f64,
    /// The share of measurements that show something else.
    pub probe_errors: f64,
    /// The share of measurements that fail; asking again helps.
    pub probe_failures: f64,
    /// The share of links that documents attach to a wrong element, or lay in wrong ducts.
    pub wrong_links: f64,
    /// The share of cells and links with a parameter that differs harmlessly from its plan.
    pub drift: f64,
}

/// A parameter of [`TelemetryErrors`], as users name it.
pub struct ErrorKey {
    /// The name, as in `false-alarms=60`.
    pub name: &'static str,
    /// The least and the greatest value.
    pub range: (f64, f64),
    /// What it is, with its unit.
    pub words: &'static str,
    get: fn(&TelemetryErrors) -> f64,
    set: fn(&mut TelemetryErrors, f64),
}

/// The reason why a setting is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ErrorSettingRefusal {
    /// It is not of the form `KEY=VALUE`.
    #[error("'{0}' is not KEY=VALUE")]
    Form(String),
    /// There is no such parameter.
    #[error("'{0}' is no error of telemetry; there are {names}", names = names())]
    Unknown(String),
    /// The value is no number, or outside its range.
    #[error("{name}: '{value}' is not a number from {least} to {most}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: String,
        /// The least that is taken.
        least: f64,
        /// The greatest that is taken.
        most: f64,
    },
}

const SHARE: (f64, f64) = (0.0, 1.0);

macro_rules! key {
    ($name:literal, $field:ident, $range:expr, $words:literal) => {
        ErrorKey {
            name: $name,
            range: $range,
            words: $words,
            get: |errors| errors.$field,
            set: |errors, value| errors.$field = value,
        }
    };
}

/// Every parameter, in the order in which it is told.
pub const KEYS: [ErrorKey; 15] = [
    key!(
        "false-alarms",
        false_alarms,
        (0.0, 10_000.0),
        "false alarms an hour over the network"
    ),
    key!(
        "cell-share",
        cell_share,
        SHARE,
        "share of them that are of cells"
    ),
    key!(
        "burst-size",
        burst_size,
        (1.0, 50.0),
        "mean number of them that one device raises together"
    ),
    key!(
        "standing",
        standing,
        (0.0, 1_440.0),
        "minutes that they stand at most, at least a sixth of it; 0 as recorded"
    ),
    key!(
        "flapping",
        flapping,
        SHARE,
        "share of alarms that are cleared and raised again"
    ),
    key!("late", late, SHARE, "share of alarms that are late"),
    key!(
        "late-s",
        late_s,
        (1.0, 86_400.0),
        "their mean delay, in seconds"
    ),
    key!("lost", lost, SHARE, "share of alarms that never arrive"),
    key!(
        "misattributed",
        misattributed,
        SHARE,
        "share of alarms raised on a neighbouring element"
    ),
    key!(
        "disorder",
        disorder,
        SHARE,
        "share of messages about alarms that later ones overtake"
    ),
    key!(
        "unknown",
        unknown,
        SHARE,
        "share of alarms of a type without a known name"
    ),
    key!(
        "probe-errors",
        probe_errors,
        SHARE,
        "share of measurements that show something else"
    ),
    key!(
        "probe-failures",
        probe_failures,
        SHARE,
        "share of measurements that fail"
    ),
    key!(
        "wrong-links",
        wrong_links,
        SHARE,
        "share of links documented wrongly"
    ),
    key!(
        "drift",
        drift,
        SHARE,
        "share of cells and links with a harmless difference from plan"
    ),
];

fn names() -> String {
    KEYS.map(|key| key.name).join(", ")
}

impl TelemetryErrors {
    /// The worlds that have a name.
    pub const WORLDS: [&str; 2] = ["ideal", "erring"];

    /// True if some alarms are of conditions that do not exist.
    pub fn alarms_lie(&self) -> bool {
        self.false_alarms > 0.0
    }

    /// No errors.
    pub fn none() -> Self {
        Self {
            false_alarms: 0.0,
            cell_share: 0.25,
            // The mean of the record's two sets, 1.47 and 2.86.
            burst_size: 2.2,
            standing: 0.0,
            flapping: 0.0,
            late: 0.0,
            late_s: 600.0,
            lost: 0.0,
            misattributed: 0.0,
            disorder: 0.0,
            unknown: 0.0,
            probe_errors: 0.0,
            probe_failures: 0.0,
            wrong_links: 0.0,
            drift: 0.0,
        }
    }

    /// The errors of an ordinary network. Of these, only `flapping` is between the figures of a record;
    /// the false alarms are 4 % of the alarms that the noisiest public record has, and the others are
    /// assumed.
    pub fn erring() -> Self {
        Self {
            false_alarms: 60.0,
            flapping: 0.1,
            late: 0.05,
            lost: 0.05,
            misattributed: 0.02,
            disorder: 0.05,
            unknown: 0.05,
            probe_errors: 0.05,
            probe_failures: 0.05,
            wrong_links: 0.05,
            drift: 0.02,
            ..Self::none()
        }
    }

    /// The errors of the world called `world` ([`Self::WORLDS`]).
    pub fn of_world(world: &str) -> Option<Self> {
        match world {
            "ideal" => Some(Self::none()),
            "erring" => Some(Self::erring()),
            _ => None,
        }
    }

    /// True if telemetry, measurements and documents are right.
    pub fn is_none(&self) -> bool {
        let rates = [
            self.false_alarms,
            self.flapping,
            self.late,
            self.lost,
            self.misattributed,
            self.disorder,
            self.unknown,
            self.probe_errors,
            self.probe_failures,
            self.wrong_links,
            self.drift,
        ];
        rates.iter().all(|rate| *rate <= 0.0)
    }

    /// Sets the parameters of a list `KEY=VALUE,KEY=VALUE…`.
    ///
    /// # Errors
    /// [`ErrorSettingRefusal`] for the first that is not understood; those before it are set.
    pub fn set_all(&mut self, settings: &str) -> Result<(), ErrorSettingRefusal> {
        for setting in settings.split(',') {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| ErrorSettingRefusal::Form(setting.to_owned()))?;
            self.set(key.trim(), value.trim())?;
        }
        Ok(())
    }

    /// Sets one parameter.
    ///
    /// # Errors
    /// [`ErrorSettingRefusal`] if there is none of this name, or the value is outside its range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ErrorSettingRefusal> {
        let key = KEYS
            .iter()
            .find(|key| key.name == name)
            .ok_or_else(|| ErrorSettingRefusal::Unknown(name.to_owned()))?;
        let (least, most) = key.range;
        let number: Option<f64> = value.parse().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        let number = number.ok_or_else(|| ErrorSettingRefusal::Range {
            name: key.name,
            value: value.to_owned(),
            least,
            most,
        })?;
        (key.set)(self, number);
        Ok(())
    }

    /// The settings in which these differ from `base`, as [`Self::set_all`] takes them.
    fn differences(&self, base: &Self) -> Vec<String> {
        let differing = KEYS
            .iter()
            .filter(|key| (key.get)(self).to_bits() != (key.get)(base).to_bits());
        differing
            .map(|key| format!("{}={}", key.name, (key.get)(self)))
            .collect()
    }
}

impl Default for TelemetryErrors {
    fn default() -> Self {
        Self::none()
    }
}

/// The name of the world, with what differs: `erring`, `ideal lost=0.33`.
impl fmt::Display for TelemetryErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ideal, erring] = [Self::none(), Self::erring()].map(|base| self.differences(&base));
        let (world, differences) = match erring.len() < ideal.len() {
            true => ("erring", erring),
            false => ("ideal", ideal),
        };
        f.write_str(world)?;
        match differences.is_empty() {
            true => Ok(()),
            false => write!(f, " {}", differences.join(",")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
