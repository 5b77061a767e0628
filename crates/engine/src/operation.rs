//! What can be asked of the engine: each operation is a type, its answer is another.
//!
//! An operation says which rpc it is and what it costs, and hands itself to the method of the engine
//! that carries it out; each organ's are in its file `operation`. Protocols translate into these; nothing
//! else exists. What only looks at committed state is a [`Query`]. Read next:
//! [`crate::tasks::operation`], [`crate::refusal`].

use crate::Engine;
use crate::access::Sight;
use crate::refusal::Refusal;
use domain::access::{Detail, Principal, Request, Rows};
use domain::ems::Ems;
use domain::time::Timestamp;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use store::Ticket;

/// Where a request arrived: which `agent`, `tasks`, `context` and `data-params` are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// The platform: its OSS agent, and the registry of all.
    Platform,
    /// One agent.
    Agent(String),
    /// A management system of the network.
    Ems(Ems),
}

/// One thing that can be asked of the engine ([`Engine::execute`]).
pub trait Operation: Sized {
    /// The answer.
    type Output: Send + 'static;

    /// True if agents hosted here may have something to do because of it.
    const STIRS_AGENTS: bool = false;

    /// True if something is stored because of it: it is refused while the database is away, so that what
    /// waits for that has a bound.
    const WRITES: bool = true;

    /// The rpc that it is, whatever protocol it came by: who may not execute that may not ask for
    /// this. None if rights are decided record by record.
    fn rpc(&self) -> Option<Request<'static>>;

    /// What it takes of its user's share; none if it takes no room.
    fn cost(&self) -> Option<Cost> {
        None
    }

    /// Carries it out: decides now, and answers now or after the commit.
    ///
    /// # Errors
    /// The [`Refusal`] if it is known now.
    fn run(self, call: Call<'_, Self>) -> Result<Execution<Self::Output>, Refusal>;
}

/// The right of the operation `O` to run: its user may execute it, and there is room for it. Made by
/// [`Engine::execute`] alone, and of use to no other operation.
pub struct Call<'e, O> {
    pub(crate) engine: &'e Engine,
    pub(crate) who: &'e Principal,
    pub(crate) now: Timestamp,
    of: PhantomData<fn() -> O>,
}

impl<'e, O> Call<'e, O> {
    pub(crate) fn new(engine: &'e Engine, who: &'e Principal, now: Timestamp) -> Self {
        let of = PhantomData;
        Self {
            engine,
            who,
            now,
            of,
        }
    }
}

/// What an entry of `/data-params`, or another row, takes besides its content, in bytes: a million empty
/// ones take room too.
pub(crate) const ENTRY_BYTES: u64 = 512;

/// What an operation takes of its user's share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The bytes of text in the message, as they were sent.
    pub said: u64,
    /// The bytes that are written for it.
    pub written: u64,
    /// True if something begins that holds memory until it ends.
    pub begins: bool,
}

impl Cost {
    /// The cost of what begins something and writes so many bytes.
    pub(crate) fn of_new(written: u64) -> Self {
        Self {
            said: 0,
            written,
            begins: true,
        }
    }

    /// The cost of an entry that begins nothing.
    pub(crate) const ENTRY: Self = Self {
        said: 0,
        written: ENTRY_BYTES,
        begins: false,
    };
}

/// The answer, now or after the commit.
pub enum Execution<T> {
    /// Known already.
    Done(Result<T, Refusal>),
    /// Known once it is on disk, or once the task is done.
    Pending(Pin<Box<dyn Future<Output = Result<T, Refusal>> + Send>>),
}

impl<T: Send + 'static> Execution<T> {
    /// An answer that is known now.
    pub(crate) fn known(answer: T) -> Self {
        Self::Done(Ok(answer))
    }

    /// An answer that is known later.
    pub(crate) fn later(
        pending: impl Future<Output = Result<T, Refusal>> + Send + 'static,
    ) -> Self {
        Self::Pending(Box::pin(pending))
    }

    /// An answer that holds once a batch is on disk.
    pub(crate) fn committed(ticket: Ticket, answer: T) -> Self {
        Self::later(async move {
            ticket.await?;
            Ok(answer)
        })
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The [`Refusal`], if the operation was refused or failed.
    pub async fn outcome(self) -> Result<T, Refusal> {
        match self {
            Self::Done(outcome) => outcome,
            Self::Pending(pending) => pending.await,
        }
    }

    /// The same with another answer made of what is answered.
    pub fn map<U>(self, other: impl FnOnce(T) -> U + Send + 'static) -> Execution<U> {
        match self {
            Self::Done(outcome) => Execution::Done(outcome.map(other)),
            Self::Pending(pending) => {
                Execution::Pending(Box::pin(async move { pending.await.map(other) }))
            }
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Execution<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(outcome) => f.debug_tuple("Done").field(outcome).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}

/// One look at committed state ([`Engine::read`], [`Engine::browse`]).
pub trait Query: Sized {
    /// The records found.
    type Output;

    /// The rpc that alone may ask for it; none where rights are decided record by record.
    fn rpc(&self) -> Option<Request<'static>>;

    /// How many bytes an answer says, of what is looked up by one key; none of other queries, whose
    /// answers are bounded each for itself.
    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        None
    }

    /// Finds the records.
    ///
    /// # Errors
    /// The [`Refusal`] if they cannot be read, or are [too much](crate::refusal::OverLimit::TooMuch).
    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal>;
}

/// Tells about how many bytes an answer says.
pub type Weigh<T> = fn(&T) -> u64;

/// The right of the query `Q` to look: its user may ask for it. Made by the engine alone, and of use
/// to no other query.
pub struct Reader<'e, Q> {
    pub(crate) engine: &'e Engine,
    pub(crate) who: &'e Principal,
    pub(crate) detail: Detail,
    pub(crate) now: Timestamp,
    of: PhantomData<fn() -> Q>,
}

impl<'e, Q> Reader<'e, Q> {
    pub(crate) fn new(
        engine: &'e Engine,
        who: &'e Principal,
        detail: Detail,
        now: Timestamp,
    ) -> Self {
        let of = PhantomData;
        Self {
            engine,
            who,
            detail,
            now,
            of,
        }
    }

    /// Which records of a kind the query may show.
    pub(crate) fn sight(&self, rows: Rows) -> Sight<'e> {
        self.engine.access.sight(self.who, rows, self.detail)
    }
}

/// A query is an operation that is answered at once and takes no room.
impl<Q: Query<Output: Send + 'static>> Operation for Q {
    type Output = Q::Output;

    fn rpc(&self) -> Option<Request<'static>> {
        Query::rpc(self)
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Q::Output>, Refusal> {
        let found = self.look(Reader::new(call.engine, call.who, Detail::Whole, call.now));
        found.map(Execution::known)
    }
}
