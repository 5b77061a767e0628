//! Backbones: cities, positions, links and their lengths.
//!
//! Knows the text format and the backbones that ship with Convoke; cards, sites and power are added
//! in [`crate::build`]. Read next: [`crate::build`].
//!
//! The format, line by line; `#` begins a comment, blank lines mean nothing:
//! ```text
//! network Germany50          the name
//! city Berlin 13.39 52.52    a city without blanks in its name, longitude, latitude (degrees)
//! link Berlin Leipzig 148.2  two cities named before, kilometres
//! demand Berlin Leipzig 12   traffic from the first to the second, and as much back unless another
//!                            line says how much; in any unit, for only proportions count
//! ```
//! A backbone without demands gets them by the gravity model ([`crate::traffic::demand`]).
//! Other formats are read by [`crate::import`].

use std::collections::BTreeSet;

/// A city of a backbone, with one router.
#[derive(Clone, Debug, PartialEq)]
pub struct City {
    /// Its name, without blanks.
    pub name: String,
    /// Longitude and latitude in degrees (WGS 84).
    pub position: (f64, f64),
}

/// A link between two cities of a backbone.
#[derive(Clone, Debug, PartialEq)]
pub struct BackboneLink {
    /// One end: an index of [`Backbone::cities`].
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// Length in kilometres.
    pub length_km: f64,
}

/// The demand from one city to another, relative to the other demands.
#[derive(Clone, Debug, PartialEq)]
pub struct CityDemand {
    /// The source: an index of [`Backbone::cities`].
    pub from: usize,
    /// The destination.
    pub to: usize,
    /// The amount, 0 or more, in a unit common to all demands of a backbone.
    pub amount: f64,
}

/// A connected backbone.
#[derive(Clone, Debug, PartialEq)]
pub struct Backbone {
    /// Its name.
    pub name: String,
    /// Its cities, in the order of the file.
    pub cities: Vec<City>,
    /// Its links, in the order of the file.
    pub spans: Vec<BackboneLink>,
    /// Its demands, in the order of the file; empty if unknown.
    pub demands: Vec<CityDemand>,
}

/// The reason why a text is no backbone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TopologyError {
    /// The line at fault, from 1; the last one if something is missing altogether.
    pub line: usize,
    /// The error.
    pub reason: String,
}

/// A backbone that ships with Convoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShippedBackbone {
    /// Its name, as `--topology` takes it (case-insensitive).
    pub name: &'static str,
    /// A description for people.
    pub description: &'static str,
    text: &'static str,
}

const CATALOGUE: [ShippedBackbone; 9] = [
    ShippedBackbone {
        name: "Germany50",
        description: "50 German cities, 88 links (SNDlib); the default",
        text: include_str!("topology/germany50.topology"),
    },
    ShippedBackbone {
        name: "Geant",
        description: "the research backbone of Europe: 22 cities, 36 links (SNDlib)",
        text: include_str!("topology/geant.topology"),
    },
    ShippedBackbone {
        name: "Polska",
        description: "12 Polish cities, 18 links (SNDlib)",
        text: include_str!("topology/polska.topology"),
    },
    ShippedBackbone {
        name: "Nobel-Germany",
        description: "17 German cities, 26 links (SNDlib)",
        text: include_str!("topology/nobel-germany.topology"),
    },
    ShippedBackbone {
        name: "Chinanet",
        description: "the backbone of China Telecom: 38 cities, 62 links (Topology Zoo)",
        text: include_str!("topology/chinanet.topology"),
    },
    ShippedBackbone {
        name: "Cernet",
        description: "the research network of China: 37 cities, 54 links (Topology Zoo)",
        text: include_str!("topology/cernet.topology"),
    },
    ShippedBackbone {
        name: "BtEurope",
        description: "BT in Europe: 22 cities, 35 links (Topology Zoo)",
        text: include_str!("topology/bteurope.topology"),
    },
    ShippedBackbone {
        name: "Abilene",
        description: "a research backbone of the United States: 11 cities, 14 links (Topology Zoo)",
        text: include_str!("topology/abilene.topology"),
    },
    ShippedBackbone {
        name: "Geant2012",
        description: "the research backbone of Europe in 2012: 37 cities, 58 links (Topology Zoo)",
        text: include_str!("topology/geant2012.topology"),
    },
];

/// The backbones that ship with Convoke; the first one is the default.
pub fn catalogue() -> &'static [ShippedBackbone] {
    &CATALOGUE
}

impl ShippedBackbone {
    /// The backbone itself.
    pub fn topology(&self) -> Backbone {
        Backbone::parse(self.text).expect("every shipped topology is parsed by a test")
    }
}

impl Default for Backbone {
    /// Germany50.
    fn default() -> Self {
        CATALOGUE[0].topology()
    }
}

impl Backbone {
    /// The shipped backbone called `name`, case-insensitive.
    pub fn named(name: &str) -> Option<Backbone> {
        CATALOGUE
            .iter()
            .find(|entry| entry.name.eq_ignore_ascii_case(name))
            .map(ShippedBackbone::topology)
    }

    /// Reads a backbone in the format of this module.
    ///
    /// # Errors
    /// [`TopologyError`] with the first line that is not understood, refers to an unknown city,
    /// defines one twice, or exceeds the valid ranges; also for fewer than two cities, more than 1
    /// 000, or a backbone that is not connected.
    pub fn parse(text: &str) -> Result<Backbone, TopologyError> {
        let mut topology = Backbone {
            name: String::new(),
            cities: Vec::new(),
            spans: Vec::new(),
            demands: Vec::new(),
        };
        let mut last = 0;
        for (index, line) in text.lines().enumerate() {
            last = index + 1;
            let fact = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = fact.split_whitespace().collect();
            topology
                .add(&words)
                .map_err(|reason| TopologyError { line: last, reason })?;
        }
        topology
            .check()
            .map_err(|reason| TopologyError { line: last, reason })?;
        Ok(topology)
    }

    fn add(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            [] => Ok(()),
            ["network", name] => {
                self.name = (*name).to_owned();
                Ok(())
            }
            ["city", name, longitude, latitude] => {
                if self.index(name).is_ok() {
                    return Err(format!("city '{name}' is there already"));
                }
                if name.contains([':', '/']) {
                    return Err(format!("'{name}': ':' and '/' separate names of elements"));
                }
                let position = (
                    number(longitude, "longitude", -180.0..=180.0)?,
                    number(latitude, "latitude", -90.0..=90.0)?,
                );
                let name = (*name).to_owned();
                self.cities.push(City { name, position });
                Ok(())
            }
            ["link", a, b, length] => {
                let (a, b) = (self.index(a)?, self.index(b)?);
                if a == b {
                    return Err("a link joins two different cities".to_owned());
                }
                let length_km = number(length, "length", 0.1..=20_000.0)?;
                self.spans.push(BackboneLink { a, b, length_km });
                Ok(())
            }
            ["demand", from, to, amount] => {
                let (from, to) = (self.index(from)?, self.index(to)?);
                if from == to {
                    return Err("a demand joins two different cities".to_owned());
                }
                let amount = number(amount, "demand", 0.0..=1e12)?;
                self.demands.push(CityDemand { from, to, amount });
                Ok(())
            }
            [other, ..] => Err(format!(
                "'{other}' with {} values is not understood: write 'network NAME', \
                 'city NAME LONGITUDE LATITUDE', 'link CITY CITY KILOMETRES' or \
                 'demand CITY CITY AMOUNT'",
                words.len() - 1
            )),
        }
    }

    fn index(&self, name: &str) -> Result<usize, String> {
        self.cities
            .iter()
            .position(|city| city.name == name)
            .ok_or_else(|| format!("city '{name}' is not known yet"))
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.name.is_empty() {
            return Err("the line 'network NAME' is missing".to_owned());
        }
        if !(2..=1000).contains(&self.cities.len()) {
            return Err(format!(
                "a backbone has 2 to 1000 cities, not {}",
                self.cities.len()
            ));
        }
        let reached = self.connected_to_first();
        match (0..self.cities.len()).find(|city| !reached.contains(city)) {
            Some(lost) => Err(format!(
                "no chain of links joins '{}' and '{}'",
                self.cities[0].name, self.cities[lost].name
            )),
            None => Ok(()),
        }
    }

    fn connected_to_first(&self) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(city) = open.pop() {
            for next in self.neighbours(city) {
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
        reached
    }

    /// The cities that a link joins with `city`, in the order of the links.
    pub fn neighbours(&self, city: usize) -> impl Iterator<Item = usize> {
        self.spans.iter().filter_map(move |span| match span {
            span if span.a == city => Some(span.b),
            span if span.b == city => Some(span.a),
            _ => None,
        })
    }
}

fn number(text: &str, what: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value| range.contains(value))
        .ok_or_else(|| {
            format!(
                "{what} '{text}' is not a number from {} to {}",
                range.start(),
                range.end()
            )
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Backbone::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn everything_shipped_is_as_described() {
        let sizes: Vec<_> = catalogue()
            .iter()
            .map(|entry| {
                let topology = entry.topology();
                assert_eq!(topology.name, entry.name);
                format!(
                    "{} {} {} {}",
                    entry.name,
                    topology.cities.len(),
                    topology.spans.len(),
                    topology.demands.len()
                )
            })
            .collect();
        insta::assert_snapshot!(sizes.join("\n"), @r"
        Germany50 50 88 662
        Geant 22 36 462
        Polska 12 18 66
        Nobel-Germany 17 26 121
        Chinanet 38 62 0
        Cernet 37 54 0
        BtEurope 22 35 0
        Abilene 11 14 0
        Geant2012 37 58 0
        ");
        assert_eq!(Backbone::named("gErMaNy50"), Some(Backbone::default()));
        assert_eq!(Backbone::named("Atlantis"), None);
    }

    #[test]
    fn lengths_agree_with_positions() {
        for entry in catalogue() {
            let topology = entry.topology();
            for span in &topology.spans {
                let (a, b) = (&topology.cities[span.a], &topology.cities[span.b]);
                let straight = crate::geography::distance_km(a.position, b.position);
                assert!(
                    (span.length_km - straight).abs() < 0.02 * straight + 2.0,
                    "{}-{}: {} but {straight}",
                    a.name,
                    b.name,
                    span.length_km
                );
            }
        }
    }

    #[test]
    fn refusals_name_the_line() {
        insta::assert_snapshot!(refusal("network X\nrouter A"), @"line 2: 'router' with 1 values is not understood: write 'network NAME', 'city NAME LONGITUDE LATITUDE', 'link CITY CITY KILOMETRES' or 'demand CITY CITY AMOUNT'");
        insta::assert_snapshot!(refusal("city A 1 91"), @"line 1: latitude '91' is not a number from -90 to 90");
        insta::assert_snapshot!(refusal("city A 1 2 # here\ncity A 1 2"), @"line 2: city 'A' is there already");
        insta::assert_snapshot!(refusal("city A 1 2\ncity B 1 2\ndemand A B -1"), @"line 3: demand '-1' is not a number from 0 to 1000000000000");
        insta::assert_snapshot!(refusal("city A 1 2\ndemand A A 1"), @"line 2: a demand joins two different cities");
        insta::assert_snapshot!(refusal("city A 1 2\nlink A B 3"), @"line 2: city 'B' is not known yet");
        insta::assert_snapshot!(refusal("city A 1 NaN"), @"line 1: latitude 'NaN' is not a number from -90 to 90");
        insta::assert_snapshot!(refusal("network X\ncity A 1 2\ncity B 1 2"), @"line 3: no chain of links joins 'A' and 'B'");
        insta::assert_snapshot!(refusal("network X\ncity A 1 2"), @"line 2: a backbone has 2 to 1000 cities, not 1");
        insta::assert_snapshot!(refusal(""), @"line 0: the line 'network NAME' is missing");
    }
}
