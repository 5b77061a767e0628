//! The experience-optimisation agent: neighbours serve the users of what is lost (draft §2.2).
//!
//! - [`plan`]: which neighbours, how much louder, who must wake; [`power`]: bringing it about;
//! - [`negotiation`]: what it says to whoever asks and to the energy-saving agent; [`dispute`]: where these
//!   two conflict, and to the service-intent agent;
//! - [`running`]: a compensation from plan to end; [`course`]: how it begins, goes on and ends;
//! - [`situation`]: how things stand around what is lost; [`measuring`]: promises held against
//!   counters; [`verification`]: what came of it, in [`figures`].
//!
//! A compensation stays open as a task until it is cancelled or its time is over. What it wants of
//! cells is derived from the tasks that run: when none wants anything of a cell its offset goes back
//! to 0 dB, whatever happened on the way. Read next: [`negotiation`].

pub mod course;
pub mod dispute;
pub mod figures;
pub mod measuring;
pub mod negotiation;
pub mod plan;
pub mod power;
pub mod running;
pub mod situation;
pub mod verification;

use crate::alarms::ActiveAlarms;
use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::outbox::{Outbox, ReplyOutcome};
use crate::payloads::Schema;
use crate::payloads::compensation::{
    Compensation, CompensationAction, CompensationResult, CompensationStatus,
};
use crate::payloads::saving::{SavingResult, SavingStatus};
use crate::radio::Radio;
use crate::wording::counted;
use domain::agent::{Ask, Briefing, Input, Message, Output};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::negotiation::{Kind, Speech};
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::telemetry::{CellPerformance, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use power::Power;
use running::{Draft, Running};
use std::collections::BTreeMap;

/// Seconds after which a plan that was offered and not taken is forgotten.
const DRAFT_S: f64 = 900.0;

/// The purpose of a message.
#[derive(Clone, Debug)]
enum Purpose {
    /// Asking the energy-saving agent, for this compensation.
    Energy(TaskId),
    /// Agreeing to what it offered; it is what follows.
    Agreement(TaskId, Box<Content>),
    /// Asking who yields; what the energy-saving agent offered last, and the message that asked it.
    Ruling(TaskId, Box<Reply>, Box<Message>),
    /// Assigning what the energy-saving agent agreed to.
    Awake(TaskId),
    /// Asking how that task is, after a restart.
    State(TaskId),
    /// Nothing depends on the reply.
    Word,
}

impl Purpose {
    fn is_about(&self, id: &TaskId) -> bool {
        match self {
            Self::Energy(t)
            | Self::Agreement(t, _)
            | Self::Ruling(t, ..)
            | Self::Awake(t)
            | Self::State(t) => t == id,
            Self::Word => false,
        }
    }
}

#[derive(Clone, Debug)]
enum Timer {
    /// The time of a compensation is over.
    Over(TaskId),
    /// A plan was offered long ago.
    Stale(TaskId),
    /// Cells should be awake by now.
    Awake(TaskId),
    /// Commands may have been lost.
    Power,
}

/// The experience-optimisation agent.
#[derive(Debug)]
pub struct Optimisation {
    context: AgentContext,
    outbox: Outbox<Purpose>,
    radio: Radio,
    alarms: ActiveAlarms,
    /// The last performance of cells.
    cells: BTreeMap<ElementId, CellPerformance>,
    /// The performance of cells when they last carried traffic, and until when.
    lively: BTreeMap<ElementId, (CellPerformance, Timestamp)>,
    drafts: BTreeMap<TaskId, Draft>,
    running: BTreeMap<TaskId, Running>,
    power: Power,
    timers: BTreeMap<Token, Timer>,
    power_timer: bool,
}

impl TaskExecutor for Optimisation {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut agent = Self {
            context: AgentContext::open(&briefing, now),
            outbox: Outbox::default(),
            radio: Radio::new(briefing.inventory.clone()),
            alarms: ActiveAlarms::default(),
            cells: BTreeMap::new(),
            lively: BTreeMap::new(),
            drafts: BTreeMap::new(),
            running: BTreeMap::new(),
            power: Power::default(),
            timers: BTreeMap::new(),
            power_timer: false,
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| agent.resume(task, now)).collect();
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Performance(performance)) => {
                self.counted(&performance, now)
            }
            Input::Telemetry(Telemetry::Alarm(alarm)) => {
                self.alarms.take(&alarm);
                Vec::new()
            }
            Input::Acted { token, outcome } => {
                let mut outputs = self.power.acted(token, &outcome, now).unwrap_or_default();
                outputs.extend(self.settle_power(now));
                outputs
            }
            Input::Replied { token, reply } => {
                let heard = self.outbox.replied(&mut self.context, token, reply, now);
                self.heard(heard, now)
            }
            Input::Notified(news) => self.notified(&news, now),
            Input::Woken(token) => self.woken(token, now),
            Input::Joined(_) | Input::Left(_) => {
                self.context.roster_changed(input);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content))
    }

    fn proposed(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        match self.understand(&ask.content) {
            Ok(order) if order.action == CompensationAction::Start => {
                self.forget(&ask.task.id);
                let (reply, outputs) = self.draft(&ask.task.id, order, &ask.content, false, now);
                let pending = || Reply::new(Verdict::Pending, Vec::new());
                (reply.unwrap_or_else(pending), outputs)
            }
            Ok(_) => (Reply::accepted(), Vec::new()),
            Err(reply) => (reply, Vec::new()),
        }
    }

    fn settled(&mut self, ask: &Ask, agreed: bool, _: Timestamp) -> Vec<Output> {
        if !agreed {
            self.forget(&ask.task.id);
        }
        Vec::new()
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let order = match self.understand(&ask.content) {
            Ok(order) => order,
            Err(reply) => return (reply, Vec::new()),
        };
        match order.action {
            CompensationAction::Start => self.take_on(&ask.task, order, now),
            CompensationAction::Adjust => {
                let (_, mut outputs) = self.end_all(&order, "It is compensated otherwise", now);
                let (reply, more) = self.take_on(&ask.task, order, now);
                outputs.extend(more);
                (reply, outputs)
            }
            CompensationAction::Cancel => {
                let (ended, outputs) = self.end_all(&order, "It was cancelled", now);
                let result = CompensationResult {
                    status: CompensationStatus::Cancelled,
                    sites: order.sites,
                    ..CompensationResult::default()
                };
                let words = format!("{ended} compensations have ended");
                let content = Content::new(ask.content.target_object.as_str(), "Compensation")
                    .with_payload(result.to_payload())
                    .with_result(words);
                (Reply::new(Verdict::Result, vec![content]), outputs)
            }
        }
    }

    fn stopped(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        self.forget(task);
        let Some(ended) = self.running.remove(task) else {
            return Vec::new();
        };
        let mut outputs = vec![Output::Note(format!(
            "The compensation for {} is over: it cost {:.2} kWh; {} back to normal",
            area_of(&ended.order),
            ended.extra_kwh,
            counted(ended.plan.parts.len(), "cell goes", "cells go")
        ))];
        outputs.extend(self.settle_power(now));
        outputs
    }
}

/// The area of an order, as others are told it: its first site.
fn area_of(order: &Compensation) -> String {
    let first = order.sites.iter().next();
    first.map_or_else(|| "network".to_owned(), ElementId::to_string)
}

impl Optimisation {
    fn forget(&mut self, task: &TaskId) {
        self.drafts.remove(task);
        self.outbox.forget(|p| p.is_about(task));
    }

    fn wake(&mut self, timer: Timer, at: Timestamp) -> Output {
        let token = self.context.token();
        self.timers.insert(token, timer);
        Output::Wake { token, at }
    }

    fn woken(&mut self, token: Token, now: Timestamp) -> Vec<Output> {
        match self.timers.remove(&token) {
            Some(Timer::Over(id)) => match self.running.get(&id).is_some_and(|r| r.until <= now) {
                true => self.finish(&id, "Its time is over", now),
                false => Vec::new(),
            },
            Some(Timer::Stale(id)) => {
                let stale = |d: &Draft| now.seconds_since(d.asked_at) >= DRAFT_S && !d.assigned;
                if self.drafts.get(&id).is_some_and(stale) {
                    self.forget(&id);
                }
                Vec::new()
            }
            Some(Timer::Awake(id)) => self.awake(&id, now),
            Some(Timer::Power) => {
                self.power_timer = false;
                self.settle_power(now)
            }
            None => {
                let heard = self.outbox.woken(&mut self.context, token, now);
                self.heard(heard, now)
            }
        }
    }

    /// Commands what the compensations that run want of cells.
    fn settle_power(&mut self, now: Timestamp) -> Vec<Output> {
        let mut wanted: BTreeMap<ElementId, f64> = BTreeMap::new();
        for running in self.running.values() {
            for (cell, part) in &running.plan.parts {
                if !running.asleep.contains(cell) {
                    let offset = wanted.entry(cell.clone()).or_default();
                    *offset = offset.max(part.offset_db);
                }
            }
        }
        self.power.want(wanted);
        let mut outputs = self.power.bring_about(&mut self.context, now);
        if !self.power.is_settled() && !self.power_timer {
            self.power_timer = true;
            outputs.push(self.wake(Timer::Power, now.plus_s(power::LOST_S + 1.0)));
        }
        outputs
    }

    fn notified(&mut self, news: &Notification, now: Timestamp) -> Vec<Output> {
        let about = |r: &Running| r.energy_task.as_ref() == Some(&news.task);
        let found = self.running.iter().find(|(_, r)| about(r));
        let Some(id) = found.map(|(id, _)| id.clone()) else {
            return Vec::new();
        };
        if news.status.is_terminal() {
            return self.energy_ended(&id, now);
        }
        let suspended = |r: SavingResult| r.status == SavingStatus::Suspended;
        match SavingResult::in_content(&news.content).is_some_and(suspended) {
            true => self.awake(&id, now),
            false => Vec::new(),
        }
    }

    fn heard(&mut self, heard: ReplyOutcome<Purpose>, now: Timestamp) -> Vec<Output> {
        let (purpose, sent, reply) = match heard {
            ReplyOutcome::Handled(outputs) => return outputs,
            ReplyOutcome::Unknown => return Vec::new(),
            ReplyOutcome::Answered {
                purpose,
                sent,
                reply,
            } => (purpose, sent, reply),
        };
        match purpose {
            Purpose::Energy(id) => self.energy_answered(&id, *sent, reply.ok(), now),
            Purpose::Agreement(id, agreed) => {
                let taken = reply.is_ok_and(|r| r.verdict != Verdict::Refused);
                self.energy_agreed(&id, taken.then_some(*agreed), now)
            }
            Purpose::Ruling(id, offer, asked) => self.ruled(&id, &offer, *asked, reply.ok(), now),
            Purpose::Awake(id) => match reply {
                Ok(reply) if reply.verdict != Verdict::Refused => Vec::new(),
                _ => self.energy_ended(&id, now),
            },
            Purpose::State(id) => {
                let status = reply.ok().and_then(|r| r.status);
                match status.is_some_and(|s| !s.is_terminal()) {
                    true => Vec::new(),
                    false => self.energy_ended(&id, now),
                }
            }
            Purpose::Word => Vec::new(),
        }
    }

    /// The answer to whoever asked for a compensation, later than at once.
    fn speak(task: &TaskId, reply: Reply) -> Output {
        let speech = match reply.verdict {
            Verdict::Offered => Speech {
                reasons: reply.reasons,
                ..Speech::offer(reply.content)
            },
            Verdict::Refused => Speech {
                contents: reply.content,
                ..Speech::refuse(reply.reasons)
            },
            _ => Speech {
                contents: reply.content,
                ..Speech::accept()
            },
        };
        Output::Speak {
            task: task.clone(),
            kind: Kind::Feasibility,
            speech,
        }
    }
}

#[cfg(test)]
mod tests;
