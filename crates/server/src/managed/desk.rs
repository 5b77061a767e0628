//! Who waits for what came of which action, and whose engineer is out under which number.
//!
//! Actions of hosted agents have tokens of their agents, those of callers of the platform's own
//! management systems a number; a management system elsewhere numbers dispatches by itself. Tokens die with a
//! process, and agents send out again under the work order: by that it is known whose engineer reports under a number of
//! a former life. Read next: [`super::network`].

use domain::telemetry::{FieldReport, Token};
use domain::time::Timestamp;
use engine::ActAnswer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use tokio::sync::oneshot;

/// The most dispatches that are remembered.
const DISPATCHES: usize = 10_000;
/// The most reports of engineers of one system that wait for their dispatch to be answered.
const EARLY: usize = 64;

/// How long what came of a visit is kept once it was told: its agent steps on it meanwhile.
const HEARD_MS: i64 = 60_000;

/// Who asked.
#[derive(Debug)]
pub(super) enum Asker {
    /// A hosted agent.
    Agent { name: String, token: Token },
    /// A caller of one of the platform's own management systems.
    Caller {
        name: String,
        answer: oneshot::Sender<ActAnswer>,
    },
}

/// An action under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) asker: Asker,
    /// True if it sends an engineer.
    pub(super) dispatches: bool,
    /// Under which work order it does.
    pub(super) work_order: Option<String>,
}

/// Who sent an engineer, under which number of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sender {
    pub(super) name: String,
    /// The token of a hosted agent, the number of a caller's dispatch.
    pub(super) token: Token,
    pub(super) is_hosted: bool,
    /// By which the dispatch is known after this process.
    pub(super) work_order: Option<String>,
}

impl Sender {
    /// The work order of a hosted agent: another sender has nothing that outlives this process.
    fn order(&self) -> Option<&str> {
        self.work_order.as_deref().filter(|_| self.is_hosted)
    }

    fn is_of(&self, kept: &KeptDispatch) -> bool {
        self.name == kept.agent && self.order() == Some(&kept.work_order)
    }
}

/// What is kept of a dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptDispatch {
    agent: String,
    work_order: String,
    /// What came of the visit, until its agent has heard it.
    ended: Option<FieldReport>,
}

/// A dispatch as its system numbers it.
pub(super) type Dispatched = (usize, u64);

/// A dispatch of a former life.
#[derive(Debug)]
struct Former {
    kept: KeptDispatch,
    /// The dispatch by which its agent has sent out again, under the same work order.
    anew: Option<Dispatched>,
}

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Desk {
    last: u64,
    under_way: BTreeMap<u64, UnderWay>,
    senders: BTreeMap<Dispatched, Sender>,
    dispatches: BTreeMap<(String, Token), Dispatched>,
    order: VecDeque<Dispatched>,
    /// The dispatches of a former life.
    former: BTreeMap<Dispatched, Former>,
    /// What is to be kept anew; none of what is to be kept no more.
    unwritten: Vec<(Dispatched, Option<KeptDispatch>)>,
    /// What was told of visits that ended, and when.
    told: VecDeque<(Timestamp, Dispatched)>,
    /// Reports that came before the answer to their dispatch.
    early: VecDeque<(usize, FieldReport)>,
}

/// What becomes of an engineer's report.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reported {
    /// It is for this sender, under the sender's own token.
    To(Sender, FieldReport),
    /// It is kept until its agent sends out again.
    Kept,
    /// It may be told later, or never.
    Nobody,
}

impl Desk {
    /// One that goes on from what was kept of dispatches.
    pub(super) fn after(kept: BTreeMap<Dispatched, KeptDispatch>) -> Self {
        let former = kept.into_iter().map(|(dispatched, kept)| {
            let anew = None;
            (dispatched, Former { kept, anew })
        });
        let former: BTreeMap<_, _> = former.collect();
        Self {
            order: former.keys().copied().collect(),
            former,
            ..Self::default()
        }
    }

    /// What is to be kept anew, once.
    pub(super) fn take_unwritten(&mut self) -> Vec<(Dispatched, Option<KeptDispatch>)> {
        std::mem::take(&mut self.unwritten)
    }

    /// What was told long enough ago is kept no more.
    pub(super) fn forget_heard(&mut self, now: Timestamp) {
        while let Some((told, dispatched)) = self.told.front().copied()
            && told + HEARD_MS <= now
        {
            self.told.pop_front();
            self.unwritten.push((dispatched, None));
        }
    }

    /// A new number for a request.
    pub(super) fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Notes who waits for a request.
    pub(super) fn begin(&mut self, number: u64, under_way: UnderWay) {
        self.under_way.insert(number, under_way);
    }

    /// Who waits for a request, once.
    pub(super) fn end(&mut self, number: u64) -> Option<UnderWay> {
        self.under_way.remove(&number)
    }

    /// Notes under which number of its system an engineer is out; returns the reports that have come
    /// already.
    pub(super) fn sent(
        &mut self,
        dispatched: Dispatched,
        sender: Sender,
        now: Timestamp,
    ) -> Vec<FieldReport> {
        if self.order.len() >= DISPATCHES
            && let Some(oldest) = self.order.pop_front()
        {
            self.forget(oldest);
        }
        let ended = self.sent_again(dispatched, &sender);
        if self.former.remove(&dispatched).is_some() {
            self.order.retain(|other| *other != dispatched);
        }
        // What was told under the number is of a visit before.
        self.told.retain(|(_, of)| *of != dispatched);
        if ended.is_some() {
            self.told.push_back((now, dispatched));
        }
        if let Some(work_order) = sender.order() {
            let kept = KeptDispatch {
                agent: sender.name.clone(),
                work_order: work_order.to_owned(),
                ended: ended.clone(),
            };
            self.unwritten.push((dispatched, Some(kept)));
        }
        self.dispatches
            .insert((sender.name.clone(), sender.token), dispatched);
        match self.senders.insert(dispatched, sender) {
            None => self.order.push_back(dispatched),
            // A system that gives one number to two has forgotten the first.
            Some(before) => drop(self.dispatches.remove(&(before.name, before.token))),
        }
        let early = std::mem::take(&mut self.early);
        let (own, others): (VecDeque<_>, VecDeque<_>) = early
            .into_iter()
            .partition(|(system, report)| (*system, token_of(report)) == dispatched);
        self.early = others;
        let own = own.into_iter().map(|(_, report)| report);
        own.chain(ended).collect()
    }

    fn forget(&mut self, dispatched: Dispatched) {
        let sender = self.senders.remove(&dispatched);
        let is_kept = sender
            .as_ref()
            .is_some_and(|sender| sender.order().is_some());
        if self.former.remove(&dispatched).is_some() || is_kept {
            self.unwritten.push((dispatched, None));
        }
        if let Some(Sender { name, token, .. }) = sender {
            self.dispatches.remove(&(name, token));
        }
    }

    /// A sender sends out under a work order that may have been used before: that is kept under the new
    /// number. What came of the visit, if that was a former life's and is to be heard.
    fn sent_again(&mut self, anew: Dispatched, sender: &Sender) -> Option<FieldReport> {
        let order = sender.order()?;
        let is_before = |of: &Sender| of.name == sender.name && of.order() == Some(order);
        let before = self.senders.iter().filter(|(_, of)| is_before(of));
        let before = before.map(|(dispatched, _)| (*dispatched, None));
        self.unwritten.extend(before);
        let mut ended = None;
        let former = self.former.iter_mut();
        for (dispatched, former) in former.filter(|(_, of)| of.anew.is_none()) {
            if sender.is_of(&former.kept) {
                former.anew = Some(anew);
                ended = former.kept.ended.take().or(ended);
                self.unwritten.push((*dispatched, None));
            }
        }
        ended
    }

    /// The dispatch of a sender.
    pub(super) fn dispatch_of(&self, name: &str, token: Token) -> Option<Dispatched> {
        self.dispatches.get(&(name.to_owned(), token)).copied()
    }

    /// Who sent the engineer that reports; a report that nobody waits for yet is kept for a while.
    pub(super) fn reported(
        &mut self,
        system: usize,
        report: FieldReport,
        now: Timestamp,
    ) -> Reported {
        let mut dispatched = (system, token_of(&report));
        if let Some(former) = self.former.get_mut(&dispatched) {
            // An arrival is told again by the system itself to who sends out again (`Action::Dispatch`).
            if matches!(report, FieldReport::Arrived { .. }) {
                return Reported::Nobody;
            }
            let Some(anew) = former.anew else {
                former.kept.ended = Some(report);
                let kept = former.kept.clone();
                self.unwritten.push((dispatched, Some(kept)));
                return Reported::Kept;
            };
            dispatched = anew;
        }
        match self.senders.get(&dispatched).cloned() {
            Some(sender) => {
                self.keep_ended(dispatched, &sender, &report, now);
                let token = sender.token;
                Reported::To(sender, under(report, token))
            }
            None => {
                let of_system = |(of, _): &(usize, FieldReport)| *of == system;
                if self.early.iter().filter(|early| of_system(early)).count() >= EARLY
                    && let Some(oldest) = self.early.iter().position(of_system)
                {
                    self.early.remove(oldest);
                }
                self.early.push_back((system, report));
                Reported::Nobody
            }
        }
    }

    /// What came of a visit is kept while its agent steps on it.
    fn keep_ended(
        &mut self,
        dispatched: Dispatched,
        sender: &Sender,
        report: &FieldReport,
        now: Timestamp,
    ) {
        if let (Some(order), FieldReport::Ended { .. }) = (sender.order(), report) {
            let kept = KeptDispatch {
                agent: sender.name.clone(),
                work_order: order.to_owned(),
                ended: Some(report.clone()),
            };
            self.unwritten.push((dispatched, Some(kept)));
            self.told.push_back((now, dispatched));
        }
    }
}

fn token_of(report: &FieldReport) -> Token {
    match report {
        FieldReport::Arrived { token, .. } | FieldReport::Ended { token, .. } => *token,
    }
}

/// The report under another token.
pub(super) fn under(mut report: FieldReport, own: Token) -> FieldReport {
    match &mut report {
        FieldReport::Arrived { token, .. } | FieldReport::Ended { token, .. } => *token = own,
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::inventory::ElementId;

    fn arrived(token: Token) -> FieldReport {
        FieldReport::Arrived {
            token,
            element: ElementId::new("site:1"),
            question: "What now?".to_owned(),
        }
    }

    fn sender(token: Token) -> Sender {
        Sender {
            name: "oss".to_owned(),
            token,
            is_hosted: true,
            work_order: None,
        }
    }

    fn under_order(token: Token) -> Sender {
        Sender {
            work_order: Some("repair".to_owned()),
            ..sender(token)
        }
    }

    fn ended(token: Token) -> FieldReport {
        FieldReport::Ended {
            token,
            element: ElementId::new("site:1"),
            repaired: true,
            finding: "a fuse".to_owned(),
        }
    }

    fn kept(ended: Option<FieldReport>) -> Option<KeptDispatch> {
        Some(KeptDispatch {
            agent: "oss".to_owned(),
            work_order: "repair".to_owned(),
            ended,
        })
    }

    fn now() -> Timestamp {
        Timestamp::from_ms(1_800_000_000_000)
    }

    #[test]
    fn a_report_goes_to_whoever_sent_the_engineer_even_if_it_is_early() {
        let mut desk = Desk::default();
        assert_eq!(desk.reported(0, arrived(7), now()), Reported::Nobody);
        let others = desk.sent((1, 7), sender(40), now());
        assert!(others.is_empty(), "another system's");
        assert_eq!(desk.sent((0, 7), sender(41), now()), [arrived(7)]);
        let found = desk.reported(0, arrived(7), now());
        assert_eq!(found, Reported::To(sender(41), arrived(41)));
        assert_eq!(desk.dispatch_of("oss", 41), Some((0, 7)));
        assert_eq!(desk.take_unwritten(), [], "no work order outlives this");
    }

    #[test]
    fn what_came_of_a_visit_is_kept_until_it_was_heard() {
        let mut desk = Desk::default();
        assert_eq!(desk.sent((0, 7), under_order(41), now()), []);
        assert_eq!(desk.take_unwritten(), [((0, 7), kept(None))]);
        let told = desk.reported(0, ended(7), now());
        assert_eq!(told, Reported::To(under_order(41), ended(41)));
        assert_eq!(desk.take_unwritten(), [((0, 7), kept(Some(ended(7))))]);
        desk.forget_heard(now() + (HEARD_MS - 1));
        assert_eq!(desk.take_unwritten(), []);
        desk.forget_heard(now() + HEARD_MS);
        assert_eq!(desk.take_unwritten(), [((0, 7), None)]);
    }

    #[test]
    fn who_sends_out_again_hears_what_a_former_life_would_have_heard() {
        let known = kept(None).map(|kept| ((0, 7), kept));
        let mut desk = Desk::after(known.into_iter().collect());
        let again = desk.reported(0, arrived(7), now());
        assert_eq!(again, Reported::Nobody, "the system says it again");
        assert_eq!(desk.reported(0, ended(7), now()), Reported::Kept);
        assert_eq!(desk.take_unwritten(), [((0, 7), kept(Some(ended(7))))]);
        assert_eq!(desk.sent((0, 8), sender(3), now()), [], "for another order");
        assert_eq!(desk.sent((0, 9), under_order(3), now()), [ended(7)]);
        let late = desk.reported(0, arrived(7), now());
        assert_eq!(late, Reported::Nobody, "the system has said it again");
        let anew = [((0, 7), None), ((0, 9), kept(Some(ended(7))))];
        assert_eq!(desk.take_unwritten(), anew);
        // What a replay brings after that goes the same way.
        let late = desk.reported(0, ended(7), now());
        assert_eq!(late, Reported::To(under_order(3), ended(3)));
        assert_eq!(desk.take_unwritten(), [((0, 9), kept(Some(ended(7))))]);
        // Sent out once more in this life, it is another visit.
        assert_eq!(desk.sent((0, 10), under_order(4), now()), []);
        let anew = [((0, 9), None), ((0, 10), kept(None))];
        assert_eq!(desk.take_unwritten(), anew);
    }

    #[test]
    fn a_number_that_is_given_again_is_the_new_senders() {
        let known = kept(None).map(|kept| ((0, 7), kept));
        let mut desk = Desk::after(known.into_iter().collect());
        assert_eq!(desk.sent((0, 7), sender(5), now()), []);
        let told = desk.reported(0, ended(7), now());
        assert_eq!(told, Reported::To(sender(5), ended(5)));
    }

    #[test]
    fn old_dispatches_are_forgotten() {
        let known = kept(None).map(|kept| ((9, 0), kept));
        let mut desk = Desk::after(known.into_iter().collect());
        for number in 0..DISPATCHES as u64 + 1 {
            desk.sent((0, number), sender(number), now());
        }
        assert_eq!(desk.take_unwritten(), [((9, 0), None)]);
        assert_eq!(desk.dispatch_of("oss", 0), None);
        assert_eq!(desk.dispatch_of("oss", 1), Some((0, 1)));
        assert_eq!(desk.reported(4, arrived(0), now()), Reported::Nobody);
        (0..2 * EARLY as u64).for_each(|n| drop(desk.reported(5, arrived(n), now())));
        assert_eq!(desk.early.len(), 1 + EARLY, "each system has its own room");
        assert_eq!(desk.early[1], (5, arrived(EARLY as u64)));
        assert_eq!(desk.sent((4, 0), sender(9), now()), [arrived(0)]);
    }
}
