//! The command line of `convoke lab`.

use super::Seeds;
use clap::{Args, Subcommand};
use domain::inventory::ElementId;
use lab::fault::LabFault;
use lab::run_folder::USUAL_PREFIX;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum LabCommand {
    /// Bring the laboratory up: a namespace with FRR for each router. What stands under the prefix is
    /// taken down before.
    Up {
        /// The backbone, by name.
        #[arg(long, default_value = "Abilene", value_name = "NAME")]
        topology: String,
        #[command(flatten)]
        which: WhichLab,
    },
    /// Take the laboratory down, also what a crash left of it.
    Down(WhichLab),
    /// Break something, and write it into the book.
    #[command(after_help = faults())]
    Break(Break),
    /// Undo an entry of the book.
    Mend {
        /// Its number.
        id: u64,
        #[command(flatten)]
        which: WhichLab,
    },
    /// List the book: what was broken and when. Root's, and nobody else's.
    List(WhichLab),
    /// Serve the management system of the laboratory over NETCONF, as endpoint `ip`, as a user of its own.
    Manage {
        /// Address and port to listen on.
        #[arg(long, value_name = "ADDR")]
        netconf: Option<SocketAddr>,
        /// End when whoever started it has gone.
        #[arg(long, hide = true)]
        until_input_ends: bool,
        #[command(flatten)]
        which: WhichLab,
    },
    /// Break one thing after the other and score agents and yardsticks by the book.
    Score(LabScore),
    /// Reach into the routers for a management system; `up` starts it.
    #[command(hide = true)]
    Rack(WhichLab),
    /// Run the agents on a management system, and print what they do; `score` starts both.
    #[command(hide = true)]
    Agents(WhichLab),
}

/// Which laboratory of this machine.
#[derive(Args, Clone)]
pub(crate) struct WhichLab {
    /// How the name of everything begins that the laboratory makes: `cv` and at most five more small
    /// letters.
    #[arg(long, default_value = USUAL_PREFIX, value_name = "LETTERS")]
    pub(crate) prefix: String,
}

#[derive(Args)]
pub(crate) struct Break {
    /// What is done.
    #[arg(value_name = "FAULT", value_parser = fault)]
    pub(crate) fault: LabFault,
    /// To what, as link:Denver-Houston; any if it does not matter.
    #[arg(value_name = "ELEMENT", value_parser = element)]
    pub(crate) element: Option<ElementId>,
    /// The seed of what is left open.
    #[arg(long, default_value = "1", value_name = "N")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) which: WhichLab,
}

#[derive(Args, Clone)]
pub(crate) struct LabScore {
    /// The backbone, by name.
    #[arg(long, default_value = "Abilene", value_name = "NAME")]
    pub(crate) topology: String,
    /// The seeds: each of them of every fault.
    #[arg(long, default_value = "1", value_name = "N|A..B")]
    pub(crate) seeds: Seeds,
    /// These faults alone; all by default.
    #[arg(long, value_name = "FAULT,...", value_delimiter = ',', value_parser = fault)]
    pub(crate) faults: Vec<LabFault>,
    /// Add a line of JSON for each trial to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) which: WhichLab,
}

fn fault(name: &str) -> Result<LabFault, String> {
    let names = || LabFault::ALL.map(LabFault::as_str).join(", ");
    LabFault::parse(name).ok_or_else(|| format!("'{name}' is none of {}", names()))
}

// What clap calls returns a result.
#[allow(clippy::unnecessary_wraps)]
fn element(name: &str) -> Result<ElementId, String> {
    Ok(ElementId::new(name))
}

/// The faults and their causes, for the help text.
fn faults() -> String {
    let row = |fault: LabFault| {
        let cause = fault.cause().map_or("no fault", |cause| cause.as_str());
        let kind = fault.strikes().map_or("", |kind| kind.as_str());
        format!("  {:<26} {kind:<7} {cause}", fault.as_str())
    };
    let rows: Vec<String> = LabFault::ALL.into_iter().map(row).collect();
    format!(
        "Faults, what each is done to, and its cause:\n{}",
        rows.join("\n")
    )
}
