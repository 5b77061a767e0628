//! `convoke store`: verification, key rotation, acceptance of what was doubted, and copies.

mod copies;

use crate::cli::{Common, Database, Store, StoreCommand};
use crate::output::{self, Failure, line};
use serde_json::{Value, json};
use server::clock::Clock;
use server::config::{Settings, SettingsError, StoreSettings};
use server::kept::AcceptError;
use server::key_rotation::KeyRotationError;
use server::state::StateFolder;
use server::{Attestation, ChainReport};
use std::io::{IsTerminal, Write};

pub(crate) async fn run(common: &Common, store: Store) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let stated = stated(&store.database)?;
    match store.command {
        StoreCommand::Verify => verify(common, &folder, stated),
        StoreCommand::Rotate => rotate(common, &folder, stated).await,
        StoreCommand::Accept => accept(common, &folder, stated).await,
        StoreCommand::Backup { file } => copies::backup(common, &folder, stated, &file),
        StoreCommand::Restore { file } => copies::restore(common, &folder, stated, &file),
        StoreCommand::Import { from } => copies::import(common, &folder, stated, &from),
    }
}

/// The settings of the store from flags and environment.
pub(crate) fn stated(database: &Database) -> Result<StoreSettings, Failure> {
    let url = database.url.as_deref().map(str::parse).transpose();
    Ok(StoreSettings {
        // Not by clap, which tells what was written: there may be a password in it.
        url: url.map_err(|error| {
            Failure::usage(format!("--store is no address of a database: {error}"))
        })?,
        ..StoreSettings::default()
    })
}

/// The settings of a folder below those that were stated.
fn settings(folder: &StateFolder, stated: StoreSettings) -> Result<Settings, SettingsError> {
    let given = Settings {
        store: stated,
        ..Settings::default()
    };
    Ok(given.over(Settings::load(folder)?))
}

async fn accept(
    common: &Common,
    folder: &StateFolder,
    stated: StoreSettings,
) -> Result<(), Failure> {
    let settings = settings(folder, stated).map_err(AcceptError::from)?;
    let accepted = server::kept::accept(folder, &settings, Clock::wall_time()).await?;
    match (common.json, accepted.is_empty()) {
        (true, _) => output::json(&json!({ "event": "accepted", "accepted": accepted })),
        (false, true) => line("there is nothing to accept"),
        (false, false) => accepted
            .iter()
            .for_each(|what| line(&format!("accepted, and on record: {what}"))),
    }
    Ok(())
}

async fn rotate(
    common: &Common,
    folder: &StateFolder,
    stated: StoreSettings,
) -> Result<(), Failure> {
    let settings = settings(folder, stated).map_err(KeyRotationError::from)?;
    let rows = server::key_rotation::rotate_all(folder, &settings, Clock::wall_time()).await?;
    match common.json {
        true => output::json(&json!({ "event": "rotated", "rows": rows })),
        false => line(&format!("new keys; {rows} rows were encrypted under them")),
    }
    Ok(())
}

fn verify(common: &Common, folder: &StateFolder, stated: StoreSettings) -> Result<(), Failure> {
    // What is wrong with the settings is nothing to a state that they say nothing of.
    let settings = settings(folder, stated.clone()).unwrap_or_else(|_| Settings {
        store: stated,
        ..Settings::default()
    });
    let watch = Watch::new(common);
    let report = server::kept::verify(folder, &settings, |at| watch.tell("", at.table, at.rows));
    watch.end();
    let location = server::kept::location(folder, &settings);
    let report = report.map_err(|error| Failure::failed(format!("{location}: {error}")))?;
    if common.json {
        output::json(&object(&report));
    } else {
        tell(&report);
    }
    if report.faults.iter().any(|fault| fault.forged) {
        Err(Failure::failed("the store was forged"))
    } else if !report.is_sound() {
        Err(Failure::failed("the store is damaged"))
    } else if !report.authentic {
        Err(Failure::not_authenticated(NOT_AUTHENTICATED))
    } else if let Some(head) = &report.head_missing {
        Err(Failure::not_authenticated(format!(
            "there is no head to compare with: all of it is sound and authentic, but an older copy would look \
             the same, as {} is not there",
            head.display()
        )))
    } else {
        Ok(())
    }
}

/// The progress of long work, for whoever looks at it.
#[derive(Clone, Copy)]
struct Watch {
    watched: bool,
}

impl Watch {
    fn new(common: &Common) -> Self {
        Self {
            watched: !common.json && std::io::stderr().is_terminal(),
        }
    }

    fn tell(self, doing: &str, table: &str, rows: u64) {
        if self.watched {
            let _ = write!(std::io::stderr(), "\r{doing}{table:<20}{rows:>12} rows");
        }
    }

    fn end(self) {
        if self.watched {
            let _ = write!(std::io::stderr(), "\r{:<50}\r", "");
        }
    }
}

/// The message for a store that is sound but not authenticated.
const NOT_AUTHENTICATED: &str = "not authenticated: structure, chain and signatures are sound, but \
    without the key nobody can tell who wrote the rows";

fn object(report: &ChainReport) -> Value {
    let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    let checkpoint = report.checkpoint.as_ref().map(|cut| {
        json!({
            "entries": cut.sequence, "tasks": cut.tasks, "exchanges": cut.exchanges,
            "data": cut.data, "time": cut.time.to_string(),
        })
    });
    let attestations: Vec<Value> = report.attestations.iter().map(attestation).collect();
    json!({
        "event": "verified", "sound": report.is_sound(), "authentic": report.authentic,
        "compared": report.head_missing.is_none(),
        "attestations": attestations, "entries": report.entries,
        "last": report.last, "digest": digits(&report.digest), "erased": report.erased, "removed": checkpoint,
        "sealed": report.seal.map(|seal| seal.sequence), "signatures": report.signatures,
        "tasks": report.tasks, "open": report.open, "negotiations": report.negotiations,
        "exchanges": report.exchanges, "data": report.data, "chunks": report.chunks,
        "registrations": report.registrations, "teams": report.teams, "shards": report.shards.len(),
        "faults": faults,
    })
}

/// A digest in hexadecimal digits.
fn digits(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attestation(attestation: &Attestation) -> Value {
    json!({
        "ground": attestation.ground.as_str(), "time": attestation.time.to_string(),
        "entry": attestation.sequence, "detail": attestation.detail,
    })
}

/// How many chains the log has.
fn chains(report: &ChainReport) -> String {
    match report.shards.iter().filter(|it| it.last > 0).count() {
        0 | 1 => "one chain".to_owned(),
        many => format!("{many} chains"),
    }
}

fn tell(report: &ChainReport) {
    let verdict = match (report.is_sound(), report.authentic) {
        _ if report.faults.iter().any(|fault| fault.forged) => "FORGED",
        (false, _) => "DAMAGED",
        (true, true) => "sound and authentic",
        (true, false) => "sound",
    };
    line(&format!(
        "{} log entries in {}, {} tasks ({} open), {} negotiations, {} exchanges, {} data: \
         {verdict}",
        report.entries,
        chains(report),
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
    for on in &report.attestations {
        let (time, ground) = (on.time, on.ground.as_str());
        line(&format!(
            "{ground} at {time}, entry {}: {}",
            on.sequence, on.detail
        ));
    }
    let faults = report.faults.iter();
    faults.for_each(|fault| line(&format!("  {fault}")));
}
