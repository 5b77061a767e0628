//! The laws that hold of the built-in parser whatever is said: D62, D63, Q8.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use schema::contract::Contract;
use schema::semantics::Circumstances;
use schema::template::Template;
use schema::time::Timestamp;
use schema::violation::Code;
use semantics::rules::Rules;
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(schema::shipped::shipped);

/// Words that mean something to some template, and marks that part them in odd ways.
const WORDS: [&str; 72] = [
    "site",
    "BE-017",
    "router",
    "Berlin",
    "Berlin-Leipzig",
    "from",
    "to",
    "until",
    "by",
    "15%",
    "3",
    "two",
    "hours",
    "W",
    "next",
    "Monday",
    "tomorrow",
    "at",
    "6",
    "am",
    "23:30",
    "-",
    "no",
    "not",
    "don't",
    "off",
    "and",
    ",",
    ".",
    "?",
    "'",
    "“",
    "”",
    ":",
    "cells",
    "BE-018/1",
    "save",
    "energy",
    "call",
    "+4930123456",
    "the",
    "12th",
    "of",
    "May",
    "2026-05-04",
    "half",
    "an",
    "hour",
    "a",
    "dozen",
    "smooth",
    "skin",
    "business",
    "class",
    "Shanghai",
    "calls",
    "drop",
    "card",
    "2",
    "站点",
    "柏林",
    "到",
    "莱比锡",
    "的链路",
    "下周一",
    "两小时",
    "百分之",
    "十五",
    "不要",
    "节能",
    "海淀区",
    "半",
];

fn circumstances(minutes: i64) -> Circumstances {
    let now = Timestamp::parse("2026-04-30T10:00:00+08:00").unwrap() + minutes * 60_000;
    Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    }
}

fn utterance() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..14);
    prop_oneof![
        3 => (words, prop::bool::ANY).prop_map(|(words, tight)| words.join(if tight { "" } else { " " })),
        1 => "\\PC{0,60}",
    ]
}

/// Texts that people type when they are in haste, and texts that nobody types: codes, numerals of
/// both scripts, marks in odd places, anything that Unicode has.
fn anything() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        2 => "[A-Z]{1,3}[-_/]?[0-9]{1,4}(/[0-9])?",
        2 => "[0-9]{1,20}([.:,/-][0-9]{1,4}){0,3}",
        3 => "[零一二两三十百千万亿半个成分之点时刻月日号周年前后内至到从和或不别没了的]{1,6}",
        1 => "[\\u{4e00}-\\u{9fa5}]{1,4}",
        2 => "[-+~%°$€.,;:!?/'\"()（）、，。：；？！“”‘’—…]{1,3}",
        1 => "\\PC{1,4}",
        1 => ".{1,3}",
    ];
    (prop::collection::vec(piece, 0..12), prop::bool::ANY)
        .prop_map(|(pieces, tight)| pieces.join(if tight { "" } else { " " }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// D62: whatever is typed, in whatever scripts, and whenever, is read without a fault, and what
    /// is left over are words of the utterance.
    #[test]
    fn nothing_that_is_typed_makes_it_stumble(said in anything(), at in 0_usize..21, minutes in -40_000_000_i64..80_000_000) {
        let template = &TEMPLATES[at % TEMPLATES.len()];
        let parsed = Rules::default().read(template, &said, &circumstances(minutes));
        for fragment in &parsed.other {
            prop_assert!(!fragment.trim().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    /// The payload is one that the template takes, but for required keys that nobody said; each of
    /// its keys has a confidence that reaches the threshold, and the same is read again.
    #[test]
    fn whatever_is_said_the_payload_keeps_to_the_template(said in utterance(), at in 0_usize..21, minutes in 0_i64..600_000) {
        let template = &TEMPLATES[at % TEMPLATES.len()];
        let circumstances = circumstances(minutes);
        let parsed = Rules::default().read(template, &said, &circumstances);
        if let Err(violations) = Contract::new(template).unwrap().verify(&parsed.payload) {
            for violation in violations {
                prop_assert_eq!(violation.code, Code::Missing);
            }
        }
        for key in parsed.payload.keys() {
            prop_assert!(parsed.confidence[key] >= 0.7 && parsed.confidence[key] <= 1.0, "{} {}", key, parsed.confidence[key]);
        }
        for key in &parsed.missing {
            prop_assert!(!parsed.payload.contains_key(key) && template.key(key).unwrap().required);
        }
        prop_assert_eq!(parsed, Rules::default().read(template, &said, &circumstances));
    }
}
