//! What the passing of time leads to: trials are judged, patches expire, graces end.
//!
//! Read next: [`super`], for what commands lead to.

use super::super::judge::{DeprecationReason, Verdict, of_stable, of_trial};
use super::super::{LifecycleState, Lineage, LineageEvent, Live, Tracked};
use crate::evolution::EvolutionSettings;
use crate::patch::Patch;
use crate::template::Key;
use crate::time::Timestamp;

impl Lineage {
    pub(super) fn tick(&self, settings: &EvolutionSettings, now: Timestamp) -> Vec<LineageEvent> {
        let lapsed = self
            .pending
            .iter()
            .filter(|(_, p)| now - p.at >= settings.patch.pending_ms);
        let mut events: Vec<LineageEvent> = lapsed
            .map(|(patch_id, _)| LineageEvent::Lapsed {
                patch_id: patch_id.clone(),
                rests_until: now + settings.patch.rest_ms,
            })
            .collect();
        for (key_name, tracked) in &self.keys {
            events.extend(self.due(key_name, tracked, settings, now));
        }
        let mut folded = Vec::new();
        for live in self
            .patches
            .iter()
            .filter(|live| live.patch.expires_at <= now)
        {
            let (end, is_folded) = self.ended(live, &events, settings, now);
            events.extend(end);
            folded.extend(is_folded.then(|| live.patch.patch_id.clone()));
        }
        events.extend(match folded.is_empty() {
            true => self.published(&events, now),
            false => Some(self.next_version(&events, now)),
        });
        events
    }

    fn due(
        &self,
        name: &str,
        tracked: &Tracked,
        s: &EvolutionSettings,
        now: Timestamp,
    ) -> Option<LineageEvent> {
        let key_name = name.to_owned();
        match tracked.state {
            LifecycleState::Experimental(at) if now >= at && s.parts.evaluation => {
                Some(self.tried(key_name, tracked, s, now))
            }
            LifecycleState::Stable(at) if now >= at && s.parts.evaluation => {
                let ratios = tracked.metrics.ratios(s.trial.window_ms, now);
                Some(match of_stable(&ratios, &s.trial) {
                    Verdict::Deprecate(why) => deprecated(key_name, why, now),
                    _ => LineageEvent::Extended {
                        key_name,
                        judged_at: now + s.trial.window_ms,
                    },
                })
            }
            LifecycleState::Deprecated(since) if now - since >= s.trial.grace_ms => {
                Some(LineageEvent::Withdrawn {
                    key_name,
                    rests_until: now + s.patch.rest_ms,
                    at: now,
                })
            }
            LifecycleState::Withdrawn(since) if now - since >= s.trial.backward_ms => {
                Some(LineageEvent::Forgotten { key_name })
            }
            _ => None,
        }
    }

    fn tried(
        &self,
        key_name: String,
        tracked: &Tracked,
        s: &EvolutionSettings,
        now: Timestamp,
    ) -> LineageEvent {
        let ends = tracked.introduced + s.trial.window_ms;
        let ratios = tracked.metrics.ratios(s.trial.window_ms, now);
        match of_trial(&ratios, &s.trial, now >= ends) {
            Verdict::Promote => LineageEvent::Promoted {
                key_name,
                judged_at: now + s.trial.window_ms,
                at: now,
            },
            Verdict::Deprecate(why) => deprecated(key_name, why, now),
            Verdict::Extend => {
                let next = now + s.trial.trial_ms;
                let judged_at = if now < ends { next.min(ends) } else { next };
                LineageEvent::Extended {
                    key_name,
                    judged_at,
                }
            }
        }
    }

    /// Adds what the end of a patch means: keys on trial go out; what is used goes on; a
    /// refinement alone becomes part of the next version. Says whether that is so.
    fn ended(
        &self,
        live: &Live,
        so_far: &[LineageEvent],
        s: &EvolutionSettings,
        now: Timestamp,
    ) -> (Vec<LineageEvent>, bool) {
        if live.empties(so_far) {
            return (Vec::new(), false);
        }
        let new_keys = &live.patch.new_keys;
        let out =
            |key: &&Key| self.is_on_trial(&key.key_name) && !is_decided(&key.key_name, so_far);
        let mut events: Vec<LineageEvent> = (new_keys.iter().filter(out))
            .map(|key| deprecated(key.key_name.clone(), DeprecationReason::Expired, now))
            .collect();
        if new_keys.is_empty() && self.cohort.is_none() {
            return (events, true);
        }
        let longer = match events.is_empty() {
            true => s.patch.expiry_ms,
            false => s.trial.grace_ms.max(1),
        };
        events.push(LineageEvent::Renewed {
            patch_id: live.patch.patch_id.clone(),
            expires_at: now + longer,
        });
        (events, false)
    }

    fn is_on_trial(&self, key_name: &str) -> bool {
        let state = self.keys.get(key_name).map(|tracked| tracked.state);
        matches!(state, Some(LifecycleState::Experimental(_)))
    }
}

impl Live {
    /// True if nothing is left of the patch after these events.
    fn empties(&self, events: &[LineageEvent]) -> bool {
        let goes = |name: &str| {
            (events.iter())
                .any(|e| matches!(e, LineageEvent::Withdrawn { key_name, .. } if key_name == name))
        };
        let Patch {
            new_keys,
            modified_keys,
            ..
        } = &self.patch;
        modified_keys.is_empty() && new_keys.iter().all(|key| goes(&key.key_name))
    }
}

/// True if events say already what becomes of a key.
fn is_decided(name: &str, events: &[LineageEvent]) -> bool {
    events.iter().any(|event| match event {
        LineageEvent::Promoted { key_name, .. } | LineageEvent::Deprecated { key_name, .. } => {
            key_name == name
        }
        _ => false,
    })
}

fn deprecated(key_name: String, why: DeprecationReason, at: Timestamp) -> LineageEvent {
    LineageEvent::Deprecated {
        key_name,
        why,
        principal: None,
        at,
    }
}
