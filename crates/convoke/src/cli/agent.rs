//! `convoke agent`: what can be typed.

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
    /// Renew an agent's lease, and say how it is.
    Renew(Renew),
    /// Leave: the agent's open tasks fail, and it is no longer found.
    Leave {
        /// The agent; with --identity it speaks for itself.
        agent: String,
        #[command(flatten)]
        remote: Remote,
    },
    /// Form a team for a task: ask for each need the best agent that fits, then the next.
    #[command(after_help = "\
Example:\n  convoke agent team outage-7 --target site:BE-017 \\\n    \
--need \"ip:domain=IP,schema=fault_diagnosis_v1,do=diagnose the transport\" \\\n    \
--need \"field:skill=repair,optional\"\n\n\
A need is NAME:KEY=VALUE,…; keys are skill, tag (again for more), input, output, domain, object,\n\
schema, text, do (what the member would have to do), and the word optional.")]
    Team(Team),
}

/// What is needed of an agent.
#[derive(Args, Debug, Default)]
pub(crate) struct Criteria {
    /// The name of a skill.
    #[arg(long)]
    pub(crate) skill: Option<String>,
    /// A tag of the skill; given again, the skill must have them all.
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// A mode that the skill takes: text, image, audio or video.
    #[arg(long, value_name = "MODE")]
    pub(crate) input: Option<String>,
    /// A mode that the skill gives.
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
    /// Words, in any field.
    #[arg(long)]
    pub(crate) text: Option<String>,
}

#[derive(Args)]
pub(crate) struct Discover {
    #[command(flatten)]
    pub(crate) criteria: Criteria,
    /// At most so many.
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) limit: u16,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Register {
    /// The profile (TOML); of an A2A agent what its card cannot say, such as alias and domain.
    #[arg(long, value_name = "FILE", required_unless_present = "a2a")]
    pub(crate) profile: Option<PathBuf>,
    /// The agent is an A2A agent, whose card is at this URL or in the well-known place below it. The
    /// platform fetches it if [a2a.peers] allows that.
    #[arg(long, value_name = "URL", conflicts_with_all = ["server", "key"])]
    pub(crate) a2a: Option<String>,
    /// What the A2A agent is called here; without it, as in its card.
    #[arg(long, requires = "a2a")]
    pub(crate) name: Option<String>,
    /// The layer that the A2A agent works in: business, service or resource; service if neither this
    /// nor the profile says it.
    #[arg(long, requires = "a2a")]
    pub(crate) layer: Option<String>,
    /// Let the agent in by this public key first, on the machine that holds the platform's folder:
    /// it goes to DIR/agents/NAME.pub.
    #[arg(long, value_name = "PUBKEY")]
    pub(crate) key: Vec<PathBuf>,
    /// The agent is a NETCONF server itself, at this address, to which the platform connects. The
    /// first time an administrator has to say so.
    #[arg(long, value_name = "HOST:PORT", requires = "host_key")]
    pub(crate) server: Option<String>,
    /// The server's host key, algorithm and base64 as in known_hosts.
    #[arg(long, value_name = "KEY", requires = "server")]
    pub(crate) host_key: Option<String>,
    /// How long a renewal lasts, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(10..=604_800))]
    pub(crate) lease: Option<u32>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Args)]
pub(crate) struct Renew {
    /// The agent; with --identity it speaks for itself.
    pub(crate) agent: String,
    /// How it is.
    #[arg(long, default_value = "ok")]
    pub(crate) health: Health,
    /// Its words to that.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// How an agent says it is.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Health {
    /// All is well.
    Ok,
    /// It works, with restrictions.
    Degraded,
    /// It takes nothing new on.
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
    /// The task that the team is for; it need not exist yet.
    pub(crate) task: String,
    /// A place in the team and who fits: NAME:skill=…,tag=…
    #[arg(long, value_name = "NAME:KEY=VALUE,…", required = true)]
    pub(crate) need: Vec<String>,
    /// What the task is about, e.g. an element such as site:BE-017.
    #[arg(long, value_name = "OBJECT")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
