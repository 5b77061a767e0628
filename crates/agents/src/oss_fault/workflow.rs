//! The messages of a case: feasibility, diagnosis, judgement, ticket, verification, close.
//!
//! A diagnosis has one task-id from its feasibility negotiation to its judgement. Each result is
//! judged against the topology: a confirmed cause must explain at least half of the sites that
//! are out. Read next: [`super::case`] for the states.

use super::case::{Case, HYPOTHESES_MAX, Phase, VERIFICATIONS_MAX};
use super::post::{Purpose, RESEND_AFTER_S};
use super::{OssFault, Timer};
use crate::cause::Cause;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult};
use crate::payloads::repair::{Repair, RepairResult};
use crate::payloads::verification::{Verification, VerificationResult};
use domain::agent::{Message, Output, Undelivered};
use domain::content::Content;
use domain::inventory::{Domain, ElementId};
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;

/// Seconds between two verifications of service.
const VERIFY_EACH_S: f64 = 60.0;
/// The most alternatives named in a diagnosis.
const ALTERNATIVES_MAX: usize = 4;

impl OssFault {
    pub(super) fn send(&mut self, purpose: Purpose, message: Message) -> Output {
        let token = self.desk.token();
        self.post.sent(token, purpose, message.clone());
        Output::Send { token, message }
    }

    pub(super) fn send_standing(&mut self, to: String, task: TaskId, content: Content) -> Output {
        let domain = self.standing.get(&task).copied().unwrap_or(Domain::Ip);
        let message = message(to, Verb::TaskAssign, task, content, true);
        self.send(Purpose::Standing(domain), message)
    }

    pub(super) fn resend(&mut self, token: Token) -> Vec<Output> {
        let message = self.post.again(token);
        message
            .map(|message| Output::Send { token, message })
            .into_iter()
            .collect()
    }

    pub(super) fn replied(
        &mut self,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        if reply.is_err() && self.post.undelivered(token) {
            return vec![self.wake(Timer::Resend(token), now.plus_s(RESEND_AFTER_S))];
        }
        let Some((purpose, sent)) = self.post.replied(token) else {
            return Vec::new();
        };
        let agreed = matches!(
            reply.as_ref().map(|r| r.verdict),
            Ok(Verdict::Accepted | Verdict::Offered | Verdict::Result)
        );
        match purpose {
            Purpose::Feasibility(case) if agreed => self.assign_diagnosis(case, sent),
            Purpose::Feasibility(case) | Purpose::Diagnosis(case) if !agreed => {
                let why = why_not(&reply);
                let mut outputs = vec![Output::Note(format!("{} declines: {why}", sent.to))];
                if self.case(case).is_some_and(|c| c.holds(&sent.task)) {
                    outputs.extend(self.next_hypothesis(case, now));
                }
                outputs
            }
            Purpose::Ticket(case) if !agreed => {
                let words = format!("The ticket was not taken: {}", why_not(&reply));
                self.escalate(case, words, now)
            }
            Purpose::Verification(case) => self.verified(case, reply.ok().as_ref(), now),
            Purpose::Standing(domain) if !agreed => vec![Output::Note(format!(
                "Incidents of the {} domain are not reported: {}",
                domain.as_str(),
                why_not(&reply)
            ))],
            Purpose::Delegation(origin) if !agreed => self.delegation_declined(&origin, &reply),
            _ => Vec::new(),
        }
    }

    /// Puts the next hypothesis to the test, or gives up.
    pub(super) fn next_hypothesis(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let gone = {
            let evidence = self.events.evidence(now);
            !case
                .explains
                .iter()
                .any(|k| evidence.alarms.contains_key(k))
        };
        let case = case.clone();
        if gone && !case.tried.is_empty() {
            return self.close(number, "its alarms have cleared by themselves", now);
        }
        let untried = self.untried(&case);
        let next = untried.first().cloned();
        let Some(next) = next.filter(|_| case.tried.len() < HYPOTHESES_MAX) else {
            let words = format!("{} hypotheses are refuted", case.tried.len());
            return self.escalate(number, words, now);
        };
        let to = self.diagnoser(&next);
        let task = self.desk.task_id(now);
        self.known.insert(task.clone());
        let phase = Phase::Negotiating(task.clone());
        if let Some(case) = self.case(number) {
            case.tried.insert(next.target.clone());
            case.current = Some(next.clone());
            case.rejected = false;
            case.phase = phase;
        }
        let Some(to) = to else {
            let domain = next.cause.domain().as_str();
            let mut outputs = vec![Output::Note(format!(
                "No agent diagnoses the {domain} domain"
            ))];
            outputs.extend(self.next_hypothesis(number, now));
            return outputs;
        };
        let same_domain = |s: &&crate::payloads::diagnosis::Suspicion| {
            s.cause.domain() == next.cause.domain() && s.target != next.target
        };
        let others = untried.iter().filter(same_domain).take(ALTERNATIVES_MAX);
        let diagnosis = Diagnosis {
            incident_ids: case.incident_ids.clone(),
            suspicion: next.clone(),
            alternatives: others.cloned().collect(),
            sites: case.sites.clone(),
            since: self.since(&case, now),
        };
        let words = format!(
            "Could you diagnose {}? {} of {} is suspected; {} sites are out of service",
            next.target,
            next.cause,
            next.target,
            case.sites.len()
        );
        let content = Content::new(next.target.as_str(), words)
            .with_payload(diagnosis.to_payload())
            .expecting(EXPECTED_OF_DIAGNOSIS);
        let message = message(to, Verb::FeasibilityNegotiate, task, content, true);
        vec![self.send(Purpose::Feasibility(number), message)]
    }

    fn since(&mut self, case: &Case, now: Timestamp) -> Timestamp {
        let evidence = self.events.evidence(now);
        let times = case.explains.iter().filter_map(|k| evidence.alarms.get(k));
        times.min().copied().unwrap_or(case.opened_at)
    }

    fn assign_diagnosis(&mut self, number: u64, sent: Message) -> Vec<Output> {
        let Some(case) = self.case(number).filter(|c| c.holds(&sent.task)) else {
            return Vec::new();
        };
        case.phase = Phase::Diagnosing(sent.task.clone());
        let mut content = sent.content;
        if let Some(current) = &case.current {
            content.task_description = format!(
                "Diagnose {}: is it a {}? Measure it and what is around it",
                current.target, current.cause
            );
        }
        let message = message(sent.to, Verb::TaskAssign, sent.task, content, true);
        vec![self.send(Purpose::Diagnosis(number), message)]
    }

    pub(super) fn case_notified(&mut self, news: &Notification, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.holds(&news.task)) else {
            return self.adopt(news, now);
        };
        let number = case.number;
        let failed = matches!(
            news.status,
            Status::Failed | Status::Rejected | Status::Cancelled | Status::Unconfirmed
        );
        match (&case.phase, news.status) {
            (Phase::Diagnosing(_), Status::InputRequired | Status::Finished) => {
                match DiagnosisResult::in_content(&news.content) {
                    Some(result) => self.judge(number, news, result, now),
                    None => Vec::new(),
                }
            }
            (Phase::Diagnosing(_), _) if failed => self.next_hypothesis(number, now),
            (Phase::Repairing(_), Status::InputRequired | Status::Finished) => {
                match RepairResult::in_content(&news.content) {
                    Some(result) => self.repaired(number, news, &result, now),
                    None => Vec::new(),
                }
            }
            (Phase::Repairing(_) | Phase::Verifying(_), _) if failed => {
                let words = format!(
                    "the ticket is {}: {}",
                    news.status, news.content.task_description
                );
                self.escalate(number, words, now)
            }
            _ => Vec::new(),
        }
    }

    /// Judges a diagnosis: accept and go on, or reject and have the alternatives looked at.
    fn judge(
        &mut self,
        number: u64,
        news: &Notification,
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
        let (rejected, root_known) = (case.rejected, doubt.is_none());
        if let (true, Some((element, cause))) = (root_known, root) {
            let mut outputs = vec![self.judgement(news, "accept")];
            outputs.extend(self.located(number, element, cause, &result, now));
            return outputs;
        }
        let alternatives = self.alternatives_asked(number);
        let doubt = doubt.unwrap_or_default();
        if !rejected && !alternatives.is_empty() && news.status == Status::InputRequired {
            if let Some(case) = self.case(number) {
                case.rejected = true;
                case.tried.extend(alternatives.iter().cloned());
            }
            let named: Vec<&str> = alternatives.iter().map(ElementId::as_str).collect();
            let words = format!("reject: {doubt}; look at {} as well", named.join(", "));
            return vec![self.judgement(news, &words)];
        }
        // Nothing found is a proper answer too: the hypothesis is refuted and the task is done.
        let mut outputs = vec![self.judgement(news, "accept")];
        outputs.push(Output::Note(format!(
            "Case {number}: the suspicion of {} is refuted, {doubt}",
            result.target
        )));
        outputs.extend(self.next_hypothesis(number, now));
        outputs
    }

    /// Why a confirmed cause is not believed: it does not exist, cannot fail so, or is not what
    /// took out the sites of this case.
    fn doubt(&self, case: &Case, element: &ElementId, cause: Cause) -> Option<String> {
        let Some(candidate) = self.correlator.of_element(element) else {
            return Some(format!("the inventory has no element {element}"));
        };
        if candidate.cause != Some(cause) {
            return Some(format!("{element} cannot have a {cause}"));
        }
        let explained = case.sites.intersection(&candidate.sites).count();
        (2 * explained < case.sites.len()).then(|| {
            format!(
                "{element} explains {explained} of {} sites out of service only",
                case.sites.len()
            )
        })
    }

    /// The alternatives named in the diagnosis under way that have not been tried.
    fn alternatives_asked(&self, number: u64) -> Vec<ElementId> {
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

    fn judgement(&mut self, news: &Notification, verdict: &str) -> Output {
        let content = Content::new(
            news.content.target_object.as_str(),
            "Judgement of the result",
        )
        .with_result(verdict);
        let to = news.from.clone();
        let message = message(
            to,
            Verb::FulfillmentNegotiate,
            news.task.clone(),
            content,
            true,
        );
        self.send(Purpose::Word, message)
    }

    /// The cause is known: a ticket, unless the domain mends it or another case has it.
    fn located(
        &mut self,
        number: u64,
        element: ElementId,
        cause: Cause,
        result: &DiagnosisResult,
        now: Timestamp,
    ) -> Vec<Output> {
        let twin = self.cases.iter().find(|c| {
            let same = c.root.as_ref().is_some_and(|(e, _)| *e == element);
            c.number != number && c.is_open() && same
        });
        if let Some(twin) = twin.map(|c| c.number) {
            return self.close(number, &format!("it is case {twin}"), now);
        }
        let affected = match self.correlator.of_element(&element) {
            Some(candidate) => candidate.sites.clone(),
            None => BTreeSet::new(),
        };
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.root = Some((element.clone(), cause));
        case.affected = affected.clone();
        let mut outputs = vec![Output::Note(format!(
            "Case {number}: {cause} of {element}, {}",
            result.location
        ))];
        if result.automatic {
            outputs.extend(self.verify(number, now));
            return outputs;
        }
        let Some(to) = self.desk.colleague(Repair::ID, Layer::Service, None) else {
            outputs.extend(self.escalate(number, "nobody takes tickets".to_owned(), now));
            return outputs;
        };
        let task = self.desk.task_id(now);
        self.known.insert(task.clone());
        if let Some(case) = self.case(number) {
            case.phase = Phase::Repairing(task.clone());
        }
        let repair = Repair {
            ticket_id: format!("TT-{task}"),
            element: element.clone(),
            cause,
            place: result.location.clone(),
            affected_sites: affected,
            proposal: result.proposal.clone(),
            evidence: result.evidence.clone(),
        };
        let words = format!("{} ({cause} of {element})", result.proposal);
        let content = Content::new(element.as_str(), words)
            .with_payload(repair.to_payload())
            .expecting("service restored at all affected sites");
        let message = message(to, Verb::TaskAssign, task, content, true);
        outputs.push(self.send(Purpose::Ticket(number), message));
        // What the confirmed cause leaves unexplained may be another fault.
        outputs.extend(self.weigh_soon(now));
        outputs
    }

    fn repaired(
        &mut self,
        number: u64,
        news: &Notification,
        result: &RepairResult,
        now: Timestamp,
    ) -> Vec<Output> {
        if result.repaired {
            if let Some(case) = self.case(number) {
                case.phase = Phase::Verifying(news.task.clone());
                case.verifications = 0;
            }
            return self.verify(number, now);
        }
        // Nothing was broken there: the ticket is void and the next hypothesis has its turn.
        let mut outputs = vec![Output::Note(format!(
            "Case {number}: nothing is broken at {}: {}",
            result.element, result.finding
        ))];
        let content = Content::new(result.element.as_str(), "The cause lies elsewhere");
        let cancel = message(
            news.from.clone(),
            Verb::TaskCancel,
            news.task.clone(),
            content,
            true,
        );
        outputs.push(self.send(Purpose::Word, cancel));
        if let Some(case) = self.case(number) {
            let root = case.root.take();
            case.tried.extend(root.map(|(element, _)| element));
        }
        outputs.extend(self.next_hypothesis(number, now));
        outputs
    }

    /// Asks the wireless domain whether the affected sites are back.
    pub(super) fn verify(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let found = self
            .desk
            .colleague(Verification::ID, Layer::Resource, Some(Domain::Wireless));
        let task = self.desk.task_id(now);
        let Some(case) = self
            .cases
            .iter_mut()
            .find(|c| c.number == number && c.is_open())
        else {
            return Vec::new();
        };
        let Some(to) = found else {
            return self.close(
                number,
                "no agent verifies service; the repair is believed",
                now,
            );
        };
        case.verifications += 1;
        let sites = case.affected.clone();
        let words = format!("Are these {} sites in service again?", sites.len());
        let content =
            Content::new("sites", words).with_payload(Verification { sites }.to_payload());
        let message = message(to, Verb::TaskAssign, task, content, false);
        vec![self.send(Purpose::Verification(number), message)]
    }

    fn verified(&mut self, number: u64, reply: Option<&Reply>, now: Timestamp) -> Vec<Output> {
        let result = reply.and_then(|r| r.content.iter().find_map(VerificationResult::in_content));
        let Some(case) = self
            .cases
            .iter_mut()
            .find(|c| c.number == number && c.is_open())
        else {
            return Vec::new();
        };
        if result.as_ref().is_some_and(|r| r.still_out.is_empty()) {
            let words = format!("service is back at {} sites", case.affected.len());
            return self.close(number, &words, now);
        }
        if case.verifications < VERIFICATIONS_MAX {
            return vec![self.wake(Timer::Verify(number), now.plus_s(VERIFY_EACH_S))];
        }
        let out = result.map_or(case.affected.len(), |r| r.still_out.len());
        let words = format!("{out} sites are still out of service");
        if case.repair_rejected {
            return self.escalate(number, words, now);
        }
        case.repair_rejected = true;
        let Phase::Verifying(task) = case.phase.clone() else {
            return self.escalate(number, words, now);
        };
        case.phase = Phase::Repairing(task.clone());
        vec![self.ticket_judgement(task, &format!("reject: {words}"))]
    }

    fn ticket_judgement(&mut self, task: TaskId, verdict: &str) -> Output {
        let to = self.desk.colleague(Repair::ID, Layer::Service, None);
        let content = Content::new("ticket", "Judgement of the repair").with_result(verdict);
        let message = message(
            to.unwrap_or_default(),
            Verb::FulfillmentNegotiate,
            task,
            content,
            true,
        );
        self.send(Purpose::Word, message)
    }

    fn close(&mut self, number: u64, why: &str, now: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        let Some(case) = self.case(number) else {
            return outputs;
        };
        let phase = std::mem::replace(&mut case.phase, Phase::Closed);
        case.end(Phase::Closed, now);
        if let Phase::Verifying(task) = phase {
            outputs.push(self.ticket_judgement(task, "accept"));
        }
        outputs.push(Output::Note(format!("Case {number} is closed: {why}")));
        outputs
    }

    fn escalate(&mut self, number: u64, why: String, now: Timestamp) -> Vec<Output> {
        if let Some(case) = self.case(number) {
            case.end(Phase::Escalated, now);
        }
        vec![Output::Note(format!("Case {number} needs people: {why}"))]
    }

    /// A result that waits for judgement but belongs to no case here is from before a restart:
    /// its case is opened again from what the result says.
    fn adopt(&mut self, news: &Notification, now: Timestamp) -> Vec<Output> {
        if news.status != Status::InputRequired || !self.known.insert(news.task.clone()) {
            return Vec::new();
        }
        let diagnosis = DiagnosisResult::in_content(&news.content);
        let repair = RepairResult::in_content(&news.content);
        if diagnosis.is_none() && repair.is_none() {
            return Vec::new();
        }
        self.opened += 1;
        let mut case = Case::new(self.opened, now);
        let number = case.number;
        let mut outputs = vec![Output::Note(format!(
            "Case {number} goes on from task {} of before the restart",
            news.task
        ))];
        if let Some(result) = diagnosis {
            case.phase = Phase::Diagnosing(news.task.clone());
            self.cases.push(case);
            outputs.extend(self.judge(number, news, result, now));
        } else if let Some(result) = repair {
            let candidate = self.correlator.of_element(&result.element);
            if let Some((candidate, cause)) = candidate.and_then(|c| Some((c, c.cause?))) {
                case.root = Some((result.element.clone(), cause));
                case.affected = candidate.sites.clone();
            }
            case.phase = Phase::Repairing(news.task.clone());
            self.cases.push(case);
            outputs.extend(self.repaired(number, news, &result, now));
        }
        outputs
    }
}

const EXPECTED_OF_DIAGNOSIS: &str =
    "the root cause confirmed or excluded, with readings, place and proposal";

pub(super) fn message(
    to: String,
    verb: Verb,
    task: TaskId,
    content: Content,
    asynchronous: bool,
) -> Message {
    Message {
        to,
        verb,
        task,
        content,
        asynchronous,
        round: 1,
    }
}

pub(super) fn why_not(reply: &Result<Reply, Undelivered>) -> String {
    match reply {
        Err(undelivered) => format!("{}: {}", undelivered.tag, undelivered.message),
        Ok(reply) => {
            let reasons: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
            match reasons.is_empty() {
                true => reply.verdict.as_str().to_owned(),
                false => reasons.join("; "),
            }
        }
    }
}
