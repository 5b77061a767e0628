//! Rows that come one by one.
//!
//! Answers come in the order of questions. So who asks something else between two rows has the rest
//! of them read first, into memory; who asks nothing keeps a few at a time. Read next: [`super`].

use super::Session;
use crate::postgres::error::PostgresError;
use crate::postgres::value::parameters;
use crate::postgres::wait::poll;
use crate::sql::Value;
use futures_core::Stream;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::task::Poll;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, RowStream, Statement};

/// The rows that are being read: of one statement, and of those that are asked between its rows.
#[derive(Default)]
pub(super) struct Streams(RefCell<Vec<Coming>>);

/// The rows of one statement.
struct Coming {
    /// Those that have come.
    here: VecDeque<Result<Row, PostgresError>>,
    /// Those that have not; none once all have.
    rest: Option<Pin<Box<RowStream>>>,
}

impl Coming {
    /// The next row, which is waited for.
    fn next(&mut self, session: &Session) -> Result<Option<Row>, PostgresError> {
        match self.here.pop_front() {
            Some(row) => row.map(Some),
            None => self.read(session),
        }
    }

    fn read(&mut self, session: &Session) -> Result<Option<Row>, PostgresError> {
        let Some(rest) = &mut self.rest else {
            return Ok(None);
        };
        let row = session.answered(pin!(next(rest.as_mut())));
        let row = row.map_err(|error| session.failing(error));
        if !matches!(row, Ok(Some(_))) {
            self.rest = None;
        }
        row
    }
}

impl Streams {
    /// Reads what is still to come into memory, so that something else may be asked.
    pub(super) fn settle(&self, session: &Session) {
        for coming in self.0.borrow_mut().iter_mut() {
            while let Some(row) = coming.read(session).transpose() {
                coming.here.push_back(row);
            }
        }
    }

    /// Forgets what stands above this many.
    fn close(&self, below: usize) {
        self.0.borrow_mut().truncate(below);
    }

    fn open(&self, rows: RowStream) -> usize {
        let mut all = self.0.borrow_mut();
        all.push(Coming {
            here: VecDeque::new(),
            rest: Some(Box::pin(rows)),
        });
        all.len() - 1
    }

    fn next(&self, place: usize, session: &Session) -> Result<Option<Row>, PostgresError> {
        match self.0.borrow_mut().get_mut(place) {
            Some(coming) => coming.next(session),
            None => Ok(None),
        }
    }
}

impl Session {
    /// Rows one by one; [`ControlFlow::Break`] ends it early. Between two rows anything may be asked.
    pub(crate) fn query<E: From<PostgresError>>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&Row) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        if let Some(found) = self.ahead.take(sql, values) {
            return found.map_or(Ok(()), |row| each(&row).map(drop));
        }
        let statement = self.ready(sql)?;
        let values = parameters(values);
        let mut answer = pin!(self.line.client.query_raw(&statement, values));
        let first = poll(answer.as_mut());
        let rows = self.known(|| match first {
            Poll::Ready(rows) => rows.map_err(PostgresError::from),
            Poll::Pending => self.answered(answer),
        })?;
        let place = self.streams.open(rows);
        let done = self.each_of(place, each);
        self.streams.close(place);
        done
    }

    fn each_of<E: From<PostgresError>>(
        &self,
        place: usize,
        each: &mut dyn FnMut(&Row) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        while let Some(row) = self.streams.next(place, self)? {
            if each(&row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The first row, if there is one.
    pub(crate) fn one<T, E: From<PostgresError>>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let statement = self.ready(sql)?;
        let mut answer = pin!(rows_of(&self.line.client, &statement, parameters(values)));
        let first = poll(answer.as_mut());
        let rows = self.known(|| match first {
            Poll::Ready(rows) => rows.map_err(PostgresError::from),
            Poll::Pending => self.answered(answer),
        })?;
        rows.first().map(read).transpose()
    }
}

async fn next(mut rows: Pin<&mut RowStream>) -> Result<Option<Row>, tokio_postgres::Error> {
    poll_fn(|cx| rows.as_mut().poll_next(cx)).await.transpose()
}

/// All rows of a statement, which is sent when this is first polled.
pub(super) async fn rows_of<P: ToSql>(
    client: &Client,
    statement: &Statement,
    values: impl IntoIterator<Item = P, IntoIter: ExactSizeIterator>,
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let mut stream = pin!(client.query_raw(statement, values).await?);
    let mut rows = Vec::new();
    while let Some(row) = next(stream.as_mut()).await? {
        rows.push(row);
    }
    Ok(rows)
}
