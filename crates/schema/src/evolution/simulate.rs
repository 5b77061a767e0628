//! A population over months: who asks for what, what becomes of it (draft-zhou §6.2).
//!
//! Seeded: the same plan and seed give the same history. Nothing here is part of evolution; it
//! drives [`Evolution`] as a server would, hour by hour. Read next: [`super::chart`].

use super::{
    ClusterId, Evolution, EvolutionContext, EvolutionSettings, Fragment, KnownClients,
    LifecycleState, LineageCommand, LineageEvent, Observation, PoolError, Proposal,
};
use crate::other;
use crate::patch::Patch;
use crate::semantics::Embedder;
use crate::template::{Key, KeyType, Template};
use crate::time::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Of payloads with a key, so many are audited, and so many of these are found right.
const AUDITED: f64 = 0.2;
const RIGHT: f64 = 0.95;
/// Of values, so many are of a wrong type.
const MISTYPED: f64 = 0.02;
/// Of clients, so many keep the schema that they first had a patch of.
const STUBBORN: f64 = 0.1;
/// The client with a patch stack of its own.
const TRAVELLER: &str = "traveller";
/// Characters of a fragment in a description.
const SHOWN_MAX: usize = 80;
/// The consonants that noise is spoken with; its words share nothing that anyone could take for a
/// meaning.
const CONSONANTS: &[u8] = b"bcdfghjklmnprstvwz";
const VOWELS: &[u8] = b"aeiou";

/// The clients and what they ask for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// The instant at which it begins.
    pub start: Timestamp,
    /// Its length in days.
    pub days: u32,
    /// Ordinary clients.
    pub clients: usize,
    /// Payloads that one of them sends in a day, on average.
    pub payloads_per_day: f64,
    /// The needs that they have beside what the schema covers.
    pub needs: Vec<ClientNeed>,
    /// Of payloads, so many carry something that nobody else ever says: words that there are not,
    /// each time others.
    pub noise: f64,
    /// Someone with many names, if anyone.
    pub attack: Option<Attack>,
    /// The phrases that one more client, a frequent one, always wants, each with its own patch
    /// stack.
    pub traveller: Vec<String>,
    /// The conduct of administrators.
    pub administrators: Administrators,
}

/// Something that is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientNeed {
    /// The ways to say it, one of these at a time.
    pub phrases: Vec<String>,
    /// Of payloads, so many want it.
    pub share: f64,
    /// Days from the beginning on which it is wanted, the end exclusive.
    pub days: (u32, u32),
}

/// Many names, one hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attack {
    /// The number of names.
    pub names: usize,
    /// The phrase that is to become a key.
    pub phrase: String,
    /// Days from the beginning on which it says so, each name twice a day.
    pub days: (u32, u32),
    /// True if each name sends ordinary payloads from the first day, to look like a client.
    pub patient: bool,
}

/// The conduct of administrators towards a patch that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Administrators {
    /// Nothing.
    Absent,
    /// Two of them approve after a day all but keys in whose name one of these words stands.
    Approve {
        /// The words.
        but: Vec<String>,
    },
}

/// The outcome of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulationHistory {
    /// The seed of chance.
    pub seed: u64,
    /// The heat that a cluster must exceed.
    pub heat_threshold: f64,
    /// Each day's end.
    pub samples: Vec<Sample>,
    /// The events of everyone's lineage.
    pub events: Vec<(Timestamp, LineageEvent)>,
    /// The events of the traveller's.
    pub personal_events: Vec<(Timestamp, LineageEvent)>,
    /// Payloads sent.
    pub payloads: u64,
    /// Fragments that came into the pool.
    pub fragments: u64,
}

/// The state of things at the end of a day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The instant.
    pub at: Timestamp,
    /// The version in force.
    pub schema_id: String,
    /// Each key that came from a patch, and its state.
    pub keys: BTreeMap<String, LifecycleState>,
    /// The hottest clusters: a label, and the heat.
    pub heats: BTreeMap<String, f64>,
    /// Clusters in the pool.
    pub clusters: usize,
    /// Triggers that wait.
    pub queued: usize,
    /// Patches that wait for approval.
    pub pending: usize,
}

/// An observer to whom the simulation is shown after each tick.
pub type TickObserver<'a> = &'a mut dyn FnMut(&Evolution, Timestamp);

/// Runs a plan. `watch` sees everyone's evolution after each hour's tick.
///
/// # Errors
/// [`PoolError`] if the embedder is no embedder.
pub fn simulate(
    seed: u64,
    plan: &Workload,
    settings: &EvolutionSettings,
    base: &Template,
    embedder: &dyn Embedder,
    watch: TickObserver<'_>,
) -> Result<SimulationHistory, PoolError> {
    let mut world = World::new(seed, plan, settings, base, embedder)?;
    for hour in 0..i64::from(plan.days) * 24 {
        let now = plan.start + hour * HOUR_MS;
        world.hour(now)?;
        watch(&world.everyone, now);
        if hour % 24 == 23 {
            world.sample(now);
        }
    }
    Ok(world.history)
}

struct World<'a> {
    plan: &'a Workload,
    settings: &'a EvolutionSettings,
    embedder: &'a dyn Embedder,
    rng: ChaCha8Rng,
    everyone: Evolution,
    personal: Evolution,
    known: KnownClients,
    clients: Vec<Client>,
    labels: BTreeMap<ClusterId, String>,
    /// Chance of its own, so that a plan without noise has the same history besides.
    noise: ChaCha8Rng,
    history: SimulationHistory,
}

struct Client {
    name: String,
    /// The instant at which it last took over the schema.
    refreshed: Timestamp,
    stubborn: bool,
}

impl<'a> World<'a> {
    fn new(
        seed: u64,
        plan: &'a Workload,
        settings: &'a EvolutionSettings,
        base: &Template,
        embedder: &'a dyn Embedder,
    ) -> Result<Self, PoolError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let clients = (0..plan.clients).map(|i| Client {
            name: format!("client-{i}"),
            refreshed: Timestamp::default(),
            stubborn: chance(&mut rng, STUBBORN),
        });
        Ok(Self {
            clients: clients.collect(),
            plan,
            settings,
            embedder,
            everyone: Evolution::new(base.clone(), None, embedder)?,
            personal: Evolution::new(base.clone(), Some(TRAVELLER.to_owned()), embedder)?,
            known: KnownClients::default(),
            labels: BTreeMap::new(),
            noise: ChaCha8Rng::seed_from_u64(!seed),
            history: SimulationHistory {
                seed,
                heat_threshold: settings.heat.threshold,
                ..SimulationHistory::default()
            },
            rng,
        })
    }

    fn hour(&mut self, now: Timestamp) -> Result<(), PoolError> {
        for client in 0..self.clients.len() {
            if chance(&mut self.rng, self.plan.payloads_per_day / 24.0) {
                self.ordinary(client, now)?;
            }
        }
        self.attack(now)?;
        self.travel(now)?;
        self.administrate(now);
        let everyones: Vec<Patch> = self.everyone.lineage().patches().cloned().collect();
        let base = self.everyone.lineage().base().clone();
        let (settings, embedder) = (self.settings, self.embedder);
        let events = with_means(settings, embedder, &[], |means| {
            self.everyone.tick(means, now).events
        });
        self.note(events, now);
        let rebase = LineageCommand::Rebase { base };
        let rebased = self
            .personal
            .command(&rebase, settings, now)
            .unwrap_or_default();
        let ticked = with_means(settings, embedder, &everyones, |means| {
            self.personal.tick(means, now).events
        });
        self.history
            .personal_events
            .extend(rebased.into_iter().chain(ticked).map(|e| (now, e)));
        Ok(())
    }

    fn day(&self, now: Timestamp) -> u32 {
        ((now - self.plan.start) / DAY_MS) as u32
    }

    /// One payload of an ordinary client: each need as a key, where it knows one, else in `other`.
    fn ordinary(&mut self, client: usize, now: Timestamp) -> Result<(), PoolError> {
        let mut payload = Map::new();
        let mut said = Vec::new();
        for need in 0..self.plan.needs.len() {
            let ClientNeed {
                phrases,
                share,
                days,
            } = &self.plan.needs[need];
            let wanted = (days.0..days.1).contains(&self.day(now));
            if !(wanted && chance(&mut self.rng, *share)) {
                continue;
            }
            let phrase = &phrases[below(&mut self.rng, phrases.len())];
            match self.known_key(need, client) {
                Some((name, value)) => {
                    payload.insert(name, value);
                }
                None => said.push(phrase.clone()),
            }
        }
        if chance(&mut self.rng, self.plan.noise) {
            said.push(nonsense(&mut self.noise));
        }
        let name = self.clients[client].name.clone();
        self.sent(&name, &payload, now);
        for text in said {
            self.fragment(&name, &text, now)?;
        }
        self.refresh(client, now);
        Ok(())
    }

    /// The key that stands for a need by its mapping examples, if the client has it in its schema,
    /// and a value.
    fn known_key(&mut self, need: usize, client: usize) -> Option<(String, Value)> {
        let refreshed = self.clients[client].refreshed;
        let phrases = &self.plan.needs[need].phrases;
        let keys = self.everyone.lineage().keys();
        let tracked = keys.into_iter().find(|t| {
            let there =
                !matches!(t.state, LifecycleState::Withdrawn(_)) || self.clients[client].stubborn;
            means(&t.key, phrases) && t.introduced <= refreshed && there
        })?;
        let (name, value) = (tracked.key.key_name.clone(), value_of(&tracked.key)?);
        let mistyped = chance(&mut self.rng, MISTYPED);
        Some((
            name,
            if mistyped {
                json!({"odd": true})
            } else {
                value
            },
        ))
    }

    fn sent(&mut self, client: &str, payload: &Map<String, Value>, now: Timestamp) {
        self.history.payloads += 1;
        let accepted = !payload.values().any(Value::is_object);
        self.known.met(client, accepted, now);
        let lineage = self.everyone.lineage_mut();
        let client = Some(client);
        lineage.observe(&Observation {
            client,
            payload,
            accepted,
            now,
        });
        for key_name in payload.keys() {
            if chance(&mut self.rng, AUDITED) {
                let right = chance(&mut self.rng, RIGHT);
                lineage.judge(key_name, right, now);
            }
        }
    }

    fn fragment(&mut self, client: &str, text: &str, now: Timestamp) -> Result<(), PoolError> {
        self.history.fragments += 1;
        let source = self
            .known
            .source(Some(client), &self.settings.gates.sybil, now);
        let vector = self.embedder.embed(text);
        let fragment = Fragment {
            text,
            vector: &vector,
            source: &source,
        };
        let everyone = &mut self.everyone;
        let outcome = with_means(self.settings, self.embedder, &[], |means| {
            everyone.take(&fragment, means, now)
        })?;
        if let Some(inserted) = &outcome.inserted
            && inserted.created
        {
            self.labels
                .insert(inserted.cluster, text.chars().take(24).collect());
        }
        for gone in &outcome.changes.removed {
            self.labels.remove(gone);
        }
        self.note(outcome.events, now);
        Ok(())
    }

    /// The result came with a suggestion, and the client takes the schema over.
    fn refresh(&mut self, client: usize, now: Timestamp) {
        let client = &mut self.clients[client];
        if self.everyone.lineage().patches().next().is_none() && !client.stubborn {
            client.refreshed = now;
            return;
        }
        if client.stubborn && client.refreshed > Timestamp::default() {
            return;
        }
        client.refreshed = now;
        self.everyone
            .lineage_mut()
            .delivered(&client.name, self.settings);
    }

    fn attack(&mut self, now: Timestamp) -> Result<(), PoolError> {
        let Some(attack) = &self.plan.attack else {
            return Ok(());
        };
        let day = self.day(now);
        for i in 0..attack.names {
            let name = format!("name-{i}");
            if attack.patient && chance(&mut self.rng, 0.5 / 24.0) {
                self.sent(&name, &Map::new(), now);
            }
            if (attack.days.0..attack.days.1).contains(&day) && chance(&mut self.rng, 2.0 / 24.0) {
                self.fragment(&name, &attack.phrase, now)?;
            }
        }
        Ok(())
    }

    /// The traveller asks four times a day in one week of two.
    fn travel(&mut self, now: Timestamp) -> Result<(), PoolError> {
        let away = (self.day(now) / 7).is_multiple_of(2);
        if !away || ((now - self.plan.start) / HOUR_MS) % 6 != 0 {
            return Ok(());
        }
        let mut payload = Map::new();
        for text in &self.plan.traveller {
            match self.own_key(text) {
                Some((name, value)) => drop(payload.insert(name, value)),
                None => self.own_fragment(text, now)?,
            }
        }
        let lineage = self.personal.lineage_mut();
        lineage.delivered(TRAVELLER, self.settings);
        lineage.observe(&Observation {
            client: Some(TRAVELLER),
            payload: &payload,
            accepted: true,
            now,
        });
        for key_name in payload.keys() {
            lineage.judge(key_name, true, now);
        }
        Ok(())
    }

    /// The traveller's own key for what it wants, by its mapping examples, and its value.
    fn own_key(&self, text: &str) -> Option<(String, Value)> {
        let mut keys = self.personal.lineage().keys();
        let tracked = keys.find(|t| means(&t.key, &[text.to_owned()]))?;
        Some((tracked.key.key_name.clone(), value_of(&tracked.key)?))
    }

    fn own_fragment(&mut self, text: &str, now: Timestamp) -> Result<(), PoolError> {
        let everyones: Vec<Patch> = self.everyone.lineage().patches().cloned().collect();
        let vector = self.embedder.embed(text);
        let sybil = &self.settings.gates.sybil;
        let source = self.known.source(Some(TRAVELLER), sybil, now);
        let fragment = Fragment {
            text,
            vector: &vector,
            source: &source,
        };
        let personal = &mut self.personal;
        let outcome = with_means(self.settings, self.embedder, &everyones, |means| {
            personal.take(&fragment, means, now)
        })?;
        let events = outcome.events.into_iter().map(|event| (now, event));
        self.history.personal_events.extend(events);
        Ok(())
    }

    fn administrate(&mut self, now: Timestamp) {
        if let Administrators::Approve { but } = &self.plan.administrators {
            let everyones = decided(&mut self.everyone, but, self.settings, now);
            self.history.events.extend(everyones);
            let own = decided(&mut self.personal, but, self.settings, now);
            self.history.personal_events.extend(own);
        }
    }

    fn note(&mut self, events: Vec<LineageEvent>, now: Timestamp) {
        self.history
            .events
            .extend(events.into_iter().map(|event| (now, event)));
    }

    fn sample(&mut self, now: Timestamp) {
        let half_life_ms = self.settings.heat.half_life_ms;
        let (lineage, pool) = (self.everyone.lineage(), self.everyone.pool());
        let mut heats: Vec<(f64, String)> = pool
            .clusters()
            .map(|c| (c.heat.at(now, half_life_ms), self.label(c.id)))
            .filter(|(heat, _)| *heat >= 1.0)
            .collect();
        heats.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        heats.truncate(12);
        self.history.samples.push(Sample {
            at: now,
            schema_id: lineage.base().schema_id.clone(),
            keys: lineage
                .keys()
                .map(|t| (t.key.key_name.clone(), t.state))
                .collect(),
            heats: heats
                .into_iter()
                .map(|(heat, label)| (label, heat))
                .collect(),
            clusters: pool.clusters().len(),
            queued: lineage.queue().len(),
            pending: lineage.pending().len(),
        });
    }

    fn label(&self, id: ClusterId) -> String {
        let label = self.labels.get(&id).map_or("", String::as_str);
        format!("{label} #{id}")
    }
}

/// The decisions of two administrators on patches that wait for a day.
fn decided(
    evolution: &mut Evolution,
    but: &[String],
    settings: &EvolutionSettings,
    now: Timestamp,
) -> Vec<(Timestamp, LineageEvent)> {
    let waits = evolution.lineage().pending();
    let commands: Vec<LineageCommand> = waits
        .filter(|proposal| now - proposal.at >= DAY_MS)
        .flat_map(|proposal| ["admin-1", "admin-2"].map(|who| verdict(proposal, who, but)))
        .collect();
    let mut events = Vec::new();
    for command in commands {
        // The second is refused where one was enough.
        let followed = evolution.command(&command, settings, now);
        events.extend(followed.unwrap_or_default().into_iter().map(|e| (now, e)));
    }
    events
}

fn verdict(proposal: &Proposal, principal: &str, but: &[String]) -> LineageCommand {
    let Patch {
        patch_id, new_keys, ..
    } = &proposal.patch;
    let named = |word: &String| new_keys.iter().any(|key| key.key_name.contains(word));
    let (patch_id, principal) = (patch_id.clone(), principal.to_owned());
    match but.iter().any(named) {
        true => LineageCommand::Reject {
            patch_id,
            principal,
            reason: "not a need of clients".to_owned(),
        },
        false => LineageCommand::Approve {
            patch_id,
            principal,
        },
    }
}

fn with_means<T>(
    settings: &EvolutionSettings,
    embedder: &dyn Embedder,
    everyones: &[Patch],
    work: impl FnOnce(&EvolutionContext<'_>) -> T,
) -> T {
    let screen = |text: &str| other::Fragment::new(text)?.screened(SHOWN_MAX, &[]);
    work(&EvolutionContext {
        settings,
        embedder,
        screen: &screen,
        exposes: &|_| false,
        everyones,
    })
}

/// True if a key is described by one of these phrases.
fn means(key: &Key, phrases: &[String]) -> bool {
    let mut examples = key.annotation.0.values().flat_map(|d| &d.examples);
    examples.any(|e| phrases.contains(&e.said))
}

/// The first value that a key's examples have.
fn value_of(key: &Key) -> Option<Value> {
    let example = key.annotation.0.values().flat_map(|d| &d.examples).next();
    match key.shape.key_type {
        KeyType::Boolean => Some(json!(true)),
        _ => example.map(|e| e.value.clone()),
    }
}

/// Two or three words of two to four syllables.
fn nonsense(rng: &mut ChaCha8Rng) -> String {
    let words = (0..2 + below(rng, 2)).map(|_| {
        let syllables = 2 + below(rng, 3);
        let letters = (0..syllables)
            .flat_map(|_| [CONSONANTS, VOWELS].map(|of| char::from(of[below(rng, of.len())])));
        letters.collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn chance(rng: &mut ChaCha8Rng, probability: f64) -> bool {
    ((rng.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64
}

fn below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    (rng.next_u64() % end.max(1) as u64) as usize
}
