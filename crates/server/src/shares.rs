//! The division of telemetry by province: the part that an agent receives.
//!
//! Read next: [`crate::runtime`], whose network delivers it.

use crate::post::Post;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Performance, Telemetry};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Telemetry divided by province, computed once for all receivers.
pub struct Shares<'a> {
    whole: &'a Telemetry,
    /// The part of each province; none if it is not divided.
    of: Option<BTreeMap<&'a str, Telemetry>>,
    /// The part for provinces without any content; none if there is nothing to deliver to them.
    rest: Option<Telemetry>,
}

impl<'a> Shares<'a> {
    /// The parts of `telemetry` on this network.
    pub fn new(telemetry: &'a Telemetry, inventory: &'a Inventory) -> Self {
        let one = |element: &ElementId| -> Option<BTreeMap<_, _>> {
            let province = inventory.province_of(element);
            Some(
                province
                    .map(|p| (p, telemetry.clone()))
                    .into_iter()
                    .collect(),
            )
        };
        let (of, rest) = match telemetry {
            Telemetry::Alarm(alarm) => (one(&alarm.resource), None),
            Telemetry::Complaint(told) => (one(&told.site), None),
            Telemetry::Performance(whole) => {
                let told = |part: Performance| Telemetry::Performance(Arc::new(part));
                let parts = by_province(whole, inventory).into_iter();
                let parts = parts.map(|(province, part)| (province, told(part)));
                (Some(parts.collect()), Some(told(nothing_of(whole))))
            }
            _ => (None, None),
        };
        Self {
            whole: telemetry,
            of,
            rest,
        }
    }

    /// The part that an agent's post receives; none if there is none.
    pub fn heard_by(&self, post: &Post) -> Option<Telemetry> {
        match (&self.of, post.permit.province.as_deref()) {
            (Some(of), Some(province)) => of.get(province).or(self.rest.as_ref()).cloned(),
            _ => Some(self.whole.clone()),
        }
    }
}

fn by_province<'a>(
    whole: &Performance,
    inventory: &'a Inventory,
) -> BTreeMap<&'a str, Performance> {
    let mut parts: BTreeMap<&str, Performance> = BTreeMap::new();
    for (id, cell) in &whole.cells {
        if let Some(province) = inventory.province_of(id) {
            let part = parts.entry(province).or_insert_with(|| nothing_of(whole));
            part.cells.insert(id.clone(), cell.clone());
        }
    }
    for (id, link) in &whole.links {
        if let Some(province) = inventory.province_of(id) {
            let part = parts.entry(province).or_insert_with(|| nothing_of(whole));
            part.links.insert(id.clone(), link.clone());
        }
    }
    parts
}

/// A performance report of the same period, without measurements.
fn nothing_of(whole: &Performance) -> Performance {
    Performance {
        cells: BTreeMap::new(),
        links: BTreeMap::new(),
        ..*whole
    }
}
