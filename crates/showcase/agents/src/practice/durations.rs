//! How long people take: every duration of today's practice, with the range in which it is assumed.
//!
//! Knows minutes and where they come from; refuses to know what is done in them. No published source
//! gives a network operations centre's time stage by stage. Public is what the stages come to
//! ("typically takes over one hour", draft-wang-nmrg-magent-im §2.1), so each of them is assumed, and
//! the table of `docs/score.md` shows what depends on it. Read next: [`super::shift`].

use super::shift::Minutes;
use std::fmt;
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A duration may be a week at most, in minutes.
const MINUTES_MOST: f64 = 10_080.0;

/// A stage of people's work whose duration is assumed.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PracticeStep {
    /// Until somebody sees an alarm that tells of lost service.
    Notice,
    /// Until a case is written: the list is sorted by hand.
    Sort,
    /// Checking a suspect from afar, before the measurement itself.
    Check,
    /// Telephoning another domain until it has looked.
    Telephone,
    /// Writing a ticket and finding an engineer.
    Ticket,
    /// Until an engineer who has arrived and calls is told what to do.
    Guide,
    /// Thinking again after a wrong dispatch.
    Rethink,
    /// Looking whether all is well after a repair.
    Look,
    /// Waiting for another repair before looking again.
    Wait,
    /// From one round through warnings and degraded cells to the next.
    MinorRound,
    /// Hunting a disturber: comparing what the cells around hear, before the measurements.
    Hunt,
    /// Reading a complaint.
    Read,
    /// Reading what its writer answered.
    ReadAgain,
    /// The second line looks a vehicle up in the signalling records.
    LookUp,
    /// Until a complaint about another province is on the desk there.
    Forward,
}

domain::named! {
    /// The name on the command line.
    PracticeStep
}

impl PracticeStep {
    /// The range taken unless another is set, in minutes.
    pub fn usual(self) -> Minutes {
        self.ranges()[1]
    }

    /// The low range of a sensitivity analysis, in minutes.
    pub fn low(self) -> Minutes {
        self.ranges()[0]
    }

    /// The high range of a sensitivity analysis, in minutes.
    pub fn high(self) -> Minutes {
        self.ranges()[2]
    }

    /// Low, usual, high.
    fn ranges(self) -> [Minutes; 3] {
        match self {
            Self::Notice => [(1.0, 2.0), (2.0, 10.0), (10.0, 30.0)],
            Self::Sort => [(2.0, 5.0), (10.0, 25.0), (20.0, 45.0)],
            Self::Check => [(3.0, 8.0), (10.0, 25.0), (20.0, 45.0)],
            Self::Telephone => [(5.0, 15.0), (20.0, 45.0), (45.0, 90.0)],
            Self::Ticket => [(2.0, 5.0), (5.0, 15.0), (15.0, 30.0)],
            Self::Guide => [(1.0, 3.0), (3.0, 10.0), (10.0, 20.0)],
            Self::Rethink | Self::Look => [(5.0, 10.0), (10.0, 20.0), (20.0, 40.0)],
            Self::Wait => [(10.0, 20.0), (30.0, 60.0), (60.0, 120.0)],
            Self::MinorRound => [(60.0, 60.0), (240.0, 240.0), (1_440.0, 1_440.0)],
            Self::Hunt => [(10.0, 20.0), (20.0, 60.0), (60.0, 180.0)],
            Self::Read => [(10.0, 20.0), (20.0, 40.0), (40.0, 60.0)],
            Self::ReadAgain => [(5.0, 10.0), (10.0, 20.0), (20.0, 40.0)],
            Self::LookUp => [(5.0, 15.0), (15.0, 40.0), (60.0, 240.0)],
            Self::Forward => [(10.0, 30.0), (30.0, 120.0), (480.0, 1_440.0)],
        }
    }
}

/// How long each stage takes, from shortest to longest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PracticeDurations([Minutes; PracticeStep::ALL.len()]);

impl Default for PracticeDurations {
    fn default() -> Self {
        Self(PracticeStep::ALL.map(PracticeStep::usual))
    }
}

impl PracticeDurations {
    /// The duration of a stage, in minutes: shortest and longest.
    pub fn of(&self, step: PracticeStep) -> Minutes {
        self.0[step as usize]
    }

    /// The same with another duration of one stage; one that is no range of 0 to 10,080 minutes, or
    /// a round after no time at all, changes nothing.
    #[must_use]
    pub fn with(mut self, step: PracticeStep, minutes: Minutes) -> Self {
        if fits(step, minutes) {
            self.0[step as usize] = minutes;
        }
        self
    }
}

fn fits(step: PracticeStep, (low, high): Minutes) -> bool {
    let least = match step {
        // A round after no time at all would never end.
        PracticeStep::MinorRound => 1.0,
        _ => 0.0,
    };
    low >= least && low <= high && high <= MINUTES_MOST
}

/// One duration as it is set: `notice=2..10`, or `notice=5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PracticeSetting {
    /// The stage.
    pub step: PracticeStep,
    /// Shortest and longest, in minutes.
    pub minutes: Minutes,
}

impl FromStr for PracticeSetting {
    type Err = String;

    /// # Errors
    /// Words that say which stages there are, or what a duration looks like.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("'{text}' is not KEY=MINUTES or KEY=LEAST..MOST"))?;
        let step = PracticeStep::parse(name).ok_or_else(|| {
            let known = PracticeStep::ALL.map(PracticeStep::as_str).join(", ");
            format!("'{name}' is no stage of practice; there are {known}")
        })?;
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let (low, high) = value.split_once("..").unwrap_or((value, value));
        let minutes = number(low).zip(number(high));
        match minutes.filter(|minutes| fits(step, *minutes)) {
            Some(minutes) => Ok(Self { step, minutes }),
            None => Err(format!(
                "'{value}' is no duration of '{name}': minutes, or LEAST..MOST, up to {MINUTES_MOST}"
            )),
        }
    }
}

impl fmt::Display for PracticeSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.minutes;
        match low == high {
            true => write!(f, "{}={low}", self.step.as_str()),
            false => write!(f, "{}={low}..{high}", self.step.as_str()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_range_is_in_order_and_can_be_set() {
        for step in PracticeStep::ALL {
            let [low, usual, high] = step.ranges();
            assert!(low.0 <= usual.0 && usual.0 <= high.0, "{step:?}");
            assert!(low.1 <= usual.1 && usual.1 <= high.1, "{step:?}");
            for minutes in [low, usual, high] {
                let setting = PracticeSetting { step, minutes };
                assert_eq!(setting.to_string().parse(), Ok(setting));
                let set = PracticeDurations::default().with(step, minutes);
                assert_eq!(set.of(step), minutes);
            }
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_in_words() {
        let refused = |text: &str| text.parse::<PracticeSetting>().unwrap_err();
        assert!(refused("notice").contains("KEY=MINUTES"));
        assert!(refused("tea=5").contains("minor-round"));
        for wrong in [
            "notice=x",
            "notice=9..2",
            "notice=-1",
            "notice=99999",
            "notice=NaN",
        ] {
            assert!(
                refused(wrong).contains("is no duration of 'notice'"),
                "{wrong}"
            );
        }
        assert!("minor-round=0".parse::<PracticeSetting>().is_err());
        assert!("notice=0".parse::<PracticeSetting>().is_ok());
    }
}
