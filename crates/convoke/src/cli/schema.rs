//! `convoke schema`: what can be typed.

use super::{Embedding, Reader, Remote};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum SchemaCommand {
    /// The scenarios that are offered, with their templates and agents.
    List {
        /// The language of titles, a BCP 47 tag.
        #[arg(long, value_name = "TAG")]
        language: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// A template, as it is told to clients or in another form.
    Show(Show),
    /// Say all that is wrong with a template in a file, and where; needs no platform.
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
    /// Take a template back: payloads are not taken under it any more.
    Retire {
        /// The template.
        schema_id: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Say all that is wrong with a payload, without sending it.
    Check {
        /// The template that it follows.
        schema_id: String,
        /// The payload: a file with a JSON object, or - for standard input.
        file: PathBuf,
        #[command(flatten)]
        remote: Remote,
    },
    /// The patches of a template that may be used.
    Updates {
        /// The template.
        schema_id: String,
        /// Only patches after this one.
        #[arg(long, value_name = "PATCH")]
        since: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Say in plain words what a scenario does not cover.
    Extend {
        /// The scenario.
        scenario: String,
        /// What is wanted.
        #[arg(required = true)]
        text: Vec<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Patches: those that wait for approval, and those in use with their measures.
    Patches {
        #[command(flatten)]
        remote: Remote,
    },
    /// Let a patch out to clients.
    Approve {
        /// The patch.
        patch_id: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Turn down a patch that waits, with a reason for the record.
    Reject {
        /// The patch.
        patch_id: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
    /// The values of keys on trial that wait to be judged.
    Samples {
        #[command(flatten)]
        remote: Remote,
    },
    /// Say of a sampled value whether it is what the request meant.
    Judge {
        /// The sample.
        sample_id: String,
        /// Whether it matches.
        verdict: Verdict,
        #[command(flatten)]
        remote: Remote,
    },
    /// Check who vouches for a template, and that it is what was pinned before.
    Verify {
        /// The template.
        schema_id: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// What differs between two templates: keys that came, went and changed.
    Diff {
        /// One template: a name, or a file.
        old: String,
        /// The other.
        new: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Erase what a client said in 'other'.
    Erase {
        /// The client.
        client: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// From words to payload: what would be sent, how sure, and what no key covers.
    Parse(Parse),
    /// Watch a schema grow: a population over months, in a second; needs no platform.
    Evolve(Evolve),
}

/// Whether a value is what was meant.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Verdict {
    /// It is.
    Matches,
    /// It is not.
    Differs,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The template, or a scenario for its newest.
    pub(crate) name: String,
    /// The form.
    #[arg(long, value_name = "FORM", default_value = "template")]
    pub(crate) form: Form,
    /// The language wanted, a BCP 47 tag.
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
    /// The name in module convoke-schema; none for the template itself.
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
    /// What was said.
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    /// The scenario.
    #[arg(long)]
    pub(crate) scenario: String,
    /// A template in a file, instead of the platform's; needs no platform.
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// The instant that "tomorrow" is counted from, in the speaker's zone (RFC 3339); now in UTC
    /// if not given.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) reader: Reader,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Evolve {
    /// Play a simulated population; evolution of a running platform is seen with `patches`.
    #[arg(long, required = true)]
    pub(crate) simulate: bool,
    /// Seeds the population.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) embedding: Embedding,
    /// How many clients.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) clients: usize,
    /// How many days.
    #[arg(long, default_value_t = 90)]
    pub(crate) days: u32,
    /// Where the picture goes: keys, heat and states over time, SVG.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}
