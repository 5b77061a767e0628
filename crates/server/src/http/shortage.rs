//! What a server does while memory is short: it lets go whom nobody owes an answer.
//!
//! A connection that is idle, or in the middle of a head, holds memory that is in no account. Refuses to
//! know what memory is: that is [`crate::memory`]'s. Read next: [`super::wire`].

use super::wire::Pace;
use engine::Accounts;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{interval, sleep};

/// How often it is looked whether memory is short.
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

/// Completes while memory is short, once nobody was owed an answer on a connection for so long.
pub(super) async fn lets_go(short: &watch::Receiver<bool>, pace: &Pace, patience: Duration) {
    let mut short = short.clone();
    loop {
        if short.wait_for(|short| *short).await.is_err() {
            // Nobody is left who could tell; the server closes.
            return std::future::pending().await;
        }
        let before = pace.resting();
        sleep(patience).await;
        if before.is_some() && pace.resting() == before && *short.borrow() {
            return;
        }
    }
}
