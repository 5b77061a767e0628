//! The test of a hypothesis: who is asked whether they can diagnose it, what is offered instead, and
//! what is assigned.
//!
//! Knows which suspicions are left; refuses to know what a diagnosis says. Read next: `judgement.rs`,
//! [`super::workflow`].

use super::OssFault;
use super::case::{FaultCase, HYPOTHESES_MAX, Phase};
use super::post::Purpose;
use crate::answers::with_points;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, Suspicion};
use crate::wording::counted;
use domain::agent::{Message, Output};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::profile::Layer;
use domain::reply::Reply;
use domain::time::Timestamp;
use domain::verb::Verb;

/// The most alternatives named in a diagnosis.
const ALTERNATIVES_MAX: usize = 4;

const EXPECTED_OF_DIAGNOSIS: &str =
    "the root cause confirmed or excluded, with readings, place and proposal";

impl OssFault {
    pub(super) fn declined(
        &mut self,
        case: u64,
        sent: &Message,
        why: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        let mut outputs = vec![Output::Note(format!("{} declines: {why}", sent.to))];
        if self.case(case).is_some_and(|c| c.holds(&sent.task)) {
            outputs.extend(self.ask_feasibility(case, now));
        }
        outputs
    }

    /// Puts the next hypothesis to the test, or gives up.
    pub(super) fn next_hypothesis(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let gone = {
            let evidence = self.events.evidence(now);
            let stands = |k| evidence.noticed(k).is_some();
            !case.explains.iter().any(stands)
        };
        let tried = case.tried.len();
        if gone && tried > 0 {
            self.unlearn(number);
            return self.close(number, "its alarms have cleared by themselves", now);
        }
        let untried = self.untried(case);
        let Some(next) = untried
            .into_iter()
            .next()
            .filter(|_| tried < HYPOTHESES_MAX)
        else {
            self.unlearn(number);
            return self.escalate(number, format!("{tried} hypotheses are refuted"), now);
        };
        self.suspect(number, next);
        self.ask_feasibility(number, now)
    }

    /// Sets what the case is held to be from now on.
    fn suspect(&mut self, number: u64, suspicion: Suspicion) {
        if let Some(case) = self.case(number) {
            case.tried.insert(suspicion.target.clone());
            case.current = Some(suspicion);
            case.asked.clear();
            case.rejected = false;
        }
    }

    /// Asks the next agent that could diagnose what is suspected; without one, another hypothesis
    /// has its turn.
    pub(super) fn ask_feasibility(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Some(current) = case.current.clone() else {
            return Vec::new();
        };
        let domain = current.cause.domain();
        let next = {
            let layer = Layer::Resource;
            let mut able = self.context.colleagues(Diagnosis::ID, layer, Some(domain));
            let next = able.find(|name| !case.asked.contains(*name));
            next.map(str::to_owned)
        };
        let Some(to) = next else {
            let mut outputs = Vec::new();
            if case.asked.is_empty() {
                let words = format!("No agent diagnoses the {} domain", domain.as_str());
                outputs.push(Output::Note(words));
            }
            outputs.extend(self.next_hypothesis(number, now));
            return outputs;
        };
        let content = self.diagnosis_of(number, &current, now);
        let task = self.task_about("diagnosis", current.target.as_str());
        if let Some(case) = self.case(number) {
            case.asked.insert(to.clone());
            case.take_up(Phase::Negotiating(task.clone()), &to);
        }
        let message = Message::new(to, Verb::FeasibilityNegotiate, task, content);
        vec![self.send(Purpose::Feasibility(number), message)]
    }

    /// The order to diagnose a suspicion of a case.
    fn diagnosis_of(&mut self, number: u64, suspicion: &Suspicion, now: Timestamp) -> Content {
        let Some(case) = self.cases.iter().find(|c| c.number == number).cloned() else {
            return Content::default();
        };
        let Suspicion { target, cause } = suspicion;
        let same_domain = |s: &Suspicion| s.cause.domain() == cause.domain() && s.target != *target;
        let others = self.untried(&case).into_iter().filter(same_domain);
        let diagnosis = Diagnosis {
            suspicion: suspicion.clone(),
            alternatives: others.take(ALTERNATIVES_MAX).collect(),
            sites: case.sites.clone(),
            since: Some(self.since(&case, now)),
            incident_ids: case.incident_ids,
        };
        let words = format!(
            "Diagnose {target}: is it a {cause}? {} out of service; measure it and what \
             is around it",
            counted(case.sites.len(), "site is", "sites are")
        );
        Content::new(target.as_str(), words)
            .with_payload(diagnosis.to_payload())
            .expecting(EXPECTED_OF_DIAGNOSIS)
    }

    fn since(&mut self, case: &FaultCase, now: Timestamp) -> Timestamp {
        let evidence = self.events.evidence(now);
        let times = case.explains.iter().filter_map(|k| evidence.noticed(k));
        times.min().unwrap_or(case.opened_at)
    }

    /// Something else is offered than was asked for: the first alternative that the case could be
    /// is taken; or else what the agent might rather do is proposed; or else it is refused.
    pub(super) fn choose(
        &mut self,
        number: u64,
        sent: Message,
        offer: &Reply,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        if !case.holds(&sent.task) {
            return Vec::new();
        }
        let offered = |c: &Content| Diagnosis::in_content(c).map(|d| d.suspicion);
        let worth = |s: &Suspicion| {
            !case.tried.contains(&s.target) && self.doubt(case, &s.target, s.cause).is_none()
        };
        let mut alternatives = offer.content.iter().map(offered).enumerate();
        let chosen = alternatives.find_map(|(i, s)| Some((i, s.filter(worth)?)));
        let same_domain = |s: &Suspicion| {
            let current = case.current.as_ref();
            current.is_some_and(|c| c.cause.domain() == s.cause.domain())
        };
        let other = self.untried(case).into_iter().find(same_domain);
        let next_round = Message {
            round: sent.round + 1,
            ..sent.clone()
        };
        match (chosen, other) {
            (Some((i, suspicion)), _) => {
                let words = format!("Alternative {}: {}", i + 1, suspicion.target);
                let target = sent.content.target_object.clone();
                let content = Content::new(target, words).with_result(format!("accept {}", i + 1));
                let mut agreed = offer.content[i].clone();
                agreed.expected_response = Some(EXPECTED_OF_DIAGNOSIS.to_owned());
                self.suspect(number, suspicion);
                let purpose = Purpose::Agreement(number, Box::new(agreed));
                let message = Message {
                    content,
                    ..next_round
                };
                vec![self.send(purpose, message)]
            }
            (None, Some(other)) if sent.round == 1 => {
                self.suspect(number, other.clone());
                if let Some(case) = self.case(number) {
                    case.asked.insert(sent.to);
                }
                let content = self.diagnosis_of(number, &other, now);
                let message = Message {
                    content,
                    ..next_round
                };
                vec![self.send(Purpose::Feasibility(number), message)]
            }
            _ => {
                let points = ["nothing of it could have caused what is seen".to_owned()];
                let content = Content::new(sent.content.target_object.clone(), "No alternative")
                    .with_result(with_points("refuse", &points));
                let message = Message {
                    content,
                    ..next_round
                };
                let mut outputs = vec![self.send(Purpose::Word, message)];
                outputs.extend(self.declined(number, &sent, &points[0], now));
                outputs
            }
        }
    }

    /// Assigns what was agreed on.
    pub(super) fn assign(&mut self, number: u64, agreed: Message) -> Vec<Output> {
        let Some(case) = self.case(number).filter(|c| c.holds(&agreed.task)) else {
            return Vec::new();
        };
        case.take_up(Phase::Diagnosing(agreed.task.clone()), &agreed.to);
        let message = Message::new(agreed.to, Verb::TaskAssign, agreed.task, agreed.content);
        vec![self.send(Purpose::Diagnosis(number), message)]
    }

    /// The alternatives named in the diagnosis under way that have not been tried.
    pub(super) fn alternatives_asked(&self, number: u64) -> Vec<ElementId> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Some(current) = &case.current else {
            return Vec::new();
        };
        let untried = self.untried(case);
        let same = untried
            .into_iter()
            .filter(|s| s.cause.domain() == current.cause.domain());
        same.take(ALTERNATIVES_MAX).map(|s| s.target).collect()
    }
}
