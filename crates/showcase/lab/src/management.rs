//! The management system of the laboratory: reads routers, raises alarms, and serves them over NETCONF.
//!
//! Knows what is documented and what the rack tells it of states, configurations and counters;
//! there is no plan to compare with, no book, and no way to the injector. It is to run as a user who
//! may open nothing but the rack's socket ([`crate::user`]). A tour:
//! - [`snapshot`]: what was read at one instant; [`reader`]: the threads that read;
//! - [`conditions`]: from snapshots to alarms, by changes of what was observed;
//! - [`instruments`]: measuring, reading and setting what an agent asks for;
//! - [`network`]: all of it as the network of a platform ([`server::runtime::Network`]).

pub mod conditions;
pub(crate) mod instruments;
pub mod network;
pub(crate) mod reader;
pub mod snapshot;

use crate::run_folder::RunFolder;
use std::net::SocketAddr;

/// The arguments with which a management system is started as its user: it ends when whoever started
/// it has gone.
pub fn arguments(prefix: &str, netconf: Option<SocketAddr>) -> Vec<String> {
    let state = RunFolder::of(prefix).management().display().to_string();
    let fixed = ["lab", "manage", "--until-input-ends", "--prefix", prefix];
    let fixed = fixed.into_iter().chain(["--state", &state]);
    let address = netconf.map(|address| ["--netconf".to_owned(), address.to_string()]);
    let fixed = fixed.map(str::to_owned);
    fixed.chain(address.into_iter().flatten()).collect()
}
