//! `convoke eval`: what can be typed.

use super::{Embedding, Reader};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum EvalCommand {
    /// How well a parser maps utterances to payloads: joint accuracy, slots, spurious keys,
    /// calibration.
    Intents(Intents),
    /// How well an embedder tells which texts mean the same: pairs, and which clusters fire.
    Fragments(Fragments),
}

#[derive(Args)]
pub(crate) struct Intents {
    /// Sets: JSON lines of {id, schema, utterance, gold}.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reader: Reader,
    /// Where a line says nothing of the time: the instant that "tomorrow" is counted from, in the
    /// speaker's zone (RFC 3339).
    #[arg(long, value_name = "TIME", default_value = "2026-04-30T10:00:00+08:00")]
    pub(crate) at: String,
    /// Reads so many cases of each set, spread over it evenly.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Shows every case that is not right, and what is wrong with it.
    #[arg(long)]
    pub(crate) mistakes: bool,
}

#[derive(Args)]
pub(crate) struct Fragments {
    /// Sets: JSON lines of {text, intent}; an intent of "" is noise.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) embedding: Embedding,
    /// The cosine from which two texts mean the same, 0 to 1; the embedder's own without it.
    #[arg(long, value_name = "COSINE")]
    pub(crate) threshold: Option<f32>,
    /// How many texts a cluster needs to fire.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) members: usize,
}
