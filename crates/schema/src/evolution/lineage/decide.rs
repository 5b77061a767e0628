//! The one table of [`Lineage`]: what each command leads to, and why not (draft-zhou §6.2.2, §6.2.3).
//!
//! Read next: [`tick`], for what time leads to; [`super::apply`].

mod tick;

use super::judge::DeprecationReason;
use super::{
    LifecycleState, Lineage, LineageCommand, LineageEvent, LineageRefusal, Proposal, Queued,
    Settled, Tracked,
};
use crate::canonical;
use crate::evolution::conflict::merged;
use crate::evolution::{Approval, ClusterId, EvolutionSettings, Resolved};
use crate::patch::Patch;
use crate::template::{KeyStatus, Template};
use crate::time::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The approver where the policy does.
const POLICY: &str = "policy";

impl Lineage {
    /// Decides what a command leads to, at an instant. Changes nothing; give the events to
    /// [`Lineage::apply`], in order, when they are kept.
    ///
    /// # Errors
    /// [`LineageRefusal`]; nothing follows then.
    pub fn decide(
        &self,
        command: &LineageCommand,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        let stands = settings.parts.patches;
        match command {
            LineageCommand::Tick => Ok(self.tick(settings, now)),
            LineageCommand::Rebase { base } => self.rebase(base),
            LineageCommand::Deprecate {
                key_name,
                principal,
            } => self.take_out(key_name, principal, now),
            LineageCommand::Reject {
                patch_id,
                principal,
                reason,
            } => {
                let proposal = self.waiting(patch_id)?;
                Ok(vec![LineageEvent::Rejected {
                    patch_id: proposal.patch.patch_id.clone(),
                    principal: principal.clone(),
                    reason: reason.clone(),
                    rests_until: now + settings.patch.rest_ms,
                }])
            }
            LineageCommand::End {
                patch_id,
                principal,
                reason,
            } => self.end(patch_id, principal, reason, settings, now),
            LineageCommand::Drop { cluster, why } => {
                match self.queue.iter().any(|q| q.cluster == *cluster) {
                    true => Ok(vec![LineageEvent::Dropped {
                        cluster: *cluster,
                        why: *why,
                        at: now,
                    }]),
                    false => Err(LineageRefusal::OutOfTurn { cluster: *cluster }),
                }
            }
            _ if !stands => Err(LineageRefusal::Off),
            LineageCommand::Fire { cluster } => self.fire(*cluster, settings, now),
            LineageCommand::Approve {
                patch_id,
                principal,
            } => self.approve(patch_id, principal, settings, now),
            LineageCommand::Propose {
                cluster,
                resolved,
                exposes_capability,
            } => self.propose(*cluster, resolved, *exposes_capability, settings, now),
        }
    }

    fn fire(
        &self,
        cluster: ClusterId,
        s: &EvolutionSettings,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        if self.is_settled(cluster, now) {
            return Err(LineageRefusal::Settled { cluster });
        }
        if self.queue.len() >= s.convergence.queue_max {
            return Err(LineageRefusal::QueueFull {
                waiting: self.queue.len(),
            });
        }
        Ok(vec![LineageEvent::Queued { cluster, at: now }])
    }

    fn propose(
        &self,
        cluster: ClusterId,
        resolved: &Resolved,
        exposes_capability: bool,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        if self
            .queue
            .front()
            .is_none_or(|first| first.cluster != cluster)
        {
            return Err(LineageRefusal::OutOfTurn { cluster });
        }
        if let Resolved::New(key) = resolved {
            self.room(settings)?;
            self.free(&key.key_name)?;
        }
        let sensitive = exposes_capability || is_sensitive(resolved);
        let proposal = Proposal {
            patch: self.packaged(resolved, settings, now),
            cluster,
            at: now,
            sensitive,
            approvers_min: self.approvers_min(sensitive, settings),
            approvers: BTreeSet::new(),
        };
        let mut events = vec![LineageEvent::Proposed {
            proposal: proposal.clone(),
        }];
        if proposal.approvers_min == 0 {
            events.extend(self.activate(&proposal, POLICY, settings, now));
        }
        Ok(events)
    }

    fn room(&self, settings: &EvolutionSettings) -> Result<(), LineageRefusal> {
        let experimental = self.on_trial();
        match experimental < settings.convergence.experimental_max {
            true => Ok(()),
            false => Err(LineageRefusal::Full { experimental }),
        }
    }

    /// That no key is called so: not in the base, nor in a patch, nor in one that waits.
    fn free(&self, key_name: &str) -> Result<(), LineageRefusal> {
        let waiting = self.pending.values().flat_map(|p| &p.patch.new_keys);
        let taken = self.current().key(key_name).is_some()
            || waiting.into_iter().any(|key| key.key_name == key_name);
        match taken {
            true => Err(LineageRefusal::Collides {
                key_name: key_name.to_owned(),
            }),
            false => Ok(()),
        }
    }

    fn approvers_min(&self, sensitive: bool, settings: &EvolutionSettings) -> usize {
        let policy = &settings.patch.policy;
        let ordinary = match self.cohort {
            Some(_) => policy.personal,
            None => policy.ordinary,
        };
        match (sensitive, ordinary) {
            (true, _) => policy.sensitive_approvers,
            (false, Approval::Manual) => 1,
            (false, Approval::Auto) => 0,
        }
    }

    /// Patch packaging (§6.2.2): a name that follows from the lineage alone.
    fn packaged(&self, resolved: &Resolved, settings: &EvolutionSettings, now: Timestamp) -> Patch {
        let whose = match &self.cohort {
            Some(client) => format!("_{}", digest(client)),
            None => String::new(),
        };
        let (mut new_keys, mut modified_keys) = (Vec::new(), Vec::new());
        match resolved {
            Resolved::New(key) => {
                let mut key = key.clone();
                // Anything else would break clients that know nothing of it.
                key.required = false;
                key.standing = KeyStatus::Experimental;
                new_keys.push(key);
            }
            Resolved::Refines { refinement, .. } => modified_keys.push(refinement.clone()),
        }
        Patch {
            patch_id: format!("{}{whose}_p{}", self.base.schema_id, self.serial + 1),
            parent_schema_id: self.base.schema_id.clone(),
            timestamp: now,
            expires_at: now + settings.patch.expiry_ms,
            client: self.cohort.clone(),
            new_keys,
            modified_keys,
        }
    }

    fn waiting(&self, patch_id: &str) -> Result<&Proposal, LineageRefusal> {
        let none = || LineageRefusal::NotPending {
            patch_id: patch_id.to_owned(),
        };
        self.pending.get(patch_id).ok_or_else(none)
    }

    fn approve(
        &self,
        patch_id: &str,
        principal: &str,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        let proposal = self.waiting(patch_id)?;
        if proposal.approvers.contains(principal) {
            return Err(LineageRefusal::SamePrincipal {
                patch_id: patch_id.to_owned(),
                principal: principal.to_owned(),
            });
        }
        // The base may have gained the key while the patch waited.
        let collides = |name: &&String| self.current().key(name).is_some();
        if let Some(key_name) = proposal
            .patch
            .new_keys
            .iter()
            .map(|k| &k.key_name)
            .find(collides)
        {
            return Err(LineageRefusal::Collides {
                key_name: key_name.clone(),
            });
        }
        if proposal.approvers.len() + 1 < proposal.approvers_min {
            return Ok(vec![approved(patch_id, principal, now)]);
        }
        Ok(self.activate(proposal, principal, settings, now))
    }

    /// The last approval, and the patch from now on: its keys begin their trial.
    fn activate(
        &self,
        proposal: &Proposal,
        by: &str,
        s: &EvolutionSettings,
        now: Timestamp,
    ) -> Vec<LineageEvent> {
        let mut patch = proposal.patch.clone();
        patch.parent_schema_id = self.base.schema_id.clone();
        patch.timestamp = now;
        patch.expires_at = now + s.patch.expiry_ms;
        let current = self.current();
        for refinement in &mut patch.modified_keys {
            if let Some(key) = current.key(&refinement.key_name) {
                refinement.annotation = merged(&key.annotation, &refinement.annotation);
            }
        }
        vec![
            approved(&patch.patch_id, by, now),
            LineageEvent::Activated {
                judged_at: now + s.trial.trial_ms,
                cluster: proposal.cluster,
                patch,
                at: now,
            },
        ]
    }

    /// A key that somebody wants gone does not wait for its grace: it is on its way to clients.
    fn end(
        &self,
        patch_id: &str,
        principal: &str,
        reason: &str,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        let active = self.patches().find(|patch| patch.patch_id == patch_id);
        let patch = active.ok_or_else(|| LineageRefusal::NotActive {
            patch_id: patch_id.to_owned(),
        })?;
        let rests_until = now + settings.patch.rest_ms;
        let withdrawn = patch.new_keys.iter().map(|key| LineageEvent::Withdrawn {
            key_name: key.key_name.clone(),
            rests_until,
            at: now,
        });
        let rejected = LineageEvent::Rejected {
            patch_id: patch_id.to_owned(),
            principal: principal.to_owned(),
            reason: reason.to_owned(),
            rests_until,
        };
        Ok(withdrawn.chain([rejected]).collect())
    }

    fn take_out(
        &self,
        key_name: &str,
        by: &str,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        let unknown = || LineageRefusal::UnknownKey {
            key_name: key_name.to_owned(),
        };
        let tracked = self.keys.get(key_name).ok_or_else(unknown)?;
        match tracked.state {
            LifecycleState::Experimental(_) | LifecycleState::Stable(_) => {
                let out = LineageEvent::Deprecated {
                    key_name: key_name.to_owned(),
                    why: DeprecationReason::Operator,
                    principal: Some(by.to_owned()),
                    at: now,
                };
                let mut events = vec![out];
                events.extend(self.published(&events, now));
                Ok(events)
            }
            state @ (LifecycleState::Deprecated(_) | LifecycleState::Withdrawn(_)) => {
                Err(LineageRefusal::OnItsWayOut {
                    key_name: key_name.to_owned(),
                    state: state.name(),
                })
            }
        }
    }

    fn rebase(&self, base: &Template) -> Result<Vec<LineageEvent>, LineageRefusal> {
        match self.cohort {
            None => Err(LineageRefusal::NotPersonal),
            Some(_) if *base == self.base => Ok(Vec::new()),
            Some(_) => Ok(vec![LineageEvent::Rebased { base: base.clone() }]),
        }
    }

    /// True if a cluster waits, has its patch or key, or rests.
    pub fn is_settled(&self, cluster: ClusterId, now: Timestamp) -> bool {
        let waits = |q: &Queued| q.cluster == cluster;
        self.queue.iter().any(waits)
            || match self.settled.get(&cluster) {
                Some(Settled::By { .. }) => true,
                Some(Settled::Until(until)) => now < *until,
                None => false,
            }
    }

    /// Keys on trial, and keys in patches that wait.
    pub fn on_trial(&self) -> usize {
        let experimental = |t: &&Tracked| matches!(t.state, LifecycleState::Experimental(_));
        let waiting: usize = self.pending.values().map(|p| p.patch.new_keys.len()).sum();
        self.keys.values().filter(experimental).count() + waiting
    }
}

fn is_sensitive(resolved: &Resolved) -> bool {
    match resolved {
        Resolved::New(key) => crate::lint::sensitive::is_sensitive(key),
        Resolved::Refines { sensitive, .. } => *sensitive,
    }
}

fn approved(patch_id: &str, principal: &str, at: Timestamp) -> LineageEvent {
    LineageEvent::Approved {
        patch_id: patch_id.to_owned(),
        principal: principal.to_owned(),
        at,
    }
}

/// Tells clients' patches apart without naming the client.
fn digest(client: &str) -> String {
    canonical::hex(&Sha256::digest(client.as_bytes())[..6])
}
