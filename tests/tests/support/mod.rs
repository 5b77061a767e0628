//! The harness for tests of a running `convoke`: the process, the client's end of a session, the
//! bytes.
//!
//! - [`process`]: the `convoke` command, started, watched and killed;
//! - [`entrance`]: what clients know of a platform;
//! - [`talk`]: a session with any number of calls in flight;
//! - [`raw`]: a session on which anything can be sent, XML or not;
//! - [`http`]: a request over HTTP and its answer, from `testkit`;
//! - [`page`]: a page of the documentation, run as it stands;
//! - [`pair`]: a platform in this process, and a node of a cluster in front of it;
//! - [`proxy`]: an unreliable network in between;
//! - [`site`]: a platform in this process;
//! - [`foreign`]: programs that were not written here, as clients;
//! - [`openssh`]: a session through OpenSSH's client, for one that does not read.
//!
//! Everything is bounded in time and nothing sleeps: a wait ends with the event waited for, or the
//! test fails with its name. Knows the public interfaces only.

// Each test binary uses its own part of this.
#![allow(dead_code, unreachable_pub, unused_imports)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

pub mod entrance;
pub mod foreign;
pub mod openssh;
pub mod page;
pub mod pair;
pub mod process;
pub mod proxy;
pub mod raw;
pub mod site;
pub mod talk;

use arena::World;
use network::Simulation;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host};
use std::sync::Arc;
pub use testkit::{PATIENCE, http, within};

/// Runs a future on a runtime like the command's, for a test that is a plain function.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// The shipped agents on a network, by a clock that stands at its beginning; they are not briefed yet.
pub async fn world(home: Home, settings: &Settings, simulation: Simulation) -> World {
    let clock = Arc::new(Clock::standing(simulation.now()));
    let (roster, inventory) = (arena::shipped(), simulation.inventory());
    let host = Host::start(home, settings, roster, inventory, clock).await;
    arena::world(Arc::new(host.unwrap()), simulation, Box::new(|_| {}))
}

/// A small network of a country behind listeners on loopback.
pub fn polska() -> Settings {
    Settings {
        network: Some("Polska".to_owned()),
        sites: Some(60),
        seed: Some(7),
        ..testkit::loopback()
    }
}

/// The text of the first element of that name in a message, which is not parsed: for streams of
/// very many messages.
pub fn element<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let start = message.find(&format!("<{name}>"))? + name.len() + 2;
    let length = message[start..].find('<')?;
    Some(&message[start..start + length])
}
