//! The telemetry that a hosted agent receives, and its rights on the network.
//!
//! They are in the agent's profile file, in a table `[network]`, and are granted by the platform:
//! an agent that registers itself has none, and reaches the network by its management systems.
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
//! For an agent with a province all of this is restricted to its province. Read next:
//! [`crate::runtime`].

use domain::inventory::Domain;
use domain::permit::Permit;
use domain::profile::Profile;
use serde::Deserialize;

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

/// The telemetry and the rights of an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Post {
    /// The domains whose telemetry reaches it.
    pub hears: Vec<Domain>,
    /// The rights.
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
