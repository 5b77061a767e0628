//! `convoke data`: what can be typed.

use super::Remote;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum DataCommand {
    /// Put a file under an identifier, in pieces; the same again goes on where it was broken off.
    Put(Put),
    /// Get data into a file, in pieces; the same again goes on where it was broken off.
    Get(Get),
}

#[derive(Args)]
pub(crate) struct Put {
    /// The file.
    pub(crate) file: PathBuf,
    /// The identifier, as in /data-params.
    #[arg(long)]
    pub(crate) id: String,
    /// The task that the data belong to; its other party may read them.
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// An agent or a user who may read them.
    #[arg(long, value_name = "NAME")]
    pub(crate) reader: Option<String>,
    /// The kind of data.
    #[arg(long = "type", value_name = "TYPE", default_value = "text")]
    pub(crate) kind: Kind,
    /// Their format, e.g. application/json or mp3.
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// What they are.
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// The kind of data, as irtf-agent tells them apart.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    /// Text, structured data included.
    Text,
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A film.
    Video,
}

impl Kind {
    /// The name in irtf-agent.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }
}

#[derive(Args)]
pub(crate) struct Get {
    /// The identifier, as in /data-params.
    pub(crate) id: String,
    /// Where they go; FILE.part while they are not whole.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The SHA-256 that they must have, in hexadecimal digits.
    #[arg(long, value_name = "DIGEST")]
    pub(crate) sha256: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
