//! What tests of a running `convoke` share: the process, the client's end of a session, the bytes.
//!
//! - [`process`]: the `convoke` command as its users have it, started, watched and killed;
//! - [`talk`]: a session with any number of calls under way;
//! - [`raw`]: a session on which anything can be sent, XML or not;
//! - [`http`]: a request over HTTP and its answer;
//! - [`page`]: a page of the documentation, typed as it stands;
//! - [`proxy`]: a network in between that fails;
//! - [`site`]: a platform in this process;
//! - [`openssh`]: a session through OpenSSH's client, for one that does not read.
//!
//! Everything is bounded in time and nothing sleeps: a wait ends when what is waited for comes, or
//! the test fails by name. Knows the public interfaces only.

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

/// The longest that anything here may take: ten times and more what it takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something, with patience.
///
/// # Panics
/// If it does not come: what was waited for.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("after {PATIENCE:?} still waiting for {what}"),
    }
}

/// A runtime as the command has one, for a test that is a plain function.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// The text of the first element of that name in a message, which is not parsed: for streams of so
/// many that it would cost too much.
pub fn element<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let start = message.find(&format!("<{name}>"))? + name.len() + 2;
    let length = message[start..].find('<')?;
    Some(&message[start..start + length])
}
