//! Records and scores of simulated runs: their format, figures, statistics and pictures.
//!
//! Pure: text comes in, text goes out; the command does the files, clocks and terminals. Knows
//! nothing of agents, networks or protocols but the names that a record contains. A tour, in the
//! order in which a run becomes a page:
//! - [`record`]: a run as lines of JSON, written one at a time and read back, with the line number
//!   of any damage; [`Timestamp`] is the format of instants;
//! - [`score`]: the referee's findings, fault by fault and complaint by complaint, and the figures
//!   derived from them; [`metric`] defines each figure;
//! - [`statistics`]: means, confidence intervals, paired differences and verdicts;
//! - [`open_loop`]: what every policy made of one recorded stream, as a table;
//! - [`batch`]: many scores as one table, as text and as JSON; [`finding`] puts the table into
//!   sentences, including the rows on which agents do worse;
//! - [`degradation`]: the same seeds in worlds that err more and more, as curves;
//! - [`story`]: tasks, cases, faults and outages, reconstructed from the moments of a record;
//! - [`picture`]: map, lanes, sequence diagram, intervals, distributions and trade-off, as SVG;
//! - [`html`]: the pages around them, which open without a network;
//! - [`replay`]: a record stepped through, for a terminal.
//!
//! Escaping, and text fitted into a width, are in the crate [`markup`].
#![forbid(unsafe_code)]

pub mod batch;
pub mod degradation;
pub mod finding;
pub mod html;
#[cfg(test)]
mod invented;
pub mod metric;
pub mod open_loop;
pub mod picture;
pub mod record;
pub mod replay;
pub mod score;
pub mod statistics;
pub mod story;

pub use batch::{ScoreBatch, Table};
pub use degradation::Degradation;
pub use html::About;
pub use language::time::Timestamp;
pub use metric::{METRICS, Metric};
pub use open_loop::{OpenLoopFault, OpenLoopRun, OpenLoopTable};
pub use record::{Moment, Record, RecordError, RecordedEvent, Run};
pub use replay::Player;
pub use score::{ComplaintScore, FaultScore, Score};
