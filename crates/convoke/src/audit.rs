//! `convoke audit`: the audit trail of a running platform, for people or as JSON lines.
//!
//! The platform defines the records, and its access rules decide who may read them. Read next:
//! [`crate::cli`]'s `audit.rs`.

use crate::cli::{AuditCommand, Common, Wanted};
use crate::output::{self, Failure, line, table};
use crate::remote::{call, connect, leaf, text};
use domain::audit::AuditKind;
use domain::time::Timestamp;
use netconf::data::Node;
use netconf::xml::XmlElement;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

const NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-audit";

/// The number of records per request.
const PAGE: u64 = 1_000;

pub(crate) async fn run(common: &Common, command: AuditCommand) -> Result<(), Failure> {
    match command {
        AuditCommand::Show(wanted) if common.json => {
            all(common, &wanted, |record| {
                output::json(&record);
                Ok(())
            })
            .await
        }
        AuditCommand::Show(wanted) => show(common, &wanted).await,
        AuditCommand::Export { file: None, wanted } => {
            all(common, &wanted, |record| {
                output::json(&record);
                Ok(())
            })
            .await
        }
        AuditCommand::Export {
            file: Some(path),
            wanted,
        } => {
            let failed = |cause: io::Error| Failure::failed(format!("{}: {cause}", path.display()));
            let file = File::create_new(&path).map_err(failed)?;
            let part = Part(Some(path.clone()));
            export(common, &wanted, file, failed).await?;
            part.keep();
            Ok(())
        }
    }
}

/// A file that is being written. It is removed if it is dropped before it is complete, by a failure
/// or an interruption, so that a partial file never looks complete.
struct Part(Option<PathBuf>);

impl Part {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = std::fs::remove_file(path);
        }
    }
}

async fn export(
    common: &Common,
    wanted: &Wanted,
    file: File,
    failed: impl Fn(io::Error) -> Failure + Copy,
) -> Result<(), Failure> {
    let mut file = BufWriter::new(file);
    all(common, wanted, |record| {
        writeln!(file, "{record}").map_err(failed)
    })
    .await?;
    let file = file.into_inner();
    let file = file.map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)
}

async fn show(common: &Common, wanted: &Wanted) -> Result<(), Failure> {
    let mut rows = Vec::new();
    all(common, wanted, |record| {
        rows.push(row(&record));
        Ok(())
    })
    .await?;
    match rows.is_empty() {
        true => line("Nothing of that is in the audit trail."),
        false => {
            let header = ["TIME", "WHAT", "WHO", "FROM", "ABOUT", "WHY", "TIMES"];
            line(&table(&header, &rows));
        }
    }
    Ok(())
}

fn row(record: &Value) -> Vec<String> {
    let field = |name: &str| match &record[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    [
        "time", "kind", "user", "source", "subject", "reason", "count",
    ]
    .map(field)
    .to_vec()
}

/// Reads all records requested, oldest first.
async fn all(
    common: &Common,
    wanted: &Wanted,
    mut take: impl FnMut(Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    check(wanted)?;
    let mut client = connect(common, &wanted.remote).await?;
    let mut after: Option<String> = None;
    loop {
        let rpc = Node::container(NAMESPACE, "get-audit")
            .leaf_opt("since", wanted.since.as_ref())
            .leaf_opt("after", after.as_ref())
            .leaf_list("kind", &wanted.kind)
            .leaf_opt("user", wanted.about.as_ref())
            .leaf("limit", PAGE);
        let reply = call(&mut client, &rpc).await?;
        let mut next = None;
        for element in reply.body() {
            match element.name() {
                "next" => next = Some(element.text().to_owned()),
                _ => take(told(element))?,
            }
        }
        match next {
            Some(_) => after = next,
            None => return Ok(()),
        }
    }
}

/// Checks the request locally for what the platform would refuse.
fn check(wanted: &Wanted) -> Result<(), Failure> {
    if let Some(since) = &wanted.since {
        Timestamp::parse(since).map_err(|why| Failure::usage(format!("--since: {why}")))?;
    }
    match wanted
        .kind
        .iter()
        .find(|kind| AuditKind::parse(kind).is_none())
    {
        Some(kind) => {
            let known = AuditKind::ALL.map(AuditKind::as_str).join(", ");
            Err(Failure::usage(format!(
                "no kind is called '{kind}'; known are {known}"
            )))
        }
        None => Ok(()),
    }
}

/// A record as JSON; unknown values are null.
fn told(record: XmlElement<'_>) -> Value {
    let number = |name| text(record, name).parse::<u64>().ok();
    json!({
        "event": "audit",
        "sequence": number("sequence"),
        "time": text(record, "time"),
        "kind": text(record, "kind"),
        "user": leaf(record, "user"),
        "source": leaf(record, "source"),
        "subject": leaf(record, "subject"),
        "reason": leaf(record, "reason"),
        "count": number("count"),
        "first": text(record, "first"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    /// A failed or interrupted export leaves no partial file.
    #[tokio::test]
    async fn an_export_that_fails_or_is_interrupted_leaves_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trail.jsonl");
        let state = folder.path().display().to_string();
        let words = ["convoke", "--state", &state, "audit", "export", "--file"];
        let words = words.into_iter().map(str::to_owned);
        let cli = Cli::parse_from(words.chain([file.display().to_string()]));
        let Command::Audit(command) = cli.command else {
            panic!("another command");
        };
        assert!(run(&cli.common, command).await.is_err());
        assert!(!file.exists());
        std::fs::write(&file, "{}\n").unwrap();
        drop(Part(Some(file.clone())));
        assert!(!file.exists());
        std::fs::write(&file, "{}\n").unwrap();
        Part(Some(file.clone())).keep();
        assert!(file.exists());
    }
}
