//! What is said of the tables is what the migrations make, and whoever goes through all tables leaves none out.

use super::*;
use crate::schema::table::{Kind, Table};
use crate::schema::tables;
use crate::schema::version::NEWEST;
use crate::set::Set;
use crate::sqlite::schema as sqlite;
use std::collections::BTreeSet;

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

/// What an older state lacks is there for whoever only reads it.
#[test]
fn an_older_state_is_shown_with_all_tables() {
    for version in 2..=NEWEST {
        let connection = Connection::open_in_memory().unwrap();
        sqlite::migrate_to(&connection, version);
        sqlite::show_as_newest(&connection).unwrap();
        for table in tables::ALL {
            // What is in double quotes may be a text.
            let columns = table.columns.iter().map(|it| format!("[{}]", it.name));
            let columns: Vec<_> = columns.collect();
            let sql = format!("SELECT {} FROM {}", columns.join(", "), table.name);
            let shown = connection.prepare(&sql).map(drop);
            assert!(shown.is_ok(), "at {version}: {shown:?}");
        }
    }
}

/// The names of all tables but these.
fn all_but(others: &[&str]) -> BTreeSet<&'static str> {
    let all = tables::ALL.iter().map(|table| table.name);
    all.filter(|name| !others.contains(name)).collect()
}

#[test]
fn the_rows_of_each_table_are_in_a_sum() {
    // A candidate is a member of its team; each head tells of all others, and of its seal.
    let told_otherwise = ["team_candidate", "head", "seal"];
    let summed: BTreeSet<_> = Set::ALL.iter().map(|set| set.table()).collect();
    assert_eq!(summed, all_but(&told_otherwise));
}

#[test]
fn each_row_with_a_ciphertext_is_written_anew_under_another_key() {
    // Cursors have no numbers, and a head is written with each change.
    let otherwise = ["cursor", "head"];
    let walked = tables::walked().map(|(table, _)| table);
    let rewritten: BTreeSet<_> = walked.chain(otherwise).collect();
    assert_eq!(rewritten, encrypted_tables().collect());
}

#[test]
fn the_rows_of_each_table_are_verified() {
    let (_folder, path) = file();
    drop(open(encrypted(&path)));
    let mut walked = BTreeSet::new();
    let mut told = |at: VerifyProgress| {
        walked.insert(at.table);
    };
    let how = VerifyOptions {
        progress: Some(&mut told),
        ..VerifyOptions::default()
    };
    verify_with_keys(&path, how, keeper("m1").as_ref()).unwrap();
    // A row or two for each shard, which are read at once; candidates are looked at with their team.
    let at_once = [
        "head",
        "seal",
        "checkpoint",
        "data_key",
        "period",
        "team_candidate",
    ];
    assert_eq!(walked, all_but(&at_once));
}

#[test]
fn what_is_encrypted_is_said_of_each_table() {
    let rows = include_str!("../cipher.rs").lines();
    let rows = rows.filter_map(|line| line.strip_prefix("//! | `")?.split(" |").next());
    let said: BTreeSet<_> = rows
        .flat_map(|names| names.split(", "))
        .map(|name| name.trim_matches('`'))
        .collect();
    assert_eq!(said, all_but(&[]));
}
