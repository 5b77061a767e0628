//! The pages under `docs/`: every message on them is sent, every answer compared.
//!
//! A fenced block whose info string is `xml` or `text`, an optional session (one letter) and an
//! action of `harness::conformance` is a step; a comment `<!-- case … -->` is its `case.toml`. With
//! `CONFORMANCE_DRAFT=1` what came for an empty expectation is written into the page, to be read
//! and judged by a person.

use harness::conformance::{self, Case, Description, Step, Verdict};
use harness::judge::Seen;
use harness::memory::Memory;
use std::path::{Path, PathBuf};

/// A block of a page: the line after its opening fence, and the step it is.
struct Block {
    line: usize,
    step: Step,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (line, words) in text.lines().enumerate() {
        match (&mut open, words.strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => {
                block.step.text.push_str(words);
                block.step.text.push('\n');
            }
            (None, Some(info)) => {
                open = step(info, line).map(|step| Block {
                    line: line + 1,
                    step,
                })
            }
            (None, None) => {}
        }
    }
    blocks
}

/// The step that an info string asks for; none if the block is only there to be read.
fn step(info: &str, line: usize) -> Option<Step> {
    let words: Vec<&str> = info.split_whitespace().collect();
    let (session, action) = match words[..] {
        [_, action] => ("", action),
        [_, session, action] => (session, action),
        _ => return None,
    };
    Some(Step {
        file: format!("line-{}", line + 1),
        session: session.to_owned(),
        action: action.to_owned(),
        text: String::new(),
    })
}

fn description(text: &str) -> Description {
    let inside = text
        .split_once("<!-- case\n")
        .and_then(|(_, rest)| rest.split_once("-->"));
    inside.map_or_else(Description::default, |(toml, _)| {
        toml::from_str(toml).expect("the comment is a case.toml")
    })
}

/// Writes what came for empty expectations into the page.
fn fill(page: &Path, text: &str, blocks: &[Block], drafts: &Path) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for block in blocks.iter().rev() {
        let draft = drafts.join(&block.step.file);
        if let (true, Ok(draft)) = (block.step.text.is_empty(), std::fs::read_to_string(draft)) {
            lines.splice(
                block.line..block.line,
                draft.trim_end().lines().map(str::to_owned),
            );
        }
    }
    std::fs::write(page, lines.join("\n") + "\n").expect("the page can be written");
}

#[test]
fn every_example_of_the_pages_holds() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let entries = std::fs::read_dir(docs).expect("docs/ can be read");
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of docs/ can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    let mut examples = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page can be read");
        let blocks = blocks(&text);
        if blocks.is_empty() {
            continue;
        }
        let drafts = tempfile::tempdir().expect("a temporary directory can be made");
        let case = Case {
            name: page.display().to_string(),
            path: drafts.path().to_owned(),
            description: description(&text),
            steps: blocks.iter().map(|b| b.step.clone()).collect(),
        };
        let verdict = conformance::run(&case, &mut Memory::new(), &mut Seen::new());
        if std::env::var_os("CONFORMANCE_DRAFT").is_some() {
            fill(&page, &text, &blocks, drafts.path());
        }
        assert_eq!(verdict, Verdict::Passed, "{}", page.display());
        examples += blocks.len();
    }
    assert!(examples > 20, "only {examples} examples were found");
}
