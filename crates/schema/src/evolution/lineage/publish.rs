//! The next version of everyone's base: what was promoted comes in, what was withdrawn goes.
//!
//! Refinements that are active are part of it. The version before stays as it was.

use super::{Lineage, LineageEvent};
use crate::template::{KeyStatus, OTHER, Template};
use crate::time::Timestamp;

impl Lineage {
    /// The next version, if events change what the base must say.
    pub(super) fn published(
        &self,
        events: &[LineageEvent],
        now: Timestamp,
    ) -> Option<LineageEvent> {
        let in_base = |name: &String| self.keys.get(name).is_some_and(|t| t.in_base);
        let changes = |event: &LineageEvent| match event {
            LineageEvent::Promoted { .. } => true,
            LineageEvent::Deprecated { key_name, .. }
            | LineageEvent::Withdrawn { key_name, .. } => in_base(key_name),
            _ => false,
        };
        (self.cohort.is_none() && events.iter().any(changes))
            .then(|| self.next_version(events, now))
    }

    /// The next version whatever happened.
    pub(super) fn next_version(&self, events: &[LineageEvent], now: Timestamp) -> LineageEvent {
        let mut base = self.base.clone();
        for event in events {
            self.bring_in(event, &mut base);
        }
        let folded = self.refine(&mut base);
        base.schema_id = next_id(&self.base);
        LineageEvent::Published {
            base,
            folded,
            at: now,
        }
    }

    fn bring_in(&self, event: &LineageEvent, base: &mut Template) {
        match event {
            LineageEvent::Promoted { key_name, .. } => {
                let mut key = self.keys[key_name].key.clone();
                key.standing = KeyStatus::Stable;
                crate::patch::insert(base, key);
            }
            LineageEvent::Deprecated { key_name, .. } => {
                let key = base.keys.iter_mut().find(|k| k.key_name == *key_name);
                if let Some(key) = key {
                    key.standing = KeyStatus::Deprecated;
                }
            }
            LineageEvent::Withdrawn { key_name, .. } if self.keys[key_name].in_base => {
                base.keys
                    .retain(|k| k.key_name != *key_name || k.key_name == OTHER);
            }
            _ => {}
        }
    }

    /// Applies the refinements of keys that the base has; names the patches whose all are so.
    fn refine(&self, base: &mut Template) -> Vec<String> {
        let mut folded = Vec::new();
        for live in self
            .patches
            .iter()
            .filter(|live| !live.patch.modified_keys.is_empty())
        {
            let all = live
                .patch
                .modified_keys
                .iter()
                .all(|r| base.key(&r.key_name).is_some());
            for refinement in &live.patch.modified_keys {
                refinement.lay_over(base);
            }
            folded.extend(all.then(|| live.patch.patch_id.clone()));
        }
        folded
    }
}

/// `flight_booking_v2` after `flight_booking_v1`.
fn next_id(base: &Template) -> String {
    let version = base.version().unwrap_or(1);
    let stem = match base.schema_id.rsplit_once("_v") {
        Some((stem, _)) if base.version().is_some() => stem,
        _ => &base.schema_id,
    };
    format!("{stem}_v{}", version + 1)
}
