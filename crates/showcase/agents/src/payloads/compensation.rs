//! `experience_compensation_v1` and its result: let neighbours serve the users of what is lost.
//!
//! Read next: [`crate::optimisation`], which compensates; [`super::saving`], what it costs.

use super::Schema;
use super::canonical::instant;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The action wanted of a compensation.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompensationAction {
    /// It begins.
    #[default]
    Start,
    /// It changes.
    Adjust,
    /// It ends.
    Cancel,
}

domain::named! {
    /// The name in the template.
    CompensationAction
}

/// The conduct of energy saving meanwhile.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SavingMeanwhile {
    /// Nothing: cells that sleep go on sleeping.
    #[default]
    Keep,
    /// Cells may be woken where the energy-saving target bears it.
    Reduce,
    /// Cells may be woken.
    Suspend,
}

domain::named! {
    /// The name in the template.
    SavingMeanwhile
}

/// The order to compensate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compensation {
    /// The action: whether it begins, changes or ends.
    pub action: CompensationAction,
    /// The sites whose users are to be served by others.
    pub sites: BTreeSet<ElementId>,
    /// The cells of these sites that are lost; empty for all of them.
    pub lost_cells: BTreeSet<ElementId>,
    /// The cells that may compensate; empty for whoever can.
    pub neighbour_cells: BTreeSet<ElementId>,
    /// The way; none for whichever serves.
    pub method: Option<String>,
    /// By how much neighbours may raise their power, in dB.
    pub power_offset_db: Option<f64>,
    /// The throughput that each user keeps at the least, in Mbit/s.
    pub min_throughput_mbps: Option<f64>,
    /// The conduct of energy saving.
    pub energy_saving: SavingMeanwhile,
    /// For how long, in minutes.
    pub duration_minutes: Option<u64>,
    /// The incident that it is for.
    pub incident_id: Option<String>,
}

impl Schema for Compensation {
    const ID: &'static str = "experience_compensation_v1";
}

/// The state of a compensation.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompensationStatus {
    /// Neighbours serve.
    #[default]
    Compensating,
    /// They do, otherwise than at first.
    Adjusted,
    /// It is over.
    Cancelled,
    /// Nobody can.
    Impossible,
}

domain::named! {
    /// The name in the template.
    CompensationStatus
}

/// A cell that compensates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Helper {
    /// The cell.
    pub cell: ElementId,
    /// By how much its power is raised, in dB.
    #[serde(default)]
    pub power_offset_db: f64,
}

/// The outcome of a compensation, or how it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompensationResult {
    /// Its status.
    pub status: CompensationStatus,
    /// The sites whose users are served by others.
    pub sites: BTreeSet<ElementId>,
    /// The cells that serve them, and how.
    pub cells: Vec<Helper>,
    /// The share of the affected users who are served, in percent.
    pub users_served_percent: Option<f64>,
    /// The throughput that the slowest tenth of the users of the compensating cells gets, in
    /// Mbit/s.
    pub throughput_mbps: Option<f64>,
    /// The throughput that it got before the compensation.
    pub throughput_before_mbps: Option<f64>,
    /// The fate of energy saving.
    pub energy_saving: Option<SavingMeanwhile>,
    /// The energy that it has cost so far, in kWh.
    pub extra_energy_kwh: Option<f64>,
    /// Since when it holds.
    #[serde(with = "instant")]
    pub effective_at: Option<Timestamp>,
    /// The reason, if it is less than was asked for.
    pub reason: Option<String>,
}

impl Schema for CompensationResult {
    const ID: &'static str = "experience_compensation_result_v1";
}

#[cfg(test)]
mod tests {
    //! Orders and results of use case 2 read what they write, as their templates have it.

    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::bench::{at, id};
    use crate::payloads::intent::{
        Intent, IntentAction, IntentOrder, IntentPolicy, IntentResult, IntentStatus, Party,
    };
    use crate::payloads::saving::{SavingAction, SavingOrder, SavingResult, SavingStatus};
    use crate::payloads::tests::there_and_back;

    /// D15: what is sent keeps to its template, with everything in it and with nothing optional.
    #[test]
    fn a_compensation_reads_what_it_writes() {
        for action in CompensationAction::ALL {
            for energy_saving in SavingMeanwhile::ALL {
                there_and_back(&Compensation {
                    action,
                    energy_saving,
                    sites: BTreeSet::from([id("site:s0")]),
                    ..Compensation::default()
                });
            }
        }
        there_and_back(&Compensation {
            sites: BTreeSet::from([id("site:s0"), id("site:s1")]),
            lost_cells: BTreeSet::from([id("cell:s0/1")]),
            neighbour_cells: BTreeSet::from([id("cell:s1/1")]),
            method: Some("raise_power".into()),
            power_offset_db: Some(4.5),
            min_throughput_mbps: Some(2.0),
            duration_minutes: Some(240),
            incident_id: Some("i".into()),
            ..Compensation::default()
        });
        for status in CompensationStatus::ALL {
            there_and_back(&CompensationResult {
                status,
                ..CompensationResult::default()
            });
        }
        there_and_back(&CompensationResult {
            sites: BTreeSet::from([id("site:s0")]),
            cells: vec![Helper {
                cell: id("cell:s1/1"),
                power_offset_db: 6.0,
            }],
            users_served_percent: Some(61.5),
            throughput_mbps: Some(2.25),
            throughput_before_mbps: Some(9.0),
            energy_saving: Some(SavingMeanwhile::Suspend),
            extra_energy_kwh: Some(0.125),
            effective_at: Some(at(5)),
            reason: Some("r".into()),
            ..CompensationResult::default()
        });
    }

    #[test]
    fn energy_saving_reads_what_it_writes() {
        for action in SavingAction::ALL {
            there_and_back(&SavingOrder {
                action,
                area: "Bonn".into(),
                ..SavingOrder::default()
            });
        }
        there_and_back(&SavingOrder {
            area: "site:s0".into(),
            cells: BTreeSet::from([id("cell:s0/2")]),
            saving_target_percent: Some(7.5),
            duration_minutes: Some(60),
            max_load_percent: Some(40),
            min_throughput_mbps: Some(2.0),
            degradation_allowed: true,
            incident_id: Some("i".into()),
            ruling: Some("r".into()),
            ..SavingOrder::default()
        });
        for status in SavingStatus::ALL {
            there_and_back(&SavingResult {
                status,
                area: "Bonn".into(),
                cells_saving: Some(3),
                cells_total: Some(9),
                saving_percent: Some(-0.5),
                energy_kwh: Some(10.0),
                baseline_kwh: Some(9.95),
                throughput_mbps: Some(2.0),
                effective_at: Some(at(7)),
                reason: Some("r".into()),
            });
        }
    }

    #[test]
    fn an_intent_reads_what_it_writes() {
        for action in IntentAction::ALL {
            there_and_back(&IntentOrder {
                action,
                ..IntentOrder::default()
            });
        }
        let party = |intent, loss_mbps| Party {
            intent,
            wants: "w".into(),
            loss_mbps,
            loss_kwh: 1.5,
        };
        let policy = IntentPolicy {
            priorities: Intent::ALL.to_vec(),
            min_throughput_mbps: Some(2.0),
            max_load_percent: Some(50),
            saving_target_percent: Some(5.0),
            duration_minutes: Some(240),
        };
        there_and_back(&IntentOrder {
            area: Some("site:s0".into()),
            incident_id: Some("i".into()),
            parties: vec![party(Intent::Experience, 12.5), party(Intent::Energy, 0.0)],
            policy: policy.clone(),
            ..IntentOrder::default()
        });
        for status in IntentStatus::ALL {
            there_and_back(&IntentResult {
                status,
                prevails: Some(Intent::Fault),
                yields: vec![Intent::Energy],
                policy: policy.clone(),
                reason: Some("r".into()),
            });
        }
    }
}
