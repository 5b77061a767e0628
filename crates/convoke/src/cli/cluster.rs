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
    Drain(Handover),
    /// Ask a node to lead, and wait until it does.
    Move(Handover),
    /// Print the digest of the key that the nodes share, which is made if DIR has none:
    /// DIR/cluster_key, to be copied to each node.
    Key,
}

/// What a node is asked for.
#[derive(clap::Args)]
pub(crate) struct Handover {
    /// The node, by its name.
    #[arg(value_name = "NODE")]
    pub(crate) node: String,
    /// Seconds to wait until it is so; 0 does not wait.
    #[arg(long, default_value_t = 60, value_name = "S")]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
