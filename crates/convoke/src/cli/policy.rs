//! The command line of `convoke rule`.

use super::Remote;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum RuleCommand {
    /// Show your standing rules; as an administrator, everybody's.
    List {
        #[command(flatten)]
        remote: Remote,
    },
    /// Say which decisions are accepted, rejected or asked for, without asking.
    Add(Box<NewRule>),
    /// End a standing rule. What it has decided stays decided.
    Withdraw {
        /// How it is called.
        #[arg(value_name = "RULE")]
        name: String,
        /// Who added it, if it was somebody else.
        #[arg(long, value_name = "NAME")]
        author: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
}

/// A standing rule that is to be.
#[derive(Args)]
pub(crate) struct NewRule {
    /// How it is called.
    #[arg(value_name = "RULE")]
    pub(crate) name: String,
    /// The kind of decisions: result, decision, feasibility or patch.
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: String,
    /// What it says: accept, reject or ask.
    #[arg(long, value_name = "VERDICT")]
    pub(crate) verdict: String,
    /// Only decisions of this user; without it, your own.
    #[arg(long, value_name = "NAME")]
    pub(crate) decider: Option<String>,
    /// Only with this agent on the other side.
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Only with agents of this domain on the other side.
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Option<String>,
    /// Only about this target; of a patch, about this schema version.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// Only of this scenario.
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) scenario: Option<String>,
    /// Only where this number of the payload is at least so much; may be repeated.
    #[arg(long, value_name = "KEY=NUMBER", value_parser = bound)]
    pub(crate) least: Vec<(String, f64)>,
    /// Only where this number of the payload is at most so much; may be repeated.
    #[arg(long, value_name = "KEY=NUMBER", value_parser = bound)]
    pub(crate) most: Vec<(String, f64)>,
    /// Until when it holds (RFC 3339); without it, until it is withdrawn.
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Seconds after which a rule that asks says something else.
    #[arg(long, value_name = "S", requires = "then")]
    pub(crate) after: Option<u32>,
    /// What it says then: accept, reject or escalate.
    #[arg(long, value_name = "WHAT", requires = "after")]
    pub(crate) then: Option<String>,
    /// Who is told then, of escalate.
    #[arg(long, value_name = "NAME", requires = "then")]
    pub(crate) escalate_to: Option<String>,
    /// Show what it would decide now, and what in it names nothing, and add nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Add it without asking first; without a terminal there is no question anyway.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

fn bound(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("'{text}' is not KEY=NUMBER");
    let (key, number) = text.split_once('=').ok_or_else(wrong)?;
    let number: f64 = number.parse().map_err(|_| wrong())?;
    match number.is_finite() && !key.is_empty() {
        true => Ok((key.to_owned(), number)),
        false => Err(wrong()),
    }
}
