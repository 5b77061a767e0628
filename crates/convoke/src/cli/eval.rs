//! The command line of `convoke eval`.

#[cfg(feature = "showcase")]
use super::{DayFlags, OtherFlags, Seeds};
use super::{Embedding, Reader};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum EvalCommand {
    /// Score a parser that maps utterances to payloads: joint accuracy, slots, spurious keys,
    /// calibration.
    Intents(Intents),
    /// Score an embedder that recognises texts of the same meaning: pairs, and the clusters that
    /// fire.
    Fragments(Fragments),
    /// Score the learning of causes from a history of alarms: precision, recall and F1 of directed
    /// edges, beside those of mere counting.
    #[cfg(feature = "showcase")]
    Alarms(Alarms),
    /// Score the diagnosis of recorded streams of alarms by every yardstick and by the agents' own alarm
    /// correlation, which cannot act upon them: named first, precision, F1, wrong statements a day, each
    /// with its interval, and each policy against the best yardstick.
    #[cfg(feature = "showcase")]
    Faults(Faults),
}

#[derive(Args)]
pub(crate) struct Intents {
    /// Sets: JSON lines of {id, schema, utterance, gold}.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reader: Reader,
    /// For lines without a time: the instant from which "tomorrow" is counted, in the speaker's
    /// zone (RFC 3339).
    #[arg(long, value_name = "TIME", default_value = "2026-04-30T10:00:00+08:00")]
    pub(crate) at: String,
    /// The number of cases read of each set, spread evenly over it.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show every case that is wrong, and the error.
    #[arg(long)]
    pub(crate) mistakes: bool,
}

#[cfg(feature = "showcase")]
#[derive(Args)]
pub(crate) struct Alarms {
    /// A folder with Alarm.csv, with DAG.npy, the true edges, and perhaps with Topology.npy. What
    /// learns is shown alarms and topology alone.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[cfg(feature = "showcase")]
#[derive(Args)]
pub(crate) struct Faults {
    /// The seeds: different from those that were tuned on.
    #[arg(long, default_value = "70001..70030", value_name = "N|A..B")]
    pub(crate) seeds: Seeds,
    #[command(flatten)]
    pub(crate) played: DayFlags,
    /// A document as written by `learn yardsticks`, instead of the shipped one.
    #[arg(long, value_name = "FILE")]
    pub(crate) tuned: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) other: OtherFlags,
}

#[derive(Args)]
pub(crate) struct Fragments {
    /// Sets: JSON lines of {text, intent}; an intent of "" is noise.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) embedding: Embedding,
    /// The cosine from which two texts have the same meaning, 0 to 1; default the embedder's own.
    #[arg(long, value_name = "COSINE")]
    pub(crate) threshold: Option<f32>,
    /// The number of texts from which a cluster fires.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) members: usize,
}
