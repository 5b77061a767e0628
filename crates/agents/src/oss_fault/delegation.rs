//! Diagnoses that others ask this agent for: passed on to the domain that can measure.
//!
//! The one who asked is told what the domain's agent reports, under its own task.

use super::OssFault;
use super::post::Purpose;
use super::workflow::{message, why_not};
use crate::cause::Cause;
use crate::domain_agent::{target_needed, unknown_schema};
use crate::lookup;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use crate::payloads::{Schema, rejects};
use domain::agent::{Ask, Output, Progress, Undelivered};
use domain::content::Content;
use domain::inventory::{Domain, ElementId};
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;

/// A diagnosis passed on.
#[derive(Clone, Debug)]
pub(super) struct Delegation {
    /// The task of the one who asked.
    pub(super) origin: TaskId,
    /// The task of the domain's agent.
    pub(super) task: TaskId,
    /// Whom it was passed on to.
    to: String,
    target: ElementId,
}

impl OssFault {
    /// What a content asks to be diagnosed.
    pub(super) fn understand(&self, content: &Content) -> Result<Diagnosis, Reply> {
        let inventory = self.correlator.inventory();
        let Some(payload) = &content.payload else {
            let text = format!("{}\n{}", content.target_object, content.task_description);
            let named = lookup::named(inventory, &text).into_iter().next();
            let target = named.ok_or_else(|| target_needed(&content.target_object))?;
            let cause = crate::domain_agent::job::usual_cause(inventory, &target);
            return Ok(Diagnosis {
                incident_ids: Vec::new(),
                suspicion: Suspicion { target, cause },
                alternatives: Vec::new(),
                sites: BTreeSet::new(),
                since: Timestamp::default(),
            });
        };
        if payload.schema_id != Diagnosis::ID {
            return Err(unknown_schema(payload));
        }
        let diagnosis =
            Diagnosis::from_payload(payload).map_err(|e| e.reply(&content.target_object))?;
        match inventory.element(&diagnosis.suspicion.target) {
            Some(_) => Ok(diagnosis),
            None => {
                let words = format!(
                    "the inventory has no element {}",
                    diagnosis.suspicion.target
                );
                Err(Reply::refused("unknown-element", "target", words))
            }
        }
    }

    pub(super) fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let diagnosis = match self.understand(&ask.content) {
            Ok(diagnosis) => diagnosis,
            Err(reply) => return (reply, Vec::new()),
        };
        // Asked in words about something that a case explains, the case is the answer.
        if ask.content.payload.is_none()
            && let Some(words) = self.case_of(&diagnosis.suspicion.target)
        {
            let target = diagnosis.suspicion.target.as_str();
            let content = Content::new(target, "State of the fault").with_result(words);
            return (Reply::new(Verdict::Result, vec![content]), Vec::new());
        }
        if self.delegate_to(&diagnosis.suspicion).is_none() {
            let words = "no registered agent can measure it";
            return (Reply::refused("no-agent", "target", words), Vec::new());
        }
        let outputs = self.delegate(ask.task.id.clone(), diagnosis, now);
        (Reply::accepted(), outputs)
    }

    fn case_of(&self, element: &ElementId) -> Option<String> {
        let concerns = |c: &&super::case::Case| {
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
                "Case {number}: {cause} of {root} takes out {} sites; a ticket is being worked on",
                case.affected.len()
            ),
            (None, Some(s)) => format!(
                "Case {number}: {} sites are out; {} of {} is suspected and being diagnosed",
                case.sites.len(),
                s.cause,
                s.target
            ),
            (None, None) => format!(
                "Case {number}: {} sites are out; evidence is still arriving",
                case.sites.len()
            ),
        })
    }

    fn delegate_to(&self, suspicion: &Suspicion) -> Option<String> {
        let element = self.correlator.inventory().element(&suspicion.target);
        let domain = element.map_or(suspicion.cause.domain(), |e| e.domain);
        let domain = match domain {
            Domain::Wireless => Domain::Wireless,
            Domain::Ip | Domain::Service => Domain::Ip,
        };
        self.desk
            .colleague(Diagnosis::ID, Layer::Resource, Some(domain))
    }

    pub(super) fn delegate(
        &mut self,
        origin: TaskId,
        diagnosis: Diagnosis,
        now: Timestamp,
    ) -> Vec<Output> {
        let target = diagnosis.suspicion.target.clone();
        let Some(to) = self.delegate_to(&diagnosis.suspicion) else {
            return vec![failed(
                &origin,
                &target,
                "no registered agent can measure it",
            )];
        };
        let task = self.desk.task_id(now);
        self.known.insert(task.clone());
        let words = format!(
            "Diagnose {target}: {}?",
            cause_words(diagnosis.suspicion.cause)
        );
        let content = Content::new(target.as_str(), words).with_payload(diagnosis.to_payload());
        self.delegations.push(Delegation {
            origin: origin.clone(),
            task: task.clone(),
            to: to.clone(),
            target,
        });
        let message = message(to, Verb::TaskAssign, task, content, true);
        vec![self.send(Purpose::Delegation(origin), message)]
    }

    pub(super) fn delegation_notified(&mut self, news: &Notification, _: Timestamp) -> Vec<Output> {
        let Some(at) = self.delegations.iter().position(|d| d.task == news.task) else {
            return Vec::new();
        };
        let delegation = self.delegations[at].clone();
        let result = DiagnosisResult::in_content(&news.content);
        let progress = match (news.status, result) {
            (Status::Finished | Status::InputRequired, Some(_)) => {
                Progress::Result(news.content.clone())
            }
            (status, _) if status.is_terminal() => Progress::Failed(news.content.clone()),
            _ => Progress::Working {
                percent: news.percent,
                content: news.content.clone(),
            },
        };
        if !matches!(progress, Progress::Working { .. }) {
            self.delegations.remove(at);
        }
        vec![Output::Report {
            task: delegation.origin,
            progress,
        }]
    }

    pub(super) fn delegation_declined(
        &mut self,
        origin: &TaskId,
        reply: &Result<Reply, Undelivered>,
    ) -> Vec<Output> {
        let Some(at) = self.delegations.iter().position(|d| d.origin == *origin) else {
            return Vec::new();
        };
        let delegation = self.delegations.remove(at);
        vec![failed(origin, &delegation.target, &why_not(reply))]
    }

    /// The one who asked wants it no longer.
    pub(super) fn undelegate(&mut self, origin: &TaskId) -> Vec<Output> {
        let Some(at) = self.delegations.iter().position(|d| d.origin == *origin) else {
            return Vec::new();
        };
        let delegation = self.delegations.remove(at);
        let content = Content::new(delegation.target.as_str(), "No longer wanted");
        let cancel = message(
            delegation.to,
            Verb::TaskCancel,
            delegation.task,
            content,
            true,
        );
        vec![self.send(Purpose::Word, cancel)]
    }

    /// A rejected diagnosis is asked for again once its publisher says why it is not enough.
    pub(super) fn delegation_judged(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        if !rejects(&ask.content) {
            return (Reply::accepted(), Vec::new());
        }
        match self.understand(&ask.task.content) {
            Ok(diagnosis) => {
                let outputs = self.delegate(ask.task.id.clone(), diagnosis, now);
                (Reply::accepted(), outputs)
            }
            Err(reply) => (reply, Vec::new()),
        }
    }
}

fn failed(origin: &TaskId, target: &ElementId, why: &str) -> Output {
    Output::Report {
        task: origin.clone(),
        progress: Progress::Failed(Content::new(target.as_str(), why)),
    }
}

fn cause_words(cause: Cause) -> String {
    format!("is it a {cause}")
}
