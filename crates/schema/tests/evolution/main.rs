//! Evolution of schemas (draft-zhou §6.2), item by item: the pool, induction and conflicts, the life
//! of keys, and every boundary of D109.
#![allow(clippy::unwrap_used, missing_docs)]

mod bag;
mod induction;
mod lifecycle;
mod parts;
mod pool;
mod settings;
mod table;

use schema::evolution::{
    ClusterId, EvolutionSettings, Lineage, LineageCommand, LineageEvent, Observation, Resolved,
};
use schema::language::Language;
use schema::lint::TemplateOrigin;
use schema::template::{Key, Template};
use schema::time::Timestamp;
use serde_json::{Map, Value, json};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// The first of January, so many milliseconds later.
fn at(ms: i64) -> Timestamp {
    Timestamp::parse("2026-01-01T00:00:00Z").unwrap() + ms
}

fn base() -> Template {
    let source = json!({
        "schema_id": "flight_booking_v1", "scenario": "flight_booking",
        "keys": [
            {"key_name": "origin", "key_type": "string", "required": true, "pattern": "[A-Z]{3}",
             "annotations": {"en": {"meaning": "Departure city"}}},
            {"key_name": "cabin_class", "key_type": "string", "required": false,
             "enum": ["economy", "business"], "default_value": "economy",
             "annotations": {"en": {"meaning": "Cabin class", "examples": [["business class please", "business"]]}}},
        ]
    });
    schema::read::template(&source, TemplateOrigin::Own)
        .unwrap()
        .template
}

fn key(name: &str) -> Key {
    let source = json!({
        "key_name": name, "key_type": "boolean", "required": false, "default_value": false,
        "annotations": {"en": {"meaning": "Whether it is wanted", "examples": [["it is wanted", true]]}}
    });
    schema::read::key(&source, &Language::english(), TemplateOrigin::Own)
        .unwrap()
        .0
}

/// A lineage that is told what to do, and remembers what followed.
struct Story {
    lineage: Lineage,
    settings: EvolutionSettings,
    clusters: u64,
}

impl Story {
    fn begin() -> Self {
        Self {
            lineage: Lineage::new(base(), None),
            settings: EvolutionSettings::default(),
            clusters: 0,
        }
    }

    fn of(client: &str) -> Self {
        Self {
            lineage: Lineage::new(base(), Some(client.to_owned())),
            ..Self::begin()
        }
    }

    fn does(
        &mut self,
        command: &LineageCommand,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, String> {
        let events = self
            .lineage
            .decide(command, &self.settings, now)
            .map_err(|r| r.to_string())?;
        for event in &events {
            // Durable: what is logged and read again is the same (D64).
            let kept: LineageEvent =
                serde_json::from_value(serde_json::to_value(event).unwrap()).unwrap();
            assert_eq!(kept, *event);
            self.lineage.apply(&kept);
        }
        let kept: Lineage =
            serde_json::from_value(serde_json::to_value(&self.lineage).unwrap()).unwrap();
        assert_eq!(kept, self.lineage);
        Ok(events)
    }

    fn tick(&mut self, now: Timestamp) -> Vec<&'static str> {
        let events = self.does(&LineageCommand::Tick, now).unwrap();
        events.iter().map(name).collect()
    }

    fn fires(&mut self, now: Timestamp) -> ClusterId {
        let cluster = ClusterId(self.clusters);
        self.clusters += 1;
        self.does(&LineageCommand::Fire { cluster }, now).unwrap();
        cluster
    }

    fn proposes(&mut self, key: Key, now: Timestamp) -> Result<String, String> {
        let cluster = self.fires(now);
        self.turn(cluster, key, now)
    }

    fn turn(&mut self, cluster: ClusterId, key: Key, now: Timestamp) -> Result<String, String> {
        let resolved = Resolved::New(key);
        let propose = LineageCommand::Propose {
            cluster,
            resolved,
            exposes_capability: false,
        };
        match self.does(&propose, now)?.first() {
            Some(LineageEvent::Proposed { proposal }) => Ok(proposal.patch.patch_id.clone()),
            other => panic!("{other:?}"),
        }
    }

    fn approves(
        &mut self,
        patch_id: &str,
        principal: &str,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, String> {
        let (patch_id, principal) = (patch_id.to_owned(), principal.to_owned());
        self.does(
            &LineageCommand::Approve {
                patch_id,
                principal,
            },
            now,
        )
    }

    /// A key on trial since an instant.
    fn tries(&mut self, name: &str, now: Timestamp) -> String {
        let patch_id = self.proposes(key(name), now).unwrap();
        self.approves(&patch_id, "anna", now).unwrap();
        patch_id
    }

    /// Payloads: of a thousand so many with the key, of these so many per thousand of the right
    /// type, and judgements, of which so many per thousand say that it was meant so.
    fn sees(
        &mut self,
        name: &str,
        with: usize,
        typed: usize,
        meant: Option<usize>,
        now: Timestamp,
    ) {
        for i in 0..1_000 {
            let value = if i * 1_000 < with * typed {
                json!(true)
            } else {
                json!("yes")
            };
            let payload: Map<String, Value> = (i < with)
                .then(|| (name.to_owned(), value))
                .into_iter()
                .collect();
            let seen = Observation {
                client: Some("c"),
                payload: &payload,
                accepted: true,
                now,
            };
            self.lineage.observe(&seen);
        }
        for i in 0..meant.map_or(0, |_| 1_000) {
            self.lineage.judge(name, i < meant.unwrap(), now);
        }
    }

    fn state(&self, name: &str) -> &'static str {
        self.lineage
            .key(name)
            .map_or("forgotten", |t| t.state.name())
    }
}

fn name(event: &LineageEvent) -> &'static str {
    match event {
        LineageEvent::Queued { .. } => "queued",
        LineageEvent::Dropped { .. } => "dropped",
        LineageEvent::Proposed { .. } => "proposed",
        LineageEvent::Approved { .. } => "approved",
        LineageEvent::Activated { .. } => "activated",
        LineageEvent::Rejected { .. } => "rejected",
        LineageEvent::Lapsed { .. } => "lapsed",
        LineageEvent::Extended { .. } => "extended",
        LineageEvent::Promoted { .. } => "promoted",
        LineageEvent::Deprecated { .. } => "deprecated",
        LineageEvent::Withdrawn { .. } => "withdrawn",
        LineageEvent::Forgotten { .. } => "forgotten",
        LineageEvent::Renewed { .. } => "renewed",
        LineageEvent::Published { .. } => "published",
        LineageEvent::Rebased { .. } => "rebased",
    }
}
