//! What is said of the tables is what the migrations make.

use super::*;
use crate::schema::table::{Kind, Table};
use crate::schema::tables;

/// Everything about a table but its checks, as SQLite tells it.
fn found(connection: &Connection, table: &str) -> Vec<String> {
    let all = |sql: String| -> Vec<String> {
        let mut statement = connection.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let columns = all(format!(
        "SELECT name || ' ' || type || iif(\"notnull\" OR pk > 0, '', ' NULL') || iif(pk > 0, ' ' || pk, '')
         FROM pragma_table_info('{table}') ORDER BY cid"
    ));
    let of = "SELECT group_concat(i.name) FROM pragma_index_info(l.name) i";
    let unique = all(format!(
        "SELECT 'UNIQUE ' || ({of}) FROM pragma_index_list('{table}') l WHERE origin = 'u'"
    ));
    let indexes = all(format!(
        "SELECT l.name || ' ' || ({of}) || coalesce(substr(sql, nullif(instr(replace(sql, char(10), ' '), ' WHERE '), 0)), '')
         FROM pragma_index_list('{table}') l JOIN sqlite_schema s ON s.name = l.name
         WHERE origin = 'c' ORDER BY l.name"
    ));
    let indexes = indexes.into_iter().map(|index| index.replace('\n', " "));
    columns.into_iter().chain(unique).chain(indexes).collect()
}

fn said(table: &Table) -> Vec<String> {
    let columns = table.columns.iter().map(|column| {
        let kind = match column.kind {
            Kind::Number => "INTEGER",
            Kind::Text | Kind::Payload => "TEXT",
            Kind::Bytes => "BLOB",
        };
        let null = if column.optional { " NULL" } else { "" };
        let place = table.key.iter().position(|key| *key == column.name);
        let place = place.map_or(String::new(), |place| format!(" {}", place + 1));
        format!("{} {kind}{null}{place}", column.name)
    });
    let unique = table
        .unique
        .iter()
        .map(|u| format!("UNIQUE {}", u.join(",")));
    let mut indexes: Vec<_> = table.indexes.iter().collect();
    indexes.sort_by_key(|index| index.name);
    let indexes = indexes.into_iter().map(|index| {
        let only = index
            .only
            .map_or(String::new(), |only| format!(" WHERE {only}"));
        format!("{} {}{only}", index.name, index.columns.join(","))
    });
    columns.chain(unique).chain(indexes).collect()
}

#[test]
fn the_tables_are_those_that_are_said() {
    let (_folder, path) = file();
    drop(open(Options::file(&path)));
    let connection = Connection::open(&path).unwrap();
    for table in tables::ALL {
        assert_eq!(
            said(table),
            found(&connection, table.name),
            "{}",
            table.name
        );
    }
    let count =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let count: isize = connection.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, tables::ALL.len() as isize);
}

#[test]
fn what_is_checked_holds_in_the_words_of_all() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    store.commit(everything("t1")).wait().unwrap();
    drop(store);
    let connection = Connection::open(&path).unwrap();
    for table in tables::ALL {
        for check in table.checks {
            let broken = format!("SELECT count(*) FROM {} WHERE NOT ({check})", table.name);
            let broken: i64 = connection.query_row(&broken, [], |row| row.get(0)).unwrap();
            assert_eq!(broken, 0, "{}: {check}", table.name);
        }
    }
}
