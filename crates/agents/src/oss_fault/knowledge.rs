//! Causal knowledge in numbers: how surely and how fast a cause shows itself in alarms.
//!
//! Which alarms follow from what is topology ([`crate::topology`]) and not learnt. Learnt is, for
//! each type of alarm, how often a true one is reported in the end, how often one stands for
//! another reason, and how long it takes; how often batteries end before mains is back; and how
//! often each cause strikes. [`Knowledge::default`] is set by hand; [`Knowledge::learn`] corrects
//! it by episodes of which the cause is known, as training seeds of a simulation give them, or a
//! record of closed tickets. The hand-set figures weigh as much as [`PRIOR`] observations, so that
//! few episodes move little. [`Knowledge::in_force`] is what the agent goes by: the text beside the
//! code.
//!
//! A figure learnt on the simulated network says how that network reports, and nothing of a real
//! one. Read next: [`super::correlation`].

use domain::cause::Cause;
use domain::telemetry::AlarmType;
use std::collections::BTreeMap;
use std::fmt;

/// How many observations a figure set by hand weighs.
pub const PRIOR: f64 = 20.0;

/// What is known of alarms of a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// The chance that a true one is reported in the end, above 0 and below 1.
    pub seen: f64,
    /// The chance that one stands on a given element for another reason, above 0 and below 1.
    pub chance: f64,
    /// Seconds until most true ones have arrived.
    pub delay_s: f64,
}

impl Odds {
    /// Of a type that says nothing for or against any cause.
    const SILENT: Self = Self {
        seen: 0.5,
        chance: 0.5,
        delay_s: 60.0,
    };
}

/// How surely an alarm follows from a cause, beside whether it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It follows.
    Sure,
    /// Only if the battery ends before mains is back.
    Battery,
    /// On a link of which both ends are cut off: it shows late, if at all.
    Isolated,
    /// A site may have stopped for want of power, or not.
    Half,
}

/// All figures by which causes are weighed.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    odds: BTreeMap<AlarmType, Odds>,
    /// Seconds after the onset within which a fault's alarms are noticed.
    pub window_s: f64,
    /// The same where mains has gone: batteries hold for a while.
    pub power_window_s: f64,
    /// Seconds before the onset within which a warning belongs to it.
    pub forewarning_s: f64,
    /// The chance that a site without mains goes out before mains is back.
    pub battery_ends: f64,
    /// The chance that a link with both ends cut off is reported at all.
    pub isolated_seen: f64,
    frequency: BTreeMap<Cause, f64>,
}

/// How often one site has trouble of its own, on the scale of [`Knowledge::frequency`].
pub const FREQUENCY_ALONE: f64 = 60.0;

impl Default for Knowledge {
    fn default() -> Self {
        use AlarmType::*;
        let odds = [
            (LossOfSignal, 0.92, 0.002, 60.0),
            (LinkDown, 0.92, 0.002, 60.0),
            (CardFailure, 0.65, 0.0005, 60.0),
            (NodeUnreachable, 0.92, 0.0005, 150.0),
            (SiteUnreachable, 0.92, 0.01, 200.0),
            (CellsOutOfService, 0.92, 0.004, 200.0),
            (MainsFailure, 0.88, 0.002, 60.0),
            (OpticalPowerLow, 0.92, 0.0002, 120.0),
        ];
        let odds = odds.map(|(alarm_type, seen, chance, delay_s)| {
            let odds = Odds {
                seen,
                chance,
                delay_s,
            };
            (alarm_type, odds)
        });
        // What fails most in practice, by the experience of field forces: an order rather than a
        // measure, of use between causes that explain equally well.
        let frequency = [
            (Cause::FibreCut, 100.0),
            (Cause::MainsFailure, 40.0),
            (Cause::DuctCut, 20.0),
            (Cause::CardFailure, 10.0),
            (Cause::RouterFailure, 5.0),
            (Cause::OpticalModuleAgeing, 3.0),
        ];
        Self {
            odds: odds.into(),
            window_s: 300.0,
            power_window_s: 3_600.0,
            forewarning_s: 86_400.0,
            battery_ends: 0.6,
            isolated_seen: 0.2,
            frequency: frequency.into(),
        }
    }
}

/// An alarm that topology let one expect of a known cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Followed {
    /// Its type.
    pub alarm_type: AlarmType,
    /// How surely it follows.
    pub certainty: Certainty,
    /// Seconds from the onset to the instant at which it was noticed; none if it never was. A
    /// warning comes before the onset and has a negative delay.
    pub delay_s: Option<f64>,
}

/// A fault of which the cause is known, and what was seen of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// What it was.
    pub cause: Cause,
    /// Every alarm that should have followed.
    pub followed: Vec<Followed>,
    /// By type: how many alarms stood that did not follow from it, and on how many elements one
    /// could have stood.
    pub others: BTreeMap<AlarmType, (u64, u64)>,
}

impl Knowledge {
    /// What is known of alarms of a type.
    pub fn odds(&self, alarm_type: AlarmType) -> Odds {
        self.odds.get(&alarm_type).copied().unwrap_or(Odds::SILENT)
    }

    /// How often a cause strikes, on a scale of its own; 1 for those of which nothing is known.
    pub fn frequency(&self, cause: Cause) -> f64 {
        self.frequency.get(&cause).copied().unwrap_or(1.0)
    }

    /// The chance that an alarm which follows with this certainty is reported.
    pub fn seen(&self, alarm_type: AlarmType, certainty: Certainty) -> f64 {
        let follows = match certainty {
            Certainty::Sure => 1.0,
            Certainty::Battery => self.battery_ends,
            Certainty::Isolated => self.isolated_seen,
            Certainty::Half => 0.5,
        };
        follows * self.odds(alarm_type).seen
    }

    /// Corrects the hand-set figures by episodes, whose order does not matter. Without any, nothing
    /// changes.
    pub fn learn(episodes: &[Episode]) -> Self {
        let mut learnt = Self::default();
        let hand_set = learnt.clone();
        for (alarm_type, odds) in &mut learnt.odds {
            let of_type = |f: &&Followed| f.alarm_type == *alarm_type;
            let all = || episodes.iter().flat_map(|e| &e.followed).filter(of_type);
            let sure = || all().filter(|f| f.certainty == Certainty::Sure);
            odds.seen = share(sure().map(|f| f.delay_s.is_some()), odds.seen);
            let delays: Vec<f64> = sure().filter_map(|f| f.delay_s).collect();
            odds.delay_s = quantile(delays, 0.9).unwrap_or(odds.delay_s).max(1.0);
            let others = episodes.iter().filter_map(|e| e.others.get(alarm_type));
            let (stood, places) = others.fold((0, 0), |(s, p), (a, b)| (s + a, p + b));
            odds.chance = corrected(stood as f64, places as f64, odds.chance, 1_000.0);
        }
        let follows = |certainty: Certainty, hand_set_share: f64| {
            let all = episodes.iter().flat_map(|e| &e.followed);
            let mut counts = (0.0, 0.0);
            for f in all.filter(|f| f.certainty == certainty) {
                counts.0 += f64::from(u8::from(f.delay_s.is_some()));
                counts.1 += hand_set.odds(f.alarm_type).seen;
            }
            corrected(counts.0, counts.1, hand_set_share, PRIOR)
        };
        learnt.battery_ends = follows(Certainty::Battery, hand_set.battery_ends);
        learnt.isolated_seen = follows(Certainty::Isolated, hand_set.isolated_seen);
        learnt.learn_windows(episodes);
        learnt.learn_frequencies(episodes);
        learnt
    }

    /// A window holds all but one in a hundred of the alarms, and a minute more.
    fn learn_windows(&mut self, episodes: &[Episode]) {
        let delays = |power: bool| -> Vec<f64> {
            let ours = episodes
                .iter()
                .filter(|e| (e.cause == Cause::MainsFailure) == power);
            let followed = ours.flat_map(|e| &e.followed);
            let noticed = followed.filter_map(|f| f.delay_s);
            noticed.filter(|s| *s >= 0.0).collect()
        };
        let window = |power| quantile(delays(power), 0.99).map(|s| s + 60.0);
        self.window_s = window(false).unwrap_or(self.window_s).max(60.0);
        self.power_window_s = window(true).unwrap_or(self.power_window_s);
        self.power_window_s = self.power_window_s.max(self.window_s);
    }

    fn learn_frequencies(&mut self, episodes: &[Episode]) {
        let hand_set: f64 = self.frequency.values().sum();
        let all = PRIOR + episodes.len() as f64;
        for cause in Cause::ALL {
            let struck = episodes.iter().filter(|e| e.cause == cause).count() as f64;
            let before = self.frequency.get(&cause).copied().unwrap_or_default();
            let now = (PRIOR * before / hand_set + struck) / all * hand_set;
            if now > 0.0 {
                self.frequency.insert(cause, now);
            }
        }
    }
}

/// The share of what is true, with the hand-set share as [`PRIOR`] observations; never 0 nor 1.
fn share(observed: impl Iterator<Item = bool>, hand_set: f64) -> f64 {
    let mut counts = (0.0, 0.0);
    for happened in observed {
        counts.0 += f64::from(u8::from(happened));
        counts.1 += 1.0;
    }
    corrected(counts.0, counts.1, hand_set, PRIOR)
}

fn corrected(happened: f64, of: f64, hand_set: f64, prior: f64) -> f64 {
    ((happened + prior * hand_set) / (of + prior)).clamp(1e-6, 0.999)
}

/// The value below which the share `p` of the values lie; none of fewer than [`PRIOR`].
fn quantile(mut values: Vec<f64>, p: f64) -> Option<f64> {
    if (values.len() as f64) < PRIOR {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    values.get((p * last as f64).round() as usize).copied()
}

/// Why a text is no knowledge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotKnowledge {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

const SHIPPED: &str = include_str!("../../knowledge/in-force.txt");

impl Knowledge {
    /// What the agent goes by: `knowledge/in-force.txt` as it was when the program was built.
    pub fn in_force() -> Self {
        Self::parse(SHIPPED).expect("a test reads the knowledge that ships")
    }

    /// Reads what [`fmt::Display`] writes: a figure on each line, `#` before remarks; what is not
    /// said is as set by hand.
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

    fn take(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            [] => {}
            [
                "alarm",
                name,
                "seen",
                seen,
                "chance",
                chance,
                "delay-s",
                delay,
            ] => {
                let alarm_type =
                    AlarmType::parse(name).ok_or_else(|| format!("no alarm is called {name}"))?;
                let odds = Odds {
                    seen: probability(seen)?,
                    chance: probability(chance)?,
                    delay_s: positive(delay)?,
                };
                self.odds.insert(alarm_type, odds);
            }
            ["cause", name, "frequency", figure] => {
                let cause =
                    Cause::parse(name).ok_or_else(|| format!("no cause is called {name}"))?;
                self.frequency.insert(cause, positive(figure)?);
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
        for (alarm_type, odds) in &self.odds {
            let Odds {
                seen,
                chance,
                delay_s,
            } = odds;
            let name = alarm_type.as_str();
            writeln!(
                f,
                "alarm {name} seen {seen} chance {chance} delay-s {delay_s}"
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

#[cfg(test)]
mod tests;
