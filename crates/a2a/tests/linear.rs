//! Texts in A2A-T are read in a number of steps linear in their length: counted, never timed.
#![allow(clippy::unwrap_used)]

use a2a::telecom::markdown::{BYTES_MAX, LINES_MAX};
use a2a::telecom::repertoire::TemplateCatalogue;
use a2a::telecom::template::SectionContent;
use a2a::telecom::translator::{PromptMismatch, Translator};
use proptest::prelude::*;
use schema::semantics::{FailureKind, ParseFailure};
use schema::steps::{Effort, GivenUp, ReadingBudget, STEPS_MOST};
use std::cell::Cell;
use std::sync::LazyLock;

static REPERTOIRE: LazyLock<TemplateCatalogue> = LazyLock::new(|| {
    let schemas = schema::shipped::shipped();
    TemplateCatalogue::new(|id| schemas.iter().find(|it| it.schema_id == id)).unwrap()
});

fn steps(translator: &Translator, text: &str) -> u64 {
    let work = ReadingBudget::within(Effort::any());
    // A text that is none is looked at as well.
    let _ = translator.read_within(text, &work);
    let _ = REPERTOIRE.task(None, text, &work);
    let _ = REPERTOIRE.subscription(None, text, &work);
    work.taken()
}

/// A text around a piece: the place in which it is repeated.
#[derive(Clone, Debug)]
struct Around {
    before: String,
    after: &'static str,
}

impl Around {
    fn text(&self, said: &str) -> String {
        [&self.before, said, self.after].concat()
    }

    /// A text with the piece repeated; it must all be read: a text beyond some length is refused.
    fn again(&self, piece: &str, times: usize) -> String {
        let text = self.text(&piece.repeat(times));
        assert!(text.len() <= BYTES_MAX && text.split('\n').count() <= LINES_MAX);
        text
    }
}

/// The sections of a template and unknown ones, as lines and as lines of code.
fn around(translator: &Translator) -> Vec<Around> {
    let known = a2a::telecom::shipped::shipped();
    let uri = translator.uri().to_string();
    let template = known.into_iter().find(|it| it.template_uri == uri).unwrap();
    let fields = template.sections.into_iter();
    let fields = fields.filter(|part| !matches!(part.holds, SectionContent::Guidance(_)));
    let titles = fields.map(|part| part.title.en[0].clone());
    let others = [
        "Further Parameters",
        "Other",
        "Notification Topic",
        "Subscription Condition",
        "x",
    ];
    let titles = titles.chain(others.map(str::to_owned));
    let said = [("", ""), ("```\n", "\n```"), ("| a |\n| --- |\n", "")];
    let all = titles.flat_map(|title| {
        said.map(|(before, after)| Around {
            before: format!("## {title}\n{before}"),
            after,
        })
    });
    all.chain([Around {
        before: String::new(),
        after: "",
    }])
    .collect()
}

/// The number of repetitions of a piece at first, small enough that four times as many are not too
/// long; even, so that opened code blocks are closed.
fn pieces(piece: &str) -> usize {
    let lines = piece.matches('\n').count().max(1);
    (1_200 / piece.len()).min(900 / lines) / 2 * 2
}

/// Twice the length takes at most a little more than twice the steps.
fn grows_as_it_is_long(told: impl Fn(usize) -> u64) -> Result<(), String> {
    let (one, two, four) = (told(1), told(2), told(4));
    let linear = |less: u64, more: u64| more <= less * 22 / 10 + 2_000;
    match linear(one, two) && linear(two, four) {
        true => Ok(()),
        false => Err(format!("{one}, {two}, {four} steps")),
    }
}

const PIECES_OF_ATTACKS: &[&str] = &[
    ";",
    ", ",
    ". ",
    "\n",
    "\t\n",
    "               \n",
    "; \n",
    "\"",
    "“",
    "\"a\\",
    "[",
    "{[",
    "(",
    "]",
    "the ",
    "the the \n",
    "Area: x; ",
    "Area:\n",
    "Area ",
    "Area is the ",
    "Task object; ",
    "site list: a, ",
    "Time range: 08:00~",
    "5Mbps; ",
    "Rate guarantee goal: 5Mbps; ",
    "Rate guarantee goal: 5Mbps; 6Mbps\n",
    "yes; ",
    "08:00~09:00; ",
    "9",
    "0.",
    "+-.",
    ":",
    "=",
    "为",
    "是",
    "为是：",
    "区域",
    "区域为",
    "区域：海淀；",
    "、",
    "一",
    "<",
    "<>",
    "<a>",
    "<Task Object>",
    "a <Task Object\n",
    "|",
    "| a |\n",
    "| --- |\n",
    "\\",
    "`",
    "```",
    "```\nx\n```\n",
    "`k`: 1\n",
    "k: 1\n",
    "k: {}\n",
    "k: [1]\n",
    "k: [[1],{\"a\":2}]\nk: 2\n",
    "- ",
    "- x\n",
    "  - x\n - y\n- z\n",
    "1. x\n",
    "### Alternative 1\n",
    "#",
    "## \n",
    "---\n",
    "a: b\n",
    "\r",
    "K",
    "İ",
    "ﷺ",
];

#[test]
fn twice_as_much_takes_twice_the_steps() {
    let mut wrong = Vec::new();
    for (at, piece) in PIECES_OF_ATTACKS.iter().enumerate() {
        // Each with another of the templates.
        let translators = REPERTOIRE.translators();
        let translator = &translators[at % translators.len()];
        for around in around(translator) {
            let told = |n: usize| steps(translator, &around.again(piece, n * pieces(piece)));
            if let Err(found) = grows_as_it_is_long(told) {
                wrong.push(format!("{piece:?} in {around:?}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Regression: each blank line of code was scanned from each line before it.
#[test]
fn blank_lines_of_code() {
    let translator = &REPERTOIRE.translators()[0];
    let text = |n: usize| {
        let lines = "               \n".repeat(n * 1_000);
        format!("## Task Object\n```\n{lines}```")
    };
    assert_eq!(grows_as_it_is_long(|n| steps(translator, &text(n))), Ok(()));
}

/// Regression: a value was copied for each line with another value of the same key.
#[test]
fn a_long_value_that_is_said_otherwise_again_and_again() {
    let translator = &REPERTOIRE.translators()[0];
    let text = |n: usize| {
        let long = vec!["0"; n * 3_000].join(",");
        let others = "k: 1\n".repeat(n * 900);
        format!("## Further Parameters\nk: {{\"a\":[{long}]}}\n{others}")
    };
    assert_eq!(grows_as_it_is_long(|n| steps(translator, &text(n))), Ok(()));
}

/// Regression: each title was compared with all before it.
#[test]
fn many_titles() {
    let translator = &REPERTOIRE.translators()[0];
    let text = |n: usize| {
        let title = |at: usize| format!("## {at}{}\nx\n", "x ".repeat(450));
        (0..n * 15).map(title).collect::<String>()
    };
    assert_eq!(grows_as_it_is_long(|n| steps(translator, &text(n))), Ok(()));
}

/// Regression: a label behind a blank line of code ended the thread that read it.
#[test]
fn a_label_behind_a_blank_line_of_code() {
    for translator in REPERTOIRE.translators() {
        for around in around(translator) {
            let labels = ["Area: x", "Task object: x", "site list: x", "区域：x"];
            let said = labels.map(|label| format!("x;\n\n{label}"));
            // Whether it is a prompt is not asked here.
            let _ = translator.read(&around.text(&said.join("\n")));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Any combination of the pieces is read in linear steps.
    #[test]
    fn whatever_is_said_again_and_again_takes_as_many_steps_as_it_is_long(
        pieces in prop::collection::vec(prop::sample::select(PIECES_OF_ATTACKS), 2..5),
        template in 0_usize..4,
        place in 0_usize..64,
    ) {
        let translator = &REPERTOIRE.translators()[template];
        let around = around(translator);
        let around = &around[place % around.len()];
        let piece = pieces.concat();
        let told = |n: usize| steps(translator, &around.again(&piece, n * self::pieces(&piece)));
        let found = grows_as_it_is_long(told);
        prop_assert!(found.is_ok(), "{piece:?} in {around:?}: {found:?}");
    }
}

/// A text that exceeds the effort for one text: every piece may be a field.
fn too_much() -> String {
    format!("## Task Object\n{}", "x,".repeat(32_000))
}

/// Text that exceeds the effort is refused, like that of the rules, and not read in part.
#[test]
fn what_is_too_much_work_is_refused() {
    let translator = &REPERTOIRE.translators()[0];
    let never = || false;
    let few = Effort {
        limit: 100_000,
        over: &never,
    };
    let refused = translator.read_within(&too_much(), &ReadingBudget::within(few));
    assert_eq!(
        refused.unwrap_err(),
        PromptMismatch::GivenUp(GivenUp::Spent)
    );
    let failure = ParseFailure::given_up(GivenUp::Spent, "A2A-T");
    assert_eq!(failure.kind, FailureKind::TooMuch);
    assert!(failure.reason.contains(&STEPS_MOST.to_string()));
    let all = ReadingBudget::within(Effort::until(&never));
    assert!(
        translator.read_within(&too_much(), &all).is_ok(),
        "{}",
        all.taken()
    );
}

/// Cancellation is noticed before each line, and no work is done after it.
#[test]
fn who_does_not_wait_is_noticed() {
    let asked = Cell::new(0);
    let over = |from: usize| {
        asked.set(0);
        let over = || {
            asked.set(asked.get() + 1);
            asked.get() >= from
        };
        let work = ReadingBudget::within(Effort::until(&over));
        let text = "## Task Object\nx: y\nz\n```\nk: 1\n```\n## Further Parameters\nk: 1\nl: 2";
        let translator = &REPERTOIRE.translators()[0];
        translator.read_within(text, &work).map(|_| ())
    };
    assert_eq!(over(usize::MAX), Ok(()));
    let times = asked.get();
    assert_eq!(times, 2 + 5);
    for from in 1..=times {
        assert_eq!(over(from), Err(PromptMismatch::GivenUp(GivenUp::Cancelled)));
        assert_eq!(asked.get(), from);
    }
}
