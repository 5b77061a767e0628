//! The laboratory: real routers (FRR) in network namespaces, broken by kernel and FRR, and a
//! management system that knows nothing of it.
//!
//! A tour:
//! - [`requirements`]: what this machine must have; [`plan`], [`documents`], [`bring_up`],
//!   [`run_folder`], [`interruption`]: what is built, what is documented of it, how it comes and
//!   goes;
//! - [`fault`], [`injector`], [`book`]: what is done to it, how, and the truth about it;
//! - [`rack`]: the one way into the routers; [`management`]: the management system on top, as a
//!   [`server::runtime::Network`];
//! - [`enrolment`]: how agents are let in there; [`hosted`]: the agents, who reach it over NETCONF;
//!   [`score`]: how they fare beside the yardsticks;
//! - [`shell`], [`frr`], [`files`], [`processes`]: the programs, daemons, files and processes
//!   underneath; [`error`];
//! - [`user`], [`unprivileged`]: whom management system and agents run as, and how they are started.
//!
//! What may know what: the injector and its book are root's; the management system runs as another
//! user, with the rack's socket and the documents; agents run as a third, and see what it tells over
//! NETCONF alone. `docs/lab.md` has the
//! table of faults and causes.
#![forbid(unsafe_code)]

pub mod book;
pub mod bring_up;
pub mod documents;
pub mod enrolment;
pub mod error;
pub mod fault;
pub(crate) mod files;
pub(crate) mod frr;
pub(crate) mod frr_process;
pub mod hosted;
pub mod injector;
pub mod interruption;
pub mod management;
pub mod plan;
pub(crate) mod process_hiding;
pub(crate) mod processes;
pub mod rack;
pub mod requirements;
pub mod run_folder;
pub mod score;
pub(crate) mod shell;
pub mod unprivileged;
pub mod user;
