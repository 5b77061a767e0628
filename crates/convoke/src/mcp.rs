//! `convoke mcp`: the skills of the agents as tools of an assistant, over MCP on standard input and
//! output.
//!
//! Lives from NETCONF alone: every request of the assistant is a session of its own, so that a
//! platform that went and came back is no matter. Nothing but the protocol is written to standard
//! output. Read next: [`offers`], what is offered; [`call`], how a call becomes a task; [`desk`], which
//! speaks MCP.

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

/// Where the platform is, who asks, and how.
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

/// What is offered, as the platform was last seen.
struct Shelf {
    access: Access,
    offers: watch::Sender<Arc<Offers>>,
    /// Held by whoever looks: templates are pinned by one at a time.
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

    /// Looks at the platform; whoever waits for changes is woken if there are any.
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

/// Keeps the shelf as the platform's offers are.
async fn keep(shelf: Arc<Shelf>) {
    let outdated = Notify::new();
    let failure = tokio::select! {
        failure = listen(&shelf.access, &outdated) => failure,
        () = renew(&shelf, &outdated) => return,
    };
    warn!("changes of the tools are not told any more: {failure}");
}

/// Listens for whatever may change the offers, until that is not possible.
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

/// How an agent feels does not change what it offers.
fn changes_offers(event: &Notification) -> bool {
    let content = event.content();
    content.is_some_and(|event| text(event, "change") != "health")
}

/// Looks again whenever the shelf may be outdated: once, however often that was said meanwhile.
async fn renew(shelf: &Shelf, outdated: &Notify) {
    loop {
        outdated.notified().await;
        if let Err(failure) = shelf.renew().await {
            warn!("the tools are as they were: {failure}");
        }
    }
}
