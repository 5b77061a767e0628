//! Reading tasks, negotiations, teams, exchanges and data as last committed.
//!
//! Readers do not wait for the writer. Read next: [`crate::read`], the queries.

use super::Store;
use crate::read::chunks::{self, Piece};
use crate::read::parties::{self, Keyed};
use crate::read::records::{self, Below, DataSum, Filter};
use crate::read::tasks::{self, TaskFilter};
use crate::read::{Most, Page, ReadError};
use crate::row::document::Document;
use crate::row::erasure::Erasure;
use domain::context::{DataParam, Exchange};
use domain::negotiation::{Kind, Negotiation};
use domain::push::PushConfig;
use domain::task::{Task, TaskId};
use domain::team::Team;

impl Store {
    /// The task called `id`, open or ended, if it exists.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn task(&self, id: &TaskId) -> Result<Option<Task>, ReadError> {
        self.inner.readers.with(|c| tasks::task(c, id))
    }

    /// A task, and what hangs below it.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn task_and_below(&self, id: &TaskId) -> Result<Option<(Task, Below)>, ReadError> {
        self.inner.readers.with(|c| tasks::task_and_below(c, id))
    }

    /// The parties of a record, if it exists. Its contents are not read, nor is the row checked;
    /// reading the whole record does both.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn parties(&self, record: Keyed<'_>) -> Result<Option<[String; 2]>, ReadError> {
        self.inner.readers.with(|c| parties::parties(c, record))
    }

    /// The tasks that match `filter`, in the order of their last change, or in reverse. A task that
    /// changes between two pages may be found on both.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if `filter.after` is not the identifier of one.
    pub fn tasks(&self, filter: &TaskFilter) -> Result<Page<Task>, ReadError> {
        self.inner.readers.with(|c| tasks::tasks(c, filter))
    }

    /// The identifiers of the sub-tasks of a task, in the order of their last change: at most
    /// `most`, and of one party if that is given.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn parts(
        &self,
        of: &TaskId,
        party: Option<&str>,
        most: usize,
    ) -> Result<Page<TaskId>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| tasks::parts(c, of, party, most))
    }

    /// The number of tasks that match `filter` on all pages; `after` and `limit` are ignored.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn count_tasks(&self, filter: &TaskFilter) -> Result<u64, ReadError> {
        self.inner.readers.with(|c| tasks::count_tasks(c, filter))
    }

    /// The task of this executor that ended last, if one did.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn last_ended(&self, executor: &str) -> Result<Option<Task>, ReadError> {
        self.inner.readers.with(|c| tasks::last_ended(c, executor))
    }

    /// The record of the erasure of a task, if it was erased.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn erasure(&self, task: &TaskId) -> Result<Option<Erasure>, ReadError> {
        self.inner.readers.with(|c| records::erasure(c, task))
    }

    /// The negotiation of a task, of one kind, if it exists.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn negotiation(&self, task: &TaskId, kind: Kind) -> Result<Option<Negotiation>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| records::negotiation(c, task, kind))
    }

    /// The negotiations of a task.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn negotiations(&self, task: &TaskId) -> Result<Vec<Negotiation>, ReadError> {
        self.inner.readers.with(|c| records::negotiations(c, task))
    }

    /// The kinds of records that belong to a task, whether or not the task exists.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn below(&self, task: &TaskId) -> Result<Below, ReadError> {
        self.inner.readers.with(|c| records::below(c, task))
    }

    /// The first negotiations, in the order in which they were first stored.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn all_negotiations(&self, most: Most) -> Result<Page<Negotiation>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| records::all_negotiations(c, most))
    }

    /// True if the identifier names a task, or a negotiation about a future one. Two index
    /// look-ups: the cheap question before every assignment.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn knows(&self, task: &TaskId) -> Result<bool, ReadError> {
        self.inner.readers.with(|c| records::knows(c, task))
    }

    /// The first negotiations of a party, in the order in which they were first stored.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn negotiations_of(&self, party: &str, most: Most) -> Result<Page<Negotiation>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| records::negotiations_of(c, party, most))
    }

    /// The first teams in which an agent is a candidate.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn teams_with(&self, candidate: &str, most: Most) -> Result<Page<Team>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| records::teams_with(c, candidate, most))
    }

    /// The first teams, in the order in which they were first stored.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn teams(&self, most: Most) -> Result<Page<Team>, ReadError> {
        self.inner.readers.with(|c| records::teams(c, most))
    }

    /// The first teams that a party published. Teams stored by an earlier release are all read.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn teams_by(&self, publisher: &str, most: Most) -> Result<Page<Team>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| records::teams_by(c, publisher, most))
    }

    /// The team of a task, if it has one.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn team(&self, task: &TaskId) -> Result<Option<Team>, ReadError> {
        self.inner.readers.with(|c| records::team(c, task))
    }

    /// The push configurations of a task, by owner and identifier.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn push_configs(&self, task: &TaskId) -> Result<Vec<PushConfig>, ReadError> {
        self.inner.readers.with(|c| records::push_configs(c, task))
    }

    /// The documents of a kind, in the order in which they were first stored.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn documents(&self, kind: &str) -> Result<Vec<Document>, ReadError> {
        self.inner.readers.with(|c| records::documents(c, kind))
    }

    /// The oldest observations with their numbers, at most `most`.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn observations(&self, most: usize) -> Result<Vec<(u64, String)>, ReadError> {
        self.inner.readers.with(|c| records::observations(c, most))
    }

    /// The exchange called `id`, if it exists.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn exchange(&self, id: &str) -> Result<Option<Exchange>, ReadError> {
        self.inner.readers.with(|c| records::exchange(c, id))
    }

    /// The exchange with the highest number behind `prefix`, up to `most`, if it exists.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn last_numbered(&self, prefix: &str, most: u64) -> Result<Option<Exchange>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| records::last_numbered(c, prefix, most))
    }

    /// The exchanges that match `filter`, in the order in which they were first stored.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if `filter.after` is not the identifier of one.
    pub fn exchanges(&self, filter: &Filter) -> Result<Page<Exchange>, ReadError> {
        self.inner.readers.with(|c| records::exchanges(c, filter))
    }

    /// The data called `id`, if they exist.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn data_param(&self, id: &str) -> Result<Option<DataParam>, ReadError> {
        self.inner.readers.with(|c| records::data_param(c, id))
    }

    /// The data that match `filter`, in the order in which they were first stored.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if `filter.after` is not the identifier of any.
    pub fn data_params(&self, filter: &Filter) -> Result<Page<DataParam>, ReadError> {
        self.inner.readers.with(|c| records::data_params(c, filter))
    }

    /// The amount of stored data that each principal wrote, by name. Takes time in proportion to
    /// the number of entries.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn data_sums(&self) -> Result<Vec<DataSum>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| Ok(records::data_sums(c.session)?))
    }

    /// At most `length` bytes of the data called `id`, from `offset` on: fewer at the end, or in
    /// front of a missing piece; none if the data are elsewhere. Needs no more memory than these
    /// bytes and one piece.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if there are no such data.
    pub fn read_data(&self, id: &str, offset: u64, length: usize) -> Result<Vec<u8>, ReadError> {
        let readers = &self.inner.readers;
        readers.with(|c| chunks::data(c, id, offset, length))
    }

    /// The places of the pieces of the data called `id`, in order; no two overlap.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if there are no such data.
    pub fn chunk_map(&self, id: &str) -> Result<Vec<Piece>, ReadError> {
        self.inner.readers.with(|c| chunks::map(c, id))
    }

    /// The piece of the data called `id` at `offset`, if it exists.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if there are no such data.
    pub fn chunk(&self, id: &str, offset: u64) -> Result<Option<Vec<u8>>, ReadError> {
        self.inner.readers.with(|c| chunks::chunk(c, id, offset))
    }
}
