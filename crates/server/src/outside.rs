//! The A2A client: agents elsewhere.
//!
//! - `web`: one HTTP request to an allowed address, and its response;
//! - `card`: an agent's card, fetched within limits, verified if it is signed;
//! - `keys`: verification of signatures over cards;
//! - [`card_refresher`]: registration of agents by their cards, which are fetched again before the lease
//!   ends;
//! - [`remote_tasks`]: the tasks assigned to them, each followed to its end.
//!
//! Messages to an agent are decided by its proxy ([`crate::remote`]) and by
//! [`bindings::a2a::outside`]; here bytes are moved. Connections are made only to origins allowed
//! by `[a2a.peers]`. Read next: [`card_refresher`].

mod card;
pub mod card_refresher;
mod keys;
pub mod remote_tasks;
mod web;

pub use card::Unseen;

use crate::clock::Clock;
use crate::config::Settings;
use crate::config::a2a::PEERS;
use crate::host::StartError;
use crate::http_client::TrustError;
use crate::state::StateFolder;
use crate::webhook::target::{AllowList, Target};
use ::a2a::error::Error;
use ::a2a::request::A2aRequest;
use ::a2a::response::Response;
use bindings::a2a::outside::TaskContext;
use bindings::netconf::Platform;
use card::Card;
use domain::profile::usable_name;
use domain::registry::Reach;
use domain::task::TaskId;
use engine::Engine;
use engine::query::{NegotiationsOf, TaskById};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::task::JoinHandle;
use web::{Events, Failure, Web};

/// The time limit of a response.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest response, in bytes.
const ANSWER_MOST: usize = 4 * 1_024 * 1_024;

/// The known agents elsewhere; share it in an `Arc`.
pub struct RemoteAgents {
    web: Web,
    /// The folder of the tokens for agents, `NAME.token`.
    tokens: PathBuf,
    engine: Weak<Engine>,
    clock: Arc<Clock>,
    /// The cards last fetched, by agent.
    cards: Mutex<BTreeMap<String, Arc<Card>>>,
}

/// The agents elsewhere, with the task that refreshes their cards.
pub(crate) struct Watched {
    /// The agents.
    pub(crate) outside: Arc<RemoteAgents>,
    refresher: JoinHandle<()>,
}

impl Watched {
    /// Connects to agents where the settings allow it; none if no origin is allowed.
    pub(crate) fn begin(
        settings: &Settings,
        folder: &StateFolder,
        platform: &Platform,
        clock: &Arc<Clock>,
    ) -> Result<Option<Self>, StartError> {
        let (peers, engine) = (&settings.a2a.peers, platform.engine());
        let (allowed, clock) = (peers.allowed(PEERS)?, Arc::clone(clock));
        if allowed.is_empty() {
            return Ok(None);
        }
        let authorities = peers.ca_file.as_deref();
        let outside = RemoteAgents::new(allowed, authorities, folder.peers(), engine, clock)?;
        let outside = Arc::new(outside);
        let refresher = card_refresher::begin(engine, Arc::clone(&outside));
        Ok(Some(Self { outside, refresher }))
    }

    /// Stops refreshing cards.
    pub(crate) async fn stop(self) {
        self.refresher.abort();
        // It ended, or was ended: nothing to learn from either.
        let _ = self.refresher.await;
    }
}

impl RemoteAgents {
    /// A client for agents at the origins of this list; certificates are verified with
    /// `authorities` (PEM), or with those that the system trusts.
    ///
    /// # Errors
    /// [`TrustError`] if there is no authority to trust.
    pub fn new(
        allowed: AllowList,
        authorities: Option<&Path>,
        tokens: PathBuf,
        engine: &Arc<Engine>,
        clock: Arc<Clock>,
    ) -> Result<Self, TrustError> {
        Ok(Self {
            web: Web::new(allowed, authorities, clock.fence().clone())?,
            tokens,
            engine: Arc::downgrade(engine),
            clock,
            cards: Mutex::default(),
        })
    }

    /// The card of a registered agent: as last fetched, or fetched now.
    async fn card(&self, agent: &str) -> Result<Arc<Card>, Unseen> {
        let (url, signed) = self.known_card(agent).ok_or(Unseen::Gone)?;
        let counts = |card: &Arc<Card>| card.url == url && (card.signed || !signed);
        if let Some(card) = self.seen(agent).filter(counts) {
            return Ok(card);
        }
        let card = Arc::new(card::fetch(&self.web, &url, signed).await?);
        self.keep(agent, &card);
        Ok(card)
    }

    /// The URL of an agent's card, and whether it was signed.
    fn known_card(&self, agent: &str) -> Option<(String, bool)> {
        let registration = self.engine.upgrade()?.registration(agent)?;
        match &registration.reach {
            Reach::A2a { card_url, signed } => Some((card_url.clone(), *signed)),
            _ => None,
        }
    }

    fn seen(&self, agent: &str) -> Option<Arc<Card>> {
        let cards = self.cards.lock().expect("no holder panics");
        cards.get(agent).cloned()
    }

    fn keep(&self, agent: &str, card: &Arc<Card>) {
        let mut cards = self.cards.lock().expect("no holder panics");
        cards.insert(agent.to_owned(), Arc::clone(card));
    }

    /// Sends a request to an agent; returns its response, or the failure.
    async fn ask(
        &self,
        agent: &str,
        card: &Card,
        request: &A2aRequest,
    ) -> Result<Result<Response, Error>, Failure> {
        let peer = &card.peer;
        let sending = match peer.interface.write(request, &peer.extensions()) {
            Ok(sending) => sending,
            Err(unwritable) => return Ok(Err(unwritable)),
        };
        let token = self.token(agent, card);
        let answer = self
            .web
            .ask(&sending, token.as_deref(), ANSWER_MOST, PATIENCE)
            .await?;
        Ok(peer
            .interface
            .read(request.method(), answer.status, &answer.body))
    }

    /// Subscribes to a task of an agent.
    async fn events(&self, agent: &str, card: &Card, task: &str) -> Result<Events, Failure> {
        let request = A2aRequest::SubscribeToTask(task.to_owned());
        let peer = &card.peer;
        let sending = peer.interface.write(&request, &peer.extensions());
        let sending = sending.map_err(|error| Failure::Answer(error.message))?;
        let token = self.token(agent, card);
        self.web.follow(&sending, token.as_deref(), PATIENCE).await
    }

    /// The token for an agent. It is sent only to the origin of its card, not to other interfaces
    /// that the card names.
    fn token(&self, agent: &str, card: &Card) -> Option<String> {
        let origin = |url: &str| Target::parse(url).ok().map(|it| it.origin);
        if !usable_name(agent) || origin(&card.url) != origin(&card.peer.interface.url) {
            return None;
        }
        let file = self.tokens.join(format!("{agent}.token"));
        let token = std::fs::read_to_string(file).ok()?;
        Some(token.trim().to_owned()).filter(|token| !token.is_empty())
    }

    /// True if a task has ended here; one whose assignment is not committed yet has not.
    fn has_ended(&self, agent: &str, task: &TaskId) -> bool {
        let Some(engine) = self.engine.upgrade() else {
            return false;
        };
        let who = engine.principal(agent);
        let found = engine.read(&who, TaskById(task.clone()), self.clock.now());
        found.is_ok_and(|found| found.is_some_and(|task| task.status.is_terminal()))
    }

    /// The state of a task of an agent as known here.
    fn known(&self, agent: &str, task: &TaskId) -> TaskContext {
        let Some(engine) = self.engine.upgrade() else {
            return TaskContext::default();
        };
        let negotiations = NegotiationsOf(Some(task.clone()));
        let found = engine.read(&engine.principal(agent), negotiations, self.clock.now());
        TaskContext {
            templates: engine.templates(),
            negotiations: found.unwrap_or_default(),
        }
    }
}
