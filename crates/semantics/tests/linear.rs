//! What is said is read, and who it is for chosen, in steps that grow as its length does: counted, never timed.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use schema::semantics::{
    Circumstances, FailureKind, OfferedScenario, ParseFailure, SemanticParser,
};
use schema::steps::STEPS_MOST;
use schema::template::Template;
use schema::time::Timestamp;
use semantics::choose::{self, ScenarioChoice};
use semantics::ngrams::Ngrams;
use semantics::rules::Rules;
use std::cell::Cell;
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(schema::shipped::shipped);

/// The number of times that a piece is said at first: so often that it is more than a clause that
/// is looked at as a whole.
fn pieces(piece: &str) -> usize {
    (1_280 / piece.len()).clamp(40, 160)
}

fn circumstances() -> Circumstances {
    Circumstances {
        now: Timestamp::parse("2026-04-30T02:30:00Z").unwrap(),
        zone_minutes: 480,
        language: None,
    }
}

fn steps(template: &Template, said: &str) -> u64 {
    Rules::default().steps(template, said, &circumstances())
}

/// Twice as much of the same takes at most a little more than twice the steps.
fn grows_as_it_is_long(template: &Template, piece: &str) -> Result<(), String> {
    let told = |n: usize| steps(template, &piece.repeat(n * pieces(piece)));
    let (one, two, four) = (told(1), told(2), told(4));
    let linear = |less: u64, more: u64| more <= less * 22 / 10 + 2_000;
    match linear(one, two) && linear(two, four) {
        true => Ok(()),
        false => Err(format!(
            "{piece:?} for {}: {one}, {two}, {four} steps",
            template.schema_id
        )),
    }
}

/// Pieces that were read in quadratic time, and its like.
const PIECES_OF_ATTACKS: &[&str] = &[
    "target: ",
    "target=",
    "site BE-017 ",
    "BE-018/1 and ",
    "5 Mbit/s, ",
    "15% ",
    "2 hours 30 minutes and ",
    "1-1-",
    "five hundred ",
    "hundred ",
    "2026-05-04 ",
    "next Monday at 6 pm until 7 pm ",
    "23:30-05:30 ",
    "since yesterday for 40 minutes ",
    "from 1 to 5 am at night ",
    "the link between Berlin and Leipzig, ",
    "3 km south of Rotenburg ",
    "Berlin ",
    "Berlin R7 ",
    "Portland, OR ",
    "card 2 in Berlin ",
    "tunnel at station in the harbour district of ",
    "'quoted' ",
    "\"quoted\" ",
    "“",
    "‘a",
    "\"",
    "'",
    "(",
    "[1,",
    "{[(",
    "1,234,567,",
    "no.!",
    ". ",
    "a.b@c.org ",
    "https://x.org/y?",
    "192.168.11.33 ",
    "+49 30 123456 ",
    "call 030 1234 ",
    "or ",
    "or else Berlin ",
    "of of the the ",
    "not not ",
    "what is it? ",
    "please save energy and ",
    "Who said: what? ",
    "一",
    "三百千万",
    "千半",
    "下",
    "下周一",
    "今晚10点到11点,",
    "从北京到上海,",
    "北京",
    "海淀区",
    "节能",
    "请把",
    "麻烦你",
    "不要",
    "柏林到莱比锡的链路",
    "M-011/1和",
    "投诉单:",
    "从:",
    "“深度休眠”",
    "还是",
    "距柏林12.4公里",
    "百分之十五",
    "信号弱",
];

#[test]
fn twice_as_much_takes_twice_the_steps() {
    let wrong = PIECES_OF_ATTACKS
        .iter()
        .enumerate()
        .flat_map(|(at, piece)| {
            // Each with another two of the templates.
            let templates = [at * 2, at * 2 + 1].map(|at| &TEMPLATES[at % TEMPLATES.len()]);
            templates.map(|template| grows_as_it_is_long(template, piece).err())
        });
    let wrong: Vec<String> = wrong.flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Whatever they are put together of.
    #[test]
    fn whatever_is_said_again_and_again_takes_as_many_steps_as_it_is_long(
        pieces in prop::collection::vec(prop::sample::select(PIECES_OF_ATTACKS), 2..5),
        at in 0_usize..64,
    ) {
        let template = &TEMPLATES[at % TEMPLATES.len()];
        let piece = pieces.concat();
        let told = |n: usize| steps(template, &piece.repeat(n * self::pieces(&piece)));
        let (one, two) = (told(1), told(2));
        prop_assert!(two <= one * 22 / 10 + 2_000, "{piece:?} for {}: {one}, {two}", template.schema_id);
    }
}

/// What is more work than is done for one is refused as such, and not read in part.
#[test]
fn what_is_too_much_work_is_refused() {
    let template = schema::shipped::template("quality_check_v1").unwrap();
    let long = "从北京到上海,".repeat(2_000);
    let refused = Rules::default().parse(&template, &long, &circumstances());
    let refused: ParseFailure = refused.unwrap_err();
    assert_eq!(refused.kind, FailureKind::TooMuch);
    assert!(
        refused.reason.contains(&STEPS_MOST.to_string()),
        "{refused}"
    );
    let short = Rules::default().parse(&template, &"从北京到上海,".repeat(215), &circumstances());
    assert!(short.is_ok(), "what bindings let in is read");
}

/// Who no longer waits is noticed before each key, and nothing is done for him after that.
#[test]
fn who_does_not_wait_is_noticed() {
    let template = schema::shipped::template("quality_check_v1").unwrap();
    let asked = Cell::new(0);
    let over = |from: usize| {
        asked.set(0);
        let over = || {
            asked.set(asked.get() + 1);
            asked.get() >= from
        };
        let said = "check BE-017 tomorrow";
        Rules::default().parse_until(&template, said, &circumstances(), &over)
    };
    assert!(over(usize::MAX).is_ok());
    let times = asked.get();
    assert!(times > template.own_keys().count(), "{times}");
    for from in 1..=times {
        assert_eq!(over(from).unwrap_err().kind, FailureKind::Cancelled);
        assert_eq!(asked.get(), from);
    }
}

/// The offers of agents: some of the templates, with what people say for them.
fn offers<'a>(examples: &'a [String]) -> Vec<OfferedScenario<'a>> {
    let offer = |template: &'a Template| OfferedScenario {
        agent: "",
        scenario: &template.scenario,
        description: "what is offered",
        examples,
        template: Some(template),
    };
    TEMPLATES.iter().take(3).map(offer).collect()
}

fn steps_of_choosing(said: &str, examples: &[String]) -> u64 {
    choose::steps(said, &offers(examples), &Ngrams::default())
}

/// Which scenario is meant is found in steps that grow as what is said and what is offered do.
#[test]
fn to_choose_takes_twice_the_steps_for_twice_as_much() {
    let linear = |less: u64, more: u64| more <= less * 22 / 10 + 2_000;
    for piece in PIECES_OF_ATTACKS {
        let said = |n: usize| piece.repeat(n * pieces(piece));
        let told = [1, 2, 4].map(|n| steps_of_choosing(&said(n), &[]));
        assert!(
            linear(told[0], told[1]) && linear(told[1], told[2]),
            "{piece:?}: {told:?}"
        );
        let offered = [1, 2, 4].map(|n| steps_of_choosing("save energy", &[said(n)]));
        assert!(
            linear(offered[0], offered[1]) && linear(offered[1], offered[2]),
            "{piece:?}: {offered:?}"
        );
    }
}

/// What is too much work to choose among is refused as what is too much to read is.
#[test]
fn too_much_to_choose_among_is_refused() {
    let (never, ngrams) = (|| false, Ngrams::default());
    let long = "save energy ".repeat(800_000);
    let refused = choose::choose_until(&long, &offers(&[]), &ngrams, &never).unwrap_err();
    assert_eq!(refused.kind, FailureKind::TooMuch);
    assert!(refused.reason.contains(&STEPS_MOST.to_string()));
    let all: Vec<OfferedScenario<'_>> = (0..20).flat_map(|_| offers(&[])).collect();
    let read = choose::choose_until(&"save energy, ".repeat(315), &all, &ngrams, &never);
    assert!(read.is_ok(), "what bindings let in is read");
}

/// Who says much of himself is heard for his share, and takes nothing from what is heard of others.
#[test]
fn whoever_offers_much_is_heard_for_a_share() {
    let (never, ngrams) = (|| false, Ngrams::default());
    let said = "Cut energy use in Haidian by 15% from midnight";
    let offer = |template| OfferedScenario {
        template: Some(template),
        scenario: &template.scenario,
        ..offers(&[])[0]
    };
    let quiet: Vec<OfferedScenario<'_>> = TEMPLATES.iter().map(offer).collect();
    let fits = |offers: &[OfferedScenario<'_>]| {
        let choice = choose::choose_until(said, offers, &ngrams, &never);
        match choice.unwrap() {
            ScenarioChoice::Fits(best, others) => (best, others.len()),
            ScenarioChoice::Nothing(nearest) => panic!("nothing fits: {nearest:?}"),
        }
    };
    let (best, _) = fits(&quiet);
    let much = ["cut energy use in Haidian ".repeat(800_000)];
    let many = vec!["abc".to_owned(); 21_000];
    let long = "cut energy use ".repeat(800_000);
    let talkative = (0..40).map(|number| OfferedScenario {
        agent: "talkative",
        description: &long,
        examples: if number % 2 == 0 { &much } else { &many },
        ..quiet[(1 + best.offer) % quiet.len()]
    });
    let all: Vec<OfferedScenario<'_>> = quiet.iter().copied().chain(talkative).collect();
    let (among, others) = fits(&all);
    // Nothing was heard of what is too long, and none is left out for it.
    assert_eq!((among.offer, among.scenario), (best.offer, best.scenario));
    assert_eq!(1 + others, all.len());
}

/// Agents that take one template have it heard once, and no more steps are taken for the many than are theirs.
#[test]
fn a_template_is_heard_once() {
    let steps = |times: usize| {
        let all: Vec<OfferedScenario<'_>> = (0..times).flat_map(|_| offers(&[])).collect();
        choose::steps("save energy", &all, &Ngrams::default())
    };
    let (one, hundred) = (steps(1), steps(100));
    assert!(hundred < 2 * one, "{one} {hundred}");
    let offer = |template| OfferedScenario {
        template: Some(template),
        ..offers(&[])[0]
    };
    let all: Vec<OfferedScenario<'_>> = TEMPLATES.iter().map(offer).collect();
    let most = choose::OFFERED_STEPS_MOST / 4;
    let steps = choose::steps("save energy", &all, &Ngrams::default());
    assert!(steps < most, "the shipped ones are heard whole: {steps}");
}

/// Who no longer waits is noticed before each text and each offer, and nothing is done for him after that.
#[test]
fn who_does_not_wait_for_a_choice_is_noticed() {
    let asked = Cell::new(0);
    let over = |from: usize| {
        asked.set(0);
        let over = || {
            asked.set(asked.get() + 1);
            asked.get() >= from
        };
        choose::choose_until("save energy", &offers(&[]), &Ngrams::default(), &over)
    };
    assert!(over(usize::MAX).is_ok());
    let times = asked.get();
    assert!(times > offers(&[]).len(), "{times}");
    for from in 1..=times {
        assert_eq!(over(from).unwrap_err().kind, FailureKind::Cancelled);
        assert_eq!(asked.get(), from);
    }
}
