//! What can be typed: commands, flags, environment variables.

mod agent;
mod audit;
mod data;
mod eval;
#[cfg(feature = "showcase")]
mod fault;
mod language;
mod mcp;
#[cfg(feature = "showcase")]
mod play;
mod schema;
mod task;
mod token;
mod watch;

pub(crate) use agent::{AgentCommand, Criteria, Discover, Register, Renew, Team};
pub(crate) use audit::{AuditCommand, Wanted};
pub(crate) use data::{DataCommand, Get, Put};
pub(crate) use eval::{EvalCommand, Fragments, Intents};
#[cfg(feature = "showcase")]
pub(crate) use fault::{FaultCommand, Inject};
pub(crate) use language::{Embedding, Reader};
pub(crate) use mcp::Mcp;
#[cfg(feature = "showcase")]
pub(crate) use play::{Demo, Learn, Play, Simulate, Stage, Story};
pub(crate) use schema::{Evolve, Form, Parse, SchemaCommand, Show, Verdict};
pub(crate) use task::{
    Answer, Assign, Conditions, Format, Judge, List, Negotiate, TaskCommand, Timeline,
};
pub(crate) use token::TokenCommand;
pub(crate) use watch::Watch;

use clap::{Args, Parser, Subcommand};
use server::config::Listen;
use server::config::a2a::Cards;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Agents of an autonomous network that find each other, negotiate tasks and carry them out over
/// NETCONF.
#[derive(Parser)]
#[command(
    name = "convoke",
    version,
    propagate_version = true,
    after_help = "\
Start here:\n  convoke demo fault          a fault is found and repaired by five agents\n  convoke serve               \
run the platform; then, in another terminal:\n  convoke agent list          who is there\n  convoke watch               \
what they do\n  convoke task timeline TASK  how a task went\n\nExit codes: 0 ok, 1 failed, 2 usage, 3 refused, 4 unreachable, 5 conflict \
(there already, or in use), 6 not authenticated."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Args, Clone)]
pub(crate) struct Common {
    /// The folder that holds everything a platform keeps.
    #[arg(
        long,
        global = true,
        env = "CONVOKE_STATE",
        default_value = "./convoke-state",
        value_name = "DIR"
    )]
    pub(crate) state: PathBuf,
    /// Print JSON lines for programs; each object has a member "event".
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What to log to standard error, e.g. info or server=debug.
    #[arg(
        long,
        global = true,
        env = "CONVOKE_LOG",
        default_value = "warn",
        value_name = "FILTER"
    )]
    pub(crate) log: String,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play a use case with simulated network and real agents, or step through a recorded one.
    #[cfg(feature = "showcase")]
    Demo(Demo),
    /// Run the platform.
    Serve(Serve),
    /// Play stories, or whole days with and without agents, many times in memory, and score them.
    #[cfg(feature = "showcase")]
    Simulate(Simulate),
    /// Learn from training days how surely and how fast causes show in alarms, for agents to go by.
    #[cfg(feature = "showcase")]
    Learn(Learn),
    /// Agents of a running platform: who is there, who fits, who takes part.
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Tasks of a running platform: assign, negotiate, judge, and see what was said.
    #[command(subcommand)]
    Task(TaskCommand),
    /// Data that go with tasks, however large.
    #[command(subcommand)]
    Data(DataCommand),
    /// Schemas of payloads: templates, checks, patches, and from words to payload.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Say in plain words what is wanted: agent, scenario and payload are chosen, shown, and sent.
    Ask(Ask),
    /// Serve the skills of the agents to an assistant: an MCP server on standard input and output.
    Mcp(Mcp),
    /// Score parsers and embedders on labelled sets; needs no platform.
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Watch a running platform: open tasks and what happens, gap-free.
    Watch(Watch),
    /// Faults in the simulated network of a running platform.
    #[cfg(feature = "showcase")]
    #[command(subcommand)]
    Fault(FaultCommand),
    /// The audit trail of a running platform: who got in, what was denied, what was decided.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Bearer tokens for the HTTP server of a platform.
    #[command(subcommand)]
    Token(TokenCommand),
    /// The store of a platform.
    #[command(subcommand)]
    Store(StoreCommand),
    /// The settings of a platform.
    #[command(subcommand)]
    Config(ConfigCommand),
}

/// The user that every platform lets in.
pub(crate) const OPERATOR: &str = "operator";

/// Where a running platform is and who asks.
#[derive(Args, Clone)]
pub(crate) struct Remote {
    /// Where the platform listens.
    #[arg(
        long,
        env = "CONVOKE_NETCONF",
        default_value = "127.0.0.1:8830",
        value_name = "ADDR"
    )]
    pub(crate) netconf: String,
    /// Who asks: a user, or an agent in its own name.
    #[arg(
        long,
        env = "CONVOKE_USER",
        default_value = OPERATOR,
        value_name = "NAME"
    )]
    pub(crate) user: String,
    /// The private key; without it DIR/operator_ed25519, or DIR/keys/NAME_ed25519 of another user.
    #[arg(long, env = "CONVOKE_IDENTITY", value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
}

/// Where the platform listens and what network it runs.
#[derive(Args, Clone)]
pub(crate) struct Platform {
    /// Where the platform listens.
    #[arg(long, env = "CONVOKE_NETCONF", value_name = "ADDR")]
    pub(crate) netconf: Option<SocketAddr>,
    /// First port of the agents' own endpoints; 0 takes free ones.
    #[arg(long, env = "CONVOKE_AGENTS_FROM", value_name = "PORT")]
    pub(crate) agents_from: Option<u16>,
    /// Where the HTTP server is, or off; `serve` has one on 127.0.0.1:8880, a demo has none.
    #[arg(long, env = "CONVOKE_HTTP", value_name = "ADDR|off")]
    pub(crate) http: Option<Listen>,
    /// Which A2A card is served: with schemas at its root (extension 002), or v1.0 alone and signed.
    #[arg(long, env = "CONVOKE_CARD_PROFILE", value_name = "schemas|strict")]
    pub(crate) card_profile: Option<Cards>,
    /// Number of base-station sites, 1 to 20000.
    #[arg(long, env = "CONVOKE_SITES", value_name = "N")]
    pub(crate) sites: Option<usize>,
    /// A folder of agent profiles (*.toml) instead of those that ship.
    #[arg(long, env = "CONVOKE_PROFILES", value_name = "DIR")]
    pub(crate) profiles: Option<PathBuf>,
    /// What agents weigh causes by, as `learn` writes it, instead of what ships.
    #[arg(long, env = "CONVOKE_KNOWLEDGE", value_name = "FILE")]
    pub(crate) knowledge: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) platform: Platform,
    /// The simulated network, at real time: a topology's name or file, or none.
    #[arg(
        long,
        alias = "topology",
        env = "CONVOKE_NETWORK",
        value_name = "none|FILE|NAME"
    )]
    pub(crate) network: Option<String>,
    /// Seeds network, noise and dice.
    #[arg(long, env = "CONVOKE_SEED", value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Let the network live: things break by themselves, storms come, stadiums fill, drivers complain.
    /// How much of that, the section [life] of convoke.toml says.
    #[arg(long, env = "CONVOKE_LIFE")]
    pub(crate) life: bool,
    /// How many times as fast as the wall time passes, for platform and network, 1 to 600. It runs
    /// ahead of the wall: take a state folder of its own.
    #[arg(long, env = "CONVOKE_SPEED", value_name = "N")]
    pub(crate) speed: Option<f64>,
}

#[derive(Args)]
pub(crate) struct Ask {
    /// What is wanted, in English or Chinese.
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    /// Whom to ask, name or alias; without it, whoever fits best.
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// For which scenario; without it, the one that fits best.
    #[arg(long)]
    pub(crate) scenario: Option<String>,
    /// Send the words as they are to the agent named, without a payload.
    #[arg(long, requires = "agent", conflicts_with = "scenario")]
    pub(crate) plain: bool,
    /// Show agent, scenario and payload, and send nothing.
    #[arg(long, conflicts_with = "plain")]
    pub(crate) dry_run: bool,
    /// Send without asking first; nobody is asked where no terminal is.
    #[arg(long)]
    pub(crate) yes: bool,
    /// The instant that "tomorrow" is counted from, in the speaker's zone (RFC 3339); now in UTC
    /// if not given.
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) reader: Reader,
    #[command(flatten)]
    pub(crate) remote: Remote,
}

#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    /// Check the hash chain, its signatures and every row, and with the key that nobody without it
    /// wrote any of it; exit code 6 if it is sound and the key is not there.
    Verify,
    /// Give the store a new master key and a new data key, encrypt every row under it, and leave
    /// nothing of what was before in its files; while no platform runs on it.
    Rotate,
    /// Take the store as it is, though it is older than it was seen last, or its seal is missing or of
    /// another host key: after a backup was put back. All of it is verified, and that it was taken is
    /// on record, signed; while no platform runs on it.
    Accept,
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check convoke.toml, access.toml and the profiles without starting.
    Check,
}
