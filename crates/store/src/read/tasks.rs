//! Pages of tasks, in the order of their last change, or in reverse.
//!
//! Open tasks and ended ones are indexed apart, ended ones also by party; a page merges these. A
//! task that changes while a reader pages through moves towards the end, so that it is seen again
//! and none is missed. Read next: `row::task`.

use super::records::Below;
use super::{Most, Page, ReadError, behind, numbered, page, rows};
use crate::cipher::{Keys, Tables};
use crate::row::task::{self, task_columns};
use crate::sql::{Row, Value, values};
use domain::task::{Status, Task, TaskId};
use domain::time::Timestamp;

/// The selection of tasks. The default is the first thousand of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFilter {
    /// Published or executed by this agent only.
    pub party: Option<String>,
    /// Published or executed by this agent as well.
    pub other_party: Option<String>,
    /// Executed by this agent only.
    pub executor: Option<String>,
    /// In one of these states only: see [`TaskFilter::OPEN`] and [`TaskFilter::ENDED`].
    pub status: Vec<Status>,
    /// Parts of this task only.
    pub parent: Option<TaskId>,
    /// Of this conversation only. Ignored if `parent` is set.
    pub conversation: Option<String>,
    /// Last changed at or after this instant.
    pub since: Option<Timestamp>,
    /// Last changed at or before this instant.
    pub until: Option<Timestamp>,
    /// True for the last changed first. A task that changes while a reader pages through leaves its
    /// place: `until` must be the time at which `after` had changed, as the page before told it.
    pub newest_first: bool,
    /// Behind this task: the last of the page before. With `newest_first`, it may have been removed
    /// meanwhile.
    pub after: Option<TaskId>,
    /// The most rows.
    pub limit: usize,
    /// The most bytes of all rows as stored; one row is returned in any case.
    pub bytes: u64,
}

impl TaskFilter {
    /// The states of tasks that have not ended.
    pub const OPEN: [Status; 5] = [
        Status::Created,
        Status::Processing,
        Status::Blocked,
        Status::InputRequired,
        Status::AuthRequired,
    ];
    /// The states of tasks that have ended.
    pub const ENDED: [Status; 5] = [
        Status::Failed,
        Status::Finished,
        Status::Cancelled,
        Status::Rejected,
        Status::Unconfirmed,
    ];

    fn most(&self) -> Most {
        Most {
            rows: self.limit,
            bytes: self.bytes,
        }
    }
}

impl Default for TaskFilter {
    fn default() -> Self {
        Self {
            party: None,
            other_party: None,
            executor: None,
            status: Status::ALL.to_vec(),
            parent: None,
            conversation: None,
            since: None,
            until: None,
            newest_first: false,
            after: None,
            limit: 1_000,
            bytes: u64::MAX,
        }
    }
}

const TASK: &str = concat!("SELECT ", task_columns!(), " FROM task WHERE id = ?1");

/// The same, with whether anything hangs below it: one look instead of two.
const TASK_AND_BELOW: &str = concat!(
    "SELECT ",
    task_columns!(),
    ", EXISTS (SELECT 1 FROM task WHERE parent = ?1),
    EXISTS (SELECT 1 FROM negotiation WHERE task = ?1) FROM task WHERE id = ?1"
);

/// The open tasks, in the order in which they changed last.
pub(crate) const OPEN: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM task WHERE ended = 0 ORDER BY changed_at, number"
);

const LAST_ENDED: &str = concat!(
    "SELECT ",
    task_columns!(),
    " FROM task WHERE send_to = ?1 AND ended = 1 ORDER BY changed_at DESC, number DESC LIMIT 1"
);

/// The sub-tasks of a task, of one party if that is given.
const PARTS: &str = "SELECT id FROM task WHERE parent = ?1
    AND (CAST(?2 AS TEXT) IS NULL OR ?2 IN (+send_from, +send_to)) ORDER BY changed_at, number LIMIT ?3";

pub(crate) fn task(tables: Tables<'_>, id: &TaskId) -> Result<Option<Task>, ReadError> {
    Ok(rows(tables, TASK, values![id.as_str()], task::read)?.pop())
}

pub(crate) fn task_and_below(
    tables: Tables<'_>,
    id: &TaskId,
) -> Result<Option<(Task, Below)>, ReadError> {
    let read = |row: &Row<'_>, keys: &Keys| {
        let below = Below {
            parts: row.get(task::COLUMNS)?,
            negotiations: row.get(task::COLUMNS + 1)?,
        };
        Ok((task::read(row, keys)?, below))
    };
    Ok(rows(tables, TASK_AND_BELOW, values![id.as_str()], read)?.pop())
}

pub(crate) fn last_ended(tables: Tables<'_>, executor: &str) -> Result<Option<Task>, ReadError> {
    Ok(rows(tables, LAST_ENDED, values![executor], task::read)?.pop())
}

pub(crate) fn tasks(tables: Tables<'_>, filter: &TaskFilter) -> Result<Page<Task>, ReadError> {
    let place = place(tables, filter)?;
    let sql = query_of(filter);
    with_values(filter, place, &sql, |sql, values| {
        page(filter.most(), tables, sql, values, task::read)
    })
}

/// The identifiers of the sub-tasks of a task; their contents are not read.
pub(crate) fn parts(
    tables: Tables<'_>,
    of: &TaskId,
    party: Option<&str>,
    most: usize,
) -> Result<Page<TaskId>, ReadError> {
    let most = Most {
        rows: most,
        bytes: u64::MAX,
    };
    let which = values![of.as_str(), party, most.and_one()];
    page(most, tables, PARTS, which, |row, _| {
        Ok(TaskId::new(row.get::<String>(0)?))
    })
}

pub(crate) fn count_tasks(tables: Tables<'_>, filter: &TaskFilter) -> Result<u64, ReadError> {
    let sql = count(filter);
    let place = (filter.since.unwrap_or_default().as_ms(), 0);
    let count: i64 = with_values(filter, place, &sql, |sql, values| {
        tables.session.one(sql, values)
    })?;
    Ok(count.try_into().expect("a count is not negative"))
}

/// The place behind which the page begins, in its order.
fn place(tables: Tables<'_>, filter: &TaskFilter) -> Result<(i64, i64), ReadError> {
    let find = "SELECT changed_at, number FROM task WHERE id = ?1";
    let of = |id: &TaskId| {
        behind(tables.session, find, id.as_str(), |r| {
            Ok((r.get(0)?, r.get(1)?))
        })
    };
    // Numbers begin with 1: (time, 0) lies before everything of that instant.
    let since = (filter.since.unwrap_or_default().as_ms(), 0);
    let until = (filter.until.map_or(i64::MAX, Timestamp::as_ms), i64::MAX);
    match (&filter.after, filter.newest_first) {
        (None, false) => Ok(since),
        (None, true) => Ok(until),
        (Some(id), false) => Ok(of(id)?.max(since)),
        (Some(id), true) => match of(id) {
            Ok((changed_at, number)) => Ok((changed_at.min(until.0), number)),
            Err(ReadError::Unknown { .. }) => Ok(until),
            Err(failed) => Err(failed),
        },
    }
}

/// Runs `query` with `sql`, its parameters numbered, and the filter's values of them.
fn with_values<T>(
    filter: &TaskFilter,
    (time, number): (i64, i64),
    sql: &str,
    query: impl FnOnce(&str, &[Value<'_>]) -> T,
) -> T {
    let since = filter.since.unwrap_or_default().as_ms();
    let until = filter.until.map_or(i64::MAX, Timestamp::as_ms);
    let limit = filter.most().and_one();
    let parent = filter.parent.as_ref().map(TaskId::as_str);
    let values: [(&str, Value<'_>); 10] = [
        ("party", filter.party.as_ref().into()),
        ("other", filter.other_party.as_ref().into()),
        ("executor", filter.executor.as_ref().into()),
        ("parent", parent.into()),
        ("conversation", filter.conversation.as_ref().into()),
        ("time", time.into()),
        ("number", number.into()),
        ("since", since.into()),
        ("until", until.into()),
        ("limit", limit.into()),
    ];
    let (sql, values) = numbered(sql, &values);
    query(&sql, &values)
}

/// The query of a page: one `SELECT` for each index that is walked, merged.
fn query_of(filter: &TaskFilter) -> String {
    let (behind, order) = match filter.newest_first {
        false => (">", ""),
        true => ("<", " DESC"),
    };
    let mut narrow = format!(" AND (changed_at, number) {behind} (:time, :number)");
    match filter.newest_first {
        true if filter.since.is_some() => narrow.push_str(" AND changed_at >= :since"),
        false if filter.until.is_some() => narrow.push_str(" AND changed_at <= :until"),
        _ => {}
    }
    let selects = selects(filter, task_columns!(), &narrow);
    format!("{selects} ORDER BY changed_at{order}, number{order} LIMIT :limit")
}

/// The query for the number of rows on all pages.
fn count(filter: &TaskFilter) -> String {
    let narrow = " AND changed_at BETWEEN :since AND :until";
    format!(
        "SELECT count(*) FROM ({}) AS found",
        selects(filter, "1", narrow)
    )
}

/// One `SELECT` for each index that is walked.
fn selects(filter: &TaskFilter, columns: &str, narrow: &str) -> String {
    let mut narrow = narrow.to_owned();
    let names: Vec<&str> = filter.status.iter().map(|s| s.as_str()).collect();
    if Status::ALL.iter().any(|s| !filter.status.contains(s)) {
        narrow.push_str(&format!(" AND status IN ('{}')", names.join("', '")));
    }
    if filter.other_party.is_some() {
        narrow.push_str(" AND :other IN (+send_from, +send_to)");
    }
    let one_of_both = " AND :party IN (+send_from, +send_to)";
    let (by_party, by_executor) = (filter.party.is_some(), filter.executor.is_some());
    let any = |ended| filter.status.iter().any(|s| s.is_terminal() == ended);
    let mut branches: Vec<String> = Vec::new();
    if filter.parent.is_some() {
        let party = if by_party { one_of_both } else { "" };
        let executor = if by_executor {
            " AND +send_to = :executor"
        } else {
            ""
        };
        branches.push(format!("parent = :parent{party}{executor}"));
    } else if filter.conversation.is_some() {
        let party = if by_party { one_of_both } else { "" };
        let executor = if by_executor {
            " AND +send_to = :executor"
        } else {
            ""
        };
        for of in [
            "conversation = :conversation",
            "id = :conversation AND +conversation IS NULL",
        ] {
            branches.push(format!("{of}{party}{executor}"));
        }
    } else {
        let ended = "ended = 1";
        if any(true) && by_executor {
            let party = if by_party { one_of_both } else { "" };
            branches.push(format!("{ended} AND send_to = :executor{party}"));
        } else if any(true) && by_party {
            branches.push(format!("{ended} AND send_from = :party"));
            branches.push(format!(
                "{ended} AND send_to = :party AND send_from <> :party"
            ));
        } else if any(true) {
            branches.push(ended.to_owned());
        }
        if any(false) {
            let party = if by_party { one_of_both } else { "" };
            let executor = if by_executor {
                " AND +send_to = :executor"
            } else {
                ""
            };
            let open = "ended = 0";
            branches.push(format!("{open}{party}{executor}"));
        }
    }
    // No state is wanted: nothing fits.
    if branches.is_empty() {
        branches.push("false".to_owned());
    }
    let select = |branch: &String| format!("SELECT {columns} FROM task WHERE {branch}{narrow}");
    let selects: Vec<String> = branches.iter().map(select).collect();
    selects.join(" UNION ALL ")
}

/// The queries of pages, for the test that none of them scans or sorts ended tasks.
#[cfg(test)]
pub(crate) fn pages() -> Vec<String> {
    let all = TaskFilter::default;
    let filters = [
        all(),
        TaskFilter {
            party: Some("p".into()),
            ..all()
        },
        TaskFilter {
            executor: Some("p".into()),
            until: Some(Timestamp::from_ms(1)),
            ..all()
        },
        TaskFilter {
            status: TaskFilter::OPEN.to_vec(),
            ..all()
        },
        TaskFilter {
            status: vec![Status::Failed],
            party: Some("p".into()),
            ..all()
        },
        TaskFilter {
            newest_first: true,
            ..all()
        },
        TaskFilter {
            newest_first: true,
            since: Some(Timestamp::from_ms(1)),
            party: Some("p".into()),
            executor: Some("e".into()),
            ..all()
        },
        TaskFilter {
            newest_first: true,
            conversation: Some("c".into()),
            party: Some("p".into()),
            ..all()
        },
        TaskFilter {
            parent: Some(TaskId::new("t")),
            ..all()
        },
    ];
    let mut pages: Vec<String> = filters.iter().map(query_of).collect();
    pages.push(LAST_ENDED.replace("?1", ":executor"));
    pages.push(PARTS.to_owned());
    pages
}
