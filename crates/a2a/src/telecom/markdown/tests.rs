//! What is read was written, what is written is read, and nothing hostile is either.

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

/// One visible line with nothing around it.
fn one_line() -> BoxedStrategy<String> {
    let text = "[a-z#|`\\\\\\-*. 0-9:、，{}中文]{1,16}|\\PC{1,12}";
    text.prop_map(|t| t.trim().to_owned())
        .prop_filter("something", |t| !t.is_empty())
        .boxed()
}

fn parsed(text: &str) -> Result<Prompt, TestCaseError> {
    Prompt::parse(text).map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))
}

fn body() -> impl Strategy<Value = BlockBody> {
    let table = (1..4usize).prop_flat_map(|width| {
        let cells = prop::collection::vec(one_line(), width);
        (cells.clone(), prop::collection::vec(cells, 0..3))
    });
    prop_oneof![
        one_line().prop_map(BlockBody::Text),
        (prop::option::of(0..1_000u32), one_line()).prop_map(|(number, text)| BlockBody::Entry {
            depth: 0,
            number,
            text
        }),
        (3..7usize, one_line()).prop_map(|(level, text)| BlockBody::Heading { level, text }),
        table.prop_map(|(head, rows)| BlockBody::Table { head, rows }),
        ("[a-z]{0,4}", "[a-z`#\\n -]{0,20}")
            .prop_map(|(info, text)| BlockBody::Code { info, text }),
    ]
}

/// Entries go at most one deeper than the one before; other pieces end a list.
fn nested(mut bodies: Vec<(BlockBody, usize)>) -> Vec<BlockBody> {
    let mut before = None;
    for (body, wanted) in &mut bodies {
        before = match body {
            BlockBody::Entry { depth, .. } => {
                *depth = (*wanted).min(before.map_or(0, |d: usize| d + 1));
                Some(*depth)
            }
            _ => None,
        };
    }
    bodies.into_iter().map(|(body, _)| body).collect()
}

fn document() -> impl Strategy<Value = Prompt> {
    let bodies = prop::collection::vec((body(), 0..4usize), 0..6).prop_map(nested);
    let sections = prop::collection::vec((one_line(), bodies), 1..5);
    let front = prop::collection::vec(("[a-z_]{1,6}", "[a-z:]{0,6}"), 0..3);
    (front, sections).prop_map(|(front, sections)| {
        let section = |(place, (title, bodies)): (usize, (String, Vec<BlockBody>))| {
            let section = Section::new(format!("{place} {title}"));
            bodies.into_iter().fold(section, Section::with)
        };
        Prompt {
            front,
            sections: sections.into_iter().enumerate().map(section).collect(),
        }
    })
}

proptest! {
    /// A2A-T: reading undoes writing.
    #[test]
    fn what_is_written_is_read_again(document in document()) {
        let text = document.to_string();
        prop_assert_eq!(parsed(&text)?, document);
    }

    /// A value, whatever it says, line ends and marks included, opens no section and breaks
    /// nothing.
    #[test]
    fn no_text_is_more_than_text(text in ".{0,30}|[#`|\\n\\- a\\\\]{0,20}") {
        let section = Section::new("one").saying(text.clone()).saying("end");
        let document = Prompt { front: Vec::new(), sections: vec![section] };
        let read = parsed(&document.to_string())?;
        prop_assert_eq!(read.sections.len(), 1);
        let lines = read.sections[0].lines();
        prop_assert_eq!(&lines.last().expect("a line").1, "end");
        let expected = text.replace(|c: char| c.is_control() && c != '\t', " ");
        if !expected.trim().is_empty() {
            prop_assert_eq!(lines[0].1.as_str(), expected.trim());
        }
    }

    /// Anything at all is read or refused, and what was read is read the same once written.
    #[test]
    fn any_text_is_read_or_refused(text in "(## a\\n)?([-#|`1. a:\\n\\t、]{0,60}|.{0,60})") {
        if let Ok(document) = Prompt::parse(&text) {
            let again = parsed(&document.to_string())?;
            prop_assert_eq!(again, document);
        }
    }
}

fn fault(text: &str) -> String {
    Prompt::parse(text).expect_err("a fault").to_string()
}

/// A2A-T: every refusal names the section and the line.
#[test]
fn faults_name_section_and_line() {
    let faults = [
        "",
        "hello",
        "## a\nb\n##\n",
        "## Task Object\n\n## task object (Object)",
        "## a\n\n```json\n{",
        "---\nname\n---\n## a",
        "## a\n| b | c |\n|---|---|\n| d |",
        "## a\nb\u{7}c",
    ];
    let told: Vec<String> = faults.iter().map(|text| fault(text)).collect();
    assert_snapshot!(told.join("\n"), @r"
    line 1: no section: a line '## Title' is needed
    line 1: text before the first section
    section 'a', line 3: a section without title
    section 'Task Object', line 3: this title stands twice
    section 'a', line 3: code that does not end
    line 2: front matter is lines 'name: value' between two lines '---'
    section 'a', line 4: a row of another width than the head, or wider than 32
    line 2: a control character
    ");
}

/// Rows 11 to 24 of the limits: what is too large is refused before it costs anything.
#[test]
fn hostile_prompts_are_bounded() {
    let nested: String = (0..20).map(|d| format!("{:d$}- x\n", "")).collect();
    let wide = format!("## a\n{}|\n{}|", "| x ".repeat(40), "|---".repeat(40));
    let sections: String = (0..100).map(|n| format!("## s{n}\n")).collect();
    for (text, flaw) in [
        (
            format!("## a\n{}", "x".repeat(BYTES_MAX)),
            PromptErrorKind::TooLong,
        ),
        (
            format!("## a\n{}", "\n".repeat(LINES_MAX)),
            PromptErrorKind::TooLong,
        ),
        (format!("## a\n{nested}"), PromptErrorKind::TooDeep),
        (wide, PromptErrorKind::Ragged),
        (sections, PromptErrorKind::TooManySections),
    ] {
        assert_eq!(Prompt::parse(&text).expect_err("too large").flaw, flaw);
    }
}

#[test]
fn titles_are_the_same_in_both_languages_of_a_build() {
    for (one, other, same) in [
        ("任务对象(Task Object)", "任务对象", true),
        ("任务对象（Task Object）", "任务对象(x)", true),
        ("Task  Object", "task object", true),
        ("(a)", "(b)", false),
    ] {
        assert_eq!(same_title(one, other), same, "{one} {other}");
    }
}
