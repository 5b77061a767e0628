//! `convoke store`: is everything as it was written, and new keys for it.

use crate::cli::{Common, StoreCommand};
use crate::output::{self, Failure, line};
use serde_json::{Value, json};
use server::ChainReport;
use server::state::StateFolder;
use std::io::{IsTerminal, Write};

pub(crate) async fn run(common: &Common, command: StoreCommand) -> Result<(), Failure> {
    match command {
        StoreCommand::Verify => verify(common),
        StoreCommand::Rotate => rotate(common).await,
    }
}

async fn rotate(common: &Common) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let rotated = server::master_key::rotate_all(&folder).await;
    let rows = rotated.map_err(|error| Failure::failed(error.to_string()))?;
    match common.json {
        true => output::json(&json!({ "event": "rotated", "rows": rows })),
        false => line(&format!("new keys; {rows} rows were encrypted under them")),
    }
    Ok(())
}

fn verify(common: &Common) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let watched = !common.json && std::io::stderr().is_terminal();
    let report = server::verify_store(&folder, |at| {
        if watched {
            let _ = write!(std::io::stderr(), "\r{:<20}{:>12} rows", at.table, at.rows);
        }
    });
    if watched {
        let _ = write!(std::io::stderr(), "\r{:<40}\r", "");
    }
    let path = folder.store();
    let report = report.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
    if common.json {
        output::json(&object(&report));
    } else {
        tell(&report);
    }
    if report.is_sound() {
        Ok(())
    } else {
        Err(Failure::failed("the store is damaged"))
    }
}

fn object(report: &ChainReport) -> Value {
    let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    let checkpoint = report.checkpoint.as_ref().map(|cut| {
        json!({
            "entries": cut.sequence, "tasks": cut.tasks, "exchanges": cut.exchanges,
            "data": cut.data, "time": cut.time.to_string(),
        })
    });
    json!({
        "event": "verified", "sound": report.is_sound(), "entries": report.entries,
        "last": report.last, "erased": report.erased, "removed": checkpoint,
        "sealed": report.seal.map(|seal| seal.sequence), "signatures": report.signatures,
        "tasks": report.tasks, "open": report.open, "negotiations": report.negotiations,
        "exchanges": report.exchanges, "data": report.data, "chunks": report.chunks,
        "registrations": report.registrations, "teams": report.teams, "faults": faults,
    })
}

fn tell(report: &ChainReport) {
    let verdict = match report.is_sound() {
        true => "sound",
        false => "DAMAGED",
    };
    line(&format!(
        "{} log entries in one chain, {} tasks ({} open), {} negotiations, {} exchanges, {} data: \
         {verdict}",
        report.entries,
        report.tasks,
        report.open,
        report.negotiations,
        report.exchanges,
        report.data,
    ));
    if let Some(cut) = &report.checkpoint {
        line(&format!(
            "removed until {}: {} log entries, {} tasks, {} exchanges, {} data",
            cut.time, cut.sequence, cut.tasks, cut.exchanges, cut.data
        ));
    }
    match report.seal {
        Some(seal) if seal.sequence == report.last => line("the head is sealed"),
        Some(seal) => line(&format!(
            "sealed up to entry {} of {}, at {}",
            seal.sequence, report.last, seal.time
        )),
        None => line("nothing is sealed"),
    }
    line(&format!("{} signatures checked", report.signatures));
    let faults = report.faults.iter();
    faults.for_each(|fault| line(&format!("  {fault}")));
}
