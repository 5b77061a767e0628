//! The table of a negotiation's transitions, and its invariants.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::content::Payload;
use insta::assert_snapshot;
use serde_json::json;

fn now() -> Timestamp {
    Timestamp::from_ms(1_000)
}

fn content() -> Content {
    Content::new("site-1", "diagnose")
}

fn empty(kind: Kind) -> Negotiation {
    Negotiation {
        round_limit: 3,
        answer_within_ms: Some(500),
        ..Negotiation::between(TaskId::new("t"), kind, "a", "b")
    }
}

fn after(kind: Kind, moves: impl IntoIterator<Item = Move>) -> Negotiation {
    let mut negotiation = empty(kind);
    for wanted in moves {
        let change = negotiation.decide(wanted, now()).unwrap();
        negotiation.apply(&change);
    }
    negotiation
}

fn says(by: Side, speech: Speech) -> Move {
    Move::Speak(by, speech)
}

fn offers(by: Side) -> Move {
    says(by, Speech::offer(vec![content()]))
}

fn refuses(by: Side) -> Move {
    says(by, Speech::refuse(Vec::new()))
}

fn accepts(by: Side) -> Move {
    says(by, Speech::accept())
}

fn moves() -> Vec<(&'static str, Move)> {
    use Side::*;
    vec![
        ("publisher offers", offers(Publisher)),
        ("publisher accepts", accepts(Publisher)),
        ("publisher refuses", refuses(Publisher)),
        ("executor offers", offers(Executor)),
        ("executor accepts", accepts(Executor)),
        ("executor refuses", refuses(Executor)),
        ("expire", Move::Expire),
        ("withdraw", Move::Withdraw),
    ]
}

#[test]
fn the_whole_table() {
    use Side::*;
    let mut table = String::new();
    for kind in Kind::ALL {
        let opener = match kind {
            Kind::Result => Executor,
            _ => Publisher,
        };
        let countered = match kind {
            Kind::Result => refuses(Publisher),
            _ => offers(opener.other()),
        };
        let situations = [
            ("before", vec![]),
            ("offered by its opener", vec![offers(opener)]),
            (
                "countered, or not accepted",
                vec![offers(opener), countered],
            ),
            ("agreed", vec![offers(opener), accepts(opener.other())]),
            ("withdrawn", vec![offers(opener), Move::Withdraw]),
        ];
        for (name, history) in situations {
            let negotiation = after(kind, history);
            table.push_str(&format!("{kind}, {name}:\n"));
            for (name, wanted) in moves() {
                if let Ok(change) = negotiation.decide(wanted, now()) {
                    table.push_str(&format!("  {name} > {}\n", change.state.as_str()));
                }
            }
        }
    }
    assert_snapshot!(table, @r"
        feasibility, before:
          publisher offers > open
        feasibility, offered by its opener:
          executor offers > open
          executor accepts > agreed
          executor refuses > refused
          expire > expired
          withdraw > withdrawn
        feasibility, countered, or not accepted:
          publisher offers > open
          publisher accepts > agreed
          publisher refuses > refused
          expire > expired
          withdraw > withdrawn
        feasibility, agreed:
          publisher offers > open
        feasibility, withdrawn:
          publisher offers > open
        fulfillment, before:
          publisher offers > open
          executor offers > open
        fulfillment, offered by its opener:
          executor offers > open
          executor accepts > agreed
          executor refuses > refused
          expire > expired
          withdraw > withdrawn
        fulfillment, countered, or not accepted:
          publisher offers > open
          publisher accepts > agreed
          publisher refuses > open
          expire > expired
          withdraw > withdrawn
        fulfillment, agreed:
          publisher offers > open
          executor offers > open
        fulfillment, withdrawn:
          publisher offers > open
          executor offers > open
        result, before:
          executor offers > open
        result, offered by its opener:
          publisher accepts > agreed
          publisher refuses > open
          expire > expired
          withdraw > withdrawn
        result, countered, or not accepted:
          executor offers > open
          expire > expired
          withdraw > withdrawn
        result, agreed:
          executor offers > open
        result, withdrawn:
          executor offers > open
        ");
}

#[test]
fn a_round_holds_one_turn_of_each_side() {
    use Side::*;
    let negotiation = after(
        Kind::Feasibility,
        [
            offers(Publisher),
            offers(Executor),
            offers(Publisher),
            accepts(Executor),
        ],
    );
    let rounds: Vec<u32> = negotiation.turns.iter().map(|t| t.round).collect();
    assert_eq!(rounds, [1, 1, 2, 2]);
    assert_eq!(negotiation.agreement(), Some(&content()));
    assert!(negotiation.said(Publisher, 2).is_some());
    assert!(negotiation.said(Publisher, 3).is_none());
}

#[test]
fn the_last_round_without_agreement_exhausts_it() {
    use Side::*;
    let round = || [offers(Publisher), offers(Executor)];
    let two = after(Kind::Feasibility, [round(), round()].concat());
    assert!(two.is_open());
    let three = after(Kind::Feasibility, [round(), round(), round()].concat());
    assert_eq!(three.state, State::Exhausted);
    let judged = || [offers(Executor), refuses(Publisher)];
    let rejected = after(Kind::Result, [judged(), judged(), judged()].concat());
    assert_eq!(rejected.state, State::Exhausted);
}

#[test]
fn the_last_offer_that_there_may_be_can_be_answered() {
    use Side::*;
    let mut negotiation = empty(Kind::Fulfillment);
    negotiation.round_limit = u32::MAX;
    for turn in 0..Negotiation::MOST_TURNS {
        let by = [Publisher, Executor][turn % 2];
        let change = negotiation.decide(offers(by), now()).unwrap();
        negotiation.apply(&change);
    }
    let one_more = negotiation.decide(offers(Publisher), now());
    assert!(matches!(one_more, Err(Misplaced::TooLong { .. })));
    let accepted = negotiation.decide(accepts(Publisher), now()).unwrap();
    assert_eq!(accepted.state, State::Agreed);
}

#[test]
fn nothing_is_offered_any_more_where_too_much_was_said() {
    use Side::*;
    let long = Content::new("site-1", "x".repeat(Negotiation::MOST_BYTES / 2));
    let says_much = |by| says(by, Speech::offer(vec![long.clone()]));
    let mut negotiation = empty(Kind::Feasibility);
    for by in [Publisher, Executor] {
        let change = negotiation.decide(says_much(by), now()).unwrap();
        negotiation.apply(&change);
    }
    let one_more = negotiation.decide(offers(Publisher), now());
    assert!(matches!(one_more, Err(Misplaced::TooLong { .. })));
    assert!(negotiation.decide(accepts(Publisher), now()).is_ok());
}

#[test]
fn opened_again_it_counts_on_and_has_all_its_rounds() {
    use Side::*;
    let once = [offers(Publisher), refuses(Executor)];
    let negotiation = after(
        Kind::Feasibility,
        [once.clone(), once.clone(), once].concat(),
    );
    assert_eq!(negotiation.state, State::Refused);
    assert_eq!((negotiation.round(), negotiation.opened), (3, 3));
    let open = after(Kind::Feasibility, [offers(Publisher)]);
    assert_eq!(open.due(), Some(now() + 500));
}

#[test]
fn an_acceptance_says_which_of_several() {
    use Side::*;
    let other = Content::new("site-2", "diagnose");
    let two = Speech::offer(vec![content(), other.clone()]);
    let negotiation = after(Kind::Feasibility, [offers(Publisher), says(Executor, two)]);
    let choose = |alternative| {
        let speech = Speech {
            alternative,
            ..Speech::accept()
        };
        negotiation.decide(says(Publisher, speech), now())
    };
    for bad in [None, Some(0), Some(3)] {
        let error = choose(bad).unwrap_err();
        assert!(matches!(
            error,
            Misplaced::WhichAlternative { offered: 2, .. }
        ));
    }
    let mut agreed = negotiation.clone();
    agreed.apply(&choose(Some(2)).unwrap());
    assert_eq!(agreed.agreement(), Some(&other));
}

#[test]
fn an_assignment_departs_from_what_was_agreed_in_a_place_that_is_named() {
    let with = |values| content().with_payload(Payload::new("x_v1", values));
    let agreed = with(json!({"target": "site:1", "depth": 2}));
    assert_eq!(fits(&agreed, &agreed), Ok(()));
    let path = |assigned: &Content| fits(&agreed, assigned).unwrap_err().path;
    assert_eq!(
        path(&with(json!({"target": "site:1", "depth": 3}))),
        "depth"
    );
    assert_eq!(path(&with(json!({"target": "site:1"}))), "depth");
    let more = json!({"target": "site:1", "depth": 2, "zeal": true});
    assert_eq!(path(&with(more)), "zeal");
    assert_eq!(path(&content()), "schema_id");
    assert_eq!(path(&Content::new("site-2", "diagnose")), "target object");
    let words = Content::new("site-1", "heal");
    assert_eq!(
        fits(&content(), &words).unwrap_err().path,
        "task description"
    );
}

proptest::proptest! {
    #[test]
    fn sides_alternate_rounds_grow_and_names_are_unique(
        kind in 0usize..3,
        picks in proptest::collection::vec(0usize..8, 0..80),
    ) {
        let mut negotiation = empty(Kind::ALL[kind]);
        for pick in picks {
            let was_open = negotiation.is_open();
            let last = negotiation.turns.last().cloned();
            let (_, wanted) = moves().swap_remove(pick);
            let Ok(change) = negotiation.decide(wanted, now()) else { continue };
            negotiation.apply(&change);
            if let (Some(before), Some(turn)) = (&last, &change.turn) {
                proptest::prop_assert!(!was_open || before.by != turn.by);
                proptest::prop_assert!(turn.round >= before.round);
            }
            proptest::prop_assert!(negotiation.round() - negotiation.opened < negotiation.round_limit
                || !negotiation.is_open() || negotiation.round_limit == 0);
            proptest::prop_assert_eq!(negotiation.agreement().is_some(), negotiation.state == State::Agreed);
        }
        let mut names: Vec<_> = negotiation.turns.iter().map(|t| (t.by, t.round)).collect();
        names.sort_unstable();
        names.dedup();
        proptest::prop_assert_eq!(names.len(), negotiation.turns.len());
    }
}
