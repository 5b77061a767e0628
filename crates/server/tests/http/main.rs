//! The HTTP server from outside: real sockets on loopback, a client that sends what it is told.
//!
//! A tour: [`house`] is a server in a state folder, with a time that the test sets; [`client`] sends
//! bytes and reads answers; then the tables, one a file: `answers`, `tokens`, `limits`, `http2`,
//! `certificates`. No test sleeps: limits are made short where time must pass.
#![allow(clippy::unwrap_used, unreachable_pub)]

mod answers;
mod certificates;
mod client;
mod house;
mod http2;
mod limits;
mod tokens;
