//! An invented country: towns on a grid, divided into provinces, with agents for every office of
//! each.
//!
//! The network is the simulator's, on a topology of towns; the agents are the shipped ones, those
//! of the whole country unchanged and those of a province once for each, by profile files with
//! another name, alias, province and management object. Read next: `operator`.

use agents::roster::{self, ROSTER};
use arena::day::lively;
use domain::inventory::Inventory;
use domain::time::Timestamp;
use engine::Hosted;
use network::geography::distance_km;
use network::topology::{BackboneLink, City};
use network::{Backbone, Customers, Parameters, Simulation, build};
use server::access;
use server::file::FileError;
use server::host::Company;
use server::profile::{self, ProfileFile};
use std::collections::BTreeMap;
use std::sync::Arc;
use yang::Generation;

/// The first and last syllables of town names.
const FIRST: [&str; 16] = [
    "Al", "Bern", "Cal", "Dor", "Eber", "Finster", "Grau", "Hohen", "Irm", "Kolm", "Lauter", "Mar",
    "Neuen", "Ober", "Rauten", "Sil",
];
const LAST: [&str; 16] = [
    "bach", "berg", "burg", "dorf", "feld", "furt", "hagen", "hausen", "heim", "hofen", "kirch",
    "moos", "rode", "stedt", "tal", "wald",
];
/// The distance between towns in degrees, to the east and to the north: about 40 km each.
const APART: (f64, f64) = (0.56, 0.36);
/// The south-western corner.
const CORNER: (f64, f64) = (6.0, 47.0);
/// The offices of a province: a shipped role, its short name there, and its management object.
const OFFICES: [(&str, &str, &str); 5] = [
    ("complaint-north", "complaint", "complaints of province"),
    (
        "mobile-north",
        "mobile",
        "service quality of the sites and cells of province",
    ),
    (
        "transport-north",
        "transport",
        "service quality of the links and routers of province",
    ),
    (
        "wireless-fault",
        "wireless",
        "sites, cells and power zones of province",
    ),
    ("ip-fault", "ip", "routers, cards and links of province"),
];

/// The size of the country.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Towns, each with a router; 2 to 256.
    pub(crate) towns: usize,
    /// Base-station sites.
    pub(crate) sites: usize,
    /// Provinces, of about as many towns each; at most one per town.
    pub(crate) provinces: usize,
    /// Letters of customers per day about matters outside the network.
    pub(crate) letters_per_day: f64,
}

/// The beginning of the day.
pub(crate) fn start() -> Timestamp {
    Timestamp::parse("2026-01-05T06:00:00Z").expect("a literal")
}

/// The network, with spontaneous faults and complaining drivers.
pub(crate) fn network(size: &Size, seed: u64) -> Simulation {
    let topology = topology(size.towns);
    let quiet = lively(Parameters {
        sites: size.sites,
        ..Parameters::default()
    });
    let parameters = Parameters {
        customers: Customers {
            vehicles: 200,
            strays_per_day: size.letters_per_day,
            ..quiet.customers
        },
        ..quiet
    };
    let (mut inventory, demands) = build::network(&topology, &parameters, seed);
    let provinces = topology.cities.iter().enumerate();
    inventory.provinces = provinces
        .map(|(town, city)| (city.name.clone(), province(&topology, town, size.provinces)))
        .collect();
    Simulation::with_demands(Arc::new(inventory), &demands, parameters, seed, start())
}

/// The province of a town; provinces are named after their first town.
fn province(topology: &Backbone, town: usize, provinces: usize) -> String {
    let towns = topology.cities.len();
    let number = town * provinces / towns;
    let capital = (number * towns).div_ceil(provinces);
    topology.cities[capital].name.clone()
}

/// Towns on a slightly irregular grid, each linked to the next to the east and to the north.
fn topology(towns: usize) -> Backbone {
    let wide = (towns as f64).sqrt().ceil() as usize;
    let off = |town: usize, by: usize| (town * by % 101) as f64 / 101.0 * 0.4;
    let city = |town: usize| {
        let (column, row) = ((town % wide) as f64, (town / wide) as f64);
        City {
            name: format!("{}{}", FIRST[town % 16], LAST[(town / 16 + town) % 16]),
            position: (
                CORNER.0 + APART.0 * (column + off(town, 37)),
                CORNER.1 + APART.1 * (row + off(town, 53)),
            ),
        }
    };
    let cities: Vec<City> = (0..towns).map(city).collect();
    let span = |a: usize, b: usize| BackboneLink {
        a,
        b,
        length_km: 1.1 * distance_km(cities[a].position, cities[b].position),
    };
    let east = (0..towns).filter(|t| (t + 1) % wide != 0 && t + 1 < towns);
    let north = (0..towns).filter(|t| t + wide < towns);
    let spans = east.map(|t| span(t, t + 1));
    let spans = spans.chain(north.map(|t| span(t, t + wide))).collect();
    Backbone {
        name: "Country".to_owned(),
        spans,
        cities,
        demands: Vec::new(),
    }
}

/// The management object of an office of a province, as in its profile.
pub(crate) fn management_object(office: &str, province: &str) -> String {
    let (_, _, looks_after) = office_called(office);
    format!("{looks_after} {province}")
}

fn office_called(office: &str) -> (&'static str, &'static str, &'static str) {
    let mut offices = OFFICES.into_iter();
    let found = offices.find(|(_, name, _)| *name == office);
    found.expect("an office of the table")
}

/// All agents of this country.
///
/// # Errors
/// [`FileError`] if a shipped profile cannot be used.
pub(crate) fn company(
    inventory: &Inventory,
    generation: &Generation,
    now: Timestamp,
) -> Result<Company, FileError> {
    let mut provinces: Vec<&String> = inventory.provinces.values().collect();
    provinces.sort();
    provinces.dedup();
    let mut files = national(generation)?;
    for province in provinces {
        for (role, office, looks_after) in OFFICES {
            let text = of_province(role, office, looks_after, province);
            let file = format!("{office}-{province}.toml");
            files.push(profile::read(&file, &text, &arena::shipped(), generation)?);
        }
    }
    let default_agent = files[0].profile.name.clone();
    let posts = files.iter();
    let posts = posts.map(|f| (f.profile.name.clone(), f.post.clone()));
    Ok(Company {
        posts: posts.collect::<BTreeMap<_, _>>(),
        default_agent,
        access: access::parse("access.toml", access::SHIPPED)?,
        agents: files.into_iter().map(|file| hosted(file, now)).collect(),
    })
}

/// The agents of the whole country, the default one first.
fn national(generation: &Generation) -> Result<Vec<ProfileFile>, FileError> {
    let files = profile::shipped(&arena::shipped(), generation)?.into_iter();
    Ok(files.filter(|f| f.profile.province.is_none()).collect())
}

/// The profile file of an office of a province. Diagnosing agents are asked and receive no
/// telemetry: monitoring is done by the two of the whole country.
fn of_province(role: &str, office: &str, looks_after: &str, province: &str) -> String {
    let shipped = ROSTER.iter().find(|shipped| shipped.name == role);
    let text = shipped.expect("it ships").profile;
    let is_theirs = |line: &&str| !line.starts_with("province");
    let mut table = "";
    let lines = text.lines().filter(is_theirs).map(|line| {
        if line.starts_with('[') {
            table = line;
        }
        let key = line.split_once(" = ").map_or(line, |(key, _)| key);
        match (table, key) {
            ("", "name") => format!("name = \"TMF-Convoke-{office}-{province}-1.0.0\""),
            ("", "alias") => format!("alias = \"{office}-{province}\"\nprovince = \"{province}\""),
            ("", "management-object") => {
                format!("management-object = \"{looks_after} {province}\"")
            }
            (_, "hears") if role.ends_with("-fault") => "hears = []".to_owned(),
            (_, "may") if role.ends_with("-fault") => "may = [\"probe\"]".to_owned(),
            _ => line.replace("North", province),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn hosted(file: ProfileFile, now: Timestamp) -> Hosted {
    Hosted {
        agent: roster::hosted(&file.role).expect("roles are checked when read"),
        profile: Arc::new(file.profile),
        again: None,
        endpoint: None,
        registered_at: now,
    }
}
