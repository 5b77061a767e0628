//! The command line of `convoke fault`.

use super::Remote;
use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use network::FaultTerms;
use std::str::FromStr;

#[derive(Subcommand)]
pub(crate) enum FaultCommand {
    /// Inject a fault, now.
    #[command(after_help = kinds())]
    Inject(Inject),
    /// List the faults: the truth, which no agent can see.
    List {
        /// Also those that are over.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// Repair a fault at once.
    Clear {
        /// Its number, from `fault list`.
        id: u32,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Args)]
pub(crate) struct Inject {
    /// The fault: a kind, and optionally an element after a colon: router-failure:Berlin.
    #[arg(value_name = "KIND[:ELEMENT]")]
    pub(crate) what: What,
    /// Duration, e.g. 90s, 45m, 2h, from a minute to a week: until the mains are back, interference
    /// or congestion is over, or an optical module is dark.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) duration: Option<u32>,
    /// Strength of interference, or fill of a congested link.
    #[arg(long, value_name = "HOW")]
    pub(crate) severity: Option<Degree>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// A kind of fault, and optionally an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct What {
    /// The kind; none for anything that takes a batch of sites out of service.
    pub(crate) kind: Option<Cause>,
    pub(crate) element: Option<ElementId>,
}

/// The name of a random kind of fault.
const RANDOM: &str = "random";

impl FromStr for What {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, element) = match text.split_once(':') {
            Some((name, element)) => (name, Some(element)),
            None => (text, None),
        };
        let kind = match name {
            RANDOM => None,
            _ => Some(
                Cause::parse(name)
                    .filter(|kind| kind.is_simulated())
                    .ok_or_else(|| {
                        let names: Vec<&str> = Cause::simulated().map(Cause::as_str).collect();
                        format!("'{name}' is none of {RANDOM}, {}", names.join(", "))
                    })?,
            ),
        };
        let element = match (element, kind) {
            (None, _) => None,
            (Some(""), _) => return Err("after the colon comes an element".to_owned()),
            (Some(element), Some(kind)) => Some(completed(kind, element)),
            (Some(_), None) => return Err(format!("{RANDOM} chooses the element itself")),
        };
        Ok(Self { kind, element })
    }
}

/// The element's name, with the prefix of the element kind that `cause` strikes if it has none; the
/// platform checks that it exists and is of that kind.
fn completed(cause: Cause, element: &str) -> ElementId {
    match element.contains(':') {
        true => ElementId::new(element),
        false => ElementId::new(format!("{}:{element}", cause.strikes().as_str())),
    }
}

/// A severity, by the names of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Degree(pub(crate) Severity);

impl ValueEnum for Degree {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self(Severity::Minor),
            Self(Severity::Major),
            Self(Severity::Critical),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()))
    }
}

/// Parses a duration in seconds, minutes or hours; without a unit, seconds.
fn seconds(text: &str) -> Result<u32, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        other => return Err(format!("'{other}' is none of s, m, h and d")),
    };
    let wrong = || format!("'{text}' is no duration such as 90s, 45m or 2h");
    let number: u32 = digits.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(unit).ok_or_else(wrong)?;
    let (least, most) = FaultTerms::LASTS_S;
    match (least..=most).contains(&f64::from(seconds)) {
        true => Ok(seconds),
        false => Err("it must be a minute to a week".to_owned()),
    }
}

/// The kinds of fault, with the elements they strike and the flags they take, for the help text.
fn kinds() -> String {
    let rows: Vec<String> = Cause::simulated().map(row).collect();
    format!(
        "Kinds, and what each strikes:\n  {RANDOM:<22} any of the first five\n{}",
        rows.join("\n")
    )
}

fn row(cause: Cause) -> String {
    let duration = FaultTerms {
        lasts_s: Some(FaultTerms::LASTS_S.0),
        ..FaultTerms::default()
    };
    let severity = FaultTerms {
        severity: Some(Severity::Major),
        ..FaultTerms::default()
    };
    let flags = [(duration, " --duration"), (severity, " --severity")].into_iter();
    let taken = flags.filter(|(terms, _)| terms.check(cause).is_ok());
    let flags: String = taken.map(|(_, flag)| flag).collect();
    let row = format!(
        "  {:<22} {:<6} {flags}",
        cause.as_str(),
        cause.strikes().as_str()
    );
    row.trim_end().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_is_named_and_completed() {
        let read = |text: &str| match text.parse::<What>() {
            Ok(What { kind, element }) => {
                let kind = kind.map_or(RANDOM, Cause::as_str);
                format!(
                    "{kind} {}",
                    element.map_or_else(String::new, |e| e.to_string())
                )
            }
            Err(why) => why,
        };
        for (text, said) in [
            ("random", "random "),
            ("congestion", "congestion "),
            ("router-failure:Berlin", "router-failure router:Berlin"),
            (
                "router-failure:router:Berlin",
                "router-failure router:Berlin",
            ),
            ("card-failure:Berlin/2", "card-failure card:Berlin/2"),
            ("mains-failure:link:X", "mains-failure link:X"),
            ("fibre-cut:", "after the colon comes an element"),
            ("random:link:X", "random chooses the element itself"),
        ] {
            assert_eq!(read(text), said);
        }
        assert!(read("flood").starts_with("'flood' is none of random, fibre-cut, "));
    }

    #[test]
    fn durations_have_units_and_bounds() {
        for (text, s) in [
            ("90", 90),
            ("90s", 90),
            ("45m", 2_700),
            ("2h", 7_200),
            ("7d", 604_800),
        ] {
            assert_eq!(seconds(text), Ok(s));
        }
        for wrong in [
            "",
            "59",
            "8d",
            "h",
            "1.5h",
            "-1h",
            "2w",
            "99999999h",
            "1h30",
        ] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_help_lists_every_kind_with_what_it_strikes() {
        insta::assert_snapshot!(kinds(), @r"
        Kinds, and what each strikes:
          random                 any of the first five
          fibre-cut              link
          duct-cut               duct
          card-failure           card
          router-failure         router
          mains-failure          zone    --duration
          optical-module-ageing  optic   --duration
          cell-hardware-failure  cell
          misconfiguration       cell
          interference           cell    --duration --severity
          congestion             link    --duration --severity
        ");
    }
}
