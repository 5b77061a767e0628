//! `fuzz::schemas::template`, fed by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::schemas::template(data));
