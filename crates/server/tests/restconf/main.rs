//! RESTCONF from outside: a whole platform in a state folder, and requests over HTTP on loopback.
//!
//! A tour: [`site`] starts one and asks it; then the tables, one a file: `data`, `operations`, `events`,
//! `refusals`, `hostile`, `usage`. What XML comes is held to the modules by libyang. No test sleeps.
#![allow(clippy::unwrap_used, unreachable_pub)]

mod data;
mod events;
mod hostile;
mod operations;
mod refusals;
mod site;
mod usage;
