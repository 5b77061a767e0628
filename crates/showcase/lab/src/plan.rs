//! What the laboratory is built of: routers, ports, links, addresses, costs, ducts, sites.
//!
//! Pure, and a function of backbone and prefix alone. Whoever builds and breaks knows it; the
//! management system is given the [`crate::documents`] that follow from it, and no parameter. Read
//! next: [`crate::bring_up`].

use domain::inventory::ElementId;
use network::Backbone;
use serde::{Deserialize, Serialize};
use std::net::Ipv4Addr;

/// What every port is shaped to, in kbit/s.
pub(crate) const RATE_KBPS: u64 = 10_000;
/// What the queue of every port holds, in bytes.
pub(crate) const QUEUE_BYTES: u64 = 200_000;
/// The maximum transmission unit of every port, in bytes.
pub(crate) const MTU: u64 = 1_500;
/// The OSPF hello interval of every port, in seconds.
pub(crate) const HELLO_S: u64 = 1;
/// The OSPF dead interval of every port, in seconds.
pub(crate) const DEAD_S: u64 = 4;
/// The port of a router towards its site.
pub(crate) const LAN_PORT: &str = "lan0";
/// The most routers that addresses suffice for.
pub(crate) const ROUTERS_MAX: usize = 250;
/// The most letters of a prefix: each prefix has a user of its own ([`crate::user`]).
pub(crate) const PREFIX_LETTERS_MAX: usize = 7;
/// Cost of a link: its kilometres divided by this, and one.
const KM_PER_COST: f64 = 20.0;

/// One end of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortOfLink {
    /// The place of its router among the routers.
    pub router: usize,
    /// The name of its port.
    pub port: String,
    /// Its address; the prefix has 30 bits.
    pub address: Ipv4Addr,
}

/// A link between two routers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkPlan {
    /// Its identifier: `link:Denver-Houston`.
    pub id: ElementId,
    /// One end.
    pub a: PortOfLink,
    /// The other.
    pub b: PortOfLink,
    /// OSPF's cost, at both ends.
    pub cost: u64,
    /// Length in kilometres.
    pub length_km: f64,
    /// The duct that it shares with another link, if it does.
    pub duct: Option<ElementId>,
}

impl LinkPlan {
    /// Both ends with their names in parameters: `a`, `b`.
    pub(crate) fn ends(&self) -> [(&'static str, &PortOfLink); 2] {
        [("a", &self.a), ("b", &self.b)]
    }
}

/// A router with the site behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouterPlan {
    /// The city that it stands in.
    pub name: String,
    /// Longitude and latitude in degrees.
    pub position: (f64, f64),
    /// Its own address and OSPF's router-id.
    pub loopback: Ipv4Addr,
    /// The address of its port towards the site; the prefix has 24 bits.
    pub lan: Ipv4Addr,
    /// The address of the site's host.
    pub host: Ipv4Addr,
}

impl RouterPlan {
    /// Its identifier: `router:Denver`.
    pub fn id(&self) -> ElementId {
        ElementId::new(format!("router:{}", self.name))
    }

    /// The identifier of the site behind it: `site:Denver`.
    pub fn site(&self) -> ElementId {
        ElementId::new(format!("site:{}", self.name))
    }

    /// The prefix of the site behind it: `10.2.7.0/24`.
    pub(crate) fn prefix(&self) -> String {
        let [a, b, c, _] = self.lan.octets();
        format!("{a}.{b}.{c}.0/24")
    }
}

/// The whole laboratory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabPlan {
    /// How the name of everything begins that is made on this machine.
    pub prefix: String,
    /// The name of the backbone.
    pub topology: String,
    /// The routers.
    pub routers: Vec<RouterPlan>,
    /// The links.
    pub links: Vec<LinkPlan>,
}

/// A backbone or a prefix of which no laboratory can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Too many routers.
    #[error("{0} routers are more than {ROUTERS_MAX}")]
    TooMany(usize),
    /// The prefix is no name.
    #[error("'{0}' is no prefix: 'cv' and at most five more small letters")]
    Prefix(String),
}

impl LabPlan {
    /// The laboratory of a backbone.
    ///
    /// # Errors
    /// [`PlanError`] if it is too large, or the prefix is not two to seven small letters.
    pub fn new(backbone: &Backbone, prefix: &str) -> Result<Self, PlanError> {
        check_prefix(prefix)?;
        if backbone.cities.len() > ROUTERS_MAX {
            return Err(PlanError::TooMany(backbone.cities.len()));
        }
        let routers = backbone.cities.iter().enumerate().map(|(place, city)| {
            let number = place as u8 + 1;
            RouterPlan {
                name: city.name.clone(),
                position: city.position,
                loopback: Ipv4Addr::new(10, 255, 0, number),
                lan: Ipv4Addr::new(10, 2, number, 1),
                host: Ipv4Addr::new(10, 2, number, 2),
            }
        });
        let routers: Vec<RouterPlan> = routers.collect();
        let mut ports = vec![0usize; routers.len()];
        let mut end = |router: usize, address: Ipv4Addr| {
            let port = format!("eth{}", ports[router]);
            ports[router] += 1;
            PortOfLink {
                router,
                port,
                address,
            }
        };
        let spans = backbone.spans.iter().enumerate();
        let links = spans.map(|(place, span)| {
            let [high, low] = (place as u16 * 4).to_be_bytes();
            let names = [span.a, span.b].map(|city| &routers[city].name);
            LinkPlan {
                id: ElementId::new(format!("link:{}-{}", names[0], names[1])),
                a: end(span.a, Ipv4Addr::new(10, 1, high, low + 1)),
                b: end(span.b, Ipv4Addr::new(10, 1, high, low + 2)),
                cost: (span.length_km / KM_PER_COST).round() as u64 + 1,
                length_km: span.length_km,
                duct: None,
            }
        });
        let mut plan = Self {
            prefix: prefix.to_owned(),
            topology: backbone.name.clone(),
            links: links.collect(),
            routers,
        };
        plan.lay_ducts();
        Ok(plan)
    }

    /// Where three links or more leave a city, the two whose directions differ least share a duct,
    /// unless one of them shares another already.
    fn lay_ducts(&mut self) {
        for router in 0..self.routers.len() {
            let leaving: Vec<usize> = (0..self.links.len())
                .filter(|l| {
                    self.links[*l]
                        .ends()
                        .iter()
                        .any(|(_, e)| e.router == router)
                })
                .collect();
            if leaving.len() < 3 {
                continue;
            }
            let pairs = leaving.iter().enumerate().flat_map(|(place, one)| {
                let rest = leaving[place + 1..].iter();
                rest.map(move |other| (*one, *other))
            });
            let free = |link: usize| self.links[link].duct.is_none();
            let free = pairs.filter(|(one, other)| free(*one) && free(*other));
            let apart = |(one, other): &(usize, usize)| {
                let turn = (self.bearing(router, *one) - self.bearing(router, *other)).abs();
                turn.min(360.0 - turn)
            };
            let nearest = free.min_by(|x, y| apart(x).total_cmp(&apart(y)));
            if let Some((one, other)) = nearest {
                let duct = ElementId::new(format!("duct:{}-1", self.routers[router].name));
                self.links[one].duct = Some(duct.clone());
                self.links[other].duct = Some(duct);
            }
        }
    }

    /// The direction in which a link leaves a router, in degrees.
    fn bearing(&self, router: usize, link: usize) -> f64 {
        let link = &self.links[link];
        let far = if link.a.router == router {
            &link.b
        } else {
            &link.a
        };
        let (here, there) = (
            self.routers[router].position,
            self.routers[far.router].position,
        );
        (there.1 - here.1).atan2(there.0 - here.0).to_degrees()
    }

    /// The name of a router's namespace, which is the name of its path space too.
    pub(crate) fn namespace(&self, router: usize) -> String {
        format!("{}-{}", self.prefix, self.routers[router].name)
    }

    /// The name of the namespace of a site's host.
    pub(crate) fn host_namespace(&self, router: usize) -> String {
        format!("{}-{}-host", self.prefix, self.routers[router].name)
    }

    /// The name of the namespace of the patch panel, in which every link is a pair of ports.
    pub(crate) fn panel(&self) -> String {
        format!("{}-panel", self.prefix)
    }

    /// The place of a router by its name.
    pub(crate) fn router_named(&self, name: &str) -> Option<usize> {
        self.routers.iter().position(|router| router.name == name)
    }

    /// The ports of a router: its own name, and the addresses with their prefix lengths.
    pub(crate) fn ports(&self, router: usize) -> Vec<(String, String)> {
        let ends = self.links.iter().flat_map(|link| [&link.a, &link.b]);
        let own = ends.filter(|end| end.router == router);
        let mut ports: Vec<(String, String)> = own
            .map(|end| (end.port.clone(), format!("{}/30", end.address)))
            .collect();
        ports.push((
            LAN_PORT.to_owned(),
            format!("{}/24", self.routers[router].lan),
        ));
        ports
    }

    /// The port of the patch panel in which an end of a link is plugged: `l7a`.
    pub(crate) fn panel_port(link: usize, end: &str) -> String {
        format!("l{link}{end}")
    }
}

/// True for the name of a router's port as the plan writes it: the one towards its site, or `eth`
/// and a number in its shortest form.
pub(crate) fn is_port(name: &str) -> bool {
    let number = name.strip_prefix("eth");
    let shortest = |n: &str| n.parse::<u8>().is_ok_and(|number| number.to_string() == n);
    name == LAN_PORT || number.is_some_and(shortest)
}

/// # Errors
/// [`PlanError::Prefix`]
pub(crate) fn check_prefix(prefix: &str) -> Result<(), PlanError> {
    // Whatever bears it is taken down with all that runs in it, so that it is nobody else's.
    let letters = prefix.starts_with("cv") && prefix.bytes().all(|b| b.is_ascii_lowercase());
    match letters && (2..=PREFIX_LETTERS_MAX).contains(&prefix.len()) {
        true => Ok(()),
        false => Err(PlanError::Prefix(prefix.to_owned())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_port_has_one_address_and_ducts_hold_two_links() {
        for (name, routers, links) in [("Abilene", 11, 14), ("Germany50", 50, 88)] {
            let plan = LabPlan::new(&Backbone::named(name).unwrap(), "cvlab").unwrap();
            assert_eq!((plan.routers.len(), plan.links.len()), (routers, links));
            let ends = plan.links.iter().flat_map(|l| [&l.a, &l.b]);
            let addresses: BTreeSet<Ipv4Addr> = ends.clone().map(|e| e.address).collect();
            let ports: BTreeSet<_> = ends.map(|e| (e.router, &e.port)).collect();
            assert_eq!((addresses.len(), ports.len()), (2 * links, 2 * links));
            let ducts: BTreeSet<_> = plan.links.iter().filter_map(|l| l.duct.clone()).collect();
            assert!(ducts.len() >= 2, "{ducts:?}");
            let inside = |duct: &ElementId| {
                let links = plan.links.iter();
                links
                    .filter(|link| link.duct.as_ref() == Some(duct))
                    .count()
            };
            assert!(ducts.iter().all(|duct| inside(duct) == 2));
        }
    }

    #[test]
    fn a_port_has_one_name() {
        assert!(
            ["lan0", "eth0", "eth9", "eth10", "eth255"]
                .into_iter()
                .all(is_port)
        );
        let others = [
            "",
            "eth",
            "eth+5",
            "eth05",
            "eth00",
            "eth256",
            "eth-1",
            "eth1 ",
            "eth1:0",
            "ETH1",
            "lan1",
            "lo",
            "eth\u{661}",
        ];
        assert_eq!(others.into_iter().find(|name| is_port(name)), None);
    }

    #[test]
    fn a_prefix_is_a_few_small_letters() {
        let abilene = Backbone::named("Abilene").unwrap();
        for wrong in [
            "",
            "x",
            "../etc",
            "cv lab",
            "CVLAB",
            "cvtoolong",
            "cvlonger",
            "vpn",
        ] {
            let expected = PlanError::Prefix(wrong.to_owned());
            assert_eq!(LabPlan::new(&abilene, wrong), Err(expected));
        }
    }
}
