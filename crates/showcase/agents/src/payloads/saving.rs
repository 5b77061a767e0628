//! `energy_saving_v1` and its result: let cells sleep, or not.
//!
//! Read next: [`crate::energy_saving`], which decides who sleeps.

use super::Schema;
use super::canonical::instant;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The thing to do with energy saving.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SavingAction {
    /// Save, from now on, within the bounds given.
    #[default]
    Activate,
    /// Save less, or more.
    Adjust,
    /// These cells stay awake.
    Suspend,
    /// They may sleep again.
    Resume,
}

domain::named! {
    /// The name in the template.
    SavingAction
}

/// The order to save energy, or not to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavingOrder {
    /// The thing to do.
    pub action: SavingAction,
    /// The place: a town, a zone, a site, or `network`.
    pub area: String,
    /// The cells that it is about; empty for all of the area.
    pub cells: BTreeSet<ElementId>,
    /// By how much consumption is to fall, in percent.
    pub saving_target_percent: Option<f64>,
    /// For how long, in minutes.
    pub duration_minutes: Option<u64>,
    /// The load up to which a cell may save, in percent.
    pub max_load_percent: Option<u64>,
    /// The throughput that users keep at the least, in Mbit/s.
    pub min_throughput_mbps: Option<f64>,
    /// True if users may notice.
    pub degradation_allowed: bool,
    /// The incident that it is for.
    pub incident_id: Option<String>,
    /// The ruling of the service-intent agent that it rests on.
    pub ruling: Option<String>,
}

impl Schema for SavingOrder {
    const ID: &'static str = "energy_saving_v1";
}

/// The state of energy saving.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SavingStatus {
    /// Cells save.
    #[default]
    Active,
    /// They do, less or more than before.
    Adjusted,
    /// They do not.
    Suspended,
    /// It cannot be done.
    Impossible,
}

domain::named! {
    /// The name in the template.
    SavingStatus
}

/// The outcome, or how it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavingResult {
    /// Its status.
    pub status: SavingStatus,
    /// The place.
    pub area: String,
    /// The number of cells that save energy now.
    pub cells_saving: Option<u64>,
    /// Of how many.
    pub cells_total: Option<u64>,
    /// By how much consumption fell, in percent.
    pub saving_percent: Option<f64>,
    /// The energy that the period took, in kWh.
    pub energy_kwh: Option<f64>,
    /// The energy that it would have taken without saving, in kWh.
    pub baseline_kwh: Option<f64>,
    /// The throughput that the slowest tenth of the users gets, in Mbit/s.
    pub throughput_mbps: Option<f64>,
    /// Since when it holds.
    #[serde(with = "instant")]
    pub effective_at: Option<Timestamp>,
    /// The reason, if it is less than was asked for.
    pub reason: Option<String>,
}

impl Schema for SavingResult {
    const ID: &'static str = "energy_saving_result_v1";
}
