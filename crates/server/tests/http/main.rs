//! The HTTP server from outside: real sockets on loopback, and a client that sends any bytes.
//!
//! A tour: [`house`] is a server in a state folder, with a time that the test sets; `testkit::http`
//! sends bytes and reads answers; then the tables, one a file: `answers`, `tokens`, `limits`,
//! `http2`, `certificates`, `console`. No test sleeps: time limits are shortened instead.
#![allow(clippy::unwrap_used, unreachable_pub)]

mod answers;
mod certificates;
mod console;
mod house;
mod http2;
mod limits;
mod tokens;
