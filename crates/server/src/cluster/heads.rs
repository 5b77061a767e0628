//! The last head of the state, as whoever leads tells it to those who stand by: an older copy of the database is
//! refused by every node that was ever told.
//!
//! It is signed with the host key, so that nobody else tells one. A node to which an older one is told than it has
//! seen keeps that, and asks no more. Read next: [`store::keep_head`].

use super::channel::{ChannelBody, ChannelClient, short, uri, whole};
use super::leader::{Leader, LeaderWatch};
use crate::seal::HostSeal;
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::OpenError;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, timeout};
use tracing::{error, warn};

/// The path on the channel of the last head.
pub(super) const PATH: &str = "/head";

/// The time between two questions.
const AGAIN: Duration = Duration::from_secs(2);
/// The longest time for an answer.
const ANSWER: Duration = Duration::from_secs(5);
/// The most bytes of a head.
const HEAD_BYTES: usize = 4 << 10;

/// The file of the last head in the folder of a node.
pub(super) struct KeptHead {
    file: PathBuf,
    seal: HostSeal,
    /// False while it leads, as its own store writes the file then.
    stands_by: Mutex<bool>,
}

impl KeptHead {
    /// That of a node that stands by.
    pub(super) fn new(file: PathBuf, seal: HostSeal) -> Self {
        Self {
            file,
            seal,
            stands_by: Mutex::new(true),
        }
    }

    /// Sets whether the node stands by. Waits for the disk if something is being written.
    pub(super) fn set_standing_by(&self, stands_by: bool) {
        *self.locked() = stands_by;
    }

    fn stands_by(&self) -> bool {
        *self.locked()
    }

    fn keep(&self, told: &str) -> Result<(), OpenError> {
        let stands_by = self.locked();
        match *stands_by {
            true => store::keep_head(&self.file, told, &self.seal),
            false => Ok(()),
        }
    }

    fn locked(&self) -> MutexGuard<'_, bool> {
        self.stands_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks whoever leads again and again, and keeps what is told, until it is dropped.
pub(super) struct KeepsHeads(JoinHandle<()>);

impl KeepsHeads {
    /// Must be called inside a tokio runtime.
    pub(super) fn start(
        kept: Arc<KeptHead>,
        client: Arc<ChannelClient>,
        leader: LeaderWatch,
    ) -> Self {
        Self(tokio::spawn(keep(kept, client, leader)))
    }
}

impl Drop for KeepsHeads {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn keep(kept: Arc<KeptHead>, client: Arc<ChannelClient>, mut leader: LeaderWatch) {
    let mut fails = false;
    loop {
        let known = leader.borrow_and_update().clone();
        if let Some(known) = known.filter(|_| kept.stands_by())
            && let Ok(Some(told)) = timeout(ANSWER, ask(&client, &known)).await
        {
            let keeper = Arc::clone(&kept);
            match spawn_blocking(move || keeper.keep(&told)).await {
                Ok(Ok(())) => fails = false,
                Ok(Err(why @ OpenError::SetBack { .. })) => {
                    error!(
                        "{why}. {} leads with it: nothing is taken over from there, and this node does not \
                         lead such a state",
                        known.node
                    );
                    return;
                }
                Ok(Err(why)) if !std::mem::replace(&mut fails, true) => {
                    warn!("the last head of the state is not kept: {why}");
                }
                Ok(Err(_)) | Err(_) => {}
            }
        }
        tokio::select! {
            changed = leader.changed() => if changed.is_err() {
                return;
            },
            () = sleep(AGAIN) => {}
        }
    }
}

/// The last head of whoever leads; none if it tells none now.
async fn ask(client: &ChannelClient, leader: &Leader) -> Option<String> {
    let mut request: Request<ChannelBody> = Request::new(whole(Bytes::new()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(PATH);
    let (response, _permit) = client.send(leader, request).await.ok()?;
    match response.status() {
        StatusCode::OK => String::from_utf8(short(response.into_body(), HEAD_BYTES).await?).ok(),
        _ => None,
    }
}
