//! The score of the laboratory: faults are done, agents and yardsticks say what they are, the book
//! decides.
//!
//! The injector and the book are in this process, which is root's; management system and agents
//! are another process of another user, of which only what it prints is read. Yardsticks hear the
//! alarms that it printed. Between two trials everything is as it was built, and no alarm stands. A
//! tour:
//! - [`manager`]: the other process; [`trial`]: one fault and what everybody made of it;
//! - [`judge`]: what it was worth, by [`yardsticks::measure`]; [`table`]: all of them in a table.

pub mod judge;
pub mod manager;
pub mod table;
pub mod trial;
