//! The functions of `convoke schema` without a platform: lint, diff, parsing, the simulated
//! population.

use super::read_template;
use crate::cli::{Common, Evolve, Parse};
use crate::output::{self, Failure, line};
use crate::understanding;
use schema::evolution::simulate::{Administrators, ClientNeed, Workload};
use schema::evolution::{EvolutionSettings, LineageEvent, chart, simulate};
use schema::lint::{LintSeverity, TemplateOrigin};
use schema::semantics::Parsed;
use schema::template::{Key, Template};
use schema::time::Timestamp;
use schema::{read, shipped, write};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The scenario whose population is simulated.
const SIMULATED: &str = "flight_booking_v1";

/// Parses a template from JSON.
pub(super) fn template(text: &str) -> Result<Template, Failure> {
    read_template(text)
}

/// Reports all errors of a template.
pub(super) fn lint(common: &Common, file: &Path) -> Result<(), Failure> {
    let text = super::contents(file)?;
    let (findings, sound) = match read::template(text.as_str(), TemplateOrigin::Own) {
        Ok(reading) => (reading.findings, true),
        Err(findings) => (findings, false),
    };
    for finding in &findings {
        let severity = match finding.severity {
            LintSeverity::Error => "error",
            LintSeverity::Warning => "warning",
        };
        match common.json {
            true => output::json(&json!({
                "event": "finding", "severity": severity, "path": finding.path,
                "rule": finding.rule.as_str(), "message": finding.message,
            })),
            false => line(&format!(
                "{severity}: {}: {}",
                finding.path, finding.message
            )),
        }
    }
    match sound {
        true => {
            super::said(
                common,
                &json!({ "event": "linted", "sound": true }),
                "the template is sound",
            );
            Ok(())
        }
        false => Err(Failure::refused(format!("{} breaks rules", file.display()))),
    }
}

/// Prints the keys of a template.
pub(super) fn keys(template: &Template) {
    line(&format!("{} ({})", template.schema_id, template.scenario));
    let rows: Vec<Vec<String>> = template
        .keys
        .iter()
        .map(|key| {
            let (language, description) = key.annotation.lookup(None, &template.language);
            vec![
                key.key_name.clone(),
                key.shape.key_type.as_str().to_owned(),
                if key.required { "required" } else { "" }.to_owned(),
                write::composed(&key.shape, description, language),
            ]
        })
        .collect();
    line(&output::table(&["KEY", "TYPE", "", "MEANING"], &rows));
}

/// Prints the differences between two templates.
pub(super) fn diff(common: &Common, old: &Template, new: &Template) {
    let by_name = |t: &Template| -> BTreeMap<String, Key> {
        t.keys
            .iter()
            .map(|k| (k.key_name.clone(), k.clone()))
            .collect()
    };
    let (before, after) = (by_name(old), by_name(new));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let mut same = true;
    for name in names {
        let change = match (before.get(name), after.get(name)) {
            (None, Some(_)) => "added",
            (Some(_), None) => "removed",
            (Some(b), Some(a)) if b.shape != a.shape || b.required != a.required => "changed",
            (Some(b), Some(a)) if b.standing != a.standing => "standing",
            (Some(b), Some(a)) if b.annotation != a.annotation => "described",
            (Some(b), Some(a)) if b != a => "changed",
            _ => continue,
        };
        same = false;
        match common.json {
            true => {
                output::json(&json!({ "event": "difference", "key_name": name, "change": change }))
            }
            false => line(&format!("{change:>9}  {name}")),
        }
    }
    if same && !common.json {
        line("no difference");
    }
}

/// Parses words into a payload.
pub(super) fn parse(common: &Common, wanted: &Parse, template: &Template) -> Result<(), Failure> {
    let parser = understanding::parser(&wanted.reader)?;
    let circumstances = understanding::circumstances(wanted.at.as_deref())?;
    let parsed = parser
        .parse(template, &wanted.text.join(" "), &circumstances)
        .map_err(|failure| Failure::failed(failure.to_string()))?;
    told(common, parser.name(), template, &parsed);
    Ok(())
}

/// Prints the result of a parser.
pub(crate) fn told(common: &Common, parser: &str, template: &Template, parsed: &Parsed) {
    if common.json {
        output::json(&json!({
            "event": "parsed", "parser": parser, "schema_id": template.schema_id,
            "payload": parsed.payload, "confidence": parsed.confidence, "other": parsed.other,
            "missing": parsed.missing,
        }));
        return;
    }
    line(&format!("{} by the parser '{parser}':", template.schema_id));
    let row = |(key, value): (&String, &Value)| {
        let sure = parsed
            .confidence
            .get(key)
            .map_or(String::new(), |c| format!("{:.0} %", c * 100.0));
        vec![key.clone(), value.to_string(), sure]
    };
    let rows: Vec<Vec<String>> = parsed.payload.iter().map(row).collect();
    line(&output::table(&["KEY", "VALUE", "SURE"], &rows));
    if !parsed.other.is_empty() {
        line(&format!("to 'other': {}", parsed.other.join("; ")));
    }
    if !parsed.missing.is_empty() {
        line(&format!("still needed: {}", parsed.missing.join(", ")));
    }
}

/// Simulates a population, and prints the evolution of the schema.
pub(super) fn evolve(common: &Common, wanted: &Evolve) -> Result<(), Failure> {
    let base = shipped::template(SIMULATED).expect("the template is shipped");
    let plan = population(wanted);
    let embedder = understanding::embedder(&wanted.embedding)?;
    let history = simulate::simulate(
        wanted.seed,
        &plan,
        &EvolutionSettings::default(),
        &base,
        embedder.as_ref(),
        &mut |_, _| {},
    )
    .map_err(|cause| Failure::failed(cause.to_string()))?;
    for (at, event) in &history.events {
        happened(common, *at, event);
    }
    if let Some(file) = &wanted.svg {
        std::fs::write(file, chart::svg(&history))
            .map_err(|cause| Failure::failed(format!("{}: {cause}", file.display())))?;
    }
    let last = history.samples.last();
    let keys = last.map_or(0, |s| s.keys.len());
    let told = json!({
        "event": "evolved", "seed": wanted.seed, "payloads": history.payloads,
        "fragments": history.fragments, "keys": keys,
        "schema_id": last.map(|s| s.schema_id.clone()),
    });
    let words = format!(
        "{} payloads of {} clients over {} days, {} fragments: {} keys, {} in force",
        history.payloads,
        wanted.clients,
        wanted.days,
        history.fragments,
        keys,
        last.map_or(SIMULATED, |s| &s.schema_id),
    );
    super::said(common, &told, &words);
    Ok(())
}

/// The simulated clients, who book flights: two widespread needs, a pair of opposites, a fashion of
/// one week, and needs of a single client.
fn population(wanted: &Evolve) -> Workload {
    let need = |share, days, phrases: &[&str]| ClientNeed {
        phrases: phrases.iter().map(|p| (*p).to_owned()).collect(),
        share,
        days,
    };
    let last = wanted.days;
    Workload {
        start: Timestamp::parse("2026-01-01T00:00:00Z").expect("a date and time with zone"),
        days: wanted.days,
        clients: wanted.clients,
        payloads_per_day: 0.3,
        needs: vec![
            need(
                0.35,
                (2, last),
                &["window seat", "window seat please", "a window seat"],
            ),
            need(
                0.25,
                (10, last),
                &[
                    "vegetarian meal",
                    "a vegetarian meal",
                    "vegetarian meal please",
                ],
            ),
            need(
                0.20,
                (20, last),
                &[
                    "reduce cabin temperature",
                    "please reduce cabin temperature",
                ],
            ),
            need(
                0.20,
                (20, last),
                &[
                    "increase cabin temperature",
                    "please increase cabin temperature",
                ],
            ),
            need(0.20, (5, 12), &["carnival costume storage"]),
        ],
        noise: 0.02,
        attack: None,
        traveller: vec!["extra legroom".to_owned(), "quiet cabin".to_owned()],
        administrators: Administrators::Approve { but: Vec::new() },
    }
}

/// Prints one event of a lineage.
fn happened(common: &Common, at: Timestamp, event: &LineageEvent) {
    if common.json {
        output::json(&json!({ "event": "happened", "time": at.to_string(), "what": event }));
        return;
    }
    let words = match event {
        LineageEvent::Activated { patch, .. } => {
            format!("on trial: {}", patch.key_names().join(", "))
        }
        LineageEvent::Promoted { key_name, .. } => format!("promoted: {key_name}"),
        LineageEvent::Deprecated { key_name, .. } => format!("deprecated: {key_name}"),
        LineageEvent::Withdrawn { key_name, .. } => format!("withdrawn: {key_name}"),
        LineageEvent::Published { base, .. } => format!("published: {}", base.schema_id),
        _ => return,
    };
    line(&format!("{}  {words}", &at.to_string()[..10]));
}
