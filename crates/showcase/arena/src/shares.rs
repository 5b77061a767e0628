//! Telemetry cut by province: what of it an agent hears.
//!
//! Read next: [`crate::network`], which tells it.

use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Performance, Telemetry};
use server::post::Post;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Telemetry in the shares of provinces, cut once for however many hear it.
pub(crate) struct Shares<'a> {
    whole: &'a Telemetry,
    /// By province, where it lies in provinces.
    of: Option<BTreeMap<&'a str, Telemetry>>,
    /// What of it is in a province of which it tells nothing; none if that is not worth telling.
    rest: Option<Telemetry>,
}

impl<'a> Shares<'a> {
    /// The shares of `telemetry` on this network.
    pub(crate) fn new(telemetry: &'a Telemetry, inventory: &'a Inventory) -> Self {
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

    /// What a post hears of it; none if it is not for it.
    pub(crate) fn heard_by(&self, post: &Post) -> Option<Telemetry> {
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

/// The same period, without anything that was measured in it.
fn nothing_of(whole: &Performance) -> Performance {
    Performance {
        cells: BTreeMap::new(),
        links: BTreeMap::new(),
        ..*whole
    }
}
