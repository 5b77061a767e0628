//! `fuzz::store::state`, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::store::state(data));
