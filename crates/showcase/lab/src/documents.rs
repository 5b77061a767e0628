//! The documents of the laboratory: the inventory that a management system is given.
//!
//! Says which routers, ports, links, ducts and sites there are and where. Refuses to know how
//! anything is configured: no cost, area, timer or address plan is in it. Read next:
//! [`crate::management`].

use crate::plan::{LAN_PORT, LabPlan, RATE_KBPS};
use domain::inventory::{Domain, Element, ElementId, ElementKind, Inventory, Link};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A router, as documented.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentedRouter {
    /// The town, and the name.
    pub name: String,
    /// Longitude and latitude in degrees.
    pub position: (f64, f64),
}

/// A link, as documented: the routers at its ends, and the ports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentedLink {
    /// Its identifier.
    pub id: ElementId,
    /// Router and port at end A.
    pub a: (String, String),
    /// Router and port at end B; of a site's link, the site's name and nothing.
    pub b: (String, String),
    /// Length in kilometres.
    pub length_km: f64,
    /// The duct that it shares, if it does.
    pub duct: Option<ElementId>,
}

/// Everything that is documented.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Documents {
    /// The name of the backbone.
    pub topology: String,
    /// The routers, each with a site behind it.
    pub routers: Vec<DocumentedRouter>,
    /// The links between routers.
    pub links: Vec<DocumentedLink>,
}

impl Documents {
    /// What is documented of a plan.
    pub(crate) fn of(plan: &LabPlan) -> Self {
        let routers = plan.routers.iter().map(|router| DocumentedRouter {
            name: router.name.clone(),
            position: router.position,
        });
        let name = |router: usize| plan.routers[router].name.clone();
        let links = plan.links.iter().map(|link| DocumentedLink {
            id: link.id.clone(),
            a: (name(link.a.router), link.a.port.clone()),
            b: (name(link.b.router), link.b.port.clone()),
            length_km: link.length_km,
            duct: link.duct.clone(),
        });
        Self {
            topology: plan.topology.clone(),
            routers: routers.collect(),
            links: links.collect(),
        }
    }

    /// The inventory for management systems, agents and yardsticks. There are neither cards nor
    /// modules, since there are none of either: links end on routers.
    pub fn inventory(&self) -> Inventory {
        let mut inventory = Inventory::default();
        for router in &self.routers {
            inventory
                .provinces
                .insert(router.name.clone(), self.topology.clone());
            let id = ElementId::new(format!("router:{}", router.name));
            let site = ElementId::new(format!("site:{}", router.name));
            self.add(
                &mut inventory,
                &id,
                ElementKind::Router,
                router,
                "FRRouting",
            );
            self.add(&mut inventory, &site, ElementKind::Site, router, "Linux");
            let link = DocumentedLink {
                id: ElementId::new(format!("link:{0}-{0}-site", router.name)),
                a: (router.name.clone(), LAN_PORT.to_owned()),
                b: (router.name.clone(), String::new()),
                length_km: 0.1,
                duct: None,
            };
            self.join(&mut inventory, &link, &site, false);
        }
        for link in &self.links {
            let far = ElementId::new(format!("router:{}", link.b.0));
            self.join(&mut inventory, link, &far, true);
            if let Some(duct) = &link.duct
                && let Some(router) = self.standing_at(duct)
            {
                self.add(&mut inventory, duct, ElementKind::Duct, router, "");
            }
        }
        inventory.cores = self.cores();
        inventory
    }

    /// The router at which a duct begins: `duct:Denver-1`.
    fn standing_at(&self, duct: &ElementId) -> Option<&DocumentedRouter> {
        let name = duct.as_str().strip_prefix("duct:")?.rsplit_once('-')?.0;
        self.routers.iter().find(|router| router.name == name)
    }

    fn add(
        &self,
        inventory: &mut Inventory,
        id: &ElementId,
        kind: ElementKind,
        at: &DocumentedRouter,
        vendor: &str,
    ) {
        let element = Element {
            id: id.clone(),
            kind,
            domain: Domain::Ip,
            parent: None,
            place: at.name.clone(),
            position: at.position,
            vendor: vendor.to_owned(),
            model: String::new(),
        };
        inventory.elements.insert(id.clone(), element);
    }

    fn join(
        &self,
        inventory: &mut Inventory,
        link: &DocumentedLink,
        far: &ElementId,
        backbone: bool,
    ) {
        let Some(near) = self.routers.iter().find(|router| router.name == link.a.0) else {
            return;
        };
        self.add(inventory, &link.id, ElementKind::Link, near, "FRRouting");
        let port = |end: &str| ElementId::new(format!("optic:{}/{end}", &link.id.as_str()[5..]));
        let joined = Link {
            a: ElementId::new(format!("router:{}", link.a.0)),
            b: far.clone(),
            ducts: link.duct.iter().cloned().collect(),
            length_km: link.length_km,
            backbone,
            capacity_mbps: RATE_KBPS as f64 / 1_000.0,
            optic_a: port("a"),
            optic_b: port("b"),
        };
        inventory.links.insert(link.id.clone(), joined);
    }

    /// The two routers with most links.
    fn cores(&self) -> std::collections::BTreeSet<ElementId> {
        let mut degree: BTreeMap<&str, usize> = BTreeMap::new();
        for link in &self.links {
            *degree.entry(&link.a.0).or_default() += 1;
            *degree.entry(&link.b.0).or_default() += 1;
        }
        let mut by_degree: Vec<(&str, usize)> = degree.into_iter().collect();
        by_degree.sort_by_key(|(name, links)| (std::cmp::Reverse(*links), *name));
        let cores = by_degree.iter().take(2);
        cores
            .map(|(name, _)| ElementId::new(format!("router:{name}")))
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use network::Backbone;

    /// A management system has no plan: what it is given names no parameter of any router.
    #[test]
    fn documents_say_what_there_is_and_not_how_it_is_configured() {
        let plan = LabPlan::new(&Backbone::named("Abilene").unwrap(), "cvlab").unwrap();
        let documents = Documents::of(&plan);
        let text = serde_json::to_string(&documents).unwrap();
        for word in ["cost", "area", "mtu", "10.", "hello", "rate", "cvlab"] {
            assert!(!text.contains(&format!("\"{word}")), "{word}");
        }
        let inventory = documents.inventory();
        assert_eq!(inventory.of_kind(ElementKind::Router).count(), 11);
        assert_eq!(inventory.links.values().filter(|l| l.backbone).count(), 14);
        assert_eq!(inventory.cores.len(), 2);
        let ends = inventory.links.values().flat_map(|l| [&l.a, &l.b]);
        assert!(ends.into_iter().all(|end| inventory.element(end).is_some()));
        let ducts = inventory.links.values().flat_map(|l| &l.ducts);
        assert!(
            ducts
                .into_iter()
                .all(|duct| inventory.element(duct).is_some())
        );
    }
}
