//! The care for troubles of the wireless network: users first, then the cause (draft §2.2).
//!
//! - [`case`]: one trouble and its states; [`trouble`]: which alarms make one, `screening`: which
//!   counters do;
//! - [`aid`]: the conversation with the optimisation agent; [`work`]: finding and mending the cause;
//!   `cause`: what measurements and alarms speak for, `source`: where foreign power comes from;
//! - `checking`: whether measurements bear out what alarms say, before anything is done; `counters`: what
//!   cells did before, and do now; `audit`: what their parameters were before; `hearing`: how much what they hear
//!   changes by itself;
//! - [`question`]: the conversation with the IP domain's agent; [`ticket`]: with whoever repairs;
//!   [`verifying`]: whether it helped.
//!
//! A trouble counts once its alarms have stood for a minute. It is over when alarms and a measurement
//! agree that it is; whatever was begun for it ends then: the compensation last, so that users are
//! never without both. Cases live in memory; after a restart the optimisation agent's reports show
//! which compensations are open, and each becomes a case again ([`aid`]). Read next: [`case`].

pub mod aid;
mod audit;
pub mod case;
mod cause;
mod checking;
mod counters;
mod hearing;
pub mod question;
mod screening;
mod source;
pub mod ticket;
pub mod trouble;
pub mod verifying;
pub mod work;

use super::expertise::Base;
use crate::alarm_trust::AlarmTrust;
use crate::knowledge::Knowledge;
use crate::outbox::{Outbox, ReplyOutcome};
use audit::Audit;
use case::{CareCase, CompensationState, RepairState};
use domain::agent::{Message, Output, Undelivered};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::TaskId;
use domain::telemetry::{
    Action, Alarm, AlarmType, CellPerformance, Configuration, Outcome, Performance, Token,
};
use domain::time::Timestamp;
use domain::verb::Verb;
use hearing::Hearing;
use std::collections::BTreeMap;
use std::sync::Arc;
use trouble::{is_of_cell, tells_of_trouble};

/// Seconds for which alarms must have stood.
pub const SETTLED_S: f64 = 60.0;
/// Seconds after which the next step is taken although a step has not ended.
const STEP_LONGEST_S: f64 = 900.0;
/// Seconds after which the work begins although nobody has said whether users can be helped.
const AID_LONGEST_S: f64 = 240.0;
/// Seconds between two looks at whether a case is over.
const LOOK_EACH_S: f64 = 300.0;

/// The purpose of a message; the number is that of the case.
#[derive(Clone, Debug)]
enum Purpose {
    /// Asking the optimisation agent whether it can help.
    Aid(u64),
    /// Agreeing to what it offered; it is what follows.
    AidAgreement(u64, Box<Content>),
    /// Assigning the help.
    AidTask(u64),
    /// Asking the IP domain's agent whether it can diagnose.
    Question(u64),
    /// Agreeing to what it offered.
    QuestionAgreement(u64, Box<Content>),
    /// Assigning the diagnosis.
    Diagnosis(u64),
    /// Opening the ticket.
    Ticket(u64),
    /// Nothing depends on the reply.
    Word,
}

impl Purpose {
    fn is_about(&self, number: u64) -> bool {
        match self {
            Self::Aid(n)
            | Self::AidAgreement(n, _)
            | Self::AidTask(n)
            | Self::Question(n)
            | Self::QuestionAgreement(n, _)
            | Self::Diagnosis(n)
            | Self::Ticket(n) => *n == number,
            Self::Word => false,
        }
    }
}

#[derive(Clone, Debug)]
enum Timer {
    /// Alarms may have settled.
    Settle,
    /// A step may have taken too long.
    Step(u64, u64),
    /// Look whether the case is over.
    Look(u64),
}

/// The reason why something was done to the network.
#[derive(Clone, Debug)]
enum Errand {
    /// A step of the work, and at which element.
    Step(u64, u64, ElementId),
    /// Look whether the case is over, at this element.
    Look(u64, ElementId),
    /// Look whether a cell that does worse than before is in trouble.
    Screen(ElementId),
    /// Read the parameters of a cell in its turn.
    Audit(ElementId),
}

impl Errand {
    fn element(&self) -> &ElementId {
        match self {
            Self::Step(.., element)
            | Self::Look(_, element)
            | Self::Screen(element)
            | Self::Audit(element) => element,
        }
    }
}

/// A cell that may do worse because a parameter is not as planned.
#[derive(Clone, Debug)]
struct Suspect {
    read: Configuration,
    /// A period before that.
    before: Arc<Performance>,
    /// True if the parameter was changed since.
    changed: bool,
    /// The number of periods for which it has been watched.
    watched: u32,
}

/// The care for troubles.
#[derive(Debug, Default)]
pub struct Care {
    knowledge: Arc<Knowledge>,
    outbox: Outbox<Purpose>,
    cases: Vec<CareCase>,
    opened: u64,
    timers: BTreeMap<Token, Timer>,
    errands: BTreeMap<Token, Errand>,
    settling_at: Option<Timestamp>,
    performance: Option<Arc<Performance>>,
    /// The performance of cells before their trouble.
    healthy: BTreeMap<ElementId, CellPerformance>,
    /// The last periods, oldest first.
    periods: Vec<Arc<Performance>>,
    /// Cells that may do worse because a parameter is not as planned.
    suspects: BTreeMap<ElementId, Suspect>,
    /// How far alarms of each type have proved true.
    trust: AlarmTrust,
    /// What the parameters of cells were.
    audit: Audit,
    /// How much what cells hear changes by itself.
    hearing: Hearing,
}

impl Care {
    /// No troubles yet; causes will be weighed by this knowledge.
    pub(super) fn knowing(knowledge: &Arc<Knowledge>) -> Self {
        Self {
            knowledge: Arc::clone(knowledge),
            ..Self::default()
        }
    }

    /// Begins to read what the parameters of all cells are, before anything happens to them.
    pub(super) fn read_all(&mut self, base: &mut Base) -> Vec<Output> {
        self.audit.plan(base.topology().inventory().cells.keys());
        self.read_due(base)
    }

    /// True if this token is of something that was done for a case.
    pub(super) fn awaits(&self, token: Token) -> bool {
        self.errands.contains_key(&token)
    }

    pub(super) fn alarmed(
        &mut self,
        base: &mut Base,
        alarm: &Alarm,
        now: Timestamp,
    ) -> Vec<Output> {
        match alarm.alarm_type {
            of_trouble if tells_of_trouble(of_trouble) => {
                self.settle_at(base, now.plus_s(SETTLED_S))
            }
            // Nobody knows what it says, but something may be the matter there.
            AlarmType::Unknown if !alarm.cleared => self.screen_strange(base, &alarm.resource),
            _ => Vec::new(),
        }
    }

    fn settle_at(&mut self, base: &mut Base, at: Timestamp) -> Vec<Output> {
        if self.settling_at.is_some_and(|planned| planned <= at) {
            return Vec::new();
        }
        self.settling_at = Some(at);
        vec![self.wake(base, Timer::Settle, at)]
    }

    pub(super) fn counted(
        &mut self,
        base: &mut Base,
        performance: Arc<Performance>,
        now: Timestamp,
    ) -> Vec<Output> {
        self.keep_period(&performance);
        let mut outputs = self.screen(base, &performance, now);
        let troubled = |id: &ElementId| {
            let of = |c: &CareCase| c.cells.contains(id);
            self.cases.iter().any(of)
        };
        for (id, cell) in &performance.cells {
            if cell.users > 0.5 && !troubled(id) && !self.suspects.contains_key(id) {
                self.healthy.insert(id.clone(), cell.clone());
            }
        }
        self.audit.plan(performance.cells.keys());
        outputs.extend(self.read_due(base));
        self.performance = Some(performance);
        outputs
    }

    /// Reads the parameters of cells that are due.
    fn read_due(&mut self, base: &mut Base) -> Vec<Output> {
        let mut outputs = Vec::new();
        for element in self.audit.ask() {
            let errand = Errand::Audit(element.clone());
            outputs.push(self.act(base, errand, Action::ReadConfiguration { element }));
        }
        outputs
    }

    fn wake(&mut self, base: &mut Base, timer: Timer, at: Timestamp) -> Output {
        let token = base.desk_mut().token();
        self.timers.insert(token, timer);
        Output::Wake { token, at }
    }

    fn act(&mut self, base: &mut Base, errand: Errand, action: Action) -> Output {
        let token = base.desk_mut().token();
        self.errands.insert(token, errand);
        Output::Act { token, action }
    }

    /// An instant has come; none if it is not this agent part's.
    pub(super) fn woken(
        &mut self,
        base: &mut Base,
        token: Token,
        now: Timestamp,
    ) -> Option<Vec<Output>> {
        match self.timers.remove(&token) {
            Some(Timer::Settle) => {
                self.settling_at = None;
                Some(self.settle(base, now))
            }
            Some(Timer::Step(number, step)) => Some(match self.case(number) {
                Some(case) if case.step == step => self.step_over(base, number, now),
                _ => Vec::new(),
            }),
            Some(Timer::Look(number)) => Some(self.look_again(base, number, now)),
            None => match self.outbox.woken(base.desk_mut(), token, now) {
                ReplyOutcome::Unknown => None,
                heard => Some(self.heard(base, heard, now)),
            },
        }
    }

    pub(super) fn acted(
        &mut self,
        base: &mut Base,
        token: Token,
        outcome: Outcome,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(errand) = self.errands.remove(&token) else {
            return Vec::new();
        };
        let mut outputs = match &outcome {
            Outcome::Measured(measured) => base.seen(measured, now),
            Outcome::Configuration(read) => {
                let cell = errand.element();
                let is_troubled = base.alarms().on(cell).any(|(t, _)| is_of_cell(t));
                self.audit.take(cell, read, is_troubled, now);
                Vec::new()
            }
            _ => Vec::new(),
        };
        outputs.extend(match errand {
            Errand::Step(number, step, element) => match self.case(number) {
                Some(case) if case.step == step => {
                    self.step_done(base, number, element, outcome, now)
                }
                _ => Vec::new(),
            },
            Errand::Look(number, element) => self.looked(base, number, &element, outcome, now),
            Errand::Screen(cell) => self.screened(base, cell, &outcome, now),
            Errand::Audit(cell) => {
                self.audit.answered();
                let mut outputs = self.audited(base, cell, &outcome);
                outputs.extend(self.read_due(base));
                outputs
            }
        });
        outputs
    }

    pub(super) fn replied(
        &mut self,
        base: &mut Base,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let heard = self.outbox.replied(base.desk_mut(), token, reply, now);
        self.heard(base, heard, now)
    }

    fn heard(
        &mut self,
        base: &mut Base,
        heard: ReplyOutcome<Purpose>,
        now: Timestamp,
    ) -> Vec<Output> {
        let (purpose, sent, reply) = match heard {
            ReplyOutcome::Handled(outputs) => return outputs,
            ReplyOutcome::Unknown => return Vec::new(),
            ReplyOutcome::Answered {
                purpose,
                sent,
                reply,
            } => (purpose, *sent, reply),
        };
        match purpose {
            Purpose::Aid(n) => self.aid_answered(base, n, sent, reply, now),
            Purpose::AidAgreement(n, agreed) => {
                self.aid_agreed(base, n, &sent, *agreed, reply, now)
            }
            Purpose::AidTask(n) => self.aid_taken(base, n, reply, now),
            Purpose::Question(n) => self.question_answered(base, n, sent, reply, now),
            Purpose::QuestionAgreement(n, agreed) => {
                self.question_agreed(base, n, &sent, *agreed, reply, now)
            }
            Purpose::Diagnosis(n) => self.diagnosis_taken(base, n, reply, now),
            Purpose::Ticket(n) => self.ticket_taken(base, n, reply, now),
            Purpose::Word => Vec::new(),
        }
    }

    pub(super) fn notified(
        &mut self,
        base: &mut Base,
        news: &Notification,
        now: Timestamp,
    ) -> Vec<Output> {
        let aids = |c: &CareCase| c.aid.task() == Some(&news.task);
        if let Some(number) = self.cases.iter().find(|c| aids(c)).map(|c| c.number) {
            return self.aid_news(base, number, news, now);
        }
        let works = |c: &CareCase| c.task() == Some(&news.task);
        match self.cases.iter().find(|c| works(c)).map(|c| c.number) {
            Some(number) => self.work_news(base, number, news, now),
            None => self.adopt(base, news, now),
        }
    }

    fn case(&mut self, number: u64) -> Option<&mut CareCase> {
        self.cases.iter_mut().find(|c| c.number == number)
    }

    fn send(
        &mut self,
        base: &mut Base,
        purpose: Purpose,
        message: Message,
        now: Timestamp,
    ) -> Vec<Output> {
        self.outbox.send(base.desk_mut(), purpose, message, now)
    }

    fn cancel(
        &mut self,
        base: &mut Base,
        to: String,
        task: TaskId,
        why: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        let content = Content::new(task.as_str(), why);
        let message = Message::new(to, Verb::TaskCancel, task, content);
        self.send(base, Purpose::Word, message, now)
    }

    /// The next step of a case's work begins.
    fn enter(
        &mut self,
        base: &mut Base,
        number: u64,
        work: RepairState,
        now: Timestamp,
    ) -> Vec<Output> {
        let longest = match &work {
            RepairState::Waiting => AID_LONGEST_S,
            RepairState::Repairing(_) => ticket::TICKET_LONGEST_S,
            RepairState::Verifying => verifying::VERIFY_EACH_S,
            RepairState::Doubting => LOOK_EACH_S,
            _ => STEP_LONGEST_S,
        };
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.step += 1;
        let (step, is_left) = (case.step, matches!(work, RepairState::Left(_)));
        case.work = work;
        match is_left {
            true => Vec::new(),
            false => vec![self.wake(base, Timer::Step(number, step), now.plus_s(longest))],
        }
    }

    /// The case is over: what was begun for it ends, the help for its users last.
    fn close(&mut self, base: &mut Base, number: u64, why: &str, now: Timestamp) -> Vec<Output> {
        let Some(at) = self.cases.iter().position(|c| c.number == number) else {
            return Vec::new();
        };
        let case = self.cases.remove(at);
        self.outbox.forget(|p| p.is_about(number));
        let spoke_true = case.borne_out || case.root.is_some();
        if spoke_true || case.checks > 0 {
            self.trust.found(case.symptoms.iter().copied(), spoke_true);
        }
        let mut outputs = vec![Output::Note(format!(
            "Trouble {number} of {} is over: {why}",
            case.subject()
        ))];
        if let Some(task) = case.task().cloned() {
            let to = case.executor.clone();
            outputs.extend(match (&case.work, case.judging) {
                (RepairState::Repairing(_), true) => self.judge(base, to, task, "accept", now),
                _ => self.cancel(base, to, task, why, now),
            });
        }
        if let CompensationState::Assigned(task) | CompensationState::Active(task) = case.aid {
            let why = "Service is back: the compensation is cancelled";
            outputs.push(Output::Note(format!("{why} ({task})")));
            outputs.extend(self.cancel(base, case.helper, task, why, now));
        }
        outputs
    }
}

#[cfg(test)]
mod tests;
