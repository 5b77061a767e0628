//! The messages of a case from its located cause to its close: ticket, decision, verification.
//!
//! How the ticket is worked is agreed on before anybody goes, where its executor negotiates that;
//! the repair is accepted when service is back at every affected site, or, where none was out, when the alarms
//! that its cause has raised are gone. Read next: [`super::case`].

use super::case::{FaultCase, Phase, VERIFICATIONS_MAX};
use super::masked::VERIFY_EACH_S;
use super::news::News;
use super::post::Purpose;
use super::{OssFault, Timer};
use crate::answers::with_points;
use crate::payloads::Schema;
use crate::payloads::diagnosis::DiagnosisResult;
use crate::payloads::repair::{Repair, RepairDecision, RepairResult};
use crate::payloads::verification::{VerificationOrder, VerificationResult};
use crate::wording::counted;
use domain::agent::{Message, Output};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::{Domain, ElementId};
use domain::profile::Layer;
use domain::reply::Reply;
use domain::task::{Awaits, Conditions, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;

impl OssFault {
    /// The cause is known: a ticket, unless the domain mends it or another case has it.
    pub(super) fn located(
        &mut self,
        number: u64,
        element: ElementId,
        cause: Cause,
        result: DiagnosisResult,
        now: Timestamp,
    ) -> Vec<Output> {
        let twin = self.cases.iter().find(|c| {
            let same = c.root.as_ref().is_some_and(|(e, _)| *e == element);
            c.number != number && c.is_open() && same
        });
        if let Some(twin) = twin.map(|c| c.number) {
            return self.close(number, &format!("it is case {twin}"), now);
        }
        let candidate = self.correlator.of_element(&element);
        let affected = candidate.map_or_else(BTreeSet::new, |c| c.sites.clone());
        let (place, automatic) = (result.location.clone(), result.automatic);
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.root = Some((element.clone(), cause));
        case.affected = affected;
        case.finding = Some(result);
        let words = format!("Case {number}: {cause} of {element}, {place}");
        let mut outputs = vec![Output::Note(words)];
        if automatic {
            outputs.extend(self.verify(number, now));
            return outputs;
        }
        outputs.extend(self.open_ticket(number, now));
        // What the confirmed cause leaves unexplained may be another fault.
        outputs.extend(self.weigh_soon(now));
        outputs
    }

    /// Assigns the repair of what a case has located.
    pub(super) fn open_ticket(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(FaultCase {
            root: Some((element, cause)),
            finding: Some(finding),
            affected,
            ..
        }) = self.cases.iter().find(|c| c.number == number).cloned()
        else {
            return Vec::new();
        };
        let Some(to) = self.context.colleague(Repair::ID, Layer::Service, None) else {
            return self.escalate(number, "nobody takes tickets".to_owned(), now);
        };
        let task = self.task_about("repair", element.as_str());
        if let Some(case) = self.case(number) {
            case.take_up(Phase::Repairing(task.clone()), &to);
        }
        let words = format!("{} ({cause} of {element})", finding.proposal);
        let repair = Repair {
            ticket_id: format!("TT-{task}"),
            element: element.clone(),
            cause,
            place: finding.location,
            affected_sites: affected,
            proposal: finding.proposal,
            evidence: finding.evidence,
        };
        let content = Content::new(element.as_str(), words)
            .with_payload(repair.to_payload())
            .expecting("service restored at all affected sites");
        let conditions = Conditions {
            fulfillment_demanded: self.context.negotiates_fulfillment(&to),
            ..Conditions::default()
        };
        let message = Message {
            conditions,
            ..Message::new(to, Verb::TaskAssign, task, content)
        };
        vec![self.send(Purpose::Ticket(number), message)]
    }

    /// The word on what an executor means to do: agreed, or every point that is wrong.
    pub(super) fn decide(&mut self, number: u64, news: &News) -> Output {
        let case = self.cases.iter().find(|c| c.number == number);
        let root = case.and_then(|c| c.root.as_ref());
        let wrong = root.map_or_else(Vec::new, |(element, cause)| {
            wrong_with(&news.content, element, *cause)
        });
        let verdict = match wrong.is_empty() {
            true => "accept".to_owned(),
            false => with_points("reject", &wrong),
        };
        let target = news.content.target_object.as_str();
        let content = Content::new(target, "Word on the decision").with_result(verdict);
        let content = content.in_reply_to(Awaits::Decision);
        let verb = Verb::FulfillmentNegotiate;
        let message = Message::new(news.from.clone(), verb, news.task.clone(), content);
        self.send(Purpose::Word, message)
    }

    /// The executor is done: service is verified, or the next hypothesis has its turn.
    pub(super) fn repaired(&mut self, number: u64, news: &News, now: Timestamp) -> Vec<Output> {
        let Some(result) = RepairResult::in_content(&news.content) else {
            let points = [format!("the result is no {}", RepairResult::ID)];
            return self.judgement(news, &with_points("reject", &points));
        };
        if result.repaired {
            if let Some(case) = self.case(number) {
                case.phase = Phase::Verifying(news.task.clone());
                case.verifications = 0;
                case.repaired_at = Some(now);
            }
            return self.verify(number, now);
        }
        // Nothing was broken there: the ticket is void.
        let words = format!(
            "nothing is broken at {}: {}",
            result.element, result.finding
        );
        let mut outputs = vec![Output::Note(format!("Case {number}: {words}"))];
        outputs.push(self.cancel(news, "The cause lies elsewhere"));
        if let Some(case) = self.case(number) {
            case.finding = None;
            let root = case.root.take();
            case.tried.extend(root.map(|(element, _)| element));
        }
        outputs.extend(self.next_hypothesis(number, now));
        outputs
    }

    /// Asks the wireless domain whether the affected sites are back.
    pub(super) fn verify(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let found = self.context.colleague(
            VerificationOrder::ID,
            Layer::Resource,
            Some(Domain::Wireless),
        );
        let task = self.context.task_id(now);
        let Some(case) = self.case(number).filter(|c| c.is_open()) else {
            return Vec::new();
        };
        let sites = case.affected.clone();
        if sites.is_empty() {
            return self.verify_by_alarms(number, now);
        }
        case.verifications += 1;
        let Some(to) = found else {
            let words = "no agent verifies service; the repair is believed";
            return self.close(number, words, now);
        };
        let words = match sites.len() {
            1 => "Is this site in service again?".to_owned(),
            n => format!("Are these {n} sites in service again?"),
        };
        let content =
            Content::new("sites", words).with_payload(VerificationOrder { sites }.to_payload());
        let message = Message {
            asynchronous: false,
            ..Message::new(to, Verb::TaskAssign, task, content)
        };
        vec![self.send(Purpose::Verification(number), message)]
    }

    pub(super) fn verified(
        &mut self,
        number: u64,
        reply: Option<&Reply>,
        now: Timestamp,
    ) -> Vec<Output> {
        let result = reply.and_then(|r| r.content.iter().find_map(VerificationResult::in_content));
        let Some(case) = self.case(number).filter(|c| c.is_open()) else {
            return Vec::new();
        };
        let affected = case.affected.clone();
        if result.as_ref().is_some_and(|r| r.still_out.is_empty()) {
            let words = format!(
                "service is back at {}",
                counted(affected.len(), "site", "sites")
            );
            return self.close(number, &words, now);
        }
        let verifications = case.verifications;
        if let Some(result) = &result
            && let Some(outputs) = self.unmask(number, &result.still_out, now)
        {
            return outputs;
        }
        if verifications < VERIFICATIONS_MAX {
            return vec![self.wake(Timer::Verify(number), now.plus_s(VERIFY_EACH_S))];
        }
        let out = result.map_or(affected, |r| r.still_out);
        let words = format!(
            "{} still out of service",
            counted(out.len(), "site is", "sites are")
        );
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        let rejected = std::mem::replace(&mut case.repair_rejected, true);
        match case.phase.clone() {
            Phase::Verifying(task) if !rejected => {
                case.phase = Phase::Repairing(task.clone());
                let points: Vec<String> = out
                    .iter()
                    .map(|site| format!("{site} is still out of service"))
                    .collect();
                vec![self.ticket_judgement(number, task, &with_points("reject", &points))]
            }
            _ => self.escalate(number, words, now),
        }
    }

    fn ticket_judgement(&mut self, number: u64, task: TaskId, verdict: &str) -> Output {
        let to = self.case(number).map(|c| c.executor.clone());
        let content = Content::new("ticket", "Judgement of the repair").with_result(verdict);
        let content = content.in_reply_to(Awaits::Judgement);
        let verb = Verb::FulfillmentNegotiate;
        let message = Message::new(to.unwrap_or_default(), verb, task, content);
        self.send(Purpose::Word, message)
    }

    pub(super) fn close(&mut self, number: u64, why: &str, now: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        let Some(case) = self.case(number) else {
            return outputs;
        };
        let phase = std::mem::replace(&mut case.phase, Phase::Closed);
        case.end(Phase::Closed, now);
        if let Phase::Verifying(task) = phase {
            outputs.push(self.ticket_judgement(number, task, "accept"));
        }
        outputs.push(Output::Note(format!("Case {number} is closed: {why}")));
        outputs.extend(self.withdraw(number, why));
        outputs
    }

    /// A result that waits for judgement but belongs to no case here is from before a restart:
    /// its case is opened again from what the result says.
    pub(super) fn adopt(&mut self, news: &News, now: Timestamp) -> Vec<Output> {
        if news.awaits != Some(Awaits::Judgement) || !self.known.insert(news.task.clone()) {
            return Vec::new();
        }
        let repair = RepairResult::in_content(&news.content);
        if repair.is_none() && DiagnosisResult::in_content(&news.content).is_none() {
            return Vec::new();
        }
        self.opened += 1;
        let number = self.opened;
        let mut case = FaultCase::new(number, now);
        let phase = match repair {
            None => Phase::Diagnosing(news.task.clone()),
            Some(result) => {
                let candidate = self.correlator.of_element(&result.element);
                if let Some((candidate, cause)) = candidate.and_then(|c| Some((c, c.cause?))) {
                    case.root = Some((result.element, cause));
                    case.affected = candidate.sites.clone();
                }
                Phase::Repairing(news.task.clone())
            }
        };
        case.take_up(phase, &news.from);
        self.cases.push(case);
        let words = format!(
            "Case {number} goes on from task {} of before the restart",
            news.task
        );
        let mut outputs = vec![Output::Note(words)];
        outputs.extend(self.case_notified(news, now));
        outputs
    }
}

/// The fault in a decision about the repair of an element.
fn wrong_with(decision: &Content, element: &ElementId, cause: Cause) -> Vec<String> {
    let Some(decision) = RepairDecision::in_content(decision) else {
        return vec![format!("the decision is no {}", RepairDecision::ID)];
    };
    let replaces = matches!(
        cause,
        Cause::CardFailure | Cause::RouterFailure | Cause::OpticalModuleAgeing
    );
    let points = [
        (
            decision.element != *element,
            format!("{element} is broken, not {}", decision.element),
        ),
        (decision.crew.is_empty(), "nobody is sent".to_owned()),
        (
            replaces && decision.spares.is_empty(),
            format!("nothing is taken along to replace in {element}"),
        ),
        (
            decision.order_of_work.is_empty(),
            "no order of work is given".to_owned(),
        ),
    ];
    let wrong = points.into_iter().filter(|(is_wrong, _)| *is_wrong);
    wrong.map(|(_, point)| point).collect()
}
