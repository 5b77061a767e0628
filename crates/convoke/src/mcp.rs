//! `convoke mcp`: an MCP server on standard input and output, with the skills of agents as tools.
//!
//! Uses NETCONF alone: every request of the assistant is a session of its own, so that a restart of
//! the platform does not matter. Only the protocol is written to standard output. Read next:
//! [`offers`], the tools; [`call`], the task behind a call; [`desk`], the MCP server.

mod call;
mod desk;
mod going_on;
mod library;
mod names;
mod offers;
mod outcome;

use crate::cli::{Common, Mcp, Remote};
use crate::output::Failure;
use crate::remote::{REGISTRY, SCHEMA, connect, text};
use crate::watch::follow::{Follower, Heard, of_events};
use desk::Desk;
use netconf::client::Notification;
use offers::Offers;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use schema::language::Language;
use server::client::Client;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Notify, watch};
use tracing::warn;

/// The address of the platform, the identity of the caller, and the options of the server.
struct Access {
    common: Common,
    remote: Remote,
    language: Language,
    patience: Duration,
}

impl Access {
    async fn session(&self) -> Result<Client, Failure> {
        connect(&self.common, &self.remote).await
    }
}

/// The tools offered, as of the last look at the platform.
struct Shelf {
    access: Access,
    offers: watch::Sender<Arc<Offers>>,
    /// Serialises looks, as templates must be pinned one at a time.
    looking: Mutex<()>,
}

impl Shelf {
    async fn open(access: Access) -> Result<Self, Failure> {
        Ok(Self {
            offers: watch::Sender::new(Arc::new(Offers::read(&access).await?)),
            access,
            looking: Mutex::default(),
        })
    }

    /// Reads the offers of the platform; notifies subscribers if they have changed.
    async fn renew(&self) -> Result<(), Failure> {
        let _one = self.looking.lock().await;
        let read = Offers::read(&self.access).await?;
        self.offers.send_if_modified(|known| {
            let others = **known != read;
            if others {
                *known = Arc::new(read);
            }
            others
        });
        Ok(())
    }

    fn offers(&self) -> Arc<Offers> {
        Arc::clone(&self.offers.borrow())
    }
}

pub(crate) async fn run(common: &Common, mcp: Mcp) -> Result<(), Failure> {
    let access = Access {
        common: common.clone(),
        remote: mcp.remote,
        language: mcp.language,
        patience: Duration::from_secs(mcp.patience),
    };
    let shelf = Arc::new(Shelf::open(access).await?);
    tokio::spawn(keep(Arc::clone(&shelf)));
    let service = match Desk::new(shelf).serve(stdio_pipes()).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(cause) => return Err(Failure::failed(cause.to_string())),
    };
    let ended = service.waiting().await;
    ended.map_or_else(|cause| Err(Failure::failed(cause.to_string())), |_| Ok(()))
}

/// Keeps the offers up to date.
async fn keep(shelf: Arc<Shelf>) {
    let outdated = Notify::new();
    let failure = tokio::select! {
        failure = listen(&shelf.access, &outdated) => failure,
        () = renew(&shelf, &outdated) => return,
    };
    warn!("changes of the tools are not told any more: {failure}");
}

/// Listens for notifications that may change the offers, until that fails.
async fn listen(access: &Access, outdated: &Notify) -> Failure {
    let filter = of_events(&[(REGISTRY, "agent-update"), (SCHEMA, "schema-update")]);
    let started = Follower::start(&access.common, &access.remote, filter, None).await;
    let mut follower = match started {
        Ok(follower) => follower,
        Err(failure) => return failure,
    };
    // What happened between the first look and the subscription.
    outdated.notify_one();
    loop {
        match follower.next().await {
            Ok(Heard::Lost(_)) => {}
            Ok(Heard::Event(event)) if !changes_offers(&event) => {}
            Ok(Heard::Event(_) | Heard::Back | Heard::Gap { .. }) => outdated.notify_one(),
            Err(failure) => return failure,
        }
    }
}

/// True for an event that can change the offers; one about an agent's health cannot.
fn changes_offers(event: &Notification) -> bool {
    let content = event.content();
    content.is_some_and(|event| text(event, "change") != "health")
}

/// Reads the offers again whenever they may be outdated; coalesces several notifications.
async fn renew(shelf: &Shelf, outdated: &Notify) {
    loop {
        outdated.notified().await;
        if let Err(failure) = shelf.renew().await {
            warn!("the tools are as they were: {failure}");
        }
    }
}
