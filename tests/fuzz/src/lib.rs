//! What a stranger's bytes may never do: one function a target, which panics where a law is broken.
//!
//! - [`framing`], [`guard`], [`filter`], [`netconf`]: messages, XML, filters and whole sessions of
//!   `convoke-netconf`;
//! - [`yang`]: documents and modules before libyang;
//! - [`schemas`]: templates, payloads and patches of `convoke-schema`;
//! - [`ssh`]: a connection before keys, in `convoke-server`;
//! - [`store`]: a state that somebody else had in hand;
//! - [`mutation`]: small changes to what lies in `corpus/`, for `cargo test`, which needs no fuzzer.
//!
//! Under `targets/` libFuzzer feeds them (`make fuzz`).

pub mod filter;
pub mod framing;
pub mod guard;
pub mod mutation;
pub mod netconf;
pub mod schemas;
pub mod ssh;
pub mod store;
pub mod yang;
