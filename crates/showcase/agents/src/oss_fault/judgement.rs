//! The judgement of a diagnosis: against what was expected, and against the topology.
//!
//! A confirmed cause must explain at least half of the sites that are out; or it is measured broken and has an
//! alarm of its own in the case, and nothing else is left that would explain them: then the documents are wrong,
//! not the instruments. Every verdict tells how far
//! the types of the case's alarms are to be trusted. Refuses to know who
//! diagnoses. Read next: `hypothesis.rs`, which a refuted one leads back to.

use super::OssFault;
use super::case::FaultCase;
use super::news::News;
use super::post::Purpose;
use crate::alarms::AlarmKey;
use crate::answers::with_points;
use crate::payloads::Schema;
use crate::payloads::diagnosis::DiagnosisResult;
use crate::wording::counted;
use domain::agent::{Message, Output};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::task::Awaits;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;

impl OssFault {
    /// A result that is none: nothing can be judged, so another agent has its turn.
    pub(super) fn unreadable(&mut self, number: u64, news: &News, now: Timestamp) -> Vec<Output> {
        let points = [format!("the result is no {}", DiagnosisResult::ID)];
        let mut outputs = self.judgement(news, &with_points("reject", &points));
        outputs.push(self.cancel(news, "The result cannot be read"));
        outputs.extend(self.ask_feasibility(number, now));
        outputs
    }

    /// Judges a diagnosis: accept and go on, or reject and have the alternatives looked at.
    pub(super) fn judge(
        &mut self,
        number: u64,
        news: &News,
        result: DiagnosisResult,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let root = result.root_cause.clone().zip(result.cause);
        let root = root.filter(|_| result.confirmed);
        let doubt = match &root {
            Some((element, cause)) => self.doubt(case, element, *cause),
            None => Some("no cause is confirmed".to_owned()),
        };
        let mut unmet: Vec<String> = doubt.iter().cloned().collect();
        unmet.extend(gaps(&result));
        let rejected = case.rejected;
        let alternatives = self.alternatives_asked(number);
        let more_to_say = match doubt {
            Some(_) => !alternatives.is_empty(),
            None => !unmet.is_empty(),
        };
        if !rejected && more_to_say && news.awaits == Some(Awaits::Judgement) {
            let further = alternatives.iter().filter(|_| doubt.is_some());
            unmet.extend(further.clone().map(|a| format!("look at {a} as well")));
            if let Some(case) = self.case(number) {
                case.rejected = true;
                case.tried.extend(further.cloned());
            }
            return self.judgement(news, &with_points("reject", &unmet));
        }
        let mut outputs = self.judgement(news, "accept");
        if let (None, Some((element, _))) = (&doubt, &root) {
            self.learn(number, element);
        }
        if let (None, Some((element, cause))) = (&doubt, root) {
            outputs.extend(self.located(number, element, cause, result, now));
            return outputs;
        }
        // Nothing found is a proper answer too: the hypothesis is refuted and the task is done.
        outputs.push(Output::Note(format!(
            "Case {number}: the suspicion of {} is refuted, {}",
            result.target,
            doubt.unwrap_or_default()
        )));
        outputs.extend(self.next_hypothesis(number, now));
        outputs
    }

    /// The reason why a confirmed cause is not believed: it does not exist, cannot fail so, or is
    /// not what took out the sites of this case.
    pub(super) fn doubt(
        &self,
        case: &FaultCase,
        element: &ElementId,
        cause: Cause,
    ) -> Option<String> {
        let Some(candidate) = self.correlator.of_element(element) else {
            return Some(format!("the inventory has no element {element}"));
        };
        let inventory = self.correlator.inventory();
        let kind = inventory.element(element).map(|e| e.kind);
        if candidate.cause.is_none() || kind != Some(cause.strikes()) {
            return Some(format!("{element} cannot have a {cause}"));
        }
        let explained = case.sites.intersection(&candidate.sites).count();
        let has_own_alarm = case.explains.iter().any(|(e, _)| e == element);
        if has_own_alarm && !self.may_be_explained_otherwise(case, element) {
            return None;
        }
        (2 * explained < case.sites.len()).then(|| {
            format!(
                "{element} explains {explained} of {} out of service only",
                counted(case.sites.len(), "site", "sites")
            )
        })
    }

    /// True while something else is suspected, and untried, that explains at least half of the sites.
    fn may_be_explained_otherwise(&self, case: &FaultCase, element: &ElementId) -> bool {
        let mut untried = self.untried(case).into_iter();
        untried.any(|s| {
            let sites = self.correlator.of_element(&s.target).map(|c| &c.sites);
            let explained = sites.map_or(0, |sites| case.sites.intersection(sites).count());
            s.target != *element && 2 * explained >= case.sites.len()
        })
    }

    /// The alarms of a case that follow from its confirmed cause spoke true.
    fn learn(&mut self, number: u64, root: &ElementId) {
        let case = self.cases.iter().find(|c| c.number == number);
        let candidate = self.correlator.of_element(root);
        let Some((case, candidate)) = case.zip(candidate) else {
            return;
        };
        let expected: BTreeSet<&AlarmKey> = self.correlator.expected(candidate).collect();
        let ours = case.explains.iter().filter(|key| expected.contains(key));
        let types: BTreeSet<AlarmType> = ours.map(|(_, t)| *t).collect();
        self.correlator.found(types, true);
    }

    /// Every suspicion of a case was refuted: its alarms spoke of nothing.
    pub(super) fn unlearn(&mut self, number: u64) {
        let case = self.cases.iter().find(|c| c.number == number);
        let Some(case) = case.filter(|c| c.root.is_none()) else {
            return;
        };
        let types: BTreeSet<AlarmType> = case.explains.iter().map(|(_, t)| *t).collect();
        self.correlator.found(types, false);
    }

    /// The word on a result, if one is waited for.
    pub(super) fn judgement(&mut self, news: &News, verdict: &str) -> Vec<Output> {
        if news.awaits != Some(Awaits::Judgement) {
            return Vec::new();
        }
        let target = news.content.target_object.as_str();
        let content = Content::new(target, "Judgement of the result").with_result(verdict);
        let content = content.in_reply_to(Awaits::Judgement);
        let verb = Verb::FulfillmentNegotiate;
        let message = Message::new(news.from.clone(), verb, news.task.clone(), content);
        vec![self.send(Purpose::Word, message)]
    }
}

/// The parts that a confirmed result lacks of what was expected.
fn gaps(result: &DiagnosisResult) -> Vec<String> {
    let lacks = [
        ("no readings are given", result.evidence.is_empty()),
        ("no place is given", result.location.is_empty()),
        ("nothing is proposed", result.proposal.is_empty()),
    ];
    let lacking = lacks
        .into_iter()
        .filter(|(_, lacks)| *lacks && result.confirmed);
    lacking.map(|(what, _)| what.to_owned()).collect()
}
