//! The refreshing of cards: an agent is registered by its card, which is fetched again before its
//! lease ends, and renews it.
//!
//! A changed card changes the profile; one that cannot be used any more, or has lost its signature,
//! makes the agent `failing`; without a response the lease ends by itself. Read next: `card`,
//! `engine::IntroduceAgent`.

use super::RemoteAgents;
use super::card::{self, Card, Unseen};
use domain::access::Principal;
use domain::profile::ProfileError;
use domain::registry::{Health, Reach, Registration};
use engine::refusal::{Field, InvalidInput, NotAvailable};
use engine::{
    Engine, IntroduceAgent, IntroductionWanted, Operation, Refusal, RegisterAgent, Registered,
    RenewLease,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::{Id, JoinHandle, JoinSet};
use tracing::{debug, error, info, warn};

/// The most introductions that wait.
const WAITING: usize = 16;
/// The interval at which due cards are looked for.
const TURN: Duration = Duration::from_secs(1);
/// The number of fetches of a card in the time of a lease.
const LOOKS: u32 = 3;

/// Starts refreshing cards for an engine; ends when it is aborted, or the engine is gone.
pub fn begin(engine: &Arc<Engine>, outside: Arc<RemoteAgents>) -> JoinHandle<()> {
    let (asked, wanted) = mpsc::channel(WAITING);
    engine.introduce_by(asked);
    tokio::spawn(CardRefresher::new(outside).run(wanted))
}

struct CardRefresher {
    outside: Arc<RemoteAgents>,
    looks: Looks,
}

/// The fetches under way, and the time of each agent's last one.
#[derive(Default)]
struct Looks {
    looked: BTreeMap<String, Instant>,
    /// The agents whose cards are being fetched.
    under_way: BTreeSet<String>,
    tasks: JoinSet<()>,
    /// The agent of each fetch of a registered agent's card.
    lookers: HashMap<Id, String>,
}

impl Looks {
    /// Starts fetching the card of an agent that is not registered yet.
    fn introduce(&mut self, look: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(look);
    }

    fn is_due(&self, agent: &str, pause: Duration) -> bool {
        let looked = self.looked.get(agent);
        !self.under_way.contains(agent) && looked.is_none_or(|at| at.elapsed() >= pause)
    }

    /// Starts fetching the card of a registered agent.
    fn again(&mut self, agent: &str, look: impl Future<Output = ()> + Send + 'static) {
        self.under_way.insert(agent.to_owned());
        self.looked.insert(agent.to_owned(), Instant::now());
        let looker = self.tasks.spawn(look);
        self.lookers.insert(looker.id(), agent.to_owned());
    }

    /// Waits until a fetch has ended; none if none is under way. One that panicked has ended as
    /// well: that card is fetched again when it is due.
    async fn ended(&mut self) -> Option<()> {
        let id = match self.tasks.join_next_with_id().await? {
            Ok((id, ())) => id,
            Err(failed) => {
                error!("a look at a card failed: {failed}");
                failed.id()
            }
        };
        if let Some(agent) = self.lookers.remove(&id) {
            self.under_way.remove(&agent);
        }
        Some(())
    }
}

impl CardRefresher {
    fn new(outside: Arc<RemoteAgents>) -> Self {
        Self {
            outside,
            looks: Looks::default(),
        }
    }

    async fn run(mut self, mut wanted: mpsc::Receiver<IntroductionWanted>) {
        let mut turn = tokio::time::interval(TURN);
        loop {
            tokio::select! {
                next = wanted.recv() => match next {
                    Some(next) => self.introduce(next),
                    None => return,
                },
                Some(()) = self.looks.ended() => {}
                _ = turn.tick() => self.look_at_who_is_due(),
            }
        }
    }

    fn introduce(&mut self, wanted: IntroductionWanted) {
        let outside = Arc::clone(&self.outside);
        self.looks.introduce(async move {
            let IntroductionWanted {
                who,
                introduction,
                answer,
            } = wanted;
            // The caller may be gone.
            let _ = answer.send(outside.introduced(&who, introduction).await);
        });
    }

    fn look_at_who_is_due(&mut self) {
        let Some(engine) = self.outside.engine.upgrade() else {
            return;
        };
        for registration in engine.registrations() {
            let (Reach::A2a { .. }, Some(lease_ms)) = (&registration.reach, registration.lease_ms)
            else {
                continue;
            };
            let agent = &registration.profile.name;
            let pause = Duration::from_millis(lease_ms.unsigned_abs()) / LOOKS;
            if self.looks.is_due(agent, pause) {
                let (outside, known) = (Arc::clone(&self.outside), Arc::clone(&registration));
                let look = async move { outside.look_again(&known).await };
                self.looks.again(agent, look);
            }
        }
    }
}

impl RemoteAgents {
    /// Registers an agent by its card, in the name of the principal that asked for it.
    async fn introduced(
        &self,
        who: &Principal,
        introduction: IntroduceAgent,
    ) -> Result<Registered, Refusal> {
        let url = &introduction.card_url;
        let card = card::fetch(&self.web, url, self.was_signed(url)).await;
        let card = card.map_err(|unseen| refusal(url, &unseen))?;
        let profile = card.peer.profile(&introduction);
        let profile = profile.map_err(|unusable| refusal(url, &unusable.into()))?;
        let name = profile.name.clone();
        if introduction.name.is_none() {
            self.is_nobodys(&name, url)?;
        }
        let register = RegisterAgent {
            profile,
            reach: Reach::A2a {
                card_url: url.clone(),
                signed: card.signed,
            },
            lease_ms: introduction.lease_ms,
        };
        // The agent is spoken to at once if it has tasks: by this card.
        self.keep(&name, &Arc::new(card));
        self.execute(who, register).await
    }

    /// True if a registered agent has its card at this URL, and that was signed.
    fn was_signed(&self, url: &str) -> bool {
        let engine = self.engine.upgrade();
        let known = engine.map(|engine| engine.registrations());
        let signed = |it: &Arc<Registration>| matches!(&it.reach, Reach::A2a { card_url, signed: true } if card_url == url);
        known.is_some_and(|known| known.iter().any(signed))
    }

    /// Refuses a card with the name of another registered agent.
    fn is_nobodys(&self, name: &str, url: &str) -> Result<(), Refusal> {
        let engine = self.engine.upgrade();
        let known = engine.and_then(|engine| engine.registration(name));
        let is_it = |known: &Registration| matches!(&known.reach, Reach::A2a { card_url, .. } if card_url == url);
        match known.is_none_or(|known| is_it(&known)) {
            true => Ok(()),
            false => Err(ProfileError::Taken {
                leaf: "name",
                called: name.to_owned(),
            }
            .into()),
        }
    }

    /// Fetches the card of a registered agent again.
    async fn look_again(&self, known: &Registration) {
        let (agent, Reach::A2a { card_url, signed }) = (&known.profile.name, &known.reach) else {
            return;
        };
        let seen = self.seen(agent).filter(|card| card.url == *card_url);
        let found = card::fetch_again(&self.web, card_url, *signed, seen.as_deref()).await;
        let renewed = |health, note: String| RenewLease {
            name: None,
            health,
            note,
        };
        let renewal = match found {
            Ok(None) => renewed(Health::Ok, String::new()),
            Ok(Some(card)) => match self.followed(known, card) {
                Ok(register) => return self.act_as(agent, register).await,
                Err(unusable) => renewed(Health::Failing, noted(&unusable)),
            },
            Err(Unseen::Gone) => return,
            // Its lease ends by itself; once it has, this is no news.
            Err(Unseen::Unreachable(why)) if known.expired => {
                return debug!(agent, "the card of {agent} is not to be had: {why}");
            }
            Err(Unseen::Unreachable(why)) => {
                return warn!(agent, "the card of {agent} is not to be had: {why}");
            }
            Err(unseen) => renewed(Health::Failing, noted(&unseen)),
        };
        self.act_as(agent, renewal).await;
    }

    /// Asks for something in the name of an agent, as its card says.
    async fn act_as<O: Operation + Send>(&self, agent: &str, operation: O) {
        let Some(own) = self.engine.upgrade().map(|it| it.principal(agent)) else {
            return;
        };
        if let Err(refusal) = self.execute(&own, operation).await {
            info!(agent, "the card of {agent} changes nothing: {refusal}");
        }
    }

    /// The registration with a new card; members that the card does not have stay.
    fn followed(&self, known: &Registration, card: Card) -> Result<RegisterAgent, Unseen> {
        let before = &known.profile;
        let lease_ms = known.lease_ms.unwrap_or(Registration::LEASE_MOST_MS);
        let profile = card.peer.profile(&IntroduceAgent {
            card_url: card.url.clone(),
            name: Some(before.name.clone()),
            alias: before.alias.clone(),
            agent_type: before.agent_type.clone(),
            domain: before.domain.clone(),
            management_object: before.management_object.clone(),
            layer: before.layer,
            province: before.province.clone(),
            lease_ms,
        })?;
        let reach = Reach::A2a {
            card_url: card.url.clone(),
            signed: card.signed,
        };
        self.keep(&before.name, &Arc::new(card));
        Ok(RegisterAgent {
            profile,
            reach,
            lease_ms,
        })
    }

    async fn execute<O: Operation>(
        &self,
        who: &Principal,
        operation: O,
    ) -> Result<O::Output, Refusal> {
        let execution = match self.engine.upgrade() {
            Some(engine) => engine.execute(who, operation, self.clock.now()),
            None => return Err(refusal("", &Unseen::Gone)),
        };
        execution.outcome().await
    }
}

/// The note on an agent's health: the reason for which its card cannot be used.
fn noted(unseen: &Unseen) -> String {
    let mut note = format!("its card cannot be used: {unseen}");
    let fits = (0..=Registration::NOTE_MOST)
        .rev()
        .find(|end| note.is_char_boundary(*end));
    note.truncate(fits.unwrap_or(0));
    note
}

fn refusal(url: &str, unseen: &Unseen) -> Refusal {
    let why = unseen.to_string();
    match unseen {
        Unseen::Gone | Unseen::Unreachable(_) => {
            let url = url.to_owned();
            NotAvailable::Card { url, why }.into()
        }
        Unseen::NotAllowed(_)
        | Unseen::NoCard(_)
        | Unseen::Forged(_)
        | Unseen::Unsigned
        | Unseen::Unusable(_) => {
            let field = Field::CardUrl;
            InvalidInput::Unusable { field, why }.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fetch that panics does not prevent later ones of the same card.
    #[tokio::test]
    async fn a_card_is_looked_at_again_after_a_look_that_failed() {
        let mut looks = Looks::default();
        for _ in 0..2 {
            assert!(looks.is_due("ip", Duration::ZERO));
            looks.again("ip", async { panic!("as the test wants") });
            assert!(!looks.is_due("ip", Duration::ZERO), "it is under way");
            assert_eq!(looks.ended().await, Some(()));
        }
        assert_eq!(looks.ended().await, None);
    }
}
