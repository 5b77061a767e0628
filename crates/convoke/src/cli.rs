//! The command line: commands, flags, environment variables.

mod agent;
mod audit;
mod cluster;
mod console;
mod data;
mod eval;
#[cfg(feature = "showcase")]
mod fault;
#[cfg(feature = "showcase")]
mod lab;
mod language;
mod mcp;
#[cfg(feature = "showcase")]
mod play;
mod policy;
mod schema;
mod task;
mod token;
mod watch;

pub(crate) use agent::{AgentCommand, Criteria, Discover, Register, Renew, Team};
pub(crate) use audit::{AuditCommand, Wanted};
pub(crate) use cluster::{ClusterCommand, NodeRequestArgs};
pub(crate) use console::ConsoleCommand;
pub(crate) use data::{DataCommand, Get, Put};
#[cfg(feature = "showcase")]
pub(crate) use eval::{Alarms, Faults};
pub(crate) use eval::{EvalCommand, Fragments, Intents};
#[cfg(feature = "showcase")]
pub(crate) use fault::{FaultCommand, Inject};
#[cfg(feature = "showcase")]
pub(crate) use lab::{Break, LabCommand, LabScore};
pub(crate) use language::{Embedding, Reader};
pub(crate) use mcp::Mcp;
#[cfg(feature = "showcase")]
pub(crate) use play::{
    DayFlags, Demo, History, Learn, LearnEnergy, LearnFrom, OtherFlags, Play, Seeds, Simulate,
    Stage, Story, Yardsticks,
};
pub(crate) use policy::{NewRule, RuleCommand};
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
(there already, or in use), 6 not authenticated, 7 (serve --node) the lead was lost."
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
    /// The folder with all data of a platform.
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
    /// Log filter for standard error, e.g. info or server=debug.
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
    /// Run a use case with a simulated network and real agents, or step through a recorded one.
    #[cfg(feature = "showcase")]
    Demo(Demo),
    /// Run the platform.
    Serve(Serve),
    /// Run scenarios, or whole days with and without agents, many times in memory, and score them.
    #[cfg(feature = "showcase")]
    Simulate(Simulate),
    /// Learn from training days how reliably and how fast causes show in alarms, for use by agents;
    /// or from a history of alarms which types cause which; or the energy of radio units.
    #[cfg(feature = "showcase")]
    Learn(Learn),
    /// Agents of a running platform: list, find, register, form teams.
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Tasks of a running platform: assign, negotiate, judge, and show their history.
    #[command(subcommand)]
    Task(TaskCommand),
    /// Data that belong to tasks, of any size.
    #[command(subcommand)]
    Data(DataCommand),
    /// Schemas of payloads: templates, checks, patches, and parsing of words into payloads.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Say in plain words what is wanted: agent, scenario and payload are chosen, shown, and sent.
    Ask(Ask),
    /// Serve the skills of the agents to an assistant: an MCP server on standard input and output.
    Mcp(Mcp),
    /// Score parsers, embedders and learnt causes on labelled sets; needs no platform.
    #[command(subcommand)]
    Eval(EvalCommand),
    /// What waits for your decision in a running platform, the longest waiting first.
    Inbox {
        #[command(flatten)]
        remote: Remote,
    },
    /// Standing rules: what is decided without asking you.
    #[command(subcommand)]
    Rule(RuleCommand),
    /// Watch a running platform: open tasks and notifications, gap-free.
    Watch(Watch),
    /// Faults in the simulated network of a running platform.
    #[cfg(feature = "showcase")]
    #[command(subcommand)]
    Fault(FaultCommand),
    /// A laboratory of real routers (FRR in network namespaces): break it, and score agents on it.
    #[cfg(feature = "showcase")]
    #[command(subcommand)]
    Lab(LabCommand),
    /// The audit trail of a running platform: logins, denials and decisions.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// The nodes that serve a platform: which leads, and moving that; the key that they share.
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Bearer tokens for the HTTP server of a platform.
    #[command(subcommand)]
    Token(TokenCommand),
    /// The console in a browser: links that open it, and the end of its sessions.
    #[command(subcommand)]
    Console(ConsoleCommand),
    /// The store of a platform.
    Store(Store),
    /// The settings of a platform.
    #[command(subcommand)]
    Config(ConfigCommand),
}

/// The user that every platform has.
pub(crate) const OPERATOR: &str = "operator";

/// The address of a running platform, and the identity of the caller.
#[derive(Args, Clone)]
pub(crate) struct Remote {
    /// Address and port of the platform.
    #[arg(
        long,
        env = "CONVOKE_NETCONF",
        default_value = "127.0.0.1:8830",
        value_name = "ADDR"
    )]
    pub(crate) netconf: String,
    /// The caller: a user, or an agent in its own name.
    #[arg(
        long,
        env = "CONVOKE_USER",
        default_value = OPERATOR,
        value_name = "NAME"
    )]
    pub(crate) user: String,
    /// The private key; default DIR/operator_ed25519, or DIR/keys/NAME_ed25519 of another user.
    #[arg(long, env = "CONVOKE_IDENTITY", value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
}

/// The addresses of the platform and its network.
#[derive(Args, Clone)]
pub(crate) struct Platform {
    /// Address and port to listen on.
    #[arg(long, env = "CONVOKE_NETCONF", value_name = "ADDR")]
    pub(crate) netconf: Option<SocketAddr>,
    /// First port of the agents' own endpoints; 0 chooses free ones.
    #[arg(long, env = "CONVOKE_AGENTS_FROM", value_name = "PORT")]
    pub(crate) agents_from: Option<u16>,
    /// Address of the HTTP server, or off; default 127.0.0.1:8880 for `serve`, any port of loopback for a demo.
    #[arg(long, env = "CONVOKE_HTTP", value_name = "ADDR|off")]
    pub(crate) http: Option<Listen>,
    /// Profile of the A2A card: with schemas at its root (extension 002), or plain v1.0, signed.
    #[arg(long, env = "CONVOKE_CARD_PROFILE", value_name = "schemas|strict")]
    pub(crate) card_profile: Option<Cards>,
    /// Number of base-station sites, 1 to 20000.
    #[arg(long, env = "CONVOKE_SITES", value_name = "N")]
    pub(crate) sites: Option<usize>,
    /// A folder of agent profiles (*.toml) instead of the shipped ones.
    #[arg(long, env = "CONVOKE_PROFILES", value_name = "DIR")]
    pub(crate) profiles: Option<PathBuf>,
    /// File with the agents' weights of causes, as written by `learn`, instead of the shipped ones.
    #[arg(long, env = "CONVOKE_KNOWLEDGE", value_name = "FILE")]
    pub(crate) knowledge: Option<PathBuf>,
}

/// The database of a state.
#[derive(Args, Clone)]
pub(crate) struct Database {
    /// The PostgreSQL database with the state, postgres://user@host/database; default the file
    /// convoke.db in the state folder.
    #[arg(
        long = "store",
        global = true,
        env = "CONVOKE_STORE",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) url: Option<String>,
}

/// This process as one of several nodes.
#[derive(Args, Clone)]
pub(crate) struct Cluster {
    /// Run as the node of this name: one of several with the state in one PostgreSQL database, of which one
    /// leads and the others stand by.
    #[arg(long, env = "CONVOKE_NODE", value_name = "NAME")]
    pub(crate) node: Option<String>,
    /// Address and port of the channel between nodes; default 127.0.0.1:8840.
    #[arg(
        long,
        env = "CONVOKE_CLUSTER_LISTEN",
        value_name = "ADDR",
        requires = "node"
    )]
    pub(crate) cluster_listen: Option<SocketAddr>,
    /// Name or address, with a port, by which other nodes reach that channel; default its address.
    #[arg(
        long,
        env = "CONVOKE_CLUSTER_ADVERTISE",
        value_name = "HOST:PORT",
        requires = "node"
    )]
    pub(crate) cluster_advertise: Option<String>,
    /// Address of any node, by which this one learns before it starts what the folders of all have alike: keys,
    /// rules, users, and where the database is.
    #[arg(
        long,
        env = "CONVOKE_CLUSTER_JOIN",
        value_name = "HOST:PORT",
        requires = "node"
    )]
    pub(crate) join: Option<String>,
    /// The key that the nodes share, if DIR has none: a file like DIR/cluster_key of another node.
    #[arg(
        long,
        env = "CONVOKE_CLUSTER_KEY",
        value_name = "FILE",
        requires = "node"
    )]
    pub(crate) cluster_key: Option<PathBuf>,
    /// Let this node lead although its access rules, users, agents, revoked certificates or tokens are not those
    /// last in force; with --join, put those of the node that leads in their place.
    #[arg(long, requires = "node")]
    pub(crate) accept_rules: bool,
}

#[derive(Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) platform: Platform,
    #[command(flatten)]
    pub(crate) database: Database,
    #[command(flatten)]
    pub(crate) cluster: Cluster,
    /// The simulated network, in real time: the name or file of a topology, or none.
    #[arg(
        long,
        alias = "topology",
        env = "CONVOKE_NETWORK",
        value_name = "none|FILE|NAME"
    )]
    pub(crate) network: Option<String>,
    /// The network is managed elsewhere: a file (TOML) with a section [[ems]] for each management
    /// system, to which Convoke connects as a NETCONF client.
    #[arg(
        long,
        env = "CONVOKE_EMS",
        value_name = "FILE",
        conflicts_with = "network"
    )]
    pub(crate) ems: Option<PathBuf>,
    /// Seed of network, noise and random events.
    #[arg(long, env = "CONVOKE_SEED", value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Simulate life in the network: spontaneous faults, storms, stadium events, complaining
    /// drivers. Rates are in the section [life] of convoke.toml.
    #[arg(long, env = "CONVOKE_LIFE")]
    pub(crate) life: bool,
    /// Speed of platform and network relative to wall-clock time, 1 to 600. Their time runs ahead:
    /// use a state folder of its own.
    #[arg(long, env = "CONVOKE_SPEED", value_name = "N")]
    pub(crate) speed: Option<f64>,
}

#[derive(Args)]
pub(crate) struct Ask {
    /// The request, in English or Chinese.
    #[arg(required = true)]
    pub(crate) text: Vec<String>,
    /// The agent to ask, by name or alias; default the best fit.
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// The scenario; default the best fit.
    #[arg(long)]
    pub(crate) scenario: Option<String>,
    /// Send the words unchanged to the named agent, without a payload.
    #[arg(long, requires = "agent", conflicts_with = "scenario")]
    pub(crate) plain: bool,
    /// Show agent, scenario and payload, and send nothing.
    #[arg(long, conflicts_with = "plain")]
    pub(crate) dry_run: bool,
    /// Send without asking first; without a terminal there is no question anyway.
    #[arg(long)]
    pub(crate) yes: bool,
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
pub(crate) struct Store {
    #[command(flatten)]
    pub(crate) database: Database,
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    /// Check the hash chain, its signatures and every row, and with the key also that the rows are
    /// authentic; exit code 6 if all is sound but the key is missing.
    Verify,
    /// Give the store a new master key and a new data key, re-encrypt every row, and erase the old
    /// ciphertext from its files; only while no platform runs on it.
    Rotate,
    /// Accept the store although it is older than when last seen, or its seal is missing or of
    /// another host key, as after restoring a backup. All of it is verified, and the acceptance is
    /// recorded and signed; only while no platform runs on it.
    Accept,
    /// Copy the store into a new file, which is a store itself, and verify the copy; a platform may run
    /// on the store. Keys and settings of the folder are not in it.
    Backup {
        /// The file; it must not exist.
        file: PathBuf,
    },
    /// Put a backup back to where the store is, which must hold nothing: verified, and on record; only
    /// while no platform runs on it. The folder has the key and the host key that it had.
    Restore {
        /// The backup.
        file: PathBuf,
    },
    /// Copy the store of another folder, file or database to where the store is, which must hold nothing:
    /// verified, and on record; only while no platform runs on either. The folder has the other's store_key.
    Import {
        /// A state folder, a file with a store, or a PostgreSQL database.
        #[arg(long, value_name = "FOLDER|FILE|URL")]
        from: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check convoke.toml, access.toml and the profiles without starting.
    Check,
}
