//! The changes that events make to a [`Lineage`]. Cannot fail: what an event names and is not there
//! is not changed.

use super::{LifecycleState, Lineage, LineageEvent, Live, Queued, Settled, Tracked};
use crate::evolution::{ClusterId, Metrics};
use crate::patch::Patch;
use crate::template::{KeyStatus, Template};
use crate::time::Timestamp;

impl Lineage {
    /// Takes over what happened.
    pub fn apply(&mut self, event: &LineageEvent) {
        match event {
            LineageEvent::Queued { cluster, at } => {
                self.settled.remove(cluster);
                self.queue.push_back(Queued {
                    cluster: *cluster,
                    at: *at,
                });
            }
            LineageEvent::Dropped { cluster, .. } => self.queue.retain(|q| q.cluster != *cluster),
            LineageEvent::Proposed { proposal } => {
                self.queue.retain(|q| q.cluster != proposal.cluster);
                self.serial += 1;
                let patch_id = proposal.patch.patch_id.clone();
                self.settled.insert(
                    proposal.cluster,
                    Settled::By {
                        patch_id: patch_id.clone(),
                    },
                );
                self.pending.insert(patch_id, proposal.clone());
            }
            LineageEvent::Approved {
                patch_id,
                principal,
                ..
            } => {
                if let Some(proposal) = self.pending.get_mut(patch_id) {
                    proposal.approvers.insert(principal.clone());
                }
            }
            LineageEvent::Activated {
                patch,
                cluster,
                judged_at,
                at,
            } => {
                self.activated(patch, *cluster, *judged_at, *at);
            }
            LineageEvent::Rejected {
                patch_id,
                rests_until,
                ..
            }
            | LineageEvent::Lapsed {
                patch_id,
                rests_until,
            } => {
                self.pending.remove(patch_id);
                self.patches.retain(|live| live.patch.patch_id != *patch_id);
                self.rest(patch_id, *rests_until);
            }
            LineageEvent::Extended {
                key_name,
                judged_at,
            } => self.judged_again(key_name, *judged_at),
            LineageEvent::Promoted {
                key_name,
                judged_at,
                ..
            } => {
                self.enter(
                    key_name,
                    LifecycleState::Stable(*judged_at),
                    KeyStatus::Stable,
                );
            }
            LineageEvent::Deprecated { key_name, at, .. } => {
                self.enter(
                    key_name,
                    LifecycleState::Deprecated(*at),
                    KeyStatus::Deprecated,
                );
            }
            LineageEvent::Withdrawn {
                key_name,
                rests_until,
                at,
            } => {
                self.withdrawn(key_name, *rests_until, *at);
            }
            LineageEvent::Forgotten { key_name } => {
                self.keys.remove(key_name);
            }
            LineageEvent::Renewed {
                patch_id,
                expires_at,
            } => {
                self.touch(patch_id, |patch| patch.expires_at = *expires_at);
            }
            LineageEvent::Published { base, folded, .. } => self.stand_on(base, folded),
            LineageEvent::Rebased { base } => self.stand_on(base, &[]),
        }
    }

    fn activated(
        &mut self,
        patch: &Patch,
        cluster: ClusterId,
        judged_at: Timestamp,
        at: Timestamp,
    ) {
        self.pending.remove(&patch.patch_id);
        self.changes += 1;
        self.patches.push(Live {
            patch: patch.clone(),
            cluster,
            changed: self.changes,
            since: self.changes,
        });
        for key in &patch.new_keys {
            let tracked = Tracked {
                key: key.clone(),
                state: LifecycleState::Experimental(judged_at),
                patch_id: patch.patch_id.clone(),
                cluster,
                introduced: at,
                in_base: false,
                metrics: Metrics::since(at),
            };
            self.keys.insert(key.key_name.clone(), tracked);
        }
    }

    fn judged_again(&mut self, key_name: &str, judged_at: Timestamp) {
        if let Some(tracked) = self.keys.get_mut(key_name) {
            tracked.state = match tracked.state {
                LifecycleState::Experimental(_) => LifecycleState::Experimental(judged_at),
                LifecycleState::Stable(_) => LifecycleState::Stable(judged_at),
                gone => gone,
            };
        }
    }

    fn enter(&mut self, key_name: &str, state: LifecycleState, standing: KeyStatus) {
        let Some(tracked) = self.keys.get_mut(key_name) else {
            return;
        };
        tracked.state = state;
        tracked.key.standing = standing;
        let patch_id = tracked.patch_id.clone();
        self.touch(&patch_id, |patch| {
            for key in patch.new_keys.iter_mut().filter(|k| k.key_name == key_name) {
                key.standing = standing;
            }
        });
    }

    fn withdrawn(&mut self, key_name: &str, rests_until: Timestamp, at: Timestamp) {
        self.enter(
            key_name,
            LifecycleState::Withdrawn(at),
            KeyStatus::Deprecated,
        );
        let Some(tracked) = self.keys.get_mut(key_name) else {
            return;
        };
        tracked.in_base = false;
        let (patch_id, cluster) = (tracked.patch_id.clone(), tracked.cluster);
        self.touch(&patch_id, |patch| {
            patch.new_keys.retain(|k| k.key_name != key_name)
        });
        for live in &mut self.patches {
            live.patch.modified_keys.retain(|r| r.key_name != key_name);
        }
        self.drop_empty();
        self.settled.insert(cluster, Settled::Until(rests_until));
    }

    fn rest(&mut self, patch_id: &str, until: Timestamp) {
        for settled in self.settled.values_mut() {
            if matches!(settled, Settled::By { patch_id: by } if by == patch_id) {
                *settled = Settled::Until(until);
            }
        }
    }

    /// Changes a patch in a way that clients can see.
    fn touch(&mut self, patch_id: &str, change: impl FnOnce(&mut Patch)) {
        self.changes += 1;
        if let Some(live) = self
            .patches
            .iter_mut()
            .find(|l| l.patch.patch_id == patch_id)
        {
            live.changed = self.changes;
            change(&mut live.patch);
        }
    }

    /// Another base: patches are rebased, and what the base has by now leaves them.
    fn stand_on(&mut self, base: &Template, folded: &[String]) {
        self.changes += 1;
        self.base = base.clone();
        for live in &mut self.patches {
            live.patch.parent_schema_id = base.schema_id.clone();
            live.patch
                .new_keys
                .retain(|k| base.key(&k.key_name).is_none());
            if folded.contains(&live.patch.patch_id) {
                live.patch.modified_keys.clear();
            }
        }
        self.drop_empty();
        match self.cohort {
            None => {
                for tracked in self.keys.values_mut() {
                    tracked.in_base = base.key(&tracked.key.key_name).is_some();
                }
            }
            // What everyone has is not the client's own any more.
            Some(_) => self.keys.retain(|name, _| base.key(name).is_none()),
        }
    }

    fn drop_empty(&mut self) {
        self.patches
            .retain(|l| !l.patch.new_keys.is_empty() || !l.patch.modified_keys.is_empty());
    }
}
