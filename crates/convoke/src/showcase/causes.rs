//! Histories of alarms from files, and what is learnt from them, on the terminal.
//!
//! Files are read line by line and are bounded. Read next: [`causality`].

use crate::cli::Common;
use crate::output::{self, Failure, line, table};
use crate::showcase::files;
use crate::showcase::progress::Progress;
use causality::record::LINE_BYTES_MAX;
use causality::{AlarmHistory, AlarmRecordReader, CausalEdge, CausalGraph, DeviceLinks};
use markup::words::{count, decimal};
use serde_json::{Value, json};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The most bytes of a history.
const HISTORY_BYTES_MAX: u64 = 1 << 30;
/// The most bytes of a matrix, or of a list of links.
pub(crate) const MATRIX_BYTES_MAX: u64 = 256 << 20;

/// Reads a history of alarms, and the topology if there is one; says what it read.
pub(crate) fn history(
    common: &Common,
    alarms: &Path,
    topology: Option<&Path>,
) -> Result<AlarmHistory, Failure> {
    let links = topology.map(links).transpose()?;
    let history = record(alarms)?.finish(links.as_ref());
    let history = history.map_err(|fault| wrong(alarms, fault))?;
    if !common.json {
        line(&described(&history));
    }
    Ok(history)
}

/// Learns from a history; shows how far it is.
pub(crate) fn learnt(common: &Common, history: &AlarmHistory) -> Result<CausalGraph, Failure> {
    let progress = Progress::new(1, !common.json);
    let graph = causality::learn(history, &mut |share| progress.tell("learning", share));
    progress.end();
    graph.map_err(|cause| Failure::failed(cause.to_string()))
}

/// Prints the edges of a graph: a table, or an object a line.
pub(crate) fn show(common: &Common, graph: &CausalGraph) {
    match common.json {
        true => graph
            .edges
            .iter()
            .for_each(|edge| output::json(&object(edge))),
        false => line(&edges(graph)),
    }
}

/// The members by which a graph is introduced in JSON.
pub(crate) fn summary(graph: &CausalGraph) -> Value {
    json!({
        "alarms": graph.alarms, "types": graph.types.len(), "devices": graph.devices,
        "links": graph.links, "edges": graph.edges.len(),
        "time_reliability": graph.time_reliability, "attributed": graph.attributed,
    })
}

/// The failure of a file whose content is wrong.
pub(crate) fn wrong(file: &Path, fault: impl Display) -> Failure {
    Failure::usage(format!("{}: {fault}", file.display()))
}

fn links(file: &Path) -> Result<DeviceLinks, Failure> {
    let bytes = files::bytes(file, MATRIX_BYTES_MAX)?;
    DeviceLinks::read(&bytes).map_err(|fault| wrong(file, fault))
}

/// Reads all lines of a record.
fn record(file: &Path) -> Result<AlarmRecordReader, Failure> {
    let opened = File::open(file).map_err(|cause| files::named(file, &cause))?;
    let mut lines = BufReader::new(opened);
    let mut reader = AlarmRecordReader::default();
    let mut left = HISTORY_BYTES_MAX;
    let mut text = Vec::new();
    loop {
        text.clear();
        // One byte more than a line may have tells that it is too long.
        let mut bounded = lines.by_ref().take(LINE_BYTES_MAX as u64 + 1);
        let read = bounded.read_until(b'\n', &mut text);
        let read = read.map_err(|cause| files::named(file, &cause))?;
        if read == 0 {
            return Ok(reader);
        }
        left = left
            .checked_sub(read as u64)
            .ok_or_else(|| files::larger(file, HISTORY_BYTES_MAX))?;
        reader.read(&text).map_err(|fault| wrong(file, fault))?;
    }
}

/// A history in a line: `34,838 alarms of 18 types on 55 devices`.
fn described(history: &AlarmHistory) -> String {
    let links = match history.links() {
        Some(links) => format!(", {}", count(links, "link", "links")),
        None => ", no topology".to_owned(),
    };
    format!(
        "{} of {} on {}{links}",
        count(history.alarms(), "alarm", "alarms"),
        count(history.types().len(), "type", "types"),
        count(history.devices(), "device", "devices"),
    )
}

fn object(edge: &CausalEdge) -> Value {
    let mut object = serde_json::to_value(edge).expect("an edge holds nothing that JSON cannot");
    object["event"] = "edge".into();
    object
}

/// The edges as a table, and what their directions rest on.
fn edges(graph: &CausalGraph) -> String {
    let percent = |share: Option<f64>| {
        share.map_or("-".to_owned(), |share| {
            format!("{} %", decimal(share * 100.0, 0))
        })
    };
    let row = |edge: &CausalEdge| {
        vec![
            edge.cause.clone(),
            edge.effect.clone(),
            decimal(edge.strength, 1),
            edge.delay_s
                .map_or("-".to_owned(), |delay| format!("{delay} s")),
            percent(edge.same_device),
            percent(edge.over_link),
        ]
    };
    let rows: Vec<_> = graph.edges.iter().map(row).collect();
    let header = [
        "cause",
        "effect",
        "strength",
        "delay",
        "same device",
        "over a link",
    ];
    let basis = match graph.attributed {
        true => "by what comes first, and by what comes alone",
        false => "by what comes alone; times are no guide here",
    };
    format!(
        "{}\n\n{}, directed {basis} (reliability of time {})",
        table(&header, &rows),
        count(rows.len(), "edge", "edges"),
        decimal(graph.time_reliability, 2)
    )
}
