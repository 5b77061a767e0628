//! The command line of `convoke demo`, `convoke simulate` and `convoke learn`.

use super::Platform;
use arena::practice::PracticeSetting;
use arena::second_world::OTHER;
use clap::{Args, Subcommand};
use network::TelemetryErrors;
use network::errors::KEYS;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct Demo {
    #[command(subcommand)]
    pub(crate) play: Option<Play>,
    /// Step through a run that was recorded with --record: a key or an empty line goes on, a number
    /// goes on by so many lines, q quits.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Play {
    /// Use case 1 of the draft: a batch of base stations goes out of service.
    Fault(Story),
    /// Use case 2: a base station goes out of service at night, while its neighbours sleep.
    Experience(Story),
    /// Use case 3: drivers complain, in English and Chinese.
    Complaints(Story),
    /// All of it at once: a day with faults, energy saving and complaints.
    All(Story),
}

/// The network, and the fault in it.
#[derive(Args, Clone)]
pub(crate) struct Stage {
    /// The IP backbone: a name (Germany50, Geant, Chinanet, ...) or a file in Convoke's own format,
    /// GraphML, SNDlib or node-link JSON.
    #[arg(
        long,
        env = "CONVOKE_TOPOLOGY",
        default_value = "Germany50",
        value_name = "FILE|NAME"
    )]
    pub(crate) topology: String,
    /// The fault of a scenario: random, or a cause as in `fault inject --help`, optionally with an
    /// element after a colon; for `simulate` also each: every cause in turn, of any size.
    #[arg(long, default_value = "random", value_name = "KIND[:ELEMENT]")]
    pub(crate) fault: String,
    /// Background alarms replayed from a file instead of random ones: CSV with alarm_id, device_id,
    /// start_timestamp and end_timestamp in seconds.
    #[arg(long, value_name = "FILE")]
    pub(crate) alarms: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) world: WorldFlags,
}

/// How far telemetry, measurements and documents err.
#[derive(Args, Clone)]
pub(crate) struct WorldFlags {
    /// The world: ideal, or erring, with false, late, lost and misattributed alarms, measurements
    /// that err and fail, and documents that are wrong. Days that are simulated or recorded as
    /// streams are in the erring one, all else in the ideal one unless this says otherwise. For
    /// `simulate --days` and `eval faults` also other: a network that is differently built, whose alarms
    /// have names of their own, and which is diagnosed by what was learnt from its unlabelled past.
    #[arg(long, value_name = "ideal|erring|other")]
    pub(crate) world: Option<String>,
    /// What differs from that world; the keys are listed by --help.
    #[arg(long, value_name = "KEY=VALUE,...", long_help = errors_help())]
    pub(crate) errors: Option<String>,
}

impl WorldFlags {
    /// True if the second world is asked for.
    pub(crate) fn is_other(&self) -> bool {
        self.world.as_deref() == Some(OTHER)
    }

    /// The errors that are asked for; `otherwise` if no world is named. What is wrong is said in words.
    pub(crate) fn errors(&self, otherwise: TelemetryErrors) -> Result<TelemetryErrors, String> {
        let mut errors = match &self.world {
            None => otherwise,
            Some(name) => TelemetryErrors::of_world(name).ok_or_else(|| {
                let known = TelemetryErrors::WORLDS.join(" and ");
                format!("'{name}' is no world; there are {known}")
            })?,
        };
        if let Some(settings) = &self.errors {
            let set = errors.set_all(settings);
            set.map_err(|e| format!("--errors {e}"))?;
        }
        Ok(errors)
    }
}

/// The help of `--errors`, with every key and its range.
fn errors_help() -> String {
    let keys = KEYS.iter().map(|key| {
        let (least, most) = key.range;
        format!("  {:<15} {least} to {most}: {}\n", key.name, key.words)
    });
    format!(
        "What differs from that world, for example false-alarms=60,lost=0.33:\n{}",
        keys.collect::<String>().trim_end()
    )
}

#[derive(Args)]
pub(crate) struct Story {
    #[command(flatten)]
    pub(crate) stage: Stage,
    #[command(flatten)]
    pub(crate) platform: Platform,
    /// Seed of network, noise and random events: the same seed gives the same run.
    #[arg(long, env = "CONVOKE_SEED", default_value = "6", value_name = "N")]
    pub(crate) seed: u64,
    /// Exit at the end instead of keeping the platform running, and do not wait for readers;
    /// default without a terminal.
    #[arg(long)]
    pub(crate) headless: bool,
    /// Keep the platform running at the end even without a terminal.
    #[arg(long, conflicts_with = "headless")]
    pub(crate) stay: bool,
    /// Start with an empty store if the state folder has been used before.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Simulated seconds per second.
    #[arg(long, default_value = "600", value_name = "N")]
    pub(crate) speed: f64,
    /// Open the console in the browser of this machine.
    #[arg(long)]
    pub(crate) open: bool,
    /// Record the run, for --replay.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write a page about the run: map, timeline, messages.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Simulate {
    #[command(flatten)]
    pub(crate) stage: Stage,
    /// The first seed.
    #[arg(long, env = "CONVOKE_SEED", default_value = "1", value_name = "N")]
    pub(crate) seed: u64,
    /// The number of seeds; or a range, FIRST..LAST with both included.
    #[arg(long, default_value = "20", value_name = "N|A..B")]
    pub(crate) seeds: Seeds,
    /// Number of base-station sites.
    #[arg(long, default_value = "300", value_name = "N")]
    pub(crate) sites: usize,
    /// Run whole days with faults, energy saving and complaints, instead of a scenario with one
    /// fault.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=365))]
    pub(crate) days: Option<u32>,
    /// The operator of the network in those days, or with --fault each: agents; manual, as in today's
    /// operations, with energy saving by the clock; correlated, the same with the best yardstick as an umbrella
    /// correlator; none, manual without energy saving. Several are compared.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "agents",
        value_name = "NAME,..."
    )]
    pub(crate) policy: Vec<String>,
    /// How long a stage of people's work takes, in minutes, as notice=2..10 or notice=5; again for
    /// each stage. A wrong stage names those that there are.
    #[arg(long, value_name = "KEY=MINUTES", conflicts_with = "out")]
    pub(crate) practice: Vec<PracticeSetting>,
    /// Play the days by people (the last policy that is people's, else manual) with each stage of
    /// their work at its low and at its high range, and show what moves.
    #[arg(long, requires = "days", conflicts_with_all = ["out", "html"])]
    pub(crate) sweep_practice: bool,
    /// Keep the scores in this file, one line each, and resume from it if it exists.
    #[arg(long, value_name = "FILE", requires = "days")]
    pub(crate) out: Option<PathBuf>,
    /// Write a page with the scores, their confidence intervals and pictures.
    #[arg(long, value_name = "FILE", requires = "days")]
    pub(crate) html: Option<PathBuf>,
    /// Play the same seeds at each of these values of one error of the world, as in --errors, and
    /// show how the score falls: false-alarms=0,30,60.
    #[arg(long, value_name = "KEY=A,B,...", requires = "days")]
    pub(crate) sweep: Option<String>,
    /// File with the agents' weights of causes, as written by `learn`, instead of the shipped ones.
    #[arg(long, env = "CONVOKE_KNOWLEDGE", value_name = "FILE")]
    pub(crate) knowledge: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) other: OtherFlags,
}

/// What is only of the second world.
#[derive(Args)]
pub(crate) struct OtherFlags {
    /// In the world other: what agents know, a document as written by `learn history`; without it, it is
    /// learnt from thirty unlabelled days of that world.
    #[arg(long, value_name = "FILE")]
    pub(crate) learnt: Option<PathBuf>,
    /// In the world other: play nothing, but write the unlabelled days of the first seed into this
    /// folder, as `learn history` reads them: alarms.csv and links.txt.
    #[arg(long, value_name = "DIR")]
    pub(crate) history: Option<PathBuf>,
    /// In the world other: the seed of its network. On network 1 the reasoning was designed.
    #[arg(long, value_name = "N")]
    pub(crate) network: Option<u64>,
    /// In the world other: the seed of the thirty unlabelled days, one to learn from (50001 to 50200).
    #[arg(long, value_name = "N", conflicts_with = "history")]
    pub(crate) past: Option<u64>,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Learn {
    #[command(subcommand)]
    pub(crate) from: Option<LearnFrom>,
    /// The seeds: different from those that will be scored.
    #[arg(long, default_value = "50001..50100", value_name = "N|A..B")]
    pub(crate) seeds: Seeds,
    #[command(flatten)]
    pub(crate) played: DayFlags,
    /// The file to write; an existing one is replaced.
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum LearnFrom {
    /// Learn which alarm types cause which from a history of alarms: no labels, no training days.
    History(History),
    /// Tune the yardsticks that agents are compared with, and the agents' own alarm correlation, to the
    /// same budget of wrong statements on recorded days.
    Yardsticks(Yardsticks),
    /// Fit the energy of radio units to the public energy set, and compare with what ships.
    Energy(LearnEnergy),
}

/// The days that are learnt from or recorded, but for their seeds.
#[derive(Args)]
pub(crate) struct DayFlags {
    /// The IP backbone, a name or a file, as in `simulate`.
    #[arg(
        long,
        env = "CONVOKE_TOPOLOGY",
        default_value = "Germany50",
        value_name = "FILE|NAME"
    )]
    pub(crate) topology: String,
    /// Background alarms replayed from a file instead of random ones, as in `simulate`.
    #[arg(long, value_name = "FILE")]
    pub(crate) alarms: Option<PathBuf>,
    /// The number of days per seed.
    #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=365))]
    pub(crate) days: u32,
    /// Number of base-station sites.
    #[arg(long, default_value = "300", value_name = "N")]
    pub(crate) sites: usize,
    #[command(flatten)]
    pub(crate) world: WorldFlags,
}

#[derive(Args)]
pub(crate) struct Yardsticks {
    /// The seeds: different from those that will be scored.
    #[arg(long, default_value = "50001..50040", value_name = "N|A..B")]
    pub(crate) seeds: Seeds,
    #[command(flatten)]
    pub(crate) played: DayFlags,
    /// The budget of each policy: wrong statements a day.
    #[arg(long, default_value = "1", value_name = "N")]
    pub(crate) wrong_per_day: f64,
    /// The JSON document to write; an existing one is replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct LearnEnergy {
    /// The folder with BSinfo.csv, CLdata.csv and ECdata.csv of the ITU AI/ML in 5G Challenge 2023;
    /// at most 256 MiB each.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Write the fit as a JSON document as well; an existing one is replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct History {
    /// The history: CSV with alarm_id, device_id, start_timestamp and end_timestamp, names or
    /// numbers, times in seconds; at most 1 GiB.
    #[arg(long, value_name = "FILE")]
    pub(crate) alarms: PathBuf,
    /// Which devices are adjacent: a square matrix of 0 and 1 in NumPy's format (.npy), whose rows
    /// are the devices 0, 1, 2, …; or text, a link A,B on each line.
    #[arg(long, value_name = "FILE")]
    pub(crate) topology: Option<PathBuf>,
    /// The JSON document to write; an existing one is replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Draw the graph as well, as SVG.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// A selection of seeds: a number of them, or a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seeds {
    Count(u64),
    Range(u64, u64),
}

impl Seeds {
    /// The seeds; a number of them starts with `first`.
    pub(crate) fn from(self, first: u64) -> impl Iterator<Item = u64> {
        match self {
            Self::Count(count) => first..first.saturating_add(count),
            Self::Range(from, to) => from..to.saturating_add(1),
        }
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<u64>();
        let wrong = || format!("'{text}' is neither a number nor FIRST..LAST");
        match text.split_once("..") {
            None => number(text).map(Self::Count).map_err(|_| wrong()),
            Some((from, to)) => {
                let (from, to) = (number(from), number(to));
                let (Ok(from), Ok(to)) = (from, to) else {
                    return Err(wrong());
                };
                match from <= to {
                    true => Ok(Self::Range(from, to)),
                    false => Err(format!("'{text}' ends before it begins")),
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_the_help_and_a_wrong_one_is_refused() {
        let help = errors_help();
        assert!(KEYS.iter().all(|key| help.contains(key.name)), "{help}");
        let flags = |world: Option<&str>, errors: Option<&str>| {
            let flags = WorldFlags {
                world: world.map(str::to_owned),
                errors: errors.map(str::to_owned),
            };
            flags.errors(TelemetryErrors::erring())
        };
        let told = |world, errors| flags(world, errors).map(|e| e.to_string()).ok();
        assert_eq!(told(None, None).as_deref(), Some("erring"));
        let ideal = told(Some("ideal"), Some("lost=0.5"));
        assert_eq!(ideal.as_deref(), Some("ideal lost=0.5"));
        assert_eq!(told(Some("perfect"), None), None);
        assert_eq!(told(None, Some("rain=1")), None);
    }

    #[test]
    fn seeds_are_counted_or_named() {
        let seeds = |text: &str| {
            let seeds: Result<Seeds, String> = text.parse();
            seeds.map(|s| s.from(7).collect::<Vec<_>>())
        };
        assert_eq!(seeds("3").unwrap(), [7, 8, 9]);
        assert_eq!(seeds("1..3").unwrap(), [1, 2, 3]);
        assert_eq!(seeds("5..5").unwrap(), [5]);
        for wrong in ["", "x", "1..", "..3", "3..1", "1..2..3"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }
}
