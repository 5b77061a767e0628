//! The rows of nodes, by which they know of each other.
//!
//! A node writes its own row alone; an operator's request is written to it by others. Read next:
//! [`crate::lead`], which says what they mean.

use super::session::Session;
use crate::failure::SqlFailure;
use crate::lead::{Announced, Announcement, NodeRow, request_of, word_of};
use crate::sql::{Row, Session as Seam, values};
use domain::cluster::NodeRequest;
use domain::time::Timestamp;
use std::time::Duration;

/// The time after which a node that is gone is forgotten, in milliseconds.
const FORGOTTEN_MS: i64 = 7 * 24 * 3_600_000;

/// The database's clock, in milliseconds.
macro_rules! now {
    () => {
        "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)"
    };
}

const ANNOUNCE: &str = concat!(
    "INSERT INTO node (name, place, life, address, version, state, rules, started, seen, until, wanted)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ",
    now!(),
    ", ",
    now!(),
    ", ",
    now!(),
    " + ?8, '')
    ON CONFLICT (name) DO UPDATE SET place = excluded.place, life = excluded.life,
    address = excluded.address, version = excluded.version, state = excluded.state,
    rules = excluded.rules, seen = excluded.seen, until = excluded.until,
    started = CASE WHEN node.life = excluded.life THEN node.started ELSE excluded.started END,
    wanted = CASE WHEN node.life = excluded.life THEN node.wanted ELSE '' END
    WHERE node.life = excluded.life OR node.place = excluded.place OR node.until < excluded.seen
    RETURNING wanted"
);

const LEFT: &str = concat!("SELECT until - ", now!(), " FROM node WHERE name = ?1");

const ALL: &str = concat!(
    "SELECT name, life, address, version, state, rules, started, seen, until >= ",
    now!(),
    ", wanted FROM node ORDER BY name"
);

const ASK: &str = "UPDATE node SET wanted = ?2 WHERE name = ?1";

const FULFILLED: &str = "UPDATE node SET wanted = '' WHERE name = ?1 AND wanted = ?2";

const LEAVE: &str = "UPDATE node SET until = 0 WHERE name = ?1 AND life = ?2";

const FORGET: &str = concat!(
    "DELETE FROM node WHERE until < ",
    now!(),
    " - ?1 AND seen < ",
    now!(),
    " - ?1"
);

/// Writes the row of a node, unless that is of another process elsewhere.
pub(crate) fn announce(
    session: &Session,
    me: &Announcement,
    ttl: Duration,
) -> Result<Announced, SqlFailure> {
    let ttl_ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
    let values = values![
        &me.name,
        &me.place,
        &me.life,
        &me.address,
        &me.version,
        &me.state,
        &me.rules,
        ttl_ms,
    ];
    let seam = Seam::Postgres(session);
    let written = seam.find(ANNOUNCE, values, |row| row.get::<String>(0))?;
    if let Some(word) = written {
        let requested = request_of(&word);
        return Ok(Announced::Known { requested });
    }
    let left = seam.find(LEFT, values![&me.name], |row| row.get::<i64>(0))?;
    let left = u64::try_from(left.unwrap_or_default()).unwrap_or_default();
    Ok(Announced::Taken {
        left: Duration::from_millis(left),
    })
}

/// All rows, by name.
pub(crate) fn all(session: &Session) -> Result<Vec<NodeRow>, SqlFailure> {
    Seam::Postgres(session).all(ALL, &[], node)
}

fn node(row: &Row<'_>) -> Result<NodeRow, SqlFailure> {
    Ok(NodeRow {
        name: row.get(0)?,
        life: row.get(1)?,
        address: row.get(2)?,
        version: row.get(3)?,
        state: row.get(4)?,
        rules: row.get(5)?,
        started: Timestamp::from_ms(row.get(6)?),
        seen: Timestamp::from_ms(row.get(7)?),
        alive: row.get(8)?,
        requested: request_of(row.text(9)?),
    })
}

/// Writes a request to the row of a node; false if there is none.
pub(crate) fn request(
    session: &Session,
    node: &str,
    request: NodeRequest,
) -> Result<bool, SqlFailure> {
    let values = values![node, word_of(Some(request))];
    Ok(Seam::Postgres(session).change(ASK, values)? > 0)
}

/// Takes a request out of the row of a node, if it is this.
pub(crate) fn fulfilled(
    session: &Session,
    node: &str,
    request: NodeRequest,
) -> Result<(), SqlFailure> {
    let values = values![node, word_of(Some(request))];
    Seam::Postgres(session).change(FULFILLED, values)?;
    Ok(())
}

/// Ends the row of this life of a node, and removes those of nodes that have long been gone.
pub(crate) fn leave(session: &Session, name: &str, life: &str) -> Result<(), SqlFailure> {
    let seam = Seam::Postgres(session);
    seam.change(LEAVE, values![name, life])?;
    seam.change(FORGET, values![FORGOTTEN_MS])?;
    Ok(())
}
