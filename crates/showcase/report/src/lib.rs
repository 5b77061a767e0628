//! What a run was and how it scored: records, figures, statistics, and their pictures.
//!
//! Pure: text comes in, text goes out; files, clocks and terminals are the command's. Knows nothing
//! of agents, networks or protocols but the names that a record writes down. A tour, in the order in
//! which a run becomes a page:
//! - [`record`]: a run as lines of JSON, written one at a time and read back with the line named
//!   where a record is damaged; [`Timestamp`] is how it writes instants;
//! - [`score`]: what the referee found, fault by fault and complaint by complaint, and the figures
//!   that follow; [`metric`] defines each of them;
//! - [`statistics`]: means, intervals, paired differences and verdicts, with what they rest on;
//! - [`batch`]: many scores as one table, in words, in columns and in JSON; [`finding`] says in
//!   sentences what it shows, the rows on which agents do worse included;
//! - [`story`]: what a record tells when it is put in order: cases, faults, sites that are out;
//! - [`picture`]: map, lanes, sequence diagram, intervals, distributions and trade, as SVG;
//! - [`html`]: the pages around them, which open without a network;
//! - [`replay`]: a record stepped through, for a terminal.
//!
//! Escaping, and text fitted into a place, are the crate [`markup`]'s.
#![forbid(unsafe_code)]

pub mod batch;
pub mod finding;
pub mod html;
#[cfg(test)]
mod invented;
pub mod metric;
pub mod picture;
pub mod record;
pub mod replay;
pub mod score;
pub mod statistics;
pub mod story;

pub use batch::{Batch, Table};
pub use html::About;
pub use language::time::Timestamp;
pub use metric::{METRICS, Metric};
pub use record::{Moment, Record, RecordError, Run, What};
pub use replay::Player;
pub use score::{ComplaintScore, FaultScore, Score};
