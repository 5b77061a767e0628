//! What a state of an older release lacks, as temporary views and tables: for reading only.
//!
//! Read next: [`super`].

use rusqlite::Connection;

/// The columns that tables of the first migration lack until a later one: its number, the table, and what an older
/// state shows.
const LACKING: [(usize, &str, &str); 26] = [
    (2, "task", "NULL AS given"),
    (2, "task", "NULL AS cipher"),
    (2, "exchange", "NULL AS cipher"),
    (2, "data_param", "NULL AS cipher"),
    (2, "data_chunk", "NULL AS cipher"),
    (2, "negotiation", "NULL AS cipher"),
    (2, "team", "NULL AS cipher"),
    (2, "log", "NULL AS cipher"),
    (3, "task", "NULL AS conversation"),
    (5, "head", "0 AS generation"),
    (5, "head", "NULL AS cipher"),
    (6, "team", "NULL AS publisher"),
    (8, "task", "0 AS shard"),
    (8, "exchange", "0 AS shard"),
    (8, "data_param", "0 AS shard"),
    (8, "data_chunk", "0 AS shard"),
    (8, "negotiation", "0 AS shard"),
    (8, "team", "0 AS shard"),
    (8, "document", "0 AS shard"),
    (8, "observation", "0 AS shard"),
    (8, "push_config", "0 AS shard"),
    (8, "log", "0 AS shard"),
    (8, "log", "0 AS behind"),
    (8, "head", "0 AS shard"),
    (8, "seal", "0 AS shard"),
    (8, "checkpoint", "0 AS shard"),
];

/// The tables that are made by a later migration than the first: its number, the table, and its columns.
const MADE: [(usize, &str, &str); 8] = [
    (2, "data_key", "number, master, wrapped, whole, digest"),
    (2, "period", "number, data_key, salt, digest"),
    (2, "cursor", "id, name, sequence, digest, cipher"),
    (2, "document", "number, kind, name, digest, body, cipher"),
    (2, "observation", "number, digest, body, cipher"),
    (
        4,
        "push_config",
        "number, task, owner, id, digest, config, cipher",
    ),
    (
        5,
        "attestation",
        "number, kind, time, sequence, chain, detail, digest, signature",
    ),
    (6, "team_candidate", "agent, task"),
];

/// Lets a read-only connection read a state after so many migrations as if all had been made.
pub(super) fn show(connection: &Connection, steps: usize) -> rusqlite::Result<()> {
    let steps = steps.max(1);
    let mut shown = String::new();
    for (_, table, columns) in MADE.iter().filter(|(made, ..)| *made > steps) {
        let later = lacking(table, 0).map(|column| format!(", {}", name(column)));
        let later: String = later.collect();
        shown += &format!("CREATE TEMP TABLE IF NOT EXISTS {table} ({columns}{later});\n");
    }
    let mut tables: Vec<&str> = LACKING.iter().map(|(_, table, _)| *table).collect();
    tables.sort_unstable();
    tables.dedup();
    let made = |table: &&str| {
        !MADE
            .iter()
            .any(|(made, of, _)| of == table && *made > steps)
    };
    for table in tables.into_iter().filter(made) {
        let columns: String = lacking(table, steps).map(|it| format!(", {it}")).collect();
        if !columns.is_empty() {
            shown += &format!(
                "CREATE TEMP VIEW IF NOT EXISTS {table} AS SELECT *{columns} FROM main.{table};\n"
            );
        }
    }
    connection.execute_batch(&shown)
}

/// What a table lacks after so many migrations.
fn lacking(table: &str, steps: usize) -> impl Iterator<Item = &'static str> {
    let all = LACKING.iter();
    let all = all.filter(move |(added, of, _)| *of == table && *added > steps);
    all.map(|(_, _, column)| *column)
}

/// The name of a column that is lacking.
fn name(column: &'static str) -> &'static str {
    column.rsplit(' ').next().unwrap_or(column)
}
