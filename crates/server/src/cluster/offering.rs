//! What a node is given that joins the others: the files that all folders have alike, by the node that leads.
//!
//! Whoever has the key of the cluster is given them, all other keys among them; it is on record. A node that
//! does not lead says who does, for its own files may be those of yesterday. Read next: [`super::joining`], the
//! other side; [`super::shared_files`].

use super::channel::{ChannelBody, NODE_FIELD, PeerAddress, refusal, whole};
use super::leader::{Leader, LeaderWatch};
use super::leading::LeadingNode;
use super::shared_files::{STORE_KEY, STORE_URL, SharedFiles, SharedFilesError, ToldFile};
use crate::state::StateFolder;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use serde::{Deserialize, Serialize};
use store::PostgresAddress;
use tokio::sync::Semaphore;
use tracing::{info, warn};

/// The path on the channel.
pub(super) const PATH: &str = "/join";

/// How many are given files at a time: what is given is in memory meanwhile.
const AT_ONCE: usize = 2;

/// What is told to whoever joins.
#[derive(Serialize, Deserialize)]
pub(super) enum Told {
    /// Another node leads, at this address.
    Elsewhere(String),
    /// These are the files.
    Files {
        /// The files.
        files: Vec<ToldFile>,
        /// True if a command keeps the master key of the store, which is not told then.
        key_is_kept: bool,
    },
}

/// What this node gives to others.
pub(super) struct Offering {
    folder: StateFolder,
    address: PostgresAddress,
    key_is_kept: bool,
    leader: LeaderWatch,
    at_once: Semaphore,
}

impl Offering {
    /// Of the node with this folder, whose state is at `address`; `key_is_kept` if a command keeps the master key.
    pub(super) fn new(
        (folder, address, key_is_kept): (StateFolder, PostgresAddress, bool),
        leader: LeaderWatch,
    ) -> Self {
        Self {
            folder,
            address,
            key_is_kept,
            leader,
            at_once: Semaphore::new(AT_ONCE),
        }
    }

    /// Answers a node that joins; `leading` if this one leads.
    pub(super) async fn answer(
        &self,
        leading: Option<&LeadingNode>,
        request: &Request<Incoming>,
    ) -> Response<ChannelBody> {
        let Some(leading) = leading else {
            return match self.leader.borrow().clone() {
                Some(Leader { address, .. }) => told(&Told::Elsewhere(address)),
                None => refusal(StatusCode::SERVICE_UNAVAILABLE, "no node leads"),
            };
        };
        let Ok(_permit) = self.at_once.try_acquire() else {
            let busy = "others are joining";
            return refusal(StatusCode::SERVICE_UNAVAILABLE, busy);
        };
        let node = request.headers().get(NODE_FIELD);
        let node = node.and_then(|node| node.to_str().ok()).unwrap_or_default();
        let source = request.extensions().get::<PeerAddress>();
        let source = source.map_or_else(String::new, |at| format!("cluster {}", at.0.ip()));
        match self.files().await {
            Ok(files) => {
                info!(cluster.node = node, "'{node}' at {source} joins");
                leading.joined(node, &source);
                told(&Told::Files {
                    files: files.told(),
                    key_is_kept: self.key_is_kept,
                })
            }
            Err(cause) => {
                warn!(cluster.node = node, "'{node}' cannot join: {cause}");
                let why = "the node that leads cannot give its files: its log says why";
                refusal(StatusCode::INTERNAL_SERVER_ERROR, why)
            }
        }
    }

    async fn files(&self) -> Result<SharedFiles, SharedFilesError> {
        let folder = self.folder.clone();
        let read = tokio::task::spawn_blocking(move || SharedFiles::of(&folder)).await;
        let mut files = read.expect("reading files does not panic")?;
        files.set(STORE_URL, Some(self.address.secret_url().as_bytes()));
        if self.key_is_kept {
            files.set(STORE_KEY, None);
        }
        Ok(files)
    }
}

fn told(what: &Told) -> Response<ChannelBody> {
    let text = serde_json::to_vec(what).expect("texts make JSON");
    Response::new(whole(text))
}
