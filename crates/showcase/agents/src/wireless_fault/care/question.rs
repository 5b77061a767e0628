//! The conversation with the IP domain's agent: is the way to the site all right?
//!
//! Knows what is asked, what is agreed to and what the answer means for a case. It does not judge
//! what its own measurements say, and does not mend: [`super::work`] does, whatever comes of this.
//! Read next: [`super::work`].

use super::case::{CareCase, RepairState};
use super::{Care, Purpose};
use crate::answers::agreement;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use crate::wireless_fault::expertise::Base;
use domain::agent::{Message, Output, Undelivered};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::Domain;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::time::Timestamp;
use domain::verb::Verb;

impl Care {
    /// Asks the IP domain's agent about the way to the site.
    pub(super) fn ask_ip(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let ip = Some(Domain::Ip);
        let found = base.context().colleague(Diagnosis::ID, Layer::Resource, ip);
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Some((to, site)) = found.zip(case.sites.first().cloned()) else {
            return self.locate_without_ip(base, number, now);
        };
        let diagnosis = Diagnosis {
            incident_ids: vec![case.incident()],
            sites: case.sites.clone(),
            since: Some(case.opened_at),
            ..Diagnosis::of(Suspicion {
                target: site.clone(),
                cause: Cause::FibreCut,
            })
        };
        let words = format!("Is the way to {site} all right? Nothing of its own is found broken");
        let content = Content::new(site.as_str(), words).with_payload(diagnosis.to_payload());
        let task = base.desk_mut().task_id(now);
        let mut outputs = self.enter(base, number, RepairState::Asking(task.clone()), now);
        if let Some(case) = self.case(number) {
            case.executor.clone_from(&to);
            case.question = Some(content.clone());
        }
        let message = Message::new(to, Verb::FeasibilityNegotiate, task, content);
        outputs.extend(self.send(base, Purpose::Question(number), message, now));
        outputs
    }

    pub(super) fn question_answered(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: Message,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let asked = |c: &mut CareCase| c.work == RepairState::Asking(sent.task.clone());
        if !self.case(number).is_some_and(asked) {
            return Vec::new();
        }
        match reply {
            Ok(reply) if matches!(reply.verdict, Verdict::Accepted | Verdict::Result) => {
                self.assign_diagnosis(base, number, &sent, sent.content.clone(), now)
            }
            Ok(reply) if reply.verdict == Verdict::Offered && !reply.content.is_empty() => {
                let offer = reply.content[0].clone();
                let message = agreement(sent, 1, &offer);
                let purpose = Purpose::QuestionAgreement(number, Box::new(offer));
                self.send(base, purpose, message, now)
            }
            _ => self.locate_without_ip(base, number, now),
        }
    }

    pub(super) fn question_agreed(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: &Message,
        agreed: Content,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let asked = |c: &mut CareCase| c.work == RepairState::Asking(sent.task.clone());
        if !self.case(number).is_some_and(asked) {
            return Vec::new();
        }
        match reply {
            Ok(reply) if reply.verdict != Verdict::Refused => {
                self.assign_diagnosis(base, number, sent, agreed, now)
            }
            _ => self.locate_without_ip(base, number, now),
        }
    }

    fn assign_diagnosis(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: &Message,
        agreed: Content,
        now: Timestamp,
    ) -> Vec<Output> {
        let (to, task) = (sent.to.clone(), sent.task.clone());
        let mut outputs = self.enter(base, number, RepairState::Diagnosing(task.clone()), now);
        let message = Message::new(to, Verb::TaskAssign, task, agreed);
        outputs.extend(self.send(base, Purpose::Diagnosis(number), message, now));
        outputs
    }

    pub(super) fn diagnosis_taken(
        &mut self,
        base: &mut Base,
        number: u64,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let diagnosing = |c: &mut CareCase| matches!(c.work, RepairState::Diagnosing(_));
        if !self.case(number).is_some_and(diagnosing) {
            return Vec::new();
        }
        match reply {
            Ok(reply) if reply.verdict == Verdict::Result => {
                let found = reply.content.iter().find_map(DiagnosisResult::in_content);
                self.diagnosed(base, number, found, now)
            }
            Ok(reply) if reply.verdict != Verdict::Refused => Vec::new(),
            _ => self.locate_without_ip(base, number, now),
        }
    }

    pub(super) fn diagnosed(
        &mut self,
        base: &mut Base,
        number: u64,
        found: Option<DiagnosisResult>,
        now: Timestamp,
    ) -> Vec<Output> {
        let confirmed = found.filter(|f| f.confirmed);
        let Some(found) = confirmed else {
            return self.locate_without_ip(base, number, now);
        };
        let Some((element, cause)) = found.root_cause.clone().zip(found.cause) else {
            return self.locate_without_ip(base, number, now);
        };
        if let Some(case) = self.case(number) {
            case.evidence.extend(found.evidence);
        }
        match found.automatic {
            // Who found it mends it.
            true => self.verify(base, number, now),
            false => self.located(base, number, element, cause, found.proposal, now),
        }
    }
}
