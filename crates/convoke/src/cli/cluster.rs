//! The command line of `convoke cluster`.

use super::Remote;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum ClusterCommand {
    /// Show the nodes: which leads, how each is, whether its rules agree.
    Status {
        #[command(flatten)]
        remote: Remote,
    },
    /// Ask a node not to lead until it is started again, and wait until it does not.
    Drain(NodeRequestArgs),
    /// Ask a node to lead, and wait until it does.
    Move(NodeRequestArgs),
    /// Make the files of DIR that all nodes have alike those of the node that leads: keys, rules, users, agents, tokens.
    /// The node with that folder may run; it takes rules, users and agents up within seconds.
    Sync {
        /// Address of any node's channel; default that of [cluster] join, or of this node itself.
        #[arg(long, value_name = "HOST:PORT")]
        from: Option<String>,
        /// Only say which files are different.
        #[arg(long)]
        dry_run: bool,
    },
    /// Print the digest of the key that the nodes share, which is made if DIR has none:
    /// DIR/cluster_key, to be copied to each node.
    Key,
}

/// What a node is asked for.
#[derive(clap::Args)]
pub(crate) struct NodeRequestArgs {
    /// The node, by its name.
    #[arg(value_name = "NODE")]
    pub(crate) node: String,
    /// Seconds to wait until it is so; 0 does not wait.
    #[arg(long, default_value_t = 60, value_name = "S")]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
