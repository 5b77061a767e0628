//! Sockets, configuration, clock and composition: the only crate that knows everything.
//!
//! A tour: [`ssh`] is the transport; [`state`], [`config`], [`access`] and [`profile`] are the
//! files, and [`revocation`] watches those that let people in; [`clock`] is the time; [`session`] moves the bytes of one NETCONF session; [`host`] puts
//! a platform together on the store that [`kept`] opens; [`peers`] lets its agents speak to others over NETCONF, [`remote`]
//! stands for those that are servers elsewhere, and [`outside`] speaks A2A with those; [`world`]
//! brings network and agents to life, [`workers`] are the threads on which agents step, `ems` joins its management systems to it, [`faults`] breaks and
//! mends in it what people want; [`webhook`] tells of tasks over HTTP; [`story`] tells what
//! happens and [`referee`] scores it; [`training`] collects what agents learn from.
//! [`client`] is the other side, for the command line.
//!
//! No rule of the domain is here.

pub mod a2a;
pub mod access;
pub mod background;
pub mod client;
pub mod clock;
pub mod config;
pub mod day;
pub mod dialer;
mod ems;
pub mod fair;
pub mod faults;
pub mod file;
pub mod host;
pub mod http;
pub mod kept;
pub mod master_key;
pub mod memory;
pub mod outside;
pub mod peers;
pub mod pool;
pub mod post;
pub mod practice;
pub mod profile;
pub mod recorder;
pub mod referee;
pub mod remote;
pub mod revocation;
pub mod scenario;
pub mod schemas;
pub mod score;
mod seal;
pub mod session;
pub mod ssh;
pub mod stage;
pub mod state;
pub mod story;
pub mod token;
pub mod trail;
pub mod training;
pub mod webhook;
pub mod workers;
pub mod world;
mod writable;

pub use store::{Attestation, ChainReport, OpenError as StoreOpenError};

pub use host::check_files;
