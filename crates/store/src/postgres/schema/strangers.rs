//! What is in the schema of a state that no release made, or is not there: checked before anything is trusted.
//!
//! Read next: [`super`], [`super::migrations`].

use super::{LATER, MIGRATIONS, OWN, in_order, kind, named, steps, version};
use crate::failure::SqlFailure;
use crate::postgres::session::Session;
use crate::schema::table::{Index, Table};
use crate::schema::tables;
use crate::sql::Session as Seam;
use std::collections::BTreeSet;

/// What is in our schema, one object a row: whatever holds, finds, changes or hides rows.
const FOUND: &str = "
WITH ours AS (
  SELECT oid, relname, relkind, relrowsecurity FROM pg_class
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
)
SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN '' ELSE ' null' END
    || CASE WHEN a.atthasdef OR a.attidentity <> '' THEN ' made' ELSE '' END
  FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT 'index on ' || t.relname
    || CASE WHEN i.indisprimary THEN ' key' WHEN i.indisunique THEN ' unique' ELSE ' ' || c.relname END
    || ' ' || (SELECT string_agg(a.attname, ',' ORDER BY k.place)
      FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number)
    || coalesce(' ' || replace(translate(pg_get_expr(i.indpred, i.indrelid), '()', ''), '::text', ''), '')
    || CASE WHEN i.indisvalid AND i.indexprs IS NULL THEN '' ELSE ' broken' END
  FROM pg_index i JOIN ours c ON c.oid = i.indexrelid JOIN ours t ON t.oid = i.indrelid
UNION ALL SELECT 'rule ' || r.conname || CASE WHEN r.convalidated THEN '' ELSE ' broken' END
  FROM pg_constraint r JOIN ours c ON c.oid = r.conrelid WHERE r.contype NOT IN ('p', 'u', 'n')
UNION ALL SELECT 'relation ' || relname FROM ours WHERE relkind NOT IN ('r', 'i')
UNION ALL SELECT 'hidden rows of ' || relname FROM ours WHERE relrowsecurity
UNION ALL SELECT 'trigger ' || g.tgname FROM pg_trigger g JOIN ours c ON c.oid = g.tgrelid
UNION ALL SELECT 'rewriting ' || w.rulename FROM pg_rewrite w JOIN ours c ON c.oid = w.ev_class
UNION ALL SELECT 'heir of ' || c.relname FROM pg_inherits h JOIN ours c ON c.oid = h.inhparent";

/// What is in our schema and is not said of its tables, and what is said of them and is not there.
pub(crate) fn strangers(session: &Session) -> Result<Vec<String>, SqlFailure> {
    let mut expected: BTreeSet<String> = OWN.into_iter().flat_map(said).collect();
    match version(session)? {
        0 => {}
        found => expected.extend(after(steps(found))),
    }
    let mut found = found(session)?;
    let formers: Vec<_> = former(&found).collect();
    for (was, table, index) in formers {
        found.remove(&was);
        found.insert(said_index(table, index, &in_order(table, index)));
    }
    let later: BTreeSet<String> = LATER.into_iter().flat_map(added).collect();
    let missing = expected
        .difference(&found)
        .filter(|name| !later.contains(*name))
        .map(|name| format!("missing {name}"));
    let strange = found
        .difference(&expected)
        .map(|name| format!("strange {name}"));
    Ok(missing.chain(strange).collect())
}

/// The tables of a state after this many migrations: those of the newest, without what the later ones change.
fn after(steps: usize) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = tables::ALL.iter().flat_map(said).collect();
    for migration in MIGRATIONS.iter().skip(steps).rev() {
        migration.made.iter().for_each(|made| {
            all.remove(*made);
        });
        all.extend(migration.gone.iter().map(|gone| (*gone).to_owned()));
    }
    all
}

/// What was added to a table, as [`FOUND`] tells it; all of it, if it was added as a whole.
fn added((table, later): (&Table, &[&str])) -> Vec<String> {
    let mut all = said(table);
    let columns = later.iter();
    let named: Vec<String> = columns
        .map(|name| format!("column {}.{name} ", table.name))
        .collect();
    all.retain(|it| named.is_empty() || named.iter().any(|name| it.starts_with(name)));
    all
}

/// A table as [`FOUND`] tells it.
fn said(table: &Table) -> Vec<String> {
    let name = table.name;
    let columns = table.columns.iter().map(|column| {
        let null = if column.optional { " null" } else { "" };
        format!("column {name}.{} {}{null}", column.name, kind(column.kind))
    });
    let key = format!("index on {name} key {}", table.key.join(","));
    let unique = table
        .unique
        .iter()
        .map(|columns| format!("index on {name} unique {}", columns.join(",")));
    let indexes = table.indexes.iter();
    let indexes = indexes.map(|index| said_index(table, index, &in_order(table, index)));
    let checks = (0..table.checks.len()).map(|place| format!("rule {}", named(table, place)));
    columns
        .chain([key])
        .chain(unique)
        .chain(indexes)
        .chain(checks)
        .collect()
}

/// An index as [`FOUND`] tells it.
fn said_index(table: &Table, index: &Index, columns: &[&str]) -> String {
    let only = index.only.map_or(String::new(), |only| format!(" {only}"));
    let columns = columns.join(",");
    format!("index on {} {} {columns}{only}", table.name, index.name)
}

/// The indexes that are as the release before made them, without an order behind their columns, among what
/// [`FOUND`] tells: as they were told, and as they should be.
pub(super) fn former<'f>(
    found: &'f BTreeSet<String>,
) -> impl Iterator<Item = (String, &'static Table, &'static Index)> + 'f {
    let all = tables::ALL.iter();
    let all = all.flat_map(|table| table.indexes.iter().map(move |index| (table, index)));
    all.filter_map(move |(table, index)| {
        let was = said_index(table, index, index.columns);
        let is_former = in_order(table, index) != index.columns && found.contains(&was);
        is_former.then_some((was, table, index))
    })
}

pub(super) fn found(session: &Session) -> Result<BTreeSet<String>, SqlFailure> {
    let found = Seam::Postgres(session).all(FOUND, &[], |row| row.get::<String>(0))?;
    Ok(found.into_iter().collect())
}
