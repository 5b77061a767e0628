//! Downgrade of signed cards: an attacker answers at an agent's address with its card, changed and
//! without the signature.
//!
//! Read next: `server::outside::card`, `domain::registry::Reach`.

use crate::support::{block_on, http, within};
use crate::{Pair, Site, answering_at, assign, dig, introduce, ok};
use domain::registry::{Health, Registration};
use engine::refusal::{Field, InvalidInput};
use engine::{DeregisterAgent, Refusal};
use serde_json::Value;
use server::config::a2a::Cards;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The descriptions on the card of `digger`, and on the forged one.
const TRUE: &str = "Digs where it is asked to";
const FORGED: &str = "Digs anywhere";

/// The attacker at the address of `digger`.
#[derive(Default)]
struct Usurper {
    forging: AtomicBool,
    /// Whether the card was forged, for each request to the agent.
    told: Mutex<Vec<bool>>,
}

impl Usurper {
    /// Takes over the address of a platform.
    async fn take(there: Site) -> Arc<Self> {
        let address = there.http();
        let place = address.to_string();
        let card = "/agents/digger/.well-known/agent-card.json";
        let card = http::get(&place, card, None).await.json();
        assert!(card["signatures"][0].is_object(), "{card}");
        let keys = http::get(&place, "/.well-known/jwks.json", None);
        let keys = keys.await.body;
        there.stop().await;
        let usurper = Arc::new(Self::default());
        let own = Arc::clone(&usurper);
        let answer = move |request: &str| own.answer(request, &card, &keys);
        answering_at(address, answer).await;
        usurper
    }

    fn answer(&self, request: &str, card: &Value, keys: &str) -> String {
        let forging = self.forging.load(Ordering::SeqCst);
        if request.starts_with("GET /.well-known/jwks.json ") {
            return ok(keys);
        }
        if request.starts_with("GET /agents/digger/") {
            let mut card = card.clone();
            if forging {
                card.as_object_mut().unwrap().remove("signatures");
                card["description"] = FORGED.into();
            }
            return ok(&card.to_string());
        }
        if request.starts_with("POST /agents/digger") {
            self.told.lock().unwrap().push(forging);
        }
        "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()
    }

    fn forge(&self, forging: bool) {
        self.forging.store(forging, Ordering::SeqCst);
    }
}

/// Waits until the registration of `digger` fulfils this.
async fn comes_to(here: &Site, what: impl Fn(&Registration) -> bool) -> Arc<Registration> {
    let engine = here.host.platform.engine();
    let changed = async {
        loop {
            let place = engine.place("digger").unwrap();
            if what(&place) {
                return place;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within("the card", changed).await
}

/// Waits until the forged card was fetched; it changed nothing but the agent's health.
async fn forged_in_vain(here: &Site) {
    let looked = |it: &Registration| it.health == Health::Failing || it.profile.description != TRUE;
    let place = comes_to(here, looked).await;
    assert_eq!(place.profile.description, TRUE);
    assert_eq!(
        place.health_note,
        "its card cannot be used: it was signed before, and is not now"
    );
}

fn url(peer: SocketAddr) -> String {
    format!("http://{peer}/agents/digger")
}

/// An unsigned card replaces no signed one; the agent is healthy again once its own is back. To
/// replace it on purpose, the agent is deregistered first.
#[test]
fn an_unsigned_card_replaces_no_signed_one() {
    block_on(async {
        let Pair { here, there, .. } = Pair::start(Some(Cards::Strict)).await;
        let url = url(there.http());
        let usurper = Usurper::take(there).await;
        usurper.forge(true);
        forged_in_vain(&here).await;
        for name in ["digger", "another"] {
            let Err(Refusal::InvalidInput(InvalidInput::Unusable { field, why })) =
                introduce(&here, name, &url).await
            else {
                panic!("{name} was registered");
            };
            assert_eq!(field, Field::CardUrl);
            assert_eq!(why, "it was signed before, and is not now");
        }
        usurper.forge(false);
        comes_to(&here, Registration::is_available).await;
        usurper.forge(true);
        let name = Some("digger".to_owned());
        here.execute(DeregisterAgent { name }).await.unwrap();
        let place = introduce(&here, "digger", &url).await.unwrap();
        assert_eq!(place.profile.description, FORGED);
        here.stop().await;
    });
}

/// The fact that a card was signed is known after a restart as well, to the card refresher and to
/// the connection that delivers tasks.
#[test]
fn an_unsigned_card_replaces_no_signed_one_after_a_restart() {
    block_on(async {
        let pair = Pair::start(Some(Cards::Strict)).await;
        let peer = pair.there.http();
        let usurper = Usurper::take(pair.there).await;
        assign(&pair.here, "digger", "t-1", dig("dig")).await;
        pair.here.stop().await;
        usurper.told.lock().unwrap().clear();
        usurper.forge(true);
        let here = Pair::begin(pair.folder_here.path(), peer).await;
        forged_in_vain(&here).await;
        usurper.forge(false);
        let told = async {
            while usurper.told.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        within("the task", told).await;
        assert!(!usurper.told.lock().unwrap().contains(&true));
        here.stop().await;
    });
}
