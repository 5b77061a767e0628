//! The world of a simulation: clients, a traveller, an attacker and administrators, hour by hour.
//!
//! Read next: [`super`], for what they are to do.

use super::super::{
    ClusterId, Evolution, EvolutionContext, EvolutionOutcome, EvolutionSettings, Fragment,
    KnownClients, LifecycleState, LineageCommand, LineageEvent, Observation, PoolError, Proposal,
};
use super::chance::{below, chance, nonsense};
use super::{Administrators, ClientNeed, HOUR_MS, Sample, SimulationHistory, Workload};
use crate::other;
use crate::patch::Patch;
use crate::semantics::Embedder;
use crate::template::{Key, KeyType, Template};
use crate::time::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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

pub(super) struct World<'a> {
    plan: &'a Workload,
    settings: &'a EvolutionSettings,
    embedder: &'a dyn Embedder,
    rng: ChaCha8Rng,
    pub(super) everyone: Evolution,
    personal: Evolution,
    known: KnownClients,
    clients: Vec<Client>,
    labels: BTreeMap<ClusterId, String>,
    /// Chance of its own, so that a plan without noise has the same history besides.
    noise: ChaCha8Rng,
    pub(super) history: SimulationHistory,
}

struct Client {
    name: String,
    /// The instant at which it last took over the schema.
    refreshed: Timestamp,
    stubborn: bool,
}

impl<'a> World<'a> {
    pub(super) fn new(
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

    pub(super) fn hour(&mut self, now: Timestamp) -> Result<(), PoolError> {
        for client in 0..self.clients.len() {
            if chance(&mut self.rng, self.plan.payloads_per_day / 24.0) {
                self.ordinary(client, now)?;
            }
        }
        self.attack(now)?;
        self.travel(now)?;
        self.administrate(now);
        let everyones = self.everyones();
        let base = self.everyone.lineage().base().clone();
        let events = self.everyone.tick(&self.context(&[]), now).events;
        self.note(events, now);
        let rebase = LineageCommand::Rebase { base };
        let rebased = self.personal.command(&rebase, self.settings, now);
        let rebased = rebased.unwrap_or_default();
        let ticked = self.personal.tick(&self.context(&everyones), now).events;
        self.history
            .personal_events
            .extend(rebased.into_iter().chain(ticked).map(|e| (now, e)));
        Ok(())
    }

    /// What evolution works with; `everyones` are the patches beside a client's own.
    fn context<'c>(&self, everyones: &'c [Patch]) -> EvolutionContext<'c>
    where
        'a: 'c,
    {
        EvolutionContext {
            settings: self.settings,
            embedder: self.embedder,
            screen: &|text| other::Fragment::new(text)?.screened(SHOWN_MAX, &[]),
            exposes: &|_| false,
            everyones,
        }
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
        let outcome = self.take(false, client, text, now)?;
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
        let outcome = self.take(true, TRAVELLER, text, now)?;
        let events = outcome.events.into_iter().map(|event| (now, event));
        self.history.personal_events.extend(events);
        Ok(())
    }

    /// Hands what a client said to the traveller's evolution, or to everyone's.
    fn take(
        &mut self,
        personal: bool,
        client: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<EvolutionOutcome, PoolError> {
        let sybil = &self.settings.gates.sybil;
        let fragment = Fragment {
            text,
            vector: &self.embedder.embed(text),
            source: &self.known.source(Some(client), sybil, now),
        };
        match personal {
            true => {
                let everyones = self.everyones();
                let context = self.context(&everyones);
                self.personal.take(&fragment, &context, now)
            }
            false => self.everyone.take(&fragment, &self.context(&[]), now),
        }
    }

    fn everyones(&self) -> Vec<Patch> {
        self.everyone.lineage().patches().cloned().collect()
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

    pub(super) fn sample(&mut self, now: Timestamp) {
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
