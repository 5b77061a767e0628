//! `quality_check_v1` and its result: how was service there, at that time?

use super::Schema;
use super::values::{Values, list};
use crate::complaints::reader::matter::ReadSymptom;
use crate::complaints::reader::when::TimeSpan;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualityCheck {
    /// The ticket that made someone ask.
    pub ticket_id: String,
    /// The vehicle whose way is looked up.
    pub vehicle: Option<String>,
    /// The town.
    pub place: Option<String>,
    /// The sites concerned, where they are known.
    pub sites: BTreeSet<ElementId>,
    /// The span of time.
    pub when: TimeSpan,
    /// The symptom.
    pub symptom: Option<ReadSymptom>,
}

impl Schema for QualityCheck {
    const ID: &'static str = "quality_check_v1";

    fn values(&self) -> Value {
        json!({
            "ticket_id": self.ticket_id,
            "vehicle_id": self.vehicle,
            "place": self.place,
            "sites": list(&self.sites),
            "from": self.when.from.to_string(),
            "until": self.when.until.to_string(),
            "symptom": self.symptom.map(ReadSymptom::as_str),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let (from, until) = (values.time("from")?, values.time("until")?);
        Some(Self {
            ticket_id: values.text("ticket_id"),
            vehicle: values.optional_text("vehicle_id"),
            place: values.optional_text("place"),
            sites: values.elements("sites"),
            when: TimeSpan {
                from,
                until: until.max(from),
            },
            symptom: values.name("symptom", ReadSymptom::parse),
        })
    }
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

/// The crossing of a province's border.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The other province.
    pub province: String,
    /// The instant at which the vehicle was last seen before it left, or first after it came.
    pub at: Timestamp,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QualityResult {
    /// The quality of service.
    pub quality: Quality,
    /// The element that is to blame.
    pub element: Option<ElementId>,
    /// The way in which it failed, where that is known.
    pub cause: Option<Cause>,
    /// Since when it was impaired.
    pub since: Option<Timestamp>,
    /// Until when; none while it lasts.
    pub until: Option<Timestamp>,
    /// True if nothing is broken and there is hardly any coverage.
    pub weak_coverage: bool,
    /// The sites that the vehicle used, or that serve the place.
    pub sites: BTreeSet<ElementId>,
    /// True if the records show the vehicle here at that time.
    pub present: bool,
    /// The province that it left to.
    pub left_to: Option<Crossing>,
    /// The province that it came from.
    pub came_from: Option<Crossing>,
    /// The evidence for it, for people.
    pub evidence: Vec<String>,
}

impl Schema for QualityResult {
    const ID: &'static str = "quality_check_result_v1";

    fn values(&self) -> Value {
        let province = |c: &Option<Crossing>| c.as_ref().map(|c| c.province.clone());
        let at = |c: &Option<Crossing>| c.as_ref().map(|c| c.at.to_string());
        json!({
            "verdict": self.quality.as_str(),
            "element": self.element.as_ref().map(ElementId::as_str),
            "cause": self.cause.map(Cause::as_str),
            "since": self.since.map(|at| at.to_string()),
            "until": self.until.map(|at| at.to_string()),
            "weak_coverage": self.weak_coverage.then_some(true),
            "sites": list(&self.sites),
            "present": self.present.then_some(true),
            "left_to": province(&self.left_to),
            "left_at": at(&self.left_to),
            "came_from": province(&self.came_from),
            "came_at": at(&self.came_from),
            "evidence": self.evidence,
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let crossing = |province: &str, at: &str| {
            let province = values.optional_text(province)?;
            let at = values.time(at)?;
            Some(Crossing { province, at })
        };
        Some(Self {
            quality: values.name("verdict", Quality::parse)?,
            element: values.element("element"),
            cause: values.name("cause", Cause::parse),
            since: values.time("since"),
            until: values.time("until"),
            weak_coverage: values.flag("weak_coverage"),
            sites: values.elements("sites"),
            present: values.flag("present"),
            left_to: crossing("left_to", "left_at"),
            came_from: crossing("came_from", "came_at"),
            evidence: values.texts("evidence"),
        })
    }
}
