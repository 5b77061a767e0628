//! What an agent hosted here hears of the network and may do to it.
//!
//! It stands in the agent's profile file, in a table `[network]`, and is the platform's to grant: an
//! agent that registers itself has none, and reaches the network by its management systems.
//!
//! ```toml
//! [network]
//! hears = ["Wireless"]            # telemetry of these domains: Wireless, IP, Service, Business
//! may = ["probe", "configure"]    # what it may do, in the domains of its profile
//! ```
//!
//! | `may` | actions |
//! |---|---|
//! | `probe` | measure elements |
//! | `configure` | read and set parameters, restart |
//! | `radio` | raise the power of cells, let them sleep and wake them |
//! | `trace` | look up where a vehicle was |
//! | `field` | send engineers out and guide them |
//! | `customers` | talk to whoever opened a ticket |
//!
//! An agent with a province hears and does all of this in its province only. Read next:
//! [`crate::world`].

use domain::inventory::{Domain, ElementId, Inventory};
use domain::permit::Permit;
use domain::profile::Profile;
use domain::telemetry::{Performance, Telemetry};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The table `[network]` of a profile file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NetworkTable {
    #[serde(default)]
    hears: Vec<DomainWord>,
    #[serde(default)]
    may: Vec<Power>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
enum DomainWord {
    Wireless,
    #[serde(rename = "IP")]
    Ip,
    Service,
    Business,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Power {
    Probe,
    Configure,
    Radio,
    Trace,
    Field,
    Customers,
}

/// What an agent hears and may do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Post {
    /// The domains whose telemetry reaches it.
    pub hears: Vec<Domain>,
    /// What it may do.
    pub permit: Permit,
}

impl Post {
    pub(crate) fn new(table: &NetworkTable, profile: &Profile) -> Self {
        let domains = profile.domain.as_deref().unwrap_or("");
        let own = || {
            [Domain::Wireless, Domain::Ip]
                .into_iter()
                .filter(|d| domains.split(',').any(|name| name.trim() == d.as_str()))
                .collect()
        };
        let may = |power| table.may.contains(&power);
        let hears = table.hears.iter().map(|word| match word {
            DomainWord::Wireless => Domain::Wireless,
            DomainWord::Ip => Domain::Ip,
            DomainWord::Service => Domain::Service,
            DomainWord::Business => Domain::Business,
        });
        Self {
            hears: hears.collect(),
            permit: Permit {
                probe: if may(Power::Probe) {
                    own()
                } else {
                    Default::default()
                },
                configure: if may(Power::Configure) {
                    own()
                } else {
                    Default::default()
                },
                radio: may(Power::Radio),
                trace: may(Power::Trace),
                field: may(Power::Field),
                customers: may(Power::Customers),
                province: profile.province.clone(),
            },
        }
    }
}

/// Telemetry in the shares of provinces, cut once for however many hear it.
pub(crate) struct Shares<'a> {
    whole: &'a Telemetry,
    /// By province, where it lies in provinces.
    of: Option<BTreeMap<&'a str, Telemetry>>,
    /// What of it is in a province of which it tells nothing; none if that is not worth telling.
    rest: Option<Telemetry>,
}

impl<'a> Shares<'a> {
    /// The shares of `telemetry` on this network; without one everybody hears all of it.
    pub(crate) fn new(telemetry: &'a Telemetry, inventory: Option<&'a Inventory>) -> Self {
        let one = |inventory: &'a Inventory, element: &ElementId| -> Option<BTreeMap<_, _>> {
            let province = inventory.province_of(element);
            Some(
                province
                    .map(|p| (p, telemetry.clone()))
                    .into_iter()
                    .collect(),
            )
        };
        let (of, rest) = match (telemetry, inventory) {
            (Telemetry::Alarm(alarm), Some(inventory)) => (one(inventory, &alarm.resource), None),
            (Telemetry::Complaint(told), Some(inventory)) => (one(inventory, &told.site), None),
            (Telemetry::Performance(whole), Some(inventory)) => {
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
