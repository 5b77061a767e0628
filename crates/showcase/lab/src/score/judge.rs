//! What commitments and interventions of one trial were worth, by the book.
//!
//! Pure. Commitments are compared by the one measure of all policies ([`yardsticks::measure`]). An
//! intervention is right if it sets a parameter of the book back to what it was, or switches a
//! router on that is dead, and wrong if it does anything else: also where its diagnosis was right. Read
//! next: [`super::table`].

use crate::book::BookEntry;
use crate::documents::Documents;
use crate::fault::LabFault;
use crate::hosted::AgentsEvent;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use yardsticks::{
    Codebook, Commitment, Consequences, DeliveredAlarm, KnownTrouble, Measure, OnlineYardstick,
    StatementThresholds, TunedYardsticks, YardstickKind, heard,
};

/// For how long an alarm stands before a yardstick speaks, in seconds: as long as agents need to
/// look twice.
pub const YARDSTICK_WAIT_S: f64 = 6.0;

/// What a policy made of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyVerdict {
    /// The policy: `agents`, or a yardstick.
    pub policy: String,
    /// Element and cause were named first.
    pub named_first: bool,
    /// The first that it named is the element, whatever the cause.
    pub element_first: bool,
    /// Element and cause were named at all.
    pub named: bool,
    /// Statements that were wrong.
    pub wrong: u32,
    /// Seconds until element and cause were named.
    pub located_s: Option<f64>,
    /// What was named first, if anything was.
    pub first: Option<(ElementId, Cause)>,
}

/// What came of interventions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairVerdict {
    /// Interventions that set back what the book says.
    pub right: u32,
    /// Others.
    pub wrong: u32,
}

/// A trial to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'t> {
    /// What was documented.
    pub documents: &'t Documents,
    /// What was done.
    pub entry: &'t BookEntry,
    /// What management system and agents told during the trial.
    pub events: &'t [AgentsEvent],
    /// When the trial ended.
    pub until: Timestamp,
}

impl Judge<'_> {
    /// The verdict on the agents.
    pub fn agents(&self) -> PolicyVerdict {
        let said = self.events.iter().filter_map(|event| match event {
            AgentsEvent::Finding {
                at, element, cause, ..
            } => Some(Commitment::diagnosis(*at, element.clone(), *cause)),
            _ => None,
        });
        self.verdict("agents", &said.collect::<Vec<_>>(), &self.graph())
    }

    /// The verdict on every yardstick.
    pub fn yardsticks(&self) -> Vec<PolicyVerdict> {
        let book = Arc::new(Codebook::new(self.graph()));
        let alarms = self.alarms();
        let verdict = |kind: YardstickKind| {
            let rule = kind.rule(TunedYardsticks::in_force(), &book);
            let thresholds = StatementThresholds::none(YARDSTICK_WAIT_S);
            let mut yardstick = OnlineYardstick::new(rule, thresholds, Arc::clone(&book));
            let said = heard(&mut yardstick, &alarms, self.until);
            self.verdict(kind.as_str(), &said, book.graph())
        };
        YardstickKind::ALL.into_iter().map(verdict).collect()
    }

    fn graph(&self) -> Consequences {
        Consequences::new(Arc::new(self.documents.inventory()))
    }

    fn alarms(&self) -> Vec<DeliveredAlarm> {
        let alarms = self.events.iter().filter_map(|event| match event.clone() {
            AgentsEvent::Alarm {
                at,
                resource,
                alarm_type,
                severity,
                noticed,
                cleared,
                text,
            } => Some(DeliveredAlarm {
                at,
                alarm: Alarm {
                    resource,
                    alarm_type,
                    qualifier: String::new(),
                    severity,
                    time: noticed,
                    cleared,
                    text,
                },
            }),
            _ => None,
        });
        alarms.collect()
    }

    fn cause(&self) -> Option<Cause> {
        LabFault::parse(&self.entry.fault).and_then(LabFault::cause)
    }

    fn verdict(&self, policy: &str, said: &[Commitment], graph: &Consequences) -> PolicyVerdict {
        let trouble = |(element, cause): (ElementId, Cause)| KnownTrouble {
            element,
            cause: Some(cause),
            from: self.entry.from,
            until: Some(self.until),
            restored: Some(self.until),
            area: self.area(),
            counts: true,
        };
        let troubles = self.entry.element.clone().zip(self.cause()).map(trouble);
        let troubles: Vec<KnownTrouble> = troubles.into_iter().collect();
        let measure = Measure::new(graph, &troubles);
        let is_fault = !troubles.is_empty();
        let located = is_fault.then(|| measure.located(0, said)).flatten();
        let about = match is_fault {
            true => measure.about(0, said, 1),
            false => Vec::new(),
        };
        let first = about.first().copied().or(said.first());
        PolicyVerdict {
            policy: policy.to_owned(),
            named_first: is_fault && measure.named_first(0, said),
            element_first: first.is_some_and(|f| Some(&f.element) == self.entry.element.as_ref()),
            named: located.is_some(),
            wrong: measure.count(said).wrong(),
            located_s: located.map(|at| at.seconds_since(self.entry.from)),
            first: first.map(|f| (f.element.clone(), f.cause)),
        }
    }

    /// The nodes at the ends of what was struck, and their sites.
    fn area(&self) -> BTreeSet<ElementId> {
        let Some(element) = &self.entry.element else {
            return BTreeSet::new();
        };
        let of = |name: &str| [format!("router:{name}"), format!("site:{name}")];
        let struck = self.documents.links.iter().filter(|link| {
            link.id == *element || (link.duct.is_some() && link.duct.as_ref() == Some(element))
        });
        let ends = struck.flat_map(|link| [link.a.0.as_str(), link.b.0.as_str()]);
        let router = element.as_str().strip_prefix("router:");
        ends.chain(router)
            .flat_map(of)
            .map(ElementId::new)
            .collect()
    }

    /// The verdict on what agents did.
    pub fn repairs(&self) -> RepairVerdict {
        let mut verdict = RepairVerdict::default();
        for event in self.events {
            if let AgentsEvent::Intervention {
                element,
                parameter,
                value,
                ..
            } = event
            {
                match self.is_repair(element, parameter.as_deref(), value.as_deref()) {
                    true => verdict.right += 1,
                    false => verdict.wrong += 1,
                }
            }
        }
        verdict
    }

    fn is_repair(&self, element: &ElementId, parameter: Option<&str>, value: Option<&str>) -> bool {
        let Some(cause) = self.cause() else {
            return false;
        };
        let (Some(parameter), Some(value)) = (parameter, value) else {
            return cause == Cause::RouterFailure && Some(element) == self.entry.element.as_ref();
        };
        let addressed = self.addressed(element, parameter);
        self.entry.changed.iter().any(|changed| {
            addressed == Some((changed.router.clone(), changed.parameter.clone()))
                && changed.was == value
        })
    }

    /// Router and parameter that a parameter of an element is.
    fn addressed(&self, element: &ElementId, parameter: &str) -> Option<(String, String)> {
        if let Some(router) = element.as_str().strip_prefix("router:") {
            return Some((router.to_owned(), parameter.to_owned()));
        }
        let link = self
            .documents
            .links
            .iter()
            .find(|link| link.id == *element)?;
        let (end, rest) = parameter.split_once('/')?;
        let (router, port) = if end == "a" { &link.a } else { &link.b };
        Some((router.clone(), format!("{port}/{rest}")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::book::ChangedParameter;
    use crate::plan::LabPlan;
    use network::Backbone;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::default().plus_s(seconds)
    }

    fn intervention(element: &ElementId, parameter: &str, value: &str) -> AgentsEvent {
        AgentsEvent::Intervention {
            at: at(9.0),
            agent: "ip-fault".to_owned(),
            element: element.clone(),
            parameter: Some(parameter.to_owned()),
            value: Some(value.to_owned()),
        }
    }

    fn finding(seconds: f64, element: &ElementId, cause: Cause) -> AgentsEvent {
        AgentsEvent::Finding {
            at: at(seconds),
            agent: "ip-fault".to_owned(),
            element: element.clone(),
            cause,
        }
    }

    /// A trial of a wrong metric at end B of the first link, and what was said and done.
    fn judged(fault: &str, events: &[AgentsEvent]) -> (PolicyVerdict, RepairVerdict) {
        let plan = LabPlan::new(&Backbone::named("Abilene").unwrap(), "cvlab").unwrap();
        let documents = Documents::of(&plan);
        let link = &documents.links[0];
        let entry = BookEntry {
            id: 1,
            fault: fault.to_owned(),
            element: Some(link.id.clone()),
            from: at(0.0),
            until: None,
            changed: vec![ChangedParameter {
                router: link.b.0.clone(),
                parameter: format!("{}/ospf-cost", link.b.1),
                was: "7".to_owned(),
                is: "70".to_owned(),
            }],
        };
        let judge = Judge {
            documents: &documents,
            entry: &entry,
            events,
            until: at(60.0),
        };
        (judge.agents(), judge.repairs())
    }

    #[test]
    fn only_the_accused_parameter_set_back_is_a_repair() {
        let plan = LabPlan::new(&Backbone::named("Abilene").unwrap(), "cvlab").unwrap();
        let link = plan.links[0].id.clone();
        let of = |parameter: &str, value: &str| {
            let (_, repairs) = judged("wrong-metric", &[intervention(&link, parameter, value)]);
            (repairs.right, repairs.wrong)
        };
        assert_eq!(of("b/ospf-cost", "7"), (1, 0));
        assert_eq!(of("b/ospf-cost", "8"), (0, 1));
        assert_eq!(of("a/ospf-cost", "7"), (0, 1), "the other end");
        assert_eq!(of("b/mtu", "7"), (0, 1));
        let benign = intervention(&link, "b/ospf-cost", "7");
        let (_, repairs) = judged("planned-metric", &[benign]);
        assert_eq!(
            (repairs.right, repairs.wrong),
            (0, 1),
            "planned work is no fault"
        );
    }

    #[test]
    fn the_first_that_is_named_counts_and_what_is_none_is_wrong() {
        let plan = LabPlan::new(&Backbone::named("Abilene").unwrap(), "cvlab").unwrap();
        let link = plan.links[0].id.clone();
        let right = finding(8.0, &link, Cause::WrongMetric);
        let wrong = finding(4.0, &link, Cause::FibreCut);
        let (verdict, _) = judged("wrong-metric", std::slice::from_ref(&right));
        assert!(verdict.named_first && verdict.element_first && verdict.wrong == 0);
        assert_eq!(verdict.located_s, Some(8.0));
        let (verdict, _) = judged("wrong-metric", &[wrong, right.clone()]);
        assert!(!verdict.named_first && verdict.element_first && verdict.named);
        let (verdict, _) = judged("planned-metric", &[right]);
        assert!(!verdict.named_first && verdict.wrong == 1);
    }
}
