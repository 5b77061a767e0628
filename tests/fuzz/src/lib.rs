//! What a stranger's bytes may never do: one function a target, which panics where a law is broken.
//!
//! - [`schemas`]: templates, payloads and patches of `convoke-schema`;
//! - [`netconf`]: framing, hello and requests of `convoke-netconf`;
//! - [`mutation`]: seeds and small changes to them, for `cargo test`, which needs no fuzzer.
//!
//! Under `targets/` libFuzzer feeds them (`make fuzz`).

pub mod mutation;
pub mod netconf;
pub mod schemas;
