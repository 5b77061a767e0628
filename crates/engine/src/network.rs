//! The network that somebody runs beside the platform: its management systems, and its faults.
//!
//! Read next: [`ems`], [`faults`].

pub(crate) mod ems;
pub(crate) mod fault;
pub(crate) mod faults;
pub(crate) mod operation;
