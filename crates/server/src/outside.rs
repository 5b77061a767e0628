//! A2A agents elsewhere, whose client the platform is.
//!
//! - `web`: one HTTP request to an address that is allowed, and its answer;
//! - `card`: an agent's card, fetched, bounded, verified if it is signed;
//! - `keys`: whether a signature over a card holds;
//! - [`refresher`]: agents are introduced by their cards, and looked at again before their lease ends;
//! - [`remote_tasks`]: the tasks that they were given, each followed to its end.
//!
//! What is said to an agent is decided by the mind that stands for it ([`crate::remote`]) and by
//! [`bindings::a2a::outside`]; here bytes are moved. Nothing is spoken to that `[a2a.peers]` does not
//! allow. Read next: [`refresher`].

mod card;
pub mod card_refresher;
mod keys;
pub mod remote_tasks;
mod web;

pub use card::Unseen;

use crate::clock::Clock;
use crate::config::Settings;
use crate::config::a2a::PEERS;
use crate::dialer::{Dialer, TrustError};
use crate::host::StartError;
use crate::state::StateFolder;
use crate::webhook::target::{AllowList, Target};
use ::a2a::error::Error;
use ::a2a::request::Request;
use ::a2a::response::Response;
use bindings::a2a::outside::Known;
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

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer, in bytes.
const ANSWER_MOST: usize = 4 * 1_024 * 1_024;

/// The agents elsewhere, as far as they are known; share it in an `Arc`.
pub struct Outside {
    web: Web,
    /// The folder of the tokens that agents want, `NAME.token`.
    tokens: PathBuf,
    engine: Weak<Engine>,
    clock: Arc<Clock>,
    /// The cards that were seen last, by agent.
    cards: Mutex<BTreeMap<String, Arc<Card>>>,
}

/// The agents elsewhere, while somebody looks at their cards.
pub(crate) struct Watched {
    /// The agents.
    pub(crate) outside: Arc<Outside>,
    refresher: JoinHandle<()>,
}

impl Watched {
    /// Speaks with agents where settings allow it; none if that is nowhere.
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
        let outside = Outside::new(allowed, authorities, folder.peers(), engine, clock)?;
        let outside = Arc::new(outside);
        let refresher = card_refresher::begin(engine, Arc::clone(&outside));
        Ok(Some(Self { outside, refresher }))
    }

    /// Looks at cards no more.
    pub(crate) async fn stop(self) {
        self.refresher.abort();
        // It ended, or was ended: nothing to learn from either.
        let _ = self.refresher.await;
    }
}

impl Outside {
    /// Speaks with agents at the origins of this list; certificates are verified with `authorities`
    /// (PEM), or without one with those that the system trusts.
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
            web: Web::new(Dialer::new(allowed, authorities)?),
            tokens,
            engine: Arc::downgrade(engine),
            clock,
            cards: Mutex::default(),
        })
    }

    /// The card of a registered agent: as it was seen last, or fetched now.
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

    /// Where the card of an agent is, and whether it was signed.
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

    /// Asks an agent something: its answer, or that none came.
    async fn ask(
        &self,
        agent: &str,
        card: &Card,
        request: &Request,
    ) -> Result<Result<Response, Error>, Failure> {
        let peer = &card.peer;
        let sending = match peer.place.write(request, &peer.extensions()) {
            Ok(sending) => sending,
            Err(unwritable) => return Ok(Err(unwritable)),
        };
        let token = self.token(agent, card);
        let answer = self
            .web
            .ask(&sending, token.as_deref(), ANSWER_MOST, PATIENCE)
            .await?;
        Ok(peer
            .place
            .read(request.method(), answer.status, &answer.body))
    }

    /// Follows a task of an agent.
    async fn events(&self, agent: &str, card: &Card, task: &str) -> Result<Events, Failure> {
        let request = Request::SubscribeToTask(task.to_owned());
        let peer = &card.peer;
        let sending = peer.place.write(&request, &peer.extensions());
        let sending = sending.map_err(|error| Failure::Answer(error.message))?;
        let token = self.token(agent, card);
        self.web.follow(&sending, token.as_deref(), PATIENCE).await
    }

    /// The token that an agent wants. It goes to where the card is, and nowhere else that the card
    /// names.
    fn token(&self, agent: &str, card: &Card) -> Option<String> {
        let origin = |url: &str| Target::parse(url).ok().map(|it| it.origin);
        if !usable_name(agent) || origin(&card.url) != origin(&card.peer.place.url) {
            return None;
        }
        let file = self.tokens.join(format!("{agent}.token"));
        let token = std::fs::read_to_string(file).ok()?;
        Some(token.trim().to_owned()).filter(|token| !token.is_empty())
    }

    /// True if a task has ended here; what was not committed yet has not.
    fn has_ended(&self, agent: &str, task: &TaskId) -> bool {
        let Some(engine) = self.engine.upgrade() else {
            return false;
        };
        let who = engine.principal(agent);
        let found = engine.read(&who, TaskById(task.clone()), self.clock.now());
        found.is_ok_and(|found| found.is_some_and(|task| task.status.is_terminal()))
    }

    /// What is known here of a task of an agent.
    fn known(&self, agent: &str, task: &TaskId) -> Known {
        let Some(engine) = self.engine.upgrade() else {
            return Known::default();
        };
        let negotiations = NegotiationsOf(Some(task.clone()));
        let found = engine.read(&engine.principal(agent), negotiations, self.clock.now());
        Known {
            templates: engine.templates(),
            negotiations: found.unwrap_or_default(),
        }
    }
}
