//! The properties that hold for any untrusted bytes: one function per target, which panics on a
//! violation.
//!
//! - [`framing`], [`guard`], [`filter`], [`netconf`]: messages, XML, filters and whole sessions of
//!   `convoke-netconf`;
//! - [`yang`]: documents and modules before libyang;
//! - [`schemas`]: templates, payloads and patches of `convoke-schema`;
//! - [`ssh`]: a connection before key exchange, in `convoke-server`;
//! - [`store`]: a state that was tampered with;
//! - [`mutation`]: small changes to the files in `corpus/`, for `cargo test`, which needs no
//!   fuzzer.
//!
//! libFuzzer runs them from `targets/` (`make fuzz`).

pub mod filter;
pub mod framing;
pub mod guard;
pub mod mutation;
pub mod netconf;
pub mod schemas;
pub mod ssh;
pub mod store;
pub mod yang;
