//! The command line of `convoke schema`.

use super::{Embedding, Reader, Remote};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum SchemaCommand {
    /// List the scenarios offered, with their templates and agents.
    List {
        /// The language of titles, a BCP 47 tag.
        #[arg(long, value_name = "TAG")]
        language: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show a template, as clients receive it or in another form.
    Show(Show),
    /// Report all errors of a template in a file, with their places; needs no platform.
    Lint {
        /// The template, JSON.
        file: PathBuf,
    },
    /// Publish a template, or a new version of one.
    Publish {
        /// The template, JSON, in all its languages.
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// Retire a template: payloads under it are no longer accepted.
    Retire {
        /// The template.
        schema_id: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Report all errors of a payload, without sending it.
    Check {
        /// The template that it conforms to.
        schema_id: String,
        /// The payload: a file with a JSON object, or - for standard input.
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// List the patches of a template that may be used.
    Updates {
        /// The template.
        schema_id: String,
        /// Only patches after this one.
        #[arg(long, value_name = "PATCH")]
        since: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Describe in plain words what a scenario does not cover.
    Extend {
        /// The scenario.
        scenario: String,
        /// The request.
        #[arg(required = true)]
        text: Vec<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// List patches: those waiting for approval, and those in use with their measures.
    Patches {
        #[command(flatten)]
        remote: Remote,
    },
    /// Release a patch to clients.
    Approve {
        /// The patch.
        patch_id: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Reject a patch that waits for approval, with a reason for the record.
    Reject {
        /// The patch.
        patch_id: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// List the values of experimental keys that wait to be judged.
    Samples {
        #[command(flatten)]
        remote: Remote,
    },
    /// Judge whether a sampled value is what the request meant.
    Judge {
        /// The sample.
        sample_id: String,
        /// Whether it matches.
        verdict: Verdict,
        #[command(flatten)]
        remote: Remote,
    },
    /// Check the seal of a template, and that it is the one that was pinned.
    Verify {
        /// The template.
        schema_id: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Show the differences between two templates: keys added, removed and changed.
    Diff {
        /// One template: a name, or a file.
        old: String,
        /// The other.
        new: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Erase the texts of a client in 'other'.
    Erase {
        /// The client.
        client: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Parse words into a payload: the values with their confidence, and what no key covers.
    Parse(Parse),
    /// Simulate the evolution of a schema: a population over months, in a second; needs no
    /// platform.
    Evolve(Evolve),
}

/// The judgement of a sampled value.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Verdict {
    /// It is what was meant.
    Matches,
    /// It is not what was meant.
    Differs,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The template, or a scenario for its latest template.
    pub(crate) name: String,
    /// The form.
    #[arg(long, value_name = "FORM", default_value = "template")]
    pub(crate) form: Form,
    /// The preferred language, a BCP 47 tag.
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// A form of a template.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The template, for people.
    Keys,
    /// The template, JSON.
    Template,
    /// JSON Schema, draft 2020-12.
    JsonSchema,
    /// The YANG module.
    Yang,
    /// Instructions for a language model.
    Prompt,
    /// A grammar for constrained decoding.
    Gbnf,
    /// The response format of OpenAI-compatible endpoints.
    ResponseFormat,
    /// An HTML form.
    Html,
}

impl Form {
    /// The name of the form in module convoke-schema; none for the template itself.
    pub(crate) fn rendered(self) -> Option<&'static str> {
        Some(match self {
            Self::Keys | Self::Template => return None,
            Self::JsonSchema => "json-schema",
            Self::Yang => "yang",
            Self::Prompt => "prompt",
            Self::Gbnf => "gbnf",
            Self::ResponseFormat => "response-format",
            Self::Html => "html-form",
        })
    }
}

#[derive(Args)]
pub(crate) struct Parse {
    /// The utterance.
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    /// The scenario.
    #[arg(long)]
    pub(crate) scenario: String,
    /// A template in a file, instead of one of the platform; needs no platform.
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// The instant from which "tomorrow" is counted, in the speaker's zone (RFC 3339); default now,
    /// in UTC.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) reader: Reader,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Evolve {
    /// Simulate a population; the evolution on a running platform is shown by `patches`.
    #[arg(long, required = true)]
    pub(crate) simulate: bool,
    /// Seed of the population.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) embedding: Embedding,
    /// The number of clients.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) clients: usize,
    /// The number of days.
    #[arg(long, default_value_t = 90)]
    pub(crate) days: u32,
    /// File for the picture of keys, heat and states over time, SVG.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}
