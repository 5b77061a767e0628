//! A compensation under way: begun, told of, resumed after a restart, ended.
//!
//! Knows what a task changes when it begins and what has to go back when it is over. What neighbours
//! are to do is no matter of this file, and neither is whether it works: a plan comes from
//! [`super::plan`] by way of [`super::negotiation`], figures from [`super::measuring`]. Read next:
//! [`super::running`], what is remembered of each.

use super::plan::{CellContribution, CompensationPlan};
use super::running::{DURATION_MIN, Draft, Energy, Running};
use super::verification::edge_mbps;
use super::{Optimisation, Purpose, Timer, area_of};
use crate::payloads::Schema;
use crate::payloads::compensation::{
    Compensation, CompensationAction, CompensationResult, CompensationStatus,
};
use domain::agent::{Message, Output, Progress};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::reply::{Reply, Verdict};
use domain::task::{Conditions, Task, TaskId};
use domain::telemetry::CellPerformance;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::{BTreeMap, BTreeSet};

/// Seconds after which cells that should be awake are taken to be so.
const AWAKE_LATEST_S: f64 = 600.0;
/// The section of a report that names the task of the energy-saving agent.
const ENERGY_TASK: &str = "energy task";

impl Optimisation {
    /// Begins, as was agreed; what was not talked about before is talked about now.
    pub(super) fn take_on(
        &mut self,
        task: &Task,
        order: Compensation,
        now: Timestamp,
    ) -> (Reply, Vec<Output>) {
        let id = &task.id;
        if self.running.contains_key(id) {
            return (Reply::accepted(), Vec::new());
        }
        let agreed = self.drafts.get(id).is_some_and(|d| d.answered);
        if agreed && let Some(draft) = self.drafts.remove(id) {
            let outputs = self.begin(id, Draft { order, ..draft }, now);
            return (Reply::accepted(), outputs);
        }
        self.forget(id);
        let (reply, outputs) = self.draft(id, order, &task.content, true, now);
        match reply {
            Some(refused) if refused.verdict == Verdict::Refused => (refused, outputs),
            _ => (Reply::accepted(), outputs),
        }
    }

    /// Ends the compensations of these sites with a result; how many there were.
    pub(super) fn end_all(
        &mut self,
        order: &Compensation,
        why: &str,
        now: Timestamp,
    ) -> (usize, Vec<Output>) {
        let meant = |r: &Running| !r.order.sites.is_disjoint(&order.sites);
        let all = self.running.iter().filter(|(_, r)| meant(r));
        let ends: Vec<TaskId> = all.map(|(t, _)| t.clone()).collect();
        let mut outputs = Vec::new();
        for task in &ends {
            outputs.extend(self.finish(task, why, now));
        }
        (ends.len(), outputs)
    }

    /// A compensation ends by itself: cells go back, and the energy-saving agent's task ends.
    pub(super) fn finish(&mut self, task: &TaskId, why: &str, now: Timestamp) -> Vec<Output> {
        let Some(running) = self.running.remove(task) else {
            return Vec::new();
        };
        self.outbox.forget(|p| p.is_about(task));
        let mut outputs = self.settle_power(now);
        if let Some(energy) = running.energy_task.clone() {
            outputs.extend(self.cancel_energy(energy, now));
        }
        let result = running.result(CompensationStatus::Cancelled);
        let content = Content::new(area_of(&running.order), "Compensation")
            .with_payload(result.to_payload())
            .with_result(why);
        outputs.push(Output::report(task, Progress::Result(content)));
        outputs
    }

    fn cancel_energy(&mut self, task: TaskId, now: Timestamp) -> Vec<Output> {
        let Some(to) = self.energy_agent() else {
            return Vec::new();
        };
        let content = Content::new(task.as_str(), "The compensation is over");
        let message = Message::new(to, Verb::TaskCancel, task, content);
        self.outbox
            .send(&mut self.context, Purpose::Word, message, now)
    }

    /// Begins a compensation that was agreed on: the energy-saving agent is told first.
    pub(super) fn begin(&mut self, id: &TaskId, draft: Draft, now: Timestamp) -> Vec<Output> {
        let helpers = draft.plan.parts.keys();
        let before = helpers.filter_map(|c| Some((c.clone(), self.cells.get(c)?.clone())));
        let before: BTreeMap<ElementId, CellPerformance> = before.collect();
        let minutes = draft.order.duration_minutes.unwrap_or(DURATION_MIN);
        let until = now.plus_s(minutes as f64 * 60.0);
        let (lost_users, lost_users_at) = self.users_of(&self.lost_of(&draft.order), now);
        let mut outputs = Vec::new();
        let energy_task = match &draft.energy {
            Energy::Agreed(content) => {
                outputs.extend(self.assign_energy(id, &draft, content, now));
                Some(draft.energy_task.clone())
            }
            _ => None,
        };
        let running = Running {
            asleep: draft.plan.woken().cloned().collect(),
            edge_before_mbps: edge_mbps(before.values()),
            order: draft.order,
            plan: draft.plan,
            energy_task,
            began: now,
            until,
            before,
            lost_users,
            lost_users_at,
            figures: None,
            extra_kwh: 0.0,
            periods: 0,
            adjusted: false,
            reason: draft.reason,
        };
        outputs.push(Output::Note(format!(
            "Compensating for {}: {}",
            area_of(&running.order),
            running.plan.describe()
        )));
        self.running.insert(id.clone(), running);
        outputs.push(self.wake(Timer::Over(id.clone()), until));
        outputs.push(self.wake(Timer::Awake(id.clone()), now.plus_s(AWAKE_LATEST_S)));
        outputs.extend(self.settle_power(now));
        let words = "Neighbours compensate as planned; what comes of it is measured";
        outputs.extend(self.tell(id, CompensationStatus::Compensating, words));
        outputs
    }

    fn assign_energy(
        &mut self,
        id: &TaskId,
        draft: &Draft,
        agreed: &Content,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(to) = self.energy_agent() else {
            return Vec::new();
        };
        let conditions = Conditions {
            parent: Some(id.clone()),
            ..Conditions::default()
        };
        let task = draft.energy_task.clone();
        let message = Message {
            conditions,
            ..Message::new(to, Verb::TaskAssign, task, agreed.clone())
        };
        self.outbox
            .send(&mut self.context, Purpose::Awake(id.clone()), message, now)
    }

    /// News of a compensation to whoever wants it.
    pub(super) fn tell(
        &self,
        id: &TaskId,
        status: CompensationStatus,
        words: &str,
    ) -> Option<Output> {
        let running = self.running.get(id)?;
        let result = running.result(status);
        let mut content =
            Content::new(area_of(&running.order), words).with_payload(result.to_payload());
        let energy = running.energy_task.as_ref();
        let section = energy.map(|t| (ENERGY_TASK.to_owned(), t.to_string()));
        content.others.extend(section);
        let percent = 50;
        Some(Output::report(id, Progress::Working { percent, content }))
    }

    /// Goes on with a task from before a restart, from what was reported of it last.
    pub(super) fn resume(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        let order = match self.understand(&task.content) {
            Ok(order) if order.action != CompensationAction::Cancel => order,
            Ok(order) => {
                let (ended, outputs) = self.end_all(&order, "It was cancelled", now);
                let words = format!("{ended} compensations have ended");
                let content = Content::new(area_of(&order), "Compensation").with_result(words);
                let reply = Reply::new(Verdict::Result, vec![content]);
                let news = Output::of_reply(&task.id, &task.content.target_object, reply);
                return outputs.into_iter().chain(news).collect();
            }
            Err(reply) => {
                let news = Output::of_reply(&task.id, &task.content.target_object, reply);
                return news.into_iter().collect();
            }
        };
        let told = task.said.as_ref();
        match told.and_then(|c| Some((c, CompensationResult::in_content(c)?))) {
            Some((content, result)) => {
                let energy = content.section(ENERGY_TASK).map(TaskId::new);
                self.go_on(task, order, result, energy, now)
            }
            None => {
                let (reply, mut outputs) = self.take_on(task, order, now);
                outputs.extend(Output::of_reply(
                    &task.id,
                    &task.content.target_object,
                    reply,
                ));
                outputs
            }
        }
    }

    fn go_on(
        &mut self,
        task: &Task,
        order: Compensation,
        told: CompensationResult,
        energy: Option<TaskId>,
        now: Timestamp,
    ) -> Vec<Output> {
        let part = |offset_db| CellContribution {
            offset_db,
            wakes: false,
        };
        let helpers = told.cells.into_iter();
        let parts = helpers.map(|h| (h.cell, part(h.power_offset_db))).collect();
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let began = told.effective_at.unwrap_or(task.created_at);
        let until = began.plus_s(minutes as f64 * 60.0).max(now);
        let id = &task.id;
        let running = Running {
            plan: CompensationPlan {
                parts,
                ..CompensationPlan::default()
            },
            energy_task: energy.clone(),
            asleep: BTreeSet::new(),
            began,
            until,
            before: BTreeMap::new(),
            edge_before_mbps: told.throughput_before_mbps,
            lost_users: 0.0,
            lost_users_at: began,
            figures: None,
            extra_kwh: told.extra_energy_kwh.unwrap_or_default(),
            periods: 0,
            // What cells did before is forgotten, so nothing could be adjusted to it.
            adjusted: true,
            reason: told.reason,
            order,
        };
        self.running.insert(id.clone(), running);
        let mut outputs = vec![self.wake(Timer::Over(id.clone()), until)];
        outputs.extend(self.settle_power(now));
        if let Some((energy, to)) = energy.zip(self.energy_agent()) {
            let content = Content::new(energy.as_str(), "How is it?");
            let query = Message::new(to, Verb::TaskResultQuery, energy, content);
            let purpose = Purpose::State(id.clone());
            outputs.extend(self.outbox.send(&mut self.context, purpose, query, now));
        }
        let words = "The compensation goes on after a restart";
        outputs.extend(self.tell(id, CompensationStatus::Compensating, words));
        outputs
    }

    /// The helpers of a compensation are awake, or should be.
    pub(super) fn awake(&mut self, id: &TaskId, now: Timestamp) -> Vec<Output> {
        match self.running.get_mut(id) {
            Some(running) if !running.asleep.is_empty() => {
                running.asleep.clear();
                self.settle_power(now)
            }
            _ => Vec::new(),
        }
    }

    /// Energy saving is resumed while the compensation goes on: whoever was woken sleeps again.
    pub(super) fn energy_ended(&mut self, id: &TaskId, now: Timestamp) -> Vec<Output> {
        let Some(running) = self.running.get_mut(id) else {
            return Vec::new();
        };
        running.energy_task = None;
        running.plan.parts.retain(|_, part| !part.wakes);
        running.asleep.clear();
        running.reason = Some("Energy saving has been resumed; others go on".to_owned());
        let mut outputs = self.settle_power(now);
        let words = "Cells that were woken may sleep again";
        outputs.extend(self.tell(id, CompensationStatus::Adjusted, words));
        outputs
    }
}
