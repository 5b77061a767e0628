//! States that were made to look like those of a release before, or like none.

use super::*;

/// A state of the previous release has no codes: one that looks like it would be believed.
#[test]
fn a_state_made_to_look_like_one_of_the_release_before() {
    let stage = stage();
    let connection = Connection::open(&stage.path).unwrap();
    let triggers = |of: &Connection| -> Vec<(String, String)> {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
        let mut statement = of.prepare(sql).unwrap();
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        found.unwrap().collect::<Result<_, _>>().unwrap()
    };
    for (name, _) in triggers(&connection) {
        run_all(&connection, &format!("DROP TRIGGER {name}"));
    }
    for (table, ..) in crate::schema::tables::coded() {
        let digests = format!("UPDATE {table} SET digest = CAST(substr(digest, 1, 32) AS BLOB)");
        run_all(&connection, &digests);
    }
    let (_folder, before) = version_5::version_5();
    let before = Connection::open(before).unwrap();
    without_shards(&connection, &before);
    run_all(
        &connection,
        "DROP TABLE attestation; DROP INDEX negotiation_by_publisher;
         DROP INDEX negotiation_by_executor; DROP INDEX team_by_publisher; DROP TABLE team_candidate;
         ALTER TABLE team DROP COLUMN publisher; DROP INDEX task_by_parent;
         CREATE INDEX task_by_parent ON task (parent) WHERE parent IS NOT NULL;
         PRAGMA user_version = 5;",
    );
    let digest = digest_of_head(&connection);
    connection
        .execute("UPDATE head SET digest = ?1", [digest])
        .unwrap();
    for (_, sql) in triggers(&before) {
        run_all(&connection, &sql);
    }
    connection.close().unwrap();
    let told = format!(
        "the rows of the state carry no codes, but {} has seen that they do: a copy of a release \
         before was put back, or it was forged",
        stage.outside.display()
    );
    is_refused_now(&stage, &AtStart(told));
    // As the release before left it: without what was seen outside, it would be believed.
    std::fs::remove_file(&stage.outside).unwrap();
    open(stage.options());
}

/// Makes the tables as they were before there were shards; heads as they were before they were bound.
fn without_shards(connection: &Connection, before: &Connection) {
    run_all(connection, "ALTER TABLE log DROP COLUMN behind;");
    for table in crate::schema::tables::ALL {
        let name = table.name;
        let columns = table.columns.iter().map(|column| column.name);
        if table.key == ["shard"] {
            let made = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
            let made: String = before.query_row(made, [name], |row| row.get(0)).unwrap();
            let columns = columns
                .skip(1)
                .filter(|it| !["generation", "cipher"].contains(it));
            let columns = columns.collect::<Vec<_>>().join(", ");
            run_all(
                connection,
                &format!(
                    "ALTER TABLE {name} RENAME TO later; {made};
                     INSERT INTO {name} SELECT 1, {columns} FROM later; DROP TABLE later"
                ),
            );
        } else if columns.into_iter().any(|column| column == "shard") {
            run_all(connection, &format!("ALTER TABLE {name} DROP COLUMN shard"));
        }
    }
}

/// A state that was made to look like a foreign one is not replaced by a new one.
#[test]
fn a_state_made_to_look_like_none_that_can_be_read() {
    for (pragma, strange) in [("user_version", 1), ("application_id", 7)] {
        let stage = stage();
        let connection = Connection::open(&stage.path).unwrap();
        connection.pragma_update(None, pragma, strange).unwrap();
        connection.close().unwrap();
        let refused = encrypted::refused(&stage.options()).to_string();
        let value = if strange == 1 { " 1" } else { "" };
        let told = format!(
            "the state was forged: its schema is not that of a state of Convoke (strange {pragma}{value})"
        );
        assert_eq!(refused, told);
        let how = VerifyOptions {
            outside: vec![stage.outside.clone()],
            ..VerifyOptions::default()
        };
        let report = verify_with(&stage.path, how).unwrap();
        assert!(report.faults.iter().any(|fault| fault.key == told));
    }
}

/// The digest of the head as in the previous release.
fn digest_of_head(connection: &Connection) -> Sum {
    let read = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Sum> {
        let mut digest = RowDigest::of("head")
            .number(row.get(0)?)
            .number(row.get(1)?);
        digest = digest.bytes(&row.get::<_, Vec<u8>>(2)?);
        for column in 3..7 {
            digest = digest.number(row.get(column)?);
        }
        Ok(digest.sum())
    };
    let sql = "SELECT sequence, time, chain, tasks, open, exchanges, data FROM head";
    connection.query_row(sql, [], read).unwrap()
}

// The head outside.
