//! Every order of a few operations on a mailbox, each held against what is promised of it.
//!
//! A mailbox is data behind the lock of its agent: whatever threads do, it sees one operation after the
//! other, so that all that a model checker of threads (`loom`, `shuttle`) could tell about it is in which
//! order. Here all of those there are, up to a length, are gone through. What stands around it, the lock and
//! the commits of the store, is in `tests/interleavings.rs` and `tests/actors/beside.rs`.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::hosting::question::tests::question;
use domain::telemetry::Telemetry;
use domain::verb::Verb;

/// How many operations follow one another.
const LENGTH: usize = 5;
const ROOM: usize = 2;
const TELEMETRY_ROOM: usize = 1;

/// What can happen to a mailbox.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    /// A request, if it has room; its commit is not on disk.
    Ask,
    /// Room for a request is reserved, if there is some.
    Reserve,
    /// A request in room that was reserved, if some is; its commit is not on disk.
    AskInRoom,
    /// Room that was reserved, if some is, is given back.
    GiveBack,
    /// A cancellation, whose commit is not on disk.
    Cancel,
    /// Telemetry, which rests on nothing.
    Tell,
    /// The next input is taken, if it may be.
    Take,
    /// It is given back, as by a step that was not begun.
    TakeAndPutFirst,
    /// The oldest commit that is waited for is on disk.
    Release,
    /// No commit that is waited for will be.
    Withdraw,
    /// The agent is gone: what is asked of it is answered for it.
    TakeQuestions,
}

use Operation::{
    Ask, AskInRoom, Cancel, GiveBack, Release, Reserve, Take, TakeAndPutFirst, TakeQuestions, Tell,
    Withdraw,
};

const ALL: [Operation; 11] = [
    Ask,
    Reserve,
    AskInRoom,
    GiveBack,
    Cancel,
    Tell,
    Take,
    TakeAndPutFirst,
    Release,
    Withdraw,
    TakeQuestions,
];

/// What is in the mailbox, as it is understood: in order, by number; and how much room is reserved.
#[derive(Clone, Default)]
struct Expected(Vec<Waiting>, usize);

#[derive(Clone, Copy, PartialEq)]
struct Waiting {
    number: u64,
    kind: Operation,
    is_on_disk: bool,
}

impl Expected {
    fn count(&self, kind: Operation) -> usize {
        self.0.iter().filter(|w| w.kind == kind).count()
    }

    fn has_room(&self) -> bool {
        self.count(Ask) + self.1 < ROOM
    }

    fn next(&self) -> Option<u64> {
        let first = self.0.first()?;
        first.is_on_disk.then_some(first.number)
    }
}

fn envelope(number: u64, kind: Operation) -> Envelope {
    let (input, verb) = match kind {
        Ask => (Input::Woken(number), Some(Verb::TaskAssign)),
        Cancel => (Input::Woken(number), Some(Verb::TaskCancel)),
        _ => {
            let ticket = number.to_string();
            let text = String::new();
            let told = Telemetry::CustomerAnswered { ticket, text };
            (Input::Telemetry(told), None)
        }
    };
    Envelope {
        number,
        input,
        question: verb.map(|verb| question(&format!("t{number}"), verb)),
        after: verb.map(|_| number),
        since: Timestamp::from_ms(0),
    }
}

/// Does one operation on both; how much telemetry had to make room.
fn done(operation: Operation, number: u64, mailbox: &mut Mailbox, expected: &mut Expected) -> u64 {
    let mut dropped = 0;
    match operation {
        Reserve => {
            if expected.has_room() {
                mailbox.reserve_room();
                expected.1 += 1;
            }
        }
        GiveBack | AskInRoom => {
            if expected.1 > 0 {
                mailbox.give_room_back();
                expected.1 -= 1;
                if operation == AskInRoom {
                    return done(Ask, number, mailbox, expected);
                }
            }
        }
        Ask | Cancel | Tell => {
            let has_room = expected.has_room();
            assert_eq!(mailbox.has_room_beside(0), has_room);
            if operation == Ask && !has_room {
                return 0;
            }
            if operation == Tell && expected.count(Tell) == TELEMETRY_ROOM {
                let oldest = expected.0.iter().position(|w| w.kind == Tell).unwrap();
                expected.0.remove(oldest);
                dropped = 1;
            }
            mailbox.put(envelope(number, operation));
            expected.0.push(Waiting {
                number,
                kind: operation,
                is_on_disk: operation == Tell,
            });
        }
        Take | TakeAndPutFirst => {
            let taken = mailbox.take();
            assert_eq!(taken.as_ref().map(|e| e.number), expected.next());
            match (operation, taken) {
                (TakeAndPutFirst, Some(envelope)) => mailbox.put_first(envelope),
                (_, Some(_)) => drop(expected.0.remove(0)),
                (_, None) => {}
            }
        }
        Release => {
            if let Some(waiting) = expected.0.iter_mut().find(|w| !w.is_on_disk) {
                waiting.is_on_disk = true;
                mailbox.release(waiting.number);
            }
        }
        Withdraw => {
            mailbox.withdraw_unreleased();
            expected.0.retain(|w| w.is_on_disk);
        }
        TakeQuestions => {
            let questions = mailbox.take_questions();
            let tasks: Vec<String> = questions.iter().map(|q| q.task.to_string()).collect();
            let asked = expected.0.iter().filter(|w| w.kind != Tell);
            let asked: Vec<String> = asked.map(|w| format!("t{}", w.number)).collect();
            assert_eq!(tasks, asked);
            expected.0.retain(|w| w.kind == Tell);
        }
    }
    dropped
}

/// Plays an order from the beginning.
fn play(order: &[Operation]) {
    let mut mailbox = Mailbox::new(ROOM, TELEMETRY_ROOM);
    let mut expected = Expected::default();
    for (number, operation) in order.iter().enumerate() {
        let dropped = done(*operation, number as u64, &mut mailbox, &mut expected);
        assert_eq!(mailbox.take_dropped().0, dropped, "{order:?}");
        assert_eq!(mailbox.next(), expected.next(), "{order:?}");
        assert_eq!(mailbox.is_empty(), expected.0.is_empty(), "{order:?}");
        assert_eq!(mailbox.has_room_beside(0), expected.has_room(), "{order:?}");
    }
    // Once all is on disk, what is left comes out in its order.
    expected.0.iter().for_each(|w| mailbox.release(w.number));
    let left: Vec<u64> = std::iter::from_fn(|| mailbox.take().map(|e| e.number)).collect();
    let wanted: Vec<u64> = expected.0.iter().map(|w| w.number).collect();
    assert_eq!(left, wanted, "{order:?}");
    assert_eq!(mailbox.has_room_beside(0), expected.1 < ROOM, "{order:?}");
}

/// Nothing is lost, doubled, taken before its commit or put in another place, requests have their room and
/// no more, and of telemetry the oldest alone makes room and is counted: in every order.
#[test]
fn a_mailbox_keeps_its_word_in_every_order_of_operations() {
    let mut orders = 0;
    for number in 0..ALL.len().pow(LENGTH as u32) {
        let mut rest = number;
        let order: Vec<Operation> = (0..LENGTH)
            .map(|_| {
                let operation = ALL[rest % ALL.len()];
                rest /= ALL.len();
                operation
            })
            .collect();
        play(&order);
        orders += 1;
    }
    assert_eq!(orders, 161_051);
}

/// Room is reserved as often as something is sent under a token, and used as often, whatever is in between.
#[test]
fn room_that_is_reserved_is_used_as_often_in_every_order() {
    // Bits: which token, and whether it is reserved or redeemed.
    for number in 0..4_u64.pow(7) {
        let (mut mailbox, mut left) = (Mailbox::new(1, 1), [0_u32; 2]);
        for place in 0..7 {
            let bits = (number >> (2 * place)) & 3;
            let token = bits & 1;
            if bits & 2 == 0 {
                mailbox.reserve(token);
                left[token as usize] += 1;
            } else {
                let had = left[token as usize] > 0;
                assert_eq!(mailbox.redeem(token), had);
                left[token as usize] -= u32::from(had);
            }
        }
        mailbox.forget_replies();
        assert!(!mailbox.redeem(0) && !mailbox.redeem(1));
    }
}
