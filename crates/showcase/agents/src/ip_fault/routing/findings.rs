//! From measurements and configurations of routers and links to what is wrong, and how it is set
//! right.
//!
//! | shown | means | set right by |
//! |---|---|---|
//! | a router's console does not answer | `router-failure` | switching it off and on |
//! | a router answers, its ospfd does not | `routing-process-down` | starting it |
//! | all links of a duct dark at both ends, no port shut | `duct-cut` | an engineer |
//! | a port of a link shut | `interface-down` | raising it |
//! | a link dark at both ends, no port shut | `fibre-cut` | an engineer |
//! | an alarm on a link whose ends differ, or one of which has changed, in area, MTU, timers, passivity, rate, queue | the cause of that name | the value of before, else of the other end |
//! | a link with carrier loses probes, and no queue drops | `packet-loss` | an engineer |
//! | sites do not reach each other, and a router has a discarding route, a filter, or an address that it did not have | `black-hole`, `prefix-filtered`, `duplicate-address` | removing it |
//! | the cost of a link has changed at one end alone | `wrong-metric` | the cost of before |
//!
//! Read from the top; what is dead or cut takes its links with it, and what is wrong with an element
//! is one thing. A cost that has changed at both ends is planned work. Read next: [`super`], which
//! looks twice before it acts.

use super::memory::{ABSENT, ConfigurationMemory, ParameterChange, RunningParameters};
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory, Link};
use domain::telemetry::{Action, AlarmType, Measurement};
use std::collections::{BTreeMap, BTreeSet};

/// A link that loses more probes than this, in percent, is lossy.
const LOSSY_PERCENT: f64 = 5.0;
/// The parameters of a link that are compared where it has an alarm, in this order, with the cause.
const COMPARED: [(&str, Cause); 8] = [
    ("admin", Cause::InterfaceDown),
    ("ospf-area", Cause::AreaMismatch),
    ("mtu", Cause::MtuMismatch),
    ("ospf-hello-s", Cause::TimerMismatch),
    ("ospf-dead-s", Cause::TimerMismatch),
    ("ospf-passive", Cause::PassiveInterface),
    ("rate-kbps", Cause::BandwidthTooLow),
    ("queue-bytes", Cause::QueueTooShort),
];

/// Everything that was found out at one time.
#[derive(Clone, Debug, Default)]
pub struct RoutingSurvey {
    /// What was measured.
    pub measured: BTreeMap<ElementId, Measurement>,
    /// What was read of configurations.
    pub read: BTreeMap<ElementId, RunningParameters>,
    /// The alarms that stand.
    pub alarms: BTreeSet<(ElementId, AlarmType)>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingFinding {
    /// The element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// What shows it, in words.
    pub evidence: String,
    /// What sets it right from afar; nothing where an engineer is wanted.
    pub remedy: Vec<Action>,
    /// The parameters at fault, as they were and are.
    pub changes: Vec<ParameterChange>,
}

const CONFIRMED: &str = "confirmed";

impl RoutingFinding {
    /// The finding as agents tell it: `confirmed wrong-metric of link:A-B: …`.
    pub fn words(&self) -> String {
        let Self {
            cause,
            element,
            evidence,
            ..
        } = self;
        format!("{CONFIRMED} {cause} of {element}: {evidence}")
    }

    /// Element and cause of a finding that was told; none of other words.
    pub fn told(words: &str) -> Option<(ElementId, Cause)> {
        let rest = words.strip_prefix(CONFIRMED)?.strip_prefix(' ')?;
        let (cause, rest) = rest.split_once(" of ")?;
        let (element, _) = rest.split_once(": ")?;
        Some((ElementId::new(element), Cause::parse(cause)?))
    }

    /// True if alarms of an element may be of what is wrong: it is this, or a link that ends on it or runs
    /// through it.
    pub fn shows_at(&self, alarmed: &ElementId, inventory: &Inventory) -> bool {
        let link = inventory.links.get(alarmed);
        self.element == *alarmed
            || link.is_some_and(|link| {
                [&link.a, &link.b].contains(&&self.element) || link.ducts.contains(&self.element)
            })
    }

    /// True if another finding is no more than what this one shows at its element, or at the links of
    /// what is dead or cut.
    fn explains(&self, other: &Self, inventory: &Inventory) -> bool {
        let takes_links = matches!(
            self.cause,
            Cause::RouterFailure | Cause::RoutingProcessDown | Cause::DuctCut
        );
        self.element == other.element || (takes_links && self.shows_at(&other.element, inventory))
    }

    /// True if both say the same of the same element, and would do the same about it.
    pub fn agrees_with(&self, other: &Self) -> bool {
        (&self.element, self.cause, &self.remedy) == (&other.element, other.cause, &other.remedy)
    }
}

/// A survey to be read.
#[derive(Clone, Copy, Debug)]
pub struct SurveyReading<'s> {
    /// What is documented.
    pub inventory: &'s Inventory,
    /// What was last read while it was well.
    pub memory: &'s ConfigurationMemory,
    /// What was found out.
    pub survey: &'s RoutingSurvey,
}

impl SurveyReading<'_> {
    /// Everything that is wrong, by the order of the table, without what an earlier finding explains.
    pub fn findings(&self) -> Vec<RoutingFinding> {
        let mut findings: Vec<RoutingFinding> = Vec::new();
        let each = self
            .dead_routers()
            .chain(self.dead_processes())
            .chain(self.cut_ducts())
            .chain(self.of_links())
            .chain(self.of_routers())
            .chain(self.metrics());
        for finding in each {
            let explains = |earlier: &RoutingFinding| earlier.explains(&finding, self.inventory);
            if !findings.iter().any(explains) {
                findings.push(finding);
            }
        }
        findings
    }

    fn reading(&self, element: &ElementId, name: &str) -> Option<f64> {
        self.survey
            .measured
            .get(element)?
            .readings
            .get(name)
            .copied()
    }

    fn is(&self, element: &ElementId, name: &str, value: f64) -> bool {
        self.reading(element, name) == Some(value)
    }

    fn routers(&self) -> impl Iterator<Item = &ElementId> {
        self.inventory.of_kind(ElementKind::Router).map(|e| &e.id)
    }

    fn links(&self) -> impl Iterator<Item = (&ElementId, &Link)> {
        self.inventory
            .links
            .iter()
            .filter(|(_, link)| link.backbone)
    }

    fn alarmed(&self, element: &ElementId) -> bool {
        self.survey
            .alarms
            .iter()
            .any(|(alarmed, _)| alarmed == element)
    }

    fn dead_routers(&self) -> impl Iterator<Item = RoutingFinding> {
        let dead = self.routers();
        let dead = dead.filter(|r| self.is(r, "console_answers", 0.0));
        dead.map(|dead| RoutingFinding {
            element: dead.clone(),
            cause: Cause::RouterFailure,
            evidence: "its console does not answer".to_owned(),
            remedy: vec![Action::Restart {
                element: dead.clone(),
            }],
            changes: Vec::new(),
        })
    }

    fn dead_processes(&self) -> impl Iterator<Item = RoutingFinding> {
        let dead = self.routers();
        let dead = dead.filter(|r| self.is(r, "ospfd_answers", 0.0));
        dead.map(|dead| {
            let stopped = ParameterChange {
                parameter: "ospfd".to_owned(),
                was: "running".to_owned(),
                is: "stopped".to_owned(),
            };
            let words = "it answers, and its ospfd does not".to_owned();
            changed(dead, Cause::RoutingProcessDown, words, vec![stopped])
        })
    }

    /// Dark at both ends, and shut at neither.
    fn is_dark(&self, link: &ElementId) -> bool {
        ["a", "b"].into_iter().all(|end| {
            self.is(link, &format!("carrier_{end}"), 0.0)
                && self.is(link, &format!("admin_up_{end}"), 1.0)
        })
    }

    fn cut_ducts(&self) -> impl Iterator<Item = RoutingFinding> {
        let ducts = self.inventory.of_kind(ElementKind::Duct);
        let cut = ducts.map(|duct| &duct.id).filter(|duct| {
            let inside = self.links().filter(|(_, link)| link.ducts.contains(duct));
            let inside: Vec<&ElementId> = inside.map(|(id, _)| id).collect();
            inside.len() >= 2 && inside.iter().all(|link| self.is_dark(link))
        });
        let words = "every link in it is dark at both ends, and no port is shut";
        cut.map(move |cut| for_engineer(cut, Cause::DuctCut, words.to_owned()))
    }

    fn of_links(&self) -> impl Iterator<Item = RoutingFinding> {
        let links = self.links().map(|(id, _)| id);
        let alarmed: Vec<&ElementId> = links.filter(|id| self.alarmed(id)).collect();
        let departs = alarmed.clone().into_iter();
        let departs = departs.filter_map(|id| self.departing(id));
        let dark = alarmed.clone().into_iter().filter(|id| self.is_dark(id));
        let dark = dark.map(|id| {
            let words = "it is dark at both ends, and no port is shut";
            for_engineer(id, Cause::FibreCut, words.to_owned())
        });
        let lossy = alarmed.into_iter().filter_map(|id| self.lossy(id));
        departs.chain(dark).chain(lossy)
    }

    fn lossy(&self, link: &ElementId) -> Option<RoutingFinding> {
        let loss = self.reading(link, "loss_percent")?;
        let mut ends = ["carrier_a", "carrier_b"].into_iter();
        let is_lit = ends.all(|carrier| self.is(link, carrier, 1.0));
        let full = (link.clone(), AlarmType::Congestion);
        let is_lossy = is_lit && loss >= LOSSY_PERCENT && !self.survey.alarms.contains(&full);
        let words = || format!("{loss:.0} % of the probes are lost, and no queue drops any");
        is_lossy.then(|| for_engineer(link, Cause::PacketLoss, words()))
    }

    /// A parameter of an alarmed link that departs from what it was, or from the other end.
    fn departing(&self, link: &ElementId) -> Option<RoutingFinding> {
        let read = self.survey.read.get(link)?;
        for (parameter, cause) in COMPARED {
            let changes: Vec<ParameterChange> = ["a", "b"]
                .into_iter()
                .filter_map(|end| self.departure(link, read, end, parameter))
                .collect();
            if !changes.is_empty() {
                let each = changes.iter().map(|change| {
                    format!("{} is {}, not {}", change.parameter, change.is, change.was)
                });
                let words = each.collect::<Vec<_>>().join("; ");
                return Some(changed(link, cause, words, changes));
            }
        }
        None
    }

    fn departure(
        &self,
        link: &ElementId,
        read: &RunningParameters,
        end: &str,
        parameter: &str,
    ) -> Option<ParameterChange> {
        let name = format!("{end}/{parameter}");
        let far = format!("{}/{parameter}", if end == "a" { "b" } else { "a" });
        let is = read.get(&name)?;
        if self.memory.knows(link) {
            let changes = self.memory.changes(link, read);
            return changes.into_iter().find(|change| change.parameter == name);
        }
        // Never read while it was well: the ends are compared, then what is usual.
        let expected = match parameter {
            "admin" => "up",
            "ospf-passive" => "false",
            _ => self.memory.usual(parameter)?,
        };
        let differs = read.get(&far).is_some_and(|far| far != is) || parameter == "admin";
        (differs && is != expected).then(|| ParameterChange {
            parameter: name,
            was: expected.to_owned(),
            is: is.clone(),
        })
    }

    /// What a router has that it did not have, where sites do not reach each other.
    fn of_routers(&self) -> impl Iterator<Item = RoutingFinding> {
        const KINDS: [(&str, Cause, &str); 3] = [
            ("route/", Cause::BlackHole, "a static route that discards"),
            ("filter/", Cause::PrefixFiltered, "a filter that drops"),
            (
                "address/",
                Cause::DuplicateAddress,
                "an address that another has",
            ),
        ];
        let alarms = self.survey.alarms.iter();
        let is_unreached = alarms
            .map(|(_, alarm_type)| *alarm_type)
            .any(|alarm_type| alarm_type == AlarmType::SiteUnreachable);
        let routers = self.routers().filter(move |_| is_unreached);
        routers.filter_map(|router| {
            let read = self.survey.read.get(router)?;
            let changes = self.memory.changes(router, read);
            KINDS.into_iter().find_map(|(kind, cause, words)| {
                let new = changes
                    .iter()
                    .find(|change| change.parameter.starts_with(kind) && change.was == ABSENT)?;
                let words = format!("it has {words}, which it had not: {}", new.parameter);
                Some(changed(router, cause, words, vec![new.clone()]))
            })
        })
    }

    fn metrics(&self) -> impl Iterator<Item = RoutingFinding> {
        self.links().filter_map(|(id, _)| {
            let read = self.survey.read.get(id)?;
            let changes = self.memory.changes(id, read).into_iter();
            let costs = changes.filter(|change| change.parameter.ends_with("/ospf-cost"));
            let costs: Vec<ParameterChange> = costs.collect();
            let [change] = costs.as_slice() else {
                return None;
            };
            let (name, is, was) = (&change.parameter, &change.is, &change.was);
            let words = format!("{name} is {is}, not {was}, and the other end has not changed");
            Some(changed(id, Cause::WrongMetric, words, costs.clone()))
        })
    }
}

/// A finding that is set right by giving parameters the values of before.
fn changed(
    element: &ElementId,
    cause: Cause,
    evidence: String,
    changes: Vec<ParameterChange>,
) -> RoutingFinding {
    let remedy = changes.iter().map(|change| Action::Configure {
        element: element.clone(),
        parameter: change.parameter.clone(),
        value: change.was.clone(),
    });
    RoutingFinding {
        element: element.clone(),
        cause,
        evidence,
        remedy: remedy.collect(),
        changes,
    }
}

fn for_engineer(element: &ElementId, cause: Cause, evidence: String) -> RoutingFinding {
    RoutingFinding {
        element: element.clone(),
        cause,
        evidence,
        remedy: Vec::new(),
        changes: Vec::new(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
