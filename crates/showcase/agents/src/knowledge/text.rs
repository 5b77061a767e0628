//! Knowledge as a text: a figure on each line, `#` before remarks.
//!
//! | line | says |
//! |---|---|
//! | `alarm TYPE seen P delay-s S chance F lasts-s S` | [`Odds`] of a type |
//! | `cause CAUSE alarm TYPE seen P delay-s S` | what is peculiar to a cause |
//! | `cause CAUSE frequency N` | how often it strikes |
//! | `window-s`, `power-window-s`, `forewarning-s`, `battery-ends`, `isolated-seen` | the figure of that name |
//!
//! What is not said is as set by hand. Refuses to know where a text comes from: files are their
//! reader's. Read next: [`super::learning`].

use super::{Effect, Knowledge, Odds};
use crate::learnt_causes::LearntCauses;
use domain::cause::Cause;
use domain::telemetry::AlarmType;
use std::fmt;
use std::sync::Arc;

/// The reason why a text is no knowledge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotKnowledge {
    /// The line, from 1.
    pub line: usize,
    /// Its fault.
    pub why: String,
}

pub(super) const SHIPPED: &str = include_str!("../../knowledge/in-force.txt");

impl Knowledge {
    /// The knowledge that ships: `knowledge/in-force.txt` as it was when the program was built.
    pub fn in_force() -> Self {
        Self::parse(SHIPPED).expect("a test reads the knowledge that ships")
    }

    /// The knowledge that ships, with what a history taught of alarm types that have no name here.
    pub fn in_force_with(learnt: LearntCauses) -> Self {
        Self {
            learnt: Some(Arc::new(learnt)),
            ..Self::in_force()
        }
    }

    /// Reads what [`fmt::Display`] writes.
    ///
    /// # Errors
    /// [`NotKnowledge`] with the first line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, NotKnowledge> {
        let mut knowledge = Self::default();
        for (number, line) in text.lines().enumerate() {
            let said = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = said.split_whitespace().collect();
            knowledge.take(&words).map_err(|why| NotKnowledge {
                line: number + 1,
                why,
            })?;
        }
        Ok(knowledge)
    }

    #[rustfmt::skip]
    fn take(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            [] => {}
            ["alarm", name, "seen", seen, "delay-s", delay, "chance", chance, "lasts-s", lasts] => {
                let odds = Odds {
                    effect: effect(seen, delay)?,
                    chance: probability(chance)?,
                    lasts_s: positive(lasts)?,
                };
                self.odds.insert(alarm_type(name)?, odds);
            }
            ["cause", name, "alarm", of_type, "seen", seen, "delay-s", delay] => {
                let key = (cause(name)?, alarm_type(of_type)?);
                self.effects.insert(key, effect(seen, delay)?);
            }
            ["cause", name, "frequency", figure] => {
                self.frequency.insert(cause(name)?, positive(figure)?);
            }
            ["window-s", figure] => self.window_s = positive(figure)?,
            ["power-window-s", figure] => self.power_window_s = positive(figure)?,
            ["forewarning-s", figure] => self.forewarning_s = positive(figure)?,
            ["battery-ends", figure] => self.battery_ends = probability(figure)?,
            ["isolated-seen", figure] => self.isolated_seen = probability(figure)?,
            other => return Err(format!("'{}' says nothing known", other.join(" "))),
        }
        Ok(())
    }
}

fn alarm_type(name: &str) -> Result<AlarmType, String> {
    AlarmType::parse(name).ok_or_else(|| format!("no alarm is called {name}"))
}

fn cause(name: &str) -> Result<Cause, String> {
    Cause::parse(name).ok_or_else(|| format!("no cause is called {name}"))
}

fn effect(seen: &str, delay_s: &str) -> Result<Effect, String> {
    Ok(Effect {
        seen: probability(seen)?,
        delay_s: positive(delay_s)?,
    })
}

fn positive(word: &str) -> Result<f64, String> {
    let number: Option<f64> = word.parse().ok();
    let fits = number.filter(|n| n.is_finite() && *n > 0.0);
    fits.ok_or_else(|| format!("'{word}' is no number above 0"))
}

fn probability(word: &str) -> Result<f64, String> {
    let fits = positive(word).ok().filter(|n| *n < 1.0);
    fits.ok_or_else(|| format!("'{word}' is no number between 0 and 1"))
}

impl fmt::Display for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (of_type, odds) in &self.odds {
            let (name, Effect { seen, delay_s }) = (of_type.as_str(), odds.effect);
            let Odds {
                chance, lasts_s, ..
            } = odds;
            writeln!(
                f,
                "alarm {name} seen {seen} delay-s {delay_s} chance {chance} lasts-s {lasts_s}"
            )?;
        }
        for ((cause, of_type), Effect { seen, delay_s }) in &self.effects {
            let name = of_type.as_str();
            writeln!(
                f,
                "cause {cause} alarm {name} seen {seen} delay-s {delay_s}"
            )?;
        }
        for (cause, frequency) in &self.frequency {
            writeln!(f, "cause {cause} frequency {frequency}")?;
        }
        writeln!(f, "window-s {}", self.window_s)?;
        writeln!(f, "power-window-s {}", self.power_window_s)?;
        writeln!(f, "forewarning-s {}", self.forewarning_s)?;
        writeln!(f, "battery-ends {}", self.battery_ends)?;
        writeln!(f, "isolated-seen {}", self.isolated_seen)
    }
}
