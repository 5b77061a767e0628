//! `quality_check_v1` and its result: how was service there, at that time?

use super::Schema;
use super::canonical::instant;
use crate::complaints::reader::matter::ReadSymptom;
use crate::complaints::reader::when::TimeSpan;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use language::time::rfc3339;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::ops::Not;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityCheck {
    /// The ticket that made someone ask.
    pub ticket_id: String,
    /// The vehicle whose way is looked up.
    #[serde(rename = "vehicle_id")]
    pub vehicle: Option<String>,
    /// The town.
    pub place: Option<String>,
    /// The sites concerned, where they are known.
    #[serde(default)]
    pub sites: BTreeSet<ElementId>,
    /// The span of time.
    #[serde(flatten, deserialize_with = "in_order")]
    pub when: TimeSpan,
    /// The symptom.
    pub symptom: Option<ReadSymptom>,
}

fn in_order<'de, D: Deserializer<'de>>(from: D) -> Result<TimeSpan, D::Error> {
    let TimeSpan { from, until } = TimeSpan::deserialize(from)?;
    let until = until.max(from);
    Ok(TimeSpan { from, until })
}

impl Schema for QualityCheck {
    const ID: &'static str = "quality_check_v1";
}

/// The quality of service.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// Nothing is known.
    #[default]
    NoData,
    /// All was well.
    Good,
    /// It was impaired.
    Degraded,
    /// There was none.
    Failed,
}

domain::named! {
    /// The name in payloads.
    Quality
}

/// The crossing of a province's border outwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvinceExit {
    /// The province beyond.
    #[serde(rename = "left_to")]
    pub province: String,
    /// The instant at which the vehicle was last seen before.
    #[serde(rename = "left_at", with = "rfc3339")]
    pub at: Timestamp,
}

/// The crossing of a province's border inwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvinceEntry {
    /// The province beyond.
    #[serde(rename = "came_from")]
    pub province: String,
    /// The instant at which the vehicle was first seen after.
    #[serde(rename = "came_at", with = "rfc3339")]
    pub at: Timestamp,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QualityResult {
    /// The quality of service.
    #[serde(rename = "verdict")]
    pub quality: Quality,
    /// The element that is to blame.
    pub element: Option<ElementId>,
    /// The way in which it failed, where that is known.
    pub cause: Option<Cause>,
    /// Since when it was impaired.
    #[serde(with = "instant")]
    pub since: Option<Timestamp>,
    /// Until when; none while it lasts.
    #[serde(with = "instant")]
    pub until: Option<Timestamp>,
    /// True if nothing is broken and there is hardly any coverage.
    #[serde(skip_serializing_if = "Not::not")]
    pub weak_coverage: bool,
    /// The sites that the vehicle used, or that serve the place.
    pub sites: BTreeSet<ElementId>,
    /// True if the records show the vehicle here at that time.
    #[serde(skip_serializing_if = "Not::not")]
    pub present: bool,
    /// The province that it left to.
    #[serde(flatten)]
    pub left_to: Option<ProvinceExit>,
    /// The province that it came from.
    #[serde(flatten)]
    pub came_from: Option<ProvinceEntry>,
    /// The evidence for it, for people.
    pub evidence: Vec<String>,
}

impl Schema for QualityResult {
    const ID: &'static str = "quality_check_result_v1";
}
