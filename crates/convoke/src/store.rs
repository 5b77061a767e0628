//! `convoke store verify`: is everything as it was written?

use crate::cli::{Common, StoreCommand};
use crate::output::{self, Failure, line};
use server::state::StateFolder;

pub(crate) fn run(common: &Common, command: StoreCommand) -> Result<(), Failure> {
    let StoreCommand::Verify = command;
    let path = StateFolder::new(&common.state).store();
    let report = server::verify_store(&path)
        .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
    if common.json {
        let faults: Vec<String> = report.faults.iter().map(|f| format!("{f:?}")).collect();
        output::json(&serde_json::json!({
            "event": "verified", "sound": report.is_sound(), "entries": report.entries,
            "tasks": report.tasks, "exchanges": report.exchanges, "data": report.data,
            "faults": faults,
        }));
    } else {
        line(&format!(
            "{} log entries in one chain, {} tasks, {} exchanges, {} data: {}",
            report.entries,
            report.tasks,
            report.exchanges,
            report.data,
            if report.is_sound() {
                "sound"
            } else {
                "DAMAGED"
            }
        ));
        report
            .faults
            .iter()
            .for_each(|fault| line(&format!("  {fault:?}")));
    }
    if report.is_sound() {
        Ok(())
    } else {
        Err(Failure::failed("the store is damaged"))
    }
}
