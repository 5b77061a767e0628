//! The same rows, inserted by nobody but this program: what the database does for a platform that costs nothing.
//!
//! The rows that a run has left behind are read, every column of them, and inserted once more beside the first, into
//! tables of the same form: with the statements of the store, prepared, on one connection, in as many
//! transactions as it took, one at a time and each sent in one go; on PostgreSQL, as the store does it, the rows of a
//! table with one statement. Over several connections, which is what
//! several leaders would have, each has its share of the transactions. Rows are the last forms alone, so what was
//! inserted and then changed counts as one. Knows the names of the tables. Read next: `rows`.

use bytes::{BufMut as _, BytesMut};
use rusqlite::types::Value;
use std::error::Error;
use std::future::poll_fn;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::task::LocalSet;
use tokio_postgres::types::{FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, Statement};

/// What an assignment leaves behind: the tables, each with its key, which grows.
const TABLES: [(&str, &str); 3] = [
    ("task", "number"),
    ("exchange", "number"),
    ("log", "sequence"),
];

/// The last keys at a moment, in the order of the tables.
pub(crate) type Marks = [i64; TABLES.len()];

/// What a raw insertion was.
pub(crate) struct Inserted {
    /// How long it took.
    pub(crate) elapsed: Duration,
    /// How many tasks it was.
    pub(crate) tasks: usize,
    /// How many rows it was, those of tasks among them.
    pub(crate) rows: usize,
}

impl Inserted {
    fn new<R>(elapsed: Duration, all: &[(String, Vec<R>)]) -> Self {
        Self {
            elapsed,
            tasks: all.first().map_or(0, |(_, rows)| rows.len()),
            rows: all.iter().map(|(_, rows)| rows.len()).sum(),
        }
    }
}

/// The database of a platform.
pub(crate) enum Database {
    Sqlite(PathBuf),
    Postgres(Vec<Rc<Client>>),
}

impl Database {
    /// So many other connections to a database of PostgreSQL.
    pub(crate) async fn postgres(url: &str, connections: usize) -> Result<Self, Box<dyn Error>> {
        let mut clients = Vec::new();
        for _ in 0..connections {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            clients.push(Rc::new(client));
        }
        Ok(Self::Postgres(clients))
    }

    /// The last keys of now.
    pub(crate) async fn marks(&self) -> Result<Marks, Box<dyn Error>> {
        let mut marks = Marks::default();
        for (mark, (table, key)) in marks.iter_mut().zip(TABLES) {
            let sql = format!("SELECT coalesce(max({key}), 0) FROM {table}");
            *mark = match self {
                Self::Sqlite(file) => {
                    rusqlite::Connection::open(file)?.query_row(&sql, [], |row| row.get(0))?
                }
                Self::Postgres(clients) => clients[0].query_one(&sql, &[]).await?.get(0),
            };
        }
        Ok(marks)
    }

    /// How many tasks are open.
    pub(crate) async fn open_tasks(&self) -> Result<i64, Box<dyn Error>> {
        let sql = "SELECT count(*) FROM task WHERE ended = 0";
        Ok(match self {
            Self::Sqlite(file) => {
                rusqlite::Connection::open(file)?.query_row(sql, [], |row| row.get(0))?
            }
            Self::Postgres(clients) => clients[0].query_one(sql, &[]).await?.get(0),
        })
    }

    /// Whether all nodes have the rules that are in force: others do not lead.
    pub(crate) async fn rules_agree(&self) -> Result<bool, Box<dyn Error>> {
        let sql = "SELECT count(DISTINCT rules) FROM node";
        match self {
            Self::Sqlite(_) => Ok(true),
            Self::Postgres(clients) => {
                Ok(clients[0].query_one(sql, &[]).await?.get::<_, i64>(0) == 1)
            }
        }
    }

    /// Inserts what came after `marks` once more, in so many transactions.
    pub(crate) async fn insert(
        &self,
        marks: &Marks,
        transactions: u64,
    ) -> Result<Inserted, Box<dyn Error>> {
        let transactions = usize::try_from(transactions)?.max(1);
        match self {
            Self::Sqlite(file) => in_sqlite(file, marks, transactions),
            Self::Postgres(clients) => in_postgres(clients, marks, transactions).await,
        }
    }
}

/// The rows of a table that belong to one of so many transactions.
fn share(rows: usize, turn: usize, transactions: usize) -> Range<usize> {
    rows * turn / transactions..rows * (turn + 1) / transactions
}

// --- SQLite

/// The statement of the store that inserts a row with these columns.
fn insertion(table: &str, columns: &[String]) -> String {
    let places: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    let (columns, places) = (columns.join(", "), places.join(", "));
    format!("INSERT INTO {table} ({columns}) VALUES ({places})")
}

fn in_sqlite(file: &Path, marks: &Marks, transactions: usize) -> Result<Inserted, Box<dyn Error>> {
    let beside = file.with_file_name("raw.db");
    let mut raw = rusqlite::Connection::open(&beside)?;
    // As the store sets its writer up.
    raw.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    raw.pragma_update(None, "synchronous", "FULL")?;
    raw.pragma_update(None, "cache_size", -65_536)?;
    let from = rusqlite::Connection::open(file)?;
    let mut all = Vec::new();
    for ((table, key), mark) in TABLES.iter().zip(marks) {
        let forms = "SELECT sql FROM sqlite_master WHERE tbl_name = ?1 AND sql IS NOT NULL
            ORDER BY type = 'table' DESC";
        for form in from
            .prepare(forms)?
            .query_map([table], |row| row.get::<_, String>(0))?
        {
            raw.execute_batch(&form?)?;
        }
        let mut found = from.prepare(&format!(
            "SELECT * FROM {table} WHERE {key} > ?1 ORDER BY {key}"
        ))?;
        let columns: Vec<String> = found.column_names().map(str::to_owned).collect();
        let read = |row: &rusqlite::Row<'_>| {
            (0..columns.len())
                .map(|column| row.get(column))
                .collect::<Result<Vec<Value>, _>>()
        };
        let rows = found
            .query_map([mark], read)?
            .collect::<Result<Vec<_>, _>>()?;
        all.push((insertion(table, &columns), rows));
    }
    let begun = Instant::now();
    for turn in 0..transactions {
        let transaction = raw.transaction()?;
        for (sql, rows) in &all {
            let mut statement = transaction.prepare_cached(sql)?;
            for row in &rows[share(rows.len(), turn, transactions)] {
                statement.execute(rusqlite::params_from_iter(row))?;
            }
        }
        transaction.commit()?;
    }
    let elapsed = begun.elapsed();
    drop(raw);
    for suffix in ["", "-wal", "-shm"] {
        // SQLite may have removed the last two.
        let _ = std::fs::remove_file(format!("{}{suffix}", beside.display()));
    }
    Ok(Inserted::new(elapsed, &all))
}

// --- PostgreSQL

/// A value as the database says it and takes it.
#[derive(Debug)]
struct AsItIs(Option<Vec<u8>>);

impl<'a> FromSql<'a> for AsItIs {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some(raw.to_vec())))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A column of some rows, as an array of one dimension (`array_send` of PostgreSQL).
#[derive(Debug)]
struct Column<'r>(Vec<&'r AsItIs>);

impl ToSql for Column<'_> {
    fn to_sql(
        &self,
        list: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Kind::Array(member) = list.kind() else {
            return Err(format!("{list} is no list").into());
        };
        let has_null = self.0.iter().any(|value| value.0.is_none());
        out.put_i32(1);
        out.put_i32(has_null.into());
        out.put_u32(member.oid());
        out.put_i32(self.0.len().try_into()?);
        out.put_i32(1);
        for value in &self.0 {
            match &value.0 {
                None => out.put_i32(-1),
                Some(bytes) => {
                    out.put_i32(bytes.len().try_into()?);
                    out.put_slice(bytes);
                }
            }
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The statement of the store that inserts rows with these columns.
fn insertion_of_many(table: &str, columns: &[tokio_postgres::Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    let list = |(at, column): (usize, &tokio_postgres::Column)| {
        format!("${}::{}[]", at + 1, column.type_().name())
    };
    let lists: Vec<String> = columns.iter().enumerate().map(list).collect();
    let (names, lists) = (names.join(", "), lists.join(", "));
    format!("INSERT INTO raw.{table} ({names}) SELECT * FROM unnest({lists})")
}

async fn in_postgres(
    clients: &[Rc<Client>],
    marks: &Marks,
    transactions: usize,
) -> Result<Inserted, Box<dyn Error>> {
    let client = &clients[0];
    client
        .batch_execute("DROP SCHEMA IF EXISTS raw CASCADE; CREATE SCHEMA raw")
        .await?;
    let mut all = Vec::new();
    for ((table, key), mark) in TABLES.iter().zip(marks) {
        let like = format!("CREATE TABLE raw.{table} (LIKE public.{table} INCLUDING ALL)");
        client.batch_execute(&like).await?;
        let sql = format!("SELECT * FROM public.{table} WHERE {key} > $1 ORDER BY {key}");
        let found = client.prepare(&sql).await?;
        let columns = found.columns();
        let values = |row: tokio_postgres::Row| {
            (0..columns.len())
                .map(|column| row.get::<_, AsItIs>(column))
                .collect::<Vec<_>>()
        };
        let rows = client.query(&found, &[mark]).await?;
        let rows: Vec<_> = rows.into_iter().map(values).collect();
        all.push((insertion_of_many(table, columns), rows));
    }
    let all = Rc::new(all);
    let writing = LocalSet::new();
    let mut writers = Vec::new();
    for client in clients {
        let mut statements = Vec::new();
        for (sql, _) in all.iter() {
            statements.push(client.prepare(sql).await?);
        }
        writers.push((Rc::clone(client), statements));
    }
    let begun = Instant::now();
    let writers: Vec<_> = writers
        .into_iter()
        .enumerate()
        .map(|(first, (client, statements))| {
            let (all, step) = (Rc::clone(&all), clients.len());
            writing.spawn_local(async move {
                for turn in (first..transactions).step_by(step) {
                    let rows = all.iter().map(|(_, rows)| {
                        let share = share(rows.len(), turn, transactions);
                        &rows[share]
                    });
                    in_one_transaction(&client, statements.iter().zip(rows)).await?;
                }
                Ok::<_, tokio_postgres::Error>(())
            })
        })
        .collect();
    writing.await;
    for writer in writers {
        writer.await??;
    }
    let elapsed = begun.elapsed();
    client.batch_execute("DROP SCHEMA raw CASCADE").await?;
    Ok(Inserted::new(elapsed, &all))
}

async fn in_one_transaction<'a>(
    client: &Client,
    all: impl Iterator<Item = (&'a Statement, &'a [Vec<AsItIs>])>,
) -> Result<(), tokio_postgres::Error> {
    let mut sent = Sent::default();
    sent.add(client.batch_execute("BEGIN")).await;
    for (statement, rows) in all.filter(|(_, rows)| !rows.is_empty()) {
        let column = |at: usize| Column(rows.iter().map(|row| &row[at]).collect());
        let columns: Vec<_> = (0..statement.params().len()).map(column).collect();
        let insert = client.execute_raw(statement, columns);
        let insert = async { insert.await.map(|_| ()) };
        sent.add(insert).await;
    }
    sent.add(client.batch_execute("COMMIT")).await;
    sent.answered().await
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + 'a>>;

/// What was sent one after the other, without waiting for an answer.
#[derive(Default)]
struct Sent<'a>(Vec<Answer<'a>>);

impl<'a> Sent<'a> {
    /// Sends it, which is what its first step does.
    async fn add(&mut self, request: impl Future<Output = Result<(), tokio_postgres::Error>> + 'a) {
        let mut request: Answer<'a> = Box::pin(request);
        let first = poll_fn(|cx| Poll::Ready(request.as_mut().poll(cx))).await;
        self.0.push(match first {
            Poll::Pending => request,
            Poll::Ready(known) => Box::pin(std::future::ready(known)),
        });
    }

    /// Waits for all answers.
    async fn answered(self) -> Result<(), tokio_postgres::Error> {
        for answer in self.0 {
            answer.await?;
        }
        Ok(())
    }
}
