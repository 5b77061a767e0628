//! Laws of the function that decides, over rules and decisions from a small world, so that they meet.

#![allow(clippy::unwrap_used)]

use super::super::*;
use super::*;
use proptest::collection::{btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const KINDS: [DecisionKind; 4] = [
    DecisionKind::Result,
    DecisionKind::Decision,
    DecisionKind::Feasibility,
    DecisionKind::Patch,
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![Just("a".to_owned()), Just("b".to_owned())]
}

fn kind() -> impl Strategy<Value = DecisionKind> {
    prop::sample::select(&KINDS[..])
}

fn instant() -> impl Strategy<Value = Timestamp> {
    (0..20_i64).prop_map(Timestamp::from_ms)
}

fn bound() -> impl Strategy<Value = NumberBound> {
    let number = || of((0..4_i32).prop_map(f64::from));
    (word(), number(), number()).prop_map(|(key, least, most)| NumberBound { key, least, most })
}

prop_compose! {
    fn conditions()(
        decider in of(word()),
        agent in of(word()),
        domain in of(word()),
        target in of(word()),
        scenario in of(word()),
        bounds in vec(bound(), 0..2),
    ) -> RuleConditions {
        RuleConditions { decider, agent, domain, target, scenario, bounds }
    }
}

fn afterwards() -> impl Strategy<Value = Afterwards> {
    prop_oneof![
        Just(Afterwards::Accept),
        Just(Afterwards::Reject),
        word().prop_map(Afterwards::Escalate),
    ]
}

prop_compose! {
    fn rule()(
        author in word(),
        kind in kind(),
        conditions in prop_oneof![3 => Just(RuleConditions::default()), 1 => conditions()],
        verdict in prop::sample::select(&RuleVerdict::ALL[..]),
        time_out in of((1..10_i64, afterwards())),
        valid_until in of(instant()),
    ) -> StandingRule {
        StandingRule {
            key: RuleKey { author, name: String::new() },
            kind,
            conditions,
            verdict,
            time_out: time_out.map(|(after_ms, then)| TimeOut { after_ms, then }),
            valid_until,
            added: Timestamp::default(),
            credential: None,
            key_digest: None,
        }
    }
}

fn rules() -> impl Strategy<Value = Vec<StandingRule>> {
    vec(rule(), 0..6).prop_map(|mut rules| {
        for (number, rule) in rules.iter_mut().enumerate() {
            rule.key.name = format!("r{number}");
        }
        rules
    })
}

prop_compose! {
    fn pending()(
        kind in kind(),
        decider in word(),
        agent in word(),
        domain in of(word()),
        target in word(),
        scenario in of(word()),
        offers in vec((of(0..4_i32), of(0..4_i32)), 0..3),
        since in instant(),
        wants_person in prop::bool::weighted(0.2),
        approved_by in btree_set(word(), 0..2),
    ) -> PendingDecision {
        PendingDecision {
            subject: DecisionSubject { kind, id: "t".to_owned() },
            decider: kind.is_of_task().then_some(decider),
            agent: Some(agent),
            domain,
            target: Some(target),
            scenario,
            round: None,
            offers: Offers::Values(offers.into_iter().map(|(a, b)| {
                let named = [("a", a), ("b", b)].into_iter();
                named.filter_map(|(key, it)| Some((key.to_owned(), json!(it?)))).collect()
            }).collect()),
            since,
            until: None,
            wants_person,
            approved_by,
        }
    }
}

fn all(_: &StandingRule) -> bool {
    true
}

proptest! {
    #[test]
    fn the_order_of_rules_decides_nothing(
        rules in rules(), pending in pending(), now in instant(), turn in 0..6_usize,
    ) {
        let mut turned = rules.clone();
        turned.rotate_left(turn.min(rules.len()));
        turned.reverse();
        prop_assert_eq!(decide(&rules, &pending, all, now), decide(&turned, &pending, all, now));
    }

    #[test]
    fn a_rule_without_rights_is_as_none(
        rules in rules(), pending in pending(), now in instant(), without in prop::bits::u8::ANY,
    ) {
        let has_right = |rule: &StandingRule| {
            let number: u32 = rule.key.name[1..].parse().unwrap();
            without & (1 << number) == 0
        };
        let left: Vec<StandingRule> = rules.iter().filter(|r| has_right(r)).cloned().collect();
        prop_assert_eq!(decide(&rules, &pending, has_right, now), decide(&left, &pending, all, now));
        let nobody = decide(&rules, &pending, |_| false, now);
        prop_assert_eq!((nobody.verdict, nobody.why), (RuleVerdict::Ask, RulingReason::NoRule));
    }

    #[test]
    fn what_is_decided_every_rule_that_speaks_says(
        rules in rules(), pending in pending(), now in instant(),
    ) {
        let ruling = decide(&rules, &pending, all, now);
        let said: BTreeSet<RuleVerdict> =
            ruling.rules.iter().map(|rule| rule.says(&pending, now)).collect();
        prop_assert!(!pending.wants_person || ruling.verdict != RuleVerdict::Accept);
        match ruling.why {
            RulingReason::NoRule => prop_assert!(said.is_empty()),
            RulingReason::Rule => prop_assert_eq!(said, BTreeSet::from([ruling.verdict])),
            RulingReason::Disagreement => {
                prop_assert!(said.len() > 1);
                prop_assert_eq!(ruling.verdict, RuleVerdict::Ask);
            }
            RulingReason::NeedsPerson => {
                prop_assert!(pending.wants_person);
                prop_assert_eq!(said, BTreeSet::from([RuleVerdict::Accept]));
                prop_assert_eq!(ruling.verdict, RuleVerdict::Ask);
            }
        }
    }

    #[test]
    fn one_rule_more_never_turns_a_yes_into_a_no(
        rules in rules(), more in rule(), pending in pending(), now in instant(),
    ) {
        let before = decide(&rules, &pending, all, now);
        let mut with = rules.clone();
        with.push(StandingRule { key: RuleKey { author: "z".into(), name: "z".into() }, ..more });
        let after = decide(&with, &pending, all, now);
        if before.why == RulingReason::Rule {
            prop_assert!(after.verdict == before.verdict || after.verdict == RuleVerdict::Ask);
        }
        if before.why == RulingReason::Disagreement {
            prop_assert_eq!(after.verdict, RuleVerdict::Ask);
        }
    }

    #[test]
    fn nothing_changes_before_it_is_looked_at_again(
        rules in rules(), pending in pending(), now in instant(), later in instant(),
    ) {
        let before = decide(&rules, &pending, all, now);
        if now <= later && before.look_again.is_none_or(|at| later < at) {
            prop_assert_eq!(&before, &decide(&rules, &pending, all, later));
        }
        prop_assert!(before.look_again.is_none_or(|at| now < at));
    }

    #[test]
    fn a_rule_that_is_over_says_nothing(rule in rule(), pending in pending(), now in instant()) {
        let over = StandingRule { valid_until: Some(now), ..rule };
        let ruling = decide([&over], &pending, all, now);
        prop_assert_eq!((ruling.why, ruling.look_again), (RulingReason::NoRule, None));
    }

    #[test]
    fn a_number_beyond_a_bound_or_not_there_is_not_covered(
        rule in rule(), pending in pending(), now in instant(), bound in bound(),
    ) {
        let conditions = RuleConditions { bounds: vec![bound.clone()], ..rule.conditions.clone() };
        let bounded = StandingRule { conditions, ..rule };
        let alternatives = pending.offers.alternatives();
        let within = (0..alternatives).all(|index| {
            let number = pending.offers.value(index, &bound.key);
            number.and_then(Value::as_f64).is_some_and(|it| {
                it >= bound.least.unwrap_or(f64::MIN) && it <= bound.most.unwrap_or(f64::MAX)
            })
        });
        if alternatives == 0 || !within {
            prop_assert!(!bounded.speaks_of(&pending, now));
        }
    }

    #[test]
    fn without_another_named_a_rule_is_about_its_author_s_own(
        rule in rule(), pending in pending(), now in instant(),
    ) {
        let own = StandingRule { conditions: RuleConditions::default(), ..rule };
        let is_own = pending.decider.as_ref().is_none_or(|it| *it == own.key.author);
        let is_new = !pending.approved_by.contains(&own.key.author);
        let speaks = own.is_valid(now) && own.kind == pending.subject.kind && is_own && is_new;
        prop_assert_eq!(own.speaks_of(&pending, now), speaks);
    }

    #[test]
    fn a_row_comes_back_as_it_was(rule in rule()) {
        let row = serde_json::to_string(&rule).unwrap();
        prop_assert_eq!(serde_json::from_str::<StandingRule>(&row).unwrap(), rule);
    }
}

#[test]
fn what_nobody_decides_in_time_is_decided_or_somebody_else_is_told() {
    let asks = |name: &str, then| StandingRule {
        key: RuleKey {
            author: "ann".to_owned(),
            name: name.to_owned(),
        },
        kind: DecisionKind::Result,
        conditions: RuleConditions::default(),
        verdict: RuleVerdict::Ask,
        time_out: Some(TimeOut {
            after_ms: 100,
            then,
        }),
        valid_until: None,
        added: Timestamp::default(),
        credential: None,
        key_digest: None,
    };
    let pending = PendingDecision {
        subject: DecisionSubject {
            kind: DecisionKind::Result,
            id: "t".to_owned(),
        },
        decider: Some("ann".to_owned()),
        agent: None,
        domain: None,
        target: None,
        scenario: None,
        round: None,
        offers: Offers::Nothing,
        since: Timestamp::from_ms(1_000),
        until: None,
        wants_person: false,
        approved_by: BTreeSet::new(),
    };
    let at = Timestamp::from_ms;
    let (accepts, tells) = (
        asks("a", Afterwards::Accept),
        asks("b", Afterwards::Escalate("bob".to_owned())),
    );
    let early = decide([&accepts], &pending, all, at(1_099));
    assert_eq!(early.verdict, RuleVerdict::Ask);
    assert_eq!(early.look_again, Some(at(1_100)));
    let due = decide([&accepts], &pending, all, at(1_100));
    assert_eq!((due.verdict, due.look_again), (RuleVerdict::Accept, None));
    let told = decide([&tells], &pending, all, at(1_100));
    assert_eq!(
        (told.verdict, told.why),
        (RuleVerdict::Ask, RulingReason::Rule)
    );
    assert_eq!(told.escalations, [&tells]);
    let both = decide([&tells, &accepts], &pending, all, at(1_100));
    assert_eq!(both.why, RulingReason::Disagreement);
    assert_eq!(both.escalations, [&tells]);
}

#[test]
fn what_a_rule_says_is_one_line() {
    let bound = |key: &str, least, most| NumberBound {
        key: key.to_owned(),
        least,
        most,
    };
    let rule = StandingRule {
        key: RuleKey {
            author: "ann".to_owned(),
            name: "small".to_owned(),
        },
        kind: DecisionKind::Result,
        conditions: RuleConditions {
            decider: Some("bob".to_owned()),
            domain: Some("IP".to_owned()),
            bounds: vec![
                bound("cost", Some(0.5), Some(500.0)),
                bound("n", None, Some(1.0)),
            ],
            ..RuleConditions::default()
        },
        verdict: RuleVerdict::Ask,
        time_out: Some(TimeOut {
            after_ms: 60_000,
            then: Afterwards::Escalate("carl".to_owned()),
        }),
        valid_until: None,
        added: Timestamp::default(),
        credential: None,
        key_digest: None,
    };
    let terms =
        "ask result decider=bob after=60s escalate-to=carl domain=IP cost>=0.5 cost<=500 n<=1";
    assert_eq!(rule.terms(), terms);
}
