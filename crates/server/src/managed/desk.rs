//! Who waits for what came of which action, and whose engineer is out under which number.
//!
//! Actions of hosted agents have tokens of their agents, those of callers of the platform's own
//! management systems a number; a management system elsewhere numbers dispatches by itself. Read
//! next: [`super::network`].

use domain::telemetry::{FieldReport, Token};
use engine::ActAnswer;
use std::collections::{BTreeMap, VecDeque};
use tokio::sync::oneshot;

/// The most dispatches that are remembered.
const DISPATCHES: usize = 10_000;
/// The most reports of engineers of one system that wait for their dispatch to be answered.
const EARLY: usize = 64;

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
}

/// Who sent an engineer, under which number of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sender {
    pub(super) name: String,
    /// The token of a hosted agent, the number of a caller's dispatch.
    pub(super) token: Token,
    pub(super) is_hosted: bool,
}

/// A dispatch as its system numbers it.
pub(super) type Dispatched = (usize, u64);

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Desk {
    last: u64,
    under_way: BTreeMap<u64, UnderWay>,
    senders: BTreeMap<Dispatched, Sender>,
    dispatches: BTreeMap<(String, Token), Dispatched>,
    order: VecDeque<Dispatched>,
    /// Reports that came before the answer to their dispatch.
    early: VecDeque<(usize, FieldReport)>,
}

impl Desk {
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
    pub(super) fn sent(&mut self, dispatched: Dispatched, sender: Sender) -> Vec<FieldReport> {
        if self.order.len() >= DISPATCHES
            && let Some(oldest) = self.order.pop_front()
            && let Some(sender) = self.senders.remove(&oldest)
        {
            self.dispatches.remove(&(sender.name, sender.token));
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
        own.into_iter().map(|(_, report)| report).collect()
    }

    /// The dispatch of a sender.
    pub(super) fn dispatch_of(&self, name: &str, token: Token) -> Option<Dispatched> {
        self.dispatches.get(&(name.to_owned(), token)).copied()
    }

    /// Who sent the engineer that reports, with the report under the sender's own token; a report
    /// that nobody waits for yet is kept for a while.
    pub(super) fn reported(
        &mut self,
        system: usize,
        report: FieldReport,
    ) -> Option<(Sender, FieldReport)> {
        match self.senders.get(&(system, token_of(&report))) {
            Some(sender) => Some((sender.clone(), under(report, sender.token))),
            None => {
                let of_system = |(of, _): &(usize, FieldReport)| *of == system;
                if self.early.iter().filter(|early| of_system(early)).count() >= EARLY
                    && let Some(oldest) = self.early.iter().position(of_system)
                {
                    self.early.remove(oldest);
                }
                self.early.push_back((system, report));
                None
            }
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
        }
    }

    #[test]
    fn a_report_goes_to_whoever_sent_the_engineer_even_if_it_is_early() {
        let mut desk = Desk::default();
        assert_eq!(desk.reported(0, arrived(7)), None);
        assert!(desk.sent((1, 7), sender(40)).is_empty(), "another system's");
        assert_eq!(desk.sent((0, 7), sender(41)), [arrived(7)]);
        let (to, report) = desk.reported(0, arrived(7)).expect("it is known by now");
        assert_eq!((to.token, report), (41, arrived(41)));
        assert_eq!(desk.dispatch_of("oss", 41), Some((0, 7)));
    }

    #[test]
    fn old_dispatches_are_forgotten() {
        let mut desk = Desk::default();
        for number in 0..DISPATCHES as u64 + 1 {
            desk.sent((0, number), sender(number));
        }
        assert_eq!(desk.dispatch_of("oss", 0), None);
        assert_eq!(desk.dispatch_of("oss", 1), Some((0, 1)));
        assert_eq!(desk.reported(4, arrived(0)), None);
        (0..2 * EARLY as u64).for_each(|n| drop(desk.reported(5, arrived(n))));
        assert_eq!(desk.early.len(), 1 + EARLY, "each system has its own room");
        assert_eq!(desk.early[1], (5, arrived(EARLY as u64)));
        assert_eq!(desk.sent((4, 0), sender(9)), [arrived(0)]);
    }
}
