//! A ticket for what cannot be mended from afar: opened, taken, judged.
//!
//! Knows what whoever takes tickets is told, and what its word on the repair is worth. Who goes there
//! and how long it takes it does not know, nor whether the repair helped: that is looked at in
//! [`super::verifying`]. Read next: [`super::verifying`].

use super::case::{CareCase, RepairState};
use super::{Care, Purpose};
use crate::domain_agent::job::place_of;
use crate::payloads::Schema;
use crate::payloads::repair::{Repair, RepairResult};
use crate::wireless_fault::expertise::Base;
use domain::agent::{Message, Output, Undelivered};
use domain::content::Content;
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;

/// Seconds after which a ticket is given up.
pub(super) const TICKET_LONGEST_S: f64 = 28_800.0;
/// Milliseconds after which a ticket's result that nobody judged ends unconfirmed: its publisher was
/// restarted.
const JUDGED_WITHIN_MS: i64 = 10_800_000;

impl Care {
    pub(super) fn open_ticket(
        &mut self,
        base: &mut Base,
        number: u64,
        now: Timestamp,
    ) -> Vec<Output> {
        let found = base.context().colleague(Repair::ID, Layer::Service, None);
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        let Some(((element, cause, proposal), to)) = case.root.clone().zip(found) else {
            return self.leave(base, number, "nobody takes tickets", now);
        };
        let task = base.desk_mut().task_id(now);
        let repair = Repair {
            ticket_id: format!("TT-{task}"),
            element: element.clone(),
            cause,
            place: place_of(base.topology().inventory(), &element),
            affected_sites: case.sites.clone(),
            proposal: proposal.clone(),
            evidence: case.evidence.iter().rev().take(20).cloned().collect(),
        };
        let content = Content::new(
            element.as_str(),
            format!("{proposal} ({cause} of {element})"),
        )
        .with_payload(repair.to_payload())
        .expecting("service restored");
        let mut outputs = self.enter(base, number, RepairState::Repairing(task.clone()), now);
        if let Some(case) = self.case(number) {
            case.executor.clone_from(&to);
            (case.judging, case.rejected) = (false, false);
        }
        let conditions = Conditions {
            answer_within_ms: Some(JUDGED_WITHIN_MS),
            ..Conditions::default()
        };
        let message = Message {
            conditions,
            ..Message::new(to, Verb::TaskAssign, task, content)
        };
        outputs.extend(self.send(base, Purpose::Ticket(number), message, now));
        outputs
    }

    pub(super) fn ticket_taken(
        &mut self,
        base: &mut Base,
        number: u64,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let taken = reply.is_ok_and(|r| r.verdict != Verdict::Refused);
        let repairing = |c: &mut CareCase| matches!(c.work, RepairState::Repairing(_));
        match taken || !self.case(number).is_some_and(repairing) {
            true => Vec::new(),
            false => self.leave(base, number, "the ticket was not taken", now),
        }
    }

    /// Goes on when whoever has the ticket is done: it is seen whether that helped.
    pub(super) fn repaired(
        &mut self,
        base: &mut Base,
        number: u64,
        news: &Notification,
        now: Timestamp,
    ) -> Vec<Output> {
        let result = RepairResult::in_content(&news.content);
        let (to, task) = (news.from.clone(), news.task.clone());
        match result {
            Some(result) if result.repaired => {
                if let Some(case) = self.case(number) {
                    (case.judging, case.looks) = (true, 0);
                }
                self.look(base, number)
            }
            _ => {
                if let Some(case) = self.case(number)
                    && let Some((element, ..)) = case.root.take()
                {
                    case.refuted.insert(element);
                }
                let mut outputs = self.cancel(base, to, task, "The cause lies elsewhere", now);
                outputs.extend(self.next_round(base, number, "nothing was broken there", now));
                outputs
            }
        }
    }

    /// The word on a ticket's result.
    pub(super) fn judge(
        &mut self,
        base: &mut Base,
        to: String,
        task: TaskId,
        word: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        let content = Content::new("ticket", "Judgement of the repair").with_result(word);
        let content = content.in_reply_to(Awaits::Judgement);
        let message = Message::new(to, Verb::FulfillmentNegotiate, task, content);
        self.send(base, Purpose::Word, message, now)
    }
}
