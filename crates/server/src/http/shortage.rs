//! The closing of idle connections while memory is short.
//!
//! A connection that is idle, or in the middle of a head, holds memory that is in no account.
//! Memory is measured by [`crate::memory`]. Read next: [`super::wire`].

use super::wire::Pace;
use engine::Accounts;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{interval, sleep};

/// The interval at which memory is checked.
const BETWEEN: Duration = Duration::from_millis(250);

/// Tells the connections of a server whether memory is short; never completes.
pub(super) async fn tell(accounts: &Accounts, short: &watch::Sender<bool>) {
    let mut looks = interval(BETWEEN);
    loop {
        looks.tick().await;
        let is = accounts.is_short();
        short.send_if_modified(|was| std::mem::replace(was, is) != is);
    }
}

/// Completes while memory is short, once no request was under way on a connection for `patience`.
pub(super) async fn lets_go(short: &watch::Receiver<bool>, pace: &Pace, patience: Duration) {
    let mut short = short.clone();
    loop {
        if short.wait_for(|short| *short).await.is_err() {
            // The sender is gone: the server closes.
            return std::future::pending().await;
        }
        let before = pace.resting();
        sleep(patience).await;
        if before.is_some() && pace.resting() == before && *short.borrow() {
            return;
        }
    }
}
