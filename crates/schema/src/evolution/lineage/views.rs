//! The views that others have of a [`Lineage`], and what it counts.

use super::{LifecycleState, Lineage, Proposal, Tracked};
use crate::contract::Tolerated;
use crate::evolution::{ClusterId, EvolutionSettings, Observation, effective};
use crate::language::Language;
use crate::patch::Patch;
use crate::template::{KeyType, Shape, Template};
use crate::time::Timestamp;
use crate::write;
use serde_json::Value;
use std::collections::BTreeSet;

/// The activity of a name in a lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// A patch called so is active.
    Active,
    /// A patch called so waits for approval.
    Pending,
    /// There is none: it never was, was rejected, ended, or is part of the base.
    None,
}

impl Lineage {
    /// The client whose own this is.
    pub fn cohort(&self) -> Option<&str> {
        self.cohort.as_deref()
    }

    /// The version of the base that is in force.
    pub fn base(&self) -> &Template {
        &self.base
    }

    /// The active patches, in the order in which they became so.
    pub fn patches(&self) -> impl DoubleEndedIterator<Item = &Patch> {
        self.patches.iter().map(|live| &live.patch)
    }

    /// The patches that wait for approval.
    pub fn pending(&self) -> impl ExactSizeIterator<Item = &Proposal> {
        self.pending.values()
    }

    /// The activity of a patch.
    pub fn patch_activity(&self, patch_id: &str) -> Activity {
        if self.pending.contains_key(patch_id) {
            Activity::Pending
        } else if self.patches().any(|patch| patch.patch_id == patch_id) {
            Activity::Active
        } else {
            Activity::None
        }
    }

    /// The keys that came from patches and are not forgotten.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Tracked> {
        self.keys.values()
    }

    /// The key called so, if it came from a patch.
    pub fn key(&self, key_name: &str) -> Option<&Tracked> {
        self.keys.get(key_name)
    }

    /// The triggers that wait, first in, first out.
    pub fn queue(&self) -> impl ExactSizeIterator<Item = ClusterId> {
        self.queue.iter().map(|queued| queued.cluster)
    }

    /// True if another key may go on trial.
    pub fn has_room(&self, settings: &EvolutionSettings) -> bool {
        self.on_trial() < settings.convergence.experimental_max
    }

    /// The base as its active patches make it.
    pub fn current(&self) -> Template {
        effective(&self.base, self.patches())
    }

    /// The same with the patches that wait, to look for conflicts in.
    pub fn prospective(&self) -> Template {
        let waiting = self.pending.values().map(|p| &p.patch);
        effective(&self.base, self.patches().chain(waiting))
    }

    /// Keys that a template does not have and a payload may yet carry, with a warning:
    /// what was withdrawn less than the backward window ago, and for an older version what became a
    /// key since, as its patch said so under that version. For [`crate::contract`].
    pub fn tolerated(
        &self,
        template: &Template,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Vec<Tolerated> {
        let accepted = |tracked: &&Tracked| match tracked.state {
            LifecycleState::Withdrawn(since) => now - since < settings.trial.backward_ms,
            _ => true,
        };
        let missing = |tracked: &&Tracked| template.key(&tracked.key.key_name).is_none();
        let keys = self.keys.values().filter(accepted).filter(missing);
        keys.map(|t| Tolerated {
            key_name: t.key.key_name.clone(),
            shape: t.key.shape.clone(),
        })
        .collect()
    }

    /// Names that mean something else still, for [`crate::evolution::resolve`].
    pub fn taken(&self) -> Vec<(String, Shape)> {
        let withdrawn = self
            .keys
            .values()
            .filter(|t| matches!(t.state, LifecycleState::Withdrawn(_)));
        withdrawn
            .map(|t| (t.key.key_name.clone(), t.key.shape.clone()))
            .collect()
    }

    /// The patches that are new, or changed, since one was active; all if it is none that is active.
    pub fn patches_since(&self, patch_id: Option<&str>) -> impl Iterator<Item = &Patch> {
        let known = |id: &str| self.patches.iter().find(|l| l.patch.patch_id == id);
        let after = patch_id.and_then(known).map_or(0, |live| live.since);
        self.patches
            .iter()
            .filter(move |l| l.changed > after)
            .map(|l| &l.patch)
    }

    /// The `schema_update_suggestion` for a result or a poll: one object with all members, in which
    /// the latest patch names itself and keys of all that are new stand together. It ends when the
    /// first of them does. None if there is nothing new.
    pub fn suggestion(&self, since: Option<&str>, preferred: Option<&Language>) -> Option<Value> {
        let mut patches = self.patches_since(since).cloned();
        let mut suggestion = patches.next()?;
        for patch in patches {
            suggestion.expires_at = suggestion.expires_at.min(patch.expires_at);
            suggestion.timestamp = suggestion.timestamp.max(patch.timestamp);
            suggestion.patch_id = patch.patch_id;
            suggestion.new_keys.extend(patch.new_keys);
            let refined = |name: &str| patch.modified_keys.iter().any(|r| r.key_name == name);
            suggestion.modified_keys.retain(|r| !refined(&r.key_name));
            suggestion.modified_keys.extend(patch.modified_keys);
        }
        // A key that is new already says what a refinement of it would.
        let current = self.current();
        for key in &mut suggestion.new_keys {
            key.annotation = current
                .key(&key.key_name)
                .map_or_else(|| key.annotation.clone(), |k| k.annotation.clone());
        }
        let new: BTreeSet<_> = suggestion
            .new_keys
            .iter()
            .map(|k| k.key_name.clone())
            .collect();
        suggestion
            .modified_keys
            .retain(|r| !new.contains(&r.key_name));
        Some(write::patch(&suggestion, preferred, &self.base.language))
    }

    /// A client was given patches: they count as received.
    pub fn delivered(&mut self, client: &str, settings: &EvolutionSettings) {
        for tracked in self.keys.values_mut().filter(|t| t.is_live() && !t.in_base) {
            tracked.metrics.received(client, settings.trial.clients_max);
        }
    }

    /// Counts a payload, before it is rejected if it is. Cheap; no decision follows until
    /// [`super::LineageCommand::Tick`]. Names the withdrawn keys it carries, which deserve a warning.
    pub fn observe(&mut self, seen: &Observation<'_>) -> Vec<String> {
        let mut withdrawn = Vec::new();
        for (name, tracked) in &mut self.keys {
            let value = seen.payload.get(name).filter(|value| !value.is_null());
            if !tracked.is_live() {
                withdrawn.extend(value.map(|_| name.clone()));
                continue;
            }
            let typed = value.map(|value| is_of(tracked.key.shape.key_type, value));
            tracked.metrics.count(typed, seen.now);
            if let (true, Some(_), Some(client)) = (seen.accepted, typed, seen.client) {
                tracked.metrics.adopted(client);
            }
        }
        withdrawn
    }

    /// Counts a judgement: whether a key's value in some payload is what was meant there.
    /// False if the key is not under evaluation.
    pub fn judge(&mut self, key_name: &str, matching: bool, now: Timestamp) -> bool {
        let live = self.keys.get_mut(key_name).filter(|t| t.is_live());
        live.map(|tracked| tracked.metrics.judge(matching, now))
            .is_some()
    }

    /// Forgets counts that are out of every window, and rests that are over.
    pub(crate) fn forget_old(&mut self, settings: &EvolutionSettings, now: Timestamp) {
        for tracked in self.keys.values_mut() {
            tracked.metrics.forget(settings.trial.window_ms, now);
        }
        self.settled
            .retain(|_, s| !matches!(s, super::Settled::Until(until) if *until <= now));
    }

    /// Forgets a client among those that received and adopted keys.
    pub fn erase(&mut self, client: &str) {
        for tracked in self.keys.values_mut() {
            tracked.metrics.erase(client);
        }
    }
}

impl Tracked {
    /// True if it is in the schema.
    fn is_live(&self) -> bool {
        !matches!(self.state, LifecycleState::Withdrawn(_))
    }
}

/// The declared type alone counts for value_type_correctness.
fn is_of(key_type: KeyType, value: &Value) -> bool {
    match key_type {
        KeyType::String => value.is_string(),
        KeyType::Integer => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        KeyType::Number => value.is_number(),
        KeyType::Boolean => value.is_boolean(),
        KeyType::Array => value.is_array(),
        KeyType::Object => value.is_object(),
        KeyType::Any => true,
    }
}
