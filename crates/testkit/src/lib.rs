//! What tests of several crates begin with, and how they wait.
//!
//! Everything here is a plain value with usual parts; a test names what it is about and takes the
//! rest: `Profile { skills, ..testkit::profile("worker") }`. By feature, so that tests of a crate
//! build nothing above it:
//! - without one: [`profile()`], [`access()`], agents ([`Willing`], [`Silent`], [`Scripted`]), and
//!   [`wait()`] for a future on a thread of one's own;
//! - `store`: [`sound`] and [`shim`], for stores whose writer dies;
//! - `postgres`: [`postgres`], a server that ends with the test program;
//! - `engine`: [`setup`], [`hosted`], [`message`], [`assignment`];
//! - `sockets`: [`within`] and [`eventually`], and HTTP as bytes ([`http`]);
//! - `platform`: [`Site`], a platform on loopback.
//!
//! Only ever a dev-dependency. `domain` is below it: unit tests inside of `domain` and of what
//! `domain` stands on cannot use it, for the types would not be theirs.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, clippy::print_stdout)]
#![forbid(unsafe_code)]

mod access;
mod agent;
#[cfg(feature = "engine")]
mod engines;
#[cfg(feature = "sockets")]
pub mod http;
#[cfg(feature = "platform")]
mod platform;
#[cfg(feature = "postgres")]
pub mod postgres;
mod profile;
#[cfg(feature = "store")]
mod stores;
mod waiting;

pub use access::access;
pub use agent::{Scripted, Silent, Willing};
#[cfg(feature = "engine")]
pub use engines::{assignment, hosted, message, on_disk, outcome, setup};
#[cfg(feature = "platform")]
pub use platform::{Site, company, generation, host, loopback};
pub use profile::{profile, skill};
#[cfg(feature = "store")]
pub use stores::{shim, sound};
pub use waiting::{PATIENCE, at_once, wait};
#[cfg(feature = "sockets")]
pub use waiting::{eventually, within};
