//! Letters state the facts of their gold label and nothing of the truth.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::chance::stream;
use crate::topology::Backbone;
use domain::gazetteer;
use proptest::prelude::*;

fn start() -> Timestamp {
    Timestamp::parse("2025-04-01T00:00:00Z").unwrap()
}

/// The corpus by which readers are measured is what this grammar generates today. To renew it:
/// `cargo run -p convoke-network --example letters -- 7 400 >
/// crates/showcase/agents/src/complaints/letters.tsv`
#[test]
fn the_measured_corpus_is_of_this_grammar() {
    let kept = include_str!("../../../agents/src/complaints/letters.tsv");
    let written = corpus::lines(&Backbone::default(), 7, 400, start());
    let mut lines = kept.lines();
    assert_eq!(lines.next(), Some(corpus::HEAD));
    assert!(
        lines.eq(written.iter().map(String::as_str)),
        "renew the corpus"
    );
}

/// Forty letters are written by hand, twenty in each language.
#[test]
fn forty_letters_are_written_by_hand() {
    let mut sheets = BTreeSet::new();
    for chinese in [false, true] {
        for symptom in ComplaintSymptom::ALL {
            for left in [None, Some("Kassel".to_owned())] {
                let plight = Experience {
                    left,
                    chinese,
                    ..plight(Some(symptom), None)
                };
                sheets.extend(handwritten::fitting(&plight));
            }
        }
        for outside in UnrelatedSubject::ALL {
            let plight = Experience {
                chinese,
                ..plight(None, Some(outside))
            };
            assert_eq!(handwritten::fitting(&plight).len(), 1);
            sheets.extend(handwritten::fitting(&plight));
        }
    }
    assert_eq!(sheets.len(), 40);
}

fn plight(symptom: Option<ComplaintSymptom>, outside: Option<UnrelatedSubject>) -> Experience {
    Experience {
        symptom,
        outside,
        town: "Koeln".to_owned(),
        left: None,
        at: start().plus_s(40_000.0),
        vin: "0HVA7K2M9B4048293".to_owned(),
        withheld: BTreeSet::new(),
        chinese: false,
    }
}

#[test]
fn a_right_answer_depends_on_home_and_nature() {
    let fault = ComplaintCause::Fault {
        element: ElementId::new("site:x"),
        province: "North".to_owned(),
    };
    assert_eq!(fault.boundary("North"), TrueBoundary::OwnDomain);
    assert_eq!(fault.boundary("South"), TrueBoundary::OtherDomain);
    assert_eq!(
        ComplaintCause::Outside(UnrelatedSubject::Modem).boundary("North"),
        TrueBoundary::Customer
    );
    assert_eq!(
        ComplaintCause::Outside(UnrelatedSubject::Quota).boundary("North"),
        TrueBoundary::Outside
    );
}

proptest! {
    #[test]
    fn what_is_said_stands_in_the_letter_and_what_is_withheld_does_not(
        seed: u64,
        felt in proptest::sample::select(ComplaintSymptom::ALL.to_vec()),
        withheld in proptest::collection::btree_set(proptest::sample::select(WithheldFact::ALL.to_vec()), 0..3),
        moved: bool,
        chinese: bool,
        ago_s in 600.0..150_000.0,
    ) {
        let mut rng = stream(seed, 0);
        let plight = Experience {
            left: moved.then(|| "Kassel".to_owned()),
            withheld,
            chinese,
            ..plight(Some(felt), None)
        };
        let written = plight.at.plus_s(ago_s);
        let letter = words::letter(&plight, written, &mut rng);
        let joined = letter.text.replace(' ', "");
        prop_assert_eq!(letter.gold.vehicle.is_some(), joined.contains(&plight.vin), "{}", letter.text);
        let town = gazetteer::folded(&letter.text);
        let named = town.contains("koeln") || town.contains("cologne") || letter.text.contains("科隆");
        prop_assert_eq!(letter.gold.place.is_some(), named, "{}", letter.text);
        prop_assert_eq!(letter.gold.moved_to.is_some(), letter.gold.place.is_some() && moved);
        let blank = letter.text.contains(['{', '}', '[', ']']);
        prop_assert!(!blank, "{}", letter.text);
        // Asked, the owner tells everything.
        let answer = words::answer(&plight, written, &mut rng);
        prop_assert!(answer.replace(' ', "").contains(&plight.vin));
        prop_assert_eq!(words::gold_when_told(&plight).at, Some(plight.at));
    }
}
