//! Limits of users, and the effects of removing their keys and rights: a whole platform in a state
//! folder, and clients over SSH and HTTP on loopback.
//!
//! A tour: [`platform`] starts one; then the tables, one a file. No test sleeps.
#![allow(clippy::unwrap_used, unreachable_pub)]

mod bounds;
mod endings;
mod platform;
mod rules;
mod trail;
mod workers;
