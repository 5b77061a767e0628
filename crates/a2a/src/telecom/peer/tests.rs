//! Peers as their cards say, and what both sides say to each other.

use super::*;
use crate::telecom::declaration::declare;
use crate::telecom::extension::{TemplateUri, UriGeneration};
use domain::content::Content;
use domain::negotiation::{Kind, Move, Speech, Stance};
use domain::task::TaskId;
use domain::time::Timestamp;
use serde_json::json;

const ID: &str = "7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3";

fn repertoire(taken: &[&str]) -> TemplateCatalogue {
    let schemas = schema::shipped::shipped();
    let find = |id: &str| {
        schemas
            .iter()
            .find(|it| taken.contains(&id) && it.schema_id == id)
    };
    TemplateCatalogue::new(find).expect("they fit")
}

fn all() -> TemplateCatalogue {
    repertoire(&["energy_saving_v1", "fault_diagnosis_v1"])
}

fn card(extensions: &[(Family, UriGeneration)]) -> Card {
    let mut card = Card::new("peer", "elsewhere", "1.0.0");
    for (family, generation) in extensions {
        let (family, generation) = (*family, *generation);
        card.declare(crate::card::AgentExtension {
            uri: TelecomExtension { family, generation }.uri(),
            description: None,
            required: false,
            params: Metadata::new(),
        });
    }
    card
}

fn order(percent: u32) -> Payload {
    let values = json!({"action": "activate", "area": "Haidian", "saving_target_percent": percent});
    Payload::new("energy_saving_v1", values)
}

fn negotiated(turns: Vec<(Side, Speech)>) -> Negotiation {
    let fresh = Negotiation::between(TaskId::new(ID), Kind::Feasibility, "oss", "peer");
    let fresh = Negotiation {
        round_limit: 3,
        ..fresh
    };
    turns
        .into_iter()
        .fold(fresh, |mut negotiation, (by, speech)| {
            let said = negotiation.decide(Move::Speak(by, speech), Timestamp::from_ms(1));
            negotiation.apply(&said.expect("in its turn"));
            negotiation
        })
}

fn offer(percent: u32) -> Speech {
    let content = Content::new("Haidian", "can it be reached?").with_payload(order(percent));
    Speech::offer(vec![content])
}

/// Issue 6 §5: a peer is spoken to in the generation and with the templates that its card declares.
#[test]
fn a_card_says_how_its_agent_is_spoken_to() {
    let ours = all();
    let mut own = Card::new("own", "like ours", "1.0.0");
    declare(&mut own, &repertoire(&["energy_saving_v1"]));
    let peer = TelecomPeer::of(&own, &ours).expect("a peer");
    assert!(peer.negotiates() && peer.template("fault_diagnosis_v1").is_none());
    let prompt = peer
        .assignment(&order(20), TextLanguage::English)
        .expect("known");
    assert_eq!(TelecomPeer::extensions(&prompt), [peer.task.uri()]);
    let known = ours.for_schema("energy_saving_v1").expect("known");
    let read = known
        .read(prompt.text(Family::Task).expect("a text"))
        .expect("a prompt");
    assert_eq!(read.payload().expect("complete"), order(20));

    let older = card(&[(Family::Task, UriGeneration::Older)]);
    let peer = TelecomPeer::of(&older, &ours).expect("a peer");
    assert!(!peer.negotiates() && peer.template("fault_diagnosis_v1").is_some());
    let prompt = peer
        .assignment(&order(20), TextLanguage::Chinese)
        .expect("known");
    assert!(TelecomPeer::extensions(&prompt)[0].ends_with("/Task-T/NL/v1"));
    assert_eq!(prompt.text_language(), TextLanguage::Chinese);
    assert!(
        TelecomPeer::of(
            &card(&[(Family::Negotiation, UriGeneration::Current)]),
            &ours
        )
        .is_none()
    );
}

/// A2A-T: what a peer says becomes a turn of our negotiation: an offer, an acceptance, a refusal.
#[test]
fn words_become_turns() {
    let both = [
        (Family::Task, UriGeneration::Current),
        (Family::Negotiation, UriGeneration::Current),
    ];
    let peer = TelecomPeer::of(&card(&both), &all()).expect("a peer");
    let ours = negotiated(vec![(Side::Publisher, offer(50))]);
    let asked = peer
        .turn(&ours, ID, 5, TextLanguage::English)
        .expect("something to say");
    assert_eq!(asked.context.as_ref().map(|it| it.round), Some(1));
    let said = |theirs: Speech| {
        let answered = negotiated(vec![(Side::Publisher, offer(50)), (Side::Executor, theirs)]);
        let envelope = peer
            .turn(&answered, ID, 5, TextLanguage::English)
            .expect("an answer");
        let standing = OpenNegotiation {
            max_rounds: 5,
            negotiation: &ours,
        };
        match peer.word(&envelope.write(), &[], Some(standing), None) {
            Ok(Some(PeerMessage::Negotiates {
                heard: ReceivedMove::Turn(speech),
                ..
            })) => speech,
            other => panic!("{other:?}"),
        }
    };
    let countered = said(offer(30));
    assert_eq!(countered.contents[0].payload, Some(order(30)));
    assert_eq!(said(Speech::accept()).stance, Stance::Accept);
    assert_eq!(said(Speech::refuse(Vec::new())).stance, Stance::Refuse);
    let context = asked.context.expect("it is there");
    let left = peer
        .abort(&context, "not needed", TextLanguage::English)
        .expect("it negotiates");
    let standing = OpenNegotiation {
        max_rounds: 5,
        negotiation: &ours,
    };
    let left = peer
        .word(&left.write(), &[], Some(standing), None)
        .expect("heard");
    assert!(matches!(
        left,
        Some(PeerMessage::Negotiates {
            heard: ReceivedMove::Withdrawal(_),
            ..
        })
    ));
}

/// A2A-T: what a peer asks for is supplied by name, and the whole prompt beside it.
#[test]
fn questions_are_supplied() {
    let both = [
        (Family::Task, UriGeneration::Current),
        (Family::Negotiation, UriGeneration::Current),
    ];
    let peer = TelecomPeer::of(&card(&both), &all()).expect("a peer");
    let translator = peer.template("energy_saving_v1").expect("known");
    let reading = translator
        .read("## Operation Type\nCreate")
        .expect("a prompt");
    let lacks = reading.payload().expect_err("the area lacks");
    let first = Context {
        id: ID.to_owned(),
        round: 1,
        max_rounds: 5,
        performative: None,
    };
    let asked = negotiation::ask(&lacks, &first, TextLanguage::English);
    let asked = peer.saying(asked).expect("it negotiates");
    let Ok(Some(PeerMessage::Asks { context, items })) = peer.word(&asked.write(), &[], None, None)
    else {
        panic!("a question")
    };
    assert_eq!(items[0].0, "Area");
    let supplied = peer
        .supply(&order(20), &context, &items, TextLanguage::English)
        .expect("known");
    assert!(
        supplied
            .text(Family::Negotiation)
            .expect("an answer")
            .contains("1. Area: Haidian")
    );
    let prompt = translator.read(supplied.text(Family::Task).expect("a prompt"));
    assert_eq!(
        prompt.expect("read").payload().expect("complete"),
        order(20)
    );
}

/// A2A-T: a result is its words, and the payload beside them; what is none is told apart.
#[test]
fn results_are_told() {
    let peer =
        TelecomPeer::of(&card(&[(Family::Task, UriGeneration::Current)]), &all()).expect("a peer");
    let uri = TemplateUri::parse("Task-T/network-layer/ran-energy-saving/v1").expect("a URI");
    let told = TelecomEnvelope::new(peer.task, uri, "## Expected Output\nsaved".to_owned());
    let values = json!({"status": "active", "area": "Haidian"});
    let payload = Payload::new("energy_saving_result_v1", values);
    let part = objects::typed(&payload.schema_id, payload.values.clone());
    let word = peer
        .word(&told.write(), &[part], None, None)
        .expect("heard");
    let text = "## Expected Output\nsaved".to_owned();
    assert_eq!(
        word,
        Some(PeerMessage::Tells {
            text,
            payload: Some(payload)
        })
    );
    assert_eq!(peer.word(&Metadata::new(), &[], None, None), Ok(None));
    let mut broken = told.write();
    broken.insert("templateUri".to_owned(), "nothing".into());
    assert!(matches!(
        peer.word(&broken, &[], None, None),
        Err(PeerError::Unsound(_))
    ));
}
