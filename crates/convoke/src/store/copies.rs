//! `convoke store backup`, `restore` and `import`: copies of a store, and what is told of them.
//!
//! Read next: [`super`].

use super::{Watch, chains, digits, settings};
use crate::cli::Common;
use crate::output::{self, Failure, line};
use serde_json::json;
use server::clock::Clock;
use server::config::StoreSettings;
use server::copying::{CopyingError, StoreOrigin};
use server::state::StateFolder;
use server::{Copied, CopyProgress};
use std::path::Path;

pub(super) fn backup(
    common: &Common,
    folder: &StateFolder,
    stated: StoreSettings,
    file: &Path,
) -> Result<(), Failure> {
    let settings = settings(folder, stated).map_err(CopyingError::from)?;
    let from = server::kept::location(folder, &settings).to_string();
    let copied = watched(common, |tell| {
        server::copying::backup(folder, &settings, file, tell)
    })?;
    tell(
        common,
        "backed-up",
        &copied,
        &from,
        &file.display().to_string(),
    );
    Ok(())
}

pub(super) fn restore(
    common: &Common,
    folder: &StateFolder,
    stated: StoreSettings,
    file: &Path,
) -> Result<(), Failure> {
    let settings = settings(folder, stated).map_err(CopyingError::from)?;
    let to = server::kept::location(folder, &settings).to_string();
    let now = Clock::wall_time();
    let copied = watched(common, |tell| {
        server::copying::restore(folder, &settings, file, now, tell)
    })?;
    tell(
        common,
        "restored",
        &copied,
        &file.display().to_string(),
        &to,
    );
    Ok(())
}

pub(super) fn import(
    common: &Common,
    folder: &StateFolder,
    stated: StoreSettings,
    from: &str,
) -> Result<(), Failure> {
    let origin = origin(from)?;
    let settings = settings(folder, stated).map_err(CopyingError::from)?;
    let to = server::kept::location(folder, &settings).to_string();
    let now = Clock::wall_time();
    let copied = watched(common, |tell| {
        server::copying::import(folder, &settings, &origin, now, tell)
    })?;
    // A URL may have a password in it.
    let from = match &origin {
        StoreOrigin::Database(address) => address.to_string(),
        _ => from.to_owned(),
    };
    tell(common, "imported", &copied, &from, &to);
    Ok(())
}

fn origin(from: &str) -> Result<StoreOrigin, Failure> {
    if from.starts_with("postgres://") || from.starts_with("postgresql://") {
        let address = from.parse().map_err(|error| {
            Failure::usage(format!("--from is no address of a database: {error}"))
        })?;
        return Ok(StoreOrigin::Database(address));
    }
    Ok(match Path::new(from).is_dir() {
        true => StoreOrigin::Folder(StateFolder::new(from)),
        false => StoreOrigin::File(from.into()),
    })
}

fn watched(
    common: &Common,
    copy: impl FnOnce(&mut dyn FnMut(CopyProgress)) -> Result<Copied, CopyingError>,
) -> Result<Copied, CopyingError> {
    let watch = Watch::new(common);
    let copied = copy(&mut |at| {
        let doing = if at.verifies {
            "verified "
        } else {
            "copied   "
        };
        watch.tell(doing, at.table, at.rows);
    });
    watch.end();
    copied
}

fn tell(common: &Common, event: &str, copied: &Copied, from: &str, to: &str) {
    let report = &copied.report;
    if common.json {
        output::json(&json!({
            "event": event, "from": from, "to": to, "rows": copied.rows,
            "head": digits(&copied.head), "digest": digits(&report.digest),
            "entries": report.entries, "last": report.last, "tasks": report.tasks,
            "authentic": report.authentic, "accepted": copied.accepted,
        }));
        return;
    }
    let verdict = match report.authentic {
        true => "sound and authentic",
        false => "sound; who wrote the rows nobody can tell, for they are bound by no key",
    };
    line(&format!(
        "{} rows from {from} to {to}, {} log entries in {}, {} tasks: {verdict}",
        copied.rows,
        report.entries,
        chains(report),
        report.tasks
    ));
    line(&format!("the head is {}", digits(&copied.head)));
    for what in &copied.accepted {
        line(&format!("accepted, and on record: {what}"));
    }
}
