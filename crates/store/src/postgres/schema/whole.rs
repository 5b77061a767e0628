//! A state in PostgreSQL as the release before shards made it, and the way to one with shards.
//!
//! No row is rewritten but the one in each of three tables: a column that is added with a constant is none of the
//! rows'. Read next: [`super`].

use super::strangers::said;
use super::{added_to, named, quoted};
use crate::schema::table::Table;
use crate::schema::tables;

/// The columns that such a state lacks.
const LACKING: [&str; 2] = ["shard", "behind"];

/// True if a table has a row for each shard, where it had one.
fn is_of_shards(table: &Table) -> bool {
    table.key == ["shard"]
}

/// A table as it was, in the words in which all are told.
pub(super) fn said_before(table: &Table) -> Vec<String> {
    let now = said(table).into_iter();
    if is_of_shards(table) {
        let name = table.name;
        let columns = format!("column {name}.");
        return now
            .map(|it| match it.strip_prefix(&columns) {
                Some(column) => columns.clone() + &column.replace("shard ", "one "),
                None => it.replace(" key shard", " key one"),
            })
            .collect();
    }
    let is_new = |it: &String| {
        let columns = LACKING.map(|column| format!("column {}.{column} ", table.name));
        columns.iter().any(|column| it.starts_with(column))
    };
    now.filter(|it| !is_new(it)).collect()
}

/// The statements that make of it a state with shards, all of it on shard 0.
pub(super) fn carried_over() -> String {
    let mut all = String::new();
    for table in tables::ALL {
        if is_of_shards(table) {
            let (name, rule) = (quoted(table.name), named(table, 0));
            all += &format!(
                "ALTER TABLE {name} DROP CONSTRAINT {rule};\n\
                ALTER TABLE {name} RENAME COLUMN one TO shard;\n\
                UPDATE {name} SET shard = 0;\n\
                ALTER TABLE {name} ADD CONSTRAINT {rule} CHECK ({});\n",
                table.checks[0]
            );
            continue;
        }
        let columns = table.columns.iter();
        let lacking = columns.filter(|column| LACKING.contains(&column.name));
        all.extend(lacking.map(|column| added_to(table, column)));
    }
    all
}
