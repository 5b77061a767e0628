//! Which alarm types cause which, learnt from an unlabelled history of alarms.
//!
//! Pure: lines and bytes come in, a graph goes out; the command does the files. Knows alarm types,
//! devices and links by their names alone, and refuses to know what any of them means. Nothing is
//! drawn at random: the same history gives the same graph, in whatever order its lines stand. A
//! tour, in the order in which a history becomes a graph:
//! - [`record`]: the lines of a record of alarms; [`links`]: which devices are adjacent, from text
//!   or from a matrix in NumPy's format ([`npy`]); [`history`]: both together;
//! - `neighbourhood`: the times of each type at a device and around it; `counts`: how often types
//!   precede each other, come together and come alone, at six scales of time;
//! - `order`: the causal order of all types, by time as far as time can be trusted and by isolation
//!   otherwise; `attribution`: what each type explains of another, by a sparse Hawkes process;
//! - [`learning`]: the steps above, and the edges that they leave; `delays`: how late effects
//!   follow and how far away; `spread`: which types come on adjacent devices at once; [`graph`]: the result, as a document;
//! - [`picture`]: the graph drawn;
//! - [`score`]: how well a graph matches a known one; [`counting`]: the yardstick, mere counting.
//!
//! The method, its sources, its scores and how far to trust it: `docs/alarm-history.md`.
#![forbid(unsafe_code)]

mod attribution;
pub mod counting;
mod counts;
mod delays;
mod fields;
pub mod graph;
pub mod history;
#[cfg(test)]
mod invented;
pub mod learning;
pub mod links;
mod neighbourhood;
pub mod npy;
mod order;
pub mod picture;
pub mod record;
pub mod score;
mod spread;
mod square;
mod statistics;

pub use attribution::LearningError;
pub use counting::FollowCounts;
pub use graph::{CausalEdge, CausalGraph, GraphDocumentError, RankedType};
pub use history::{AlarmHistory, HistoryBuilder, HistoryError};
pub use learning::learn;
pub use links::DeviceLinks;
pub use npy::{AdjacencyMatrix, NpyError};
pub use record::{AlarmReadError, AlarmRecordReader, RecordLineError};
pub use score::GraphScore;
