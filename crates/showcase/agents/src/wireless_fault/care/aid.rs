//! Help for the users: asked for before anything is located, cancelled when service is back.
//!
//! Whether neighbours can serve is negotiated first; what can be had is taken, for something is better
//! than nothing. When the time of a compensation is over and the trouble is not, it is asked for again.

use super::case::{CareCase, CompensationState, RepairState};
use super::{Care, LOOK_EACH_S, Purpose, Timer};
use crate::answers::{agreement, why_not};
use crate::payloads::Schema;
use crate::payloads::compensation::{Compensation, CompensationResult, SavingMeanwhile};
use crate::payloads::repair::RepairResult;
use crate::wireless_fault::expertise::Base;
use crate::wording::counted;
use domain::agent::{Message, Output, Undelivered};
use domain::content::Content;
use domain::inventory::{Domain, ElementId};
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Status};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;

/// Minutes for which users are helped, unless service is back before.
const DURATION_MIN: u64 = 240;
/// Seconds beyond these after which the platform ends the task.
const GRACE_S: f64 = 1_800.0;
/// The throughput that each user keeps at the least, in Mbit/s.
pub(super) const MIN_THROUGHPUT_MBPS: f64 = 2.0;
/// The number of times that help is asked for in one trouble.
const AIDS_MAX: u32 = 6;
/// The most sites for whose users help is asked at once.
const SITES_MAX: usize = 100;

impl Care {
    /// Asks the optimisation agent whether neighbours can serve.
    pub(super) fn ask_aid(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let wireless = Some(Domain::Wireless);
        let found = base
            .context()
            .colleague(Compensation::ID, Layer::Resource, wireless);
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let sites = helpable(base, case);
        let why_not = match (&found, sites.is_empty(), case.aids >= AIDS_MAX) {
            (None, ..) => Some("no agent compensates"),
            (_, true, _) => Some("no site around is in service"),
            (_, _, true) => Some("it was asked for too often"),
            _ => None,
        };
        let (Some(to), None) = (found, why_not) else {
            let why = why_not.unwrap_or("no agent compensates");
            return self.no_aid(base, number, why, now);
        };
        let content = request(case, sites);
        let task = base.desk_mut().task_id(now);
        if let Some(case) = self.case(number) {
            case.aid = CompensationState::Asked(task.clone());
            case.helper.clone_from(&to);
            case.aids += 1;
        }
        let message = Message::new(to, Verb::FeasibilityNegotiate, task, content);
        self.send(base, Purpose::Aid(number), message, now)
    }

    /// There is no help; the work goes on without.
    fn no_aid(&mut self, base: &mut Base, number: u64, why: &str, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.aid = CompensationState::Over(why.to_owned());
        let words = format!("Users of trouble {number} are not helped: {why}");
        let mut outputs = vec![Output::Note(words)];
        outputs.extend(self.aid_decided(base, number, now));
        outputs
    }

    /// It is decided whether users are helped: now the cause.
    fn aid_decided(&mut self, base: &mut Base, number: u64, now: Timestamp) -> Vec<Output> {
        let waits = |c: &mut CareCase| c.work == RepairState::Waiting;
        match self.case(number).is_some_and(waits) {
            true => self.check_configuration(base, number, now),
            false => Vec::new(),
        }
    }

    pub(super) fn aid_answered(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: Message,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let reply = match reply {
            Ok(reply) => reply,
            Err(undelivered) => return self.no_aid(base, number, &undelivered.message, now),
        };
        match reply.verdict {
            Verdict::Accepted | Verdict::Result => {
                self.assign_aid(base, number, &sent, sent.content.clone(), now)
            }
            Verdict::Offered => self.take_offer(base, number, sent, &reply, now),
            _ => {
                let why: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
                let why = match why.is_empty() {
                    true => "the optimisation agent has not decided".to_owned(),
                    false => why.join("; "),
                };
                self.no_aid(base, number, &why, now)
            }
        }
    }

    /// Less is offered than was asked for: it is taken.
    fn take_offer(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: Message,
        reply: &Reply,
        now: Timestamp,
    ) -> Vec<Output> {
        let readable = |c: &&Content| Compensation::in_content(c).is_some();
        let found = reply.content.iter().find(readable);
        let place = found.and_then(|f| reply.content.iter().position(|c| c == f));
        let Some((offer, place)) = found.zip(place) else {
            return self.no_aid(base, number, "what is offered cannot be read", now);
        };
        let message = agreement(sent, place + 1, offer);
        let purpose = Purpose::AidAgreement(number, Box::new(offer.clone()));
        self.send(base, purpose, message, now)
    }

    pub(super) fn aid_agreed(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: &Message,
        agreed: Content,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        match reply {
            Ok(reply) if reply.verdict != Verdict::Refused => {
                self.assign_aid(base, number, sent, agreed, now)
            }
            _ => self.no_aid(base, number, "the agreement was not taken", now),
        }
    }

    fn assign_aid(
        &mut self,
        base: &mut Base,
        number: u64,
        sent: &Message,
        agreed: Content,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        case.aid = CompensationState::Assigned(sent.task.clone());
        let order = Compensation::in_content(&agreed);
        let minutes = order.and_then(|o| o.duration_minutes);
        let longest = minutes.unwrap_or(DURATION_MIN) as f64 * 60.0 + GRACE_S;
        let conditions = Conditions {
            deadline: Some(now.plus_s(longest)),
            ..Conditions::default()
        };
        let (to, task) = (sent.to.clone(), sent.task.clone());
        let message = Message {
            conditions,
            ..Message::new(to, Verb::TaskAssign, task, agreed)
        };
        self.send(base, Purpose::AidTask(number), message, now)
    }

    pub(super) fn aid_taken(
        &mut self,
        base: &mut Base,
        number: u64,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        match reply {
            Ok(reply) if reply.verdict == Verdict::Refused => {
                self.no_aid(base, number, &why_not(&reply), now)
            }
            // Without a reply it may have been taken all the same: it is cancelled at the end.
            _ => {
                if let Some(case) = self.case(number)
                    && let CompensationState::Assigned(task) = &case.aid
                {
                    case.aid = CompensationState::Active(task.clone());
                }
                self.aid_decided(base, number, now)
            }
        }
    }

    pub(super) fn aid_news(
        &mut self,
        base: &mut Base,
        number: u64,
        news: &Notification,
        now: Timestamp,
    ) -> Vec<Output> {
        if !news.status.is_terminal() {
            let told = CompensationResult::in_content(&news.content);
            let Some(case) = self.case(number) else {
                return Vec::new();
            };
            if let CompensationState::Assigned(task) = &case.aid {
                case.aid = CompensationState::Active(task.clone());
            }
            return told
                .map(|t| Output::Note(figures(number, &t)))
                .into_iter()
                .collect();
        }
        let why = &news.content.task_description;
        let Some(case) = self.case(number) else {
            return Vec::new();
        };
        if news.status == Status::Finished {
            case.aid = CompensationState::None;
            return self.ask_aid(base, number, now);
        }
        self.no_aid(base, number, why, now)
    }

    /// News of a task that no case has: it is from before a restart. The trouble of the users of a
    /// compensation becomes a case again, which ends when the sites are measured to be back; a ticket
    /// is worked to its end.
    pub(super) fn adopt(
        &mut self,
        base: &mut Base,
        news: &Notification,
        now: Timestamp,
    ) -> Vec<Output> {
        if let Some(awaits) = news.awaits {
            let (to, task) = (news.from.clone(), news.task.clone());
            let repaired = RepairResult::in_content(&news.content).is_some_and(|r| r.repaired);
            return match repaired && awaits == Awaits::Judgement {
                true => self.judge(base, to, task, "accept", now),
                false => self.cancel(base, to, task, "Nothing is known of it any more", now),
            };
        }
        let told = CompensationResult::in_content(&news.content);
        let sites = told.map(|t| t.sites).unwrap_or_default();
        if news.status.is_terminal() || sites.is_empty() {
            return Vec::new();
        }
        self.opened += 1;
        let number = self.opened;
        let case = CareCase {
            sites,
            aid: CompensationState::Active(news.task.clone()),
            helper: news.from.clone(),
            work: RepairState::Left("it goes on from before a restart".to_owned()),
            adopted: true,
            ..CareCase::new(number, now)
        };
        self.cases.push(case);
        let words = format!("Compensation {} is from before the restart", news.task);
        let mut outputs = vec![Output::Note(words)];
        outputs.push(self.wake(base, Timer::Look(number), now.plus_s(LOOK_EACH_S)));
        outputs.extend(self.look(base, number));
        outputs
    }
}

/// The effect of a compensation, in words: the trade is there to be seen.
fn figures(number: u64, told: &CompensationResult) -> String {
    let mbps = |m: Option<f64>| m.map_or("?".to_owned(), |m| format!("{m:.1}"));
    let percent = told.users_served_percent;
    format!(
        "Users of trouble {number}: {} % served by {}; the slowest tenth gets {} Mbit/s, before \
         {}; it has cost {:.2} kWh",
        percent.map_or("?".to_owned(), |p| format!("{p:.0}")),
        counted(told.cells.len(), "cell", "cells"),
        mbps(told.throughput_mbps),
        mbps(told.throughput_before_mbps),
        told.extra_energy_kwh.unwrap_or_default()
    )
}

/// The sites of a case beside which something serves.
fn helpable(base: &Base, case: &CareCase) -> BTreeSet<ElementId> {
    let inventory = base.topology().inventory();
    let serves = |n: &ElementId| !base.alarms().site_is_out(inventory.node_of(n));
    let beside = |s: &&ElementId| {
        let cells = inventory.cells_of(s).filter_map(|c| inventory.cells.get(c));
        let mut neighbours = cells.flat_map(|c| &c.neighbours);
        neighbours.any(|n| inventory.node_of(n) != *s && serves(n))
    };
    let within = |s: &&ElementId| !case.cells.is_empty() || beside(s);
    let sites = case.sites.iter().filter(within);
    sites.take(SITES_MAX).cloned().collect()
}

fn request(case: &CareCase, sites: BTreeSet<ElementId>) -> Content {
    let target = case.subject().as_str();
    let whose = match case.cells.len() {
        0 => counted(sites.len(), "site", "sites"),
        n => counted(n, "cell", "cells"),
    };
    let words = format!("Have the users of {whose} served by neighbours");
    let order = Compensation {
        sites,
        lost_cells: case.cells.clone(),
        min_throughput_mbps: Some(MIN_THROUGHPUT_MBPS),
        energy_saving: SavingMeanwhile::Suspend,
        duration_minutes: Some(DURATION_MIN),
        incident_id: Some(case.incident()),
        ..Compensation::default()
    };
    Content::new(target, words).with_payload(order.to_payload())
}
