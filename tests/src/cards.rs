//! Whoever looks at the cards of A2A agents in the cases: there is one, at `https://agent.example`.
//!
//! Knows what a real one answers; opens no socket. Read next: [`crate::conformance`],
//! `server::outside`.

use domain::profile::{Capability, Profile};
use domain::registry::Reach;
use domain::time::Timestamp;
use engine::{Engine, IntroductionWanted, Refusal, RegisterAgent, Registered};
use tokio::sync::mpsc::{self, Receiver};

/// Where the one card is.
const CARD: &str = "https://agent.example";

/// Lets an engine ask here.
pub fn open(engine: &Engine) -> Receiver<IntroductionWanted> {
    let (asked, wanted) = mpsc::channel(1);
    engine.introduce_by(asked);
    wanted
}

/// Registers the agent of the one card; of all others nobody answers.
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
        return Err(Refusal::NoCard {
            url: said.card_url,
            why: "nobody answers".to_owned(),
        });
    }
    let profile = Profile {
        name: said.name.unwrap_or_else(|| "Surveyor".to_owned()),
        alias: said.alias,
        description: "Looks at places".to_owned(),
        agent_type: said.agent_type,
        version: "1.0.0".to_owned(),
        provider: "Example".to_owned(),
        domain: said.domain,
        management_object: said.management_object,
        layer: said.layer,
        province: said.province,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
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
