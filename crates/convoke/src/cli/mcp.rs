//! The command line of `convoke mcp`.

use super::Remote;
use clap::Args;
use schema::language::Language;

/// The longest wait of a call: a day, in seconds.
const PATIENCE_MAX_S: u64 = 86_400;

/// Serve the Model Context Protocol on standard input and output, as assistants start it: each
/// skill with a schema is a tool, agents and tasks are resources. Ends with its input.
#[derive(Args)]
#[command(after_help = "\
Example, the entry of an assistant's configuration:\n  \
{\"mcpServers\": {\"convoke\": {\"command\": \"convoke\",\n   \
\"args\": [\"mcp\", \"--state\", \"/var/lib/convoke\", \"--netconf\", \"127.0.0.1:8830\"]}}}")]
pub(crate) struct Mcp {
    /// The language of titles and descriptions, a BCP 47 tag.
    #[arg(long, env = "CONVOKE_LANGUAGE", value_name = "TAG", default_value = "en", value_parser = Language::parse)]
    pub(crate) language: Language,
    /// Time for which a call waits for the end of its task; then it returns the task's progress.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=PATIENCE_MAX_S))]
    pub(crate) patience: u64,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
