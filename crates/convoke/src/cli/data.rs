//! The command line of `convoke data`.

use super::Remote;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum DataCommand {
    /// Put a file under an identifier, in pieces; a repeated call resumes an interrupted one.
    Put(Put),
    /// Get data into a file, in pieces; a repeated call resumes an interrupted one.
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
    /// The format of the data, e.g. application/json or mp3.
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// A description of the data.
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// The kind of data, as distinguished by irtf-agent.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    /// Text, structured data included.
    Text,
    /// An image.
    Image,
    /// Sound.
    Audio,
    /// Video.
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
    /// The file to write; FILE.part until it is complete.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The expected SHA-256, in hexadecimal digits.
    #[arg(long, value_name = "DIGEST")]
    pub(crate) sha256: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
