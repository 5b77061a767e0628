//! The command line of `convoke agent`.

use super::Remote;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum AgentCommand {
    /// List the registered agents.
    List(Remote),
    /// Show one agent's profile.
    Show {
        /// Its name or alias.
        agent: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Find the agents that fit, best first, with the reasons.
    #[command(after_help = "\
Example:\n  convoke agent discover --skill diagnose --domain IP --text \"backbone router\"\n\n\
What is said of skills must hold of one and the same skill.")]
    Discover(Discover),
    /// Register an agent that runs elsewhere, from its profile.
    #[command(after_help = "\
Example, on the machine of the platform and then anywhere:\n  \
convoke agent register --profile probe.toml --key probe_ed25519.pub --identity probe_ed25519\n  \
convoke agent renew probe --identity probe_ed25519\n  \
convoke agent register --a2a https://agent.example --name surveyor\n\n\
The profile is a TOML file with the leaves of the draft's profile: name, description, version,\n\
provider, layer, [capability], [[skill]], [[authentication]].")]
    Register(Register),
    /// Renew an agent's lease, and report its health.
    Renew(Renew),
    /// Leave: the agent's open tasks fail, and it can no longer be found.
    Leave {
        /// The agent; with --identity it acts in its own name.
        agent: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Form a team for a task: ask the best agent for each need, then the next.
    #[command(after_help = "\
Example:\n  convoke agent team outage-7 --target site:BE-017 \\\n    \
--need \"ip:domain=IP,schema=fault_diagnosis_v1,do=diagnose the transport\" \\\n    \
--need \"field:skill=repair,optional\"\n\n\
A need is NAME:KEY=VALUE,…; keys are skill, tag (again for more), input, output, domain, object,\n\
schema, text, do (what the member would have to do), and the word optional.")]
    Team(Team),
}

/// The criteria of a discovery.
#[derive(Args, Debug, Default)]
pub(crate) struct Criteria {
    /// The name of a skill.
    #[arg(long)]
    pub(crate) skill: Option<String>,
    /// A tag of the skill; may be repeated, and all must match.
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// An input mode of the skill: text, image, audio or video.
    #[arg(long, value_name = "MODE")]
    pub(crate) input: Option<String>,
    /// An output mode of the skill.
    #[arg(long, value_name = "MODE")]
    pub(crate) output: Option<String>,
    /// One of the agent's domains, e.g. Wireless.
    #[arg(long)]
    pub(crate) domain: Option<String>,
    /// A part of the network that the agent manages.
    #[arg(long)]
    pub(crate) object: Option<String>,
    /// A schema of structured payloads that the skill takes, e.g. fault_diagnosis_v1.
    #[arg(long)]
    pub(crate) schema: Option<String>,
    /// Words, matched in any field.
    #[arg(long)]
    pub(crate) text: Option<String>,
}

#[derive(Args)]
pub(crate) struct Discover {
    #[command(flatten)]
    pub(crate) criteria: Criteria,
    /// The most agents to show.
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) limit: u16,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Register {
    /// The profile (TOML); for an A2A agent, what its card cannot express, such as alias and
    /// domain.
    #[arg(long, value_name = "FILE", required_unless_present = "a2a")]
    pub(crate) profile: Option<PathBuf>,
    /// The URL of the card of an A2A agent, or the base URL of its well-known location. The
    /// platform fetches it if [a2a.peers] allows that.
    #[arg(long, value_name = "URL", conflicts_with_all = ["server", "key"])]
    pub(crate) a2a: Option<String>,
    /// Local name of the A2A agent; default as in its card.
    #[arg(long, requires = "a2a")]
    pub(crate) name: Option<String>,
    /// The layer of the A2A agent: business, service or resource; default as in the profile, else
    /// service.
    #[arg(long, requires = "a2a")]
    pub(crate) layer: Option<String>,
    /// Authorise this public key for the agent first, on the machine with the platform's folder: it
    /// is stored as DIR/agents/NAME.pub.
    #[arg(long, value_name = "PUBKEY")]
    pub(crate) key: Vec<PathBuf>,
    /// Address of the agent as a NETCONF server itself, to which the platform connects. An
    /// administrator must register it the first time.
    #[arg(long, value_name = "HOST:PORT", requires = "host_key")]
    pub(crate) server: Option<String>,
    /// The server's host key, algorithm and base64 as in known_hosts.
    #[arg(long, value_name = "KEY", requires = "server")]
    pub(crate) host_key: Option<String>,
    /// Length of the lease, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(10..=604_800))]
    pub(crate) lease: Option<u32>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Renew {
    /// The agent; with --identity it acts in its own name.
    pub(crate) agent: String,
    /// Its health.
    #[arg(long, default_value = "ok")]
    pub(crate) health: Health,
    /// Its remark on that.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// The health that an agent reports.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Health {
    /// In order.
    Ok,
    /// Working with restrictions.
    Degraded,
    /// Taking on no new work.
    Failing,
}

impl Health {
    /// The name in module convoke-registry.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Failing => "failing",
        }
    }
}

#[derive(Args)]
pub(crate) struct Team {
    /// The task of the team; it need not exist yet.
    pub(crate) task: String,
    /// A need of the team with its criteria: NAME:skill=…,tag=…
    #[arg(long, value_name = "NAME:KEY=VALUE,…", required = true)]
    pub(crate) need: Vec<String>,
    /// The target of the task, e.g. an element such as site:BE-017.
    #[arg(long, value_name = "OBJECT")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
