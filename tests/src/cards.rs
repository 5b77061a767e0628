//! The fetcher of A2A agent cards in the cases: there is one card, at `https://agent.example`.
//!
//! Knows the answers of a real one; opens no socket. Read next: [`crate::conformance`],
//! `server::outside`.

use domain::profile::Profile;
use domain::registry::Reach;
use domain::time::Timestamp;
use engine::refusal::NotAvailable;
use engine::{Engine, IntroductionWanted, Refusal, RegisterAgent, Registered};
use tokio::sync::mpsc::{self, Receiver};

/// The URL of the one card.
const CARD: &str = "https://agent.example";

/// Registers this fetcher with an engine.
pub fn open(engine: &Engine) -> Receiver<IntroductionWanted> {
    let (asked, wanted) = mpsc::channel(1);
    engine.introduce_by(asked);
    wanted
}

/// Registers the agent of the one card; requests for others fail.
pub async fn answer(engine: &Engine, wanted: IntroductionWanted, now: Timestamp) {
    let outcome = outcome(engine, &wanted, now).await;
    let _ = wanted.answer.send(outcome);
}

async fn outcome(
    engine: &Engine,
    wanted: &IntroductionWanted,
    now: Timestamp,
) -> Result<Registered, Refusal> {
    let said = wanted.introduction.clone();
    if said.card_url != CARD {
        return Err(NotAvailable::Card {
            url: said.card_url,
            why: "nobody answers".to_owned(),
        }
        .into());
    }
    let name = said.name.unwrap_or_else(|| "Surveyor".to_owned());
    let profile = Profile {
        alias: said.alias,
        description: "Looks at places".to_owned(),
        agent_type: said.agent_type,
        provider: "Example".to_owned(),
        domain: said.domain,
        management_object: said.management_object,
        layer: said.layer,
        province: said.province,
        ..testkit::profile(&name)
    };
    let register = RegisterAgent {
        profile,
        reach: Reach::A2a {
            card_url: said.card_url,
            signed: false,
        },
        lease_ms: said.lease_ms,
    };
    engine.execute(&wanted.who, register, now).outcome().await
}
