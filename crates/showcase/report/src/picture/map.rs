//! The map of a run: provinces, the backbone, sites, and the outages.
//!
//! Drawn at one step; sites and true faults carry the ranges of steps during which they were out,
//! so that the page's script can animate them. A site that is out is a cross, a fault a ring, so
//! that colour is not the only cue. Positions are degrees, scaled east-west by the cosine of the
//! latitude. Read next: [`names`], [`places`], then [`super::lanes`].

mod names;
mod places;

use self::names::Names;
use self::places::Places;
use super::{label, line, opened};
use crate::record::{NetworkMap, Record, Town};
use crate::story::{self, OutagePeriod, Outages};
use markup::words::{count, cut, decimal};
use markup::{Markup, Px};
use std::collections::BTreeMap;

const WIDTH: f64 = 640.0;
const TALLEST: f64 = 760.0;
const MARGIN: f64 = 34.0;
/// The number of colours that the page's style has for provinces.
const TINTS: usize = 4;

/// The most columns of a town's name.
const NAME: usize = 24;

/// The `id` by which the page's script finds the map.
pub const ID: &str = "map";

/// Draws the map at that step.
pub fn draw(record: &Record, outages: &Outages, step: usize) -> Markup {
    let network = &record.run.network;
    let land = Land::of(network);
    let what = format!(
        "{} Map as at {}.",
        size(network),
        caption(&outages.steps[step])
    );
    let mut svg = opened(&"Map of the network", &what, [WIDTH, land.height]);
    provinces(&mut svg, network, &land);
    backbone(&mut svg, network, &land);
    let told: Vec<String> = outages.steps.iter().map(caption).collect();
    svg.open("g", &[("id", &ID), ("data-steps", &told.join("|"))]);
    sites(&mut svg, network, &land, outages, step);
    towns(&mut svg, network, &land);
    broken(&mut svg, record, &land, outages, step);
    svg.close().close();
    svg
}

/// The size of a network in words: its towns, backbone links and sites.
pub fn size(network: &NetworkMap) -> String {
    format!(
        "{}, {}, {}.",
        count(network.towns.len(), "town", "towns"),
        count(network.links.len(), "backbone link", "backbone links"),
        count(network.sites.len(), "site", "sites"),
    )
}

/// A step in words: `04-21 14:30 UTC, 14 sites out, 97.1 % served`.
pub fn caption(step: &OutagePeriod) -> String {
    let served = step
        .served_share
        .map(|s| format!(", {} % served", decimal(s * 100.0, 1)));
    let out = count(step.count as usize, "site", "sites");
    format!(
        "{} UTC, {out} out{}",
        step.at.day_and_clock(),
        served.unwrap_or_default()
    )
}

/// The projection from degrees to pixels.
struct Land {
    west: f64,
    north: f64,
    narrowing: f64,
    pixels_per_degree: f64,
    height: f64,
}

impl Land {
    fn of(network: &NetworkMap) -> Self {
        let towns = network.towns.iter().map(|t| [t.lon, t.lat]);
        let places: Vec<[f64; 2]> = towns
            .chain(network.sites.iter().map(|s| [s.lon, s.lat]))
            .collect();
        let ends = |axis: usize| {
            let known = places.iter().map(|p| p[axis]).filter(|v| v.is_finite());
            known.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
                [low.min(v), high.max(v)]
            })
        };
        let ([west, east], [south, north]) = (ends(0), ends(1));
        if west > east || south > north {
            return Self {
                west: 0.0,
                north: 0.0,
                narrowing: 1.0,
                pixels_per_degree: 1.0,
                height: 2.0 * MARGIN,
            };
        }
        let narrowing = ((south + north) / 2.0).to_radians().cos().max(0.05);
        let wide = ((east - west) * narrowing).max(1e-6);
        let high = (north - south).max(1e-6);
        let across = (WIDTH - 2.0 * MARGIN) / wide;
        let pixels_per_degree = across.min((TALLEST - 2.0 * MARGIN) / high);
        let slack = (WIDTH - 2.0 * MARGIN - wide * pixels_per_degree) / 2.0;
        Self {
            west: west - slack / pixels_per_degree / narrowing,
            north,
            narrowing,
            pixels_per_degree,
            height: high * pixels_per_degree + 2.0 * MARGIN,
        }
    }

    fn at(&self, lon: f64, lat: f64) -> [f64; 2] {
        [
            MARGIN + (lon - self.west) * self.narrowing * self.pixels_per_degree,
            MARGIN + (self.north - lat) * self.pixels_per_degree,
        ]
    }
}

fn provinces(svg: &mut Markup, network: &NetworkMap, land: &Land) {
    let home: BTreeMap<&str, &str> = network
        .towns
        .iter()
        .map(|t| (t.name.as_str(), t.province.as_str()))
        .collect();
    let mut places: BTreeMap<&str, Vec<[f64; 2]>> = BTreeMap::new();
    for town in &network.towns {
        places
            .entry(&town.province)
            .or_default()
            .push(land.at(town.lon, town.lat));
    }
    for site in &network.sites {
        let province = home.get(site.town.as_str()).copied().unwrap_or("");
        places
            .entry(province)
            .or_default()
            .push(land.at(site.lon, site.lat));
    }
    places.remove("");
    for (place, (name, points)) in places.into_iter().enumerate() {
        let outline = hull(points);
        let corners = outline
            .iter()
            .map(|[x, y]| format!("{} {}", Px(*x), Px(*y)));
        let path = format!("M{}Z", corners.collect::<Vec<_>>().join("L"));
        let class = format!("province t{}", place % TINTS);
        svg.open("path", &[("class", &class), ("d", &path)]);
        svg.leaf("title", &[], &name).close();
    }
}

/// The convex hull, by Andrew's monotone chain algorithm.
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while chain.len() > 1 && !turns(chain[chain.len() - 2], chain[chain.len() - 1], *point)
            {
                chain.pop();
            }
            chain.push(*point);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut points.iter());
    outline.extend(half(&mut points.iter().rev()));
    outline
}

fn turns(o: [f64; 2], a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0.0
}

fn backbone(svg: &mut Markup, network: &NetworkMap, land: &Land) {
    let at: BTreeMap<&str, [f64; 2]> = network
        .towns
        .iter()
        .map(|t| (t.name.as_str(), land.at(t.lon, t.lat)))
        .collect();
    for link in &network.links {
        if let (Some(a), Some(b)) = (at.get(link.a.as_str()), at.get(link.b.as_str())) {
            svg.open("g", &[]).leaf("title", &[], &link.id);
            line(svg, "backbone", *a, *b);
            svg.close();
        }
    }
}

fn sites(svg: &mut Markup, network: &NetworkMap, land: &Land, outages: &Outages, step: usize) {
    let steps = outages.by_site();
    for site in &network.sites {
        let [x, y] = land.at(site.lon, site.lat);
        match steps.get(site.id.as_str()) {
            None => circle(svg, "site", [x, y], 1.6),
            Some(ranges) => outage(svg, &site.id, [x, y], ranges, step),
        }
    }
}

/// Opens an element that is `out` during these ranges of steps; the attribute is for the page's
/// script.
fn moving(svg: &mut Markup, kind: &str, ranges: &[[usize; 2]], step: usize) {
    let out = ranges
        .iter()
        .any(|[first, last]| (*first..=*last).contains(&step));
    let class = format!("{kind}{}", if out { " out" } else { "" });
    let ranges: Vec<String> = ranges
        .iter()
        .map(|[first, last]| format!("{first}-{last}"))
        .collect();
    svg.open("g", &[("class", &class), ("data-out", &ranges.join(" "))]);
}

/// Draws the true faults: a line along a broken link, a ring around any other element.
fn broken(svg: &mut Markup, record: &Record, land: &Land, outages: &Outages, step: usize) {
    let places = Places::of(&record.run.network);
    for fault in story::faults(record) {
        let at = |[lon, lat]: [f64; 2]| land.at(lon, lat);
        let Some([from, to]) = places.ends(&fault.element) else {
            continue;
        };
        moving(svg, "broken", &[outages.during(&fault.span)], step);
        svg.leaf("title", &[], &fault.span.title);
        if from != to {
            line(svg, "break", at(from), at(to));
        }
        let middle = at([(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0]);
        circle(svg, "ring", middle, 9.0);
        svg.close();
    }
}

fn outage(svg: &mut Markup, id: &str, [x, y]: [f64; 2], ranges: &[[usize; 2]], step: usize) {
    let cross = format!("M{} {}l7 7m0 -7l-7 7", Px(x - 3.5), Px(y - 3.5));
    moving(svg, "ever", ranges, step);
    svg.leaf("title", &[], &id);
    circle(svg, "site", [x, y], 1.6);
    svg.empty("path", &[("class", &"cross"), ("d", &cross)]);
    svg.close();
}

/// Draws the towns with their names, which avoid each other as far as possible.
fn towns(svg: &mut Markup, network: &NetworkMap, land: &Land) {
    let size = |town: &Town| {
        if town.core {
            ("town core", 6.0)
        } else {
            ("town", 3.5)
        }
    };
    let dots = network
        .towns
        .iter()
        .map(|town| (land.at(town.lon, town.lat), size(town).1));
    let mut names = Names::around(dots.collect());
    for town in &network.towns {
        let at = land.at(town.lon, town.lat);
        let (class, radius) = size(town);
        let core = if town.core { ", mobile core" } else { "" };
        svg.open("g", &[]).leaf(
            "title",
            &[],
            &format!("{}, {}{core}", town.name, town.province),
        );
        circle(svg, class, at, radius);
        let name = cut(&town.name, NAME);
        let (anchor, place) = names.place(&name, at);
        label(svg, &format!("small over {anchor}"), place, &name);
        svg.close();
    }
}

fn circle(svg: &mut Markup, class: &str, [x, y]: [f64; 2], radius: f64) {
    svg.empty(
        "circle",
        &[
            ("class", &class),
            ("cx", &Px(x)),
            ("cy", &Px(y)),
            ("r", &Px(radius)),
        ],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_holds_the_corners_and_nothing_else() {
        let square = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 4.0],
            [0.0, 4.0],
            [2.0, 2.0],
            [2.0, 0.0],
        ];
        assert_eq!(
            hull(square.to_vec()),
            [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]
        );
        assert_eq!(hull(vec![[1.0, 1.0], [1.0, 1.0]]), [[1.0, 1.0]]);
        assert!(hull(Vec::new()).is_empty());
    }

    #[test]
    fn a_place_further_north_is_higher_and_all_are_on_the_sheet() {
        let town = |lon, lat| crate::record::Town {
            lon,
            lat,
            ..Default::default()
        };
        let network = NetworkMap {
            towns: vec![town(7.0, 54.0), town(13.0, 47.5), town(7.0, 47.5)],
            ..Default::default()
        };
        let land = Land::of(&network);
        let [x, y] = land.at(7.0, 54.0);
        let [east, south] = land.at(13.0, 47.5);
        assert!(y < south && x < east);
        for at in [x, y, east] {
            assert!((MARGIN - 0.1..=WIDTH - MARGIN + 0.1).contains(&at), "{at}");
        }
        assert!(south <= land.height - MARGIN + 0.1);
    }
}
