//! The mains supplies that neighbouring sites share.
//!
//! Zones are geographic and independent of fibre routes, so that a zone rarely coincides with a
//! ring or a star. Read next: [`crate::fault`].

use super::Builder;
use crate::chance::whole;
use crate::geography::distance_km;
use domain::inventory::{Domain, Element, ElementId, ElementKind};
use std::collections::BTreeMap;

/// The greatest distance of a site from the first of its zone, in km.
const REACH_KM: f64 = 16.0;

impl Builder<'_> {
    pub(super) fn share_mains(&mut self) {
        let mut open: Vec<ElementId> = self
            .inventory
            .of_kind(ElementKind::Site)
            .map(|site| site.id.clone())
            .collect();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        while !open.is_empty() {
            let first = open[0].clone();
            let at = self.inventory.elements[&first].position;
            let away = |id: &ElementId| distance_km(at, self.inventory.elements[id].position);
            let mut near: Vec<(f64, ElementId)> = open
                .iter()
                .map(|id| (away(id), id.clone()))
                .filter(|(km, _)| *km <= REACH_KM)
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
            near.truncate(whole(&mut self.rng, 4, 12));
            let members: Vec<ElementId> = near.into_iter().map(|(_, id)| id).collect();
            open.retain(|id| !members.contains(id));
            let place = self.inventory.elements[&first].place.clone();
            let number = numbers.entry(place.clone()).or_default();
            *number += 1;
            let id = ElementId::new(format!("zone:{place}-{number}"));
            self.zone(id, place, at, &members);
        }
    }

    fn zone(&mut self, id: ElementId, place: String, position: (f64, f64), sites: &[ElementId]) {
        for site in sites {
            if let Some(site) = self.inventory.elements.get_mut(site) {
                site.parent = Some(id.clone());
            }
        }
        self.insert(Element {
            id,
            kind: ElementKind::PowerZone,
            domain: Domain::Wireless,
            parent: None,
            place,
            position,
            vendor: String::new(),
            model: "mains feeder".to_owned(),
        });
    }
}
