//! The rack: the one process that reaches into the routers, as root, with a closed vocabulary.
//!
//! What a router's own management agent and a power switch would do for a management system that
//! runs elsewhere: read a router's state and configuration, set one of its parameters, switch it off
//! and on, say what the probes count. The management system has no other way to the routers, and no
//! right on this machine but the socket. The rack knows neither the book nor the injector; it reads
//! states as they are. A router whose zebra does not answer is unreachable, whatever else of it
//! could be read from here. A tour:
//! - [`protocol`]: what is asked and answered; [`client`]: who asks; [`service`]: who answers;
//!   [`line`]: what neither waits for, nor reads;
//! - [`device`]: reading a router; [`parameters`]: setting it; [`filters`]: its filters, both ways;
//! - [`traffic`]: the sites' traffic, which the probes are part of.

pub mod client;
pub(crate) mod device;
pub(crate) mod filters;
pub(crate) mod line;
pub(crate) mod parameters;
pub mod protocol;
pub mod service;
pub(crate) mod traffic;
