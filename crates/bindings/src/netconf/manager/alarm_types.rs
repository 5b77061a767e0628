//! Which of our alarm types a foreign one is: an identity of anybody's module, by its name.
//!
//! What the mapping of a management system says comes first, then the identities of convoke-ems
//! under their own names, then names that users of X.733 and 3GPP TS 28.111 give to the same
//! conditions. All else is [`AlarmType::Unknown`], and is kept. Read next: [`super::alarm_book`].

use super::alarms::YangIdentity;
use super::text::is_identifier;
use domain::telemetry::AlarmType;
use std::collections::BTreeMap;

/// The most entries of a mapping.
const ENTRIES: usize = 10_000;

/// Names of conditions that others use, in the form of [`kebab`]; X.733 and X.736 probable causes,
/// 3GPP TS 28.111 and common identities of ietf-alarms users.
const USUAL: &[(&str, AlarmType)] = &[
    ("los", AlarmType::LossOfSignal),
    ("loss-of-light", AlarmType::LossOfSignal),
    ("loss-of-frame", AlarmType::LossOfSignal),
    ("rx-power-loss", AlarmType::LossOfSignal),
    ("carrier-lost", AlarmType::LossOfSignal),
    ("carrier-loss", AlarmType::LossOfSignal),
    ("link-alarm", AlarmType::LinkDown),
    ("link-failure", AlarmType::LinkDown),
    ("interface-down", AlarmType::LinkDown),
    ("oper-down", AlarmType::LinkDown),
    ("adjacency-down", AlarmType::LinkDown),
    ("adjacency-lost", AlarmType::LinkDown),
    ("bfd-session-down", AlarmType::LinkDown),
    ("bfd-down", AlarmType::LinkDown),
    ("ospf-neighbor-down", AlarmType::LinkDown),
    ("isis-adjacency-down", AlarmType::LinkDown),
    ("communications-subsystem-failure", AlarmType::LinkDown),
    ("equipment-malfunction", AlarmType::CardFailure),
    ("equipment-failure", AlarmType::CardFailure),
    ("line-card-problem", AlarmType::CardFailure),
    ("line-card-failure", AlarmType::CardFailure),
    ("module-failure", AlarmType::CardFailure),
    ("ne-unreachable", AlarmType::NodeUnreachable),
    ("node-down", AlarmType::NodeUnreachable),
    ("device-unreachable", AlarmType::NodeUnreachable),
    ("connection-to-ne-lost", AlarmType::NodeUnreachable),
    ("site-down", AlarmType::SiteUnreachable),
    ("base-station-unreachable", AlarmType::SiteUnreachable),
    ("power-problem", AlarmType::MainsFailure),
    ("power-failure", AlarmType::MainsFailure),
    ("power-supply-failure", AlarmType::MainsFailure),
    ("mains-power-failure", AlarmType::MainsFailure),
    ("commercial-power-failure", AlarmType::MainsFailure),
    ("degraded-signal", AlarmType::SignalDegraded),
    ("signal-degrade", AlarmType::SignalDegraded),
    (
        "bit-error-rate-threshold-crossed",
        AlarmType::SignalDegraded,
    ),
    ("excessive-error-rate", AlarmType::SignalDegraded),
    ("temperature-unacceptable", AlarmType::TemperatureHigh),
    ("high-temperature", AlarmType::TemperatureHigh),
    ("equipment-over-temperature", AlarmType::TemperatureHigh),
    (
        "heating-ventilation-cooling-system-problem",
        AlarmType::TemperatureHigh,
    ),
    ("antenna-failure", AlarmType::AntennaMismatch),
    ("vswr-high", AlarmType::AntennaMismatch),
    (
        "clock-synchronisation-problem",
        AlarmType::ClockUnsynchronised,
    ),
    ("loss-of-synchronisation", AlarmType::ClockUnsynchronised),
    ("timing-problem", AlarmType::ClockUnsynchronised),
    ("clock-unsynchronized", AlarmType::ClockUnsynchronised),
    ("bandwidth-reduced", AlarmType::Congestion),
    ("queue-size-exceeded", AlarmType::Congestion),
    ("threshold-crossed-drops", AlarmType::Congestion),
    ("transmit-power-low", AlarmType::OpticalPowerLow),
    ("laser-degraded", AlarmType::OpticalPowerLow),
    ("transmitter-failure", AlarmType::OpticalPowerLow),
    ("cell-down", AlarmType::CellUnavailable),
    ("cell-out-of-service", AlarmType::CellUnavailable),
    ("excessive-interference", AlarmType::InterferenceHigh),
    ("battery-failure", AlarmType::BatteryLow),
    ("battery-discharging", AlarmType::BatteryLow),
];

/// Why a mapping cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AlarmTypeError {
    /// The type on our side has no such name.
    #[error("'{ours}' is no alarm type; there are {known}")]
    Ours {
        /// The name given.
        ours: String,
        /// All names.
        known: String,
    },
    /// The key is no identity.
    #[error("'{0}' is no identity: a name, or module:name, of at most 256 bytes")]
    Identity(String),
    /// There are too many.
    #[error("a mapping has at most {ENTRIES} entries")]
    TooMany,
}

/// A mapping from foreign alarm types to ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlarmTypeMap {
    given: BTreeMap<String, AlarmType>,
}

impl AlarmTypeMap {
    /// The mapping with these entries, `identity` or `module:identity` and the name of a type of
    /// ours, above the usual ones.
    ///
    /// # Errors
    /// [`AlarmTypeError`] for the first entry that cannot be used.
    pub fn new<'a>(
        entries: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, AlarmTypeError> {
        let mut given = BTreeMap::new();
        for (identity, ours) in entries {
            if !is_identifier(identity) || identity.contains(char::is_whitespace) {
                return Err(AlarmTypeError::Identity(identity.to_owned()));
            }
            let known = || AlarmType::ALL.map(AlarmType::as_str).join(", ");
            let ours = AlarmType::parse(ours).ok_or_else(|| AlarmTypeError::Ours {
                ours: ours.to_owned(),
                known: known(),
            })?;
            given.insert(identity.to_owned(), ours);
            if given.len() > ENTRIES {
                return Err(AlarmTypeError::TooMany);
            }
        }
        Ok(Self { given })
    }

    /// Our type for a foreign one.
    pub fn ours(&self, foreign: &YangIdentity) -> AlarmType {
        let exact = self.given.get(&foreign.to_string());
        let given = exact.or_else(|| self.given.get(&foreign.name));
        given.copied().unwrap_or_else(|| usual(&foreign.name))
    }
}

fn usual(name: &str) -> AlarmType {
    let name = kebab(name);
    AlarmType::parse(&name).unwrap_or_else(|| {
        let found = USUAL.iter().find(|(known, _)| *known == name);
        found.map_or(AlarmType::Unknown, |(_, ours)| *ours)
    })
}

/// `lossOfSignal`, `LOSS_OF_SIGNAL` and `Loss of signal` as `loss-of-signal`.
fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    let mut after_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            if !out.ends_with('-') && !out.is_empty() {
                out.push('-');
            }
            after_lower = false;
            continue;
        }
        if letter.is_uppercase() && after_lower {
            out.push('-');
        }
        after_lower = letter.is_lowercase() || letter.is_numeric();
        out.extend(letter.to_lowercase());
    }
    out.trim_end_matches('-').to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn identity(module: &str, name: &str) -> YangIdentity {
        YangIdentity {
            module: module.to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn names_are_one_however_they_are_written() {
        let usual = AlarmTypeMap::default();
        for name in ["loss-of-signal", "lossOfSignal", "LOSS_OF_SIGNAL", "Los"] {
            let ours = usual.ours(&identity("acme", name));
            assert_eq!(ours, AlarmType::LossOfSignal, "{name}");
        }
        let ours = |name| usual.ours(&identity("x733", name));
        assert_eq!(ours("powerProblem"), AlarmType::MainsFailure);
        assert_eq!(ours("temperatureUnacceptable"), AlarmType::TemperatureHigh);
        assert_eq!(ours("flux-capacitor"), AlarmType::Unknown);
    }

    #[test]
    fn our_own_types_map_by_themselves() {
        for own in AlarmType::ALL {
            let ours = AlarmTypeMap::default().ours(&identity("convoke-ems", own.as_str()));
            assert_eq!(ours, own);
        }
    }

    #[test]
    fn what_is_given_goes_first_and_the_module_before_the_bare_name() {
        let map = AlarmTypeMap::new([
            ("loss-of-signal", "link-down"),
            ("acme:loss-of-signal", "card-failure"),
        ]);
        let map = map.unwrap();
        let ours = |module| map.ours(&identity(module, "loss-of-signal"));
        assert_eq!(ours("acme"), AlarmType::CardFailure);
        assert_eq!(ours("other"), AlarmType::LinkDown);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let wrong = AlarmTypeMap::new([("acme:x", "explosion")]).unwrap_err();
        let wrong = wrong.to_string();
        assert!(
            wrong.starts_with("'explosion' is no alarm type; there are loss-of-signal, "),
            "{wrong}"
        );
        assert!(AlarmTypeMap::new([("a b", "link-down")]).is_err());
    }
}
