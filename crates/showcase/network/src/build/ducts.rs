//! The trenches that links share where they leave a router.
//!
//! A ring whose two ends are in one trench is a classic planning error: documents call it
//! protected, yet one excavator cuts all of it. Backbone fibres share such trenches too; their
//! traffic is re-routed, but their alarms are evidence. Read next: [`super::power`].

use super::{Builder, Leaving};
use crate::chance::{between, happens, whole};
use crate::geography::point_at;
use domain::inventory::{Domain, Element, ElementId, ElementKind};
use std::f64::consts::TAU;

/// The probability that both ends of a ring that ends at one router are in one trench.
const CLASSIC_MISTAKE: f64 = 0.35;
/// The probability that an access link is in a shared trench.
const SHARED: f64 = 0.75;
/// The probability that a backbone link is in a shared trench.
const BACKBONE_SHARED: f64 = 0.25;

impl Builder<'_> {
    pub(super) fn dig_ducts(&mut self) {
        for (city, leaving) in std::mem::take(&mut self.leaving) {
            let mut number = 0;
            for links in self.trenches(leaving) {
                number += 1;
                self.duct(city, number, &links);
            }
        }
    }

    /// Groups the links that leave one router; groups of one need no duct and are left out.
    fn trenches(&mut self, leaving: Vec<Leaving>) -> Vec<Vec<ElementId>> {
        let mut trenches: Vec<Vec<Leaving>> = Vec::new();
        let mut room = 0;
        for bundle in self.bundles(leaving) {
            let fits = room > 0
                && trenches
                    .last()
                    .is_some_and(|trench| bundle.iter().all(|link| apart(link, trench)));
            if fits {
                room -= 1;
                trenches.last_mut().expect("seen above").extend(bundle);
            } else {
                room = whole(&mut self.rng, 1, 3);
                trenches.push(bundle);
            }
        }
        trenches.retain(|trench| trench.len() > 1);
        trenches
            .into_iter()
            .map(|trench| trench.into_iter().map(|leaving| leaving.link).collect())
            .collect()
    }

    /// The links that go into trenches, each alone, but both ends of a badly planned ring together.
    fn bundles(&mut self, leaving: Vec<Leaving>) -> Vec<Vec<Leaving>> {
        let mut bundles: Vec<Vec<Leaving>> = Vec::new();
        // Access links first, in the order in which groups were hung up; then the backbone's,
        // spread among them, so that no trench is full of backbone.
        let (access, backbone): (Vec<_>, Vec<_>) =
            leaving.into_iter().partition(|link| link.group.is_some());
        let mut access = access.into_iter().peekable();
        while let Some(link) = access.next() {
            let twin = access.next_if(|next| next.group == link.group);
            match twin {
                Some(twin) if happens(&mut self.rng, CLASSIC_MISTAKE) => {
                    bundles.push(vec![link, twin]);
                }
                twin => {
                    for link in std::iter::once(link).chain(twin) {
                        if happens(&mut self.rng, SHARED) {
                            bundles.push(vec![link]);
                        }
                    }
                }
            }
        }
        for link in backbone {
            if !bundles.is_empty() && happens(&mut self.rng, BACKBONE_SHARED) {
                let place = whole(&mut self.rng, 0, bundles.len());
                bundles.insert(place, vec![link]);
            }
        }
        bundles
    }

    fn duct(&mut self, city: usize, number: usize, links: &[ElementId]) {
        let place = self.topology.cities[city].name.clone();
        let id = ElementId::new(format!("duct:{place}-{number}"));
        let km = between(&mut self.rng, 0.2, 0.6);
        let angle = between(&mut self.rng, 0.0, TAU);
        self.insert(Element {
            id: id.clone(),
            kind: ElementKind::Duct,
            domain: Domain::Ip,
            parent: None,
            place,
            position: point_at(self.topology.cities[city].position, km, angle),
            vendor: String::new(),
            model: "cable duct".to_owned(),
        });
        for link in links {
            if let Some(link) = self.inventory.links.get_mut(link) {
                link.ducts.push(id.clone());
            }
        }
    }
}

/// True if `link` may join `trench`: not if the other end of its ring is there, as that happens by
/// [`CLASSIC_MISTAKE`] only.
fn apart(link: &Leaving, trench: &[Leaving]) -> bool {
    link.group.is_none() || trench.iter().all(|other| other.group != link.group)
}
