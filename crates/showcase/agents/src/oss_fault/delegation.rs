//! Diagnoses that others ask this agent for: passed on to the domain that can measure.
//!
//! The one who asked is told what the domain's agent reports, under its own task. What was passed
//! on is a part of that task: it ends with it.

use super::OssFault;
use super::news::News;
use super::post::Purpose;
use super::workflow::why_not;
use crate::domain_agent::target_needed;
use crate::element_names::{self, NamedElements};
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use crate::wording::counted;
use domain::agent::{Ask, Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::inventory::{Domain, ElementId};
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Status, Task, TaskId};
use domain::verb::Verb;

/// A diagnosis passed on.
#[derive(Clone, Debug)]
pub(super) struct Delegation {
    /// The task of the one who asked.
    pub(super) origin: TaskId,
    /// The task of the domain's agent.
    pub(super) task: TaskId,
    /// The agent that it was passed on to.
    to: String,
    target: ElementId,
}

impl OssFault {
    /// The diagnosis that a content asks for.
    pub(super) fn understand(
        &self,
        content: &Content,
    ) -> Result<(Diagnosis, NamedElements), Reply> {
        let Some(payload) = &content.payload else {
            let reading = element_names::read(self.correlator.topology().names(), content);
            let target = reading.elements.first();
            let target = target.ok_or_else(|| target_needed(&content.target_object))?;
            return Ok((Diagnosis::of(Suspicion::usual(target.clone())), reading));
        };
        let diagnosis =
            Diagnosis::from_payload(payload).map_err(|e| e.reply(&content.target_object))?;
        let inventory = self.correlator.inventory();
        match inventory.element(&diagnosis.suspicion.target) {
            Some(_) => Ok((diagnosis, NamedElements::default())),
            None => {
                let words = format!(
                    "the inventory has no element {}",
                    diagnosis.suspicion.target
                );
                Err(Reply::refused("unknown-element", "target", words))
            }
        }
    }

    pub(super) fn delegation_asked(
        &mut self,
        origin: &TaskId,
        content: &Content,
    ) -> (Reply, Vec<Output>) {
        let (diagnosis, reading) = match self.understand(content) {
            Ok(understood) => understood,
            Err(reply) => return (reply, Vec::new()),
        };
        let target = diagnosis.suspicion.target.clone();
        // Asked in words about something that a case explains, the case is the answer.
        if content.payload.is_none()
            && let Some(words) = self.case_of(&target)
        {
            let content = Content::new(target.as_str(), "State of the fault")
                .with_result(reading.before(&words));
            return (Reply::new(Verdict::Result, vec![content]), Vec::new());
        }
        match self.delegate(origin, diagnosis, &reading) {
            Some(passed_on) => (Reply::accepted(), vec![passed_on]),
            None => {
                let words = "no registered agent can measure it";
                (Reply::refused("no-agent", "target", words), Vec::new())
            }
        }
    }

    /// Goes on with a task from before a restart: it is passed on again, under the same
    /// identifier, and asked how it is; news of it may have come while nobody was here.
    pub(super) fn resume(&mut self, task: &Task) -> Vec<Output> {
        if task.awaits.is_some() {
            return Vec::new();
        }
        let (reply, mut outputs) = self.delegation_asked(&task.id, &task.content);
        outputs.extend(Output::of_reply(
            &task.id,
            &task.content.target_object,
            reply,
        ));
        let passed_on = self.delegations.iter().find(|d| d.origin == task.id);
        if let Some(passed_on) = passed_on.cloned() {
            let content = Content::new(passed_on.target.as_str(), "How is it?");
            let query = Message::new(passed_on.to, Verb::TaskResultQuery, passed_on.task, content);
            outputs.push(self.send(Purpose::Delegated(task.id.clone()), query));
        }
        outputs
    }

    fn case_of(&self, element: &ElementId) -> Option<String> {
        let concerns = |c: &&super::case::FaultCase| {
            c.is_open()
                && (c.sites.contains(element)
                    || c.affected.contains(element)
                    || c.root.as_ref().is_some_and(|(e, _)| e == element)
                    || c.current.as_ref().is_some_and(|s| s.target == *element))
        };
        let case = self.cases.iter().find(concerns)?;
        let number = case.number;
        Some(match (&case.root, &case.current) {
            (Some((root, cause)), _) => format!(
                "Case {number}: {cause} of {root} takes out {}; a ticket is being worked on",
                counted(case.affected.len(), "site", "sites")
            ),
            (None, Some(s)) => format!(
                "Case {number}: {} out; {} of {} is suspected and being diagnosed",
                counted(case.sites.len(), "site is", "sites are"),
                s.cause,
                s.target
            ),
            (None, None) => format!(
                "Case {number}: {} out; evidence is still arriving",
                counted(case.sites.len(), "site is", "sites are")
            ),
        })
    }

    fn delegate_to(&self, suspicion: &Suspicion) -> Option<String> {
        let element = self.correlator.inventory().element(&suspicion.target);
        let domain = element.map_or(suspicion.cause.domain(), |e| e.domain);
        let domain = match domain {
            Domain::Wireless => Domain::Wireless,
            Domain::Ip | Domain::Service | Domain::Business => Domain::Ip,
        };
        self.context
            .colleague(Diagnosis::ID, Layer::Resource, Some(domain))
    }

    /// The assignment that passes a diagnosis on; none if nobody can measure it.
    fn delegate(
        &mut self,
        origin: &TaskId,
        diagnosis: Diagnosis,
        reading: &NamedElements,
    ) -> Option<Output> {
        let Suspicion { target, cause } = diagnosis.suspicion.clone();
        let to = self.delegate_to(&diagnosis.suspicion)?;
        let task = self.task_about(&format!("for-{origin}"), target.as_str());
        let words = reading.before(&format!("Diagnose {target}: is it a {cause}?"));
        let content = Content::new(target.as_str(), words).with_payload(diagnosis.to_payload());
        self.delegations.push(Delegation {
            origin: origin.clone(),
            task: task.clone(),
            to: to.clone(),
            target,
        });
        let message = Message {
            conditions: Conditions {
                parent: Some(origin.clone()),
                ..Conditions::default()
            },
            ..Message::new(to, Verb::TaskAssign, task, content)
        };
        Some(self.send(Purpose::Delegation(origin.clone()), message))
    }

    pub(super) fn delegation_notified(&mut self, news: &News) -> Vec<Output> {
        let Some(at) = self.delegations.iter().position(|d| d.task == news.task) else {
            return Vec::new();
        };
        let origin = self.delegations[at].origin.clone();
        let result = DiagnosisResult::in_content(&news.content);
        let (progress, over) = match (news.status, news.awaits, result) {
            (Status::Finished, _, Some(_)) => (Progress::Result(news.content.clone()), true),
            (status, ..) if status.is_terminal() => (Progress::Failed(news.content.clone()), true),
            // The answer is the asker's to give; it is passed on as a new assignment.
            (_, Some(Awaits::Answer), _) => (Progress::InputRequired(news.content.clone()), true),
            (Status::Created, ..) => return Vec::new(),
            _ => {
                let (percent, content) = (news.percent, news.content.clone());
                (Progress::Working { percent, content }, false)
            }
        };
        let mut outputs = Vec::new();
        if over {
            self.delegations.remove(at);
        }
        if over && !news.status.is_terminal() {
            outputs.push(self.cancel(news, "It is asked for again once the question is answered"));
        }
        outputs.push(Output::report(&origin, progress));
        outputs
    }

    pub(super) fn delegation_replied(
        &mut self,
        origin: &TaskId,
        sent: &Message,
        reply: &Result<Reply, Undelivered>,
    ) -> Vec<Output> {
        if reply.as_ref().is_ok_and(|r| r.verdict != Verdict::Refused) {
            return Vec::new();
        }
        let Some(at) = self.delegations.iter().position(|d| d.task == sent.task) else {
            return Vec::new();
        };
        let delegation = self.delegations.remove(at);
        let content = Content::new(delegation.target.as_str(), why_not(reply));
        vec![Output::report(origin, Progress::Failed(content))]
    }

    /// The task of the one who asked has ended; what was passed on ends with it.
    pub(super) fn undelegate(&mut self, origin: &TaskId) {
        self.delegations.retain(|d| d.origin != *origin);
    }

    /// A rejected diagnosis is asked for once more.
    pub(super) fn delegation_rejected(&mut self, ask: &Ask) -> Vec<Output> {
        let (reply, mut outputs) = self.delegation_asked(&ask.task.id, &ask.task.content);
        outputs.extend(Output::of_reply(
            &ask.task.id,
            &ask.task.content.target_object,
            reply,
        ));
        outputs
    }
}
