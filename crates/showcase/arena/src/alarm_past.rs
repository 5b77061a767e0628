//! The unlabelled past of a network: its alarms and its inventory, and nothing of what was true.
//!
//! As the files that `convoke learn history` reads: a record of alarms by node, and which nodes are
//! adjacent. Refuses to know faults: none can be put into an [`AlarmPast`]. Read next: `causality`,
//! which learns from it; [`crate::second_world`], which has one.

use domain::inventory::{ElementId, Inventory};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use yardsticks::DeliveredAlarm;

/// The heading of a record.
const HEADING: &str = "alarm_id,device_id,start_timestamp,end_timestamp\n";

/// The alarms of a network over some time.
#[derive(Clone, Debug)]
pub struct AlarmPast {
    /// The network as documented.
    pub inventory: Arc<Inventory>,
    /// The alarms, in the order of delivery.
    pub alarms: Vec<DeliveredAlarm>,
    /// The beginning.
    pub from: Timestamp,
    /// The end.
    pub until: Timestamp,
}

impl AlarmPast {
    /// Its length in days.
    pub fn length_days(&self) -> f64 {
        self.until.seconds_since(self.from) / 86_400.0
    }

    /// The record of alarms: by the name of the type and by node, in whole seconds since the beginning;
    /// what was delivered twice stands there once.
    pub fn record(&self) -> String {
        let mut rows: BTreeSet<(i64, &str, &ElementId, Option<i64>)> = BTreeSet::new();
        let mut open: BTreeMap<(&ElementId, &str), i64> = BTreeMap::new();
        let mut last: BTreeMap<(&ElementId, &str), i64> = BTreeMap::new();
        let node = |element| self.inventory.node_of(element);
        for delivered in &self.alarms {
            let key = (&delivered.alarm.resource, delivered.alarm.type_name());
            let at_s = (delivered.alarm.time.seconds_since(self.from) as i64).max(0);
            if !delivered.alarm.cleared {
                // A raise that is not after the last clearing is a repetition.
                if last.get(&key).is_none_or(|cleared| at_s > *cleared) {
                    open.entry(key).or_insert(at_s);
                }
            } else {
                let latest = last.entry(key).or_insert(at_s);
                *latest = at_s.max(*latest);
                if let Some(began_s) = open.remove(&key) {
                    rows.insert((began_s, key.1, node(key.0), Some(at_s)));
                }
            }
        }
        for ((element, name), began_s) in open {
            rows.insert((began_s, name, node(element), None));
        }
        let mut text = HEADING.to_owned();
        for (began_s, name, device, ended_s) in rows {
            let ended = ended_s.map(|s| s.to_string()).unwrap_or_default();
            let written = writeln!(
                text,
                "{},{},{began_s},{ended}",
                field(name),
                field(device.as_str())
            );
            written.expect("a string takes all");
        }
        text
    }

    /// The nodes that a link joins, a pair on each line; a link that raises alarms itself is one beside
    /// both.
    pub fn links(&self) -> String {
        let mut text = String::new();
        let raised = self.alarms.iter().map(|it| &it.alarm.resource);
        let raised: BTreeSet<&ElementId> = raised.collect();
        let mut pairs: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (id, link) in &self.inventory.links {
            let [a, b] = [&link.a, &link.b].map(|end| self.inventory.node_of(end).as_str());
            pairs.insert((a.min(b), a.max(b)));
            if raised.contains(id) {
                pairs.extend([(a, id.as_str()), (b, id.as_str())]);
            }
        }
        for (a, b) in pairs {
            writeln!(text, "{a},{b}").expect("a string takes all");
        }
        text
    }
}

/// A field of comma-separated values (RFC 4180).
fn field(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!(
            "\"{}\"",
            text.replace('"', "\"\"").replace(['\n', '\r'], " ")
        ),
        false => text.to_owned(),
    }
}
