//! The harness for tests of a running `convoke`: the process, the client's end of a session, the
//! bytes.
//!
//! - [`process`]: the `convoke` command, started, watched and killed;
//! - [`talk`]: a session with any number of calls in flight;
//! - [`raw`]: a session on which anything can be sent, XML or not;
//! - [`http`]: a request over HTTP and its answer;
//! - [`page`]: a page of the documentation, run as it stands;
//! - [`proxy`]: an unreliable network in between;
//! - [`site`]: a platform in this process;
//! - [`openssh`]: a session through OpenSSH's client, for one that does not read.
//!
//! Everything is bounded in time and nothing sleeps: a wait ends with the event waited for, or the
//! test fails with its name. Knows the public interfaces only.

// Each test binary uses its own part of this.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

pub mod http;
pub mod openssh;
pub mod page;
pub mod process;
pub mod proxy;
pub mod raw;
pub mod site;
pub mod talk;

use std::time::Duration;

/// The time limit of any wait: at least ten times the time on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something, up to [`PATIENCE`].
///
/// # Panics
/// If it does not come, with its name.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("after {PATIENCE:?} still waiting for {what}"),
    }
}

/// Runs a future on a runtime like the command's, for a test that is a plain function.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// The text of the first element of that name in a message, which is not parsed: for streams of
/// very many messages.
pub fn element<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let start = message.find(&format!("<{name}>"))? + name.len() + 2;
    let length = message[start..].find('<')?;
    Some(&message[start..start + length])
}
