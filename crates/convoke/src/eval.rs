//! `convoke eval`: scores a parser, an embedder or learnt causes on labelled sets. Needs no
//! platform.
//!
//! Read next: `semantics::eval`, which computes the scores; `showcase::eval` of learnt causes,
//! `showcase::streams` of diagnoses.

use crate::cli::{Common, EvalCommand, Fragments, Intents};
use crate::output::{self, Failure, line};
use crate::understanding::{self, circumstances};
use schema::semantics::{Circumstances, ParseFailure, Parsed, SemanticParser};
use schema::template::Template;
use semantics::eval::{fragments, intents};
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) fn run(common: &Common, command: &EvalCommand) -> Result<(), Failure> {
    match command {
        EvalCommand::Intents(wanted) => utterances(common, wanted),
        EvalCommand::Fragments(wanted) => texts(common, wanted),
        #[cfg(feature = "showcase")]
        EvalCommand::Alarms(wanted) => crate::showcase::eval::alarms(common, wanted),
        #[cfg(feature = "showcase")]
        EvalCommand::Faults(wanted) => crate::showcase::streams::faults(common, wanted),
    }
}

fn utterances(common: &Common, wanted: &Intents) -> Result<(), Failure> {
    let parser = understanding::parser(&wanted.reader)?;
    let circumstances = circumstances(Some(&wanted.at))?;
    for file in &wanted.files {
        let cases = intents::read(&contents(file)?, &schema::shipped::template)
            .map_err(|cause| at(file, cause))?;
        let cases = spread(cases, wanted.limit);
        let watched = Watched::new(common, parser.as_ref(), cases.len());
        let report = intents::run(&watched, &cases, &circumstances);
        watched.done();
        if wanted.mistakes {
            report.mistakes.iter().for_each(|m| mistake(common, m));
        }
        match common.json {
            true => output::json(&scored(file, &report)),
            false => line(&format!(
                "set                    {}\n{report}\n",
                file.display()
            )),
        }
    }
    Ok(())
}

/// At most `limit` of the items, evenly spread.
fn spread<T>(all: Vec<T>, limit: Option<usize>) -> Vec<T> {
    let limit = limit.unwrap_or(usize::MAX);
    let step = (all.len() / limit.max(1)).max(1);
    all.into_iter().step_by(step).take(limit).collect()
}

fn scored(file: &Path, report: &intents::ParserReport) -> Value {
    let bins = report
        .calibration()
        .into_iter()
        .map(|bin| json!({ "keys": bin.keys, "confidence": bin.confidence, "right": bin.right }));
    let pair = |(part, whole): (usize, usize)| json!({ "cases": whole, "right": part });
    json!({
        "event": "scored", "set": file, "parser": report.parser, "cases": report.cases,
        "joint_accuracy": report.joint_accuracy(), "slot_f1": report.slot_f1(),
        "spurious_key_rate": report.spurious_rate(), "schema_valid_rate": report.valid_rate(),
        "calibration_error": report.calibration_error(), "calibration": bins.collect::<Vec<_>>(),
        "other_mentions": pair(report.mentioned), "other_rightly_empty": pair(report.quiet),
        "failures": report.failures.len(),
    })
}

fn mistake(common: &Common, mistake: &intents::Mistake) {
    if common.json {
        let keys = mistake.keys.iter().map(|(key, (given, wanted))| {
            json!({ "key_name": key, "given": given, "acceptable": wanted })
        });
        output::json(&json!({
            "event": "mistake", "id": mistake.id, "utterance": mistake.utterance,
            "keys": keys.collect::<Vec<_>>(),
        }));
        return;
    }
    line(&format!("{}: {}", mistake.id, mistake.utterance));
    for (key, (given, wanted)) in &mistake.keys {
        let given = given
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), Value::to_string);
        line(&format!(
            "  {key}: {given}, not {}",
            Value::from(wanted.clone())
        ));
    }
}

fn texts(common: &Common, wanted: &Fragments) -> Result<(), Failure> {
    let embedder = understanding::embedder(&wanted.embedding)?;
    for file in &wanted.files {
        let set = fragments::read(&contents(file)?).map_err(|cause| at(file, cause))?;
        let report = fragments::run(embedder.as_ref(), &set, wanted.threshold, wanted.members);
        match common.json {
            true => output::json(&json!({
                "event": "scored", "set": file, "embedder": report.embedder,
                "threshold": report.threshold, "texts": report.texts,
                "pair_f1": report.pair_f1(), "precision": report.precision(),
                "recall": report.recall(), "opposites_kept_apart": report.kept_apart.0,
                "triggers_right": report.triggers_right,
                "triggers_wrong": report.triggers_wrong,
            })),
            false => line(&format!(
                "set                    {}\n{report}\n",
                file.display()
            )),
        }
    }
    Ok(())
}

fn contents(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|cause| at(file, cause))
}

fn at(file: &Path, cause: impl Display) -> Failure {
    Failure::failed(format!("{}: {cause}", file.display()))
}

/// A parser with a progress display, if there is a terminal.
struct Watched<'p> {
    parser: &'p dyn SemanticParser,
    cases: usize,
    read: AtomicUsize,
    shown: bool,
}

impl<'p> Watched<'p> {
    fn new(common: &Common, parser: &'p dyn SemanticParser, cases: usize) -> Self {
        Self {
            parser,
            cases,
            read: AtomicUsize::new(0),
            shown: !common.json && std::io::stderr().is_terminal(),
        }
    }

    fn done(&self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r{:<30}\r", "");
        }
    }
}

impl SemanticParser for Watched<'_> {
    fn name(&self) -> &str {
        self.parser.name()
    }

    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Parsed, ParseFailure> {
        let read = self.read.fetch_add(1, Ordering::Relaxed);
        if self.shown {
            let _ = write!(std::io::stderr(), "\r{read} of {} read", self.cases);
        }
        self.parser.parse(template, utterance, circumstances)
    }
}
