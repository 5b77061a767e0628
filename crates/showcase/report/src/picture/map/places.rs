//! The positions of network elements, derived from their names.
//!
//! A record has the positions of towns and sites only. Every other element is named after its
//! location: `card:Berlin/2`, `zone:New-York-1`, `cell:BE-004/5`, `link:Berlin-Hamburg`,
//! `optic:BE-001-BE-002/1`. An element with another name has no position. Read next: [`super`].

use crate::record::NetworkMap;
use std::collections::BTreeMap;

/// The positions in a record, in degrees east and north.
pub(super) struct Places<'a> {
    known: BTreeMap<&'a str, [f64; 2]>,
}

impl<'a> Places<'a> {
    /// The positions of a network.
    pub(super) fn of(network: &'a NetworkMap) -> Self {
        let sites = network.sites.iter();
        let sites = sites.map(|s| (s.id.strip_prefix("site:").unwrap_or(&s.id), [s.lon, s.lat]));
        let towns = network
            .towns
            .iter()
            .map(|t| (t.name.as_str(), [t.lon, t.lat]));
        Self {
            known: sites.chain(towns).collect(),
        }
    }

    /// The positions of both ends of an element; the same twice if it is no link.
    pub(super) fn ends(&self, element: &str) -> Option<[[f64; 2]; 2]> {
        let name = element.split_once(':').map_or(element, |(_, name)| name);
        let name = name.split('/').next().unwrap_or(name);
        let one = |name: &str| self.known.get(name).copied();
        let both = |(dash, _): (usize, &str)| {
            let (from, to) = (&name[..dash], &name[dash + 1..]);
            let numbered = !to.is_empty() && to.bytes().all(|b| b.is_ascii_digit());
            let from = one(from)?;
            Some([from, one(to).or(numbered.then_some(from))?])
        };
        let same = one(name).map(|at| [at, at]);
        same.or_else(|| name.match_indices('-').find_map(both))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{site, town};

    #[test]
    fn an_element_stands_where_its_name_says() {
        let network = NetworkMap {
            towns: vec![
                town("New-York", 1.0, 1.0, ""),
                town("Los-Angeles", 2.0, 2.0, ""),
            ],
            sites: vec![site("site:NY-004", "New-York")],
            ..NetworkMap::default()
        };
        let places = Places::of(&network);
        let (york, angeles, site) = ([1.0, 1.0], [2.0, 2.0], [9.5, 50.5]);
        for (element, ends) in [
            ("router:New-York", Some([york, york])),
            ("card:Los-Angeles/2", Some([angeles, angeles])),
            ("zone:New-York-12", Some([york, york])),
            ("duct:Los-Angeles-1", Some([angeles, angeles])),
            ("site:NY-004", Some([site, site])),
            ("cell:NY-004/5", Some([site, site])),
            ("link:New-York-Los-Angeles", Some([york, angeles])),
            ("link:New-York-NY-004", Some([york, site])),
            ("optic:NY-004-Los-Angeles/2", Some([site, angeles])),
            ("link:New-York-Nowhere", None),
            ("New-York-", None),
            ("</title>", None),
        ] {
            assert_eq!(places.ends(element), ends, "{element}");
        }
    }
}
