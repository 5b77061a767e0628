//! What tests of more than one crate share.
//!
//! - [`conformance`]: protocol behaviour as pages of messages and answers, run against anything that is a
//!   [`conformance::Host`]: in memory ([`memory`]), or a server behind SSH ([`ssh`]);
//! - [`xml`]: comparing documents by structure, with wildcards;
//! - [`judge`]: libyang's word on everything that a server says;
//! - [`cast`]: deterministic agents, their profiles, and the access rules of the cases;
//! - [`attacks`]: what somebody generates who wishes nobody well, from [`dice`];
//! - [`cards`]: the card of an A2A agent elsewhere;
//! - [`network`]: the network of the cases, as its management systems know it;
//! - [`checklist`]: points of the drafts, held against what proves them;
//! - [`workspace`]: where the crates stand.
//!
//! Knows the public interfaces only. Read next: [`conformance`].

pub mod attacks;
pub mod cards;
pub mod cast;
pub mod checklist;
pub mod conformance;
pub mod dice;
pub mod judge;
pub mod memory;
pub mod network;
pub mod ssh;
pub mod workspace;
pub mod xml;
