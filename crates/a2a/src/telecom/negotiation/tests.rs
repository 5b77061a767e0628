//! Messages of Negotiation-T against our negotiations: all states, all rounds, whole exchanges.

use super::*;
use crate::telecom::envelope::{MemberCase, TelecomEnvelope};
use crate::telecom::extension::{Family, TemplateUri, UriGeneration};
use crate::telecom::text_language::TextLanguage;
use crate::telecom::translator::Translator;
use crate::telecom::translator::tests::{all, payload, translator};
use domain::content::{Content, Payload};
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech, State};
use domain::reply::Reason;
use domain::task::TaskId;
use domain::time::Timestamp;
use insta::assert_snapshot;
use proptest::prelude::*;
use schema::steps::{Effort, ReadingBudget};
use serde_json::{Map, Value, json};

/// With any effort, as [`super::hear`].
fn hear(
    message: &NegotiationMessage,
    by: Side,
    standing: Option<OpenNegotiation<'_>>,
    translator: Option<&Translator>,
) -> Result<ReceivedMove, NegotiationError> {
    let work = ReadingBudget::within(Effort::any());
    super::hear(message, by, standing, translator, &work)
}

const ID: &str = "7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3";

fn content(goal: u32) -> Content {
    let values = json!({"area": "Haidian", "saving_target_percent": goal});
    Content::new("Haidian", "Please assess.").with_payload(Payload::new("energy_saving_v1", values))
}

fn fresh(kind: Kind) -> Negotiation {
    let mut negotiation = Negotiation::between(TaskId::new("t-1"), kind, "oss", "saver");
    negotiation.round_limit = round_limit(5);
    negotiation
}

fn turn(negotiation: &mut Negotiation, wanted: Move) {
    let change = negotiation
        .decide(wanted, Timestamp::from_ms(0))
        .expect("it may be said");
    negotiation.apply(&change);
}

fn refused() -> Speech {
    Speech::refuse(vec![Reason {
        reason: "rejected".to_owned(),
        path: String::new(),
        message: "It cannot be reached.".to_owned(),
    }])
}

/// Negotiations in every state; the executor offered last where somebody has the word.
fn situations(kind: Kind) -> Vec<(&'static str, Option<Negotiation>)> {
    let said = |moves: Vec<Move>| {
        let mut negotiation = fresh(kind);
        moves.into_iter().for_each(|m| turn(&mut negotiation, m));
        Some(negotiation)
    };
    let ask = || Move::Speak(Side::Publisher, Speech::offer(vec![content(30)]));
    let counter = || Move::Speak(Side::Executor, Speech::offer(vec![content(15)]));
    let says = |side, speech| Move::Speak(side, speech);
    vec![
        ("none", None),
        ("open, publisher's word", said(vec![ask(), counter()])),
        ("open, executor's word", said(vec![ask()])),
        (
            "agreed",
            said(vec![ask(), says(Side::Executor, Speech::accept())]),
        ),
        (
            "refused",
            said(vec![ask(), says(Side::Executor, refused())]),
        ),
        ("exhausted", {
            let mut negotiation = fresh(kind);
            negotiation.round_limit = 1;
            turn(&mut negotiation, ask());
            turn(&mut negotiation, counter());
            Some(negotiation)
        }),
        ("expired", said(vec![ask(), Move::Expire])),
        ("withdrawn", said(vec![ask(), Move::Withdraw])),
    ]
}

fn message(
    topic: NegotiationTopic,
    performative: Performative,
    round: u32,
    goal: u32,
) -> NegotiationMessage {
    let context = Context {
        id: ID.to_owned(),
        round,
        max_rounds: 5,
        performative: Some(performative),
    };
    let (name, section, result) = match topic {
        NegotiationTopic::Feasibility => (
            "Feasibility",
            "Under Evaluation Description",
            "Feasibility Assessment Result Confirmation",
        ),
        _ => (
            "Target",
            "Understanding Alignment and Clarification",
            "Target Negotiation Result Content",
        ),
    };
    let (path, text) = match performative {
        Performative::Propose => (
            format!("{}/propose", topic.as_str()),
            format!(
                "## {name} Negotiation\nPlease assess.\n\n## {section}\n1. Area: Haidian\n2. Energy consumption goal: {goal}%"
            ),
        ),
        Performative::Abort => (
            "common/abort".to_owned(),
            "## Negotiation Result\nAbort\n\n## Negotiation Termination Reason\nTime is over."
                .to_owned(),
        ),
        ending => {
            let word = if ending == Performative::Accept {
                "Accept"
            } else {
                "Reject"
            };
            (
                format!("{}/accept-reject", topic.as_str()),
                format!("## {name} Negotiation Result\n{word}\n\n## {result}\nSo be it."),
            )
        }
    };
    let uri = TemplateUri {
        family: Family::Negotiation,
        path,
        version: "v1".to_owned(),
    };
    NegotiationMessage::read(&uri, &context, &text).expect("a message")
}

/// The outcome of a message: what is heard, and where our negotiation stands then.
fn outcome(negotiation: Option<&Negotiation>, message: &NegotiationMessage, by: Side) -> String {
    let translator = translator("ran-energy-saving");
    let standing = negotiation.map(|negotiation| OpenNegotiation {
        max_rounds: 5,
        negotiation,
    });
    let heard = match hear(message, by, standing, Some(&translator)) {
        Ok(heard) => heard,
        Err(refusal) => return format!("{} ({refusal})", refusal.code()),
    };
    let wanted = match heard {
        ReceivedMove::Opens(_, limit) => return format!("opens, {limit} rounds of ours"),
        ReceivedMove::Again => return "again".to_owned(),
        ReceivedMove::Question | ReceivedMove::Supply => return "of the task".to_owned(),
        ReceivedMove::Withdrawal(_) => Move::Withdraw,
        ReceivedMove::Turn(speech) => Move::Speak(by, speech),
    };
    let negotiation = negotiation.expect("only openings are heard without one");
    match negotiation.decide(wanted, Timestamp::from_ms(0)) {
        Ok(change) => format!("-> {}", change.state.as_str()),
        Err(misplaced) => format!("domain: {misplaced}"),
    }
}

/// In one word: where it stands then, or who refuses.
fn word(outcome: &str) -> &str {
    match outcome.split_once(' ') {
        Some(("->", state)) => state,
        Some(("domain:", _)) => "out-of-turn",
        Some((code, _)) => code.trim_end_matches(','),
        None => outcome,
    }
}

/// A2A-T, A8: every performative in every state of ours, by both sides; what fits moves, what does
/// not changes nothing. The two topics differ where the publisher refuses: a plan is revised.
#[test]
fn every_performative_in_every_state() {
    let mut told = Vec::new();
    for (topic, kind) in [
        (NegotiationTopic::Feasibility, Kind::Feasibility),
        (NegotiationTopic::Target, Kind::Fulfillment),
    ] {
        for (name, negotiation) in situations(kind) {
            let round = negotiation.as_ref().map_or(0, proposals);
            for performative in Performative::ALL {
                let next = round + u32::from(performative == Performative::Propose);
                let message = message(topic, performative, next.max(1), 20);
                let by = [Side::Publisher, Side::Executor];
                let outcomes = by.map(|side| outcome(negotiation.as_ref(), &message, side));
                let [publisher, executor] = outcomes.each_ref().map(|outcome| word(outcome));
                let said = performative.as_str();
                told.push(format!("{kind}, {name}: {said}: {publisher}, {executor}"));
            }
        }
    }
    assert_snapshot!(told.join("\n"), @r"
    feasibility, none: PROPOSE: opens, opens
    feasibility, none: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, none: REJECT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, none: ABORT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, open, publisher's word: PROPOSE: open, out-of-turn
    feasibility, open, publisher's word: ACCEPT: agreed, out-of-turn
    feasibility, open, publisher's word: REJECT: refused, out-of-turn
    feasibility, open, publisher's word: ABORT: withdrawn, withdrawn
    feasibility, open, executor's word: PROPOSE: out-of-turn, open
    feasibility, open, executor's word: ACCEPT: out-of-turn, agreed
    feasibility, open, executor's word: REJECT: out-of-turn, refused
    feasibility, open, executor's word: ABORT: withdrawn, withdrawn
    feasibility, agreed: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    feasibility, agreed: ACCEPT: negotiation.invalid_input, again
    feasibility, agreed: REJECT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, agreed: ABORT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, refused: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    feasibility, refused: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, refused: REJECT: negotiation.invalid_input, again
    feasibility, refused: ABORT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, exhausted: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    feasibility, exhausted: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, exhausted: REJECT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, exhausted: ABORT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, expired: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    feasibility, expired: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, expired: REJECT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, expired: ABORT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, withdrawn: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    feasibility, withdrawn: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, withdrawn: REJECT: negotiation.invalid_input, negotiation.invalid_input
    feasibility, withdrawn: ABORT: again, again
    fulfillment, none: PROPOSE: opens, opens
    fulfillment, none: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, none: REJECT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, none: ABORT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, open, publisher's word: PROPOSE: open, out-of-turn
    fulfillment, open, publisher's word: ACCEPT: agreed, out-of-turn
    fulfillment, open, publisher's word: REJECT: open, out-of-turn
    fulfillment, open, publisher's word: ABORT: withdrawn, withdrawn
    fulfillment, open, executor's word: PROPOSE: out-of-turn, open
    fulfillment, open, executor's word: ACCEPT: out-of-turn, agreed
    fulfillment, open, executor's word: REJECT: out-of-turn, refused
    fulfillment, open, executor's word: ABORT: withdrawn, withdrawn
    fulfillment, agreed: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, agreed: ACCEPT: negotiation.invalid_input, again
    fulfillment, agreed: REJECT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, agreed: ABORT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, refused: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, refused: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, refused: REJECT: negotiation.invalid_input, again
    fulfillment, refused: ABORT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, exhausted: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, exhausted: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, exhausted: REJECT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, exhausted: ABORT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, expired: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, expired: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, expired: REJECT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, expired: ABORT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, withdrawn: PROPOSE: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, withdrawn: ACCEPT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, withdrawn: REJECT: negotiation.invalid_input, negotiation.invalid_input
    fulfillment, withdrawn: ABORT: again, again
    ");
}

/// A2A-T: rounds that are over, repeated, skipped or beyond the last; another limit, another topic,
/// an unknown id.
#[test]
fn rounds_are_held() {
    let (_, open) = situations(Kind::Feasibility).swap_remove(1);
    let open = open.as_ref();
    let mut told = Vec::new();
    for (performative, round, goal) in [
        (Performative::Propose, 2, 15),
        (Performative::Propose, 2, 16),
        (Performative::Propose, 1, 30),
        (Performative::Propose, 4, 20),
        (Performative::Propose, 6, 20),
        (Performative::Accept, 1, 0),
        (Performative::Accept, 2, 0),
        (Performative::Accept, 3, 0),
        (Performative::Accept, 4, 0),
    ] {
        let message = message(NegotiationTopic::Feasibility, performative, round, goal);
        for side in [Side::Publisher, Side::Executor] {
            let outcome = outcome(open, &message, side);
            told.push(format!(
                "{} {round} {goal} {}: {outcome}",
                performative.as_str(),
                side.as_str()
            ));
        }
    }
    let other = message(NegotiationTopic::Target, Performative::Propose, 3, 20);
    told.push(outcome(open, &other, Side::Publisher));
    let mut limit = message(NegotiationTopic::Feasibility, Performative::Propose, 3, 20);
    limit.context.max_rounds = 9;
    told.push(outcome(open, &limit, Side::Publisher));
    told.push(outcome(
        None,
        &message(NegotiationTopic::Feasibility, Performative::Propose, 2, 20),
        Side::Publisher,
    ));
    assert_snapshot!(told.join("\n"), @r"
    PROPOSE 2 15 publisher: negotiation.invalid_input (in round 2 something else was proposed)
    PROPOSE 2 15 executor: again
    PROPOSE 2 16 publisher: negotiation.invalid_input (in round 2 something else was proposed)
    PROPOSE 2 16 executor: negotiation.invalid_input (in round 2 something else was proposed)
    PROPOSE 1 30 publisher: again
    PROPOSE 1 30 executor: negotiation.invalid_input (in round 1 something else was proposed)
    PROPOSE 4 20 publisher: negotiation.invalid_input (round 3 is due, not 4)
    PROPOSE 4 20 executor: negotiation.invalid_input (round 3 is due, not 4)
    PROPOSE 6 20 publisher: negotiation.invalid_input (round 3 is due, not 6)
    PROPOSE 6 20 executor: negotiation.invalid_input (round 3 is due, not 6)
    ACCEPT 1 0 publisher: negotiation.invalid_input (round 2 is due, not 1)
    ACCEPT 1 0 executor: negotiation.invalid_input (round 2 is due, not 1)
    ACCEPT 2 0 publisher: -> agreed
    ACCEPT 2 0 executor: domain: the feasibility negotiation of task t-1 is open and the executor does not have the word
    ACCEPT 3 0 publisher: -> agreed
    ACCEPT 3 0 executor: domain: the feasibility negotiation of task t-1 is open and the executor does not have the word
    ACCEPT 4 0 publisher: negotiation.invalid_input (round 2 is due, not 4)
    ACCEPT 4 0 executor: negotiation.invalid_input (round 2 is due, not 4)
    negotiation.type_mismatch (this negotiation is about feasibility, not about target-negotiation)
    negotiation.invalid_input (this negotiation has at most 5 rounds, not 9)
    negotiation.invalid_input (no negotiation has the id 7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3; a first proposal of round 1 opens one)
    ");
}

/// Both counts of rounds end together: nothing that A2A-T allows is exhausted with us, and the
/// proposal behind the last is refused.
#[test]
fn all_rounds_can_be_used() {
    for max_rounds in 1..12 {
        let mut negotiation = fresh(Kind::Feasibility);
        negotiation.round_limit = round_limit(max_rounds);
        for round in 1..=max_rounds {
            let side = if round % 2 == 1 {
                Side::Publisher
            } else {
                Side::Executor
            };
            turn(
                &mut negotiation,
                Move::Speak(side, Speech::offer(vec![content(round)])),
            );
            assert_eq!(negotiation.state, State::Open, "{round} of {max_rounds}");
            assert_eq!(proposals(&negotiation), round);
        }
        let mut beyond = message(
            NegotiationTopic::Feasibility,
            Performative::Propose,
            max_rounds + 1,
            99,
        );
        beyond.context.max_rounds = max_rounds;
        let standing = OpenNegotiation {
            max_rounds,
            negotiation: &negotiation,
        };
        let side = negotiation.next_side().expect("somebody has the word");
        let refusal = hear(&beyond, side, Some(standing), None).expect_err("no more rounds");
        assert_eq!(refusal.code(), "negotiation.round_exceeded");
    }
}

fn said(
    negotiation: &Negotiation,
    translator: &Translator,
    text_language: TextLanguage,
) -> EncodedMessage {
    say(negotiation, ID, 5, Some(translator), text_language).expect("something was said")
}

/// A2A-T: what we say is heard as what we meant, whole exchanges of both topics in both languages.
#[test]
fn what_is_said_is_heard() {
    let translator = translator("ran-energy-saving");
    for (kind, text_language) in [
        (Kind::Feasibility, TextLanguage::English),
        (Kind::Feasibility, TextLanguage::Chinese),
        (Kind::Fulfillment, TextLanguage::English),
        (Kind::Fulfillment, TextLanguage::Chinese),
    ] {
        let several = Speech::offer(vec![content(20), content(10)]);
        let speeches = [
            (Side::Publisher, Speech::offer(vec![content(30)])),
            (Side::Executor, several.clone()),
            (Side::Publisher, Speech::offer(vec![content(25)])),
            (Side::Executor, several),
            (
                Side::Publisher,
                Speech {
                    alternative: Some(2),
                    ..Speech::accept()
                },
            ),
        ];
        let (mut ours, mut theirs) = (fresh(kind), fresh(kind));
        for (side, speech) in speeches {
            turn(&mut ours, Move::Speak(side, speech));
            let saying = said(&ours, &translator, text_language);
            let message =
                NegotiationMessage::read(&saying.template_uri, &saying.context, &saying.text)
                    .expect("a message");
            let standing = OpenNegotiation {
                max_rounds: 5,
                negotiation: &theirs,
            };
            let standing = (!theirs.turns.is_empty()).then_some(standing);
            let heard = match hear(&message, side, standing, Some(&translator)).expect("heard") {
                ReceivedMove::Opens(speech, _) | ReceivedMove::Turn(speech) => speech,
                other => panic!("{other:?}"),
            };
            turn(&mut theirs, Move::Speak(side, heard));
            let standing = OpenNegotiation {
                max_rounds: 5,
                negotiation: &theirs,
            };
            assert_eq!(
                hear(&message, side, Some(standing), Some(&translator)),
                Ok(ReceivedMove::Again),
                "{}",
                saying.text
            );
        }
        let agreed = |negotiation: &Negotiation| {
            negotiation
                .agreement()
                .and_then(|c| c.payload.clone())
                .expect("agreed")
        };
        assert_eq!(agreed(&theirs), agreed(&ours));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Every offer, and every offer instead, is heard as it was meant: of a counter
    /// offer only what is different is said.
    #[test]
    fn any_offer_is_heard_as_it_was_meant(
        (at, one, other) in (0..4usize).prop_flat_map(|at| {
            (Just(at), payload(&all()[at]), payload(&all()[at]))
        }),
        text_language in prop::sample::select(TextLanguage::ALL.to_vec()),
        kind in prop::sample::select(vec![Kind::Feasibility, Kind::Fulfillment]),
    ) {
        let translator = &all()[at];
        let offer = |values: &Map<String, Value>| {
            let schema_id = &translator.schema().schema_id;
            let payload = Payload::new(schema_id, Value::Object(values.clone()));
            Speech::offer(vec![Content::new("x", "Please assess.").with_payload(payload)])
        };
        let (mut ours, mut theirs) = (fresh(kind), fresh(kind));
        for (side, speech) in [
            (Side::Publisher, offer(&one)),
            (Side::Executor, offer(&other)),
            (Side::Publisher, offer(&one)),
        ] {
            turn(&mut ours, Move::Speak(side, speech));
            let saying = said(&ours, translator, text_language);
            let failed = |refusal: NegotiationError| TestCaseError::fail(format!("{refusal:?} {}", saying.text));
            let message = NegotiationMessage::read(&saying.template_uri, &saying.context, &saying.text);
            let standing = OpenNegotiation { max_rounds: 5, negotiation: &theirs };
            let standing = (!theirs.turns.is_empty()).then_some(standing);
            let message = message.map_err(failed)?;
            let heard = hear(&message, side, standing, Some(translator)).map_err(failed)?;
            let (ReceivedMove::Opens(heard, _) | ReceivedMove::Turn(heard)) = heard else {
                return Err(TestCaseError::fail(format!("{heard:?}")));
            };
            let meant = &ours.turns[ours.turns.len() - 1].speech.contents[0].payload;
            prop_assert_eq!(&heard.contents[0].payload, meant, "{}", saying.text);
            turn(&mut theirs, Move::Speak(side, heard));
        }
    }
}

/// Words beside an offer are words, even if they look like fields; a task that lacks something is
/// told so if nobody can supply it.
#[test]
fn words_are_not_taken_for_fields() {
    let translator = translator("ran-energy-saving");
    let mut negotiation = fresh(Kind::Feasibility);
    turn(
        &mut negotiation,
        Move::Speak(Side::Publisher, Speech::offer(vec![content(30)])),
    );
    let mut speech = Speech::offer(vec![content(15)]);
    speech.reasons = refused().reasons;
    speech.reasons[0].message = "Area: too small\narea: \"none\"\n## Title".to_owned();
    let mut ours = negotiation.clone();
    turn(&mut ours, Move::Speak(Side::Executor, speech.clone()));
    let saying = said(&ours, &translator, TextLanguage::English);
    let message = NegotiationMessage::read(&saying.template_uri, &saying.context, &saying.text)
        .expect("a message");
    let standing = OpenNegotiation {
        max_rounds: 5,
        negotiation: &negotiation,
    };
    let heard = hear(&message, Side::Executor, Some(standing), Some(&translator));
    let Ok(ReceivedMove::Turn(heard)) = heard else {
        panic!("{heard:?}")
    };
    assert_eq!(heard.reasons[0].message, speech.reasons[0].message);
    assert_eq!(heard.contents[0].payload, speech.contents[0].payload);

    let declined = decline("Nobody knows.", &saying.context, TextLanguage::English);
    let message =
        NegotiationMessage::read(&declined.template_uri, &declined.context, &declined.text)
            .expect("a message");
    let heard = hear(&message, Side::Publisher, None, None);
    assert_eq!(
        heard,
        Ok(ReceivedMove::Withdrawal("Nobody knows.".to_owned()))
    );
}

/// A2A-T: an exchange as the metadata of its messages: the goal is out of reach, a lower one is
/// proposed, confirmed and accepted.
#[test]
fn an_energy_saving_exchange() {
    let translator = translator("ran-energy-saving");
    let mut negotiation = fresh(Kind::Feasibility);
    let mut told = Vec::new();
    let counter = Speech {
        reasons: vec![Reason {
            reason: "no-capacity".to_owned(),
            path: "saving_target_percent".to_owned(),
            message: "15 % is all that the load of these nights allows.".to_owned(),
        }],
        ..Speech::offer(vec![content(15)])
    };
    for (side, speech) in [
        (Side::Publisher, Speech::offer(vec![content(30)])),
        (Side::Executor, counter),
        (Side::Publisher, Speech::offer(vec![content(18)])),
        (Side::Executor, Speech::offer(vec![content(18)])),
        (Side::Publisher, Speech::accept()),
    ] {
        turn(&mut negotiation, Move::Speak(side, speech));
        let saying = said(&negotiation, &translator, TextLanguage::English);
        let context = saying.context.to_value();
        told.push(format!(
            "{} {context}\n{}",
            saying.template_uri, saying.text
        ));
    }
    assert_snapshot!(told.join("\n\n"), @r#"
    Negotiation-T/feasibility-negotiation/propose/v1 {"id":"7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3","maxRounds":5,"performative":"PROPOSE","round":1}
    ## Feasibility Negotiation
    Please assess.

    ## Under Evaluation Description
    1. Area: Haidian
    2. Energy consumption goal: 30%

    Negotiation-T/feasibility-negotiation/propose/v1 {"id":"7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3","maxRounds":5,"performative":"PROPOSE","round":2}
    ## Feasibility Negotiation
    See <Infeasible Evaluation Details and Proposal>.

    ## Infeasible Evaluation Details and Proposal
    15 % is all that the load of these nights allows.
    1. Energy consumption goal: 15%

    Negotiation-T/feasibility-negotiation/propose/v1 {"id":"7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3","maxRounds":5,"performative":"PROPOSE","round":3}
    ## Feasibility Negotiation
    See <Under Evaluation Description>.

    ## Under Evaluation Description
    1. Energy consumption goal: 18%

    Negotiation-T/feasibility-negotiation/propose/v1 {"id":"7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3","maxRounds":5,"performative":"PROPOSE","round":4}
    ## Feasibility Negotiation
    See <Feasible Evaluation Confirmation Request>.

    ## Feasible Evaluation Confirmation Request
    The target is assessed as feasible. Do you agree to proceed with this target?

    Negotiation-T/feasibility-negotiation/accept-reject/v1 {"id":"7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3","maxRounds":5,"performative":"ACCEPT","round":4}
    ## Feasibility Negotiation Result
    Accept

    ## Feasibility Assessment Result Confirmation
    It can be done as proposed.
    "#);
}

/// The texts that an SDK renders from typed data are heard: a request, what is infeasible with a
/// proposal, a request for confirmation, and the ending; numbers of the context come as `1.0`.
#[test]
fn messages_as_peers_send_them() {
    let translator = translator("ran-energy-saving");
    let send = |path: &str, round: f64, performative: &str, text: &str| {
        let metadata = json!({
            "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Negotiation-T/v1": text,
            "templateUri": format!("Negotiation-T/feasibility-negotiation/{path}/v1"),
            "negotiationContext": {"id": ID.to_uppercase(), "round": round, "maxRounds": 5.0, "performative": performative},
        });
        let metadata = metadata.as_object().expect("a literal object").clone();
        let envelope = TelecomEnvelope::read(&metadata)
            .expect("sound")
            .expect("A2A-T");
        let text = envelope.text(Family::Negotiation).expect("a text");
        let uri = envelope.template_uri.as_ref().expect("a template");
        NegotiationMessage::read(uri, envelope.context.as_ref().expect("a context"), text)
            .expect("a message")
    };
    let mut negotiation = fresh(Kind::Feasibility);
    let messages = [
        (
            Side::Publisher,
            send(
                "propose",
                1.0,
                "PROPOSE",
                "## Feasibility Negotiation\nPlease assess <Under Evaluation Description>.\n\n## Under Evaluation Description\n1. Area: Haidian\n2. Energy consumption goal: 30%",
            ),
        ),
        (
            Side::Executor,
            send(
                "propose",
                2.0,
                "PROPOSE",
                "## Feasibility Negotiation\nNot feasible.\n\n## Infeasible Evaluation Details and Proposal\nThe load of the nights is too high.\n1. Energy consumption goal: 15%",
            ),
        ),
        (
            Side::Publisher,
            send(
                "propose",
                3.0,
                "PROPOSE",
                "## Feasibility Negotiation\nPlease assess again.\n\n## Under Evaluation Description\n1. Energy consumption goal: 20%\n2. Rate guarantee goal: 2Mbps",
            ),
        ),
        (
            Side::Executor,
            send(
                "propose",
                4.0,
                "PROPOSE",
                "## Feasibility Negotiation\nFeasible.\n\n## Feasible Evaluation Confirmation Request\nThe target is assessed as feasible. Do you agree to proceed with this target?",
            ),
        ),
        (
            Side::Publisher,
            send(
                "accept-reject",
                4.0,
                "ACCEPT",
                "## Feasibility Negotiation Result\nAccept\n\n## Feasibility Assessment Result Confirmation\nAgreed, please proceed.",
            ),
        ),
    ];
    for (side, message) in &messages {
        let standing = OpenNegotiation {
            max_rounds: 5,
            negotiation: &negotiation,
        };
        let standing = (!negotiation.turns.is_empty()).then_some(standing);
        let speech = match hear(message, *side, standing, Some(&translator)).expect("heard") {
            ReceivedMove::Opens(speech, _) | ReceivedMove::Turn(speech) => speech,
            other => panic!("{other:?}"),
        };
        turn(&mut negotiation, Move::Speak(*side, speech));
    }
    let agreed = negotiation
        .agreement()
        .and_then(|c| c.payload.as_ref())
        .expect("agreed");
    assert_snapshot!(Value::Object(agreed.values.clone()), @r#"{"area":"Haidian","min_throughput_mbps":2,"saving_target_percent":20}"#);
    assert_snapshot!(negotiation.turns[1].speech.reasons[0].message, @"The load of the nights is too high");
}

/// A2A-T: a peer that lacks something asks; how the items depend on each other is no item.
#[test]
fn questions_of_peers_are_items() {
    let uri = TemplateUri::parse("Negotiation-T/information-negotiation/propose/v1");
    let context = Context {
        id: ID.to_owned(),
        round: 1,
        max_rounds: 5,
        performative: Some(Performative::Propose),
    };
    let text = "## Information Negotiation\nPlease supplement <Required Information Items>.\n\n\
        ## Required Information Items\n1. Area name: e.g. Haidian\n2. VLANId\n\
        Relationship between missing items: AND";
    let message =
        NegotiationMessage::read(&uri.expect("a URI"), &context, text).expect("a message");
    assert_eq!(
        hear(&message, Side::Executor, None, None),
        Ok(ReceivedMove::Question)
    );
    let items = [("Area name", "e.g. Haidian"), ("VLANId", "")];
    assert_eq!(
        message.items(),
        items.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
}

/// A2A-T: the other generation, its spelling of the members, and a context without performative:
/// read, and answered the same way.
#[test]
fn older_builds_are_answered_in_their_spelling() {
    let context = json!({"id": ID, "round": 1, "maxRounds": 5}).to_string();
    let metadata = json!({
        "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Negotiation-T/NL/v1":
            "## 信息协商结果\nAccept\n\n## 信息协商结果内容\n1. 区域：海淀",
        "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T/NL/v1": "## 任务对象\n海淀",
        "template_uri": "Negotiation-T/information-negotiation/accept-reject/v1",
        "negotiation_context": context,
        "unrelated": 7,
    });
    let metadata = metadata.as_object().expect("a literal object");
    let envelope = TelecomEnvelope::read(metadata)
        .expect("sound")
        .expect("A2A-T");
    assert_eq!(envelope.spelling, MemberCase::Snake);
    assert_eq!(
        envelope.extension(Family::Task).generation,
        UriGeneration::Older
    );
    let text = envelope.text(Family::Negotiation).expect("a text");
    let (uri, context) = (
        envelope.template_uri.clone().expect("a URI"),
        envelope.context.clone().expect("one"),
    );
    let message = NegotiationMessage::read(&uri, &context, text).expect("a message");
    assert_eq!(
        (message.performative, message.text_language),
        (Performative::Accept, TextLanguage::Chinese)
    );
    assert_eq!(
        hear(&message, Side::Publisher, None, None),
        Ok(ReceivedMove::Supply)
    );
    assert_eq!(message.items(), [("区域".to_owned(), "海淀".to_owned())]);
    let left = abort(&context, "Time is over.", message.text_language);
    let answer = envelope
        .answer(left.template_uri, left.text, Some(left.context))
        .write();
    assert_snapshot!(serde_json::to_string_pretty(&answer).expect("JSON"), @r###"
    {
      "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Negotiation-T/NL/v1": "## 协商结果\nAbort\n\n## 协商终止原因\nTime is over.",
      "negotiation_context": "{\"id\":\"7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3\",\"maxRounds\":5,\"performative\":\"ABORT\",\"round\":1}",
      "template_uri": "Negotiation-T/common/abort/v1"
    }
    "###);
}

/// A2A-T: what contradicts itself, or is no context, is refused with the code of the catalogue.
#[test]
fn contradictions_are_refused() {
    let context = |performative| Context {
        id: ID.to_owned(),
        round: 1,
        max_rounds: 5,
        performative,
    };
    let accept = "## Feasibility Negotiation Result\nAccept\n\n## Feasibility Assessment Result Confirmation\nYes.";
    let mut told = Vec::new();
    for (uri, performative, text) in [
        (
            "Negotiation-T/feasibility-negotiation/accept-reject/v1",
            Some(Performative::Reject),
            accept,
        ),
        (
            "Negotiation-T/feasibility-negotiation/propose/v1",
            Some(Performative::Accept),
            accept,
        ),
        (
            "Negotiation-T/feasibility-negotiation/accept-reject/v1",
            None,
            "## Feasibility Negotiation Result\nMaybe",
        ),
        ("Negotiation-T/price-negotiation/propose/v1", None, accept),
        ("Task-T/network-layer/ran-energy-saving/v1", None, accept),
        ("Negotiation-T/common/abort/v1", None, "Abort"),
    ] {
        let uri = TemplateUri::parse(uri).expect("a URI");
        let refusal =
            NegotiationMessage::read(&uri, &context(performative), text).expect_err("refused");
        told.push(format!("{}: {refusal}", refusal.code()));
    }
    let many = r#"{"":0},"#.repeat(20_000);
    for context in [
        json!(7),
        json!("{"),
        json!(format!(r#"{{"id":"{ID}","round":1,"x":[{many}0]}}"#)),
        json!({"id": "1", "round": 1}),
        json!({"id": ID, "round": 1.5}),
        json!({"id": ID, "round": 0}),
        json!({"id": ID, "round": 1, "maxRounds": "5"}),
        json!({"id": ID, "round": 1, "performative": "propose"}),
    ] {
        let fault = Context::read(&context).expect_err("no context");
        told.push(format!("{}: {fault}", fault.code()));
    }
    let text = "## Feasibility Negotiation\nPlease assess.";
    let uri =
        TemplateUri::parse("Negotiation-T/feasibility-negotiation/propose/v1").expect("a URI");
    let empty = NegotiationMessage::read(&uri, &context(None), text).expect("a message");
    let refusal = hear(&empty, Side::Publisher, None, None).expect_err("nothing is offered");
    told.push(format!("{}: {refusal}", refusal.code()));
    assert_snapshot!(told.join("\n"), @r"
    negotiation.conclusion_mismatch: the conclusion says ACCEPT, not REJECT
    negotiation.phase_mismatch: the template says Negotiation-T/feasibility-negotiation/propose/v1, not ACCEPT
    negotiation.field_missing: section 'Feasibility Negotiation Result' is needed
    template.not_found: 'Negotiation-T/price-negotiation/propose/v1' is no template of Negotiation-T
    template.not_found: 'Task-T/network-layer/ran-energy-saving/v1' is no template of Negotiation-T
    content.format_error: line 1: text before the first section
    negotiation.invalid_input: the negotiation context is not an object
    negotiation.invalid_input: the negotiation context is not an object
    negotiation.invalid_input: the negotiation context is not an object
    negotiation.invalid_context_id: 'id' of the negotiation context is not a UUID
    negotiation.invalid_input: 'round' of the negotiation context is not a whole number from 1 to 1000000
    negotiation.invalid_input: 'round' of the negotiation context is not a whole number from 1 to 1000000
    negotiation.invalid_input: 'maxRounds' of the negotiation context is not a whole number from 1 to 1000000
    negotiation.invalid_input: 'performative' of the negotiation context is not PROPOSE, ACCEPT, REJECT or ABORT
    negotiation.field_missing: section 'Under Evaluation Description' is needed
    ");
}

/// The text before the first alternative is read for each, so there are so many and no more.
#[test]
fn alternatives_are_bounded() {
    let offered = |count: usize| {
        let each =
            (1..=count).map(|n| format!("### Alternative {n}\n1. Energy consumption goal: {n}%"));
        let text = format!(
            "## Feasibility Negotiation\nPlease assess.\n\n## Under Evaluation Description\n1. Area: Haidian\n{}",
            each.collect::<Vec<_>>().join("\n")
        );
        let context = Context {
            id: ID.to_owned(),
            round: 1,
            max_rounds: 5,
            performative: Some(Performative::Propose),
        };
        let uri = "Negotiation-T/feasibility-negotiation/propose/v1";
        let uri = TemplateUri::parse(uri).expect("a URI");
        let message = NegotiationMessage::read(&uri, &context, &text).expect("a message");
        hear(
            &message,
            Side::Publisher,
            None,
            Some(&translator("ran-energy-saving")),
        )
    };
    let heard = |it: &Result<ReceivedMove, NegotiationError>| match it {
        Ok(ReceivedMove::Opens(speech, _)) => speech.contents.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(heard(&offered(16)), 16);
    assert_eq!(offered(17), Err(NegotiationError::TooMany(16)));
    assert_eq!(
        offered(17).expect_err("too many").code(),
        "negotiation.content_invalid"
    );
}
