//! The network as its failures see it: trees of sites below routers, by index.
//!
//! Knows what feeds what; refuses to know what fails. Read next: [`crate::layout`], which builds it,
//! and [`crate::outage`].

use domain::inventory::{ElementId, Inventory};
use std::sync::Arc;

/// What a site hangs from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteFeed {
    /// A card of its aggregation router, by index.
    Card(usize),
    /// Another site, by index.
    Site(usize),
}

/// A site in its tree.
#[derive(Clone, Debug)]
pub struct TreeSite {
    /// The site.
    pub id: ElementId,
    /// What it hangs from.
    pub feed: SiteFeed,
    /// The link from there, by index.
    pub link: usize,
    /// Links between it and its router.
    pub depth: usize,
    /// Its aggregation router, by index.
    pub router: usize,
    /// Its cells.
    pub cells: Vec<ElementId>,
    /// The sites whose users it could take over, by index.
    pub near: Vec<usize>,
    /// Seconds that its batteries last.
    pub battery_s: f64,
}

/// A line card.
#[derive(Clone, Debug)]
pub struct PlantCard {
    /// The card.
    pub id: ElementId,
    /// The aggregation router that it is in, by index; none in a hub.
    pub router: Option<usize>,
}

/// An end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetroLinkEnd {
    /// A card, by index.
    Card(usize),
    /// A site, by index.
    Site(usize),
}

/// A link.
#[derive(Clone, Debug)]
pub struct PlantLink {
    /// The link.
    pub id: ElementId,
    /// The upper and the lower end.
    pub ends: [MetroLinkEnd; 2],
    /// Its modules, likewise.
    pub optics: [ElementId; 2],
    /// The aggregation router whose uplink it is, by index; none in a tree.
    pub uplink_of: Option<usize>,
}

/// An aggregation router.
#[derive(Clone, Debug)]
pub struct PlantRouter {
    /// The router.
    pub id: ElementId,
    /// Its uplinks, by index.
    pub uplinks: [usize; 2],
}

/// The network.
#[derive(Clone, Debug)]
pub struct Plant {
    /// What is documented of it.
    pub inventory: Arc<Inventory>,
    /// The aggregation routers.
    pub routers: Vec<PlantRouter>,
    /// Every line card.
    pub cards: Vec<PlantCard>,
    /// Every link.
    pub links: Vec<PlantLink>,
    /// Every site.
    pub sites: Vec<TreeSite>,
    /// The ducts, each with the links in it.
    pub ducts: Vec<(ElementId, Vec<usize>)>,
    /// The power zones, each with its sites.
    pub zones: Vec<(ElementId, Vec<usize>)>,
}

impl Plant {
    /// The links of a card, by index.
    pub fn links_of_card(&self, card: usize) -> impl Iterator<Item = usize> {
        let links = self.links.iter().enumerate();
        links
            .filter(move |(_, link)| link.ends.contains(&MetroLinkEnd::Card(card)))
            .map(|(place, _)| place)
    }
}
