//! `fuzz::ssh::connection`, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::ssh::connection(data));
