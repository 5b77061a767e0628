//! One connection, and the statements that are sent on it.
//!
//! ```text
//! begin · look_ahead · put, put, … · flush · COMMIT      three waits, however many statements
//! ```
//! A change that is put is not waited for, and in a transaction goes out with others, some dozens at a time; what comes
//! of it is known at the next statement that waits. The first that fails fails everything behind it in its
//! transaction. Texts are those of SQLite (see `dialect`); each is prepared once. Every wait has a bound: what has not
//! come by then is lost, and the session with it. Knows no table. Read next: [`transaction`]; [`fence`], what each
//! begins with; [`gathered`] and [`held`], what goes out together; [`answers`]; [`ahead`]; [`stream`], rows that come
//! one by one; [`lost`]; [`super::net`], which makes the connection.

mod ahead;
mod answers;
pub(crate) mod fence;
mod gathered;
mod held;
mod lost;
mod many;
mod stream;
mod transaction;

use super::address::PostgresAddress;
use super::dialect::translate;
use super::error::PostgresError;
use super::net::{ConnectError, Line, Net};
use super::value::{Owned, parameters};
use super::wait::poll;
use crate::failure::{FailureKind, SqlFailure};
use crate::lead::{Renewal, boottime_ms};
use crate::sql::Value;
use ahead::Ahead;
use fence::{FencingToken, WhileUnknown};
use gathered::Gathered;
use lost::Missed;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use stream::Streams;
use tokio::task::AbortHandle;
use tokio_postgres::Statement;
pub(crate) use transaction::Transaction;

/// The longest wait for anything that a server says.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The longest wait for an answer where the server works on a whole table.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// The most changes that are sent and not known of; the older half is then waited for.
const UNKNOWN_MAX: usize = 4096;

/// What begins a transaction. A lock that another keeps is not waited for longer than with SQLite; a
/// transaction that we left open (a machine that stood still) is in nobody's way for long. Set for
/// the transaction alone: a pooler may give the next to another session of the server. Rows are found by their keys,
/// some at a time: a plan that was made while a table was small would read the whole of it later.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL enable_seqscan = off; \
    SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL jit = off; \
    SET LOCAL idle_in_transaction_session_timeout = ";

/// The time after which a transaction that we left open is ended, unless others wait for its end.
const IDLE: Duration = Duration::from_secs(60);

const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// How many rows a change must meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// One: none means that this rule, a guard in the statement, held.
    One(&'static str),
    /// So many, as a statement changes many rows: fewer means that this rule held for one.
    Each(u64, &'static str),
    /// One: none means that another has taken the state over.
    Owner,
    Any,
}

/// Where a session is in a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Each statement is its own.
    Outside,
    Inside,
}

type Answer = Pin<Box<dyn Future<Output = Result<u64, tokio_postgres::Error>> + Send>>;

/// A change whose answer has not come.
struct Sent {
    answer: Answer,
    expect: Expect,
    /// True if what is lost with the answer may have been done.
    own: bool,
}

/// A session with a server.
pub(crate) struct Session {
    line: Line,
    statements: RefCell<HashMap<String, Statement>>,
    sent: RefCell<VecDeque<Sent>>,
    streams: Streams,
    ahead: Ahead,
    gathered: Gathered,
    /// The first failure of the transaction: it takes nothing more.
    failed: RefCell<Option<PostgresError>>,
    stage: Cell<Stage>,
    answer_within: Cell<Duration>,
    waits: Cell<u64>,
    changes: Cell<u64>,
    /// What each transaction begins with; none if it only reads.
    fence: Cell<Option<FencingToken>>,
    while_unknown: RefCell<Option<WhileUnknown>>,
    renewal: RefCell<Option<Arc<dyn Renewal>>>,
    /// When the transaction under way began, by the clock of a renewal.
    begun_ms: Cell<u64>,
    idle: Cell<Duration>,
    /// The changes that are held back.
    together: Cell<usize>,
    /// True once an error was told after which nothing comes.
    over: Cell<bool>,
    /// The last attempt to connect anew, if that failed.
    missed: Option<Missed>,
    address: PostgresAddress,
    /// Dropped last: the thread below the connection.
    net: Arc<Net>,
}

impl Session {
    /// A session with the first server of the address that takes writes. Waits as long as the address
    /// allows.
    pub(crate) fn open(net: &Arc<Net>, address: &PostgresAddress) -> Result<Self, ConnectError> {
        Ok(Self {
            line: net.connect(address)?,
            statements: RefCell::default(),
            sent: RefCell::default(),
            streams: Streams::default(),
            ahead: Ahead::default(),
            gathered: Gathered::default(),
            failed: RefCell::default(),
            stage: Cell::new(Stage::Outside),
            answer_within: Cell::new(ANSWER_WITHIN),
            waits: Cell::new(0),
            changes: Cell::new(0),
            fence: Cell::new(None),
            while_unknown: RefCell::default(),
            renewal: RefCell::default(),
            begun_ms: Cell::new(0),
            idle: Cell::new(IDLE),
            together: Cell::new(0),
            over: Cell::new(false),
            missed: None,
            address: address.clone(),
            net: Arc::clone(net),
        })
    }

    /// The same with another bound on each wait.
    pub(crate) fn answering_within(self, answer_within: Duration) -> Self {
        self.answer_within.set(answer_within);
        self
    }

    /// Does something with another bound on each wait.
    pub(crate) fn patiently<T>(&self, answer_within: Duration, work: impl FnOnce() -> T) -> T {
        let usual = self.answer_within.replace(answer_within);
        let done = work();
        self.answer_within.set(usual);
        done
    }

    /// How often the server was waited for: round trips, if nothing had come meanwhile.
    #[cfg(test)]
    pub(crate) fn waits(&self) -> u64 {
        self.waits.get()
    }

    /// Another session with the same database, that only reads.
    pub(crate) fn another(&self) -> Result<Box<Self>, SqlFailure> {
        let session = Self::open(&self.net, &self.address).map_err(PostgresError::from)?;
        Ok(Box::new(session))
    }

    /// What ends the session from another thread.
    pub(crate) fn cutter(&self) -> AbortHandle {
        self.line.cutter()
    }

    /// Sends a change and does not wait; what comes of it is known at [`Self::flush`], or at any
    /// statement that waits.
    pub(crate) fn put(
        &self,
        sql: &str,
        values: &[Value<'_>],
        expect: Expect,
    ) -> Result<(), PostgresError> {
        self.broken()?;
        let Some(values) = self.gather(sql, Owned::new(values), expect)? else {
            return Ok(());
        };
        self.send_gathered_before(sql);
        self.streams.settle(self);
        let statement = self.prepared(sql)?;
        let client = Arc::clone(&self.line.client);
        let answer = async move {
            client
                .execute_raw(&statement, parameters(&values.values()))
                .await
        };
        self.held(|| self.sent(Box::pin(answer), expect));
        if self.sent.borrow().len() >= UNKNOWN_MAX {
            self.keep_unknown(UNKNOWN_MAX / 2)?;
        }
        Ok(())
    }

    /// Makes a change, waits, and returns how many rows it met.
    pub(crate) fn change(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, PostgresError> {
        let statement = self.ready(sql)?;
        let values = parameters(values);
        let mut answer = pin!(self.line.client.execute_raw(&statement, values));
        let first = poll(answer.as_mut());
        let own = self.stage.get() == Stage::Outside;
        self.known(|| {
            let changed = match first {
                Poll::Ready(changed) => changed.map_err(PostgresError::from),
                Poll::Pending => self.answered(answer),
            };
            changed.map_err(|error| if own { error.of_commit() } else { error })
        })
        .inspect(|rows| self.changed(*rows))
    }

    /// The number of rows that changes have met.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.get()
    }

    fn changed(&self, rows: u64) {
        self.changes.set(self.changes.get() + rows);
    }

    /// Waits until everything that was put is known of.
    ///
    /// Fails with the first failure of it.
    pub(crate) fn flush(&self) -> Result<(), PostgresError> {
        self.send_gathered();
        let nothing = self.sent.borrow().is_empty();
        match nothing {
            true => self.broken(),
            false => self.known(|| Ok(())),
        }
    }

    /// From now on whoever owns the state is told of each transaction that was stored, and one that was
    /// left open is ended after this time.
    pub(crate) fn renews(&self, renewal: Arc<dyn Renewal>, idle: Duration) {
        self.renewal.replace(Some(renewal));
        self.idle.set(idle);
    }

    /// Begins a transaction, without waiting.
    ///
    /// Fails if the statement that it begins with cannot be prepared.
    pub(crate) fn begin(&self) -> Result<(), PostgresError> {
        self.begin_idle(self.idle.get());
        self.fenced()
    }

    /// Begins a transaction that is ended if nothing is said in it for this time.
    fn begin_idle(&self, idle: Duration) {
        if self.renewal.borrow().is_some() {
            self.begun_ms.set(boottime_ms());
        }
        self.begin_with(&format!("{BEGIN}'{}ms'", idle.as_millis()));
    }

    /// Asks, within a transaction, whether the state is ours; no is a failure of its commit.
    fn fenced(&self) -> Result<(), PostgresError> {
        match self.fence.get() {
            Some(fence) => self.put(fence.met, &fence.values(), Expect::Owner),
            None => Ok(()),
        }
    }

    fn begin_with(&self, sql: &str) {
        *self.failed.borrow_mut() = None;
        self.ahead.clear();
        self.stage.set(Stage::Inside);
        self.held(|| self.send(sql, false));
    }

    /// Waits until all that was put is known of, then commits and waits; where each transaction begins
    /// with a fence, until it is known what became of this one.
    ///
    /// A failure of kind [`FailureKind::Unknown`] means that it may be stored and may not; any other that it
    /// is not.
    pub(crate) fn commit(&self) -> Result<(), PostgresError> {
        if let Err(failed) = self.flush() {
            self.roll_back();
            return Err(failed);
        }
        self.ahead.clear();
        self.stage.set(Stage::Outside);
        self.send("COMMIT", true);
        match (self.flush(), self.fence.get()) {
            (Err(unknown), Some(fence)) if unknown.kind == FailureKind::Unknown => {
                self.became(fence, unknown)?;
            }
            (committed, _) => committed?,
        }
        self.counted();
        if let (Some(renewal), Some(_)) = (&*self.renewal.borrow(), self.fence.get()) {
            renewal.renewed(self.begun_ms.get());
        }
        Ok(())
    }

    /// Takes back what the transaction did, as far as there is one. Waits for what was sent before.
    pub(crate) fn roll_back(&self) {
        self.ahead.clear();
        self.gathered.clear();
        self.forget();
        if self.stage.replace(Stage::Outside) == Stage::Inside {
            self.send("ROLLBACK", false);
            self.release();
        }
    }

    /// Carries out statements without parameters, one after the other, and waits.
    pub(crate) fn script(&self, sql: String) -> Result<(), PostgresError> {
        self.streams.settle(self);
        self.send(sql, self.stage.get() == Stage::Outside);
        self.flush()
    }

    /// Sends words without parameters and does not wait; `own` if what is lost with their answer may
    /// have been done.
    fn send(&self, sql: impl Into<String>, own: bool) {
        self.send_gathered();
        let sql = sql.into();
        let client = Arc::clone(&self.line.client);
        let answer = async move { client.batch_execute(&sql).await.map(|()| 0) };
        self.note(Box::pin(answer), Expect::Any, own);
    }

    fn sent(&self, answer: Answer, expect: Expect) {
        self.note(answer, expect, self.stage.get() == Stage::Outside);
    }

    fn note(&self, mut answer: Answer, expect: Expect, own: bool) {
        let answer = match poll(answer.as_mut()) {
            Poll::Pending => answer,
            // It is known already, and is taken in turn.
            Poll::Ready(known) => Box::pin(std::future::ready(known)),
        };
        let sent = Sent {
            answer,
            expect,
            own,
        };
        self.sent.borrow_mut().push_back(sent);
    }

    /// The statement of this text, once nothing is left to be read of another.
    fn ready(&self, sql: &str) -> Result<Statement, PostgresError> {
        self.send_gathered();
        self.streams.settle(self);
        self.prepared(sql)
    }

    /// The statement of this text, prepared at its first use.
    fn prepared(&self, sql: &str) -> Result<Statement, PostgresError> {
        if let Some(statement) = self.statements.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let text = translate(sql).text;
        let mut answer = pin!(self.line.client.prepare(&text));
        let first = poll(answer.as_mut());
        let statement = self.known(|| match first {
            Poll::Ready(statement) => statement.map_err(PostgresError::from),
            Poll::Pending => self.answered(answer),
        })?;
        let mut statements = self.statements.borrow_mut();
        statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}
