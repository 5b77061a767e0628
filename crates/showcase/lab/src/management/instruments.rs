//! Measuring, reading and setting what an agent asks for.
//!
//! | element | readings of a probe |
//! |---|---|
//! | link | at each end, `_a` and `_b`: `admin_up`, `carrier`, `adjacent`, `bfd_up` (1 or 0; no `adjacent` while ospfd does not answer), `queue_drops`, `errors`; `loss_percent`, `delay_ms` of the probes over it |
//! | router | `console_answers`, `zebra_answers`, `ospfd_answers`, `bfdd_answers` (1 or 0) |
//! | duct | `links_dark`, `links_measured` |
//! | site | `loss_percent`, `sites_lost`, `sites_measured` |
//!
//! A configuration is of a router, or of a link: then its parameters begin with the end, as in
//! `a/ospf-cost`. There are no planned values. Blocking: a call takes as long as routers take. Read
//! next: [`crate::rack::device`], which has the parameters.

use super::snapshot::Snapshot;
use crate::documents::{DocumentedLink, Documents};
use crate::rack::client::RackClient;
use crate::rack::protocol::{DeviceState, PortState, RackAnswer, RackRequest};
use domain::inventory::ElementId;
use domain::telemetry::{Action, Condition, Configuration, Measurement, Outcome};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A share of lost probes from which on a link or site is degraded, in percent.
const LOSSY_PERCENT: f64 = 5.0;
/// A share of lost probes from which on a site does not reach another.
const LOST: f64 = 0.6;

/// The way to the elements of the laboratory.
#[derive(Clone, Debug)]
pub(crate) struct Instruments {
    documents: Documents,
    socket: PathBuf,
}

impl Instruments {
    pub(crate) fn new(documents: Documents, socket: PathBuf) -> Self {
        Self { documents, socket }
    }

    /// Does an action; gives its outcome.
    pub(crate) fn perform(&self, action: &Action) -> Outcome {
        let mut rack = RackClient::over(&self.socket);
        match action {
            Action::Probe { element } => self.probe(&mut rack, element).unwrap_or_else(|why| why),
            Action::ReadConfiguration { element } => self.configuration(&mut rack, element),
            Action::Configure {
                element,
                parameter,
                value,
            } => self.configure(&mut rack, element, parameter, value),
            Action::Restart { element } => match self.router(element) {
                Some(router) => done(rack.ask(&RackRequest::Restart { router })),
                None => impossible(format!("{element} cannot be restarted from afar")),
            },
            _ => impossible("this network has no such thing".to_owned()),
        }
    }

    fn router(&self, element: &ElementId) -> Option<String> {
        let name = element.as_str().strip_prefix("router:")?;
        let mut known = self.documents.routers.iter();
        known
            .any(|router| router.name == name)
            .then(|| name.to_owned())
    }

    fn link(&self, element: &ElementId) -> Option<&DocumentedLink> {
        self.documents.links.iter().find(|link| link.id == *element)
    }

    /// A measurement; else why there is none.
    fn probe(&self, rack: &mut RackClient, element: &ElementId) -> Result<Outcome, Outcome> {
        let measured = |condition, readings: BTreeMap<String, f64>| {
            Outcome::Measured(Measurement {
                element: element.clone(),
                condition,
                readings,
            })
        };
        if let Some(router) = self.router(element) {
            let (condition, readings) = of_router(state(rack, &router)?.as_ref());
            return Ok(measured(condition, readings));
        }
        if let Some(link) = self.link(element) {
            let snapshot = self.around(rack, [link].into_iter())?;
            let (condition, readings) = of_link(link, &snapshot);
            return Ok(measured(condition, readings));
        }
        if let Some(site) = element.as_str().strip_prefix("site:") {
            let snapshot = self.around(rack, [].into_iter())?;
            return match of_site(site, &snapshot) {
                Some((condition, readings)) => Ok(measured(condition, readings)),
                None => Err(impossible(format!("{element} is not probed"))),
            };
        }
        let inside = self
            .documents
            .links
            .iter()
            .filter(|l| l.duct.as_ref() == Some(element));
        let inside: Vec<&DocumentedLink> = inside.collect();
        match inside.is_empty() {
            true => Err(impossible(format!("{element} cannot be measured"))),
            false => {
                let snapshot = self.around(rack, inside.iter().copied())?;
                let (condition, readings) = of_duct(&inside, &snapshot);
                Ok(measured(condition, readings))
            }
        }
    }

    /// Fresh states of the routers at the ends of some links, and the probes; else why there are none.
    fn around<'l>(
        &self,
        rack: &mut RackClient,
        links: impl Iterator<Item = &'l DocumentedLink>,
    ) -> Result<Snapshot, Outcome> {
        let mut snapshot = Snapshot::default();
        for link in links {
            for router in [&link.a.0, &link.b.0] {
                if !snapshot.routers.contains_key(router) {
                    let state = state(rack, router)?;
                    snapshot.routers.insert(router.clone(), state);
                }
            }
        }
        match rack.ask(&RackRequest::Probes) {
            Ok(RackAnswer::Probes(report)) => snapshot.probes = report,
            other => return Err(unmeasured(other)),
        }
        Ok(snapshot)
    }

    fn configuration(&self, rack: &mut RackClient, element: &ElementId) -> Outcome {
        let mut read = |router: &str| {
            let router = router.to_owned();
            match rack.ask(&RackRequest::Configuration { router }) {
                Ok(RackAnswer::Configuration(read)) => Ok(read),
                other => Err(done(other)),
            }
        };
        let running = match (self.router(element), self.link(element)) {
            (Some(router), _) => read(&router),
            (None, Some(link)) => {
                let ends = [("a", &link.a), ("b", &link.b)].into_iter();
                let ends = ends.map(|(end, (router, port))| Ok(own(end, port, read(router)?)));
                ends.collect::<Result<Vec<_>, Outcome>>()
                    .map(|ends| ends.into_iter().flatten().collect())
            }
            (None, None) => Err(impossible(format!("{element} has no configuration"))),
        };
        match running {
            Ok(running) => Outcome::Configuration(Configuration {
                running,
                planned: BTreeMap::new(),
            }),
            Err(outcome) => outcome,
        }
    }

    fn configure(
        &self,
        rack: &mut RackClient,
        element: &ElementId,
        parameter: &str,
        value: &str,
    ) -> Outcome {
        let addressed = match (self.router(element), self.link(element)) {
            (Some(router), _) => Some((router, parameter.to_owned())),
            (None, Some(link)) => parameter.split_once('/').and_then(|(end, rest)| {
                let (router, port) = match end {
                    "a" => &link.a,
                    "b" => &link.b,
                    _ => return None,
                };
                Some((router.clone(), format!("{port}/{rest}")))
            }),
            (None, None) => None,
        };
        match addressed {
            Some((router, parameter)) => done(rack.ask(&RackRequest::Configure {
                router,
                parameter,
                value: value.to_owned(),
            })),
            None => impossible(format!("{element} has no parameter '{parameter}'")),
        }
    }
}

fn impossible(why: String) -> Outcome {
    Outcome::Impossible(why)
}

fn done(answer: std::io::Result<RackAnswer>) -> Outcome {
    match answer {
        Ok(RackAnswer::Done) => Outcome::Done,
        Ok(RackAnswer::Unreachable) => Outcome::Failed("the router does not answer".to_owned()),
        Ok(RackAnswer::Refused(why)) => impossible(why),
        Ok(_) => Outcome::Failed("the rack answered something else".to_owned()),
        Err(cause) => Outcome::Failed(cause.to_string()),
    }
}

/// The state of a router, none if it does not answer; else why the rack does not tell, which says
/// nothing about the router.
fn state(rack: &mut RackClient, router: &str) -> Result<Option<DeviceState>, Outcome> {
    let router = router.to_owned();
    match rack.ask(&RackRequest::State { router }) {
        Ok(RackAnswer::State(state)) => Ok(Some(state)),
        Ok(RackAnswer::Unreachable) => Ok(None),
        other => Err(unmeasured(other)),
    }
}

/// What comes of a measurement for which the rack gave something else: the attempt has failed.
fn unmeasured(answer: std::io::Result<RackAnswer>) -> Outcome {
    match done(answer) {
        Outcome::Impossible(why) => Outcome::Failed(why),
        Outcome::Done => Outcome::Failed("the rack answered something else".to_owned()),
        other => other,
    }
}

/// The parameters of one port, under the name of its end.
fn own(end: &str, port: &str, read: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let own = format!("{port}/");
    let parameters = read.into_iter().filter_map(|(parameter, value)| {
        let rest = parameter.strip_prefix(&own)?;
        Some((format!("{end}/{rest}"), value))
    });
    parameters.collect()
}

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn of_router(state: Option<&DeviceState>) -> (Condition, BTreeMap<String, f64>) {
    let mut readings = BTreeMap::from([("console_answers".to_owned(), number(state.is_some()))]);
    let Some(state) = state else {
        return (Condition::Unreachable, readings);
    };
    for (daemon, answers) in &state.daemons {
        readings.insert(format!("{daemon}_answers"), number(*answers));
    }
    match state.daemons.values().all(|answers| *answers) {
        true => (Condition::Good, readings),
        false => (Condition::Degraded, readings),
    }
}

fn of_link(link: &DocumentedLink, snapshot: &Snapshot) -> (Condition, BTreeMap<String, f64>) {
    let mut readings = BTreeMap::new();
    for (end, port) in ["a", "b"].into_iter().zip(snapshot.ends(link)) {
        let Some(port) = port else { continue };
        let mut read = |name: &str, value: f64| {
            readings.insert(format!("{name}_{end}"), value);
        };
        read("admin_up", number(port.admin_up));
        read("carrier", number(port.carrier));
        if let Some(adjacent) = port.adjacent {
            read("adjacent", number(adjacent));
        }
        read("bfd_up", number(port.bfd_up == Some(true)));
        read("queue_drops", port.queue_drops as f64);
        read("errors", port.errors as f64);
    }
    let probes = snapshot
        .probes
        .links
        .get(link.id.as_str())
        .copied()
        .unwrap_or_default();
    let loss = 100.0 * probes.loss();
    readings.insert("loss_percent".to_owned(), loss);
    readings.insert("delay_ms".to_owned(), probes.delay_ms);
    let ends = snapshot.ends(link);
    // What ospfd does not say condemns nothing.
    let works = |port: &&PortState| port.carrier && port.adjacent != Some(false);
    let condition = match ends.iter().flatten().count() {
        0 => Condition::Unreachable,
        known if ends.iter().flatten().filter(|p| works(p)).count() < known => Condition::Failed,
        _ if loss >= LOSSY_PERCENT => Condition::Degraded,
        _ => Condition::Good,
    };
    (condition, readings)
}

fn of_duct(inside: &[&DocumentedLink], snapshot: &Snapshot) -> (Condition, BTreeMap<String, f64>) {
    let dark = inside.iter().filter(|link| {
        let ends = snapshot.ends(link);
        ends.iter().flatten().next().is_some()
            && ends
                .iter()
                .flatten()
                .all(|port| port.admin_up && !port.carrier)
    });
    let (dark, all) = (dark.count(), inside.len());
    let readings = [("links_dark", dark), ("links_measured", all)];
    let readings = readings.map(|(name, count)| (name.to_owned(), count as f64));
    let condition = match dark {
        0 => Condition::Good,
        dark if dark == all => Condition::Failed,
        _ => Condition::Degraded,
    };
    (condition, readings.into())
}

fn of_site(site: &str, snapshot: &Snapshot) -> Option<(Condition, BTreeMap<String, f64>)> {
    let own = snapshot.probes.sites.iter().filter(|(pair, _)| {
        pair.split_once(' ')
            .is_some_and(|(from, to)| from == site || to == site)
    });
    let losses: Vec<f64> = own.map(|(_, counts)| counts.loss()).collect();
    if losses.is_empty() {
        return None;
    }
    let lost = losses.iter().filter(|loss| **loss >= LOST).count();
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    let readings = [
        ("loss_percent", 100.0 * mean),
        ("sites_lost", lost as f64 / 2.0),
        ("sites_measured", losses.len() as f64 / 2.0),
    ];
    let readings = readings.map(|(name, value)| (name.to_owned(), value));
    let condition = match lost {
        0 if 100.0 * mean < LOSSY_PERCENT => Condition::Good,
        lost if 5 * lost >= 4 * losses.len() => Condition::Failed,
        _ => Condition::Degraded,
    };
    Some((condition, readings.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_rack_that_fails_is_no_router_that_fails() {
        let mut rack = RackClient::over(Path::new("/nowhere/at/all"));
        assert!(matches!(
            state(&mut rack, "Denver"),
            Err(Outcome::Failed(_))
        ));
        let refused = unmeasured(Ok(RackAnswer::Refused("no".to_owned())));
        assert!(matches!(refused, Outcome::Failed(why) if why == "no"));
    }
}
