//! The tasks in force: what allows cells to sleep, what holds them awake, and what is told of both.
//!
//! Knows orders, their publishers and when they end. Which cell sleeps is not decided here, and
//! whether cells should be held awake was answered before: see [`super::policy`] and
//! [`super::negotiation`]. Read next: [`super::negotiation`].

use super::policy::Bounds;
use super::{EnergySaving, Hold, Standing, Timer};
use crate::payloads::Schema;
use crate::payloads::saving::{SavingAction, SavingOrder, SavingResult, SavingStatus};
use crate::radio::energy::wake_s;
use crate::wording::counted;
use domain::agent::{Output, Progress};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::negotiation::{Kind, Speech};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Task, TaskId};
use domain::telemetry::Saving;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Minutes for which cells stay awake where nobody says how long.
pub(super) const DURATION_MIN: u64 = 240;
/// Seconds beyond its wake time until a cell held awake is asked for again.
const AWAKE_SLACK_S: f64 = 60.0;
/// Keys of an order that this agent does not keep to.
const NOT_TAKEN: [&str; 3] = ["technique", "start_time", "end_time"];
/// The area of a task about no part of the network in particular.
const EVERYWHERE: &str = "network";

impl EnergySaving {
    pub(super) fn understand(&self, content: &Content) -> Result<SavingOrder, Reply> {
        let mut order = SavingOrder::needed_in(content)?;
        let says = |key: &&&str| content.payload.iter().any(|p| p.values.contains_key(**key));
        // What this agent decides by itself, or cannot keep to, it does not pass over in silence.
        if let Some(key) = NOT_TAKEN.iter().find(says) {
            let words =
                format!("{key} cannot be kept to: load and forecast decide when each cell sleeps");
            return Err(Reply::refused("unsupported-key", key, words));
        }
        if let Some(cell) = order.cells.iter().find(|c| self.radio.cell(c).is_none()) {
            let words = format!("the inventory has no cell {cell}");
            return Err(Reply::refused("unknown-element", "cells", words));
        }
        let of_area = self.cells_of_area(&order.area);
        if of_area.is_empty() && order.cells.is_empty() {
            let words = format!("no cell of the inventory lies in {}", order.area);
            return Err(Reply::refused("unknown-area", "area", words));
        }
        if is_hold(order.action) && order.cells.is_empty() {
            order.cells = of_area;
        }
        Ok(order)
    }

    /// The cells of a site, a zone, a town, or all.
    pub(super) fn cells_of_area(&self, area: &str) -> BTreeSet<ElementId> {
        match area {
            EVERYWHERE => self.radio.inventory().cells.keys().cloned().collect(),
            area => self.radio.cells_of_area(area).cloned().collect(),
        }
    }

    /// The cells that an order to save is about; none for all.
    pub(super) fn cells_meant(&self, order: &SavingOrder) -> Option<BTreeSet<ElementId>> {
        match (order.cells.is_empty(), order.area.as_str()) {
            (true, EVERYWHERE) => None,
            (true, area) => Some(self.cells_of_area(area)),
            (false, _) => Some(order.cells.clone()),
        }
    }

    /// Goes on with a task from before a restart.
    pub(super) fn resume(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        if task.awaits == Some(Awaits::Decision) {
            self.undecided.insert(task.id.clone());
            return Vec::new();
        }
        match self.understand(task.plan.as_ref().unwrap_or(&task.content)) {
            Ok(order) if order.action == SavingAction::Activate => self.activate(task, &order, now),
            Ok(order) if is_hold(order.action) => self.hold(task, order, now),
            Ok(order) => {
                let (reply, mut outputs) = self.resumed(&order, &task.from, now);
                outputs.extend(Output::of_reply(
                    &task.id,
                    &task.content.target_object,
                    reply,
                ));
                outputs
            }
            Err(reply) => Output::of_reply(&task.id, &task.content.target_object, reply)
                .into_iter()
                .collect(),
        }
    }

    /// Takes a standing task on, or offers what can be saved instead and waits for its publisher's word.
    pub(super) fn take_on(
        &mut self,
        task: &Task,
        order: &SavingOrder,
        content: &Content,
        now: Timestamp,
    ) -> Vec<Output> {
        let reply = self.can_activate(order, content, now);
        if reply.verdict != Verdict::Offered {
            return self.activate(task, order, now);
        }
        self.undecided.insert(task.id.clone());
        let why = reply.reasons.iter().map(|r| r.message.clone());
        let note = why.map(Output::Note);
        let speech = Speech {
            reasons: reply.reasons.clone(),
            ..Speech::offer(reply.content)
        };
        let offer = Output::Speak {
            task: task.id.clone(),
            kind: Kind::Fulfillment,
            speech,
        };
        note.chain([offer]).collect()
    }

    /// Takes a standing task on; an older one of the same publisher ends.
    pub(super) fn activate(
        &mut self,
        task: &Task,
        order: &SavingOrder,
        now: Timestamp,
    ) -> Vec<Output> {
        let mut outputs = Vec::new();
        let older = |s: &&Standing| s.from == task.from && s.task != task.id;
        for old in self.standing.iter().filter(older) {
            let words = format!("Task {} of the same publisher takes its place", task.id);
            let result = self.result(SavingStatus::Adjusted, &old.area, now);
            outputs.push(saving_report(&old.task, result, words));
        }
        self.standing.retain(|s| s.from != task.from);
        let bounds = bounds_of(order);
        self.standing.push(Standing {
            task: task.id.clone(),
            from: task.from.clone(),
            cells: self.cells_meant(order),
            area: order.area.clone(),
            bounds,
        });
        let words = format!(
            "Energy saving is in force: target {:.1} %, load up to {:.0} %, users keep {:.1} Mbit/s",
            bounds.target_percent,
            bounds.max_load * 100.0,
            bounds.min_throughput_mbps
        );
        outputs.push(Output::Note(words.clone()));
        outputs.push(self.working(&task.id, &order.area, words, now));
        outputs.extend(self.decide(now));
        outputs
    }

    /// Takes a task on that wants cells awake.
    pub(super) fn hold(&mut self, task: &Task, order: SavingOrder, now: Timestamp) -> Vec<Output> {
        let minutes = order.duration_minutes.unwrap_or(DURATION_MIN);
        let until = task.created_at.plus_s(minutes as f64 * 60.0).max(now);
        let token = self.context.token();
        self.timers.insert(token, Timer::Over(task.id.clone()));
        let mut outputs = vec![Output::Wake { token, at: until }];
        let sleepers = order.cells.iter().filter(|c| self.sleeps(c)).count();
        outputs.push(Output::Note(format!(
            "{} awake for {minutes} minutes, {} woken for it",
            counted(order.cells.len(), "cell stays", "cells stay"),
            counted(sleepers, "is", "are")
        )));
        let hold = Hold {
            costs_kw: self.waking_kw(&order.cells),
            order,
            until,
            told: false,
        };
        let was = self.lowered_in_words();
        self.holds.insert(task.id.clone(), hold);
        let lowered = self.lowered_in_words().filter(|l| Some(l) != was.as_ref());
        outputs.extend(lowered.map(|words| Output::Note(format!("For that {words}"))));
        outputs.extend(self.decide(now));
        outputs.extend(self.tell_awake(&task.id, now));
        outputs
    }

    /// Tells the publisher of a hold once all its cells are awake; asks again for those that are not.
    pub(super) fn tell_awake(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        let Some(hold) = self.holds.get(task).filter(|h| !h.told) else {
            return Vec::new();
        };
        let asleep: Vec<Saving> = hold
            .order
            .cells
            .iter()
            .filter(|c| self.sleeps(c) && !self.is_out(c))
            .filter_map(|c| self.state.get(c).copied())
            .collect();
        if asleep.is_empty() {
            let (area, cells) = (hold.order.area.clone(), hold.order.cells.len());
            if let Some(hold) = self.holds.get_mut(task) {
                hold.told = true;
            }
            let result = self.result(SavingStatus::Suspended, &area, now);
            let words = format!("{} awake", counted(cells, "cell is", "cells are"));
            let percent = 50;
            let content = Content::new(area.as_str(), words).with_payload(result.to_payload());
            return vec![Output::report(task, Progress::Working { percent, content })];
        }
        let slowest = asleep.into_iter().map(wake_s).fold(0.0, f64::max);
        let token = self.context.token();
        self.timers.insert(token, Timer::Awake(task.clone()));
        let at = now.plus_s(slowest + AWAKE_SLACK_S);
        vec![Output::Wake { token, at }]
    }

    /// As [`Self::tell_awake`], without another waking.
    pub(super) fn tell_awake_now(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        let outputs = self.tell_awake(task, now);
        if let Some(Output::Wake { token, .. }) = outputs.first() {
            self.timers.remove(token);
            return Vec::new();
        }
        outputs
    }

    /// Holds of this publisher in the area end; those who hold them are told.
    pub(super) fn resumed(
        &mut self,
        order: &SavingOrder,
        from: &str,
        now: Timestamp,
    ) -> (Reply, Vec<Output>) {
        let meant = |h: &Hold| {
            let cells = order.cells.is_empty() || !order.cells.is_disjoint(&h.order.cells);
            h.order.area == order.area && cells
        };
        let ends: Vec<TaskId> = self
            .holds
            .iter()
            .filter(|(_, h)| meant(h))
            .map(|(t, _)| t.clone())
            .collect();
        let mut outputs = Vec::new();
        for task in &ends {
            let why = format!("{from} has energy saving resumed");
            outputs.extend(self.release(task, why, now));
        }
        outputs.extend(self.decide(now));
        let words = format!(
            "{} ended",
            counted(
                ends.len(),
                "task that held cells awake has",
                "tasks that held cells awake have"
            )
        );
        let result = self.result(SavingStatus::Active, &order.area, now);
        let content = Content::new(order.area.as_str(), "Energy saving")
            .with_payload(result.to_payload())
            .with_result(words);
        (Reply::new(Verdict::Result, vec![content]), outputs)
    }

    pub(super) fn release(&mut self, task: &TaskId, why: String, now: Timestamp) -> Option<Output> {
        let hold = self.holds.remove(task)?;
        let result = self.result(SavingStatus::Active, &hold.order.area, now);
        Some(saving_report(task, result, why))
    }
}

/// The bounds of an order to save.
pub(super) fn bounds_of(order: &SavingOrder) -> Bounds {
    let usual = Bounds::default();
    let max_load = order.max_load_percent.map(|p| p as f64 / 100.0);
    Bounds {
        max_load: max_load.unwrap_or(usual.max_load),
        min_throughput_mbps: order
            .min_throughput_mbps
            .unwrap_or(usual.min_throughput_mbps),
        target_percent: order.saving_target_percent.unwrap_or(usual.target_percent),
    }
}

pub(super) fn is_hold(action: SavingAction) -> bool {
    matches!(action, SavingAction::Suspend | SavingAction::Adjust)
}

fn saving_report(task: &TaskId, result: SavingResult, words: String) -> Output {
    let content = Content::new(result.area.as_str(), "Energy saving")
        .with_payload(result.to_payload())
        .with_result(words);
    Output::report(task, Progress::Result(content))
}
