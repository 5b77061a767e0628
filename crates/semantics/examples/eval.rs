//! Scores parsers on sets: `eval FILE.jsonl… [-v] [--limit N] [--endpoint URL MODEL [--gate]]`.
//!
//! The endpoint needs the feature of that name. Sets are of the form that
//! `semantics::eval::intents` describes.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use schema::semantics::{Circumstances, SemanticParser};
use schema::time::Timestamp;
use semantics::eval::intents::{self, Report};
use semantics::rules::Rules;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut files, mut verbose, mut limit) = (Vec::new(), false, usize::MAX);
    let (mut endpoint, mut gated) = (None, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-v" => verbose = true,
            "--gate" => gated = true,
            "--limit" => limit = arguments.next().ok_or("--limit N")?.parse()?,
            "--endpoint" => endpoint = arguments.next().zip(arguments.next()),
            _ => files.push(argument),
        }
    }
    let parser = parser(endpoint, gated)?;
    for file in files {
        let mut cases =
            intents::read(&std::fs::read_to_string(&file)?, &schema::shipped::template)?;
        let step = (cases.len() / limit.max(1)).max(1);
        cases = cases.into_iter().step_by(step).take(limit).collect();
        let report = intents::run(parser.as_ref(), &cases, &circumstances()?);
        if verbose {
            mistakes(&report);
        }
        println!("{file}\n{report}\n");
    }
    Ok(())
}

fn circumstances() -> Result<Circumstances, Box<dyn Error>> {
    let now = Timestamp::parse("2026-04-30T10:00:00+08:00")?;
    Ok(Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    })
}

#[cfg(feature = "endpoint")]
fn parser(
    endpoint: Option<(String, String)>,
    gated: bool,
) -> Result<Box<dyn SemanticParser>, Box<dyn Error>> {
    use semantics::endpoint::{Endpoint, Settings};
    use semantics::gate::Gate;
    let Some((url, model)) = endpoint else {
        return Ok(Box::new(Rules::default()));
    };
    let timeout = std::time::Duration::from_secs(120);
    let model = Endpoint::new(Settings {
        timeout,
        ..Settings::new(url, model)
    })?;
    Ok(match gated {
        true => Box::new(Gate::new(Rules::default(), model)),
        false => Box::new(model),
    })
}

#[cfg(not(feature = "endpoint"))]
fn parser(
    endpoint: Option<(String, String)>,
    _gated: bool,
) -> Result<Box<dyn SemanticParser>, Box<dyn Error>> {
    match endpoint {
        Some(_) => Err("built without the feature endpoint".into()),
        None => Ok(Box::new(Rules::default())),
    }
}

fn mistakes(report: &Report) {
    for mistake in &report.mistakes {
        println!("# {} | {}", mistake.id, mistake.utterance);
        for (key, (given, wanted)) in &mistake.keys {
            let given = given.as_ref().map_or("-".to_owned(), ToString::to_string);
            println!(
                "    {key}: {given} for {}",
                serde_json::Value::from(wanted.clone())
            );
        }
    }
}
